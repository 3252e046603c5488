"""Power and false alarms of `compare`: what it says where the truth about unlabelled items is known."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.experiments.auto_tasks import hidden, show
from semirank.experiments.cells import Progress, checkpoint_of, measure_cells, name_of
from semirank.experiments.result import ExperimentPage, Rows
from semirank.rankers.manifold import ManifoldRanking
from semirank.selection.compare import compare

N_ITEMS = 600
LABELS = {1.0: 50, 0.0: 50}
BINS = (-np.inf, 0.0, 2.0, 4.0, 8.0, 15.0, np.inf)  # points of AUC
Sample = tuple[Floats, Floats]

PROTOCOL = (
    f"{N_ITEMS} items are drawn anew each time, 50 relevant and 50 irrelevant ones get a label, and "
    "`compare` judges manifold ranking against itself on labels alone by these labels. The truth is the AUC "
    "of both on the items without a label. Strands: six lines side by side, every other one relevant; "
    "clusters: forty or twenty clouds, half of them relevant; the wider they spread, the less unlabelled "
    "items help. One cloud: relevance is a noisy line through a single cloud. No signal: labels are "
    "shuffled, so that no ranker is better than another, and each verdict but *no evidence* is false; at a "
    "confidence of 95 % it should be given in at most 5 of 100 cases."
)


def strands(rng: np.random.Generator, spread: float) -> Sample:
    """Return points along six parallel lines, every other one relevant."""
    line = rng.integers(6, size=N_ITEMS)
    X = np.column_stack([rng.uniform(0, 6, N_ITEMS), 0.5 * line])
    return X + rng.normal(0, spread, X.shape), (line % 2).astype(np.float64)


def clusters(rng: np.random.Generator, count: int, spread: float) -> Sample:
    """Return points around centres in five dimensions, half of the centres relevant."""
    centres, centre = rng.uniform(0, 1, (count, 5)), rng.integers(count, size=N_ITEMS)
    X = centres[centre] + rng.normal(0, spread, (N_ITEMS, 5))
    return X, (centre < count / 2).astype(np.float64)


def cloud(rng: np.random.Generator) -> Sample:
    """Return points of one Gaussian, relevant on one side of a noisy plane."""
    X = rng.normal(size=(N_ITEMS, 5))
    return X, (X[:, 0] + rng.normal(0, 0.5, N_ITEMS) > 0).astype(np.float64)


def shuffled(rng: np.random.Generator, make: Callable[[np.random.Generator], Sample]) -> Sample:
    """Return the same points with labels that say nothing about them."""
    X, truth = make(rng)
    return X, rng.permutation(truth)


_STRANDS = {
    f"strands, spread {spread}": partial(strands, spread=spread) for spread in (0.1, 0.15, 0.2, 0.25, 0.3)
}
_CLUSTERS = {
    "40 clusters, spread 0.1": partial(clusters, count=40, spread=0.1),
    "20 clusters, spread 0.2": partial(clusters, count=20, spread=0.2),
}
NO_SIGNAL = {
    "no signal, strands": partial(shuffled, make=partial(strands, spread=0.1)),
    "no signal, clusters": partial(shuffled, make=partial(clusters, count=40, spread=0.1)),
}
DATA: dict[str, Callable[[np.random.Generator], Sample]] = {
    **_STRANDS,
    **_CLUSTERS,
    "one cloud": cloud,
    **NO_SIGNAL,
}


@dataclass(frozen=True)
class PowerRun:
    """One draw of items and labels."""

    data: str
    draw: int
    seed: int


def power(
    seed: int = 0, progress: Progress | None = None, trials: int = 100, n_jobs: int = -1
) -> ExperimentPage:
    """How often compare finds a true gain from unlabelled items, and how often one that is not there."""
    checkpoint = checkpoint_of("power", seed=seed)
    cells = [PowerRun(name, draw, seed) for name in DATA for draw in range(trials)]
    found = measure_cells(cells, measure, checkpoint, progress, n_jobs)
    by_data = {name: [found[name_of(cell)] for cell in cells if cell.data == name] for name in DATA}
    signal = [each for name, draws in by_data.items() if name not in NO_SIGNAL for each in draws]
    noise = [each for name in NO_SIGNAL for each in by_data[name]]
    result = ExperimentPage("power", "Power and false alarms of compare", {"seed": seed, "draws": trials})
    result.text(summary(signal, noise))
    result.text(PROTOCOL)
    result.table("By the true gain of a draw, in points of AUC", gain_rows(signal))
    result.table("By data", [{"data": name} | data_row(draws) for name, draws in by_data.items()])
    checkpoint.discard()
    return result


def measure(cell: PowerRun) -> dict[str, Any]:
    """Return the true gain from unlabelled items in points of AUC, and what `compare` says and measures."""
    rng = np.random.default_rng((cell.seed, cell.draw))
    X, truth = DATA[cell.data](rng)
    y = show(truth, LABELS, rng)
    ranker: Any = ManifoldRanking()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        alone = _auc(truth, y, ranker.supervised().fit(X, y).scores_)
        gain = _auc(truth, y, ranker.fit(X, y).scores_) - alone
        found = compare(RankingDataset(X, y), [ranker], budget=False, random_state=cell.draw)
    return {"alone": alone, "gain": gain, "verdict": found.verdict}


def _auc(truth: Floats, y: Floats, scores: Floats) -> float:
    ranked = np.isnan(y)
    return 100.0 * float(metrics.auc(hidden(truth, y)[ranked], scores[ranked])[0])


def gain_rows(draws: Sequence[Mapping[str, Any]]) -> Rows:
    """Return the shares of verdicts for draws with similar true gains."""
    rows = []
    for low, high in pairwise(BINS):
        here = [draw for draw in draws if low < draw["gain"] <= high]
        if here:
            name = f"more than {low:g}" if high == np.inf else f"up to {high:g}"
            rows.append({"true gain": name} | _shares(here))
    return rows


def data_row(draws: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what is true of one kind of data, and the shares of verdicts."""
    gains = np.array([draw["gain"] for draw in draws])
    return {
        "AUC, labels alone": f"{np.mean([draw['alone'] for draw in draws]):.1f}",
        "true gain": f"{gains.mean():+.1f} ± {gains.std():.1f}",
        **_shares(draws),
    }


def _shares(draws: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    verdicts = [draw["verdict"] for draw in draws]
    return {
        "draws": len(draws),
        "helps": f"{verdicts.count('helps') / len(draws):.0%}",
        "harms": f"{verdicts.count('harms') / len(draws):.0%}",
        "wrong sign": f"{np.mean([wrong_sign(draw) for draw in draws]):.1%}",
    }


def wrong_sign(draw: Mapping[str, Any]) -> bool:
    """Tell whether a verdict says the opposite of the truth."""
    return bool(
        (draw["verdict"] == "helps" and draw["gain"] <= 0)
        or (draw["verdict"] == "harms" and draw["gain"] >= 0)
    )


def summary(signal: Sequence[Mapping[str, Any]], noise: Sequence[Mapping[str, Any]]) -> str:
    """Say the share of gains of 4 to 15 points that are found, and that of false alarms."""
    real = [draw for draw in signal if 4 < draw["gain"] <= 15]
    found = sum(draw["verdict"] == "helps" for draw in real)
    false = sum(draw["verdict"] != "no evidence" for draw in noise)
    wrong = sum(map(wrong_sign, signal))
    return (
        f"With 50 + 50 labels `compare` finds {found} of {len(real)} true gains of 4 to 15 points. Where "
        f"nothing is to be found it gives a verdict in {false} of {len(noise)} cases. In {wrong} of the "
        f"{len(signal)} others the verdict has the wrong sign."
    )

"""Continuous labels: rankers for lists of items of different quality, judged by the item they put first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_1samp
from sklearn.preprocessing import StandardScaler

from semirank import metrics
from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset
from semirank.meta import FeatureGeneration, ImportanceWeighting, PseudoMargin, RankerPropagation
from semirank.rankers import LineSearchRanker, RankBoost, RankRLSCV, RankSVM

Progress = Callable[[int, int | None], None]
Rows = list[dict[str, Any]]

N_FOLDS = 5
NAMES = ("Label@1", "Label@10", "Disagreement")


class Method(NamedTuple):
    """A ranker, made with a seed, and the method that differs from it in one thing."""

    make: Callable[[int], Any]
    control: str | None = None


METHODS: dict[str, Method] = {
    "line search (MERT)": Method(lambda seed: LineSearchRanker("Label@1", random_state=seed)),
    "RankRLS": Method(lambda _: RankRLSCV(), "line search (MERT)"),
    "RankSVM": Method(lambda _: RankSVM(), "line search (MERT)"),
    "RankBoost": Method(lambda _: RankBoost(), "line search (MERT)"),
    "RankBoost, feature generation": Method(lambda _: FeatureGeneration(RankBoost()), "RankBoost"),
    "RankBoost, importance weighting": Method(lambda _: ImportanceWeighting(RankBoost()), "RankBoost"),
    "RankBoost, pseudo margin": Method(lambda _: PseudoMargin(), "RankBoost"),
    "RankRLS, feature generation": Method(lambda _: FeatureGeneration(RankRLSCV()), "RankRLS"),
    "RankRLS, propagation": Method(lambda _: RankerPropagation(), "RankRLS"),
    "RankSVM, importance weighting": Method(lambda _: ImportanceWeighting(RankSVM()), "RankSVM"),
}


@dataclass(frozen=True)
class Trials:
    """How lists are divided into those that teach and those that are ranked.

    Attributes
    ----------
    data : RankingDataset
        Lists with all their labels; features are brought to mean 0 and spread 1 over all items.
    blocks : array of shape (n_lists,)
        What each list belongs to: lists of one block are never divided.
    sizes : sequence of int
        How many blocks teach; the rest of those that are not ranked is left out.
    """

    data: RankingDataset
    blocks: AnyArray
    sizes: Sequence[int]

    @classmethod
    def of(cls, data: RankingDataset, blocks: AnyArray, sizes: Sequence[int]) -> "Trials":
        """Scale the features and number the blocks."""
        scaled = data.replace(X=StandardScaler().fit_transform(data.X))
        return cls(scaled, np.unique(blocks, return_inverse=True)[1], sizes)

    def splits(self, seed: tuple[int, int]) -> Iterator[tuple[AnyArray, AnyArray]]:
        """Yield the blocks of each fold to be ranked, and all others in random order."""
        order = np.random.default_rng(seed).permutation(self.blocks.max() + 1)
        for ranked in np.array_split(order, N_FOLDS):
            yield ranked, order[~np.isin(order, ranked)]

    def rank(self, make: Callable[[int], Any], teaching: AnyArray, ranked: AnyArray, seed: int) -> Floats:
        """Return the metrics of the lists to be ranked, whose labels are hidden; NaN for all others."""
        hidden = np.isin(self.blocks, ranked)
        part = self.data.select(hidden | np.isin(self.blocks, teaching))
        unseen = np.isin(part.list_ids, self.data.list_ids[hidden])[part.list_of_item]
        scores = make(seed).fit(part.X, np.where(unseen, np.nan, part.y), part.qid).scores_
        found = metrics.measure(NAMES, part.y[unseen], scores[unseen], part.qid[unseen])
        values = np.full((len(self.blocks), len(NAMES)), np.nan)
        values[hidden] = np.column_stack(list(found.values()))
        return values


def compare(
    trials: Trials,
    n_trials: int,
    seed: int,
    progress: Progress | None = None,
    methods: Mapping[str, Method] = METHODS,
) -> dict[int, dict[str, Floats]]:
    """Return the metrics of every list by size and method, of shape (n_trials, n_lists, n_metrics)."""
    found: dict[int, dict[str, list[Floats]]] = {
        size: {name: [] for name in methods} for size in trials.sizes
    }
    total, done = len(trials.sizes) * n_trials * N_FOLDS * len(methods), 0
    for size in trials.sizes:
        for trial in range(n_trials):
            values: dict[str, Any] = {name: np.nan for name in methods}
            for ranked, others in trials.splits((seed, trial)):
                for name, method in methods.items():
                    part = trials.rank(method.make, others[:size], ranked, seed + trial)
                    values[name] = np.where(np.isnan(part), values[name], part)
                    done += 1
                    if progress is not None:
                        progress(done, total)
            for name in methods:
                found[size][name].append(values[name])
    return {size: {name: np.array(each) for name, each in by.items()} for size, by in found.items()}


def rows(
    found: Mapping[int, Mapping[str, Floats]],
    blocks: AnyArray,
    scale: float,
    methods: Mapping[str, Method] = METHODS,
) -> Rows:
    """Return a line for each size and method; gains are over the control, tested over blocks."""
    return [
        _row(size, name, by, methods[name].control, blocks, scale)
        for size, by in found.items()
        for name in by
    ]


def _row(
    size: int, name: str, by: Mapping[str, Floats], control: str | None, blocks: AnyArray, scale: float
) -> dict[str, Any]:
    label = by[name][:, :, 0]
    row = {"teaching": size, "method": name, **summary(by[name], scale)}
    if control is None:
        return row | dict.fromkeys(("gain", "p", "verdict", "changed (%)", "better (%)", "worse (%)"))
    gains = label - by[control][:, :, 0]
    p = block_test(gains, blocks)
    return row | {
        "gain": scale * float(np.nanmean(gains)),
        "p": p,
        "verdict": verdict(float(np.nanmean(gains)), p),
        "changed (%)": 100.0 * float(np.mean(gains != 0)),
        "better (%)": 100.0 * float(np.mean(gains > 0)),
        "worse (%)": 100.0 * float(np.mean(gains < 0)),
    }


def summary(values: Floats, scale: float) -> dict[str, Any]:
    """Return the means of all metrics, labels in units of ``1 / scale``."""
    label, ten, disagreement = np.nanmean(values.reshape(-1, len(NAMES)), axis=0)
    return {
        "Label@1": float(scale * label),
        "Label@10": float(scale * ten),
        "Disagreement (%)": float(100.0 * disagreement),
    }


def block_test(gains: Floats, blocks: AnyArray) -> float:
    """Return the p-value of a t-test over blocks, whose gains are means over trials and lists."""
    by_list = np.nanmean(gains, axis=0)
    means = np.bincount(blocks, by_list) / np.bincount(blocks)
    return float(ttest_1samp(means, 0.0).pvalue) if np.ptp(means) > 0 else 1.0


def verdict(gain: float, p: float) -> str:
    """Say in the thesis' words what a method does to its control."""
    return "=" if p >= 0.05 else "IMPROVE" if gain > 0 else "DEGRADE"

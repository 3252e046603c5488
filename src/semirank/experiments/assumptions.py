"""Each of Duh's four methods where its assumption holds, and where it does not."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank import metrics
from semirank.experiments.cells import Progress, checkpoint_of, measure_cells, name_of
from semirank.experiments.result import ExperimentPage
from semirank.experiments.synthetic_lists import WORLDS
from semirank.meta.feature_generation import FeatureGeneration
from semirank.meta.importance_weighting import ImportanceWeighting
from semirank.meta.pseudo_margin import PseudoMargin
from semirank.meta.ranker_propagation import RankerPropagation
from semirank.rankers._base import Ranker
from semirank.rankers.rank_svm import RankSVM
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.rankrls import RankRLS

METHODS: dict[str, tuple[str | None, Callable[[], Ranker]]] = {
    "RankRLS": (None, RankRLS),
    "ranker propagation": ("RankRLS", lambda: RankerPropagation(RankRLS())),
    "feature generation": ("RankRLS", lambda: FeatureGeneration(RankRLS())),
    "RankSVM": (None, RankSVM),
    "importance weighting": ("RankSVM", lambda: ImportanceWeighting(RankSVM(balance="lists"))),
    "RankBoost": (None, RankBoost),
    "pseudo margin": ("RankBoost", PseudoMargin),
    "RankBoost, 5 rounds": ("RankBoost", lambda: RankBoost(5)),
}
HOLDS = {
    "rankers turn with the list": "ranker propagation",
    "lists are shifted": "importance weighting",
    "kernel directions inform": "feature generation",
    "pairs are separated, labels few and noisy": "pseudo margin",
}


@dataclass(frozen=True)
class AssumptionRun:
    """One trial of a method in a world."""

    world: str
    method: str
    trial: int
    seed: int


def assumptions(
    seed: int = 0, progress: Progress | None = None, trials: int = 10, n_jobs: int = -1
) -> ExperimentPage:
    """Made-up lists in which each of Duh's four assumptions holds, or does not."""
    cells = [
        AssumptionRun(*each, seed)
        for each in ((w, m, t) for w in WORLDS for m in METHODS for t in range(trials))
    ]
    found = measure_cells(cells, measure, checkpoint_of("assumptions"), progress, n_jobs)
    values = {
        (world, method): np.array(
            [found[name_of(AssumptionRun(world, method, t, seed))] for t in range(trials)]
        )
        for world in WORLDS
        for method in METHODS
    }
    result = ExperimentPage("assumptions", "Where each assumption holds", {"seed": seed, "trials": trials})
    result.table("AUC on the lists without labels, in %", _means(values))
    result.table(
        "Gain over the control, in points of AUC, with its standard error over trials", _gains(values)
    )
    for world, method in HOLDS.items():
        result.text(_sentence(values, world, method))
    result.text(EXPLANATION)
    return result


EXPLANATION = (
    "Forty lists of forty items in each world; twenty of them have labels (three, with 30 % of their "
    "labels wrong, where labels are said to be few and noisy). Each method stands beside its control, the "
    "same ranker without the assumption, at default settings: nothing was chosen on the lists that are "
    "ranked, but the worlds were made so that each method's assumption holds in one. Pseudo margin keeps "
    "boosting from fitting wrong labels, and so does stopping after five rounds: that row shows how much "
    "of its gain is only that."
)


def measure(cell: AssumptionRun) -> float:
    """Return the mean AUC over the lists that were shown without labels."""
    truth, shown = WORLDS[cell.world].draw((cell.seed, cell.trial))
    scores = METHODS[cell.method][1]().fit(shown.X, shown.y, shown.qid).scores_
    hidden = np.where(shown.labelled, np.nan, truth.y)
    return float(np.nanmean(metrics.auc(hidden, scores, truth.qid)))


def _means(values: Mapping[tuple[str, str], Any]) -> list[dict[str, Any]]:
    return [
        {"world": world} | {method: f"{100 * values[world, method].mean():.1f}" for method in METHODS}
        for world in WORLDS
    ]


def _gain(values: Mapping[tuple[str, str], Any], world: str, method: str) -> tuple[float, float]:
    gains = 100 * (values[world, method] - values[world, METHODS[method][0] or method])
    return float(gains.mean()), float(gains.std(ddof=1) / np.sqrt(len(gains))) if len(gains) > 1 else 0.0


def _gains(values: Mapping[tuple[str, str], Any]) -> list[dict[str, Any]]:
    compared = [method for method, (control, _) in METHODS.items() if control]
    return [
        {"world": world}
        | {
            f"{method} v {METHODS[method][0]}": "{:+.1f} ± {:.1f}".format(*_gain(values, world, method))
            for method in compared
        }
        for world in WORLDS
    ]


def _sentence(values: Mapping[tuple[str, str], Any], world: str, method: str) -> str:
    """Say what the method gains where its assumption holds, and what it costs at worst elsewhere."""
    gain, error = _gain(values, world, method)
    elsewhere = {other: _gain(values, other, method) for other in WORLDS if other != world}
    worst = min(elsewhere, key=lambda other: elsewhere[other][0])
    return (
        f"**{method.capitalize()}** gains {gain:+.1f} ± {error:.1f} points over {METHODS[method][0]} where "
        f"{world}; elsewhere its worst is {elsewhere[worst][0]:+.1f} ± {elsewhere[worst][1]:.1f} ({worst})."
    )

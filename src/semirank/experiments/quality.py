"""Continuous labels: rankers for lists of items of different quality, judged by the item they put first."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import ttest_1samp
from sklearn.preprocessing import StandardScaler

from semirank import metrics
from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset
from semirank.experiments.cells import name_of
from semirank.meta.feature_generation import FeatureGeneration
from semirank.meta.importance_weighting import ImportanceWeighting
from semirank.meta.pseudo_margin import PseudoMargin
from semirank.meta.ranker_propagation import RankerPropagation
from semirank.rankers.line_search import LineSearchRanker
from semirank.rankers.rank_svm import RankSVM
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.rankrls_cv import RankRLSCV

Rows = list[dict[str, Any]]
Values = dict[int, dict[str, Floats]]

N_FOLDS = 5
NAMES = ("Label@1", "Label@10", "Disagreement")


class QualityMethod(NamedTuple):
    """A ranker, made with a seed, and the method that differs from it in one thing."""

    make: Callable[[int], Any]
    control: str | None = None


METHODS: dict[str, QualityMethod] = {
    "line search (MERT)": QualityMethod(lambda seed: LineSearchRanker("Label@1", random_state=seed)),
    "RankRLS": QualityMethod(lambda _: RankRLSCV(), "line search (MERT)"),
    "RankSVM": QualityMethod(lambda _: RankSVM(balance="lists"), "line search (MERT)"),
    "RankBoost": QualityMethod(lambda _: RankBoost(), "line search (MERT)"),
    "RankBoost, feature generation": QualityMethod(lambda _: FeatureGeneration(RankBoost()), "RankBoost"),
    "RankBoost, importance weighting": QualityMethod(lambda _: ImportanceWeighting(RankBoost()), "RankBoost"),
    "RankBoost, pseudo margin": QualityMethod(lambda _: PseudoMargin(), "RankBoost"),
    "RankRLS, feature generation": QualityMethod(lambda _: FeatureGeneration(RankRLSCV()), "RankRLS"),
    "RankSVM, importance weighting": QualityMethod(
        lambda _: ImportanceWeighting(RankSVM(balance="lists")), "RankSVM"
    ),
    "RankRLS, propagation": QualityMethod(lambda _: RankerPropagation(), "RankRLS"),
}

THESIS: dict[str, dict[str, str]] = {
    "RankBoost, feature generation": {"translation": "DEGRADE", "protein": "="},
    "RankBoost, importance weighting": {"translation": "=", "protein": "="},
    "RankBoost, pseudo margin": {"translation": "BEST", "protein": "="},
    "RankRLS, propagation": {"translation": "IMPROVE", "protein": "BEST"},
}


@dataclass(frozen=True)
class QualityRun:
    """One measurement: a method on the blocks of a fold, taught by the first `size` of the others."""

    name: str
    method: str
    size: int
    fold: int
    trial: int
    seed: int


@dataclass(frozen=True)
class QualityPlan:
    """How lists are divided into those that teach and those that are ranked.

    Attributes
    ----------
    data : RankingDataset
        Lists with all their labels; features are brought to mean 0 and spread 1 over all items.
    blocks : array of shape (n_lists,)
        What each list belongs to, numbered from 0: lists of one block are never divided.
    """

    data: RankingDataset
    blocks: AnyArray

    @classmethod
    def of(cls, data: RankingDataset, blocks: AnyArray) -> "QualityPlan":
        """Scale the features and number the blocks."""
        scaled = data.replace(X=StandardScaler().fit_transform(data.X))
        return cls(scaled, np.unique(blocks, return_inverse=True)[1])

    def split(self, fold: int, seed: tuple[int, int]) -> tuple[AnyArray, AnyArray]:
        """Return the blocks of a fold, which are to be ranked, and all others in random order."""
        order = np.random.default_rng(seed).permutation(self.blocks.max() + 1)
        ranked = np.array_split(order, N_FOLDS)[fold]
        return ranked, order[~np.isin(order, ranked)]

    def rank(self, ranker: Any, teaching: AnyArray, ranked: AnyArray) -> Floats:
        """Return the metrics of the lists of some blocks, in order, which are ranked without their labels."""
        hidden = np.isin(self.blocks, ranked)
        part = self.data.select(hidden | np.isin(self.blocks, teaching))
        unseen = np.isin(part.list_ids, self.data.list_ids[hidden])[part.list_of_item]
        scores = ranker.fit(part.X, np.where(unseen, np.nan, part.y), part.qid).scores_
        found = metrics.measure(NAMES, part.y[unseen], scores[unseen], part.qid[unseen])
        return np.column_stack(list(found.values()))


def cells(
    name: str, sizes: Sequence[int], trials: int, seed: int, methods: Mapping[str, QualityMethod] = METHODS
) -> list[QualityRun]:
    """List all measurements on one set."""
    return [
        QualityRun(name, method, size, fold, trial, seed)
        for size in sizes
        for trial in range(trials)
        for fold in range(N_FOLDS)
        for method in methods
    ]


def measure(
    plan: QualityPlan, cell: QualityRun, methods: Mapping[str, QualityMethod] = METHODS
) -> list[list[float]]:
    """Return the metrics of each list that is ranked."""
    ranked, others = plan.split(cell.fold, (cell.seed, cell.trial))
    ranker = methods[cell.method].make(cell.seed + cell.trial)
    return [row.tolist() for row in plan.rank(ranker, others[: cell.size], ranked)]


def gather(plan: QualityPlan, measured: Sequence[QualityRun], found: Mapping[str, Any]) -> Values:
    """Return the metrics of every list by size and method, of shape (n_trials, n_lists, n_metrics)."""
    values: Values = {}
    n_trials = 1 + max(cell.trial for cell in measured)
    for cell in measured:
        table = values.setdefault(cell.size, {}).setdefault(
            cell.method, np.full((n_trials, len(plan.blocks), len(NAMES)), np.nan)
        )
        ranked, _ = plan.split(cell.fold, (cell.seed, cell.trial))
        table[cell.trial, np.isin(plan.blocks, ranked)] = found[name_of(cell)]
    return values


def rows(
    values: Values, plan: QualityPlan, scale: float, methods: Mapping[str, QualityMethod] = METHODS
) -> Rows:
    """Return a line for each size and method; gains are over the control, tested over blocks."""
    return [
        {"teaching": size, "method": name}
        | summary(by[name], scale)
        | _gain(by, name, methods[name].control, plan.blocks, scale)
        for size, by in values.items()
        for name in by
    ]


def summary(values: Floats, scale: float) -> dict[str, Any]:
    """Return the means of all metrics, labels in units of ``1 / scale``."""
    label, ten, disagreement = np.nanmean(values.reshape(-1, len(NAMES)), axis=0)
    return {
        "Label@1": float(scale * label),
        "Label@10": float(scale * ten),
        "Disagreement (%)": float(100.0 * disagreement),
    }


def _gain(
    by: Mapping[str, Floats], name: str, control: str | None, blocks: AnyArray, scale: float
) -> dict[str, Any]:
    if control is None:
        return dict.fromkeys(("gain", "p", "verdict", "changed (%)", "better (%)", "worse (%)"))
    gains = by[name][:, :, 0] - by[control][:, :, 0]
    p = block_test(gains, blocks)
    return {
        "gain": float(scale * gains.mean()),
        "p": p,
        "verdict": verdict(float(gains.mean()), p),
        "changed (%)": round(100 * np.mean(gains != 0)),
        "better (%)": round(100 * np.mean(gains > 0)),
        "worse (%)": round(100 * np.mean(gains < 0)),
    }


def block_test(gains: Floats, blocks: AnyArray) -> float:
    """Return the p-value of a t-test over blocks, whose gains are means over trials and lists."""
    means = np.bincount(blocks, gains.mean(axis=0)) / np.bincount(blocks)
    return float(ttest_1samp(means, 0.0).pvalue) if np.ptp(means) > 0 else 1.0


def verdict(gain: float, p: float) -> str:
    """Say in the thesis' words what a method does to its control."""
    return "=" if p >= 0.05 else "IMPROVE" if gain > 0 else "DEGRADE"


def beside_thesis(table: Rows, application: str) -> Rows:
    """Return the thesis' verdicts on its four methods, and ours by the number of blocks that teach."""
    lines = []
    for method, verdicts in THESIS.items():
        ours = {
            f"here, {row['teaching']} teaching": f"{row['verdict']} ({row['gain']:+.2f}, p = {row['p']:.2f})"
            for row in table
            if row["method"] == method
        }
        lines.append({"method": method, "thesis": verdicts[application]} | ours)
    return lines

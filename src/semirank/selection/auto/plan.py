"""How AutoRanker holds labels out: which, and what it measures on them."""

from typing import NamedTuple

import numpy as np

from semirank import metrics
from semirank.dataset import RankingDataset
from semirank.metrics import Metric
from semirank.metrics.ranking import Unlabelled
from semirank.selection.auto.label_source import asked_from_top
from semirank.selection.protocols import Plan, choose_protocol, plan_splits
from semirank.selection.splits import ENOUGH_LISTS, TooFewLabelsError
from semirank.selection.verdicts import Judge

AUTO = "auto"
CONFIDENCE = 0.95
FEWEST_LABELS = 15  # on either side; fewer do not tell even good rankers from bad ones
MOSTLY = 10  # unlabelled items for each label, from which on they stand for irrelevant ones
REPEATS = 3


class Test(NamedTuple):
    """A plan of splits, the metric, and how it takes items without a label."""

    plan: Plan
    metric: Metric
    unlabelled: Unlabelled

    def judge(self, data: RankingDataset, seed: int) -> Judge:
        """Return how differences are tested."""
        sign = 1 if self.metric.greater_is_better else -1
        n_labels = int(data.labelled.sum())
        ratio = self.plan.test_ratio
        return Judge(self.plan.unit, ratio, CONFIDENCE, self.metric.name, sign, seed, n_labels)


def plan_choice(data: RankingDataset, metric: str, seed: int) -> Test:
    """Plan how candidates are measured; an error says why they cannot be."""
    protocol = choose_protocol(data).name
    if metric == AUTO:
        metric = "AUC" if protocol == "items" else "nDCG"
    unlabelled = _check_enough_lists(data) if protocol == "lists" else _check_enough_labels(data)
    plan = plan_splits(
        data,
        metric=metric,
        n_repeats=REPEATS if protocol == "items" else None,
        unlabelled=unlabelled,
        random_state=seed,
    )
    return Test(plan, metrics.parse(metric), unlabelled)


def is_binary(data: RankingDataset) -> bool:
    """Tell whether labels say relevant or not, and no more than that."""
    levels = np.unique(data.y[data.labelled])
    return bool(levels[-1] > 0 and (len(levels) == 1 or (len(levels) == 2 and levels[0] <= 0)))


def _check_enough_lists(data: RankingDataset) -> Unlabelled:
    """Refuse fewer labelled lists than a test can say anything about."""
    n_lists = int((data.labelled_per_list > 1).sum())
    if n_lists < ENOUGH_LISTS:
        raise TooFewLabelsError(f"{n_lists} lists have labels; to compare rankers takes {ENOUGH_LISTS}.")
    return "ignore"


def _check_enough_labels(data: RankingDataset) -> Unlabelled:
    """Refuse fewer labels than that; say how a metric is to take items without a label.

    Where hardly any label is irrelevant, or the irrelevant ones are near misses, relevant items are looked
    for among all unlabelled ones.
    """
    y = data.y[data.labelled]
    n_relevant, n_irrelevant = (int((y > 0).sum()), int((y <= 0).sum())) if is_binary(data) else (len(y),) * 2
    if n_relevant < FEWEST_LABELS:
        raise TooFewLabelsError(
            f"{n_relevant} labels say what is relevant; to compare rankers takes {FEWEST_LABELS}."
        )
    mostly_unlabelled = (~data.labelled).sum() >= MOSTLY * data.labelled.sum()
    near_misses = is_binary(data) and mostly_unlabelled and asked_from_top(data)
    if n_irrelevant >= FEWEST_LABELS and not near_misses:
        return "ignore"
    if not mostly_unlabelled:
        raise TooFewLabelsError(
            f"{n_irrelevant} labels say what is irrelevant; to compare rankers takes {FEWEST_LABELS}."
        )
    return "irrelevant"

"""What label-budget curves have found."""

from dataclasses import dataclass
from typing import Literal

from semirank.results.records import Record
from semirank.results.result import Interval


@dataclass(frozen=True)
class BudgetPoint(Record):
    """The metric with a number of labels (of each list) or of labelled lists.

    `mean` and `interval` are None where the ranker could not learn from so few; `reason` says why.
    """

    size: int
    mean: float | None
    interval: Interval | None
    reason: str | None = None


@dataclass(frozen=True)
class BudgetCurve(Record):
    """How the metric of one ranker grows with labels, measured on the same held-out items."""

    name: str
    points: tuple[BudgetPoint, ...]


@dataclass(frozen=True)
class LabelWorth(Record):
    """How many labels unlabelled data was worth.

    Attributes
    ----------
    size : int
        Labels (of each list) or labelled lists that the ranker with unlabelled data had.
    equivalent : float
        How many the baseline needs for the same metric, by straight lines between the points of its curve.
    bound : {"about", "at least", "at most"}
        "at least" where the baseline's curve ends below, "at most" where it begins above.
    """

    size: int
    equivalent: float
    bound: Literal["about", "at least", "at most"]


@dataclass(frozen=True)
class Budget(Record):
    """Label-budget curves of a baseline and of the best ranker that uses unlabelled data.

    Attributes
    ----------
    unit : str
        What is counted: "labels in each list" or "labelled lists".
    baseline, ranker : BudgetCurve
        The two curves, over the same sizes.
    worth : tuple of LabelWorth
        For each size where both are known.
    """

    unit: str
    baseline: BudgetCurve
    ranker: BudgetCurve
    worth: tuple[LabelWorth, ...]

"""What a comparison has found of one ranker, and how it differs from its baseline."""

from dataclasses import dataclass
from typing import Any, Literal

from semirank.results.records import Record

Status = Literal["finished", "failed", "timeout", "interrupted"]
Judgement = Literal["helps", "harms", "no evidence"]
Unit = Literal["list", "draw", "fold"]

RECALL_LEVELS = tuple(level / 10 for level in range(11))
"""Where `Result.precision` is taken: recall 0, 0.1, ... 1."""


@dataclass(frozen=True)
class Interval(Record):
    """Between which two numbers a mean lies, at the confidence of the comparison."""

    low: float
    high: float


@dataclass(frozen=True)
class Contrast(Record):
    """A ranker against a baseline on the same labels.

    Attributes
    ----------
    baseline : str
        The name of the other ranker.
    difference : float
        Mean improvement of the metric over the baseline: above 0 is better, whatever the metric.
    interval : Interval or None
        Of the difference; None where there is one unit only.
    p_value : float
        Of the hypothesis that both are equally good.
    p_adjusted : float
        The same after Holm's correction for all rankers that are compared in this way.
    test : {"all sign flips", "random sign flips", "corrected t-test", "none"}
        How the p-value was found; "none": there is one observation only.
    unit : {"list", "draw", "fold"}
        What the test takes as one observation.
    n_units : int
        How many there are.
    changed, improved, degraded : float
        Shares of the units where the metric differs from the baseline's, is better, is worse.
    deltas : tuple of (float or None)
        Improvement on each list of `Comparison.lists`, mean over repeats; None where it is undefined.
    detectable : float or None
        The smallest true difference that this test would have seen in four cases of five; None where the
        units are too few to see any.
    verdict : {"helps", "harms", "no evidence"}
        The judgement.
    """

    baseline: str
    difference: float
    interval: Interval | None
    p_value: float
    p_adjusted: float
    test: str
    unit: Unit
    n_units: int
    changed: float
    improved: float
    degraded: float
    deltas: tuple[float | None, ...]
    detectable: float | None
    verdict: Judgement


@dataclass(frozen=True)
class Result(Record):
    """One ranker in a comparison.

    Attributes
    ----------
    name : str
        The name of the candidate; unique in the comparison.
    ranker : str
        The ranker as Python writes it, with the parameters that are not the usual ones.
    settings : dict
        All its parameters; what JSON cannot hold stands as text.
    assumption : str or None
        What it assumes about unlabelled data, in words; None: it does not use any (supervised).
    baseline : str or None
        Itself on labels alone; None for a supervised ranker, and for one that chooses among several.
    status : {"finished", "failed", "timeout", "interrupted"}
        Only a finished ranker has a mean, and a place.
    reason : str or None
        Why it is not finished.
    place : int or None
        From 1, the best mean.
    values : tuple of tuples of (float or None)
        The metric: one row for each list of `Comparison.lists`, one column for each repeat, mean over the
        folds in which the list was measured; None where the metric is undefined.
    mean : float or None
        Mean over lists (and repeats).
    interval : Interval or None
        Of the mean.
    judged : float or None
        Share of the first `Comparison.judged_at` items that have a held-out label: where it is low, the
        metric speaks of few items.
    stability : float or None
        Share of the first `Comparison.judged_at` items that stay there when labels are drawn anew; None
        where nothing was drawn twice.
    precision : tuple of (float or None)
        Interpolated precision at the recalls `RECALL_LEVELS`, mean over lists.
    contrast : Contrast or None
        Against `baseline`: what unlabelled data did for this method.
    contrast_best : Contrast or None
        Against the best supervised ranker: whether this ranker should be used. None for supervised ones.
    fit_seconds, rank_seconds : float or None
        Median time to fit (and thereby rank the fitted items), and to score the held-out items with
        `predict`.
    peak_memory : int or None
        Largest memory of the process while fitting, in bytes.
    notes : tuple of str
        What the ranker warned of.
    words : str
        What the ranker is, in words.
    """

    name: str
    ranker: str
    settings: dict[str, Any]
    assumption: str | None
    baseline: str | None
    status: Status
    reason: str | None = None
    place: int | None = None
    values: tuple[tuple[float | None, ...], ...] = ()
    mean: float | None = None
    interval: Interval | None = None
    judged: float | None = None
    stability: float | None = None
    precision: tuple[float | None, ...] = ()
    contrast: Contrast | None = None
    contrast_best: Contrast | None = None
    fit_seconds: float | None = None
    rank_seconds: float | None = None
    peak_memory: int | None = None
    notes: tuple[str, ...] = ()
    words: str = ""

    @property
    def supervised(self) -> bool:
        """Whether it learns from labels alone."""
        return self.assumption is None

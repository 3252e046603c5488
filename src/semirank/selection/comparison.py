"""What a comparison of rankers has found, as plain values that any report can show."""

from dataclasses import dataclass, field
from typing import Any, Literal

from semirank.dataset import Description
from semirank.selection.records import Record

Status = Literal["finished", "failed", "timeout", "interrupted"]
Judgement = Literal["helps", "harms", "no evidence"]
Unit = Literal["list", "draw", "fold"]

RECALL_LEVELS = tuple(level / 10 for level in range(11))
"""Where `Standing.precision` is taken: recall 0, 0.1, ... 1."""


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
    test : str
        How the p-value was found, in words.
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
    words : str
        The same as a sentence.
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
    words: str


@dataclass(frozen=True)
class Standing(Record):
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
        Its supervised counterpart; None for a supervised ranker.
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

    @property
    def supervised(self) -> bool:
        """Whether it learns from labels alone."""
        return self.assumption is None


@dataclass(frozen=True)
class ProtocolSummary(Record):
    """How rankers were measured.

    Attributes
    ----------
    name : {"lists", "items"}
        Whole labelled lists were held out, or labelled items within their lists.
    why : str
        The reason for that, in a sentence.
    how : str
        What was shown to the rankers and what was measured, in a sentence.
    proves : str
        What the test says and what it does not, in a sentence.
    unit : {"list", "draw", "fold"}
        What a test takes as one observation.
    n_units, n_repeats, n_folds, n_splits : int
        Observations of a test, repetitions, folds of each, and fits of a ranker.
    keep : int or None
        How many labels of each list (protocol "items") or labelled lists (protocol "lists") were shown at
        most; None: all that were not held out.
    n_measured : int
        Lists that could be measured.
    notes : tuple of str
        What was left out, and why.
    """

    name: Literal["lists", "items"]
    why: str
    how: str
    proves: str
    unit: Unit
    n_units: int
    n_repeats: int
    n_folds: int
    n_splits: int
    keep: int | None
    n_measured: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownItem(Record):
    """An item in a ranking.

    Attributes
    ----------
    item : str
        Its id, or its row number from 0.
    label : float or None
        Its held-out label; None: it has none.
    text : str or None
        The beginning of its text, if it has one.
    """

    item: str
    label: float | None
    text: str | None


@dataclass(frozen=True)
class ListChange(Record):
    """What a ranker changed in one list, against its baseline.

    Attributes
    ----------
    list_id : str
        The list.
    before, after, delta : float
        The metric of the baseline, of the ranker, and the improvement (above 0 is better), over all repeats.
    items_before, items_after : tuple of ShownItem
        The first items of the list in one of the repeats, the best first; items whose label was shown to
        the rankers are left out.
    """

    list_id: str
    before: float
    after: float
    delta: float
    items_before: tuple[ShownItem, ...]
    items_after: tuple[ShownItem, ...]


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
    words : str
        The same as a sentence.
    """

    size: int
    equivalent: float
    bound: Literal["about", "at least", "at most"]
    words: str


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


@dataclass(frozen=True)
class Comparison(Record):
    """What `compare` has found.

    Attributes
    ----------
    name : str
        What the data are called.
    data : Description
        What is in them.
    metric : str
        What was measured, in the notation of `semirank.metrics`.
    greater_is_better : bool
        Whether more of it is better.
    protocol : ProtocolSummary or None
        How it was measured; None where the data leave nothing to measure, which `warnings` then explain.
    lists : tuple of str
        The measured lists: the rows of `Standing.values`.
    standings : tuple of Standing
        Finished rankers, the best first, then the others.
    best, best_supervised, best_semi_supervised : str or None
        Names of the rankers with the best mean: of all, of those that use labels alone, of the others.
    recommended : str or None
        The best ranker that uses unlabelled data if it beats the best supervised one by the test, otherwise
        the best supervised one.
    verdict : {"helps", "harms", "no evidence"} or None
        Of the best ranker that uses unlabelled data against the best supervised one.
    words : tuple of str
        What unlabelled data did, in sentences.
    changes : tuple of ListChange
        The lists that the best ranker with unlabelled data improved and degraded most against its
        baseline, by falling `delta`.
    budget : Budget or None
        Label-budget curves.
    judged_at : int
        The depth k of `Standing.judged` and `Standing.stability`.
    confidence : float
        Of every interval; a verdict needs an adjusted p-value below 1 - confidence.
    complete : bool
        False when it was interrupted.
    warnings : tuple of str
        What the reader should know.
    seed, n_jobs : int or None
        As given to `compare`.
    options : dict
        The other arguments.
    versions : dict
        Python and packages.
    date : str
        When, as ISO 8601 writes it.
    seconds : float
        How long it took.

    Examples
    --------
    >>> from semirank import compare, load
    >>> from semirank.selection import Comparison
    >>> found = compare(load("moons"), ["manifold-ranking"], metric="AUC", keep=4, n_repeats=5, budget=False)
    >>> found.standings[0].name, found.standing("manifold-ranking").baseline
    ('manifold-ranking', 'distance-ranking')
    >>> Comparison.from_json(found.to_json()) == found
    True
    """

    name: str
    data: Description
    metric: str
    greater_is_better: bool
    protocol: ProtocolSummary | None
    lists: tuple[str, ...]
    standings: tuple[Standing, ...]
    best: str | None
    best_supervised: str | None
    best_semi_supervised: str | None
    recommended: str | None
    verdict: Judgement | None
    words: tuple[str, ...]
    changes: tuple[ListChange, ...]
    budget: Budget | None
    judged_at: int
    confidence: float
    complete: bool
    warnings: tuple[str, ...]
    seed: int
    n_jobs: int | None
    options: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    date: str = ""
    seconds: float = 0.0

    def standing(self, name: str) -> Standing:
        """Return the standing of the ranker with this name."""
        for standing in self.standings:
            if standing.name == name:
                return standing
        raise ValueError(f"There is no ranker {name!r} in the comparison: it has {', '.join(self.names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all rankers, in the order of `standings`."""
        return tuple(standing.name for standing in self.standings)

    @property
    def finished(self) -> tuple[Standing, ...]:
        """The rankers that have a place, the best first."""
        return tuple(standing for standing in self.standings if standing.status == "finished")

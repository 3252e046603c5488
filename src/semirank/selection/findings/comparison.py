"""What a comparison of rankers has found, as plain values that any report can show."""

from dataclasses import dataclass, field
from typing import Any, Literal

from semirank.dataset import Description
from semirank.selection.findings.label_budget import Budget, BudgetCurve, BudgetPoint, LabelWorth
from semirank.selection.findings.records import Record
from semirank.selection.findings.standing import (
    RECALL_LEVELS,
    Contrast,
    Interval,
    Judgement,
    Standing,
    Status,
    Unit,
)

__all__ = [
    "RECALL_LEVELS",
    "Budget",
    "BudgetCurve",
    "BudgetPoint",
    "Comparison",
    "Contrast",
    "Interval",
    "Judgement",
    "LabelWorth",
    "ListChange",
    "ProtocolSummary",
    "ShownItem",
    "Standing",
    "Status",
    "Unit",
]


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

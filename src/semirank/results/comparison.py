"""What a comparison of rankers has found, as plain values that any report can show."""

from dataclasses import dataclass, field
from typing import Any, Literal

from semirank.dataset import Description
from semirank.results.budget import Budget
from semirank.results.records import Record
from semirank.results.result import Contrast, Judgement, Result, Unit

ProtocolReason = Literal["asked for", "one list", "same items", "all labelled", "inside", "outside"]
Reason = Literal["proven", "trusted", "labels", "few labels", "asked for"]
Kind = Literal["texts", "vectors", "tables", "grades", "lists", "given"]

LONGEST_TITLE = 52  # letters of what a ranker is called in tables and pictures


@dataclass(frozen=True)
class Protocol(Record):
    """How rankers were measured.

    Attributes
    ----------
    name : {"lists", "items"}
        Whole labelled lists were held out, or labelled items within their lists.
    reason : {"asked for", "one list", "same items", "all labelled", "inside", "outside"}
        Why: the caller said so; one list only has labels; the lists hold the same items; every item has a
        label; most items that remain to be ranked stand in lists with, or in lists without labels.
    inside, outside : int
        Items without a label in lists that have some, and in lists that have none.
    instead_of : str or None
        Why the labels do not suffice for the protocol that would have been chosen.
    unit : {"list", "draw", "fold"}
        What a test takes as one observation.
    n_units, n_repeats, n_folds, n_splits : int
        Observations of a test, repetitions, folds of each, and fits of a ranker.
    keep : int or None
        How many labels of each list (protocol "items") or labelled lists (protocol "lists") were shown at
        most; None: all that were not held out.
    n_measured, n_skipped : int
        Labelled lists that could be measured, and that could not.
    unlabelled : {"ignore", "irrelevant"}
        How the metric took items that have no label at all.
    n_labels : int
        Labels in the data.
    """

    name: Literal["lists", "items"]
    reason: ProtocolReason
    inside: int
    outside: int
    instead_of: str | None
    unit: Unit
    n_units: int
    n_repeats: int
    n_folds: int
    n_splits: int
    keep: int | None
    n_measured: int
    n_skipped: int
    unlabelled: Literal["ignore", "irrelevant"]
    n_labels: int


@dataclass(frozen=True)
class Choice(Record):
    """Which ranker to use, and why.

    Attributes
    ----------
    name : str
        The name of the candidate.
    ranker : str
        The ranker as Python writes it.
    reason : {"proven", "trusted", "labels", "few labels", "asked for"}
        It uses unlabelled items, and held-out labels prove that this helps; or experience with such data
        speaks for it and held-out labels agree; it learns from labels alone; labels are too few to compare
        any, and it is the usual choice for such data; the caller said so.
    kind : {"texts", "vectors", "tables", "grades", "lists", "given"}
        What kind of data these are.
    assumption : str or None
        What it assumes about unlabelled items.
    rival : str or None
        For "labels": the best candidate that uses unlabelled items.
    contrast : Contrast or None
        The ranker, or for "labels" the rival, against the best ranker that learns from labels alone.
    problem : str or None
        For "few labels": why rankers cannot be compared.
    words : str
        What the ranker is, in words.
    """

    name: str
    ranker: str
    reason: Reason
    kind: Kind
    assumption: str | None = None
    rival: str | None = None
    contrast: Contrast | None = None
    problem: str | None = None
    words: str = ""


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
    protocol : Protocol or None
        How it was measured; None where the data leave nothing to measure, which `problem` then explains.
    lists : tuple of str
        The measured lists: the rows of `Result.values`.
    results : tuple of Result
        Finished rankers, the best first, then the others.
    best, best_supervised, best_semi_supervised : str or None
        Names of the rankers with the best mean: of all, of those that use labels alone, of the others.
    choice : Choice or None
        Which ranker to use and why: what `AutoRanker` takes on the same data.
    verdict : {"helps", "harms", "no evidence"} or None
        Of the best ranker that uses unlabelled data against the best supervised one.
    changes : tuple of ListChange
        The lists that the best ranker with unlabelled data improved and degraded most against its
        baseline, by falling `delta`.
    budget : Budget or None
        Label-budget curves.
    judged_at : int
        The depth k of `Result.judged` and `Result.stability`.
    confidence : float
        Of every interval; a verdict needs an adjusted p-value below 1 - confidence.
    complete : bool
        False when it was interrupted.
    problem : str or None
        Why nothing could be compared.
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
    command : str or None
        What to type to rank the data with the chosen ranker, where they came from a file.

    Examples
    --------
    >>> from semirank import compare, load
    >>> from semirank.results.comparison import Comparison
    >>> found = compare(load("moons"), ["manifold-ranking"], metric="AUC", keep=4, n_repeats=6, budget=False)
    >>> found.results[0].name, found.choice.name
    ('manifold-ranking', 'manifold-ranking')
    >>> Comparison.from_json(found.to_json()) == found
    True
    """

    name: str
    data: Description
    metric: str
    greater_is_better: bool
    protocol: Protocol | None
    lists: tuple[str, ...]
    results: tuple[Result, ...]
    best: str | None
    best_supervised: str | None
    best_semi_supervised: str | None
    choice: Choice | None
    verdict: Judgement | None
    changes: tuple[ListChange, ...]
    budget: Budget | None
    judged_at: int
    confidence: float
    complete: bool
    problem: str | None
    seed: int
    n_jobs: int | None
    options: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    date: str = ""
    seconds: float = 0.0
    command: str | None = None

    def result(self, name: str) -> Result:
        """Return what was found of the ranker with this name."""
        for result in self.results:
            if result.name == name:
                return result
        raise ValueError(f"There is no ranker {name!r} in the comparison: it has {', '.join(self.names)}.")

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all rankers, in the order of `results`."""
        return tuple(result.name for result in self.results)

    @property
    def finished(self) -> tuple[Result, ...]:
        """The rankers that have a place, the best first."""
        return tuple(result for result in self.results if result.status == "finished")

    @property
    def recommended(self) -> str | None:
        """The name of the ranker to use."""
        return None if self.choice is None else self.choice.name

    @property
    def titles(self) -> dict[str, str]:
        """What to call each ranker: in words, or by its name where these are long or a better one's too."""
        owners = {result.words: result.name for result in reversed(self.results)}
        return {
            each.name: each.words
            if owners[each.words] == each.name and 0 < len(each.words) <= LONGEST_TITLE
            else each.name
            for each in self.results
        }

    def to_frame(self, library: str | None = None) -> Any:
        """Return the leaderboard as a data frame, one row for each ranker.

        Parameters
        ----------
        library : {"pandas", "polars"}, optional
            None: the one that is imported already, otherwise the one that is installed.
        """
        from semirank.results.tables import as_frame, leaderboard

        return as_frame(leaderboard(self), library)

    def to_csv(self) -> str:
        """Write the leaderboard as CSV, one row for each ranker."""
        from semirank.results.tables import as_csv, leaderboard

        return as_csv(leaderboard(self))

    def to_latex(self, caption: str | None = None, label: str | None = None) -> str:
        """Write the leaderboard as a table of LaTeX, for documents that use the package booktabs."""
        from semirank.results.tables import as_latex

        return as_latex(self, caption, label)

    def plot(self, what: str = "rankers", ax: Any = None) -> Any:
        """Draw what was found, and return the axes of matplotlib.

        Parameters
        ----------
        what : {"rankers", "gains", "lists", "budget", "precision"}
            The mean of each ranker; what unlabelled data did for each that uses them; what the best of these
            did on each list; how the metric grows with labels; precision by recall.
        ax : matplotlib axes, optional
            Where to draw; None: a new figure.
        """
        from semirank.results.drawing import PICTURES, nothing_to_draw, size

        if what not in PICTURES:
            raise ValueError(f"what must be one of {', '.join(PICTURES)}; got {what!r}.")
        if why := nothing_to_draw(self, what):
            raise ValueError(f"There is nothing to draw: {why}.")
        if ax is None:
            from matplotlib import pyplot

            _, ax = pyplot.subplots(figsize=size(self, what), layout="constrained")
        PICTURES[what](self, ax)
        if ax.get_legend_handles_labels()[0]:
            ax.legend(frameon=False)
        return ax

    def _repr_html_(self) -> str:
        from semirank.results.tables import as_html

        return as_html(self)

"""One cell of a comparison: one ranker fitted on the labels of one split, and measured on those held out."""

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from semirank import metrics
from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import Features, RankingDataset
from semirank.metrics.ranking import Unlabelled
from semirank.rankers import Ranker
from semirank.selection.candidates import Candidate
from semirank.selection.comparing.memory import peak_memory, reset_peak
from semirank.selection.findings.comparison import RECALL_LEVELS
from semirank.selection.findings.records import Record, plain
from semirank.selection.splits import Split

MOST_NOTES = 3


@dataclass(frozen=True)
class Cell(Record):
    """What one fit has given.

    Attributes
    ----------
    values, judged : tuple of (float or None)
        The metric and Judged@k on each list of the plan; None where the list was not measured.
    tops : tuple of tuples of int
        The first k items of each list whose label was not shown, by row of the data.
    precision : tuple of (float or None)
        Interpolated precision at `RECALL_LEVELS`, mean over the measured lists.
    fit_seconds, rank_seconds : float, float or None
        Time to fit, and to score the measured items with `predict` where that was asked for.
    peak_memory : int or None
        In bytes.
    notes : tuple of str
        What the ranker warned of.
    """

    values: tuple[float | None, ...]
    judged: tuple[float | None, ...]
    tops: tuple[tuple[int, ...], ...]
    precision: tuple[float | None, ...]
    fit_seconds: float
    rank_seconds: float | None
    peak_memory: int | None
    notes: tuple[str, ...]


class Fitted(NamedTuple):
    """A fitted ranker, and the items it was fitted on."""

    ranker: Ranker
    items: slice


@dataclass(frozen=True, eq=False)
class Bench:
    """Where rankers are fitted and measured: the data, their features, and what is measured.

    Attributes
    ----------
    data : RankingDataset
        The data with all labels; rankers see those of a split only.
    features : mapping
        Features by the number of LSA components; None: those of the data, or tf-idf of its texts.
    lists : int array
        The lists to measure.
    metric : str
        What to measure.
    unlabelled : {"ignore", "irrelevant"}
        How the metric takes items without a label.
    depth : int
        The k of Judged@k and of `Cell.tops`.
    """

    data: RankingDataset
    features: Mapping[int | None, Features]
    lists: Integers
    metric: str
    unlabelled: Unlabelled
    depth: int

    def run(self, candidate: Candidate, split: Split, rank: bool = False) -> Cell:
        """Fit a candidate on the labels that a split shows, and measure it on those held out.

        With `rank`, also take the time of `predict`.
        """
        X = self._items(candidate)
        reset_peak()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start = time.perf_counter()
            scores, fitted = self._fit(candidate, X, split.visible(self.data))
            seconds = time.perf_counter() - start
            rank_seconds = self._rank(fitted, X, split) if rank else None
        notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))[:MOST_NOTES]
        return self._measure(scores, split, seconds, rank_seconds, notes)

    def warm_up(self) -> None:
        """Load the compiled loops of the metrics, so that no ranker is charged for that."""
        self._metrics(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.zeros(2, dtype=np.int64))

    def _items(self, candidate: Candidate) -> Any:
        if reads_texts(candidate.ranker):
            return self.data.texts
        return self.features[candidate.n_components]

    def _fit(self, candidate: Candidate, X: Any, y: Floats) -> tuple[Floats, list[Fitted]]:
        """Return the scores of all items, in the order of the data, and the fitted rankers."""
        parts = zip(self.data.indptr[:-1], self.data.indptr[1:], strict=True)
        whole = [(0, self.data.n_items)]
        scores, fitted = np.zeros(self.data.n_items), []
        for part in (slice(*bounds) for bounds in (parts if candidate.each_list else whole)):
            if not np.isnan(y[part]).all():
                ranker = clone(candidate.ranker).fit(X[part], y[part], self.data.qid[part])
                scores[part] = ranker.scores_
                fitted.append(Fitted(ranker, part))
        return scores, fitted

    def _rank(self, fitted: list[Fitted], X: Any, split: Split) -> float | None:
        """Return how long it takes to score the measured items as new ones; None where that cannot be."""
        seconds = 0.0
        for ranker, part in fitted:
            items = part.start + np.flatnonzero(split.measured[part])
            start = time.perf_counter()
            try:
                if len(items):
                    ranker.predict(X[items], self.data.qid[items])
            except (NotImplementedError, AttributeError):
                return None
            seconds += time.perf_counter() - start
        return seconds

    def _measure(
        self, scores: Floats, split: Split, seconds: float, rank_seconds: float | None, notes: tuple[str, ...]
    ) -> Cell:
        data, rest = self.data, self._judged_items(split)
        values, judged, curve = self._metrics(split.held_out(data)[rest], scores[rest], data.qid[rest])
        lists = np.unique(data.list_of_item[rest])
        return Cell(
            values=self._per_list(lists, values),
            judged=self._per_list(lists, judged),
            tops=self._tops(lists, scores, rest),
            precision=plain(_mean_of_rows(curve)),
            fit_seconds=seconds,
            rank_seconds=rank_seconds,
            peak_memory=peak_memory(),
            notes=notes,
        )

    def _metrics(self, y: Floats, scores: Floats, qid: Any) -> tuple[Floats, Floats, Floats]:
        """Return the metric and Judged@k on each list, and precision at each recall."""
        names = [self.metric, f"Judged@{self.depth}"]
        values, judged = metrics.measure(names, y, scores, qid, unlabelled=self.unlabelled).values()
        levels = len(RECALL_LEVELS)
        curve = metrics.precision_recall_curve(y, scores, qid, levels=levels, unlabelled=self.unlabelled)
        return values, judged, curve

    def _judged_items(self, split: Split) -> Booleans:
        """Mark the items that were not shown, of the lists that have held-out labels."""
        data = self.data
        held = np.logical_or.reduceat(split.measured, data.indptr[:-1])
        return ~split.shown & held[data.list_of_item]

    def _per_list(self, lists: Integers, values: Floats) -> tuple[float | None, ...]:
        every = np.full(self.data.n_lists, np.nan)
        every[lists] = values
        return plain(every[self.lists])

    def _tops(self, lists: Integers, scores: Floats, rest: Booleans) -> tuple[tuple[int, ...], ...]:
        measured = set(lists.tolist())
        return tuple(self._top(int(at), scores, rest) if at in measured else () for at in self.lists.tolist())

    def _top(self, at: int, scores: Floats, rest: Booleans) -> tuple[int, ...]:
        first, last = self.data.indptr[at : at + 2]
        items = first + np.flatnonzero(rest[first:last])
        return tuple(items[np.argsort(-scores[items], kind="stable")[: self.depth]].tolist())


def reads_texts(ranker: Ranker) -> bool:
    """Tell whether a ranker wants texts instead of features."""
    return ranker.takes_texts


def _mean_of_rows(curve: Floats) -> Floats:
    rows = curve[~np.isnan(curve).any(axis=1)]
    return rows.mean(axis=0) if len(rows) else np.full(curve.shape[1], np.nan)

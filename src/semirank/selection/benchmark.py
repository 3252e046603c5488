"""Where rankers are fitted on the labels of a split and measured on those held out."""

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from semirank import metrics
from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.metrics.ranking import Unlabelled
from semirank.rankers._base import Ranker
from semirank.results.records import Record, plain
from semirank.results.result import RECALL_LEVELS
from semirank.selection.memory import peak_memory, reset_peak
from semirank.selection.splits import Split

MOST_NOTES = 3


@dataclass(frozen=True)
class Fit(Record):
    """What one ranker has shown on one split.

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
    held_out : tuple of float
        The scores of the measured items, standardised within the items of their list that were not shown;
        for mixtures.

    Without details, only `values`, `fit_seconds` and `held_out` are known.
    """

    values: tuple[float | None, ...]
    fit_seconds: float
    judged: tuple[float | None, ...] = ()
    tops: tuple[tuple[int, ...], ...] = ()
    precision: tuple[float | None, ...] = ()
    rank_seconds: float | None = None
    peak_memory: int | None = None
    notes: tuple[str, ...] = ()
    held_out: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class Benchmark:
    """The data, and what is measured on them.

    Attributes
    ----------
    data : RankingDataset
        The data with all labels; rankers see those of a split only.
    lists : int array
        The lists to measure.
    metric : str
        What to measure.
    unlabelled : {"ignore", "irrelevant"}
        How the metric takes items without a label.
    depth : int
        The k of Judged@k and of `Fit.tops`.
    detailed : bool
        Also measure what a report shows: the first items, precision, memory, warnings.
    keeps_scores : bool
        Also keep the scores of the measured items.
    """

    data: RankingDataset
    lists: Integers
    metric: str
    unlabelled: Unlabelled
    depth: int = 10
    detailed: bool = True
    keeps_scores: bool = False

    def fits(self, ranker: Ranker, splits: Sequence[Split]) -> Iterator[Fit]:
        """Fit a copy of a ranker on split after split; what it can keep from one to the next, it keeps."""
        ranker = clone(ranker)
        X = self.data.texts if ranker.takes_texts and self.data.texts is not None else self.data.X
        for place, split in enumerate(splits):
            reset_peak()
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                start = time.perf_counter()
                fit = ranker._refit if place else ranker.fit
                scores = fit(X, split.visible(self.data), self.data.qid).scores_
                seconds = time.perf_counter() - start
                ranking = self._rank_seconds(ranker, X, split) if self.detailed and not place else None
            notes = tuple(dict.fromkeys(str(warning.message) for warning in caught))[:MOST_NOTES]
            yield self._measure(scores, split, seconds, ranking, notes)

    def warm_up(self) -> None:
        """Load the compiled loops of the metrics, so that no ranker is charged for that."""
        self._details(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.zeros(2, dtype=np.int64))

    def _rank_seconds(self, ranker: Ranker, X: Any, split: Split) -> float | None:
        """Return how long it takes to score the measured items as new ones; None where that cannot be."""
        items = np.flatnonzero(split.measured)
        start = time.perf_counter()
        try:
            ranker.predict(X[items], self.data.qid[items])
        except NotImplementedError:
            return None
        return time.perf_counter() - start

    def _measure(
        self, scores: Floats, split: Split, seconds: float, ranking: float | None, notes: tuple[str, ...]
    ) -> Fit:
        """Measure the items that were not shown, of the lists that have held-out labels."""
        data = self.data
        held = np.logical_or.reduceat(split.measured, data.indptr[:-1])
        rest = ~split.shown & held[data.list_of_item]
        given = split.held_out(data)[rest], scores[rest], data.qid[rest]
        lists = np.flatnonzero(held)
        kept = self.standardised(scores, rest)[split.measured[rest]] if self.keeps_scores else ()
        if not self.detailed:
            values = metrics.measure([self.metric], *given, unlabelled=self.unlabelled)[self.metric]
            return Fit(self._per_list(lists, values), seconds, held_out=tuple(map(float, kept)))
        values, judged, curve = self._details(*given)
        return Fit(
            values=self._per_list(lists, values),
            fit_seconds=seconds,
            judged=self._per_list(lists, judged),
            tops=tuple(self._top(at, scores, rest) if held[at] else () for at in self.lists.tolist()),
            precision=plain(curve),
            rank_seconds=ranking,
            peak_memory=peak_memory(),
            notes=notes,
            held_out=tuple(map(float, kept)),
        )

    def standardised(self, scores: Floats, rest: Booleans) -> Floats:
        """Return the scores of some items with mean 0 and standard deviation 1 in each list."""
        lists = self.data.list_of_item[rest]
        counts = np.maximum(np.bincount(lists, minlength=self.data.n_lists), 1)
        centred = scores[rest] - (np.bincount(lists, scores[rest], self.data.n_lists) / counts)[lists]
        spreads = np.sqrt(np.bincount(lists, centred**2, self.data.n_lists) / counts)
        return np.divide(centred, spreads[lists], out=np.zeros_like(centred), where=spreads[lists] > 0)

    def measure_held_out(self, split: Split, held_out: Floats) -> tuple[float | None, ...]:
        """Return the metric on each list, of scores of the measured items of a split."""
        data, measured = self.data, split.measured
        values = metrics.measure([self.metric], data.y[measured], held_out, data.qid[measured])[self.metric]
        return self._per_list(np.unique(data.list_of_item[measured]), values)

    def _details(self, y: Floats, scores: Floats, qid: Any) -> tuple[Floats, Floats, Floats]:
        """Return the metric and Judged@k on each list, and the mean precision at each recall."""
        names = [self.metric, f"Judged@{self.depth}"]
        values, judged = metrics.measure(names, y, scores, qid, unlabelled=self.unlabelled).values()
        levels = len(RECALL_LEVELS)
        curve = metrics.precision_recall_curve(y, scores, qid, levels=levels, unlabelled=self.unlabelled)
        rows = curve[~np.isnan(curve).any(axis=1)]
        return values, judged, rows.mean(axis=0) if len(rows) else np.full(levels, np.nan)

    def _per_list(self, lists: Integers, values: Floats) -> tuple[float | None, ...]:
        every = np.full(self.data.n_lists, np.nan)
        every[lists] = values
        return plain(every[self.lists])

    def _top(self, at: int, scores: Floats, rest: Any) -> tuple[int, ...]:
        first, last = self.data.indptr[at : at + 2]
        items = first + np.flatnonzero(rest[first:last])
        return tuple(items[np.argsort(-scores[items], kind="stable")[: self.depth]].tolist())

"""Labels in the order of the scores: sorted once, read by every metric."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypedDict

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.hits import count_hits
from semirank.core.ranks import number_levels, sort_lists
from semirank.dataset import check_labels, check_qid, group_lists
from semirank.dataset.checks import check_per_item
from semirank.limits import OneOf, check_limits

Ties = Literal["expected", "trec"]
Unlabelled = Literal["ignore", "irrelevant"]


class How(TypedDict, total=False):
    """How labels and scores become a ranking; see `semirank.metrics`."""

    ties: Ties
    unlabelled: Unlabelled
    item_ids: Any


LIMITS = {"ties": OneOf("expected", "trec"), "unlabelled": OneOf("ignore", "irrelevant")}


@dataclass(frozen=True)
class SortedLists:
    """Lists with their best-scored items first.

    ``tied[i]`` says that item i has the same score as the item before it in its list.
    """

    labels: Floats
    tied: Booleans
    indptr: Integers

    @property
    def sizes(self) -> Integers:
        """Number of items of each list."""
        return np.diff(self.indptr)

    def count(self, hits: Booleans) -> Integers:
        """Count the marked items of each list."""
        return count_hits(hits, self.indptr)


class Ranking:
    """Labels and scores of lists, checked, grouped and sorted by score.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better; with ``ties="trec"``, -inf says that an item was not retrieved.
    qid : array of shape (n_items,), optional
        The list of each item; None: one list.
    ties : {"expected", "trec"}
        Leave ties as they are, for a metric to average over their orders, or break them as trec_eval
        does: scores in single precision, then the larger item id (as text) first.
    unlabelled : {"ignore", "irrelevant"}
        Leave unlabelled items out, or count them as irrelevant: label 0, or the smallest label of
        the list when that is below 0.
    item_ids : array of shape (n_items,), optional
        Ids that break ties with ``ties="trec"``. Without them the later item comes first.

    Attributes
    ----------
    everything : SortedLists
        All items; NaN where there is no label.
    retrieved : bool array or None
        Which of them have a place; None: all. The others count among the relevant ones all the same.
    """

    def __init__(
        self,
        y: Any,
        scores: Any,
        qid: Any = None,
        *,
        ties: Ties = "expected",
        unlabelled: Unlabelled = "ignore",
        item_ids: Any = None,
    ) -> None:
        check_limits(LIMITS, {"ties": ties, "unlabelled": unlabelled})
        scores = _check_scores(scores, unretrieved=ties == "trec")
        n_items = len(scores)
        y, item_ids = check_labels(y, n_items), check_per_item("item_ids", item_ids, n_items)
        order, indptr, _ = group_lists(check_qid(qid, n_items))
        if ties == "trec":
            scores = scores.astype(np.float32).astype(np.float64)
            order = _trec_order(order, indptr, item_ids)
        if order is not None:
            y, scores = y[order], scores[order]
        order, tied = sort_lists(scores, indptr)
        self._unlabelled = unlabelled
        self.retrieved = scores[order] > -np.inf if scores.min() == -np.inf else None
        self.everything = SortedLists(y[order], tied if ties == "expected" else np.zeros_like(tied), indptr)

    @cached_property
    def judged(self) -> SortedLists:
        """The items that take part in the truth, after the rule for unlabelled ones."""
        known = ~np.isnan(self.everything.labels)
        if known.all():
            return self.everything
        if self._unlabelled == "irrelevant":
            return _fill(self.everything, known)
        return _keep(self.everything, known)

    @cached_property
    def ideal(self) -> SortedLists:
        """The items of `judged` in the order of their labels."""
        order, tied = self._by_label
        return SortedLists(self.judged.labels[order], tied, self.judged.indptr)

    @cached_property
    def levels(self) -> Integers:
        """The labels of `judged` as numbers from 0, the best of each list."""
        return number_levels(*self._by_label, self.judged.indptr)

    @cached_property
    def _by_label(self) -> tuple[Integers, Booleans]:
        return sort_lists(self.judged.labels, self.judged.indptr)

    def hits(self, relevant: float | None = None) -> Booleans:
        """Mark the items of `judged` that are relevant: label above 0, or at least `relevant`."""
        labels = self.judged.labels
        return labels > 0 if relevant is None else labels >= relevant

    def found(self, relevant: float | None = None) -> Booleans:
        """Mark the items of `judged` that are relevant and have a place."""
        hits = self.hits(relevant)
        return hits if self.retrieved is None else hits & self._has_place

    @property
    def gained(self) -> Floats:
        """The labels of `judged`, 0 for those that have no place."""
        labels = self.judged.labels
        return labels if self.retrieved is None else np.where(self._has_place, labels, 0.0)

    @property
    def _has_place(self) -> Booleans:
        kept = ~np.isnan(self.everything.labels) | (self._unlabelled == "irrelevant")
        return self.retrieved[kept] if self.retrieved is not None else kept[kept]


def ratio(parts: Floats | Integers, wholes: Floats | Integers) -> Floats:
    """Divide, with NaN where the whole is nothing."""
    return np.divide(parts, wholes, out=np.full(len(wholes), np.nan), where=wholes > 0)


def _check_scores(scores: Any, unretrieved: bool) -> Floats:
    scores = np.require(scores, np.float64, ["C", "W"])  # one kind of array, one compilation
    if scores.ndim != 1 or len(scores) == 0:
        raise ValueError(f"scores must have one score for each item; got shape {scores.shape}.")
    finite = np.isfinite(scores) | (scores == -np.inf) if unretrieved else np.isfinite(scores)
    if not finite.all():
        row = int(np.flatnonzero(~finite)[0])
        raise ValueError(
            f"The score in row {row} is {scores[row]}, which has no place in a ranking. "
            "Give every item a finite score, the lowest of its list if it should come last."
        )
    return scores


def _trec_order(order: Integers | None, indptr: Integers, item_ids: AnyArray | None) -> Integers:
    """Order the items of each list by descending id, so that a stable sort by score keeps that in ties."""
    rows = np.arange(indptr[-1])
    lists = np.empty_like(rows)
    lists[rows if order is None else order] = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    ids = rows if item_ids is None else item_ids.astype(str)
    return np.lexsort((ids, -lists))[::-1]


def _keep(lists: SortedLists, kept: Booleans) -> SortedLists:
    """Take some items out of sorted lists; what was tied stays tied."""
    run = np.cumsum(~lists.tied)[kept]
    tied = np.zeros(len(run), dtype=bool)
    tied[1:] = run[1:] == run[:-1]
    indptr = np.concatenate([[0], np.cumsum(kept)])[lists.indptr]
    return SortedLists(lists.labels[kept], tied, indptr)


def _fill(lists: SortedLists, known: Booleans) -> SortedLists:
    lowest = np.fmin(np.fmin.reduceat(lists.labels, lists.indptr[:-1]), 0.0)
    labels = np.where(known, lists.labels, np.repeat(lowest, lists.sizes))
    return SortedLists(labels, lists.tied, lists.indptr)

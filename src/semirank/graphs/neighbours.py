"""Nearest neighbours within each list."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from semirank.core.arrays import Floats, Integers
from semirank.graphs.points import Metric, Points, check_lists, check_points, is_zero
from semirank.graphs.search import Search, nearest


class Neighbours(NamedTuple):
    """The nearest items of each row.

    Attributes
    ----------
    indices : int64 array of shape (n_rows, k)
        Which items, the nearest first; -1 where a list has no more.
    distances : float64 array of shape (n_rows, k)
        Their distances; infinite where there is no item.
    recall : float
        Share of the true neighbours that were found, measured on a sample; 1.0 for an exact search.
    """

    indices: Integers
    distances: Floats
    recall: float


@dataclass(frozen=True, eq=False, init=False)
class NeighbourIndex:
    """Items that can be asked for the neighbours of a point.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_items, n_features)
        The items; the items of a list stand together.
    metric : {"euclidean", "cosine"}
        With "cosine", distances are those between rows scaled to length 1, ``sqrt(2 - 2 cos)``; an all-zero
        item is nobody's neighbour.
    indptr : array of shape (n_lists + 1,), optional
        Where each list starts, as in `RankingDataset`. None: one list.
    recall : float in (0, 1]
        Share of the true neighbours that is enough where an exact search is long (dense items, from about
        40,000 items of 64 features on). 1: always exact.

    Attributes
    ----------
    points : array or CSR matrix
        The items, scaled to length 1 for "cosine". All that has to be stored to restore the index.

    Examples
    --------
    >>> from semirank.graphs import NeighbourIndex
    >>> index = NeighbourIndex([[0.0], [1.0], [5.0]])
    >>> index.neighbours(1).indices.ravel()
    array([1, 0, 1])
    >>> index.query([[4.0]], k=2).distances
    array([[1., 3.]])
    """

    points: Points
    metric: Metric
    indptr: Integers
    recall: float

    def __init__(
        self, X: Any, *, metric: Metric = "euclidean", indptr: Any = None, recall: float = 0.99
    ) -> None:
        if not 0 < recall <= 1:
            raise ValueError(f"recall must be a number in (0, 1]; got {recall!r}.")
        points = check_points(X, metric)
        object.__setattr__(self, "recall", recall)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "metric", metric)
        object.__setattr__(self, "indptr", check_lists(indptr, points.shape[0]))

    @property
    def n_items(self) -> int:
        """Number of items in all lists."""
        return int(self.points.shape[0])

    def neighbours(self, k: int) -> Neighbours:
        """Find the k nearest other items of each item, in its own list."""
        sizes = np.diff(self.indptr)
        items = self._findable()
        first, last = np.repeat(self.indptr[:-1], sizes), np.repeat(self.indptr[1:], sizes)
        search = Search(self.points, self.points, first, last, items, items)
        return _found(search, min(k, max(int(sizes.max()) - 1, 0)), self._asked_for)

    def query(self, X: Any, k: int, lists: Any = None) -> Neighbours:
        """Find the k nearest items of each row of X.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_rows, n_features)
            New points.
        k : int
            How many items to find.
        lists : array of shape (n_rows,), optional
            The number of the list, from 0, in which each row looks. None: among all items.
        """
        rows = check_points(X, self.metric)
        if rows.shape[1] != self.points.shape[1]:
            raise ValueError(f"X has {rows.shape[1]} features; the index has {self.points.shape[1]}.")
        if issparse(rows) != issparse(self.points):
            rows = csr_array(rows) if issparse(self.points) else rows.toarray()
        first, last = self._range(rows.shape[0], lists)
        nobody = np.full(rows.shape[0], -1)
        search = Search(rows, self.points, first, last, nobody, self._findable())
        return _found(search, min(k, self.n_items), self._asked_for)

    def _findable(self) -> Integers:
        """Return the number of each item, -1 for one without a direction where that is what counts."""
        items = np.arange(self.n_items)
        return np.where(is_zero(self.points), -1, items) if self.metric == "cosine" else items

    @property
    def _asked_for(self) -> float:
        """The recall to reach on the sample, a little more than promised for all."""
        return self.recall + (1.0 - self.recall) / 5.0

    def _range(self, n_rows: int, lists: Any) -> tuple[Integers, Integers]:
        if lists is None:
            return np.zeros(n_rows, dtype=np.int64), np.full(n_rows, self.n_items)
        lists = np.asarray(lists, dtype=np.int64)
        return self.indptr[lists], self.indptr[lists + 1]


def _found(search: Search, k: int, recall: float) -> Neighbours:
    indices, squared, found = nearest(search, k, recall)
    return Neighbours(indices, np.sqrt(squared), found)

"""Nearest neighbours within each list, exact or, where that is long, to a promised share.

The exact answer is the k rows with the smallest squared distance in float64, equal ones by row number. A
short list is searched pair by pair, a long one by screening in float32: a row whose answer that does not
settle is searched again pair by pair. Where even that is long, an inverted file serves.
"""

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, issparse

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.neighbours import Allowed, nearest_by_difference, nearest_sparse
from semirank.core.neighbours import squared_distances as dense_squared_distances
from semirank.core.threads import in_parallel
from semirank.dataset import check_features, refuse_beyond
from semirank.graphs.ivf import fill_by_cells
from semirank.graphs.screening import fill_by_products
from semirank.graphs.screening import squared_lengths as dense_squared_lengths
from semirank.limits import Between

MANY = 2000
LONG = 1e11
FARTHEST = 1e150
BLOCK_ROWS = 256
BLOCK_CELLS = 2**19

Distance = Literal["euclidean", "cosine"]
Points = Any  # a float array or a csr_array; scipy carries no types


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
    distance : {"euclidean", "cosine"}
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

    See Also
    --------
    knn_graph : the graph that it makes.
    semirank.DistanceRanking : ranks by it.

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
    distance: Distance
    indptr: Integers
    recall: float

    def __init__(
        self, X: Any, *, distance: Distance = "euclidean", indptr: Any = None, recall: float = 0.99
    ) -> None:
        if not 0 < recall <= 1:
            raise ValueError(f"recall must be a number in (0, 1]; got {recall!r}.")
        points = check_points(X, distance)
        object.__setattr__(self, "recall", recall)
        object.__setattr__(self, "points", points)
        object.__setattr__(self, "distance", distance)
        object.__setattr__(self, "indptr", check_lists(indptr, points.shape[0]))

    @property
    def n_items(self) -> int:
        """Number of items in all lists."""
        return int(self.points.shape[0])

    def neighbours(self, k: int) -> Neighbours:
        """Find the k nearest other items of each item, in its own list."""
        _check_k(k)
        sizes = np.diff(self.indptr)
        items = self._findable()
        allowed = Allowed(np.repeat(self.indptr[:-1], sizes), np.repeat(self.indptr[1:], sizes), items, items)
        k = min(k, max(int(sizes.max()) - 1, 0))
        indices, squared, found = nearest(self.points, self.points, allowed, k, self._asked_for)
        return Neighbours(indices, np.sqrt(squared), found)

    def query(self, X: Any, k: int, lists: Any = None) -> Neighbours:
        """Find the k nearest items of each row of X.

        Parameters
        ----------
        X : array or CSR matrix of shape (n_rows, n_features)
            New points.
        k : int
            How many items to find.
        lists : array of shape (n_rows,), optional
            The number of the list, from 0, in which each row looks; -1 or None: among all items.
        """
        _check_k(k)
        rows = check_points(X, self.distance)
        if rows.shape[1] != self.points.shape[1]:
            raise ValueError(f"X has {rows.shape[1]} features; the index has {self.points.shape[1]}.")
        if issparse(rows) != issparse(self.points):
            rows = csr_array(rows) if issparse(self.points) else rows.toarray()
        lists = (
            np.full(rows.shape[0], -1) if lists is None else self._check_list_numbers(lists, rows.shape[0])
        )
        first = np.where(lists < 0, 0, self.indptr[lists])
        last = np.where(lists < 0, self.n_items, self.indptr[lists + 1])
        allowed = Allowed(first, last, np.full(rows.shape[0], -1), self._findable())
        indices, squared, found = nearest(rows, self.points, allowed, min(k, self.n_items), self._asked_for)
        return Neighbours(indices, np.sqrt(squared), found)

    def _check_list_numbers(self, lists: Any, n_rows: int) -> Integers:
        lists, n_lists = np.asarray(lists), len(self.indptr) - 1
        if lists.shape != (n_rows,) or lists.dtype.kind not in "iu":
            raise ValueError(
                f"lists must hold the number of a list for each of {n_rows} rows; got {lists.dtype} of shape "
                f"{lists.shape}."
            )
        if n_rows and not -1 <= lists.min() <= lists.max() < n_lists:
            wrong = lists[(lists < -1) | (lists >= n_lists)][0]
            raise ValueError(f"lists must be numbers from 0 to {n_lists - 1}, or -1 for all; got {wrong}.")
        return lists.astype(np.int64)

    def _findable(self) -> Integers:
        """Return the number of each item, -1 for one without a direction where that is what counts."""
        items = np.arange(self.n_items)
        return np.where(is_zero(self.points), -1, items) if self.distance == "cosine" else items

    @property
    def _asked_for(self) -> float:
        """The recall to reach on the sample, a little more than promised for all."""
        return self.recall + (1.0 - self.recall) / 5.0


def nearest(
    rows: Points, data: Points, allowed: Allowed, k: int, recall: float = 1.0
) -> tuple[Integers, Floats, float]:
    """Return the k nearest of each row and their squared distances; -1 and inf where there are fewer.

    Where a search is long, a share `recall` of the true neighbours is enough. Third comes the share found,
    measured on a sample: 1.0 for exact answers.
    """
    indices = np.full((rows.shape[0], k), -1, dtype=np.int64)
    squared = np.full((rows.shape[0], k), np.inf)
    if k == 0:
        return indices, squared, 1.0
    compare = _compare_sparse(rows, data) if issparse(rows) else _compare_dense(rows, data)

    def pair_by_pair(which: Integers) -> None:
        blocks = (which[at : at + BLOCK_ROWS] for at in range(0, len(which), BLOCK_ROWS))
        in_parallel(lambda block: compare(block, allowed, indices, squared), blocks)

    sizes = allowed.last - allowed.first
    many = (sizes > MANY) & (not issparse(rows))
    pair_by_pair(np.flatnonzero(~many))
    found = 1.0
    part = np.where(many, allowed.first * (data.shape[0] + 1) + allowed.last, -1)
    for each in np.unique(part[many]):
        which = np.flatnonzero(part == each)
        share = 0.0
        if recall < 1.0 and float(sizes[which].sum()) * data.shape[1] > LONG:
            share = fill_by_cells(rows, data, which, allowed, recall, indices, squared)
        if share == 0.0:
            pair_by_pair(fill_by_products(rows, data, which, allowed, indices, squared))
        found = min(found, share or 1.0)
    return indices, squared, found


Compare = Callable[[Integers, Allowed, Integers, Floats], None]
"""Which rows, what they may find -> their nearest, filled in."""


def _compare_dense(rows: AnyArray, data: AnyArray) -> Compare:
    return lambda which, *rest: nearest_by_difference(rows, data, which, *rest)


def _compare_sparse(rows: csr_array, data: csr_array) -> Compare:
    by_term = csc_array(data)
    by_term.sort_indices()
    queries, terms = ((m.indptr, m.indices, m.data) for m in (rows, by_term))
    squares = squared_lengths(rows), squared_lengths(data)
    return lambda which, *rest: nearest_sparse(queries, terms, *squares, which, *rest)


def _check_k(k: Any) -> None:
    if k not in Between(0, kind=Integral):
        raise ValueError(f"k must be a whole number of at least 0; got {k!r:.40}.")


def check_points(X: Any, distance: Distance = "euclidean") -> Points:
    """Return X as a C-ordered float array or CSR matrix without gaps; for "cosine", rows of length 1.

    Between rows of length 1 the squared Euclidean distance is 2 - 2 cos, so that one search serves both
    distances. An all-zero row has no direction and stays all zero.
    """
    if distance not in ("euclidean", "cosine"):
        raise ValueError(f"distance must be 'euclidean' or 'cosine'; got {distance!r}.")
    X = check_features(X)[0]
    if X.shape[0] == 0:
        raise ValueError("X has no rows: a graph needs at least one item.")
    missing = np.isnan(X.data if issparse(X) else X)
    if missing.any():
        rows = X.tocoo().row[missing] if issparse(X) else np.nonzero(missing)[0]
        raise ValueError(f"X has a missing value (NaN) in row {rows.min()}: fill missing values first.")
    refuse_beyond(X, FARTHEST, "the square of a distance would be no number")
    if distance == "cosine":
        X = _directions(X)
    return X if issparse(X) else np.ascontiguousarray(X)


def _directions(X: Points) -> Points:
    """Divide rows by their length; one that is 1 already, up to rounding, keeps its bits."""
    lengths = np.sqrt(squared_lengths(X))
    rounding = 8 * np.finfo(X.dtype).eps
    lengths = np.where((lengths == 0) | (np.abs(lengths - 1) <= rounding), 1.0, lengths).astype(X.dtype)
    if not issparse(X):
        return X / lengths[:, None]
    values = X.data / np.repeat(lengths, np.diff(X.indptr))
    return csr_array((values, X.indices, X.indptr), shape=X.shape)


def check_lists(indptr: Any, n_items: int) -> Integers:
    """Return where each list starts; None means that all items are one list."""
    if indptr is None:
        return np.array([0, n_items])
    indptr = np.asarray(indptr, dtype=np.int64)
    if indptr.ndim != 1 or len(indptr) < 2 or indptr[0] != 0 or indptr[-1] != n_items:
        raise ValueError(f"indptr must run from 0 to {n_items}, the number of items; got {indptr}.")
    if (np.diff(indptr) < 0).any():
        raise ValueError("indptr must not decrease: list i holds the items indptr[i] to indptr[i + 1].")
    return indptr


def squared_lengths(points: Points) -> Floats:
    """Return the squared length of each row in float64."""
    if issparse(points):
        return np.asarray((points.astype(np.float64) ** 2).sum(axis=1)).ravel()
    return dense_squared_lengths(points)


def squared_distances(rows: Points, others: Points) -> Floats:
    """Return the matrix of squared Euclidean distances, the same bits in both directions."""
    if not issparse(rows):
        step = max(1, BLOCK_CELLS // max(len(others), 1))
        blocks = (rows[at : at + step] for at in range(0, len(rows), step))
        return np.concatenate(in_parallel(lambda block: dense_squared_distances(block, others), blocks))
    products = (rows.astype(np.float64) @ others.T.astype(np.float64)).toarray()
    sums = squared_lengths(rows)[:, None] + squared_lengths(others)[None, :]
    return np.maximum(sums - 2.0 * products, 0.0)


def is_zero(points: Points) -> AnyArray:
    """Tell which rows hold nothing but zeros."""
    return squared_lengths(points) == 0.0

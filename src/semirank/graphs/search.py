"""Exact nearest neighbours of rows: by differences when few, by blocks of inner products when many.

The answer is the same either way: the k rows with the smallest squared distance in float64, equal ones
by row number. Inner products are taken in float32, quickly, with a bound on their error; a row whose
answer the bound does not settle is searched again by differences.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import get_num_threads
from scipy.sparse import csc_array, issparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.neighbours import nearest_by_difference, nearest_sparse, order_exactly, scan_products
from semirank.graphs.points import Points, squared_lengths

BLOCK_ROWS = 256
BLOCK_COLUMNS = 4096
MANY = 2000
SPARE = 6


@dataclass(frozen=True)
class Search:
    """Rows that ask and the part of the data that each may find.

    Row i looks among ``data[first[i]:last[i]]`` for items whose group is not its own; items of group -1
    are found by nobody.
    """

    rows: Points
    data: Points
    first: Integers
    last: Integers
    row_groups: Integers
    data_groups: Integers


def nearest(search: Search, k: int) -> tuple[Integers, Floats]:
    """Return the k nearest of each row and their squared distances; -1 and inf where there are fewer."""
    n_rows = search.rows.shape[0]
    indices = np.full((n_rows, k), -1, dtype=np.int64)
    squared = np.full((n_rows, k), np.inf)
    if k == 0:
        return indices, squared
    if issparse(search.rows):
        _fill_sparse(search, indices, squared)
        return indices, squared
    many = search.last - search.first > MANY
    _fill_by_difference(search, np.flatnonzero(~many), indices, squared)
    for start in np.unique(search.first[many]):
        _fill_by_products(search, np.flatnonzero(many & (search.first == start)), indices, squared)
    return indices, squared


def in_parallel(work: Callable[[Any], None], tasks: Iterable[Any]) -> None:
    """Run the tasks in threads, each with one thread of BLAS, so that no result depends on their number."""
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(get_num_threads()) as pool:
        for _ in pool.map(work, tasks):
            pass


def _fill_sparse(search: Search, indices: Integers, squared: Floats) -> None:
    terms = csc_array(search.data)
    terms.sort_indices()
    nearest_sparse(
        (search.rows.indptr, search.rows.indices, search.rows.data),
        (terms.indptr, terms.indices, terms.data),
        squared_lengths(search.rows),
        squared_lengths(search.data),
        search.first,
        search.last,
        search.row_groups,
        search.data_groups,
        indices,
        squared,
        get_num_threads(),
    )


def _fill_by_difference(search: Search, rows: Integers, indices: Integers, squared: Floats) -> None:
    nearest_by_difference(
        search.rows,
        search.data,
        rows,
        search.first,
        search.last,
        search.row_groups,
        search.data_groups,
        indices,
        squared,
    )


def _fill_by_products(search: Search, rows: Integers, indices: Integers, squared: Floats) -> None:
    """Search for rows that all look in the same part of the data."""
    start, stop = search.first[rows[0]], search.last[rows[0]]
    frame = Frame.around(search.data[start:stop])
    data, halves = frame.place(search.data[start:stop]), frame.halves(search.data[start:stop])
    numbers = np.arange(start, stop)
    unsettled = np.zeros(len(rows), dtype=bool)

    def search_block(at: int) -> None:
        block = rows[at : at + BLOCK_ROWS]
        candidates, bounds = scan(
            frame.place(search.rows[block]),
            data,
            halves,
            numbers,
            search.row_groups[block],
            search.data_groups,
            indices.shape[1] + SPARE,
        )
        found = np.full((len(block), indices.shape[1]), -1), np.full((len(block), indices.shape[1]), np.inf)
        order_exactly(search.rows[block], search.data, candidates, *found)
        indices[block], squared[block] = found
        unsettled[at : at + BLOCK_ROWS] = frame.may_miss(search.rows[block], found[1], bounds)

    in_parallel(search_block, range(0, len(rows), BLOCK_ROWS))
    _fill_by_difference(search, rows[unsettled], indices, squared)


def scan(
    rows: AnyArray,
    data: AnyArray,
    halves: AnyArray,
    numbers: Integers,
    row_groups: Integers,
    data_groups: Integers,
    keep: int,
) -> tuple[Integers, AnyArray]:
    """Return the candidates of each row with the smallest ``halves - rows @ data.T``, and these values."""
    candidates = np.full((len(rows), keep), -1, dtype=np.int64)
    bounds = np.full((len(rows), keep), np.inf, dtype=np.float32)
    for at in range(0, len(data), BLOCK_COLUMNS):
        part = slice(at, at + BLOCK_COLUMNS)
        scan_products(
            rows @ data[part].T, halves[part], numbers[part], row_groups, data_groups, candidates, bounds
        )
    return candidates, bounds


@dataclass(frozen=True)
class Frame:
    """The coordinates in which float32 is accurate enough: centred on the data and of their size.

    In these coordinates half the squared distance of x and y is ``|x|^2 / 2 + |y|^2 / 2 - x'y``, and
    float32 errs by at most ``slack (|x|^2 + |y|^2)`` in it.
    """

    centre: Floats
    size: float
    slack: float

    @classmethod
    def around(cls, data: AnyArray) -> "Frame":
        """Choose the coordinates for these data."""
        centre = data.mean(axis=0, dtype=np.float64)
        size = max((data.max(axis=0) - centre).max(), (centre - data.min(axis=0)).max())
        return cls(centre, float(size) or 1.0, 2.0**-24 * (data.shape[1] + 8))

    def place(self, points: AnyArray) -> AnyArray:
        """Return points in these coordinates."""
        return ((points - self.centre) / self.size).astype(np.float32)

    def halves(self, points: AnyArray) -> AnyArray:
        """Return half the squared length of each point, lowered by its share of the error."""
        return ((0.5 - self.slack) * squared_lengths(self.place(points))).astype(np.float32)

    def may_miss(self, points: AnyArray, squared: Floats, bounds: AnyArray) -> Booleans:
        """Tell which rows may have a nearer neighbour among those that were not kept."""
        lowest = 2.0 * bounds[:, -1] + (1.0 - 2.0 * self.slack) * squared_lengths(self.place(points))
        return np.isfinite(bounds[:, -1]) & (squared[:, -1] / self.size**2 > lowest)

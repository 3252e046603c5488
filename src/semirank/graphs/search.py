"""Nearest neighbours of rows: by differences when few, by blocks of inner products when many.

The answer is the same either way: the k rows with the smallest squared distance in float64, equal ones
by row number. Inner products are taken in float32, quickly, with a bound on their error; a row whose
answer the bound does not settle is searched again by differences. Where even that is long, an approximate
search through cells is offered.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csc_array, issparse

from semirank.core.arrays import Floats, Integers
from semirank.core.neighbours import nearest_by_difference, nearest_sparse, order_exactly
from semirank.core.threads import in_parallel
from semirank.graphs.cells import Cells, nearest_centres
from semirank.graphs.frame import Candidates, Frame, keep_smallest, multiply_in_parallel
from semirank.graphs.points import Points, squared_lengths

MANY = 2000
LONG = 1e11
BLOCK_ROWS = 256
LARGE_BLOCK_ROWS = 8192
SPARE = 6
FEW_SPARE = 2
MOST_PROBES = 0.4


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

    def limits(self) -> tuple[Integers, Integers, Integers, Integers]:
        """Return what each row may find, as the compiled loops take it."""
        return self.first, self.last, self.row_groups, self.data_groups

    def work(self, rows: Integers) -> float:
        """Return the multiplications of an exact search for these rows."""
        return float((self.last[rows] - self.first[rows]).sum()) * self.data.shape[1]


def nearest(search: Search, k: int, recall: float = 1.0) -> tuple[Integers, Floats, float]:
    """Return the k nearest of each row and their squared distances; -1 and inf where there are fewer.

    Where a search is long, a share `recall` of the true neighbours is enough. Third comes the share found,
    measured on a sample: 1.0 for exact answers.
    """
    n_rows = search.rows.shape[0]
    indices = np.full((n_rows, k), -1, dtype=np.int64)
    squared = np.full((n_rows, k), np.inf)
    if k == 0:
        return indices, squared, 1.0
    if issparse(search.rows):
        _fill_sparse(search, indices, squared)
        return indices, squared, 1.0
    many = search.last - search.first > MANY
    _fill_by_difference(search, np.flatnonzero(~many), indices, squared)
    found = 1.0
    for start in np.unique(search.first[many]):
        rows = np.flatnonzero(many & (search.first == start))
        if recall < 1.0 and search.work(rows) > LONG:
            found = min(found, _fill_by_cells(search, rows, recall, indices, squared))
        else:
            _fill_by_products(search, rows, indices, squared)
    return indices, squared, found


def _fill_sparse(search: Search, indices: Integers, squared: Floats) -> None:
    terms = csc_array(search.data)
    terms.sort_indices()
    fixed = (
        (search.rows.indptr, search.rows.indices, search.rows.data),
        (terms.indptr, terms.indices, terms.data),
        squared_lengths(search.rows),
        squared_lengths(search.data),
    )
    in_parallel(
        lambda block: nearest_sparse(*fixed, block, *search.limits(), indices, squared),
        _blocks(np.arange(search.rows.shape[0])),
    )


def _fill_by_difference(search: Search, rows: Integers, indices: Integers, squared: Floats) -> None:
    in_parallel(
        lambda block: nearest_by_difference(
            search.rows, search.data, block, *search.limits(), indices, squared
        ),
        _blocks(rows),
    )


def _blocks(rows: Integers) -> list[Integers]:
    return [rows[at : at + BLOCK_ROWS] for at in range(0, len(rows), BLOCK_ROWS)]


def _fill_by_products(search: Search, rows: Integers, indices: Integers, squared: Floats) -> None:
    """Search for rows that all look in the same part of the data."""
    start, stop = search.first[rows[0]], search.last[rows[0]]
    frame = Frame.around(search.data[start:stop])
    points = frame.place(search.data[start:stop])
    candidates = Candidates(points, frame.halves(points), np.arange(start, stop), search.data_groups)
    unsettled = np.zeros(len(rows), dtype=bool)

    def search_block(at: int) -> None:
        block = rows[at : at + BLOCK_ROWS]
        placed = frame.place(search.rows[block])
        kept = keep_smallest(placed, search.row_groups[block], candidates, indices.shape[1] + SPARE)
        _order(search, block, kept.indices, indices, squared)
        unsettled[at : at + BLOCK_ROWS] = frame.may_miss(placed, squared[block], kept.bounds)

    multiply_in_parallel(search_block, range(0, len(rows), BLOCK_ROWS))
    _fill_by_difference(search, rows[unsettled], indices, squared)


def _fill_by_cells(
    search: Search, rows: Integers, recall: float, indices: Integers, squared: Floats
) -> float:
    """Search approximately for rows that all look in the same part; return the share of neighbours found."""
    start, stop = search.first[rows[0]], search.last[rows[0]]
    frame = Frame.around(search.data[start:stop])
    cells = Cells.of(frame.place(search.data[start:stop]), np.arange(start, stop), search.data_groups)
    placed, groups = frame.place(search.rows[rows]), search.row_groups[rows]
    n_probes, found = cells.probes_needed(placed, groups, indices.shape[1], recall)
    if n_probes > MOST_PROBES * len(cells.centres):
        _fill_by_products(search, rows, indices, squared)
        return 1.0
    near = nearest_centres(placed, cells.centres, n_probes)
    by_cell = np.argsort(near[:, 0], kind="stable")

    def search_block(at: int) -> None:
        block = by_cell[at : at + LARGE_BLOCK_ROWS]
        candidates = cells.search(placed[block], groups[block], near[block], indices.shape[1] + FEW_SPARE)
        _order(search, rows[block], candidates, indices, squared)

    multiply_in_parallel(search_block, range(0, len(rows), LARGE_BLOCK_ROWS))
    return found


def _order(search: Search, block: Integers, candidates: Integers, indices: Integers, squared: Floats) -> None:
    """Fill in the nearest of the candidates of some rows, by their exact distances."""
    best = np.full((len(block), indices.shape[1]), -1), np.full((len(block), indices.shape[1]), np.inf)
    order_exactly(search.rows[block], search.data, candidates, *best)
    indices[block], squared[block] = best

"""Approximate neighbours of many points by an inverted file (IVF): only near cells are looked into.

The cells of the partition are those of k-means with sqrt(n) centres. A row looks into its nearest cells, as
many as it takes to find the wanted share of the true neighbours of a sample of rows. Unlike an index that
serves one row after the other, all rows that look into a cell do so at once, by one product of matrices.
"""

from dataclasses import dataclass

import numpy as np

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.neighbours import Allowed
from semirank.graphs.screening import (
    Coordinates,
    Kept,
    Placed,
    keep_smallest,
    multiply_in_parallel,
    order_candidates,
    scan,
    squared_lengths,
)

N_ROUNDS = 5
TRAINING_POINTS = 32
N_SAMPLED = 500
FIRST = 2
BLOCK_ROWS = 8192
SPARE = 2
MOST_PROBES = 0.4


def fill_by_cells(
    points: AnyArray,
    data: AnyArray,
    rows: Integers,
    allowed: Allowed,
    recall: float,
    indices: Integers,
    squared: Floats,
) -> float:
    """Fill in near items of rows that all look in the same part; return the share of neighbours found.

    0: nothing was filled in, because so many cells would have to be visited that an exact search is as quick.
    """
    start, stop = allowed.first[rows[0]], allowed.last[rows[0]]
    coordinates = Coordinates.around(data[start:stop])
    placed_data = coordinates.place(data[start:stop])
    partition = Partition.of(placed_data, np.arange(start, stop), allowed.item_groups)
    placed, groups = coordinates.place(points[rows]), allowed.row_groups[rows]
    n_probes, found = partition.probes_needed(placed, groups, indices.shape[1], recall)
    if n_probes > MOST_PROBES * len(partition.centres):
        return 0.0
    near = nearest_centres(placed, partition.centres, n_probes)
    by_cell = np.argsort(near[:, 0], kind="stable")

    def search_block(at: int) -> None:
        block = by_cell[at : at + BLOCK_ROWS]
        candidates = partition.search(placed[block], groups[block], near[block], indices.shape[1] + SPARE)
        order_candidates(points, data, rows[block], candidates, indices, squared)

    multiply_in_parallel(search_block, range(0, len(rows), BLOCK_ROWS))
    return found


@dataclass(frozen=True)
class Partition:
    """A partition of placed points: cell c holds the points starts[c] to starts[c + 1] of `candidates`."""

    centres: AnyArray
    candidates: Placed
    starts: Integers

    @classmethod
    def of(cls, points: AnyArray, numbers: Integers, groups: Integers) -> "Partition":
        """Divide the points by k-means."""
        centres = _find_centres(points)
        cell = nearest_centres(points, centres, 1)[:, 0]
        order = np.argsort(cell, kind="stable")
        starts = np.searchsorted(cell[order], np.arange(len(centres) + 1))
        halves = (squared_lengths(points[order]) / 2.0).astype(np.float32)
        return cls(centres, Placed(points[order], halves, numbers[order], groups), starts)

    def probes_needed(self, rows: AnyArray, groups: Integers, k: int, recall: float) -> tuple[int, float]:
        """Return how many cells each row must look into, and the share of the neighbours then found.

        Both are measured on the true neighbours of evenly spaced rows.
        """
        sample = np.linspace(0, len(rows) - 1, min(N_SAMPLED, len(rows))).astype(np.int64)
        found = np.empty((len(sample), k), dtype=np.int64)

        def search_block(at: int) -> None:
            part = sample[at : at + 64]
            found[at : at + 64] = keep_smallest(rows[part], groups[part], self.candidates, k).indices

        multiply_in_parallel(search_block, range(0, len(sample), 64))
        ranks = self._ranks(rows[sample], found)
        n_probes = int(np.quantile(ranks, recall, method="higher")) + 1
        return n_probes, float((ranks < n_probes).mean())

    def _ranks(self, rows: AnyArray, found: Integers) -> Integers:
        """Return how many cells are nearer to a row than the cell of each item that it found."""
        cell = np.empty(len(self.candidates.groups), dtype=np.int64)
        cell[self.candidates.numbers] = np.repeat(np.arange(len(self.centres)), np.diff(self.starts))
        values = squared_lengths(self.centres) / 2.0 - rows @ self.centres.T
        where = np.take_along_axis(values, cell[found], axis=1)
        ranks = (values[:, None, :] < where[:, :, None]).sum(axis=2)
        return ranks[found >= 0]

    def search(self, rows: AnyArray, groups: Integers, near: AnyArray, keep: int) -> Integers:
        """Return for each row the nearest items in the cells `near` to it, which come nearest first."""
        kept = Kept.nothing(len(rows), keep)
        # what the first cells hold makes it quick to see that the others hold little that is nearer
        for some in np.split(near, [FIRST], axis=1):
            self._visit(rows, groups, some, kept)
        return kept.indices

    def _visit(self, rows: AnyArray, groups: Integers, near: AnyArray, kept: Kept) -> None:
        by_cell = np.argsort(near, axis=None, kind="stable")
        visits = np.searchsorted(near.ravel()[by_cell], np.arange(len(self.centres) + 1))
        for c in np.flatnonzero(np.diff(visits)):
            visitors = by_cell[visits[c] : visits[c + 1]] // near.shape[1]
            cell = slice(self.starts[c], self.starts[c + 1])
            scan(rows[visitors], visitors, groups, self.candidates, cell, kept)


def nearest_centres(rows: AnyArray, centres: AnyArray, n_nearest: int) -> AnyArray:
    """Return the numbers of the nearest centres of each row, the nearest first."""
    halves = (squared_lengths(centres) / 2.0).astype(np.float32)
    candidates = Placed(centres, halves, np.arange(len(centres)), np.arange(len(centres)))
    near = np.empty((len(rows), n_nearest), dtype=np.int32)

    def search_block(at: int) -> None:
        block = rows[at : at + 256]
        near[at : at + 256] = keep_smallest(block, np.full(len(block), -1), candidates, n_nearest).indices

    multiply_in_parallel(search_block, range(0, len(rows), 256))
    return near


def _find_centres(points: AnyArray) -> AnyArray:
    """Return sqrt(n) centres of k-means, trained on evenly spaced points."""
    n_centres = max(1, int(np.sqrt(len(points))))
    spaced = np.linspace(0, len(points) - 1, min(len(points), TRAINING_POINTS * n_centres)).astype(np.int64)
    return find_centres(points[spaced], n_centres)


def find_centres(training: AnyArray, n_centres: int) -> AnyArray:
    """Return centres of k-means, which start at evenly spaced points."""
    centres = training[:: len(training) // n_centres][:n_centres].copy()
    for _ in range(N_ROUNDS):
        owner = nearest_centres(training, centres, 1)[:, 0]
        sums, counts = np.zeros(centres.shape), np.bincount(owner, minlength=n_centres)
        np.add.at(sums, owner, training)
        filled = counts > 0
        centres[filled] = sums[filled] / counts[filled, None]
    return centres

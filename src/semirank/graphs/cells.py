"""Approximate neighbours of many points: look only into the cells of a partition that are near.

The cells are those of k-means with sqrt(n) centres. A row looks into its nearest cells, as many as it takes
to find the wanted share of the true neighbours of a sample of rows. Unlike an index that serves one row
after the other, all rows that look into a cell do so at once, by one product of matrices.
"""

from dataclasses import dataclass

import numpy as np

from semirank.core.arrays import AnyArray, Integers
from semirank.graphs.frame import Candidates, Kept, keep_smallest, multiply_in_parallel, scan
from semirank.graphs.points import squared_lengths

N_ROUNDS = 5
TRAINING_POINTS = 32
N_SAMPLED = 500
FIRST = 2


@dataclass(frozen=True)
class Cells:
    """A partition of placed points: cell c holds the points starts[c] to starts[c + 1] of `candidates`."""

    centres: AnyArray
    candidates: Candidates
    starts: Integers

    @classmethod
    def of(cls, points: AnyArray, numbers: Integers, groups: Integers) -> "Cells":
        """Divide the points by k-means."""
        centres = _find_centres(points)
        cell = nearest_centres(points, centres, 1)[:, 0]
        order = np.argsort(cell, kind="stable")
        starts = np.searchsorted(cell[order], np.arange(len(centres) + 1))
        halves = (squared_lengths(points[order]) / 2.0).astype(np.float32)
        return cls(centres, Candidates(points[order], halves, numbers[order], groups), starts)

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
    candidates = Candidates(centres, halves, np.arange(len(centres)), np.arange(len(centres)))
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
    training = points[spaced]
    centres = training[:: len(training) // n_centres][:n_centres].copy()
    for _ in range(N_ROUNDS):
        owner = nearest_centres(training, centres, 1)[:, 0]
        sums, counts = np.zeros(centres.shape), np.bincount(owner, minlength=n_centres)
        np.add.at(sums, owner, training)
        filled = counts > 0
        centres[filled] = sums[filled] / counts[filled, None]
    return centres

"""The labelled items that can be compared: those of lists with different labels."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.lists import centre_in_turn, centre_lists

LITTLE = 2**20


@dataclass(frozen=True)
class LabelledPairs:
    """Labelled items, list after list, of the lists that say which of two items is better.

    A list whose labels are all equal orders no two items: it neither teaches nor tells how well others teach.

    Least squares over all pairs of a list, each list weighing the same, is least squares over its items
    after the map R, which subtracts the list's mean and multiplies by ``sqrt(2 / (n - 1))`` for n
    labelled items:

        ``sum_(i<j) ((y_i - y_j) - (f_i - f_j))^2 / binom(n, 2) = |R (y - f)|^2``.

    Attributes
    ----------
    rows : int64 array of shape (n_items,)
        Where the items stand among all items.
    lists : int64 array of shape (n_lists,)
        The number of each list among all lists.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts in `rows`.
    y : float64 array of shape (n_items,)
        Labels relative to the mean label of their list.
    """

    rows: Integers
    lists: Integers
    indptr: Integers
    y: Floats

    @classmethod
    def of(cls, y: Floats, indptr: Integers) -> Self:
        """Find the labelled items of lists with different labels."""
        starts = indptr[:-1]
        return cls._of_lists(y, indptr, np.fmin.reduceat(y, starts) < np.fmax.reduceat(y, starts))

    @classmethod
    def _of_lists(cls, y: Floats, indptr: Integers, teaches: Booleans) -> Self:
        labelled = ~np.isnan(y)
        counts = np.add.reduceat(labelled, indptr[:-1], dtype=np.int64)
        rows = np.flatnonzero(labelled & np.repeat(teaches, np.diff(indptr)))
        starts = np.concatenate([[0], np.cumsum(counts[teaches])])
        means = np.add.reduceat(y[rows], starts[:-1]) / counts[teaches] if len(rows) else np.empty(0)
        differences = y[rows] - np.repeat(means, counts[teaches])
        return cls(rows, np.flatnonzero(teaches), starts, differences)

    @classmethod
    def of_parts(cls, y: Floats, second: Booleans, indptr: Integers) -> Self:
        """Take the marked items of each list as a list of their own, whose labels may yet change.

        All items have a label; the marked ones are compared even where these are equal.
        """
        part = 2 * np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) + second
        order = np.argsort(part, kind="stable")
        sizes = np.bincount(part)
        starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
        y, first = y[order], starts[:-1]
        differ = np.minimum.reduceat(y, first) < np.maximum.reduceat(y, first)
        pairs = cls._of_lists(y, starts, differ | (second[order][first] & (np.diff(starts) > 1)))
        return replace(pairs, rows=order[pairs.rows])

    @property
    def n_items(self) -> int:
        """Number of labelled items that can be compared."""
        return len(self.rows)

    @property
    def n_lists(self) -> int:
        """Number of lists that can be left out."""
        return len(self.lists)

    @cached_property
    def scales(self) -> Floats:
        """The factor ``sqrt(2 / (n - 1))`` of each list."""
        return np.sqrt(2.0 / (np.diff(self.indptr) - 1.0))

    @cached_property
    def target(self) -> Floats:
        """The labels after the map R."""
        return self.centre(self.y)

    def items(self, k: int) -> slice:
        """Return the place of list k."""
        return slice(int(self.indptr[k]), int(self.indptr[k + 1]))

    def centre(self, values: AnyArray, lists: slice = slice(None)) -> Floats:
        """Apply R to one value (or row) per item; of all items, or of the given lists only."""
        table = np.ascontiguousarray(values).reshape(len(values), -1)
        out = np.empty(table.shape)
        loop = centre_lists if table.size > LITTLE else centre_in_turn
        loop(table, *self._parts(lists), out)
        return out.reshape(values.shape)

    def centre_into(self, out: Floats, rows: AnyArray, lists: slice) -> None:
        """Apply R to one row per item of some lists, into the first columns of `out`, in this thread."""
        centre_in_turn(np.ascontiguousarray(rows), *self._parts(lists), out)

    def _parts(self, lists: slice) -> tuple[Integers, Floats]:
        scales = self.scales[lists]
        indptr = self.indptr[lists.start or 0 :][: len(scales) + 1]
        return indptr - indptr[0], scales

    def blocks(self, n_rows: int) -> Iterator[tuple[slice, slice]]:
        """Cut the lists into blocks of about so many items; yield (lists, items)."""
        start = 0
        while start < self.n_lists:
            stop = int(np.searchsorted(self.indptr, self.indptr[start] + n_rows, side="right")) - 1
            stop = max(stop, start + 1)
            yield slice(start, stop), slice(int(self.indptr[start]), int(self.indptr[stop]))
            start = stop

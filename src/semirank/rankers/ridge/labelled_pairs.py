"""The labelled items that can be compared: those of lists with different labels."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from scipy.sparse import csr_array, diags_array, issparse

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.lists import centre_in_turn, centre_lists
from semirank.core.threads import in_parallel, one_blas_thread
from semirank.dataset import Features
from semirank.kernels import squared_lengths
from semirank.rankers.ridge.pairs import Pairs

LITTLE = 2**20
PRODUCT_CELLS = 2**19


@dataclass(frozen=True)
class LabelledPairs(Pairs):
    """Labelled items, list after list, of the lists that say which of two items is better.

    A list whose labels are all equal orders no two items: it neither teaches nor tells how well others teach.

    Least squares over all pairs of a list, each list weighing the same, is least squares over its items
    after the map R, which subtracts the list's mean and multiplies by ``sqrt(2 / (n - 1))`` for n
    labelled items:

        ``sum_(i<j) ((y_i - y_j) - (f_i - f_j))^2 / binom(n, 2) = |R (y - f)|^2``.
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

    @cached_property
    def scales(self) -> Floats:
        """The factor ``sqrt(2 / (n - 1))`` of each list."""
        return np.sqrt(2.0 / (np.diff(self.indptr) - 1.0))

    @cached_property
    def target(self) -> Floats:
        """The labels after the map R."""
        return self.centre(self.y)

    def counts(self) -> Floats:
        """Return 1 for each item."""
        return np.ones(self.n_items)

    def laplacian(self, values: Floats) -> Floats:
        """Return L times one value (or row) per item, L = R R."""
        return self.centre(self.centre(values))

    def squared_error(self, k: int, residuals: Floats) -> Floats:
        """Return ``|R e|^2`` of list k, given e up to a constant."""
        centred = residuals - residuals.mean(axis=1, keepdims=True)
        return self.scales[k] ** 2 * (centred**2).sum(axis=1)

    def spread(self, features: Features) -> float:
        """Return the mean over lists of twice the variance of their items."""
        sizes = np.diff(self.indptr)
        squares = np.add.reduceat(squared_lengths(features), self.indptr[:-1])
        means = [features[self.items(k)].mean(axis=0) for k in range(self.n_lists)]
        variances = (squares - sizes * np.array([mean @ mean for mean in means])) / (sizes - 1)
        return float(2.0 * variances.mean())

    def normal_equations(self, features: Features) -> tuple[Floats, Floats]:
        """Return Z'Z and Z't with Z = R X and t = R y, without a copy of all of X."""
        if issparse(features):
            return self._sparse_gram(features), features.T @ self.centre(self.target)
        n_features, target = features.shape[1], self.target

        def product(block: tuple[slice, slice]) -> Floats:
            lists, items = block
            table = np.empty((items.stop - items.start, n_features + 1))
            centre_in_turn(np.ascontiguousarray(features[items]), *self._parts(lists), table)
            table[:, -1] = target[items]
            return table.T @ table

        blocks = self._blocks(max(PRODUCT_CELLS // n_features, 2 * n_features))
        # one thread of BLAS for each block and the sum in order: the same bits for any number of threads
        with one_blas_thread():
            products = sum(in_parallel(product, blocks), start=np.zeros((n_features + 1, n_features + 1)))
        return products[:-1, :-1], products[:-1, -1]

    def _sparse_gram(self, features: csr_array) -> Floats:
        """Return Z'Z as the difference of two sparse products: of the items, and of the lists' sums."""
        sizes = np.diff(self.indptr)
        scaled = diags_array(np.repeat(self.scales, sizes)) @ features
        each = np.repeat(1.0 / np.sqrt(sizes), sizes)
        sums = csr_array((each, np.arange(self.n_items), self.indptr)) @ scaled
        return (scaled.T @ scaled - sums.T @ sums).toarray()

    def centre(self, values: AnyArray, lists: slice = slice(None)) -> Floats:
        """Apply R to one value (or row) per item; of all items, or of the given lists only."""
        table = np.ascontiguousarray(values).reshape(len(values), -1)
        out = np.empty(table.shape)
        loop = centre_lists if table.size > LITTLE else centre_in_turn
        loop(table, *self._parts(lists), out)
        return out.reshape(values.shape)

    def _parts(self, lists: slice) -> tuple[Integers, Floats]:
        scales = self.scales[lists]
        indptr = self.indptr[lists.start or 0 :][: len(scales) + 1]
        return indptr - indptr[0], scales

    def _blocks(self, n_rows: int) -> Iterator[tuple[slice, slice]]:
        """Cut the lists into blocks of about so many items; yield (lists, items)."""
        start = 0
        while start < self.n_lists:
            stop = int(np.searchsorted(self.indptr, self.indptr[start] + n_rows, side="right")) - 1
            stop = max(stop, start + 1)
            yield slice(start, stop), slice(int(self.indptr[start]), int(self.indptr[stop]))
            start = stop

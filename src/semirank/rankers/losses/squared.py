"""The squared loss of label differences: pairs of labelled items as a Laplacian."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.linalg import block_diag
from scipy.sparse import csr_array, diags_array, issparse

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.lists import centre_in_turn, centre_lists, centre_within_rows
from semirank.core.threads import in_parallel, one_blas_thread
from semirank.dataset import Features, RankingDataset
from semirank.kernels import squared_lengths
from semirank.rankers.pairs import GivenPairs

PRODUCT_CELLS = 2**19


@dataclass(frozen=True)
class SquaredLoss(ABC):
    """The loss ``sum w_ij ((y_i - y_j) - (f_i - f_j))^2`` of scores f over pairs of labelled items.

    It is ``e' L e`` with e = y - f and the Laplacian L of the graph that has the pairs as edges.

    Attributes
    ----------
    rows : int64 array of shape (n_items,)
        Where the items stand among all items, list after list.
    lists : int64 array of shape (n_lists,)
        The number of each list among all lists.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts in `rows`.
    y : float64 array of shape (n_items,)
        Labels relative to the mean label of their list, in which an item counts as often as it weighs.
    weights : float64 array of shape (n_items,)
        How many times each item counts.
    """

    rows: Integers
    lists: Integers
    indptr: Integers
    y: Floats
    weights: Floats

    @property
    def n_items(self) -> int:
        """Number of labelled items that can be compared."""
        return len(self.rows)

    @property
    def n_lists(self) -> int:
        """Number of lists that can be left out."""
        return len(self.lists)

    @property
    def first_rows(self) -> Integers:
        """Where the first item of each list stands among all items."""
        return self.rows[self.indptr[:-1]]

    def items(self, k: int) -> slice:
        """Return the place of list k."""
        return slice(int(self.indptr[k]), int(self.indptr[k + 1]))

    def items_of(self, lists: Integers) -> Integers:
        """Return the places of several lists, one list after the other."""
        return np.concatenate([np.arange(*self.indptr[k : k + 2]) for k in lists])

    @abstractmethod
    def laplacian(self, values: Any) -> Any:
        """Return L times one value (or row) per item."""

    @abstractmethod
    def normal_equations(self, features: Features) -> tuple[Floats, Floats]:
        """Return X'LX and X'Ly."""

    @abstractmethod
    def spread(self, features: Features) -> float:
        """Return the trace of X'LX for one list."""

    @abstractmethod
    def squared_error(self, k: int, residuals: Floats) -> Floats:
        """Return e'Le of list k, given e up to a constant; one row of residuals a ridge."""


@dataclass(frozen=True)
class ListSquared(SquaredLoss):
    """The loss over all pairs of a list, each list weighing the same.

    A list whose labels are all equal orders no two items: it neither teaches nor tells how well others teach,
    unless `tied_lists` asks for it.

    With the weights u of the n items of a list, and s their sum, the weight of a pair is ``u_i u_j`` divided
    by ``s (s - 1) / 2``, so that a weight of 2 counts as an item that is given twice. Least squares over
    pairs is then least squares over items after the map R, which subtracts the list's mean (weighted by u)
    and multiplies by ``sqrt(2 u_i / (s - 1))``:

        ``sum_(i<j) ((y_i - y_j) - (f_i - f_j))^2 / binom(n, 2) = |R (y - f)|^2``    (all u = 1),

    and L = R'R.
    """

    @classmethod
    def of(cls, data: RankingDataset, weights: Floats | None = None, tied_lists: bool = False) -> Self:
        """Find the labelled items of lists with different labels; an item that weighs 0 has no label.

        tied_lists : whether to take lists whose labels, two or more, are equal as well.
        """
        y = data.y if weights is None else np.where(weights > 0, data.y, np.nan)
        starts = data.indptr[:-1]
        if tied_lists:
            teaches = np.add.reduceat(~np.isnan(y), starts, dtype=np.int64) > 1
        else:
            teaches = np.fmin.reduceat(y, starts) < np.fmax.reduceat(y, starts)
        found = cls._of_lists(y, data.indptr, teaches, np.ones(len(y)) if weights is None else weights)
        if (found.totals <= 1.0).any():
            first = int(np.argmax(found.totals <= 1.0))
            raise ValueError(
                "sample_weight says how many times an item counts, and a list must count more than one; in "
                f"list {data.list_ids[found.lists[first]]!r} the weights sum to {found.totals[first]:g}. "
                "Multiply all weights by a number."
            )
        return found

    @classmethod
    def of_parts(cls, y: Floats, second: Booleans, indptr: Integers, tied_lists: bool = False) -> Self:
        """Take the marked items of each list as a list of their own, whose labels may yet change.

        All items have a label; the marked ones are compared even where these are equal, the others if
        `tied_lists` says so.
        """
        part = 2 * np.repeat(np.arange(len(indptr) - 1), np.diff(indptr)) + second
        order = np.argsort(part, kind="stable")
        sizes = np.bincount(part)
        starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
        y, first = y[order], starts[:-1]
        differ = np.minimum.reduceat(y, first) < np.maximum.reduceat(y, first)
        teaches = differ | ((second[order][first] | tied_lists) & (np.diff(starts) > 1))
        loss = cls._of_lists(y, starts, teaches, np.ones(len(y)))
        return replace(loss, rows=order[loss.rows])

    @classmethod
    def _of_lists(cls, y: Floats, indptr: Integers, teaches: Booleans, weights: Floats) -> Self:
        labelled = ~np.isnan(y)
        counts = np.add.reduceat(labelled, indptr[:-1], dtype=np.int64)
        rows = np.flatnonzero(labelled & np.repeat(teaches, np.diff(indptr)))
        starts = np.concatenate([[0], np.cumsum(counts[teaches])])
        u = weights[rows]
        return cls(rows, np.flatnonzero(teaches), starts, relative_to_mean(y[rows], u, starts), u)

    @cached_property
    def totals(self) -> Floats:
        """The sum of the weights of each list."""
        return sum_lists(self.weights, self.indptr)

    @cached_property
    def scales(self) -> Floats:
        """The factor ``sqrt(2 / (s - 1))`` of each list."""
        return np.sqrt(2.0 / (self.totals - 1.0))

    @cached_property
    def roots(self) -> Floats:
        """The square root of the weight of each item."""
        return np.sqrt(self.weights)

    @cached_property
    def factors(self) -> Floats:
        """What R multiplies each item by."""
        return self.roots * np.repeat(self.scales, np.diff(self.indptr))

    @cached_property
    def is_plain(self) -> bool:
        """Whether every item counts once."""
        return bool((self.weights == 1.0).all())

    @cached_property
    def target(self) -> Floats:
        """The labels after the map R."""
        return self.centre(self.y)

    def centre(self, values: AnyArray, lists: slice = slice(None)) -> Floats:
        """Apply R to one value (or row) per item; of all items, or of the given lists only."""
        table = np.ascontiguousarray(values).reshape(len(values), -1)
        out = np.empty(table.shape)
        self._centre_into(table, lists, out)
        return out.reshape(values.shape)

    def centre_transposed(self, values: Floats) -> Floats:
        """Apply R' to one value (or row) per item."""
        if self.is_plain:
            return self.centre(values)
        roots = self.roots.reshape(-1, *[1] * (values.ndim - 1))
        return roots * self.centre(values / roots)

    def centre_kernel(self, kernel: Floats) -> Floats:
        """Return ``R K R'``; K is overwritten."""
        if not self.is_plain:
            return self.centre(self.centre(kernel).T)
        centre_lists(kernel, self.indptr, self.scales, kernel)
        centre_within_rows(kernel, self.indptr, self.scales)
        return kernel

    def project(self, values: Floats, lists: slice = slice(None)) -> Floats:
        """Take out of one row per item what R' does not see: the direction of the roots in each list."""
        indptr, _, items = self._parts(lists)
        if self.is_plain:
            return values - np.repeat(_mean(values, indptr), np.diff(indptr), axis=0)
        roots = self.roots[items, None]
        means = np.add.reduceat(roots * values, indptr[:-1]) / self.totals[lists, None]
        return values - roots * np.repeat(means, np.diff(indptr), axis=0)

    def onto_roots(self, lists: Integers) -> Floats:
        """Return the matrix that projects the items of some lists onto what R' does not see."""
        directions = [self.roots[self.items(k)] / np.sqrt(self.totals[k]) for k in lists]
        return np.asarray(block_diag(*[np.outer(each, each) for each in directions]))

    def laplacian(self, values: Floats) -> Floats:
        """Return L times one value (or row) per item: relative to the mean, times the squared factors."""
        return self.factors.reshape(-1, *[1] * (values.ndim - 1)) * self.centre(values)

    def squared_error(self, k: int, residuals: Floats) -> Floats:
        """Return ``|R e|^2`` of list k, given e up to a constant."""
        u = self.weights[self.items(k)]
        centred = residuals - np.average(residuals, axis=1, weights=u)[:, None]
        return self.scales[k] ** 2 * (centred**2) @ u

    def spread(self, features: Features) -> float:
        """Return the mean over lists of twice the variance of their items."""
        squares = sum_lists(self.weights * squared_lengths(features), self.indptr)
        places = (self.weights, np.arange(self.n_items), self.indptr)
        sums = csr_array(places, shape=(self.n_lists, self.n_items)) @ features
        variances = (squares - squared_lengths(sums) / self.totals) / (self.totals - 1.0)
        return float(2.0 * variances.mean())

    def normal_equations(self, features: Features) -> tuple[Floats, Floats]:
        """Return Z'Z and Z't with Z = R X and t = R y, without a copy of all of X."""
        if issparse(features):
            return self._sparse_gram(features), features.T @ self.centre_transposed(self.target)
        n_features, target = features.shape[1], self.target

        def product(block: tuple[slice, slice]) -> Floats:
            lists, items = block
            table = np.empty((items.stop - items.start, n_features + 1))
            self._centre_into(np.ascontiguousarray(features[items]), lists, table, in_turn=True)
            table[:, -1] = target[items]
            return table.T @ table

        blocks = self._blocks(max(PRODUCT_CELLS // n_features, 2 * n_features))
        # one thread of BLAS for each block and the sum in order: the same bits for any number of threads
        with one_blas_thread():
            products = sum(in_parallel(product, blocks), start=np.zeros((n_features + 1, n_features + 1)))
        return products[:-1, :-1], products[:-1, -1]

    def _sparse_gram(self, features: csr_array) -> Floats:
        """Return Z'Z as the difference of two sparse products: of the items, and of the lists' sums."""
        scaled = diags_array(self.factors) @ features
        each = self.roots / np.repeat(np.sqrt(self.totals), np.diff(self.indptr))
        sums = csr_array((each, np.arange(self.n_items), self.indptr)) @ scaled
        return (scaled.T @ scaled - sums.T @ sums).toarray()

    def _centre_into(self, table: AnyArray, lists: slice, out: Floats, in_turn: bool = False) -> None:
        """Fill the first columns of `out` with R times the rows of a table."""
        indptr, scales, items = self._parts(lists)
        loop = centre_in_turn if in_turn else centre_lists
        if self.is_plain:
            loop(table, indptr, scales, out)
            return
        loop(table, indptr, np.ones(len(scales)), out)  # first by the plain mean: large offsets hurt
        part = out[:, : table.shape[1]]
        weighted = np.add.reduceat(self.weights[items, None] * part, indptr[:-1])
        part -= np.repeat(weighted / self.totals[lists, None], np.diff(indptr), axis=0)
        part *= self.factors[items, None]

    def _parts(self, lists: slice) -> tuple[Integers, Floats, slice]:
        """Return where the given lists start among their own items, their scales, and these items."""
        scales = self.scales[lists]
        indptr = self.indptr[lists.start or 0 :][: len(scales) + 1]
        return indptr - indptr[0], scales, slice(int(indptr[0]), int(indptr[-1]))

    def _blocks(self, n_rows: int) -> Iterator[tuple[slice, slice]]:
        """Cut the lists into blocks of about so many items; yield (lists, items)."""
        start = 0
        while start < self.n_lists:
            stop = int(np.searchsorted(self.indptr, self.indptr[start] + n_rows, side="right")) - 1
            stop = max(stop, start + 1)
            yield slice(start, stop), slice(int(self.indptr[start]), int(self.indptr[stop]))
            start = stop


@dataclass(frozen=True)
class GivenSquared(SquaredLoss):
    """The loss over pairs that are given one by one; L is a sparse matrix."""

    matrix: csr_array

    @classmethod
    def of(cls, pairs: GivenPairs, data: RankingDataset) -> Self:
        """Take pairs of rows of `data`."""
        rows, n_items = pairs.items, len(pairs.items)
        joined = csr_array((np.exp(pairs.log_weights), (pairs.better, pairs.worse)), shape=(n_items, n_items))
        joined += joined.T
        lists, counts = np.unique(data.list_of_item[rows], return_counts=True)
        indptr, once = np.concatenate([[0], np.cumsum(counts)]), np.ones(n_items)
        laplacian = csr_array(diags_array(joined.sum(axis=1)) - joined)
        return cls(rows, lists, indptr, relative_to_mean(data.y[rows], once, indptr), once, laplacian)

    def laplacian(self, values: Any) -> Any:
        """Return L times one value (or row) per item."""
        return self.matrix @ values

    def normal_equations(self, features: Features) -> tuple[Floats, Floats]:
        """Return X'LX and X'Ly: as much work as L has entries, for each feature, and one product X'X."""
        if not issparse(features):  # the mean of a list changes nothing but rounding errors
            means = _mean(features.astype(np.float64, copy=False), self.indptr)
            features = features - np.repeat(means, np.diff(self.indptr), axis=0)
        gram = features.T @ (self.matrix @ features)
        return gram.toarray() if issparse(gram) else gram, features.T @ self.laplacian(self.y)

    def spread(self, features: Features) -> float:
        """Return the trace of X'LX for one list."""
        return float((features * (self.matrix @ features)).sum()) / self.n_lists

    def squared_error(self, k: int, residuals: Floats) -> Floats:
        """Return e'Le of list k."""
        return np.einsum("ri,ir->r", residuals, self.part(np.array([k])) @ residuals.T)

    def part(self, lists: Integers) -> csr_array:
        """Return L of some lists alone."""
        items = self.items_of(lists)
        return self.matrix[items][:, items]


def sum_lists(values: Floats, indptr: Integers) -> Floats:
    """Return the sum of each list."""
    return np.add.reduceat(values, indptr[:-1]) if len(values) else np.empty(0)


def relative_to_mean(y: Floats, weights: Floats, indptr: Integers) -> Floats:
    """Return values relative to the weighted mean of their list."""
    means = sum_lists(weights * y, indptr) / sum_lists(weights, indptr)
    return y - np.repeat(means, np.diff(indptr))


def _mean(values: Floats, indptr: Integers) -> Floats:
    return np.add.reduceat(values, indptr[:-1]) / np.diff(indptr)[:, None]

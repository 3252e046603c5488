"""Pairwise ridge with a matrix: one Cholesky factor for a ridge, one eigenbasis for many."""

from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numba import get_num_threads
from numpy.linalg import LinAlgError
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse import csr_array, diags_array, issparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from semirank.core.arrays import Floats
from semirank.core.lists import centre_lists, centre_within_rows
from semirank.dataset import Features
from semirank.rankers.ridge.labelled_pairs import LabelledPairs
from semirank.rankers.ridge.pairwise import HeldOut, PairwiseRidge

INDEFINITE = 1e-8
BLOCK_CELLS = 2**24
PRODUCT_CELLS = 2**19


class DirectRidge(PairwiseRidge):
    """A form with a symmetric matrix, in whose eigenbasis every ridge is a division.

    With B the labelled items in the eigenbasis (`rows`) and D = 1 / (spectrum + ridge), the residuals
    ``t - R f`` are a multiple of ``B D B' t`` (dual) or equal to ``t - B D B' t`` (primal).
    """

    keeps_target: ClassVar[bool]

    def __init__(self, pairs: LabelledPairs, matrix: Floats, right_side: Floats) -> None:
        self.pairs = pairs
        self.matrix = matrix
        self.right_side = right_side
        self._factor: tuple[float, Any] | None = None

    def spread(self) -> float:
        """Return the trace of the matrix, which is that of R K R, for one list."""
        return float(np.trace(self.matrix)) / self.pairs.n_lists

    def _solve(self, ridge: float, right_side: Floats) -> Floats:
        if self._factor is None or self._factor[0] != ridge:
            self._factor = ridge, _cholesky(self.matrix, ridge)
        return cho_solve(self._factor[1], right_side, check_finite=False)

    @property
    def spectrum(self) -> Floats:
        """Eigenvalues of the matrix."""
        return self._eigen[0]

    @property
    def vectors(self) -> Floats:
        """Eigenvectors of the matrix, one a column."""
        return self._eigen[1]

    @cached_property
    def _eigen(self) -> tuple[Floats, Floats]:
        values, vectors = eigh(self.matrix, driver="evd", check_finite=False)
        if values[0] < -INDEFINITE * values[-1]:
            raise ValueError(
                f"The kernel is not positive semidefinite: centred, its eigenvalues go from {values[0]:g} "
                f"to {values[-1]:g}. Use a Mercer kernel."
            )
        return np.maximum(values, 0.0), vectors

    @cached_property
    def projection(self) -> Floats:
        """The right side in the eigenbasis."""
        return self.vectors.T @ self.right_side

    def coordinates(self, ridges: Floats) -> Floats:
        """Return the solution for each ridge in the eigenbasis."""
        return self.projection / (self.spectrum + ridges[:, None])

    def without_list(self, k: int, ridges: Floats) -> HeldOut:
        """Leave the labels of list k out; the eigenbasis stays that of all."""
        rows, target = self._rows(k), self.pairs.target[self.pairs.items(k)]
        residuals = np.empty((len(ridges), len(rows)))
        step = max(1, BLOCK_CELLS // rows.size)
        for start in range(0, len(ridges), step):
            some = slice(start, start + step)
            residuals[some] = self._residuals(rows, target, ridges[some])
        left = self.projection - residuals @ rows
        return HeldOut(residuals, left / (self.spectrum + ridges[:, None]))

    @abstractmethod
    def rows(self) -> Floats:
        """Return all labelled items in the eigenbasis."""

    @abstractmethod
    def _rows(self, k: int) -> Floats:
        """Return the items of list k in the eigenbasis."""

    @abstractmethod
    def _residuals(self, rows: Floats, target: Floats, ridges: Floats) -> Floats:
        """Return the residuals of a list left out, from its rows and its part of t."""


class Dual(DirectRidge):
    """One column for each labelled item, its kernel: ``weights = R (R K R + ridge I)^-1 t``.

    Left out, a list U has the residuals ``(G_UU)^-1 (G t)_U`` with ``G = (R K R + ridge I)^-1``: symmetric,
    and accurate for small ridges, which the inverse of ``L K + ridge I`` (L = R R) is not.
    """

    keeps_target = False

    def __init__(self, kernel: Floats, pairs: LabelledPairs) -> None:
        """Take the kernel matrix of the items of `pairs`, which is overwritten."""
        centre_lists(kernel, pairs.indptr, pairs.scales, kernel)
        centre_within_rows(kernel, pairs.indptr, pairs.scales)
        super().__init__(pairs, kernel, pairs.target)

    def weights(self, ridge: float) -> Floats:
        """Return the weight of each labelled item."""
        return self.pairs.centre(self._solve(ridge, self.right_side))

    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return ``R (R K R + ridge I)^-1 R k`` for the kernel k of an item with the labelled ones."""
        return self.pairs.centre(self._solve(ridge, self.pairs.centre(columns)))

    def weights_at(self, coordinates: Floats) -> Floats:
        """Turn coordinates into weights of labelled items."""
        return self.pairs.centre(self.vectors @ coordinates.T)

    def rows(self) -> Floats:
        """Return the eigenvectors, centred within lists."""
        return (
            self.pairs.centre(self.vectors)
            / np.repeat(self.pairs.scales, np.diff(self.pairs.indptr))[:, None]
        )

    def _rows(self, k: int) -> Floats:
        rows = self.vectors[self.pairs.items(k)]
        return rows - rows.mean(axis=0)

    def _residuals(self, rows: Floats, target: Floats, ridges: Floats) -> Floats:
        shrunk = rows / (self.spectrum + ridges[:, None])[:, None, :]
        blocks = shrunk @ rows.T
        # residuals sum to 0, so G_UU may do anything to a constant, if only it is no singular matrix
        blocks += np.trace(blocks, axis1=1, axis2=2)[:, None, None] / len(rows)
        return _solve_each(blocks, shrunk @ self.projection)

    def without_item(self, ridges: Floats) -> Floats:
        """Return ``A_i / (R G R)_ii``, with A the weights."""
        rows = self.pairs.centre(self.vectors)
        shrink = 1.0 / (self.spectrum + ridges[:, None])
        return ((shrink * self.projection) @ rows.T) / (shrink @ (rows**2).T)


class Primal(DirectRidge):
    """One column for each feature: ``weights = (Z'Z + ridge I)^-1 Z't`` with Z = R X.

    Left out, a list U with rows Z_U has the residuals ``(I - H)^-1 (t_U - Z_U w)`` with
    ``H = Z_U (Z'Z + ridge I)^-1 Z_U'``; a list longer than there are features is taken out of Z'Z instead.
    """

    keeps_target = True

    def __init__(self, features: Features, pairs: LabelledPairs) -> None:
        self.features = features
        super().__init__(pairs, *_normal_equations(features, pairs))

    def weights(self, ridge: float) -> Floats:
        """Return the weight of each feature."""
        return self._solve(ridge, self.right_side)

    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return ``R Z (Z'Z + ridge I)^-1 x`` for the features x of an item."""
        return self.pairs.centre(self.pairs.centre(self.features @ self._solve(ridge, columns)))

    def weights_at(self, coordinates: Floats) -> Floats:
        """Turn coordinates into weights of features."""
        return self.vectors @ coordinates.T

    def rows(self) -> Floats:
        """Return Z in the eigenbasis."""
        return self.pairs.centre(self.features @ self.vectors)

    def _rows(self, k: int) -> Floats:
        return self.pairs.centre(self.features[self.pairs.items(k)] @ self.vectors, slice(k, k + 1))

    def _residuals(self, rows: Floats, target: Floats, ridges: Floats) -> Floats:
        if len(rows) >= rows.shape[1]:
            values, vectors = eigh(np.diag(self.spectrum) - rows.T @ rows, check_finite=False)
            left = vectors.T @ (self.projection - rows.T @ target)
            return target - (left / (np.maximum(values, 0.0) + ridges[:, None])) @ (rows @ vectors).T
        shrunk = rows / (self.spectrum + ridges[:, None])[:, None, :]
        return _solve_each(np.eye(len(rows)) - shrunk @ rows.T, target - shrunk @ self.projection)

    def without_item(self, ridges: Floats) -> Floats:
        """Return the residuals divided by what the item does not explain of itself."""
        rows = self.rows()
        shrink = 1.0 / (self.spectrum + ridges[:, None])
        residuals = self.pairs.target - (shrink * self.projection) @ rows.T
        own = 1.0 - 1.0 / len(rows) - shrink @ (rows**2).T
        return residuals / (self.pairs.scales[0] * own)


def _normal_equations(features: Features, pairs: LabelledPairs) -> tuple[Floats, Floats]:
    """Return Z'Z and Z't with Z = R X, without a copy of all of X."""
    if issparse(features):
        return _sparse_gram(features, pairs), features.T @ pairs.centre(pairs.target)
    n_features, target = features.shape[1], pairs.target

    def product(block: tuple[slice, slice]) -> Floats:
        lists, items = block
        table = np.empty((items.stop - items.start, n_features + 1))
        pairs.centre_into(table, features[items], lists)
        table[:, -1] = target[items]
        return table.T @ table

    blocks = pairs.blocks(max(PRODUCT_CELLS // n_features, 2 * n_features))
    # one thread of BLAS for each block and the sum in order: the same bits for any number of threads
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(get_num_threads()) as pool:
        products = sum(pool.map(product, blocks), start=np.zeros((n_features + 1, n_features + 1)))
    return products[:-1, :-1], products[:-1, -1]


def _sparse_gram(features: csr_array, pairs: LabelledPairs) -> Floats:
    """Return Z'Z as the difference of two sparse products: of the items, and of the lists' sums."""
    sizes = np.diff(pairs.indptr)
    scaled = diags_array(np.repeat(pairs.scales, sizes)) @ features
    each = np.repeat(1.0 / np.sqrt(sizes), sizes)
    sums = csr_array((each, np.arange(pairs.n_items), pairs.indptr)) @ scaled
    return (scaled.T @ scaled - sums.T @ sums).toarray()


def _cholesky(matrix: Floats, ridge: float) -> Any:
    shifted = matrix.copy(order="F")
    shifted.reshape(-1, order="F")[:: len(matrix) + 1] += ridge
    try:
        return cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise ValueError(
            f"The kernel is not positive semidefinite, or ridge {ridge:g} is too small for its rounding "
            f"errors (the largest entry, centred, is {np.abs(matrix).max():g})."
        ) from None


def _solve_each(matrices: Floats, right_sides: Floats) -> Floats:
    """Solve one small system a ridge."""
    try:
        return np.asarray(np.linalg.solve(matrices, right_sides[:, :, None])[:, :, 0], dtype=np.float64)
    except LinAlgError:
        raise ValueError("A ridge is too small to leave a list out: rounding errors decide.") from None

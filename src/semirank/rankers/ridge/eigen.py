"""Pairwise ridge with a matrix: one Cholesky factor for a ridge, one eigenbasis for many."""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import cho_factor, cho_solve, eigh

from semirank.core.arrays import Floats
from semirank.rankers.ridge.pairs import Pairs
from semirank.rankers.ridge.pairwise import PairwiseRidge

INDEFINITE = 1e-8


class EigenRidge(PairwiseRidge):
    """A form with a symmetric matrix, in whose eigenbasis every ridge is a division."""

    def __init__(self, pairs: Pairs, matrix: Floats, right_side: Floats) -> None:
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

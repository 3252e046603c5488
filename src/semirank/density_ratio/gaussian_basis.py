"""A Gaussian basis: functions around a few centres, evaluated at many rows and for several widths."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches
from sklearn.utils.extmath import safe_sparse_dot

from semirank.core.arrays import AnyArray, Floats
from semirank.core.threads import in_parallel
from semirank.dataset import Features
from semirank.kernels import squared_lengths

BLOCK_CELLS = 2**17  # a megabyte, which stays in the cache


class Distances(NamedTuple):
    """Squared distances of rows to centres, and for an even basis how much farther the mirrored centre is."""

    near: Floats
    gap: Floats | None

    def values(self, width: float) -> Floats:
        """Return the value of each basis function at each row."""
        scale = -0.5 / width**2
        values = np.exp(self.near * scale)
        if self.gap is not None:
            values *= 1.0 + np.exp(self.gap * scale)
        return values

    def log_values(self, width: float) -> Floats:
        """Return the logarithms of the values, which do not vanish."""
        scale = -0.5 / width**2
        logs = self.near * scale
        if self.gap is not None:
            logs += np.log1p(np.exp(self.gap * scale))
        return logs


@dataclass(frozen=True)
class GaussianBasis:
    """Functions ``exp(-|x - c|^2 / (2 width^2))`` of centres c; even ones have a second term, of -c.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.density_ratio.gaussian_basis import GaussianBasis
    >>> GaussianBasis(np.array([[1.0]]), even=True).distances(np.array([[1.0], [-1.0]])).near
    array([[0.],
           [0.]])
    """

    centres: Features
    even: bool = False

    def distances(self, X: Features) -> Distances:
        """Return the distances of rows to all centres."""
        centres = self.centres
        if not self.even and not issparse(X) and not issparse(centres):
            origin = centres.mean(axis=0)  # data far from the origin keep their precision
            X, centres = X - origin, centres - origin
        near = np.asarray(safe_sparse_dot(X, -2.0 * centres.T, dense_output=True), dtype=np.float64)
        gap = None
        if self.even:
            gap = 2.0 * np.abs(near, out=near)
            near *= -1.0
        near += squared_lengths(X)[:, None]
        near += squared_lengths(centres)
        return Distances(np.maximum(near, 0.0, out=near), gap)

    def sums(self, X: Features, widths: Sequence[float], weights: Floats) -> Floats:
        """Return the weighted sum of each function over all rows, one row for each width."""

        def sums_of(rows: slice) -> list[Floats]:
            distances = self.distances(X[rows])
            return [weights[rows] @ distances.values(width) for width in widths]

        return np.sum(in_parallel(sums_of, self._blocks(X)), axis=0)

    def mixture(self, X: Features, width: float, coefficients: Floats) -> Floats:
        """Return ``sum_b coefficients[b] psi_b(x)`` for each row x."""

        def mixture_of(rows: slice) -> Floats:
            return self.distances(X[rows]).values(width) @ coefficients

        return np.concatenate(in_parallel(mixture_of, self._blocks(X)))

    def take(self, which: AnyArray) -> "GaussianBasis":
        """Return the functions of some of the centres."""
        return GaussianBasis(self.centres[which], self.even)

    def _blocks(self, X: Features) -> Iterator[slice]:
        return gen_batches(X.shape[0], max(1, BLOCK_CELLS // self.centres.shape[0]))

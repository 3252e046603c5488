"""Mercer kernels: inner products in a space that is never visited.

A kernel is a small value: a name and its coefficients. `resolve` makes one from the parameters of an
estimator and the data; `Kernel.block` evaluates it, on dense arrays or CSR matrices, a block at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial.distance import pdist
from sklearn.metrics.pairwise import (
    cosine_similarity,
    euclidean_distances,
    linear_kernel,
    polynomial_kernel,
    rbf_kernel,
)
from sklearn.utils import gen_batches

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.dataset import Features
from semirank.limits import Between, Either, OneOf
from semirank.spelling import option

KERNEL = OneOf("linear", "rbf", "polynomial", "cosine", "precomputed")
GAMMA = Either(Between(0, inf, closed="neither"), OneOf(None))

BLOCK_CELLS = 2**21
SAMPLE = 1000
_ROUNDING = 1e-8


@dataclass(frozen=True)
class Kernel:
    """A kernel whose coefficients are known.

    ========== ==================================
    linear     ``x'z``
    rbf        ``exp(-gamma |x - z|^2)``
    polynomial ``(gamma x'z + 1)^degree``
    cosine     ``x'z / (|x| |z|)``, 0 for a row of zeros
    ========== ==================================

    With "precomputed" a row of X holds the kernel values of an item and all fitted items.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.kernels import Kernel
    >>> kernel = Kernel("rbf", gamma=np.log(2))
    >>> kernel.block(np.array([[0.0], [1.0]]), np.array([[0.0]]))
    array([[1. ],
           [0.5]])
    """

    name: str
    gamma: float | None = None
    degree: int = 3

    def basis(self, X: Features, rows: Any = None) -> Features:
        """Return what `block` has to know of some rows of X (None: all).

        These are the rows themselves, or for a precomputed kernel the numbers of their columns.
        """
        rows = slice(None) if rows is None else rows
        return np.arange(X.shape[0])[rows] if self.name == "precomputed" else X[rows]

    def block(self, X: Features, basis: Features) -> AnyArray:
        """Return the kernel of each row of X with each member of a basis, dense.

        The values are float32 when X and the basis are, else float64. Distances are taken in float64
        either way, and from the centre of the basis when it is dense, so that data far from the origin
        keep their precision.
        """
        match self.name:
            case "precomputed":
                return X[:, basis]
            case "linear":
                with np.errstate(over="ignore", invalid="ignore"):
                    return self._finite(linear_kernel(X, basis, dense_output=True))
            case "cosine":
                return cosine_similarity(X, basis, dense_output=True)
            case "polynomial":
                with np.errstate(over="ignore", invalid="ignore"):
                    return self._finite(polynomial_kernel(X, basis, self.degree, self.gamma, coef0=1.0))
        if issparse(X) or issparse(basis):
            return rbf_kernel(X, basis, gamma=self.gamma)
        return _dense_rbf(X, basis, float(self.gamma or 0.0))

    def diagonal(self, X: Features) -> Floats:
        """Return the kernel of each row of X with itself; X must be square if precomputed."""
        match self.name:
            case "precomputed":
                return np.array(np.diagonal(X), dtype=np.float64)
            case "rbf":
                return np.ones(X.shape[0])
        squares = squared_lengths(X)
        if self.name == "linear":
            return squares
        if self.name == "cosine":
            return (squares > 0.0).astype(np.float64)
        with np.errstate(over="ignore"):
            return self._finite((float(self.gamma or 0.0) * squares + 1.0) ** self.degree)

    def _finite(self, values: AnyArray) -> AnyArray:
        if not np.isfinite(values).all():
            milder = ", or lower gamma or degree" if self.name == "polynomial" else ""
            raise ValueError(
                f"The {self.name} kernel of these items is beyond what numbers can hold. Scale the "
                f"features{milder}."
            )
        return values

    def blocks(self, X: Features, basis: Features) -> Iterator[tuple[slice, AnyArray]]:
        """Yield the kernel of X with a basis as (rows, block), a few million values at a time."""
        for rows in gen_batches(X.shape[0], max(1, BLOCK_CELLS // max(1, basis.shape[0]))):
            yield rows, self.block(X[rows], basis)

    def product(self, X: Features, basis: Features, weights: AnyArray) -> Floats:
        """Return the kernel of X with a basis times a vector or matrix; only blocks of it exist at a time."""
        result = np.empty((X.shape[0], *weights.shape[1:]))
        for rows, block in self.blocks(X, basis):
            result[rows] = block @ weights
        return result


def _dense_rbf(X: AnyArray, Z: AnyArray, gamma: float) -> AnyArray:
    """Evaluate ``exp(-gamma |x - z|^2)`` with one product of matrices, in place, around the centre of Z."""
    centre = Z.mean(axis=0, dtype=np.float64)
    rows, columns = X - centre, Z - centre
    block = rows @ (2.0 * gamma * columns.T)
    block -= gamma * squared_lengths(rows)[:, None]
    block -= gamma * squared_lengths(columns)
    np.minimum(block, 0.0, out=block)
    return np.exp(block, out=block).astype(np.result_type(X, Z), copy=False)


def resolve(kernel: str, gamma: float | None, X: Features, *, width: float = 1.0, degree: int = 3) -> Kernel:
    """Make a kernel from an estimator's parameters and the items it was given.

    Parameters
    ----------
    kernel : {"linear", "rbf", "polynomial", "cosine", "precomputed"}
        The name. For "precomputed", X must be a square symmetric matrix.
    gamma : float, optional
        Coefficient of "rbf" and "polynomial"; the others do not use it. None: for "rbf",
        ``1 / (2 (width * m)^2)`` with m the `median_distance` of the items; for "polynomial",
        ``1 / n_features``.
    X : array or CSR matrix of shape (n_items, n_features)
        The items.
    width : float
        Width of the Gaussian, as a multiple of the median distance, when gamma is None.
    degree : int
        Degree of "polynomial".

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.kernels import resolve
    >>> resolve("rbf", None, np.array([[0.0], [2.0]]))
    Kernel(name='rbf', gamma=0.125, degree=3)
    """
    if kernel == "precomputed":
        check_precomputed(X)
    if kernel == "rbf" and gamma is None:
        gamma = 0.5 / (width * median_distance(X)) ** 2
    if kernel == "polynomial" and gamma is None:
        gamma = 1.0 / X.shape[1]
    return Kernel(kernel, None if gamma is None else float(gamma), degree)


def check_precomputed(K: Features) -> None:
    """Refuse a kernel matrix that is not square, dense, finite, symmetric, or has a negative diagonal."""
    if issparse(K) or K.ndim != 2 or K.shape[0] != K.shape[1]:
        kind = "a sparse matrix" if issparse(K) else "an array"
        raise ValueError(
            f"With {option('kernel', 'precomputed')}, X must be a dense square matrix, the kernel of every "
            f"item with every item; got {kind} of shape {K.shape}."
        )
    if not np.isfinite(K).all():
        raise ValueError("The kernel matrix has a value that is not finite.")
    slack = _ROUNDING * np.abs(K).max(initial=0.0)
    i, j = np.unravel_index(np.argmax(np.abs(K - K.T)), K.shape)
    if abs(K[i, j] - K[j, i]) > slack:
        raise ValueError(
            f"The kernel matrix is not symmetric: entry ({i}, {j}) is {K[i, j]:g}, entry ({j}, {i}) is "
            f"{K[j, i]:g}. Use (K + K.T) / 2."
        )
    worst = int(np.argmin(np.diagonal(K)))
    if K[worst, worst] < -slack:
        raise ValueError(
            f"The kernel matrix is not positive semidefinite: entry ({worst}, {worst}) is "
            f"{K[worst, worst]:g}. A kernel of an item with itself is never negative."
        )


def median_distance(X: Features) -> float:
    """Return the median Euclidean distance of two different items.

    Of more than 1000 items a sample is taken: every so many-th in the order of their projection on a fixed
    direction, so that the answer is the same in any order of the items. Where most items are equal it is
    the median of the positive distances, and 1 where all are.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.kernels import median_distance
    >>> median_distance(np.array([[0.0], [1.0], [4.0]]))
    3.0
    """
    distances = _distances(X[_sample(X)].astype(np.float64))
    median = np.median(distances) if len(distances) else 0.0
    if median == 0.0:
        positive = distances[distances > 0.0]
        median = np.median(positive) if len(positive) else 1.0
    return float(median)


def squared_lengths(X: Features) -> Floats:
    """Return the squared length of each row in float64."""
    if issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X, dtype=np.float64)


def _sample(X: Features) -> Integers:
    if X.shape[0] <= SAMPLE:
        return np.arange(X.shape[0])
    places = np.linspace(0, X.shape[0] - 1, SAMPLE).astype(np.int64)
    return np.argsort(fixed_projection(X), kind="stable")[places]


def _distances(X: Features) -> Floats:
    """Return the distance of every two rows."""
    if not issparse(X):
        return pdist(X)
    squared = euclidean_distances(X, squared=True)[np.triu_indices(X.shape[0], 1)]
    rounding = 1e-14 * squared_lengths(X).max(initial=0.0)
    return np.sqrt(np.where(squared > rounding, squared, 0.0))


def fixed_projection(X: Features) -> Floats:
    """Project rows on a fixed direction; the sum of a row does not depend on where the row stands."""
    direction = np.random.default_rng(0).normal(size=X.shape[1])
    if issparse(X):
        return X @ direction
    projection = np.empty(X.shape[0])
    for rows in gen_batches(X.shape[0], max(1, BLOCK_CELLS // max(1, X.shape[1]))):
        projection[rows] = (X[rows] * direction).sum(axis=1)
    return projection

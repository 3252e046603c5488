"""Kernel principal components of one list, as features of any item."""

from typing import NamedTuple, Self

import numpy as np
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from semirank.core.arrays import AnyArray, Floats
from semirank.core.threads import one_blas_thread
from semirank.dataset import Features
from semirank.kernels import Kernel, resolve

FEW = 500  # items up to which all eigenvectors are found at once
SMALLEST = 1e-10  # part of the largest variance below which an axis is rounding


class KernelAxes(NamedTuple):
    """The directions in which the items of a list vary most, in the space of a kernel.

    With K the kernel of the list's items, centred, and ``K v = lam v``, axis j of unit length gives an item x
    the coordinate ``sum_i v_i k(x, x_i) / sqrt(lam)``, with k centred by the list's means.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    items : array or CSR matrix of shape (n_items, n_features)
        The items of the list.
    degrees : float64 array of shape (n_items,) or None
        For the diffusion kernel, the sum of the kernel of each item over the list.
    coefficients : float64 array of shape (n_items, n_axes)
        ``v / sqrt(lam)``.
    means : float64 array of shape (n_items,)
        Mean of the kernel of each item over the list.
    variances : float64 array of shape (n_axes,)
        The eigenvalues lam, divided by the number of items.
    total : float
        Variance of the items in all directions.
    """

    kernel: Kernel
    items: Features
    degrees: Floats | None
    coefficients: Floats
    means: Floats
    variances: Floats
    total: float

    @classmethod
    def of(cls, items: Features, kernel: str, gamma: float | None, n_components: float) -> Self:
        """Find axes: so many, or as many as it takes for a share of the variance if that is below 1.

        kernel : "linear", "polynomial", "rbf", "cosine" or "diffusion".
        """
        diffusion = kernel == "diffusion"
        resolved = resolve("rbf" if diffusion else kernel, gamma, items)
        K = np.asarray(resolved.block(items, items), dtype=np.float64)
        degrees = K.sum(axis=1) if diffusion else None
        if degrees is not None:
            K /= np.sqrt(np.outer(degrees, degrees))
        means = K.mean(axis=0)
        K += means.mean() - means - means[:, None]
        values, vectors = _top(K, n_components)
        total = float(np.trace(K)) / len(K)
        return cls(resolved, items, degrees, vectors / np.sqrt(values), means, values / len(K), total)

    @property
    def explained(self) -> float:
        """Share of the variance that lies along the axes."""
        return float(self.variances.sum() / self.total) if len(self.variances) else 0.0

    def coordinates(self, X: Features) -> AnyArray:
        """Return the coordinates of any items on the axes."""
        centred = self.coefficients - self.coefficients.mean(axis=0)
        shift = self.means @ centred
        result = np.empty((X.shape[0], centred.shape[1]))
        for rows, block in self.kernel.blocks(X, self.kernel.basis(self.items)):
            result[rows] = self._normalised(block) @ centred
        return result - shift

    def _normalised(self, block: AnyArray) -> AnyArray:
        if self.degrees is None:
            return block
        reached = block.sum(axis=1, dtype=np.float64)
        scale = np.sqrt(np.where(reached > 0.0, reached, 1.0))
        return block / scale[:, None] / np.sqrt(self.degrees)


def _top(K: Floats, n_components: float) -> tuple[Floats, Floats]:
    """Return the largest eigenvalues, descending, and their vectors, the largest entry of each positive."""
    n_items = len(K)
    if n_components < 1 or n_items <= FEW or n_components > n_items // 10:
        with one_blas_thread():  # on a matrix of one list, threads wait longer than they compute
            values, vectors = eigh(K)
    else:
        start = np.ones(n_items)  # the same start each time: the same bits
        values, vectors = eigsh(K, k=int(n_components), which="LA", v0=start + np.arange(n_items) / n_items)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = int((values > SMALLEST * max(values[0], np.finfo(float).tiny)).sum())
    if n_components < 1:
        reached = np.cumsum(values[:kept])
        n_components = np.searchsorted(reached, n_components * reached[-1]) + 1 if kept else 0
    kept = min(kept, int(n_components))
    values, vectors = values[:kept], vectors[:, :kept]
    largest = np.argmax(np.abs(vectors), axis=0)
    return values, vectors * np.sign(vectors[largest, np.arange(kept)])

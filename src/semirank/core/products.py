"""Products of a sparse matrix, row by row, with one vector or with many as columns."""

import numpy as np
from numba import njit, prange

from semirank.core.arrays import AnyArray, Floats
from semirank.core.chunks import Sparse


@njit(cache=True, inline="always")
def row_product(S: Sparse, i: int, x: Floats) -> float:
    """Return row i of S times x."""
    indptr, indices, weights = S
    total = 0.0
    for e in range(indptr[i], indptr[i + 1]):
        total += weights[e] * x[indices[e]]
    return total


@njit(cache=True)
def row_products(S: Sparse, i: int, x: AnyArray, out: AnyArray) -> None:
    """Set `out` to row i of S times the columns of x, four edges at a time to spare passes over `out`."""
    indptr, indices, weights = S
    out[:] = 0.0
    e, stop = np.int64(indptr[i]), np.int64(indptr[i + 1])
    while e + 4 <= stop:
        a, b, c, d = weights[e], weights[e + 1], weights[e + 2], weights[e + 3]
        xa, xb, xc, xd = x[indices[e]], x[indices[e + 1]], x[indices[e + 2]], x[indices[e + 3]]
        for j in range(len(out)):
            out[j] += (a * xa[j] + b * xb[j]) + (c * xc[j] + d * xd[j])
        e += 4
    while e < stop:
        a, xa = weights[e], x[indices[e]]
        for j in range(len(out)):
            out[j] += a * xa[j]
        e += 1


@njit(cache=True, parallel=True)
def residual(S: Sparse, alpha: float, f: Floats, y: Floats) -> Floats:
    """Return ``y - (I - alpha S) f`` for vectors."""
    r = np.empty_like(f)
    for i in prange(len(f)):
        r[i] = y[i] - f[i] + alpha * row_product(S, i, f)
    return r


@njit(cache=True, parallel=True)
def residuals(S: Sparse, alpha: float, f: Floats, y: Floats) -> Floats:
    """Return ``y - (I - alpha S) f`` for columns."""
    r = np.empty_like(f)
    for i in prange(len(f)):
        row_products(S, i, f, r[i])
        for j in range(f.shape[1]):
            r[i, j] = y[i, j] - f[i, j] + alpha * r[i, j]
    return r

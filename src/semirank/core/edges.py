"""Edges of a graph as compressed rows."""

import numpy as np
from numba import njit, prange

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers


@njit(cache=True, parallel=True)
def _mark_one_sided(indices: Integers) -> Booleans:
    one_sided = np.zeros(indices.shape, dtype=np.bool_)
    for i in prange(len(indices)):
        for c in range(indices.shape[1]):
            j = indices[i, c]
            one_sided[i, c] = j >= 0 and not (indices[j] == i).any()
    return one_sided


@njit(cache=True, parallel=True)
def _sort_rows(indptr: Integers, columns: AnyArray, values: Floats) -> None:
    for i in prange(len(indptr) - 1):
        row = slice(indptr[i], indptr[i + 1])
        order = np.argsort(columns[row])
        columns[row] = columns[row][order]
        values[row] = values[row][order]


@njit(cache=True)
def union_of_neighbours(indices: Integers, values: Floats) -> tuple[Integers, AnyArray, Floats]:
    """Join i and j when either is among the other's neighbours (-1: none).

    values: one for each neighbour, the same in both directions. Returns compressed rows
    (indptr, columns, values), columns ascending.
    """
    n = len(indices)
    one_sided = _mark_one_sided(indices)
    indptr = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        for c in range(indices.shape[1]):
            if indices[i, c] >= 0:
                indptr[i + 1] += 1
            if one_sided[i, c]:
                indptr[indices[i, c] + 1] += 1
    indptr = np.cumsum(indptr)
    columns = np.empty(indptr[-1], dtype=np.int32)
    joined = np.empty(indptr[-1])
    free = indptr[:-1].copy()
    for i in range(n):
        for c in range(indices.shape[1]):
            j = indices[i, c]
            if j >= 0:
                columns[free[i]], joined[free[i]] = j, values[i, c]
                free[i] += 1
            if one_sided[i, c]:
                columns[free[j]], joined[free[j]] = i, values[i, c]
                free[j] += 1
    _sort_rows(indptr, columns, joined)
    return indptr, columns, joined

"""Edges of a graph as compressed rows."""

import numpy as np
from numba import njit

from semirank.core.arrays import AnyArray, Floats, Integers


@njit(cache=True)
def _is_chosen(indices: Integers, j: int, i: int) -> bool:
    found = False
    for c in range(indices.shape[1]):
        found |= indices[j, c] == i
    return found


@njit(cache=True)
def union_of_neighbours(indices: Integers, values: Floats) -> tuple[Integers, AnyArray, Floats]:
    """Join i and j when either is among the other's neighbours (-1: none).

    values: one for each neighbour, the same in both directions. Returns compressed rows (indptr, columns,
    values); the columns of a row are not sorted.
    """
    n, k = indices.shape
    one_sided = np.zeros((n, k), dtype=np.bool_)
    indptr = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        for c in range(k):
            j = indices[i, c]
            if j >= 0:
                one_sided[i, c] = not _is_chosen(indices, j, i)
                indptr[i + 1] += 1
                indptr[j + 1] += one_sided[i, c]
    for i in range(n):
        indptr[i + 1] += indptr[i]
    columns, joined = np.empty(indptr[n], dtype=np.int32), np.empty(indptr[n])
    free = indptr.copy()
    for i in range(n):
        for c in range(k):
            j = indices[i, c]
            if j >= 0:
                columns[free[i]], joined[free[i]] = j, values[i, c]
                free[i] += 1
                if one_sided[i, c]:
                    columns[free[j]], joined[free[j]] = i, values[i, c]
                    free[j] += 1
    return indptr, columns, joined

"""Values of items taken relative to the mean of their list.

Arrays in, arrays out; no checks, no messages, no random numbers.
"""

from typing import Any

import numpy as np
from numba import njit, prange

from semirank.core.arrays import AnyArray, Floats, Integers


@njit(cache=True)
def centre_list(values: AnyArray, start: int, stop: int, scale: float, out: Floats) -> None:
    """Fill rows start..stop of `out` with scale times the rows of `values` minus their mean.

    The mean is taken relative to the first row: equal rows become exactly 0.
    """
    n_columns = values.shape[1]
    first = np.empty(n_columns)
    first[:] = values[start]
    mean = np.zeros(n_columns)
    for i in range(start, stop):
        for j in range(n_columns):
            mean[j] += values[i, j] - first[j]
    mean /= stop - start
    for i in range(start, stop):
        for j in range(n_columns):
            out[i, j] = scale * ((values[i, j] - first[j]) - mean[j])


@njit(cache=True, nogil=True)
def centre_in_turn(values: AnyArray, indptr: Integers, scales: Floats, out: Floats) -> None:
    """Do the same as `centre_lists` in one thread, which is quicker for little data."""
    for k in range(len(scales)):
        centre_list(values, indptr[k], indptr[k + 1], scales[k], out)


@njit(cache=True, parallel=True)
def centre_lists(values: AnyArray, indptr: Integers, scales: Floats, out: Floats) -> None:
    """Centre and scale every list of `values` (n_items, n_columns) into the first columns of `out`.

    Both may be the same array.
    """
    for k in prange(len(scales)):  # lists own disjoint rows: any order gives the same bits
        centre_list(values, indptr[k], indptr[k + 1], scales[k], out)


@njit(cache=True, parallel=True)
def centre_within_rows(values: Floats, indptr: Integers, scales: Floats) -> None:
    """Centre and scale the lists along each row of `values` (n_rows, n_items), in place."""
    for i in prange(values.shape[0]):
        row: Any = values[i]
        for k in range(len(scales)):
            part = row[indptr[k] : indptr[k + 1]]
            first, mean = part[0], 0.0
            for j in range(len(part)):
                mean += part[j] - first
            mean /= len(part)
            for j in range(len(part)):
                part[j] = scales[k] * ((part[j] - first) - mean)

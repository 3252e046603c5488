"""Values of items taken relative to the mean of their list.

Arrays in, arrays out; no checks, no messages, no random numbers.
"""

from typing import Any

import numpy as np

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.threads import in_shares


@compiled()
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


def centre_in_turn(values: AnyArray, indptr: Integers, scales: Floats, out: Floats) -> None:
    """Do the same as `centre_lists` in this thread alone."""
    _centre_share(0, len(scales), values, indptr, scales, out)


def centre_lists(values: AnyArray, indptr: Integers, scales: Floats, out: Floats) -> None:
    """Centre and scale every list of `values` (n_items, n_columns) into the first columns of `out`.

    Both may be the same array.
    """
    in_shares(_centre_share, len(scales), values.size, values, indptr, scales, out)


@compiled()
def _centre_share(
    first: int, last: int, values: AnyArray, indptr: Integers, scales: Floats, out: Floats
) -> None:
    for k in range(first, last):
        centre_list(values, indptr[k], indptr[k + 1], scales[k], out)


def centre_within_rows(values: Floats, indptr: Integers, scales: Floats) -> None:
    """Centre and scale the lists along each row of `values` (n_rows, n_items), in place."""
    in_shares(_centre_rows, values.shape[0], values.size, values, indptr, scales)


@compiled()
def _centre_rows(first: int, last: int, values: Floats, indptr: Integers, scales: Floats) -> None:
    for i in range(first, last):
        row: Any = values[i]
        for k in range(len(scales)):
            part = row[indptr[k] : indptr[k + 1]]
            first, mean = part[0], 0.0
            for j in range(len(part)):
                mean += part[j] - first
            mean /= len(part)
            for j in range(len(part)):
                part[j] = scales[k] * ((part[j] - first) - mean)

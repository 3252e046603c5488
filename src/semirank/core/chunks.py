"""Rows of lists cut into chunks: the grain of parallel work, and of sums that no thread count changes."""

import numpy as np
from numba import njit

from semirank.core.arrays import AnyArray, Integers

CHUNK = 1024

Sparse = tuple[AnyArray, AnyArray, AnyArray]
"""Compressed rows: indptr, indices, weights. Unsigned indices make the compiled loops quicker."""

ANY_ORDER = {"reassoc", "nsz", "contract"}
"""Lets a sum over one chunk be vectorised. The order then depends on the length of the chunk alone."""


@njit(cache=True)
def cut(lists: Integers) -> tuple[Integers, Integers]:
    """Cut each list into chunks of at most CHUNK rows.

    lists: (n_lists + 1,), where each list starts. Returns where each chunk starts, with one more entry for
    the end, and the list of each chunk.
    """
    per_list = (np.diff(lists) + CHUNK - 1) // CHUNK
    starts = np.empty(per_list.sum() + 1, dtype=np.int64)
    owners = np.empty(per_list.sum(), dtype=np.int64)
    at = 0
    for q in range(len(per_list)):
        for c in range(per_list[q]):
            starts[at] = lists[q] + c * CHUNK
            owners[at] = q
            at += 1
    starts[-1] = lists[-1]
    return starts, owners


@njit(cache=True)
def add_chunks(partial: AnyArray, owners: Integers, totals: AnyArray) -> None:
    """Set `totals` to the sum over the chunks of each list, in their order."""
    totals[:] = 0.0
    for c in range(len(owners)):
        totals[owners[c]] += partial[c]

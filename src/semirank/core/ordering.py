"""An order of the rows in which a sparse product is quick."""

import numpy as np
from numba import njit, prange

from semirank.core.arrays import Integers
from semirank.core.chunks import CHUNK, Sparse

WINDOW = 2 * CHUNK


@njit(cache=True, parallel=True)
def quick_order(S: Sparse, lists: Integers) -> Integers:
    """Return the rows of each list in a good order; short lists, which fit into the cache, stay as they are.

    Breadth first, then by the number of edges within windows: the first keeps what is read together
    together, the second makes the length of the inner loops foreseeable.
    """
    indptr = S[0]
    order = np.arange(lists[-1])
    for q in prange(len(lists) - 1):
        if lists[q + 1] - lists[q] > WINDOW:
            part = order[lists[q] : lists[q + 1]]
            _breadth_first(S, lists[q], part)
            for start in range(0, len(part), WINDOW):
                window = part[start : start + WINDOW]
                lengths = indptr[window + 1] - indptr[window]
                window[:] = window[np.argsort(lengths, kind="mergesort")]
    return order


@njit(cache=True)
def _breadth_first(S: Sparse, first: int, order: Integers) -> None:
    """Fill `order` with the rows from `first` on, neighbours after neighbours."""
    indptr, indices, _ = S
    seen = np.zeros(len(order), dtype=np.bool_)
    head = tail = 0
    for root in range(first, first + len(order)):
        if not seen[root - first]:
            seen[root - first] = True
            order[tail] = root
            tail += 1
        while head < tail:
            i = order[head]
            head += 1
            for e in range(indptr[i], indptr[i + 1]):
                j = np.int64(indices[e])
                if not seen[j - first]:
                    seen[j - first] = True
                    order[tail] = j
                    tail += 1


@njit(cache=True, parallel=True)
def reorder(S: Sparse, order: Integers) -> Sparse:
    """Return S with its rows and columns in the given order, columns ascending."""
    indptr, indices, weights = S
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    new_indptr = np.zeros_like(indptr)
    for i in range(len(order)):
        new_indptr[i + 1] = new_indptr[i] + indptr[order[i] + 1] - indptr[order[i]]
    new_indices, new_weights = np.empty_like(indices), np.empty_like(weights)
    for i in prange(len(order)):
        old = slice(indptr[order[i]], indptr[order[i] + 1])
        new = slice(new_indptr[i], new_indptr[i + 1])
        columns = place[indices[old]]
        by_column = np.argsort(columns)
        new_indices[new] = columns[by_column]
        new_weights[new] = weights[old][by_column]
    return new_indptr, new_indices, new_weights

"""An order of the rows in which a sparse product is quick."""

import numpy as np

from semirank.core.arrays import Integers
from semirank.core.compiling import compiled
from semirank.core.diffusion import CHUNK, Sparse

WINDOW = 2 * CHUNK


def quick_order(S: Sparse, lists: Integers) -> Integers:
    """Return the rows of each list in a good order; short lists, which fit into the cache, stay as they are.

    Breadth first, then by the number of edges within windows: the first keeps together what is read together,
    the second makes the length of the inner loops foreseeable.
    """
    sizes = np.diff(lists)
    long = sizes > WINDOW
    order = np.arange(lists[-1])
    for start, stop in zip(lists[:-1][long], lists[1:][long], strict=True):
        part = breadth_first(S, start, stop)
        lengths = S.indptr[part + 1] - S.indptr[part]
        order[start:stop] = part[np.lexsort((lengths, np.arange(stop - start) // WINDOW))]
    return order


@compiled()
def breadth_first(S: Sparse, start: int, stop: int) -> Integers:
    """Return the rows start..stop, which have no edges to others, neighbours after neighbours."""
    order = np.empty(stop - start, dtype=np.int64)
    seen = np.zeros(stop - start, dtype=np.bool_)
    head = tail = 0
    for root in range(start, stop):
        if not seen[root - start]:
            seen[root - start] = True
            order[tail] = root
            tail += 1
        while head < tail:
            i = order[head]
            head += 1
            for e in range(S.indptr[i], S.indptr[i + 1]):
                j = np.int64(S.indices[e])
                if not seen[j - start]:
                    seen[j - start] = True
                    order[tail] = j
                    tail += 1
    return order


@compiled()
def reorder(S: Sparse, order: Integers) -> Sparse:
    """Return S with its rows and columns in the given order; the columns of a row are not sorted."""
    place = np.empty(len(order), dtype=np.uint32)
    for i in range(len(order)):
        place[order[i]] = i
    indptr = np.zeros_like(S.indptr)
    indices, weights = np.empty_like(S.indices), np.empty_like(S.weights)
    at = 0
    for i in range(len(order)):
        for e in range(S.indptr[order[i]], S.indptr[order[i] + 1]):
            indices[at], weights[at] = place[S.indices[e]], S.weights[e]
            at += 1
        indptr[i + 1] = at
    return Sparse(indptr, indices, weights)

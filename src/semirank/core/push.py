"""A part of a graph: the edges inside it, and what it pushes outwards over its border."""

import numpy as np

from semirank.core.arrays import AnyArray, Bytes, Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.diffusion import Sparse

UNSEEN, INSIDE, TOUCHED = 0, 1, 2


@compiled()
def push_out(
    S: Sparse, rows: Integers, f: Floats, alpha: float, state: Bytes, pushed: Floats, touched: Integers
) -> int:
    """Set `pushed` to ``alpha S f`` outside of the given rows, where f is not 0.

    f: scores of the rows. touched: filled with the items outside that receive something, whose number is
    returned; it has room for all. state: UNSEEN for all items, as it will be again.
    """
    n_touched = 0
    for i in rows:
        state[i] = INSIDE
    for a in range(len(rows)):
        share = alpha * f[a]
        for e in range(S.indptr[rows[a]], S.indptr[rows[a] + 1]):
            j = S.indices[e]
            if state[j] == UNSEEN:
                state[j], pushed[j] = TOUCHED, 0.0
                touched[n_touched] = j
                n_touched += 1
            if state[j] == TOUCHED:
                pushed[j] += S.weights[e] * share
    for i in rows:
        state[i] = UNSEEN
    for i in touched[:n_touched]:
        state[i] = UNSEEN
    return n_touched


@compiled()
def induced(S: Sparse, roots: Floats, rows: Integers, back: float, place: AnyArray) -> tuple[Sparse, Floats]:
    """Return S between the given rows, with an edge from each row to itself, and the weights of these.

    Of what a row passes on to items outside (in terms of the random walk, ``S_ij d_j^1/2 / d_i^1/2``), the
    share `back` returns to it. roots: square roots of the degrees; place: 0 for all items, as it will be
    again.
    """
    n_edges = np.int64(len(rows))
    for a in range(len(rows)):
        place[rows[a]] = a + 1
        n_edges += np.int64(S.indptr[rows[a] + 1] - S.indptr[rows[a]])
    indptr = np.zeros(len(rows) + 1, dtype=S.indptr.dtype)
    indices, weights = np.empty(n_edges, dtype=S.indices.dtype), np.empty(n_edges)
    loops = np.zeros(len(rows))
    at = 0
    for a in range(len(rows)):
        i = rows[a]
        for e in range(S.indptr[i], S.indptr[i + 1]):
            j = S.indices[e]
            if place[j] > 0:
                indices[at], weights[at] = place[j] - 1, S.weights[e]
                at += 1
            else:
                loops[a] += back * S.weights[e] * roots[j] / roots[i]
        indices[at], weights[at] = a, loops[a]
        at += 1
        indptr[a + 1] = at
    for i in rows:
        place[i] = 0
    return Sparse(indptr, indices[:at], weights[:at]), loops

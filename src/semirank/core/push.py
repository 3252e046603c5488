"""Local solution of ``(I - alpha S) f = y``: work spreads from the labels only as far as it matters."""

import numpy as np
from numba import njit

from semirank.core.arrays import Bytes, Floats, Integers
from semirank.core.sweeps import Sparse

UNSEEN, REACHED, WAITING = 0, 1, 2


@njit(cache=True)
def push(
    S: Sparse,
    roots: Floats,
    alpha: float,
    limit: float,
    max_pushes: int,
    f: Floats,
    r: Floats,
    state: Bytes,
    reached: Integers,
    n_reached: int,
) -> tuple[int, int, float]:
    """Push items until no residual exceeds ``limit * roots``, or max_pushes have been made.

    A push adds the residual of an item to its score and passes it on to the neighbours, so that always
    ``r = y - (I - alpha S) f``. With roots = D^1/2 1, for which ``S D^1/2 1 = D^1/2 1``, the end means
    ``|f* - f| <= limit / (1 - alpha) D^1/2 1`` for the exact f*: a uniform bound on ``D^-1/2 f``.

    f, r: scores and residuals so far, updated. reached: the items whose state is REACHED (n_reached of
    them, those with a label at first), extended; it has room for all. Returns how many are reached, the
    number of pushes, and the largest residual relative to its root.
    """
    queue = np.empty(len(f) + 1, dtype=np.int64)
    head, tail, pushes = 0, 0, 0
    for k in range(n_reached):
        if abs(r[reached[k]]) > limit * roots[reached[k]]:
            state[reached[k]] = WAITING
            queue[tail] = reached[k]
            tail += 1
    while head != tail and pushes < max_pushes:
        i = queue[head]
        head = (head + 1) % len(queue)
        passed = r[i]
        state[i], r[i] = REACHED, 0.0
        f[i] += passed
        pushes += 1
        for e in range(S.indptr[i], S.indptr[i + 1]):
            j = S.indices[e]
            r[j] += alpha * S.weights[e] * passed
            if state[j] == UNSEEN:
                state[j] = REACHED
                reached[n_reached] = j
                n_reached += 1
            if state[j] == REACHED and abs(r[j]) > limit * roots[j]:
                state[j] = WAITING
                queue[tail] = j
                tail = (tail + 1) % len(queue)
    while head != tail:
        state[queue[head]] = REACHED
        head = (head + 1) % len(queue)
    return n_reached, pushes, _largest(r, roots, reached[:n_reached])


@njit(cache=True)
def _largest(r: Floats, roots: Floats, reached: Integers) -> float:
    largest = 0.0
    for i in reached:
        if r[i] != 0.0:
            largest = max(largest, abs(r[i]) / roots[i])
    return largest

"""Solvers of ``(I - alpha S) f = y`` on a block-diagonal graph, one block for each list.

S comes as compressed rows, symmetric with eigenvalues in [-1, 1], so that the system is positive definite
with eigenvalues in [1 - alpha, 1 + alpha]. A list stops when ``|y - (I - alpha S) f| <= tol |y|`` in the
Euclidean norm over its items, by its own rule: what happens in other lists changes no bit of it.

Each solver returns the scores, and for each list the number of sweeps over its edges and the norm of the
residual relative to that of y.
"""

import numpy as np
from numba import njit, prange

from semirank.core.arrays import Floats, Integers
from semirank.core.chunks import ANY_ORDER, Sparse, add_chunks, cut
from semirank.core.products import residual, row_product

Solved = tuple[Floats, Integers, Floats]
SMALLEST_TOL = 1e-15


@njit(cache=True, parallel=True)
def iterate(
    S: Sparse, y: Floats, lists: Integers, alpha: float, tol: float, max_iter: int, start: Floats
) -> Solved:
    """Repeat ``f <- alpha S f + y``.

    Started from ``y / (1 - alpha)``, after t sweeps f is 1 / (1 - alpha) times the f(t) of Zhou et al., which
    starts from y. The residual is that before the last sweep; no sweep makes it larger.
    """
    starts, owners = cut(lists)
    partial = np.zeros(len(owners))
    sweeps = np.zeros(len(lists) - 1, dtype=np.int64)
    labels = norms(y, lists)
    f = _where_labelled(start, labels, lists)
    new = f.copy()
    goal = max(tol, SMALLEST_TOL) * labels
    change = np.where(labels > 0.0, np.inf, 0.0)
    for _ in range(max_iter):
        active = change > goal
        if not active.any():
            break
        for c in prange(len(owners)):
            if active[owners[c]]:
                partial[c] = _spread(S, alpha, f, y, starts[c], starts[c + 1], new)
        add_chunks(partial, owners, change)
        change = np.sqrt(change)
        sweeps += active
        for c in prange(len(owners)):
            if active[owners[c]]:
                f[starts[c] : starts[c + 1]] = new[starts[c] : starts[c + 1]]
    return f, sweeps, relative(change, labels)


@njit(cache=True, parallel=True)
def cg(
    S: Sparse, y: Floats, lists: Integers, alpha: float, tol: float, max_iter: int, start: Floats
) -> Solved:
    """Conjugate gradients from `start`, every list with its own steps."""
    starts, owners = cut(lists)
    partial = np.zeros(len(owners))
    sweeps = np.zeros(len(lists) - 1, dtype=np.int64)
    labels = norms(y, lists)
    goal = (max(tol, SMALLEST_TOL) * labels) ** 2
    f = _where_labelled(start, labels, lists)
    r = residual(S, alpha, f, y)
    p, q = r.copy(), np.empty_like(r)
    rr, old, pq = norms(r, lists) ** 2, np.empty_like(goal), np.empty_like(goal)
    for _ in range(max_iter):
        active = rr > goal
        if not active.any():
            break
        for c in prange(len(owners)):
            if active[owners[c]]:
                partial[c] = _apply(S, alpha, p, starts[c], starts[c + 1], q)
        add_chunks(partial, owners, pq)
        for c in prange(len(owners)):
            if active[owners[c]]:
                rows = slice(starts[c], starts[c + 1])
                partial[c] = _step(rr[owners[c]] / pq[owners[c]], p[rows], q[rows], f[rows], r[rows])
        old[:] = rr
        add_chunks(partial, owners, rr)
        sweeps += active
        for c in prange(len(owners)):
            if active[owners[c]]:
                rows = slice(starts[c], starts[c + 1])
                _turn(rr[owners[c]] / old[owners[c]], r[rows], p[rows])
    return f, sweeps, relative(np.sqrt(rr), labels)


@njit(cache=True, parallel=True)
def norms(y: Floats, lists: Integers) -> Floats:
    """Return the Euclidean norm of y over each list."""
    starts, owners = cut(lists)
    partial = np.empty(len(owners))
    for c in prange(len(owners)):
        partial[c] = _square(y[starts[c] : starts[c + 1]])
    squares = np.empty(len(lists) - 1)
    add_chunks(partial, owners, squares)
    return np.sqrt(squares)


@njit(cache=True)
def relative(norm: Floats, labels: Floats) -> Floats:
    """Return the norms of residuals relative to those of the labels, 0 where there is no label."""
    return np.where(labels > 0.0, norm / np.where(labels > 0.0, labels, 1.0), 0.0)


@njit(cache=True)
def _where_labelled(start: Floats, labels: Floats, lists: Integers) -> Floats:
    """Return a copy of start with zeros in lists without labels, whose answer is 0."""
    f = start.copy()
    for q in range(len(labels)):
        if labels[q] == 0.0:
            f[lists[q] : lists[q + 1]] = 0.0
    return f


@njit(cache=True)
def _spread(S: Sparse, alpha: float, f: Floats, y: Floats, start: int, stop: int, new: Floats) -> float:
    """Sweep over the rows of a chunk; return the square of the change."""
    change = 0.0
    for i in range(start, stop):
        new[i] = alpha * row_product(S, i, f) + y[i]
        change += (new[i] - f[i]) ** 2
    return change


@njit(cache=True)
def _apply(S: Sparse, alpha: float, p: Floats, start: int, stop: int, q: Floats) -> float:
    """Set ``q = (I - alpha S) p`` on the rows of a chunk; return their part of ``p'q``."""
    total = 0.0
    for i in range(start, stop):
        q[i] = p[i] - alpha * row_product(S, i, p)
        total += p[i] * q[i]
    return total


@njit(cache=True, fastmath=ANY_ORDER)
def _step(size: float, p: Floats, q: Floats, f: Floats, r: Floats) -> float:
    """Go along p; return the square of the new residual."""
    total = 0.0
    for i in range(len(p)):
        f[i] += size * p[i]
        r[i] -= size * q[i]
        total += r[i] * r[i]
    return total


@njit(cache=True)
def _turn(share: float, r: Floats, p: Floats) -> None:
    for i in range(len(p)):
        p[i] = r[i] + share * p[i]


@njit(cache=True, fastmath=ANY_ORDER)
def _square(y: Floats) -> float:
    total = 0.0
    for i in range(len(y)):
        total += y[i] * y[i]
    return total

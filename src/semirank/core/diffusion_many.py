"""The solvers of `semirank.core.diffusion` for many right-hand sides at once, one in each column.

A sweep over the edges serves all columns, which costs little more than a sweep for one. The sweeps work in
float32; `refine` adds up their corrections until the residual, taken in float64, is small enough. Every list
and column has its own steps and its own stop.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, prange

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.chunks import Sparse, add_chunks, cut
from semirank.core.diffusion import SMALLEST_TOL, Solved
from semirank.core.products import residuals, row_products

FINEST = 1e-5
"""How far one correction in float32 brings the residual down; rounding is still harmless there."""

Correct = Callable[[Sparse, AnyArray, Integers, float, Floats, Integers], tuple[AnyArray, Integers]]


def refine(
    correct: Correct,
    S: Sparse,
    y: Floats,
    lists: Integers,
    alpha: float,
    tol: float,
    max_iter: int,
    start: Floats,
) -> Solved:
    """Solve ``(I - alpha S) f = y`` for every column of y by corrections in float32."""
    coarse = S[0], S[1], S[2].astype(np.float32)
    labels = norms(y, lists)
    goal = max(tol, SMALLEST_TOL) * labels
    sweeps = np.zeros(labels.shape, dtype=np.int64)
    row = np.repeat(np.arange(len(labels)), np.diff(lists))
    f = np.where((labels > 0.0)[row], start, 0.0)
    while True:
        r = residuals(S, alpha, f, y)
        left = norms(r, lists)
        unfinished = (left > goal) & (sweeps < max_iter)
        if not unfinished.any():
            return f, sweeps, np.divide(left, labels, out=np.zeros_like(left), where=labels > 0.0)
        scale = np.where(unfinished, left, 1.0)
        rest = np.where(unfinished[row], r / scale[row], 0.0).astype(np.float32)
        share = np.where(unfinished, np.maximum(goal / scale, FINEST), 1.0)
        correction, more = correct(coarse, rest, lists, alpha, share, max_iter - sweeps)
        f += correction * scale[row]
        sweeps += more


@njit(cache=True, parallel=True)
def cg(
    S: Sparse, y: AnyArray, lists: Integers, alpha: float, share: Floats, max_sweeps: Integers
) -> tuple[AnyArray, Integers]:
    """Conjugate gradients from 0, until `share` of the residual is left in each list and column."""
    starts, owners = cut(lists)
    partial = np.zeros((len(owners), y.shape[1]), dtype=y.dtype)
    sweeps = np.zeros(share.shape, dtype=np.int64)
    f, r, p, q = np.zeros_like(y), y.copy(), y.copy(), np.empty_like(y)
    rr = norms(y, lists) ** 2
    goal = share**2 * rr
    pq, old = np.empty_like(rr), np.empty_like(rr)
    while True:
        active = (rr > goal) & (sweeps < max_sweeps)
        if not active.any():
            return f, sweeps
        working = _any_column(active)
        for c in prange(len(owners)):
            if working[owners[c]]:
                _apply(S, alpha, p, starts[c], starts[c + 1], q, partial[c])
        add_chunks(partial, owners, pq)
        size = _quotient(rr, pq, active, y.dtype)
        for c in prange(len(owners)):
            if working[owners[c]]:
                rows = slice(starts[c], starts[c + 1])
                _step(size[owners[c]], p[rows], q[rows], f[rows], r[rows], partial[c])
        old[:] = rr
        add_chunks(partial, owners, rr)
        sweeps += active
        turn = _quotient(rr, old, active, y.dtype)
        for c in prange(len(owners)):
            if working[owners[c]]:
                rows = slice(starts[c], starts[c + 1])
                _turn(turn[owners[c]], r[rows], p[rows])


@njit(cache=True, parallel=True)
def chebyshev(
    S: Sparse, y: AnyArray, lists: Integers, alpha: float, share: Floats, max_sweeps: Integers
) -> tuple[AnyArray, Integers]:
    """Chebyshev iteration from 0 on the spectrum [1 - alpha, 1 + alpha]; no sums over a list are needed.

    The number of sweeps is known beforehand: t of them leave at most ``1 / cosh(t arccosh(1 / alpha))`` of
    the residual.
    """
    starts, owners = cut(lists)
    needed = np.ceil(np.arccosh(1.0 / share) / np.arccosh(1.0 / alpha)).astype(np.int64)
    sweeps = np.minimum(needed, max_sweeps)
    f, r = np.zeros_like(y), y.copy()
    move, new = y.copy(), np.zeros_like(y)
    rho = alpha
    for t in range(sweeps.max()):
        working = _any_column(sweeps > t)
        keep, add = _coefficients(rho, alpha, sweeps > t + 1, y.dtype)
        rho = 1.0 / (2.0 / alpha - rho)
        for c in prange(len(owners)):
            if working[owners[c]]:
                _move(S, alpha, keep[owners[c]], add[owners[c]], (starts[c], starts[c + 1]), f, r, move, new)
        move, new = new, move
    return f, sweeps


@njit(cache=True, parallel=True)
def norms(y: AnyArray, lists: Integers) -> Floats:
    """Return the Euclidean norm of every column over each list."""
    starts, owners = cut(lists)
    partial = np.zeros((len(owners), y.shape[1]))
    for c in prange(len(owners)):
        for i in range(starts[c], starts[c + 1]):
            for j in range(y.shape[1]):
                partial[c, j] += np.float64(y[i, j]) ** 2
    squares = np.empty((len(lists) - 1, y.shape[1]))
    add_chunks(partial, owners, squares)
    return np.sqrt(squares)


@njit(cache=True)
def _any_column(active: AnyArray) -> AnyArray:
    rows = np.zeros(len(active), dtype=np.bool_)
    for q in range(len(active)):
        rows[q] = active[q].any()
    return rows


@njit(cache=True)
def _quotient(above: Floats, below: Floats, where: AnyArray, dtype: Any) -> AnyArray:
    """Divide where asked, elsewhere 0: a step of size 0 leaves a finished column as it is."""
    return np.where(where, above / np.where(where, below, 1.0), 0.0).astype(dtype)


@njit(cache=True)
def _apply(
    S: Sparse, alpha: float, p: AnyArray, start: int, stop: int, q: AnyArray, products: AnyArray
) -> None:
    """Set ``q = (I - alpha S) p`` on the rows of a chunk, and `products` to their part of ``p'q``."""
    factor = q.dtype.type(alpha)
    products[:] = 0.0
    for i in range(start, stop):
        p_row, q_row = p[i], q[i]
        row_products(S, i, p, q_row)
        for j in range(len(q_row)):
            q_row[j] = p_row[j] - factor * q_row[j]
            products[j] += p_row[j] * q_row[j]


@njit(cache=True)
def _step(size: AnyArray, p: AnyArray, q: AnyArray, f: AnyArray, r: AnyArray, squares: AnyArray) -> None:
    """Go along p, and set `squares` to the squares of the new residual."""
    squares[:] = 0.0
    for i in range(len(p)):
        p_row, q_row, f_row, r_row = p[i], q[i], f[i], r[i]
        for j in range(len(size)):
            f_row[j] += size[j] * p_row[j]
            r_row[j] -= size[j] * q_row[j]
            squares[j] += r_row[j] * r_row[j]


@njit(cache=True)
def _turn(share: AnyArray, r: AnyArray, p: AnyArray) -> None:
    for i in range(len(p)):
        p_row, r_row = p[i], r[i]
        for j in range(len(share)):
            p_row[j] = r_row[j] + share[j] * p_row[j]


@njit(cache=True)
def _coefficients(rho: float, alpha: float, where: AnyArray, dtype: Any) -> tuple[AnyArray, AnyArray]:
    """Return how much of the old move and of the residual make the next one; 0 in finished columns."""
    following = 1.0 / (2.0 / alpha - rho)
    keep = np.where(where, following * rho, 0.0)
    add = np.where(where, 2.0 * following / alpha, 0.0)
    return keep.astype(dtype), add.astype(dtype)


@njit(cache=True)
def _move(
    S: Sparse,
    alpha: float,
    keep: AnyArray,
    add: AnyArray,
    rows: tuple[int, int],
    f: AnyArray,
    r: AnyArray,
    move: AnyArray,
    new: AnyArray,
) -> None:
    """Make the move on the rows of a chunk and choose the next one."""
    factor = f.dtype.type(alpha)
    for i in range(rows[0], rows[1]):
        f_row, r_row, move_row, new_row = f[i], r[i], move[i], new[i]
        row_products(S, i, move, new_row)
        for j in range(len(keep)):
            f_row[j] += move_row[j]
            r_row[j] += factor * new_row[j] - move_row[j]
            new_row[j] = keep[j] * move_row[j] + add[j] * r_row[j]

"""Sweeps over the rows of a sparse matrix, chunk by chunk: the steps that iterative solvers are made of.

Each comes for one right-hand side (vectors) and for many (the columns of matrices). Work is parallel over
chunks of rows that never cross a list, and each sum is over one chunk: neither the number of threads nor
another list changes a bit. Chunks that are not `working` are left alone.
"""

from typing import NamedTuple

import numpy as np
from numba import njit, prange

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers

CHUNK = 1024

_ANY_ORDER = {"reassoc", "nsz", "contract"}  # the order of a sum then depends on its length alone


class Sparse(NamedTuple):
    """Compressed rows. Unsigned indices make the compiled loops quicker."""

    indptr: AnyArray
    indices: AnyArray
    weights: AnyArray


def cut(lists: Integers) -> tuple[Integers, Integers]:
    """Cut each list into chunks of at most CHUNK rows.

    lists: (n_lists + 1,), where each list starts. Returns where each chunk starts, with one more entry for
    the end, and the list of each chunk.
    """
    per_list = -(-np.diff(lists) // CHUNK)
    owners = np.repeat(np.arange(len(per_list)), per_list)
    place = np.arange(len(owners)) - np.repeat(np.cumsum(per_list) - per_list, per_list)
    return np.append(lists[owners] + CHUNK * place, lists[-1]), owners


@njit(cache=True, inline="always")
def _row_product(S: Sparse, i: int, x: Floats) -> float:
    total = 0.0
    for e in range(S.indptr[i], S.indptr[i + 1]):
        total += S.weights[e] * x[S.indices[e]]
    return total


@njit(cache=True)
def _row_products(S: Sparse, i: int, x: AnyArray, out: AnyArray) -> None:
    """Set `out` to row i of S times the columns of x, four edges at a time to spare passes over `out`."""
    for j in range(len(out)):
        out[j] = 0.0
    e, stop = np.int64(S.indptr[i]), np.int64(S.indptr[i + 1])
    while e + 4 <= stop:
        a, b, c, d = S.weights[e], S.weights[e + 1], S.weights[e + 2], S.weights[e + 3]
        xa, xb = x[S.indices[e]], x[S.indices[e + 1]]
        xc, xd = x[S.indices[e + 2]], x[S.indices[e + 3]]
        for j in range(len(out)):
            out[j] += (a * xa[j] + b * xb[j]) + (c * xc[j] + d * xd[j])
        e += 4
    while e < stop:
        a, xa = S.weights[e], x[S.indices[e]]
        for j in range(len(out)):
            out[j] += a * xa[j]
        e += 1


@njit(cache=True, parallel=True)
def residual(S: Sparse, alpha: float, f: Floats, y: Floats, starts: Integers) -> Floats:
    """Return ``y - (I - alpha S) f``."""
    r = np.empty_like(f)
    for c in prange(len(starts) - 1):
        for i in range(starts[c], starts[c + 1]):
            r[i] = y[i] - f[i] + alpha * _row_product(S, i, f)
    return r


@njit(cache=True, parallel=True)
def residual_many(S: Sparse, alpha: float, f: Floats, y: Floats, starts: Integers) -> Floats:
    """Return ``y - (I - alpha S) f`` for each column."""
    r = np.empty_like(f)
    for c in prange(len(starts) - 1):
        for i in range(starts[c], starts[c + 1]):
            f_row, y_row, r_row = f[i], y[i], r[i]
            _row_products(S, i, f, r_row)
            for j in range(len(r_row)):
                r_row[j] = y_row[j] - f_row[j] + alpha * r_row[j]
    return r


@njit(cache=True, parallel=True)
def squares(x: AnyArray, starts: Integers) -> Floats:
    """Return the sum of squares over each chunk."""
    sums = np.empty(len(starts) - 1)
    for c in prange(len(sums)):
        sums[c] = _square(x[starts[c] : starts[c + 1]])
    return sums


@njit(cache=True, parallel=True)
def squares_many(x: AnyArray, starts: Integers) -> Floats:
    """Return the sum of squares of each column over each chunk."""
    sums = np.zeros((len(starts) - 1, x.shape[1]))
    for c in prange(len(sums)):
        for i in range(starts[c], starts[c + 1]):
            x_row, sum_row = x[i], sums[c]
            for j in range(len(x_row)):
                sum_row[j] += np.float64(x_row[j]) * x_row[j]
    return sums


@njit(cache=True, fastmath=_ANY_ORDER)
def _square(x: AnyArray) -> float:
    total = 0.0
    for value in x:
        total += value * value
    return total


@njit(cache=True, parallel=True)
def apply(
    S: Sparse, alpha: float, p: Floats, starts: Integers, working: Booleans, q: Floats, sums: Floats
) -> None:
    """Set ``q = (I - alpha S) p``, and `sums` to ``p'q`` over each chunk."""
    for c in prange(len(working)):
        if working[c]:
            total = 0.0
            for i in range(starts[c], starts[c + 1]):
                q[i] = p[i] - alpha * _row_product(S, i, p)
                total += p[i] * q[i]
            sums[c] = total


@njit(cache=True, parallel=True)
def apply_many(
    S: Sparse, alpha: float, p: AnyArray, starts: Integers, working: Booleans, q: AnyArray, sums: AnyArray
) -> None:
    """Set ``q = (I - alpha S) p``, and `sums` to ``p'q`` of each column over each chunk."""
    for c in prange(len(working)):
        if working[c]:
            _apply_columns(S, p.dtype.type(alpha), p, starts[c], starts[c + 1], q, sums[c])


@njit(cache=True)
def _apply_columns(
    S: Sparse, alpha: float, p: AnyArray, start: int, stop: int, q: AnyArray, sums: AnyArray
) -> None:
    for j in range(len(sums)):
        sums[j] = 0.0
    for i in range(start, stop):
        p_row, q_row = p[i], q[i]
        _row_products(S, i, p, q_row)
        for j in range(len(sums)):
            q_row[j] = p_row[j] - alpha * q_row[j]
            sums[j] += p_row[j] * q_row[j]


@njit(cache=True, parallel=True)
def step(
    sizes: Floats,
    p: Floats,
    q: Floats,
    starts: Integers,
    working: Booleans,
    f: Floats,
    r: Floats,
    sums: Floats,
) -> None:
    """Go along p: ``f += size p``, ``r -= size q``, and set `sums` to ``r'r`` over each chunk."""
    for c in prange(len(working)):
        if working[c]:
            rows = slice(starts[c], starts[c + 1])
            sums[c] = _step(sizes[c], p[rows], q[rows], f[rows], r[rows])


@njit(cache=True, fastmath=_ANY_ORDER)
def _step(size: float, p: Floats, q: Floats, f: Floats, r: Floats) -> float:
    total = 0.0
    for i in range(len(p)):
        f[i] += size * p[i]
        r[i] -= size * q[i]
        total += r[i] * r[i]
    return total


@njit(cache=True, parallel=True)
def step_many(
    sizes: AnyArray,
    p: AnyArray,
    q: AnyArray,
    starts: Integers,
    working: Booleans,
    f: AnyArray,
    r: AnyArray,
    sums: AnyArray,
) -> None:
    """Go along each column of p, and set `sums` to ``r'r`` of each column over each chunk."""
    for c in prange(len(working)):
        if working[c]:
            rows = slice(starts[c], starts[c + 1])
            _step_columns(sizes[c], p[rows], q[rows], f[rows], r[rows], sums[c])


@njit(cache=True)
def _step_columns(
    sizes: AnyArray, p: AnyArray, q: AnyArray, f: AnyArray, r: AnyArray, sums: AnyArray
) -> None:
    for j in range(len(sums)):
        sums[j] = 0.0
    for i in range(len(p)):
        p_row, q_row, f_row, r_row = p[i], q[i], f[i], r[i]
        for j in range(len(sums)):
            f_row[j] += sizes[j] * p_row[j]
            r_row[j] -= sizes[j] * q_row[j]
            sums[j] += r_row[j] * r_row[j]


@njit(cache=True, parallel=True)
def turn(shares: Floats, r: Floats, starts: Integers, working: Booleans, p: Floats) -> None:
    """Turn to the next direction: ``p = r + share p``."""
    for c in prange(len(working)):
        if working[c]:
            _turn(shares[c], r[starts[c] : starts[c + 1]], p[starts[c] : starts[c + 1]])


@njit(cache=True)
def _turn(share: float, r: Floats, p: Floats) -> None:
    for i in range(len(p)):
        p[i] = r[i] + share * p[i]


@njit(cache=True, parallel=True)
def turn_many(shares: AnyArray, r: AnyArray, starts: Integers, working: Booleans, p: AnyArray) -> None:
    """Turn each column to its next direction."""
    for c in prange(len(working)):
        if working[c]:
            for i in range(starts[c], starts[c + 1]):
                p_row, r_row, share = p[i], r[i], shares[c]
                for j in range(len(share)):
                    p_row[j] = r_row[j] + share[j] * p_row[j]


@njit(cache=True, parallel=True)
def spread(
    S: Sparse,
    alpha: float,
    f: Floats,
    y: Floats,
    starts: Integers,
    working: Booleans,
    new: Floats,
    sums: Floats,
) -> None:
    """Set ``new = alpha S f + y``, and `sums` to the squared change over each chunk."""
    for c in prange(len(working)):
        if working[c]:
            total = 0.0
            for i in range(starts[c], starts[c + 1]):
                new[i] = alpha * _row_product(S, i, f) + y[i]
                total += (new[i] - f[i]) ** 2
            sums[c] = total


@njit(cache=True, parallel=True)
def move_many(
    S: Sparse,
    alpha: float,
    keep: AnyArray,
    add: AnyArray,
    move: AnyArray,
    starts: Integers,
    working: Booleans,
    f: AnyArray,
    r: AnyArray,
    new: AnyArray,
) -> None:
    """Make a move, ``f += move`` and ``r -= (I - alpha S) move``, and set the next, ``keep move + add r``."""
    for c in prange(len(working)):
        if working[c]:
            _move_columns(
                S, move.dtype.type(alpha), keep[c], add[c], move, starts[c], starts[c + 1], f, r, new
            )


@njit(cache=True)
def _move_columns(
    S: Sparse,
    alpha: float,
    keep: AnyArray,
    add: AnyArray,
    move: AnyArray,
    start: int,
    stop: int,
    f: AnyArray,
    r: AnyArray,
    new: AnyArray,
) -> None:
    for i in range(start, stop):
        move_row, f_row, r_row, new_row = move[i], f[i], r[i], new[i]
        _row_products(S, i, move, new_row)
        for j in range(len(keep)):
            f_row[j] += move_row[j]
            r_row[j] += alpha * new_row[j] - move_row[j]
            new_row[j] = keep[j] * move_row[j] + add[j] * r_row[j]

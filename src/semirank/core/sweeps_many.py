"""The steps of `semirank.core.sweeps` for many right-hand sides, the LANES columns of matrices.

One sweep over the edges serves all columns. Sums come for each chunk and column.
"""

import numpy as np
from numba import njit

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.lanes import sum_of_rows
from semirank.core.sweeps import Components, Sparse


@njit(cache=True, nogil=True)
def _spread_row(S: Sparse, i: int, f: AnyArray, out: AnyArray) -> None:
    """Set row i of `out` to row i of S times f."""
    sum_of_rows(S.weights, S.indices, S.indptr[i], S.indptr[i + 1], f, out, i)


@njit(cache=True, nogil=True)
def residual(
    S: Sparse, alpha: float, f: AnyArray, y: AnyArray, r: AnyArray, starts: Integers, first: int, last: int
) -> None:
    """Set ``r = y - (I - alpha S) f``."""
    for i in range(starts[first], starts[last]):
        f_row, y_row, r_row = f[i], y[i], r[i]
        _spread_row(S, i, f, r)
        for j in range(len(r_row)):
            r_row[j] = y_row[j] - f_row[j] + alpha * r_row[j]


@njit(cache=True, nogil=True)
def level(alpha: float, known: Components, f: Floats, r: Floats, scale: Floats) -> None:
    """Solve for the part of r along ``D^1/2 1`` in each component, as in `semirank.core.sweeps.level`."""
    roots, parts = known.roots, known.parts
    shares = np.zeros((len(known.volumes), r.shape[1]))
    for i in range(len(r)):
        share, r_row = shares[parts[i]], r[i]
        for j in range(len(r_row)):
            share[j] += roots[i] * r_row[j]
    for c in range(len(shares)):
        for j in range(r.shape[1]):
            shares[c, j] = shares[c, j] / known.volumes[c] if known.volumes[c] > 0.0 else 0.0
    for i in range(len(r)):
        share, r_row, f_row, scale_row = shares[parts[i]], r[i], f[i], scale[i]
        for j in range(len(r_row)):
            r_row[j] -= share[j] * roots[i]
            f_row[j] += scale_row[j] * share[j] * roots[i] / (1.0 - alpha)


@njit(cache=True, nogil=True)
def squares(x: AnyArray, sums: AnyArray, starts: Integers, first: int, last: int) -> None:
    """Set `sums` to the sum of squares of each column over each chunk."""
    for c in range(first, last):
        sums[c, :] = 0.0
        for i in range(starts[c], starts[c + 1]):
            x_row, sum_row = x[i], sums[c]
            for j in range(len(x_row)):
                sum_row[j] += np.float64(x_row[j]) * np.float64(x_row[j])


@njit(cache=True, nogil=True)
def apply(
    S: Sparse,
    alpha: float,
    p: AnyArray,
    q: AnyArray,
    sums: AnyArray,
    working: Booleans,
    starts: Integers,
    first: int,
    last: int,
) -> None:
    """Set ``q = (I - alpha S) p``, and `sums` to ``p'q`` over each chunk."""
    share = p.dtype.type(alpha)
    for c in range(first, last):
        if working[c]:
            sums[c, :] = 0.0
            for i in range(starts[c], starts[c + 1]):
                p_row, q_row, sum_row = p[i], q[i], sums[c]
                _spread_row(S, i, p, q)
                for j in range(len(p_row)):
                    q_row[j] = p_row[j] - share * q_row[j]
                    sum_row[j] += p_row[j] * q_row[j]


@njit(cache=True, nogil=True)
def step(
    sizes: AnyArray,
    p: AnyArray,
    q: AnyArray,
    f: AnyArray,
    r: AnyArray,
    sums: AnyArray,
    working: Booleans,
    starts: Integers,
    first: int,
    last: int,
) -> None:
    """Go along p: ``f += size p``, ``r -= size q``, and set `sums` to ``r'r`` over each chunk."""
    for c in range(first, last):
        if working[c]:
            sums[c, :] = 0.0
            for i in range(starts[c], starts[c + 1]):
                size, sum_row = sizes[c], sums[c]
                p_row, q_row, f_row, r_row = p[i], q[i], f[i], r[i]
                for j in range(len(p_row)):  # two loops: with fewer arrays each is vectorised better
                    f_row[j] += size[j] * p_row[j]
                for j in range(len(p_row)):
                    r_row[j] -= size[j] * q_row[j]
                    sum_row[j] += r_row[j] * r_row[j]


@njit(cache=True, nogil=True)
def turn(
    shares: AnyArray,
    r: AnyArray,
    p: AnyArray,
    working: Booleans,
    starts: Integers,
    first: int,
    last: int,
) -> None:
    """Turn to the next direction: ``p = r + share p``."""
    for c in range(first, last):
        if working[c]:
            for i in range(starts[c], starts[c + 1]):
                share, p_row, r_row = shares[c], p[i], r[i]
                for j in range(len(p_row)):
                    p_row[j] = r_row[j] + share[j] * p_row[j]


@njit(cache=True, nogil=True)
def move(
    S: Sparse,
    alpha: float,
    keep: AnyArray,
    add: AnyArray,
    moves: AnyArray,
    f: AnyArray,
    r: AnyArray,
    new: AnyArray,
    working: Booleans,
    starts: Integers,
    first: int,
    last: int,
) -> None:
    """Make a move, ``f += move`` and ``r -= (I - alpha S) move``, and set the next: ``keep move + add r``."""
    share = moves.dtype.type(alpha)
    for c in range(first, last):
        if working[c]:
            for i in range(starts[c], starts[c + 1]):
                keep_row, add_row = keep[c], add[c]
                move_row, f_row, r_row, new_row = moves[i], f[i], r[i], new[i]
                _spread_row(S, i, moves, new)
                for j in range(len(move_row)):
                    f_row[j] += move_row[j]
                    r_row[j] += share * new_row[j] - move_row[j]
                    new_row[j] = keep_row[j] * move_row[j] + add_row[j] * r_row[j]

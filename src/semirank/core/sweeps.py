"""Sweeps over the rows of a sparse matrix, chunk by chunk: the steps that iterative solvers are made of.

Every step works on the chunks `first` to `last`, so that threads can share them. Chunks never cross a list,
and each sum is over one chunk: neither the number of threads nor another list changes a bit. Chunks that
are not `working` are left alone. `semirank.core.sweeps_many` has the same steps for many right-hand sides.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers

CHUNK = 1024

_ANY_ORDER = {"reassoc", "nsz", "contract"}  # the order of a sum then depends on its length alone


class Sparse(NamedTuple):
    """Compressed rows. Unsigned indices make the compiled loops quicker."""

    indptr: AnyArray
    indices: AnyArray
    weights: AnyArray


class Components(NamedTuple):
    """What is known of S beforehand: ``D^1/2 1`` of each component is an eigenvector for the eigenvalue 1.

    roots: square roots of the degrees; parts: the component of each row; volumes: the sum of the degrees of
    each component.
    """

    roots: Floats
    parts: Integers
    volumes: Floats


def cut(lists: Integers) -> tuple[Integers, Integers]:
    """Cut each list into chunks of at most CHUNK rows.

    lists: (n_lists + 1,), where each list starts. Returns where each chunk starts, with one more entry for
    the end, and the list of each chunk.
    """
    per_list = -(-np.diff(lists) // CHUNK)
    owners = np.repeat(np.arange(len(per_list)), per_list)
    place = np.arange(len(owners)) - np.repeat(np.cumsum(per_list) - per_list, per_list)
    return np.append(lists[owners] + CHUNK * place, lists[-1]), owners


@njit(cache=True, nogil=True)
def _spread_rows(S: Sparse, f: AnyArray, start: int, stop: int, out: AnyArray) -> None:
    """Set `out` to the rows start..stop of S times f."""
    indptr, indices, weights = S.indptr[start : stop + 1], S.indices, S.weights
    first = indptr[0]
    for i in range(stop - start):
        last = indptr[i + 1]
        total = weights.dtype.type(0.0)
        for e in range(first, last):
            total += weights[e] * f[indices[e]]
        out[i] = total
        first = last


@njit(cache=True, nogil=True)
def residual(
    S: Sparse, alpha: float, f: AnyArray, y: AnyArray, r: AnyArray, starts: Integers, first: int, last: int
) -> None:
    """Set ``r = y - (I - alpha S) f``."""
    for c in range(first, last):
        rows = slice(starts[c], starts[c + 1])
        f_rows, y_rows, r_rows = f[rows], y[rows], r[rows]
        _spread_rows(S, f, starts[c], starts[c + 1], r_rows)
        for i in range(len(r_rows)):
            r_rows[i] = y_rows[i] - f_rows[i] + alpha * r_rows[i]


@njit(cache=True, nogil=True)
def level(alpha: float, known: Components, f: Floats, r: Floats, scale: Floats) -> None:
    """Solve for the part of r along ``D^1/2 1`` in each component, where ``I - alpha S`` is ``1 - alpha``.

    Takes that part from r, and adds the solution times `scale` to f.
    """
    roots, parts = known.roots, known.parts
    shares = np.zeros(len(known.volumes))
    for i in range(len(r)):
        shares[parts[i]] += roots[i] * r[i]
    for c in range(len(shares)):
        shares[c] = shares[c] / known.volumes[c] if known.volumes[c] > 0.0 else 0.0
    for i in range(len(r)):
        part = shares[parts[i]] * roots[i]
        r[i] -= part
        f[i] += scale[i] * part / (1.0 - alpha)


@njit(cache=True, nogil=True)
def squares(x: AnyArray, sums: AnyArray, starts: Integers, first: int, last: int) -> None:
    """Set `sums` to the sum of squares over each chunk."""
    for c in range(first, last):
        sums[c] = _product(x[starts[c] : starts[c + 1]], x[starts[c] : starts[c + 1]])


@njit(cache=True, nogil=True, fastmath=_ANY_ORDER)
def _product(x: AnyArray, y: AnyArray) -> float:
    total = 0.0
    for i in range(len(x)):
        total += np.float64(x[i]) * np.float64(y[i])
    return total


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
            p_rows, q_rows = p[starts[c] : starts[c + 1]], q[starts[c] : starts[c + 1]]
            _spread_rows(S, p, starts[c], starts[c + 1], q_rows)
            for i in range(len(p_rows)):
                q_rows[i] = p_rows[i] - share * q_rows[i]
            sums[c] = _product(p_rows, q_rows)


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
            rows, size = slice(starts[c], starts[c + 1]), sizes[c]
            p_rows, q_rows, f_rows, r_rows = p[rows], q[rows], f[rows], r[rows]
            for i in range(len(p_rows)):
                f_rows[i] += size * p_rows[i]
                r_rows[i] -= size * q_rows[i]
            sums[c] = _product(r_rows, r_rows)


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
            rows, share = slice(starts[c], starts[c + 1]), shares[c]
            p_rows, r_rows = p[rows], r[rows]
            for i in range(len(p_rows)):
                p_rows[i] = r_rows[i] + share * p_rows[i]


@njit(cache=True, nogil=True)
def spread(
    S: Sparse,
    alpha: float,
    f: AnyArray,
    y: AnyArray,
    new: AnyArray,
    sums: AnyArray,
    working: Booleans,
    starts: Integers,
    first: int,
    last: int,
) -> None:
    """Set ``new = alpha S f + y``, and `sums` to the squared change over each chunk."""
    for c in range(first, last):
        if working[c]:
            rows = slice(starts[c], starts[c + 1])
            f_rows, y_rows, new_rows = f[rows], y[rows], new[rows]
            _spread_rows(S, f, starts[c], starts[c + 1], new_rows)
            change = 0.0
            for i in range(len(new_rows)):
                new_rows[i] = alpha * new_rows[i] + y_rows[i]
                change += (new_rows[i] - f_rows[i]) ** 2
            sums[c] = change

"""Solvers of ``(I - alpha S) f = y`` on a block-diagonal graph, one block for each list.

S is symmetric with eigenvalues in [-1, 1], so that the system is positive definite with eigenvalues in
[1 - alpha, 1 + alpha]. y has one right-hand side in each column. Every list and column has its own steps, and
stops when ``|y - (I - alpha S) f| <= tol |y|`` in the Euclidean norm over the items of the list.

`solve` takes the columns in blocks and adds up corrections. In float32 these are quick, and they are repeated
until the residual, taken in float64, is small enough. A correction goes along directions p: ``f += a p``,
``r -= a (I - alpha S) p``, ``p = r + b p``. Solvers differ in the sizes a and the shares b (`RECURRENCES`).

The compiled steps at the end work on chunks of rows, so that threads can share them. Chunks never cross a
list, and each sum is over one chunk: neither the number of threads nor another list changes a bit.
"""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.simd import sum_of_rows
from semirank.core.threads import in_parallel

CHUNK = 1024
LANES = 16
"""Columns of a block: one sweep over the edges serves all of them."""

FEW = LANES // 4
"""So many columns are solved one by one."""

BYTES_OF_A_NUMBER = 48
MOST_BYTES = 2**31
"""What the vectors of the blocks that are solved at the same time may take."""

WORK_OF_A_THREAD = 2_000_000
"""Multiplications in a sweep that make another thread worth its while."""

SMALLEST_TOL = 1e-15
FINEST = {np.float32: 1e-5, np.float64: SMALLEST_TOL}
"""How far one correction brings the residual down; beyond, rounding would spoil it."""

_ANY_ORDER = {"reassoc", "nsz", "contract"}  # the order of a sum then depends on its length alone

Lanes = tuple[int, ...]
"""As many entries as a block has columns: compiled code then knows their number."""


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


class Equation(NamedTuple):
    """What is to be solved, and on how many threads at most.

    lists: (n_lists + 1,), where each list starts. known: what need not be found by sweeps. light: the weights
    of S in float32, None to make them.
    """

    S: Sparse
    lists: Integers
    alpha: float
    tol: float
    max_iter: int
    n_threads: int = 1
    known: Components | None = None
    light: AnyArray | None = None


class Recurrence(NamedTuple):
    """How a correction goes on: its precision, the sizes of its steps and what is kept of recurrence.

    size: sweep, alpha, r'r, p'(I - alpha S)p -> how far to go along p. share: sweep, alpha, r'r after and
    before the step -> how much of p stays in the next direction.
    """

    precision: Any
    size: Callable[[int, float, Floats, Floats], Any]
    share: Callable[[int, float, Floats, Floats], Any]


def _chebyshev(t: int, alpha: float) -> tuple[float, float]:
    """Return size and share of sweep t on the spectrum [1 - alpha, 1 + alpha]."""
    if alpha == 0.0:
        return 1.0, 0.0
    eta = np.arccosh(1.0 / alpha)
    rho = np.exp(-eta) * (1.0 + np.exp(-2.0 * t * eta)) / (1.0 + np.exp(-2.0 * (t + 1) * eta))
    size = 2.0 * rho / alpha if t else 1.0
    return size, rho * alpha * size / 2.0


RECURRENCES = {
    "cg": Recurrence(np.float32, lambda t, alpha, rr, pq: rr / pq, lambda t, alpha, rr, old: rr / old),
    "chebyshev": Recurrence(
        np.float32,
        lambda t, alpha, rr, pq: _chebyshev(t, alpha)[0],
        lambda t, alpha, rr, old: _chebyshev(t, alpha)[1],
    ),
    # f <- alpha S f + y: as a correction to y / (1 - alpha) this gives, after t sweeps, 1 / (1 - alpha) times
    # the f(t) of Zhou et al., which starts from y
    "iterate": Recurrence(np.float64, lambda t, alpha, rr, pq: 1.0, lambda t, alpha, rr, old: 0.0),
}

Solved = tuple[Floats, Integers, Floats]
"""Scores; for each list and column the sweeps over the edges and the relative residual."""


def solve(recurrence: Recurrence, equation: Equation, y: Floats, start: Floats | None = None) -> Solved:
    """Solve for the columns of y; start: scores to begin with, None for 0.

    Blocks are solved in parallel, as many as memory allows; threads that are left over share each block.
    """
    n_items, n_columns = y.shape
    n_lanes = 1 if n_columns <= FEW else LANES
    chunks, n_lists = cut(equation.lists), len(equation.lists) - 1
    fitting = MOST_BYTES // (BYTES_OF_A_NUMBER * n_lanes * max(n_items, 1))
    work_of_a_column = len(equation.S.weights) / WORK_OF_A_THREAD
    n_threads = max(1, min(equation.n_threads, int(work_of_a_column * n_columns)))
    n_at_once = max(1, min(n_threads, fitting, -(-n_columns // n_lanes)))
    n_inside = max(1, min(n_threads // n_at_once, int(work_of_a_column * n_lanes)))

    def solve_block(at: int) -> Solved:
        columns = slice(at, at + n_lanes)
        begin = None if start is None else _filled(start[:, columns], n_lanes)
        with ThreadPoolExecutor(n_inside) if n_inside > 1 else nullcontext() as pool:
            system = System(equation.S, equation.alpha, (0,) * n_lanes, *chunks, n_lists, n_inside, pool)
            return _refine(recurrence, system, equation, _filled(y[:, columns], n_lanes), begin)

    solved = in_parallel(solve_block, range(0, n_columns, n_lanes), n_at_once)
    f, sweeps, residual = (np.hstack(parts)[:, :n_columns] for parts in zip(*solved, strict=True))
    return f, sweeps, residual


def _filled(columns: Floats, n_lanes: int) -> Floats:
    """Return the columns side by side in memory; empty ones fill up the last block."""
    filled = np.zeros((len(columns), n_lanes))
    filled[:, : columns.shape[1]] = columns
    return filled


class System(NamedTuple):
    """The matrix ``I - alpha S``, its rows cut into chunks, and the threads that share these."""

    S: Sparse
    alpha: float
    lanes: Lanes
    starts: Integers
    owners: Integers
    n_lists: int
    n_threads: int
    pool: Executor | None

    def each(self, step: Callable[..., None], *arguments: Any) -> None:
        """Do a step on all chunks."""
        if self.pool is None:
            step(self.lanes, *arguments, self.starts, 0, len(self.owners))
            return
        bounds = np.linspace(0, len(self.owners), self.n_threads + 1).astype(np.int64)
        fixed = map(repeat, (self.lanes, *arguments, self.starts))
        list(self.pool.map(step, *fixed, bounds[:-1], bounds[1:]))

    def add(self, sums: AnyArray) -> Floats:
        """Add up sums over chunks to sums over lists, chunk after chunk."""
        totals = np.zeros((self.n_lists, sums.shape[1]))
        np.add.at(totals, self.owners, sums)
        return totals

    def norms(self, x: AnyArray) -> Floats:
        """Return the Euclidean norm over each list."""
        sums = np.zeros((len(self.owners), x.shape[1]))
        self.each(squares, x, sums)
        return np.sqrt(self.add(sums))

    def residual(self, f: Floats, y: Floats) -> Floats:
        """Return ``y - (I - alpha S) f``."""
        r = np.empty_like(y)
        self.each(residual, self.S, self.alpha, f, y, r)
        return r


def _refine(
    recurrence: Recurrence, exact: System, equation: Equation, y: Floats, start: Floats | None
) -> Solved:
    """Add up corrections until the residual of each list and column is small enough."""
    weights = equation.light
    if weights is None or weights.dtype != recurrence.precision:
        weights = exact.S.weights.astype(recurrence.precision, copy=False)
    coarse = exact._replace(S=exact.S._replace(weights=weights))
    labels = exact.norms(y)
    goal = max(equation.tol, SMALLEST_TOL) * labels
    sizes = np.diff(equation.lists)
    f = np.zeros_like(y) if start is None else np.where(np.repeat(labels > 0.0, sizes, axis=0), start, 0.0)
    r = y if start is None else exact.residual(f, y)
    n_sweeps = np.zeros(labels.shape, dtype=np.int64)
    while True:
        left = exact.norms(r)
        unfinished = (left > goal) & (n_sweeps < equation.max_iter)
        if not unfinished.any():
            return f, n_sweeps, np.divide(left, labels, out=np.zeros_like(left), where=labels > 0.0)
        scale = np.where(unfinished, left, 1.0)
        scale_of_row = np.repeat(scale, sizes, axis=0)
        rest = np.where(np.repeat(unfinished, sizes, axis=0), r / scale_of_row, 0.0)
        if equation.known is not None:
            deflate(equation.alpha, equation.known, f, rest, scale_of_row)
        missing = exact.norms(rest)
        share = np.divide(goal / scale, missing, out=np.ones_like(goal), where=unfinished & (missing > 0.0))
        share = np.clip(share, FINEST[recurrence.precision], 1.0)
        budget = equation.max_iter - n_sweeps
        correction, more = _correct(recurrence, coarse, rest.astype(recurrence.precision), share, budget)
        f += correction * scale_of_row
        n_sweeps += np.maximum(more, unfinished)
        r = exact.residual(f, y)


def _correct(
    recurrence: Recurrence, system: System, y: AnyArray, share: Floats, max_sweeps: Integers
) -> tuple[AnyArray, Integers]:
    """Solve from 0 until `share` of the residual is left; return f and the sweeps that each column took."""
    S, alpha, owners = system.S, system.alpha, system.owners
    f, r, p, q = np.zeros_like(y), y.copy(), y.copy(), np.zeros_like(y)
    # one column is summed in float64, which costs nothing; of many, float32 doubles the speed
    sums = np.zeros((len(owners), y.shape[1]), dtype=np.float64 if y.shape[1] == 1 else y.dtype)
    n_sweeps = np.zeros(share.shape, dtype=np.int64)
    rr = system.norms(y) ** 2
    goal = share**2 * rr
    t = 0
    while (active := (rr > goal) & (n_sweeps < max_sweeps)).any():
        working = np.logical_or.reduce(active, axis=1)[owners]
        system.each(apply, S, alpha, p, q, sums, working)
        with np.errstate(divide="ignore", invalid="ignore"):
            sizes = np.where(active, recurrence.size(t, alpha, rr, system.add(sums)), 0.0)
        system.each(step, sizes[owners].astype(y.dtype), p, q, f, r, sums, working)
        old, rr = rr, system.add(sums)
        with np.errstate(divide="ignore", invalid="ignore"):
            kept = np.where(active, recurrence.share(t, alpha, rr, old), 0.0)
        system.each(turn, kept[owners].astype(y.dtype), r, p, working)
        n_sweeps += active
        t += 1
    return f, n_sweeps


def cut(lists: Integers) -> tuple[Integers, Integers]:
    """Cut each list into chunks of at most CHUNK rows.

    lists: (n_lists + 1,), where each list starts. Returns where each chunk starts, with one more entry for
    the end, and the list of each chunk.
    """
    per_list = -(-np.diff(lists) // CHUNK)
    owners = np.repeat(np.arange(len(per_list)), per_list)
    place = np.arange(len(owners)) - np.repeat(np.cumsum(per_list) - per_list, per_list)
    return np.append(lists[owners] + CHUNK * place, lists[-1]), owners


@compiled()
def deflate(alpha: float, known: Components, f: Floats, r: Floats, scale: Floats) -> None:
    """Solve for the part of r along ``D^1/2 1`` in each component, where ``I - alpha S`` is ``1 - alpha``.

    Takes that part from r, and adds the solution times `scale` to f.
    """
    roots, parts = known.roots, known.parts
    shares = np.zeros((len(known.volumes), r.shape[1]))
    for i in range(len(r)):
        share, r_row = shares[parts[i]], r[i]
        for j in range(len(r_row)):
            share[j] += roots[i] * r_row[j]
    for c in range(len(shares)):
        shares[c] /= known.volumes[c] if known.volumes[c] > 0.0 else np.inf
    for i in range(len(r)):
        share, r_row, f_row, scale_row = shares[parts[i]], r[i], f[i], scale[i]
        for j in range(len(r_row)):
            part = share[j] * roots[i]
            r_row[j] -= part
            f_row[j] += scale_row[j] * part / (1.0 - alpha)


@compiled()
def residual(
    lanes: Lanes,
    S: Sparse,
    alpha: float,
    f: AnyArray,
    y: AnyArray,
    r: AnyArray,
    starts: Integers,
    first: int,
    last: int,
) -> None:
    """Set ``r = y - (I - alpha S) f``."""
    flat_f, flat_y, flat_r = f.ravel(), y.ravel(), r.ravel()
    for c in range(first, last):
        rows = slice(starts[c] * len(lanes), starts[c + 1] * len(lanes))
        f_rows, y_rows, r_rows = flat_f[rows], flat_y[rows], flat_r[rows]
        _spread(lanes, S, flat_f, starts[c], starts[c + 1], r_rows)
        for i in range(len(r_rows)):
            r_rows[i] = y_rows[i] - f_rows[i] + alpha * r_rows[i]


@compiled()
def squares(lanes: Lanes, x: AnyArray, sums: AnyArray, starts: Integers, first: int, last: int) -> None:
    """Set `sums` to the sum of squares of each column over each chunk."""
    flat = x.ravel()
    for c in range(first, last):
        rows = slice(starts[c] * len(lanes), starts[c + 1] * len(lanes))
        _sum_products(lanes, flat[rows], flat[rows], sums[c])


@compiled()
def apply(
    lanes: Lanes,
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
    flat_p, flat_q, share = p.ravel(), q.ravel(), p.dtype.type(alpha)
    for c in range(first, last):
        if working[c]:
            rows = slice(starts[c] * len(lanes), starts[c + 1] * len(lanes))
            p_rows, q_rows = flat_p[rows], flat_q[rows]
            _spread(lanes, S, flat_p, starts[c], starts[c + 1], q_rows)
            for i in range(len(p_rows)):
                q_rows[i] = p_rows[i] - share * q_rows[i]
            _sum_products(lanes, p_rows, q_rows, sums[c])


@compiled()
def step(
    lanes: Lanes,
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
    n_lanes, flat_p, flat_q, flat_f, flat_r = len(lanes), p.ravel(), q.ravel(), f.ravel(), r.ravel()
    for c in range(first, last):
        if working[c] and n_lanes == 1:
            rows, size = slice(starts[c], starts[c + 1]), sizes[c, 0]
            p_rows, q_rows, f_rows, r_rows = flat_p[rows], flat_q[rows], flat_f[rows], flat_r[rows]
            for i in range(len(p_rows)):
                f_rows[i] += size * p_rows[i]
                r_rows[i] -= size * q_rows[i]
            _sum_products(lanes, r_rows, r_rows, sums[c])
        elif working[c]:
            sums[c, :] = 0.0
            for i in range(starts[c], starts[c + 1]):
                size_row, sum_row = sizes[c], sums[c]
                p_row, q_row, f_row, r_row = p[i], q[i], f[i], r[i]
                for j in range(len(p_row)):  # two loops: with fewer arrays each is vectorised better
                    f_row[j] += size_row[j] * p_row[j]
                for j in range(len(p_row)):
                    r_row[j] -= size_row[j] * q_row[j]
                    sum_row[j] += r_row[j] * r_row[j]


@compiled()
def turn(
    lanes: Lanes,
    shares: AnyArray,
    r: AnyArray,
    p: AnyArray,
    working: Booleans,
    starts: Integers,
    first: int,
    last: int,
) -> None:
    """Turn to the next direction: ``p = r + share p``."""
    flat_r, flat_p = r.ravel(), p.ravel()
    for c in range(first, last):
        if working[c] and len(lanes) == 1:
            rows, share = slice(starts[c], starts[c + 1]), shares[c, 0]
            r_rows, p_rows = flat_r[rows], flat_p[rows]
            for i in range(len(p_rows)):
                p_rows[i] = r_rows[i] + share * p_rows[i]
        elif working[c]:
            for i in range(starts[c], starts[c + 1]):
                share_row, r_row, p_row = shares[c], r[i], p[i]
                for j in range(len(p_row)):
                    p_row[j] = r_row[j] + share_row[j] * p_row[j]


@compiled()
def _spread(lanes: Lanes, S: Sparse, x: AnyArray, start: int, stop: int, out: AnyArray) -> None:
    """Set `out` to the rows start..stop of S times x."""
    indptr = S.indptr[start : stop + 1]
    for i in range(len(indptr) - 1):
        sum_of_rows(S.weights, S.indices, indptr[i], indptr[i + 1], x, out, i, lanes)


@compiled(fastmath=_ANY_ORDER)
def _sum_products(lanes: Lanes, x: AnyArray, y: AnyArray, sums: AnyArray) -> None:
    """Set `sums` to ``x'y`` of each column, in the precision of `sums`."""
    exact, n_lanes = sums.dtype.type, len(lanes)
    if n_lanes == 1:
        total = exact(0.0)
        for i in range(len(x)):
            total += exact(x[i]) * exact(y[i])
        sums[0] = total
        return
    sums[:] = 0.0
    for i in range(len(x) // n_lanes):
        x_row, y_row = x[i * n_lanes : (i + 1) * n_lanes], y[i * n_lanes : (i + 1) * n_lanes]
        for j in range(len(x_row)):
            sums[j] += exact(x_row[j]) * exact(y_row[j])

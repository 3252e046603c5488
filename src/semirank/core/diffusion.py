"""Solvers of ``(I - alpha S) f = y`` on a block-diagonal graph, one block for each list.

S is symmetric with eigenvalues in [-1, 1], so that the system is positive definite with eigenvalues in
[1 - alpha, 1 + alpha]. y is a vector, or LANES right-hand sides, one in each column. Every list and column
has its own steps, and stops when ``|y - (I - alpha S) f| <= tol |y|`` in the Euclidean norm over the items of
the list.

`solve` adds up corrections, which come from `cg`, `chebyshev` or `iterate`. In float32 these are quick, and
they are repeated until the residual, taken in float64, is small enough.
"""

from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from semirank.core import sweeps, sweeps_many
from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.sweeps import Components, Sparse, cut

SMALLEST_TOL = 1e-15
FINEST = {np.float32: 1e-5, np.float64: SMALLEST_TOL}
"""How far one correction brings the residual down; beyond, rounding would spoil it."""

WORK_OF_A_THREAD = 2_000_000
"""Multiplications in a sweep that make another thread worth its while."""


class Problem(NamedTuple):
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

    def weights(self, precision: Any) -> AnyArray:
        """Return the weights of S in this precision."""
        if self.light is not None and self.light.dtype == precision:
            return self.light
        return self.S.weights.astype(precision, copy=False)


class System(NamedTuple):
    """The matrix ``I - alpha S``, its rows cut into chunks, and the threads that share these."""

    S: Sparse
    alpha: float
    starts: Integers
    owners: Integers
    n_lists: int
    n_threads: int
    pool: Executor | None

    def each(self, step: Callable[..., None], *arguments: Any) -> None:
        """Do a step on all chunks."""
        if self.pool is None:
            step(*arguments, self.starts, 0, len(self.owners))
            return
        bounds = np.linspace(0, len(self.owners), self.n_threads + 1).astype(np.int64)
        parts = [
            self.pool.submit(step, *arguments, self.starts, *bounds[i : i + 2]) for i in range(self.n_threads)
        ]
        for part in parts:
            part.result()

    def add(self, sums: AnyArray) -> Floats:
        """Add up sums over chunks to sums over lists, chunk after chunk."""
        totals = np.zeros((self.n_lists, *sums.shape[1:]))
        np.add.at(totals, self.owners, sums)
        return totals

    def norms(self, x: AnyArray) -> Floats:
        """Return the Euclidean norm over each list."""
        sums = np.zeros((len(self.owners), *x.shape[1:]))
        self.each(_steps(x).squares, x, sums)
        return np.sqrt(self.add(sums))

    def residual(self, f: Floats, y: Floats) -> Floats:
        """Return ``y - (I - alpha S) f``."""
        r = np.empty_like(y)
        self.each(_steps(y).residual, self.S, self.alpha, f, y, r)
        return r

    def working(self, active: Booleans) -> Booleans:
        """Tell which chunks belong to a list with any active column."""
        return np.logical_or.reduce(active.reshape(self.n_lists, -1), axis=1)[self.owners]


Correct = Callable[[System, AnyArray, Floats, Integers], tuple[AnyArray, Integers]]
"""System, y, share, max_sweeps -> f and the sweeps it took, until `share` of the residual is left."""

Solved = tuple[Floats, Integers, Floats]
"""Scores; for each list (and column) the sweeps over the edges and the relative residual."""


def solve(
    correct: Correct, problem: Problem, y: Floats, start: Floats | None = None, precision: Any = np.float32
) -> Solved:
    """Solve for y, a vector or LANES columns; start: scores to begin with, None for 0."""
    work = len(problem.S.weights) * (y.size // max(len(y), 1))
    n_threads = max(1, min(problem.n_threads, work // WORK_OF_A_THREAD))
    with ThreadPoolExecutor(n_threads) if n_threads > 1 else nullcontext() as pool:
        starts, owners = cut(problem.lists)
        n_lists = len(problem.lists) - 1
        system = System(problem.S, problem.alpha, starts, owners, n_lists, n_threads, pool)
        return _refine(correct, system, problem, y, start, precision)


def _refine(
    correct: Correct, exact: System, problem: Problem, y: Floats, start: Floats | None, precision: Any
) -> Solved:
    coarse = exact._replace(S=exact.S._replace(weights=problem.weights(precision)))
    labels = exact.norms(y)
    goal = max(problem.tol, SMALLEST_TOL) * labels
    sizes = np.diff(problem.lists)
    f = np.zeros_like(y) if start is None else np.where(np.repeat(labels > 0.0, sizes, axis=0), start, 0.0)
    r = y if start is None else exact.residual(f, y)
    n_sweeps = np.zeros(labels.shape, dtype=np.int64)
    while True:
        left = exact.norms(r)
        unfinished = (left > goal) & (n_sweeps < problem.max_iter)
        if not unfinished.any():
            return f, n_sweeps, np.divide(left, labels, out=np.zeros_like(left), where=labels > 0.0)
        scale = np.where(unfinished, left, 1.0)
        scale_of_row = np.repeat(scale, sizes, axis=0)
        rest = np.where(np.repeat(unfinished, sizes, axis=0), r / scale_of_row, 0.0)
        if problem.known is not None:
            _steps(y).level(problem.alpha, problem.known, f, rest, scale_of_row)
        share = np.divide(goal / scale, exact.norms(rest), out=np.ones_like(goal), where=unfinished)
        share = np.clip(share, FINEST[precision], 1.0)
        correction, more = correct(coarse, rest.astype(precision), share, problem.max_iter - n_sweeps)
        f += correction * scale_of_row
        n_sweeps += np.maximum(more, unfinished)
        r = exact.residual(f, y)


def cg(system: System, y: AnyArray, share: Floats, max_sweeps: Integers) -> tuple[AnyArray, Integers]:
    """Conjugate gradients from 0."""
    do, owners = _steps(y), system.owners
    f, r, p, q = np.zeros_like(y), y.copy(), y.copy(), np.zeros_like(y)
    sums = np.zeros((len(owners), *y.shape[1:]), dtype=y.dtype)
    n_sweeps = np.zeros(share.shape, dtype=np.int64)
    rr = system.norms(y) ** 2
    goal = share**2 * rr
    while (active := (rr > goal) & (n_sweeps < max_sweeps)).any():
        working = system.working(active)
        system.each(do.apply, system.S, system.alpha, p, q, sums, working)
        sizes = _quotient(rr, system.add(sums), active)[owners].astype(y.dtype)
        system.each(do.step, sizes, p, q, f, r, sums, working)
        old, rr = rr, system.add(sums)
        shares = _quotient(rr, old, active)[owners].astype(y.dtype)
        system.each(do.turn, shares, r, p, working)
        n_sweeps += active
    return f, n_sweeps


def chebyshev(system: System, y: AnyArray, share: Floats, max_sweeps: Integers) -> tuple[AnyArray, Integers]:
    """Chebyshev iteration from 0 on the spectrum [1 - alpha, 1 + alpha]; y: columns.

    No sums over a list are needed, and the number of sweeps is known beforehand: t of them leave at most
    ``1 / cosh(t arccosh(1 / alpha))`` of the residual.
    """
    S, alpha, owners = system.S, system.alpha, system.owners
    needed = np.ceil(np.arccosh(1.0 / share) / np.arccosh(1.0 / alpha)).astype(np.int64)
    n_sweeps = np.minimum(needed, max_sweeps)
    f, r, moves, new = np.zeros_like(y), y.copy(), y.copy(), np.zeros_like(y)
    rho = alpha
    for t in range(n_sweeps.max(initial=0)):
        following = 1.0 / (2.0 / alpha - rho)
        goes_on = (n_sweeps > t + 1)[owners]
        keep = np.where(goes_on, following * rho, 0.0).astype(y.dtype)
        add = np.where(goes_on, 2.0 * following / alpha, 0.0).astype(y.dtype)
        working = system.working(n_sweeps > t)
        system.each(sweeps_many.move, S, alpha, keep, add, moves, f, r, new, working)
        moves, new, rho = new, moves, following
    return f, n_sweeps


def iterate(system: System, y: Floats, share: Floats, max_sweeps: Integers) -> tuple[Floats, Integers]:
    """Repeat ``f <- alpha S f + y`` from 0; y: a vector.

    As a correction to ``y / (1 - alpha)`` this gives, after t sweeps, 1 / (1 - alpha) times the f(t) of Zhou
    et al., which starts from y.
    """
    f, new, sums = np.zeros_like(y), np.zeros_like(y), np.zeros(len(system.owners))
    n_sweeps = np.zeros(share.shape, dtype=np.int64)
    labels = system.norms(y)
    change = np.where(labels > 0.0, np.inf, 0.0)
    while (active := (change > share * labels) & (n_sweeps < max_sweeps)).any():
        working = system.working(active)
        system.each(sweeps.spread, system.S, system.alpha, f, y, new, sums, working)
        np.copyto(f, new, where=np.repeat(working, np.diff(system.starts)))
        change = np.sqrt(system.add(sums))
        n_sweeps += active
    return f, n_sweeps


def _steps(y: AnyArray) -> ModuleType:
    return sweeps if y.ndim == 1 else sweeps_many


def _quotient(above: Floats, below: Floats, where: Booleans) -> Floats:
    """Divide where asked, elsewhere 0: a step of size 0 leaves a finished column as it is."""
    return np.divide(above, below, out=np.zeros_like(above), where=where)

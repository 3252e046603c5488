"""Solvers of ``(I - alpha S) f = y`` on a block-diagonal graph, one block for each list.

S is symmetric with eigenvalues in [-1, 1], so that the system is positive definite with eigenvalues in
[1 - alpha, 1 + alpha]. y is a vector, or a matrix of right-hand sides, one in each column. Every list and
column has its own steps, and stops when ``|y - (I - alpha S) f| <= tol |y|`` in the Euclidean norm over the
items of the list.

`solve` adds up corrections, which come from `cg`, `chebyshev` or `iterate`. Those for a vector are in
float64, so that one is enough; those for columns are in float32, which halves the work, and are repeated
until the residual, taken in float64, is small enough.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from semirank.core import sweeps as do
from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.sweeps import Sparse, cut

SMALLEST_TOL = 1e-15
FINEST = {np.dtype(np.float64): SMALLEST_TOL, np.dtype(np.float32): 1e-5}
"""How far one correction brings the residual down; beyond, rounding would spoil it."""


class System(NamedTuple):
    """The matrix ``I - alpha S``, and its rows cut into chunks."""

    S: Sparse
    alpha: float
    starts: Integers
    owners: Integers
    n_lists: int

    def add(self, partial: AnyArray) -> Floats:
        """Add up sums over chunks to sums over lists, chunk after chunk."""
        totals = np.zeros((self.n_lists, *partial.shape[1:]))
        np.add.at(totals, self.owners, partial)
        return totals

    def working(self, active: Booleans) -> Booleans:
        """Tell which chunks belong to a list with any active column."""
        return np.logical_or.reduce(active.reshape(self.n_lists, -1), axis=1)[self.owners]


Correct = Callable[[System, AnyArray, Floats, Integers], tuple[AnyArray, Integers]]
"""System, y, share, max_sweeps -> f and the sweeps it took, until `share` of the residual is left."""

Solved = tuple[Floats, Integers, Floats]
"""Scores; for each list (and column) the sweeps over the edges and the relative residual."""


def solve(
    correct: Correct,
    S: Sparse,
    y: Floats,
    lists: Integers,
    alpha: float,
    tol: float,
    max_iter: int,
    start: Floats | None = None,
) -> Solved:
    """Solve to a relative residual of tol; start: scores to begin with, None for 0."""
    starts, owners = cut(lists)
    exact = System(S, alpha, starts, owners, len(lists) - 1)
    coarse = exact if y.ndim == 1 else exact._replace(S=S._replace(weights=S.weights.astype(np.float32)))
    labels = norms(exact, y)
    goal = max(tol, SMALLEST_TOL) * labels
    row = np.repeat(np.arange(exact.n_lists), np.diff(lists))
    f = np.zeros_like(y) if start is None else np.where((labels > 0.0)[row], start, 0.0)
    r = y if start is None else _residual(exact, f, y)
    sweeps = np.zeros(labels.shape, dtype=np.int64)
    while True:
        left = norms(exact, r)
        unfinished = (left > goal) & (sweeps < max_iter)
        if not unfinished.any():
            return f, sweeps, np.divide(left, labels, out=np.zeros_like(left), where=labels > 0.0)
        scale = np.where(unfinished, left, 1.0)
        rest = np.where(unfinished[row], r / scale[row], 0.0).astype(coarse.S.weights.dtype)
        share = np.where(unfinished, np.maximum(goal / scale, FINEST[rest.dtype]), 1.0)
        correction, more = correct(coarse, rest, share, max_iter - sweeps)
        f += correction * scale[row]
        sweeps += more
        r = _residual(exact, f, y)


def cg(system: System, y: AnyArray, share: Floats, max_sweeps: Integers) -> tuple[AnyArray, Integers]:
    """Conjugate gradients from 0."""
    S, alpha, starts, owners, _ = system
    apply, step, turn = (
        (do.apply, do.step, do.turn) if y.ndim == 1 else (do.apply_many, do.step_many, do.turn_many)
    )
    f, r, p, q = np.zeros_like(y), y.copy(), y.copy(), np.zeros_like(y)
    sums = np.zeros((len(owners), *y.shape[1:]), dtype=y.dtype)
    sweeps = np.zeros(share.shape, dtype=np.int64)
    rr = norms(system, y) ** 2
    goal = share**2 * rr
    while (active := (rr > goal) & (sweeps < max_sweeps)).any():
        working = system.working(active)
        apply(S, alpha, p, starts, working, q, sums)
        size = _quotient(rr, system.add(sums), active)
        step(size[owners].astype(y.dtype), p, q, starts, working, f, r, sums)
        old, rr = rr, system.add(sums)
        turn(_quotient(rr, old, active)[owners].astype(y.dtype), r, starts, working, p)
        sweeps += active
    return f, sweeps


def chebyshev(system: System, y: AnyArray, share: Floats, max_sweeps: Integers) -> tuple[AnyArray, Integers]:
    """Chebyshev iteration from 0 on the spectrum [1 - alpha, 1 + alpha]; y: columns.

    No sums over a list are needed, and the number of sweeps is known beforehand: t of them leave at most
    ``1 / cosh(t arccosh(1 / alpha))`` of the residual.
    """
    S, alpha, starts, owners, _ = system
    needed = np.ceil(np.arccosh(1.0 / share) / np.arccosh(1.0 / alpha)).astype(np.int64)
    sweeps = np.minimum(needed, max_sweeps)
    f, r, move, new = np.zeros_like(y), y.copy(), y.copy(), np.zeros_like(y)
    rho = alpha
    for t in range(sweeps.max(initial=0)):
        following = 1.0 / (2.0 / alpha - rho)
        goes_on = (sweeps > t + 1)[owners]
        keep = np.where(goes_on, following * rho, 0.0).astype(y.dtype)
        add = np.where(goes_on, 2.0 * following / alpha, 0.0).astype(y.dtype)
        do.move_many(S, alpha, keep, add, move, starts, system.working(sweeps > t), f, r, new)
        move, new, rho = new, move, following
    return f, sweeps


def iterate(system: System, y: Floats, share: Floats, max_sweeps: Integers) -> tuple[Floats, Integers]:
    """Repeat ``f <- alpha S f + y`` from 0; y: a vector.

    As a correction to ``y / (1 - alpha)`` this gives, after t sweeps, 1 / (1 - alpha) times the f(t) of Zhou
    et al., which starts from y.
    """
    S, alpha, starts, owners, _ = system
    f, new, sums = np.zeros_like(y), np.zeros_like(y), np.zeros(len(owners))
    sweeps = np.zeros(share.shape, dtype=np.int64)
    labels = norms(system, y)
    change = np.where(labels > 0.0, np.inf, 0.0)
    while (active := (change > share * labels) & (sweeps < max_sweeps)).any():
        working = system.working(active)
        do.spread(S, alpha, f, y, starts, working, new, sums)
        np.copyto(f, new, where=np.repeat(working, np.diff(starts)))
        change = np.sqrt(system.add(sums))
        sweeps += active
    return f, sweeps


def norms(system: System, x: AnyArray) -> Floats:
    """Return the Euclidean norm over each list."""
    squares = do.squares if x.ndim == 1 else do.squares_many
    return np.sqrt(system.add(squares(x, system.starts)))


def _residual(system: System, f: Floats, y: Floats) -> Floats:
    residual = do.residual if y.ndim == 1 else do.residual_many
    return residual(system.S, system.alpha, f, y, system.starts)


def _quotient(above: Floats, below: Floats, where: Booleans) -> Floats:
    """Divide where asked, elsewhere 0: a step of size 0 leaves a finished column as it is."""
    return np.divide(above, below, out=np.zeros_like(above), where=where)

"""Least squares with one unknown for each labelled item, for a few labels and very many sparse features."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.core.sparse_rows import inner_products, sum_of_multiples, times_vector
from semirank.core.threads import one_blas_thread

ACCURACY = 1e-10
MOST_STEPS = 1000
WORTH = 20  # steps saved, times rows of a step: inner products of heavy rows may cost as much


class Background(NamedTuple):
    """A row that is nobody's, such as the mean of all: its features, its target, and how much it counts."""

    features: Floats
    target: float
    cost: float


class Rows(NamedTuple):
    """Some rows of a sparse matrix, which stay where they are; the columns of the matrix rise."""

    matrix: csr_array
    numbers: Integers

    def times(self, w: Floats) -> Floats:
        """Return the inner product of each row with w."""
        X = self.matrix
        return np.asarray(times_vector(X.indptr, X.indices, X.data, self.numbers, w))

    def sum(self, factors: Floats) -> Floats:
        """Return the sum of the rows times factors."""
        X = self.matrix
        return np.asarray(sum_of_multiples(X.indptr, X.indices, X.data, self.numbers, factors, X.shape[1]))

    def inner_products(self) -> Floats:
        """Return those of the rows with each other."""
        X = self.matrix
        return np.asarray(inner_products(X.indptr, X.indices, X.data, self.numbers, X.shape[1]))


def ridge_duals(rows: Rows, targets: Floats, costs: Floats, background: Background | None) -> Floats:
    """Return a with ``w = sum_i a_i x_i`` and ``b = sum_i a_i``, where w and b minimise a sum of squares.

    It is ::

        (|w|^2 + b^2) / 2 + sum_i costs_i (targets_i - x_i'w - b)^2 / 2.

    A background is one more row; its a comes last. The equations ``(G + 1 + 1 / costs) a =
    targets``, with G the inner products of rows, are scaled by the roots of the costs and solved by conjugate
    gradients, preconditioned where that is cheaper: some ten products with the rows and back.
    """
    if background is not None:
        targets, costs = np.append(targets, background.target), np.append(costs, background.cost)
    with one_blas_thread():
        equations = _Equations(rows, np.sqrt(costs), background)
        size = (len(costs), len(costs))
        operator = LinearOperator(size, matvec=equations.apply, dtype=np.float64)
        heavy = targets > 0
        heavy[len(rows.numbers) :] = True
        worth = heavy.sum() ** 2 <= WORTH * len(costs) and not heavy.all()
        inverse = _Preconditioner(equations, heavy).apply if worth else np.copy
        solution, _ = cg(
            operator,
            equations.roots * targets,
            rtol=ACCURACY,
            maxiter=MOST_STEPS,
            M=LinearOperator(size, matvec=inverse, dtype=np.float64),
        )
    return np.asarray(equations.roots * solution)


class _Equations:
    """``I + R (G + 1) R``, with R the roots of the costs; the background, if any, comes last."""

    def __init__(self, rows: Rows, roots: Floats, background: Background | None) -> None:
        self.rows, self.roots, self.n = rows, roots, len(rows.numbers)
        self.mixed, self.square = np.zeros((self.n, 0)), np.zeros(0)
        if background is not None:
            mean = background.features
            self.mixed, self.square = rows.times(mean)[:, None], np.array([mean @ mean])

    def apply(self, v: Floats) -> Floats:
        a = self.roots * v.ravel()
        own = self.rows.times(self.rows.sum(a[: self.n])) + self.mixed @ a[self.n :]
        other = self.mixed.T @ a[: self.n] + self.square * a[self.n :]
        return np.asarray(v.ravel() + self.roots * (np.append(own, other) + a.sum()))

    def block(self, places: Integers) -> Floats:
        """Return the equations of some rows alone, with the background behind them."""
        mixed = self.mixed[places]
        products = np.block(
            [
                [Rows(self.rows.matrix, self.rows.numbers[places]).inner_products(), mixed],
                [mixed.T, np.diag(self.square)],
            ]
        )
        roots = self.roots[np.append(places, np.arange(self.n, len(self.roots)))]
        return np.asarray(np.eye(len(roots)) + roots[:, None] * (products + 1.0) * roots)


class _Preconditioner:
    """The equations of few heavy rows, and of all others as one; what differs among these is left alone."""

    def __init__(self, equations: _Equations, heavy: Booleans) -> None:
        self.heavy = np.flatnonzero(heavy)
        self.light = np.where(heavy, 0.0, equations.roots)
        self.light /= np.linalg.norm(self.light)
        joined = equations.apply(self.light)
        block = equations.block(self.heavy[self.heavy < equations.n])
        self.factor = cho_factor(
            np.block(
                [
                    [block, joined[self.heavy, None]],
                    [joined[None, self.heavy], np.array([[self.light @ joined]])],
                ]
            )
        )

    def apply(self, v: Floats) -> Floats:
        v = v.ravel()
        share = self.light @ v
        solved = cho_solve(self.factor, np.append(v[self.heavy], share), check_finite=False)
        changed = v + (solved[-1] - share) * self.light
        changed[self.heavy] = solved[:-1]
        return np.asarray(changed)

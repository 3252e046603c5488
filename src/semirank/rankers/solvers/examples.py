"""Least squares with one unknown for each labelled item, for a few labels and very many sparse features."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, cg

from semirank.core.arrays import Floats
from semirank.core.threads import one_blas_thread

ACCURACY = 1e-11
MOST_STEPS = 1000


class Background(NamedTuple):
    """A row that is nobody's, such as the mean of all: its features, and how much it counts."""

    features: Floats
    cost: float


def ridge_duals(X: csr_array, targets: Floats, costs: Floats, background: Background | None) -> Floats:
    """Return a with ``w = sum_i a_i x_i`` and ``b = sum_i a_i``, where w and b minimise a sum of squares.

    It is ::

        (|w|^2 + b^2) / 2 + sum_i costs_i (targets_i - x_i'w - b)^2 / 2.

    A background is one more row with target -1; its a comes last. The equations ``(G + 1 + 1 / costs) a =
    targets``, with G the inner products of rows, are scaled by the roots of the costs and solved by conjugate
    gradients: some 15 products with X and its transpose.
    """
    rows = _used(X)
    mixed, square = np.zeros((X.shape[0], 0)), np.zeros(0)
    if background is not None:
        mixed, square = (
            X @ background.features[:, None],
            np.array([background.features @ background.features]),
        )
        targets, costs = np.append(targets, -1.0), np.append(costs, background.cost)
    roots, n = np.sqrt(costs), X.shape[0]

    def apply(v: Floats) -> Floats:
        a = roots * v.ravel()
        own = rows @ (rows.T @ a[:n]) + mixed @ a[n:]
        other = mixed.T @ a[:n] + square * a[n:]
        return v.ravel() + roots * (np.append(own, other) + a.sum())

    with one_blas_thread():
        operator = LinearOperator((len(roots), len(roots)), matvec=apply, dtype=np.float64)
        solution, _ = cg(operator, roots * targets, rtol=ACCURACY, maxiter=MOST_STEPS)
    return roots * solution


def _used(X: csr_array) -> csr_array:
    """Return the rows without the columns that none of them uses."""
    used = np.zeros(X.shape[1], dtype=bool)
    used[X.indices] = True
    place = np.cumsum(used) - 1
    return csr_array((X.data, place[X.indices], X.indptr), shape=(X.shape[0], int(used.sum())))

"""The solvers of ``(I - alpha S) f = y`` by name, each for any number of columns of y."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from semirank.core.arrays import Floats, Integers
from semirank.core.diffusion import Correct, Solved, cg, chebyshev, iterate, solve
from semirank.core.sweeps import Sparse

Solve = Callable[[Sparse, Floats, Integers, float, float, int, Floats | None], Solved]
"""S, y (n_items, n_columns), lists, alpha, tol, max_iter, start -> scores, sweeps, residual."""

WIDTH = 32
FEW = 3


def solve_closed(
    S: Sparse,
    y: Floats,
    lists: Integers,
    alpha: float,
    tol: float,
    max_iter: int,
    start: Floats | None,
) -> Solved:
    """Factorise the dense system of each list (Cholesky)."""
    parts = S.weights, S.indices.astype(np.int64), S.indptr.astype(np.int64)
    matrix = csr_array(parts, shape=(len(y), len(y)))
    f = np.zeros_like(y)
    for first, last in pairwise(lists):
        if first < last:
            system = np.eye(last - first) - alpha * matrix[first:last, first:last].toarray()
            f[first:last] = cho_solve(cho_factor(system, overwrite_a=True), y[first:last])
    return solve_in_blocks(cg, WIDTH)(S, y, lists, alpha, tol, 0, f)


def solve_in_blocks(correct: Correct, width: int) -> Solve:
    """Make a solver for any number of columns out of corrections for `width` columns, or 0 for vectors."""

    def solve_blocks(
        S: Sparse,
        y: Floats,
        lists: Integers,
        alpha: float,
        tol: float,
        max_iter: int,
        start: Floats | None,
    ) -> Solved:
        blocks = [slice(at, at + width) for at in range(0, y.shape[1], width)] if width else range(y.shape[1])
        solved = [
            solve(
                correct,
                S,
                np.ascontiguousarray(y[:, block]),
                lists,
                alpha,
                tol,
                max_iter,
                None if start is None else np.ascontiguousarray(start[:, block]),
            )
            for block in blocks
        ]
        f, sweeps, residual = (np.column_stack(parts) for parts in zip(*solved, strict=True))
        return f, sweeps, residual

    return solve_blocks


def solve_cg(
    S: Sparse,
    y: Floats,
    lists: Integers,
    alpha: float,
    tol: float,
    max_iter: int,
    start: Floats | None,
) -> Solved:
    """Use conjugate gradients, for a few columns one by one."""
    width = 0 if y.shape[1] <= FEW else WIDTH
    return solve_in_blocks(cg, width)(S, y, lists, alpha, tol, max_iter, start)


SOLVERS: dict[str, Solve] = {
    "closed": solve_closed,
    "iterate": solve_in_blocks(iterate, 0),
    "cg": solve_cg,
    "chebyshev": solve_in_blocks(chebyshev, WIDTH),
}

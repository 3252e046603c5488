"""The solvers of ``(I - alpha S) f = y`` by name, each for any number of columns of y."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from semirank.core import diffusion, diffusion_many
from semirank.core.arrays import Floats, Integers
from semirank.core.chunks import Sparse
from semirank.core.diffusion import Solved
from semirank.core.products import residuals

Solve = Callable[[Sparse, Floats, Integers, float, float, int, Floats], Solved]
"""S, y (n_items, n_columns), lists, alpha, tol, max_iter, start -> scores, sweeps, residual."""

WIDTH = 32
FEW = 3


def solve_closed(
    S: Sparse, y: Floats, lists: Integers, alpha: float, tol: float, max_iter: int, start: Floats
) -> Solved:
    """Factorise the dense system of each list (Cholesky); no tolerance, no start, no sweeps."""
    indptr, indices, weights = S
    matrix = csr_array((weights, indices.astype(np.int64), indptr.astype(np.int64)), shape=(len(y), len(y)))
    f = np.zeros_like(y)
    for first, last in pairwise(lists):
        if first < last:
            system = np.eye(last - first) - alpha * matrix[first:last, first:last].toarray()
            f[first:last] = cho_solve(cho_factor(system, overwrite_a=True), y[first:last])
    labels = diffusion_many.norms(y, lists)
    left = diffusion_many.norms(residuals(S, alpha, f, y), lists)
    return f, np.zeros(labels.shape, dtype=np.int64), diffusion.relative(left, labels)


def solve_by_column(solve: Solve) -> Solve:
    """Make a solver of one column a solver of many, one after the other."""

    def solve_columns(
        S: Sparse, y: Floats, lists: Integers, alpha: float, tol: float, max_iter: int, start: Floats
    ) -> Solved:
        columns = zip(y.T.copy(), start.T.copy(), strict=True)
        solved = [solve(S, column, lists, alpha, tol, max_iter, begin) for column, begin in columns]
        f, sweeps, residual = (np.column_stack(parts) for parts in zip(*solved, strict=True))
        return f, sweeps, residual

    return solve_columns


def solve_by_block(correct: diffusion_many.Correct) -> Solve:
    """Make a solver of many columns out of corrections, as many columns at a time as are quick."""

    def solve_blocks(
        S: Sparse, y: Floats, lists: Integers, alpha: float, tol: float, max_iter: int, start: Floats
    ) -> Solved:
        blocks = (slice(at, at + WIDTH) for at in range(0, y.shape[1], WIDTH))
        solved = [
            diffusion_many.refine(
                correct, S, y[:, block].copy(), lists, alpha, tol, max_iter, start[:, block].copy()
            )
            for block in blocks
        ]
        f, sweeps, residual = (np.hstack(parts) for parts in zip(*solved, strict=True))
        return f, sweeps, residual

    return solve_blocks


def solve_cg(
    S: Sparse, y: Floats, lists: Integers, alpha: float, tol: float, max_iter: int, start: Floats
) -> Solved:
    """Conjugate gradients: a few columns one by one in float64, many at once in float32 with refinement."""
    if y.shape[1] <= FEW:
        return solve_by_column(diffusion.cg)(S, y, lists, alpha, tol, max_iter, start)
    return solve_by_block(diffusion_many.cg)(S, y, lists, alpha, tol, max_iter, start)


SOLVERS: dict[str, Solve] = {
    "closed": solve_closed,
    "iterate": solve_by_column(diffusion.iterate),
    "cg": solve_cg,
    "chebyshev": solve_by_block(diffusion_many.chebyshev),
}

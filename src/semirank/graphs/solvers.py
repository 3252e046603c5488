"""The solvers of ``(I - alpha S) f = y`` by name, each for any number of columns of y."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array

from semirank.core.arrays import Floats
from semirank.core.diffusion import Correct, Problem, Solved, cg, chebyshev, iterate, solve
from semirank.core.lanes import LANES
from semirank.core.threads import in_parallel

Solve = Callable[[Problem, Floats, Floats | None], Solved]
"""Problem, y (n_items, n_columns), scores to start from -> scores, sweeps, residual."""

FEW = LANES // 4
BYTES_OF_AN_ITEM = 48 * LANES
MOST_BYTES = 2**31


def solve_closed(problem: Problem, y: Floats, start: Floats | None) -> Solved:
    """Factorise the dense system of each list (Cholesky)."""
    S, f = problem.S, np.zeros_like(y)
    parts = S.weights, S.indices.astype(np.int64), S.indptr.astype(np.int64)
    matrix = csr_array(parts, shape=(len(y), len(y)))
    for first, last in pairwise(problem.lists):
        if first < last:
            system = np.eye(last - first) - problem.alpha * matrix[first:last, first:last].toarray()
            f[first:last] = cho_solve(cho_factor(system, overwrite_a=True), y[first:last])
    return one_by_one(cg)(problem._replace(max_iter=0), y, f)


def solve_cg(problem: Problem, y: Floats, start: Floats | None) -> Solved:
    """Use conjugate gradients, for a few columns one by one."""
    arrange = one_by_one if y.shape[1] <= FEW else side_by_side
    return arrange(cg)(problem, y, start)


def one_by_one(correct: Correct, precision: Any = np.float32) -> Solve:
    """Make a solver for columns of one for vectors."""

    def solve_columns(problem: Problem, y: Floats, start: Floats | None) -> Solved:
        begin = [None] * y.shape[1] if start is None else start.T.copy()
        columns = zip(y.T.copy(), begin, strict=True)
        return _join([solve(correct, problem, *column, precision) for column in columns])

    return solve_columns


def side_by_side(correct: Correct) -> Solve:
    """Make a solver for columns of one for LANES columns; empty ones fill up the last block.

    Blocks are solved in parallel, as many as memory allows; threads that are left over share each block.
    """

    def solve_blocks(problem: Problem, y: Floats, start: Floats | None) -> Solved:
        n_columns = y.shape[1]
        n_blocks = -(-n_columns // LANES)
        fitting = max(1, MOST_BYTES // (BYTES_OF_AN_ITEM * len(y)))
        n_at_once = min(n_blocks, problem.n_threads, fitting)
        part = problem._replace(n_threads=problem.n_threads // n_at_once)

        def solve_block(at: int) -> Solved:
            begin = None if start is None else _filled(start[:, at : at + LANES])
            return solve(correct, part, _filled(y[:, at : at + LANES]), begin)

        solved = in_parallel(solve_block, range(0, n_columns, LANES), n_at_once)
        f, sweeps, residual = _join(solved)
        return f[:, :n_columns], sweeps[:, :n_columns], residual[:, :n_columns]

    return solve_blocks


def _filled(columns: Floats) -> Floats:
    filled = np.zeros((len(columns), LANES))
    filled[:, : columns.shape[1]] = columns
    return filled


def _join(solved: list[Solved]) -> Solved:
    f, sweeps, residual = (np.column_stack(list(parts)) for parts in zip(*solved, strict=True))
    return f, sweeps, residual


SOLVERS: dict[str, Solve] = {
    "closed": solve_closed,
    "iterate": one_by_one(iterate, np.float64),
    "cg": solve_cg,
    "chebyshev": side_by_side(chebyshev),
}

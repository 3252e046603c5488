"""Scores of items whose labels were left out, without fitting again."""

import numpy as np

from semirank.core.arrays import Floats
from semirank.rankers.solvers.least_squares import LeastSquares
from semirank.rankers.solvers.ridge import HeldOut


def list_errors(problem: LeastSquares, ridges: Floats) -> Floats:
    """Leave each list out; return the squared error of its pairs, (n_ridges, n_lists)."""
    form, loss = problem.form, problem.loss
    errors = [loss.squared_error(k, form.without_list(k, ridges).residuals) for k in range(loss.n_lists)]
    return np.column_stack(errors)


def without_lists(problem: LeastSquares, ridges: Floats) -> Floats:
    """Score every list without its own labels; one row a ridge, items in the order of the lists."""
    if problem.loss.n_lists < 2:
        raise ValueError("leave_list_out needs two lists with different labels; use leave_items_out for one.")
    data, loss = problem.data, problem.loss
    scores = np.empty((len(ridges), data.n_items))
    taught = np.isin(np.arange(data.n_lists), loss.lists)
    coordinates = problem.form.coordinates(ridges)
    for i in np.flatnonzero(~taught):
        rows = slice(data.indptr[i], data.indptr[i + 1])
        scores[:, rows] = problem.scores_at(rows, coordinates)
    for k in range(loss.n_lists):
        held_out = problem.form.without_list(k, ridges)
        _fill_list(problem, k, held_out, scores)
    return scores


def _fill_list(problem: LeastSquares, k: int, held_out: HeldOut, scores: Floats) -> None:
    """Score the items of list k relative to the mean of its labelled ones."""
    data, loss = problem.data, problem.loss
    labelled = loss.rows[loss.items(k)]
    start, stop = data.indptr[loss.lists[k] : loss.lists[k] + 2]
    if stop - start > len(labelled):
        found = problem.scores_at(slice(start, stop), held_out.coordinates)
        scores[:, start:stop] = found - found[:, labelled - start].mean(axis=1, keepdims=True)
    taught = loss.y[loss.items(k)] - held_out.residuals
    scores[:, labelled] = taught - taught.mean(axis=1, keepdims=True)


def without_items(problem: LeastSquares, ridges: Floats) -> Floats:
    """Score every labelled item of the only list without its own label; one row a ridge."""
    loss = problem.loss
    if loss.n_lists != 1:
        raise ValueError(
            f"leave_items_out is for data with one list that has different labels; here are {loss.n_lists}. "
            "Use leave_list_out."
        )
    residuals = problem.form.without_item(ridges)
    scores = problem.scores_at(slice(None), problem.form.coordinates(ridges))
    counts = loss.weights
    scores -= np.average(scores[:, loss.rows], axis=1, weights=counts)[:, None]
    relative_to_others = loss.y * counts.sum() / (counts.sum() - np.minimum(counts, 1.0))
    scores[:, loss.rows] = relative_to_others - residuals
    return scores

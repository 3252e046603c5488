"""Scores of items whose labels were left out, without fitting again."""

import numpy as np

from semirank.core.arrays import Floats
from semirank.rankers.ridge.pairwise import HeldOut
from semirank.rankers.ridge.problem import Problem


def list_errors(problem: Problem, ridges: Floats) -> Floats:
    """Leave each list out; return the squared error of its pairs, (n_ridges, n_lists)."""
    form, pairs = problem.ridge_form, problem.pairs
    errors = [pairs.squared_error(k, form.without_list(k, ridges).residuals) for k in range(pairs.n_lists)]
    return np.column_stack(errors)


def without_lists(problem: Problem, ridges: Floats) -> Floats:
    """Score every list without its own labels; one row a ridge, items in the order of the lists."""
    if problem.pairs.n_lists < 2:
        raise ValueError("leave_list_out needs two lists with different labels; use leave_items_out for one.")
    data, pairs = problem.data, problem.pairs
    scores = np.empty((len(ridges), data.n_items))
    taught = np.isin(np.arange(data.n_lists), pairs.lists)
    coordinates = problem.ridge_form.coordinates(ridges)
    for i in np.flatnonzero(~taught):
        rows = slice(data.indptr[i], data.indptr[i + 1])
        scores[:, rows] = problem.scores_at(rows, coordinates)
    for k in range(pairs.n_lists):
        held_out = problem.ridge_form.without_list(k, ridges)
        _fill_list(problem, k, held_out, scores)
    return scores


def _fill_list(problem: Problem, k: int, held_out: HeldOut, scores: Floats) -> None:
    """Score the items of list k relative to the mean of its labelled ones."""
    data, pairs = problem.data, problem.pairs
    labelled = pairs.rows[pairs.items(k)]
    start, stop = data.indptr[pairs.lists[k] : pairs.lists[k] + 2]
    if stop - start > len(labelled):
        found = problem.scores_at(slice(start, stop), held_out.coordinates)
        scores[:, start:stop] = found - found[:, labelled - start].mean(axis=1, keepdims=True)
    taught = pairs.y[pairs.items(k)] - held_out.residuals
    scores[:, labelled] = taught - taught.mean(axis=1, keepdims=True)


def without_items(problem: Problem, ridges: Floats) -> Floats:
    """Score every labelled item of the only list without its own label; one row a ridge."""
    pairs = problem.pairs
    if pairs.n_lists != 1:
        raise ValueError(
            f"leave_items_out is for data with one list that has different labels; here are {pairs.n_lists}. "
            "Use leave_list_out."
        )
    residuals = problem.ridge_form.without_item(ridges)
    scores = problem.scores_at(slice(None), problem.ridge_form.coordinates(ridges))
    counts = pairs.counts()
    scores -= np.average(scores[:, pairs.rows], axis=1, weights=counts)[:, None]
    relative_to_others = pairs.y * counts.sum() / (counts.sum() - np.minimum(counts, 1.0))
    scores[:, pairs.rows] = relative_to_others - residuals
    return scores

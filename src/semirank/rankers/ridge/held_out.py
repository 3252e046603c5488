"""Scores of items whose labels were left out, without fitting again."""

import numpy as np

from semirank.core.arrays import Floats
from semirank.rankers.ridge.pairwise import HeldOut
from semirank.rankers.ridge.problem import Problem


def list_residuals(problem: Problem, ridges: Floats) -> list[Floats]:
    """Leave each list out; return for each ``R (y - f)``, one row a ridge."""
    return [problem.ridge_form.without_list(k, ridges).residuals for k in range(problem.pairs.n_lists)]


def item_residuals(problem: Problem, ridges: Floats) -> Floats:
    """Leave each item of the only list out; return ``y - f - offset``, one row a ridge."""
    n_items = problem.pairs.n_items
    if n_items == 2:  # one label teaches nothing: f is 0, and the offset is that label
        return np.tile(2.0 * problem.pairs.y, (len(ridges), 1))
    # without one item the factor 2 / (n - 1) of the list is 2 / (n - 2): the same as a smaller ridge
    return problem.ridge_form.without_item(ridges * (n_items - 2) / (n_items - 1))


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
    scores[:, labelled] = pairs.y[pairs.items(k)] - held_out.residuals / pairs.scales[k]


def without_items(problem: Problem, ridges: Floats) -> Floats:
    """Score every labelled item of the only list without its own label; one row a ridge."""
    pairs = problem.pairs
    if pairs.n_lists != 1:
        raise ValueError(
            f"leave_items_out is for data with one list that has different labels; here are {pairs.n_lists}. "
            "Use leave_list_out."
        )
    scores = problem.scores_at(slice(None), problem.ridge_form.coordinates(ridges))
    scores -= scores[:, pairs.rows].mean(axis=1, keepdims=True)
    relative_to_others = pairs.y * pairs.n_items / (pairs.n_items - 1)
    scores[:, pairs.rows] = relative_to_others - item_residuals(problem, ridges)
    return scores

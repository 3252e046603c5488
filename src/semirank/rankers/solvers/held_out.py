"""Scores of items whose labels were left out, without fitting again."""

from typing import Any

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset
from semirank.dataset.checks import check_per_item
from semirank.rankers.solvers.least_squares import LeastSquares
from semirank.rankers.solvers.ridge import HeldOut


def folds_of_lists(folds: Any, data: RankingDataset) -> Integers | None:
    """Return the number of the fold of each list, from a name of it for each item in the caller's order."""
    names = check_per_item("folds", folds, data.n_items)
    if names is None:
        return None
    numbers = data.arrange(np.unique(names, return_inverse=True)[1])
    first = numbers[data.indptr[:-1]]
    torn = np.flatnonzero(numbers != first[data.list_of_item])
    if len(torn):
        one, other = data.order[[torn[0], data.indptr[data.list_of_item[torn[0]]]]]
        raise ValueError(
            f"folds must keep lists whole; items {min(one, other)} and {max(one, other)} are in one list and "
            "in different folds."
        )
    return first


def list_errors(problem: LeastSquares, ridges: Floats) -> Floats:
    """Leave each list out; return the squared error of its pairs, (n_ridges, n_lists)."""
    form, loss = problem.form, problem.loss
    held_out = (form.without_lists(np.array([k]), ridges) for k in range(loss.n_lists))
    return np.column_stack([loss.squared_error(k, each.residuals) for k, each in enumerate(held_out)])


def without_lists(problem: LeastSquares, ridges: Floats, folds: Integers | None = None) -> Floats:
    """Score every list without the labels of its fold; one row a ridge, items in the order of the lists.

    folds : the number of the fold of each list; None: each list is one.
    """
    data, loss = problem.data, problem.loss
    folds = np.arange(data.n_lists) if folds is None else folds
    of_taught = folds[loss.lists]
    if len(np.unique(of_taught)) < 2:
        raise ValueError(
            "leave_list_out needs two lists with different labels, in different folds; use leave_items_out "
            "for one list."
        )
    scores = np.empty((len(ridges), data.n_items))
    whole = HeldOut(np.empty((len(ridges), 0)), problem.form.coordinates(ridges))
    for fold in np.unique(folds):
        left_out = np.flatnonzero(of_taught == fold)
        held_out = problem.form.without_lists(left_out, ridges) if len(left_out) else whole
        for i in np.setdiff1d(np.flatnonzero(folds == fold), loss.lists[left_out]):
            rows = slice(data.indptr[i], data.indptr[i + 1])
            scores[:, rows] = problem.scores_at(rows, held_out.coordinates)
        start = 0
        for k in left_out.tolist():
            stop = start + loss.indptr[k + 1] - loss.indptr[k]
            _fill_list(problem, k, held_out._replace(residuals=held_out.residuals[:, start:stop]), scores)
            start = stop
    return scores


def _fill_list(problem: LeastSquares, k: int, held_out: HeldOut, scores: Floats) -> None:
    """Score the items of list k, whose residuals these are, relative to the mean of its labelled ones."""
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

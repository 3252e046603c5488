"""Sums over the partners of each item that are not yet a margin of 1 apart from it, without visiting pairs.

Item q is a *lower partner* of item p, and p a *higher partner* of q, when both are in one list, the label of
p is higher, and ``scores[p] - scores[q] < 1``.
"""

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.threads import in_shares

_STEPS = 16  # as long as these of other loops, for each item


@compiled()
def _add(tree: Floats, level: int, values: Floats) -> None:
    """Add values to a level of a tree of partial sums (Fenwick's)."""
    node = level + 1
    while node < len(tree):
        tree[node] += values
        node += node & -node


@compiled()
def _sum_below(tree: Floats, level: int, out: Floats) -> None:
    """Set `out` to the sum of the levels below the given one."""
    out[:] = 0.0
    node = level
    while node > 0:
        out += tree[node]
        node -= node & -node


@compiled()
def sum_list(
    scores: Floats,
    order: Integers,
    levels: Integers,
    values: Floats,
    start: int,
    stop: int,
    lower: Floats,
    higher: Floats,
) -> None:
    """Fill rows start..stop of `lower` and `higher`, which are one list; see `sum_partners`."""
    top = 0
    for i in range(start, stop):
        top = max(top, levels[i])
    tree = np.zeros((top + 2, values.shape[1]))
    waiting = start
    for place in range(start, stop):  # from the highest score down, adding what is less than 1 below
        item = order[place]
        while waiting < stop and scores[item] - scores[order[waiting]] < 1.0:
            _add(tree, levels[order[waiting]], values[order[waiting]])
            waiting += 1
        _sum_below(tree, levels[item], lower[item])
    tree[:] = 0.0
    waiting = stop - 1
    for place in range(stop - 1, start - 1, -1):  # from the lowest up, levels counted from the top
        item = order[place]
        while waiting >= start and scores[order[waiting]] - scores[item] < 1.0:
            _add(tree, top - levels[order[waiting]], values[order[waiting]])
            waiting -= 1
        _sum_below(tree, top - levels[item], higher[item])


@compiled()
def _sum_share(
    first: int,
    last: int,
    scores: Floats,
    order: Integers,
    levels: Integers,
    values: Floats,
    indptr: Integers,
    lower: Floats,
    higher: Floats,
) -> None:
    for i in range(first, last):
        sum_list(scores, order, levels, values, indptr[i], indptr[i + 1], lower, higher)


def sum_partners(
    scores: Floats, order: Integers, levels: Integers, values: Floats, indptr: Integers
) -> tuple[Floats, Floats]:
    """Sum values over the lower and the higher partners of each item.

    Parameters
    ----------
    scores : float64 array of shape (n_items,)
        Scores, lists being the slices ``indptr[i]:indptr[i + 1]``.
    order : int64 array of shape (n_items,)
        The items of each list, highest score first, as from `sort_lists`.
    levels : int64 array of shape (n_items,)
        The label of each item as a number from 0, the lowest of its list.
    values : float64 array of shape (n_items, n_columns)
        What is summed.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts.

    Returns
    -------
    lower, higher : float64 arrays of shape (n_items, n_columns)
        The sums.

    Notes
    -----
    O(n log k) for n items with k levels: partners enter a tree of partial sums by level, in the order of
    their scores, just before the first item that has them asks.
    """
    lower, higher = np.empty_like(values), np.empty_like(values)
    given = scores, order, levels, values, indptr, lower, higher
    in_shares(_sum_share, len(indptr) - 1, _STEPS * len(scores), *given)
    return lower, higher

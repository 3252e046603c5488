"""Pairs of items that labels and scores put in the same order, counted without visiting the pairs."""

import numpy as np

from semirank.core.arrays import Booleans, Integers
from semirank.core.compiling import compiled
from semirank.core.ranks import run_stop


@compiled()
def _add(tree: Integers, level: int) -> None:
    """Count one more item of this level in a binary indexed tree."""
    node = level + 1
    while node < len(tree):
        tree[node] += 1
        node += node & -node


@compiled()
def _count_below(tree: Integers, level: int) -> int:
    """Count the items of all levels with a smaller number."""
    count = 0
    node = level
    while node > 0:
        count += tree[node]
        node -= node & -node
    return count


@compiled()
def _pairs(counts: Integers) -> int:
    """Count the pairs within groups of the given sizes."""
    return np.sum(counts * (counts - 1) // 2)


@compiled()
def pairs_of_list(levels: Integers, tied: Booleans, start: int, stop: int, pairs: Integers) -> None:
    """Fill `pairs` for one list, as `count_pairs` describes."""
    n_levels = np.max(levels[start:stop]) + 1 if stop > start else 0
    tree = np.zeros(n_levels + 1, np.int64)
    seen = np.zeros(n_levels, np.int64)
    agree, same_label_apart, same_score = 0, 0, 0
    run = start
    while run < stop:
        end = run_stop(tied, run, stop)
        for place in range(run, end):
            agree += _count_below(tree, levels[place])
            same_label_apart += seen[levels[place]]
        for place in range(run, end):
            _add(tree, levels[place])
        for place in range(run, end):
            seen[levels[place]] += 1
        same_score += (end - run) * (end - run - 1) // 2
        run = end
    size = stop - start
    same_label = _pairs(seen)
    same_both = same_label - same_label_apart
    pairs[0] = agree
    pairs[2] = same_score - same_both
    pairs[3] = same_label_apart
    pairs[1] = size * (size - 1) // 2 - agree - pairs[2] - same_label


@compiled()
def count_pairs(levels: Integers, tied: Booleans, indptr: Integers) -> Integers:
    """Count the pairs of each list by how labels and scores agree, in O(n log n_levels).

    Parameters
    ----------
    levels : int64 array of shape (n_items,)
        The label of each item as a number from 0, the best, in the order of `sort_lists`.
    tied : bool array of shape (n_items,)
        Ties of the scores.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts.

    Returns
    -------
    pairs : int64 array of shape (n_lists, 4)
        Pairs in the same order, in the opposite order, with equal scores only, with equal labels
        only. Pairs equal in both are what is missing to n (n - 1) / 2.
    """
    pairs = np.empty((len(indptr) - 1, 4), np.int64)
    for i in range(len(pairs)):
        pairs_of_list(levels, tied, indptr[i], indptr[i + 1], pairs[i])
    return pairs

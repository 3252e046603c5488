"""Discounted gains of sorted lists, averaged over every order of tied items."""

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.ranks import run_stop


@compiled()
def gain(label: float, exponential: bool) -> float:
    """Give 2^label - 1 or the label itself; a label below 0 gains nothing."""
    if label <= 0.0:
        return 0.0
    return 2.0**label - 1.0 if exponential else label


@compiled()
def discounted_gain_of_list(
    labels: Floats, tied: Booleans, start: int, stop: int, discounts: Floats, exponential: bool
) -> float:
    """Sum gain / discount over the first ``len(discounts)`` items of one list."""
    limit = min(stop, start + len(discounts))
    total = 0.0
    run = start
    while run < limit:
        end = run_stop(tied, run, stop)
        mean = 0.0
        for place in range(run, end):
            mean += gain(labels[place], exponential)
        mean /= end - run
        for place in range(run, min(end, limit)):
            total += mean / discounts[place - start]
        run = end
    return total


@compiled()
def discounted_gains(
    labels: Floats, tied: Booleans, indptr: Integers, discounts: Floats, exponential: bool
) -> Floats:
    """Sum gain / discount over the first ``len(discounts)`` items of each list.

    Each of t tied items gets the mean gain of its run: their gains expected in a random order.

    Parameters
    ----------
    labels, tied : float64 and bool arrays of shape (n_items,)
        Sorted lists (`semirank.core.ranks.sort_lists`).
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts.
    discounts : float64 array
        What the gain at each rank is divided by.
    exponential : bool
        Gain 2^label - 1 instead of the label.
    """
    sums = np.empty(len(indptr) - 1)
    for i in range(len(sums)):
        sums[i] = discounted_gain_of_list(labels, tied, indptr[i], indptr[i + 1], discounts, exponential)
    return sums


@compiled()
def _highest(labels: Floats, start: int, stop: int, best: Floats) -> None:
    """Fill `best` with the highest labels of one list, in descending order, -inf where there are too few."""
    best[:] = -np.inf
    for i in range(start, stop):
        if labels[i] > best[-1]:
            place = len(best) - 1
            while place > 0 and best[place - 1] < labels[i]:
                best[place] = best[place - 1]
                place -= 1
            best[place] = labels[i]


@compiled()
def best_gains(labels: Floats, indptr: Integers, discounts: Floats, exponential: bool) -> Floats:
    """Sum gain / discount over the ``len(discounts)`` highest labels of each list, without sorting it.

    For a short top only: O(n) as a rule, O(n len(discounts)) at worst.
    """
    sums = np.zeros(len(indptr) - 1)
    best = np.empty(len(discounts))
    for i in range(len(sums)):
        _highest(labels, indptr[i], indptr[i + 1], best)
        for place in range(len(best)):
            sums[i] += gain(best[place], exponential) / discounts[place]
    return sums

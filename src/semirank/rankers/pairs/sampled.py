"""Pairs of items of one list: those that labels order, those of all items, or a fair sample of either."""

from typing import Any, NamedTuple, Self

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features
from semirank.kernels import fixed_projection


class SampledPairs(NamedTuple):
    """The rows of the two items of each pair."""

    first: Integers
    second: Integers

    def differences(self, X: Features) -> Features:
        """Return the features of the first item minus those of the second, one row a pair, in float64."""
        return X[self.first].astype(np.float64, copy=False) - X[self.second]

    def take(self, which: Any) -> Self:
        """Return some of the pairs."""
        return self._replace(first=self.first[which], second=self.second[which])


def ordered_pairs(X: Features, y: Floats, lists: Integers, number: int) -> SampledPairs:
    """Return the pairs of items of one list of which the first has the higher label, or so many of them.

    The items of a list stand in the order of their labels, those with equal labels in the order of their
    projection on a fixed direction, so that the order in which they were given does not matter. No more pairs
    are visited than are returned.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.rankers.pairs.sampled import ordered_pairs
    >>> y, lists = np.array([0.0, 2.0, np.nan, 1.0, 5.0]), np.array([0, 0, 0, 0, 1])
    >>> ordered_pairs(np.zeros((5, 1)), y, lists, 100)
    SampledPairs(first=array([3, 1, 1]), second=array([0, 0, 3]))
    """
    rows = np.flatnonzero(~np.isnan(y))
    rows = rows[np.lexsort((fixed_projection(X)[rows], y[rows], lists[rows]))]
    starts_list = np.append(True, np.diff(lists[rows]) != 0)
    starts_level = starts_list | np.append(True, np.diff(y[rows]) != 0)
    places = np.arange(len(rows))
    list_start = np.maximum.accumulate(np.where(starts_list, places, 0))
    level_start = np.maximum.accumulate(np.where(starts_level, places, 0))
    first, worse = _numbered_pairs(level_start - list_start, number)
    return SampledPairs(rows[first], rows[list_start[first] + worse])


def all_pairs(X: Features, number: int) -> SampledPairs:
    """Return the pairs of all items, or so many of them, with items in the order of a fixed projection."""
    order = np.argsort(fixed_projection(X), kind="stable")
    first, second = _numbered_pairs(np.arange(X.shape[0]), number)
    return SampledPairs(order[first], order[second])


def sample(total: int, number: int) -> Integers:
    """Return so many of the numbers below a total, or all of them: one at random out of each equal part.

    There is no seed: the same numbers are returned each time.
    """
    if number >= total:
        return np.arange(total)
    edges = np.arange(number + 1) * total // number
    within = np.random.default_rng(0).random(number)
    return edges[:-1] + (within * np.diff(edges)).astype(np.int64)


def _numbered_pairs(n_partners: Integers, number: int) -> tuple[Integers, Integers]:
    """Return a sample of all pairs of an item, by its place, with one of its partners, by its number."""
    ends = np.cumsum(n_partners)
    chosen = sample(int(ends[-1]), number)
    first = np.searchsorted(ends, chosen, side="right")
    return first, chosen - (ends - n_partners)[first]

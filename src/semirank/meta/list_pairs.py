"""Pairs of items of one list: those that labels order, and a few of all."""

from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features
from semirank.kernels import fixed_projection


class ListPairs(NamedTuple):
    """The rows of the two items of each pair."""

    first: Integers
    second: Integers

    def differences(self, X: Features) -> Features:
        """Return the features of the first item minus those of the second, one row a pair, in float64."""
        return X[self.first].astype(np.float64, copy=False) - X[self.second]

    def evenly(self, X: Features, number: int) -> Integers:
        """Return the numbers of so many pairs, or of all if there are no more.

        These are every so many-th in the order of their distance along a fixed direction, so that there is no
        seed and the order of the items does not matter.
        """
        if len(self.first) <= number:
            return np.arange(len(self.first))
        projection = fixed_projection(X)
        order = np.argsort(np.abs(projection[self.first] - projection[self.second]), kind="stable")
        return order[_places(len(order), number)]

    def take(self, which: Any) -> "ListPairs":
        """Return some of the pairs."""
        return ListPairs(self.first[which], self.second[which])


def ordered_pairs(y: Floats, lists: Integers) -> ListPairs:
    """Return all pairs of items of one list of which the first has the higher label.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.meta.list_pairs import ordered_pairs
    >>> ordered_pairs(np.array([0.0, 2.0, np.nan, 1.0, 5.0]), np.array([0, 0, 0, 0, 1]))
    ListPairs(first=array([1, 1, 3]), second=array([0, 3, 0]))
    """
    rows = np.flatnonzero(~np.isnan(y))
    rows = rows[np.argsort(lists[rows], kind="stable")]
    ends = np.flatnonzero(np.diff(lists[rows])) + 1
    found = [each[np.argwhere(y[each][:, None] > y[each])] for each in np.split(rows, ends)]
    first, second = np.concatenate(found).T
    return ListPairs(first, second)


def all_pairs(X: Features, number: int) -> ListPairs:
    """Return the pairs of all items, or so many of them.

    These are every so many-th of the pairs, with the items in the order of their place along a fixed
    direction.
    """
    n_items = X.shape[0]
    starts = np.concatenate([[0], np.cumsum(np.arange(n_items - 1, 0, -1))])
    places = _places(int(starts[-1]), number)
    first = np.searchsorted(starts, places, side="right") - 1
    order = np.argsort(fixed_projection(X), kind="stable")
    return ListPairs(order[first], order[places - starts[first] + first + 1])


def _places(total: int, number: int) -> Integers:
    """Return so many numbers below a total, or all of them, evenly spaced."""
    return np.linspace(0, total - 1, min(number, total)).astype(np.int64)

"""The squared hinge loss of pairs as a function of scores: its value, its slope and its curvature."""

from typing import Protocol

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.hinge import sum_partners
from semirank.core.ranks import sort_lists
from semirank.rankers.pairs import GivenPairs, OrderedPairs


class HingeLoss(Protocol):
    """The loss ``sum c_pq max(0, 1 - (s_p - s_q))^2`` of scores s over pairs (p, q), p being the better.

    Attributes
    ----------
    items : int64 array of shape (n,)
        The items that the scores belong to.
    """

    items: Integers

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """Return the loss and its derivative by each score, and stay at these scores."""

    def curve(self, move: Floats) -> Floats:
        """Return the second derivative at the scores last seen, times a move of the scores."""


class OrderedHinge:
    """The loss over all pairs that labels order within a list, no pair being visited.

    With the sums a, b of weights u and of u times s over the lower partners of p, the derivative by s_p is
    ``-2 c u_p (a (1 - s_p) + b)``, and likewise over higher partners; c is the share of the list.

    Parameters
    ----------
    pairs : OrderedPairs
        The pairs, with the share of each list.
    """

    def __init__(self, pairs: OrderedPairs) -> None:
        self.items = pairs.items
        self._weights = pairs.weights
        self._indptr = pairs.levels[pairs.lists]
        sizes = np.diff(pairs.levels)
        first = np.repeat(pairs.lists[:-1], np.diff(pairs.lists))
        self._levels = np.repeat(np.arange(len(sizes)) - first, sizes)
        self._factors = 2.0 * pairs.weights * np.repeat(np.exp(pairs.log_shares), np.diff(self._indptr))

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """Return the loss and its derivative by each score, and stay at these scores."""
        scores = scores - np.repeat(self._means(scores), np.diff(self._indptr))
        self._scores, self._order = scores, sort_lists(scores, self._indptr)[0]
        lower, higher = self._sums(np.column_stack([self._weights, self._weights * scores]))
        self._partners = lower[:, 0], higher[:, 0]
        as_better = self._factors * (lower[:, 0] * (1.0 - scores) + lower[:, 1])
        as_worse = self._factors * (higher[:, 0] * (1.0 + scores) - higher[:, 1])
        loss = 0.5 * float(as_better @ (1.0 - scores) + as_worse @ scores)
        return loss, as_worse - as_better

    def curve(self, move: Floats) -> Floats:
        """Return the second derivative at the scores last seen, times a move of the scores."""
        lower, higher = self._sums((self._weights * move)[:, None])
        a, b = self._partners
        return self._factors * ((a + b) * move - lower[:, 0] - higher[:, 0])

    def _sums(self, values: Floats) -> tuple[Floats, Floats]:
        return sum_partners(self._scores, self._order, self._levels, values, self._indptr)

    def _means(self, scores: Floats) -> Floats:
        return np.add.reduceat(scores, self._indptr[:-1]) / np.diff(self._indptr)


class GivenHinge:
    """The loss over pairs that are given one by one.

    Parameters
    ----------
    pairs : GivenPairs
        The pairs.
    weights : float64 array of shape (n_pairs,)
        The factor of each pair in the loss.
    """

    def __init__(self, pairs: GivenPairs, weights: Floats) -> None:
        self.items = pairs.items
        self._better, self._worse, self._weights = pairs.better, pairs.worse, weights

    def at(self, scores: Floats) -> tuple[float, Floats]:
        """Return the loss and its derivative by each score, and stay at these scores."""
        short = np.maximum(1.0 - (scores[self._better] - scores[self._worse]), 0.0)
        pulls = 2.0 * self._weights * short
        self._active = 2.0 * self._weights * (short > 0)
        return float(self._weights @ short**2), -self._spread(pulls)

    def curve(self, move: Floats) -> Floats:
        """Return the second derivative at the scores last seen, times a move of the scores."""
        return self._spread(self._active * (move[self._better] - move[self._worse]))

    def _spread(self, values: Floats) -> Floats:
        n = len(self.items)
        return np.subtract(np.bincount(self._better, values, n), np.bincount(self._worse, values, n))

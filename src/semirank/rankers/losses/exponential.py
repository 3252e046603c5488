"""The exponential loss of pairs, which boosting lowers: its value, and what each item weighs in it."""

from functools import cached_property
from typing import Protocol

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.potentials import pair_losses, shift_scores, signed_weights
from semirank.rankers.pairs import GivenPairs, OrderedPairs


class ExponentialLoss(Protocol):
    """The loss ``sum D(p, q) exp(F_q - F_p)`` of scores F over pairs (p, q), p being the better.

    The signed weight of an item is what the loss would fall by, to first order, if its score were raised.
    """

    @property
    def items(self) -> Integers:
        """The items that scores are for."""

    @property
    def log_count(self) -> float:
        """Logarithm of the number of pairs in the loss."""

    def weigh(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return signed weights, which sum to 0 and are parts of the loss, and the log of its terms."""

    def log_losses(self, scores: Floats) -> Floats:
        """Return the logarithm of each term of the loss."""


class OrderedExponential:
    """The loss over the pairs that labels order; D is ``share u_p u_q``, and no pair is visited.

    room : float64 array of shape (2, n_items) to work in, where one serves several losses.
    """

    def __init__(self, pairs: OrderedPairs, room: Floats | None = None) -> None:
        self.pairs, self.items = pairs, pairs.items
        self._spread = np.empty((2, len(pairs.items))) if room is None else room
        self._scales = np.empty((2, len(pairs.levels) - 1))

    @cached_property
    def log_count(self) -> float:
        """Logarithm of the number of pairs in the loss."""
        return self.pairs.log_count

    def weigh(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the signed weight of each item, as a part of the loss, and the logarithms of its terms."""
        terms = self.log_losses(scores)
        return self.signed(np.logaddexp.reduce(terms)), terms

    def log_losses(self, scores: Floats) -> Floats:
        """Return the logarithm of each term of the loss."""
        return np.logaddexp.reduceat(self.of_lists(scores), self.pairs.groups)

    def signed(self, log_total: float) -> Floats:
        """Return the signed weights for the scores that `of_lists` has seen, as parts of a total."""
        pairs, signed = self.pairs, np.empty(len(self.items))
        factors = pairs.log_shares - log_total
        signed_weights(self._spread, self._scales, pairs.levels, pairs.lists, factors, signed)
        return signed

    def of_lists(self, scores: Floats) -> Floats:
        """Return the logarithm of the loss of each list."""
        pairs = self.pairs
        shift_scores(scores, pairs.levels, pairs.lists, self._spread, self._scales)
        np.exp(self._spread, out=self._spread)  # quicker than in a compiled loop
        self._spread *= pairs.weights
        return pair_losses(self._spread, pairs.levels, pairs.lists, self._scales) + pairs.log_shares


class GivenExponential:
    """The loss over pairs that are given one by one, all of which are visited."""

    def __init__(self, pairs: GivenPairs, balance: str) -> None:
        self.pairs, self.items = pairs, pairs.items
        self.log_weights = pairs.log_shares(balance)
        total = float(np.logaddexp.reduce(pairs.log_weights))
        self.log_count = max(total, float(np.log(len(pairs.log_weights))))

    def weigh(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the signed weight of each item, as a part of the loss, and the logarithm of the loss."""
        better, worse = self.pairs.better, self.pairs.worse
        exponents = self.log_weights + scores[worse] - scores[better]
        top = exponents.max()
        parts = np.exp(exponents - top)
        total = parts.sum()
        signed = np.bincount(better, parts, len(scores)) - np.bincount(worse, parts, len(scores))
        return signed / total, np.array([top + np.log(total)])

    def log_losses(self, scores: Floats) -> Floats:
        """Return the logarithm of the loss."""
        return self.weigh(scores)[1]

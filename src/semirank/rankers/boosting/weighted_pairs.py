"""Pairs of items with a weight for each pair."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from semirank.core.arrays import Floats, Integers


@dataclass(frozen=True, eq=False)
class WeightedPairs:
    """Pairs (p, q) of items, p better than q, each with a weight D(p, q) of its own.

    The loss of scores F is the sum over pairs of ``D(p, q) exp(F_q - F_p)``. Weights that are no product of
    weights of items leave no other way than to visit every pair.

    Attributes
    ----------
    items : int64 array of shape (n,)
        The items that occur in a pair, ascending.
    better, worse : int64 arrays of shape (n_pairs,)
        The places in `items` of the two items of each pair.
    log_weights : float64 array of shape (n_pairs,)
        Logarithms of the weights, which sum to 1.
    log_count : float
        Logarithm of the number of pairs, or of their weights as given where that is more.
    """

    items: Integers
    better: Integers
    worse: Integers
    log_weights: Floats
    log_count: float

    @classmethod
    def of(
        cls, better: Integers, worse: Integers, log_weights: Floats, lists: Integers | None = None
    ) -> Self:
        """Take the pairs with a weight above 0; at least one has.

        lists : the list of each pair, to give all lists the same weight together; None: weights as they are.
        """
        kept = log_weights > -np.inf
        items, places = np.unique(np.concatenate([better[kept], worse[kept]]), return_inverse=True)
        better, worse = np.split(places, 2)
        log_weights = log_weights[kept]
        total = float(np.logaddexp.reduce(log_weights))
        log_count = max(total, float(np.log(len(log_weights))))
        if lists is None:
            return cls(items, better, worse, log_weights - total, log_count)
        return cls(items, better, worse, _share_lists(log_weights, lists[kept]), log_count)

    def weigh(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the signed weight of each item, as a part of the loss, and the logarithm of the loss."""
        exponents = self._exponents(scores)
        top = exponents.max()
        parts = np.exp(exponents - top)
        total = parts.sum()
        signed = np.bincount(self.better, parts, len(scores)) - np.bincount(self.worse, parts, len(scores))
        return signed / total, np.array([top + np.log(total)])

    def log_losses(self, scores: Floats) -> Floats:
        """Return the logarithm of the loss."""
        exponents = self._exponents(scores)
        top = exponents.max()
        return np.array([top + np.log(np.exp(exponents - top).sum())])

    def _exponents(self, scores: Floats) -> Floats:
        return self.log_weights + scores[self.worse] - scores[self.better]


def _share_lists(log_weights: Floats, lists: Integers) -> Floats:
    """Give every list the same weight, all together 1."""
    names, lists = np.unique(lists, return_inverse=True)
    log_sums = np.full(len(names), -np.inf)
    np.logaddexp.at(log_sums, lists, log_weights)
    return log_weights - log_sums[lists] - np.log(len(names))

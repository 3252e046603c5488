"""Pairs of items that are given one by one, each with a weight of its own."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset
from semirank.rankers.pairs.weights import PairWeights


@dataclass(frozen=True, eq=False)
class GivenPairs:
    """Pairs (p, q), p better than q, with weights that are no product of weights of items.

    Attributes
    ----------
    items : int64 array of shape (n,)
        The items that occur in a pair, ascending.
    better, worse : int64 arrays of shape (n_pairs,)
        The places in `items` of the two items of each pair.
    log_weights : float64 array of shape (n_pairs,)
        Logarithms of the weights; no weight is 0.
    lists : int64 array of shape (n_pairs,)
        The number of the list of each pair.
    """

    items: Integers
    better: Integers
    worse: Integers
    log_weights: Floats
    lists: Integers

    @classmethod
    def of(cls, pairs: PairWeights, data: RankingDataset, weights: Floats) -> Self:
        """Take pairs of rows of `data`; a pair counts with its weight times those of its two items."""
        with np.errstate(divide="ignore"):  # logarithms, because the product of all three may be no number
            logs = np.log(pairs.weights) + np.log(weights[pairs.better]) + np.log(weights[pairs.worse])
        counts = logs > -np.inf
        if not counts.any():
            raise ValueError("All pairs to learn from weigh 0, so that there is nothing to learn from.")
        ends = np.stack([pairs.better[counts], pairs.worse[counts]])
        items, places = np.unique(ends, return_inverse=True)
        better, worse = places.reshape(ends.shape)
        return cls(items, better, worse, logs[counts], data.list_of_item[ends[0]])

    def log_shares(self, balance: str) -> Floats:
        """Return the logarithms of the weights, scaled to the sum 1.

        balance : whether weights stay in proportion ("pairs"), or each of the "lists" has the same sum.
        """
        if balance == "pairs":
            return self.log_weights - np.logaddexp.reduce(self.log_weights)
        names, lists = np.unique(self.lists, return_inverse=True)
        log_sums = np.full(len(names), -np.inf)
        np.logaddexp.at(log_sums, lists, self.log_weights)
        return self.log_weights - log_sums[lists] - np.log(len(names))

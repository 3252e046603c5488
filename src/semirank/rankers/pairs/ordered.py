"""Pairs of items that labels put in order, none of which is stored or visited."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.core.potentials import pair_losses
from semirank.dataset import RankingDataset

ALL = np.array([0])
ONE = np.array([1.0])


@dataclass(frozen=True, eq=False)
class OrderedPairs:
    """The pairs (p, q) of items of one list in which the label of p is higher than that of q.

    The weight of a pair is ``share u_p u_q``, where u are the weights of items and each list has a share.

    Attributes
    ----------
    items : int64 array of shape (n,)
        The items that occur in a pair, list after list, in a list from the lowest label to the highest.
    weights : float64 array of shape (n,)
        Their weights u.
    levels, lists : int64 arrays
        Where each level (the items of a list with one label) starts, and with which level each list does.
    numbers : int64 array of shape (n_lists,)
        The number by which each list was named.
    log_shares : float64 array of shape (n_lists,)
        Logarithm of the share of each list.
    groups : int64 array of shape (n_groups,)
        With which list each term of a loss starts: a term is the loss of a few lists.
    """

    items: Integers
    weights: Floats
    levels: Integers
    lists: Integers
    numbers: Integers
    log_shares: Floats
    groups: Integers

    @classmethod
    def of(cls, data: RankingDataset, weights: Floats, learner: str) -> Self:
        """Take the pairs of the labelled items of `data`; `learner` names who needs them."""
        items = np.flatnonzero(data.labelled)
        pairs = cls.ordered_by(data.y[items], data.list_of_item[items], weights[items])
        if len(pairs.numbers) == 0:
            raise ValueError(
                f"{learner} learns from items of one list with different labels, and there are none: the "
                "labelled items of every list are of one class."
            )
        return replace(pairs, items=items[pairs.items])

    @classmethod
    def ordered_by(cls, labels: Floats, numbers: Integers, weights: Floats) -> Self:
        """Take the pairs that labels order within the lists that numbers name, each with share 1.

        Lists with one label for all are left out, and so are items that weigh nothing.
        """
        order = np.lexsort((labels, numbers))
        order = order[weights[order] > 0]
        order = order[_has_two_levels(labels[order], numbers[order])]
        labels, numbers = labels[order], numbers[order]
        levels = _starts(labels, numbers)
        numbers = numbers[levels[:-1]]
        lists = _starts(numbers)
        numbers = numbers[lists[:-1]]
        return cls(order, weights[order], levels, lists, numbers, np.zeros(len(numbers)), ALL)

    def share(self, balance: str, groups: Integers = ALL, totals: Floats = ONE) -> Self:
        """Divide the pairs into terms that start with the given lists.

        balance : whether the "pairs" of a term count the same, or its "lists".
        totals : the weight of each term.
        """
        log_masses = self.log_masses()
        sizes = np.diff(np.append(groups, len(log_masses)))
        if balance == "pairs":
            log_shares = np.repeat(np.log(totals) - np.logaddexp.reduceat(log_masses, groups), sizes)
        else:
            log_shares = np.repeat(np.log(totals / sizes), sizes) - log_masses
        return replace(self, log_shares=log_shares, groups=groups)

    @property
    def log_count(self) -> float:
        """Logarithm of the number of pairs, or of their weights together where that is more."""
        unweighted = replace(self, weights=np.ones(len(self.items)))
        return max(float(np.logaddexp.reduce(each.log_masses())) for each in (self, unweighted))

    def log_masses(self) -> Floats:
        """Return the logarithm of the sum of ``u_p u_q`` over the pairs of each list."""
        scales = np.zeros((2, len(self.levels) - 1))
        return pair_losses(np.tile(self.weights, (2, 1)), self.levels, self.lists, scales)


def _starts(*keys: Floats | Integers) -> Integers:
    """Return where runs of equal keys start, and the end."""
    change = np.ones(len(keys[0]) + 1, dtype=bool)
    if len(keys[0]):
        change[1:-1] = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.flatnonzero(change)


def _has_two_levels(labels: Floats, numbers: Integers) -> Booleans:
    """Mark the items, sorted by list and label, whose list has at least two different labels."""
    lists = _starts(numbers)
    differ = labels[lists[1:] - 1] > labels[lists[:-1]]
    return np.repeat(differ, np.diff(lists))

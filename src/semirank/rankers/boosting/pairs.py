"""Pairs of items that labels put in order, and how much each item weighs in them."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.core.potentials import pair_losses, shift_scores, signed_weights
from semirank.rankers.boosting.threads import threads_for


@dataclass(eq=False)
class Pairs:
    """The pairs (p, q) of items of one list in which the label of p is higher than that of q.

    The loss of scores F is the sum over pairs of ``share u_p u_q exp(F_q - F_p)``, where u are the weights
    of items and each list has a share. No pair is stored or visited.

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
        With which list each term of the loss starts: a term is the loss of a few lists.
    """

    items: Integers
    weights: Floats
    levels: Integers
    lists: Integers
    numbers: Integers
    log_shares: Floats
    groups: Integers

    def __post_init__(self) -> None:
        self._spread = np.empty((2, len(self.items)))
        self._scales = np.empty((2, len(self.levels) - 1))

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
        shares, groups = np.zeros(len(numbers)), np.zeros(1, dtype=np.int64)
        return cls(order, weights[order], levels, lists, numbers, shares, groups)

    def share(self, balance: str, groups: Integers, totals: Floats) -> Self:
        """Divide the loss into terms that start with the given lists.

        balance : whether the "pairs" of a term count the same, or its "lists".
        totals : what each term is when all scores are equal.
        """
        log_masses = self._log_masses()
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
        return max(float(np.logaddexp.reduce(each._log_masses())) for each in (self, unweighted))

    def weigh(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return the signed weight of each item, as a part of the loss, and the logarithms of its terms."""
        terms = self.log_losses(scores)
        signed = np.empty(len(scores))
        factors = self.log_shares - np.logaddexp.reduce(terms)
        with threads_for(len(scores)):
            signed_weights(self._spread, self._scales, self.levels, self.lists, factors, signed)
        return signed, terms

    def log_losses(self, scores: Floats) -> Floats:
        """Return the logarithm of each term of the loss."""
        return np.logaddexp.reduceat(self._list_losses(scores) + self.log_shares, self.groups)

    def _list_losses(self, scores: Floats) -> Floats:
        with threads_for(len(scores)):
            shift_scores(scores, self.levels, self.lists, self._spread, self._scales)
            np.exp(self._spread, out=self._spread)  # quicker than in a compiled loop
            self._spread *= self.weights
            return pair_losses(self._spread, self.levels, self.lists, self._scales)

    def _log_masses(self) -> Floats:
        """Return the logarithm of the sum of ``u_p u_q`` over the pairs of each list."""
        return self._list_losses(np.zeros(len(self.items)))


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

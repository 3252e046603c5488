"""The loss of pseudo margins: labelled pairs in their order, pairs of other lists in any order."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.pseudo_margin import ROUNDING, TINY, margin_weights
from semirank.rankers.losses.exponential import ExponentialLoss


@dataclass(frozen=True, eq=False)
class PseudoMarginLoss:
    """A loss of labelled items, followed by the items of lists without labels.

    The loss of scores F is that of the labelled pairs, A, plus ``exp(-|F_i - F_j|)`` times a weight for every
    pair of the other lists, B together. A pair with equal scores cannot move and has no part in the signed
    weights.

    Attributes
    ----------
    own : ExponentialLoss
        The loss of the labelled pairs.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list without labels starts among their items.
    left_out : int64 array of shape (n_lists,)
        How many pairs of each list, those with the smallest margins, do not count.
    log_weight : float
        Logarithm of the weight of one pair that counts.
    """

    own: ExponentialLoss
    indptr: Integers
    left_out: Integers
    log_weight: float

    @classmethod
    def of(cls, own: ExponentialLoss, indptr: Integers, weight: float, ties: float, raw: bool) -> Self:
        """Choose how many pairs count, and how much.

        weight : that of all pairs together, or if raw, that of one pair beside one labelled pair; above 0.
        ties : share of the pairs that are left out.
        """
        pairs = _count_pairs(indptr)
        left_out = np.floor(ties * pairs).astype(np.int64)
        log_share = own.log_count if raw else np.log((pairs - left_out).sum())
        return cls(own, indptr, left_out, float(np.log(weight) - log_share))

    @cached_property
    def items(self) -> Integers:
        """The items that scores are for."""
        return np.arange(len(self.own.items) + self.indptr[-1])

    @property
    def log_count(self) -> float:
        """Logarithm of the number of labelled pairs: stumps without a fault weigh what they weigh alone."""
        return self.own.log_count

    def weigh(self, scores: Floats) -> tuple[Floats, Floats]:
        """Return signed weights, as parts of the loss of the pairs that can move, and the log of A and B."""
        n_own = len(self.own.items)
        signed, terms = self.own.weigh(scores[:n_own])
        log_own = np.logaddexp.reduce(terms)
        moved, log_scales, log_moving, log_resting = self._margins(scores[n_own:])
        log_all = np.logaddexp(log_own, np.logaddexp.reduce(log_moving))
        moved *= np.repeat(np.exp(log_scales - log_all), np.diff(self.indptr))
        log_margins = np.logaddexp.reduce(np.append(log_moving, log_resting))
        return np.append(signed * np.exp(log_own - log_all), moved), np.array([log_own, log_margins])

    def log_losses(self, scores: Floats) -> Floats:
        """Return the logarithms of A and B."""
        return self.weigh(scores)[1]

    def means(self, log_losses: Floats) -> tuple[float, float]:
        """Return A and the mean of ``exp(-|F_i - F_j|)`` over the pairs that count, from log A and log B."""
        mean = np.exp(log_losses[1] - self.log_weight) / self._n_counting
        return float(np.exp(log_losses[0])), float(mean)

    @property
    def _n_counting(self) -> int:
        return int((_count_pairs(self.indptr) - self.left_out).sum())

    def _margins(self, scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return signed weights, and for each list the logarithms of their scale and of both parts of B."""
        order = np.lexsort((scores, np.repeat(np.arange(len(self.left_out)), np.diff(self.indptr))))
        signed = np.empty(len(scores))
        shifts, moving, resting = margin_weights(scores[order], self.indptr, self.left_out, signed).T
        signed[order] = signed.copy()
        log_scales = self.log_weight - shifts
        with np.errstate(divide="ignore"):
            return signed, log_scales, log_scales + np.log(moving), self.log_weight + np.log(resting)


@dataclass(frozen=True, eq=False)
class GivenMarginLoss(PseudoMarginLoss):
    """The same loss over some pairs of the items without labels, which are written down.

    Attributes
    ----------
    pairs : int64 array of shape (n_pairs, 2)
        The two items of each pair that counts, in any order.
    """

    pairs: Integers

    @classmethod
    def of_pairs(cls, own: ExponentialLoss, pairs: Integers, n_items: int, weight: float, raw: bool) -> Self:
        """Choose how much a pair counts; parameters as in `of`, n_items being those without labels."""
        log_share = own.log_count if raw else np.log(len(pairs))
        indptr, left_out = np.array([0, n_items]), np.zeros(1, dtype=np.int64)
        return cls(own, indptr, left_out, float(np.log(weight) - log_share), pairs)

    @property
    def _n_counting(self) -> int:
        return len(self.pairs)

    def _margins(self, scores: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        first, second = self.pairs.T
        differences = scores[first] - scores[second]
        slack = TINY + ROUNDING * np.ptp(scores)
        sides = np.where(np.abs(differences) > slack, np.sign(differences), 0.0)
        moves = sides != 0.0
        shift = np.abs(differences[moves]).min(initial=np.inf) if moves.any() else 0.0
        weights = np.where(moves, np.exp(np.minimum(shift - np.abs(differences), 0.0)), 0.0)
        signed = np.zeros(len(scores))
        np.add.at(signed, first, sides * weights)
        np.add.at(signed, second, -sides * weights)
        log_scale = np.array([self.log_weight - shift])
        with np.errstate(divide="ignore"):
            return (
                signed,
                log_scale,
                log_scale + np.log(weights.sum()),
                np.array([self.log_weight + np.log((~moves).sum())]),
            )


def _count_pairs(indptr: Integers) -> Integers:
    sizes = np.diff(indptr)
    return sizes * (sizes - 1) // 2

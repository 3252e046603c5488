"""Exponential weights of the pairs that labels put in order, found without visiting the pairs.

The loss of a list is the sum of ``u_p u_q exp(F_q - F_p)`` over its pairs with a higher label for p than
for q, where F are scores and u weights. The *signed weight* of an item is what the loss would fall by,
to first order, if its score were raised.

Items stand list after list, in a list level after level, lowest label first: level l is the slice
``levels[l]:levels[l + 1]`` of the items and list i the slice ``lists[i]:lists[i + 1]`` of the levels. Every
item has two sides: it falls with ``exp(-F)`` as the better of a pair, and rises with ``exp(F)`` as the worse.
Within a level they are taken relative to their largest, and sums are kept as logarithms, so that no score
is too large.
"""

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.threads import in_shares

FALL, RISE = 0, 1


def shift_scores(scores: Floats, levels: Integers, lists: Integers, shifted: Floats, scales: Floats) -> None:
    """Fill `shifted` with -F and F, less their largest in the level, and `scales` with these largest.

    scores : (n_items,); levels : (n_levels + 1,); lists : (n_lists + 1,); shifted : (2, n_items);
    scales : (2, n_levels).
    """
    in_shares(_shift_lists, len(lists) - 1, len(scores), scores, levels, lists, shifted, scales)


@compiled()
def _shift_lists(
    first: int, last: int, scores: Floats, levels: Integers, lists: Integers, shifted: Floats, scales: Floats
) -> None:
    for i in range(first, last):
        for level in range(lists[i], lists[i + 1]):
            start, stop = levels[level], levels[level + 1]
            low, high = scores[start], scores[start]
            for item in range(start + 1, stop):
                low, high = min(low, scores[item]), max(high, scores[item])
            for item in range(start, stop):
                shifted[FALL, item] = low - scores[item]
                shifted[RISE, item] = scores[item] - high
            scales[FALL, level], scales[RISE, level] = -low, high


@compiled()
def _log_add(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@compiled()
def _sum_levels(
    spread: Floats, levels: Integers, first: int, last: int, scales: Floats, sums: Floats
) -> None:
    """Fill `sums` with the logarithms of the sums of both sides of the levels first..last."""
    for level in range(first, last):
        fall, rise = 0.0, 0.0
        for item in range(levels[level], levels[level + 1]):
            fall += spread[FALL, item]
            rise += spread[RISE, item]
        sums[FALL, level] = scales[FALL, level] + np.log(fall)
        sums[RISE, level] = scales[RISE, level] + np.log(rise)


@compiled()
def _meet_levels(first: int, last: int, sums: Floats, scales: Floats) -> float:
    """Add to the scales of one list what each level meets below and above it; return the log loss."""
    loss, below, above = -np.inf, -np.inf, -np.inf
    for level in range(first, last):
        scales[FALL, level] += below
        loss = _log_add(loss, below + sums[FALL, level])
        below = _log_add(below, sums[RISE, level])
    for level in range(last - 1, first - 1, -1):
        scales[RISE, level] += above
        above = _log_add(above, sums[FALL, level])
    return loss


def pair_losses(spread: Floats, levels: Integers, lists: Integers, scales: Floats) -> Floats:
    """Return the logarithm of the loss of each list.

    Parameters
    ----------
    spread : float64 array of shape (2, n_items)
        Weights times the exponentials of what `shift_scores` has filled; weights are positive.
    levels : int64 array of shape (n_levels + 1,)
        Where each level starts.
    lists : int64 array of shape (n_lists + 1,)
        With which level each list starts.
    scales : float64 array of shape (2, n_levels)
        From `shift_scores`; becomes the logarithms of the factors that turn `spread` into weights of pairs.

    Notes
    -----
    O(n_items) time: the pairs of an item are a product of its side and the sum of all levels below or above.
    """
    losses = np.empty(len(lists) - 1)
    sums = np.empty_like(scales)
    in_shares(_lose_lists, len(losses), spread.shape[1], spread, levels, lists, scales, sums, losses)
    return losses


@compiled()
def _lose_lists(
    first: int,
    last: int,
    spread: Floats,
    levels: Integers,
    lists: Integers,
    scales: Floats,
    sums: Floats,
    losses: Floats,
) -> None:
    for i in range(first, last):
        _sum_levels(spread, levels, lists[i], lists[i + 1], scales, sums)
        losses[i] = _meet_levels(lists[i], lists[i + 1], sums, scales)


def signed_weights(
    spread: Floats, scales: Floats, levels: Integers, lists: Integers, log_shares: Floats, signed: Floats
) -> None:
    """Fill `signed` with each item's weight as the better of its pairs minus that as the worse.

    spread, scales : from `pair_losses`; log_shares : (n_lists,), the logarithm of the factor of each list.
    """
    in_shares(_weigh_lists, len(lists) - 1, len(signed), spread, scales, levels, lists, log_shares, signed)


@compiled()
def _weigh_lists(
    first: int,
    last: int,
    spread: Floats,
    scales: Floats,
    levels: Integers,
    lists: Integers,
    log_shares: Floats,
    signed: Floats,
) -> None:
    for i in range(first, last):
        for level in range(lists[i], lists[i + 1]):
            fall = np.exp(scales[FALL, level] + log_shares[i])
            rise = np.exp(scales[RISE, level] + log_shares[i])
            for item in range(levels[level], levels[level + 1]):
                signed[item] = fall * spread[FALL, item] - rise * spread[RISE, item]

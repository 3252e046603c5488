"""Exponential weights of the pairs that labels put in order, found without visiting the pairs.

The loss of a list is the sum of ``u_p u_q exp(F_q - F_p)`` over its pairs with a higher label for p than
for q, where F are scores and u weights. The *signed weight* of an item is what the loss would fall by,
to first order, if its score were raised.

Items stand list after list, in a list level after level, lowest label first: level l is the slice
``levels[l]:levels[l + 1]`` of the items and list i the slice ``lists[i]:lists[i + 1]`` of the levels.
Sums are kept as logarithms, so that no score is too large.
"""

import numpy as np
from numba import njit, prange

from semirank.core.arrays import Floats, Integers

FALL, RISE = 0, 1  # the two sides of an item: e^-F as the better of a pair, e^F as the worse one


@njit(cache=True)
def _log_add(a: float, b: float) -> float:
    high, low = max(a, b), min(a, b)
    return high if low == -np.inf else high + np.log1p(np.exp(low - high))


@njit(cache=True)
def _spread(scores: Floats, weights: Floats, sign: float, out: Floats) -> tuple[float, float]:
    """Fill `out` with ``weights * exp(sign * scores - peak)``; return peak and the log of the whole sum."""
    peak = -np.inf
    for score in scores:
        peak = max(peak, sign * score)
    total = 0.0
    for i in range(len(scores)):
        out[i] = weights[i] * np.exp(sign * scores[i] - peak)
        total += out[i]
    return peak, peak + np.log(total)


@njit(cache=True)
def _spread_list(
    scores: Floats,
    weights: Floats,
    levels: Integers,
    first: int,
    last: int,
    spread: Floats,
    scales: Floats,
    sums: Floats,
) -> None:
    """Spread the levels first..last of one list: each falls unless it is the lowest, rises unless highest."""
    for level in range(first, last):
        items = slice(levels[level], levels[level + 1])
        for side, sign, needed in ((FALL, -1.0, level > first), (RISE, 1.0, level < last - 1)):
            if needed:
                scales[side, level], sums[side, level] = _spread(
                    scores[items], weights[items], sign, spread[side, items]
                )


@njit(cache=True)
def _meet_levels(first: int, last: int, scales: Floats, sums: Floats) -> float:
    """Add to each scale what the level meets below (FALL) or above (RISE) it; return the log loss."""
    loss, below, above = -np.inf, -np.inf, -np.inf
    for level in range(first, last - 1):
        below = _log_add(below, sums[RISE, level])
        scales[FALL, level + 1] += below
        loss = _log_add(loss, below + sums[FALL, level + 1])
    for level in range(last - 1, first, -1):
        above = _log_add(above, sums[FALL, level])
        scales[RISE, level - 1] += above
    return loss


@njit(cache=True, parallel=True)
def pair_losses(
    scores: Floats, weights: Floats, levels: Integers, lists: Integers, spread: Floats, scales: Floats
) -> Floats:
    """Return the logarithm of the loss of each list, and keep what `signed_weights` needs.

    Parameters
    ----------
    scores, weights : float64 arrays of shape (n_items,)
        F and u; weights are positive.
    levels : int64 array of shape (n_levels + 1,)
        Where each level starts.
    lists : int64 array of shape (n_lists + 1,)
        With which level each list starts; every list has two levels or more.
    spread : float64 array of shape (2, n_items)
        Filled with ``u exp(-F)`` and ``u exp(F)``, scaled to at most u within a level. Entries that no
        pair needs are left alone: start from zeros.
    scales : float64 array of shape (2, n_levels)
        Filled with the logarithms of the factors that turn `spread` into weights over pairs.

    Notes
    -----
    O(n_items) time; one exponential an item for two levels, two for the levels in between.
    """
    losses = np.empty(len(lists) - 1)
    sums = np.empty((2, len(levels) - 1))
    for i in prange(len(lists) - 1):  # lists own disjoint slices: any order gives the same bits
        _spread_list(scores, weights, levels, lists[i], lists[i + 1], spread, scales, sums)
        losses[i] = _meet_levels(lists[i], lists[i + 1], scales, sums)
    return losses


@njit(cache=True, parallel=True)
def signed_weights(
    spread: Floats, scales: Floats, levels: Integers, lists: Integers, log_shares: Floats, signed: Floats
) -> None:
    """Fill `signed` with each item's weight as the better of its pairs minus that as the worse.

    spread, scales : from `pair_losses`, of which unneeded entries are 0 and minus infinity.
    log_shares : float64 array of shape (n_lists,), the logarithm of the factor of each list.
    """
    for i in prange(len(lists) - 1):
        for level in range(lists[i], lists[i + 1]):
            fall = np.exp(scales[FALL, level] + log_shares[i])
            rise = np.exp(scales[RISE, level] + log_shares[i])
            for item in range(levels[level], levels[level + 1]):
                signed[item] = fall * spread[FALL, item] - rise * spread[RISE, item]

"""Exponential weights of all pairs of a list by how far apart their scores are, found without visiting pairs.

The margin of two items is the distance d of their scores, whichever is the higher. A list weighs its pairs
by ``exp(-d)``; those with d = 0 have no side to be moved to and rest. Some of a list's pairs, those with the
smallest margins, can be left out: then pairs with exactly the smallest margin kept count in part, so that the
number of pairs that count is always the same.

Margins count as equal when they differ by no more than `ROUNDING` times the largest of the list.

Scores stand list after list, ascending within a list: list i is the slice ``indptr[i]:indptr[i + 1]``.
"""

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.compiling import compiled

HALVINGS = 64
ROUNDING, TINY = 1e-12, 1e-300


@compiled()
def margin_weights(scores: Floats, indptr: Integers, left_out: Integers, signed: Floats) -> Floats:
    """Weigh the pairs of every list.

    Parameters
    ----------
    scores : float64 array of shape (n_items,)
        Ascending within each list.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts.
    left_out : int64 array of shape (n_lists,)
        How many pairs of each list, with the smallest margins, do not count; not all of them.
    signed : float64 array of shape (n_items,)
        Is filled with the weights of each item's pairs with lower items minus that with higher ones, times
        ``exp(shift)``.

    Returns
    -------
    float64 array of shape (n_lists, 3)
        Of each list, the smallest margin of a pair that can move and counts (the shift), the sum of the
        weights of such pairs times ``exp(shift)``, and the number of pairs that rest.

    Notes
    -----
    O(n) time for a list of n items, and 64 times as much where pairs are left out.
    """
    found = np.empty((len(indptr) - 1, 3))
    for i in range(len(indptr) - 1):
        part = scores[indptr[i] : indptr[i + 1]]
        own = signed[indptr[i] : indptr[i + 1]]
        slack = TINY + ROUNDING * (part[-1] - part[0])
        least, share = smallest_kept(part, left_out[i], slack)
        resting = 0.0
        if least <= slack:
            resting = share * (len(part) * (len(part) - 1) // 2 - count_pairs(part, slack))
            least, share = next_margin(part, slack), 1.0
        found[i, 0], found[i, 1], found[i, 2] = least, _weigh(part, least, share, slack, own), resting
    return found


@compiled()
def _weigh(scores: Floats, least: float, share: float, slack: float, signed: Floats) -> float:
    """Fill the signed weights of one list, times exp(least); return the sum of the weights of its pairs.

    Pairs with the margin `least` count with a share, those with a larger one fully.
    """
    below, above = np.zeros(len(scores)), np.zeros(len(scores))
    turned = -scores[::-1]
    for gap, part in ((max(least - slack, slack), share), (least + slack, 1.0 - share)):
        if part > 0.0:
            _add_weights(scores, gap, least, part, below)
            _add_weights(turned, gap, least, part, above)
    signed[:] = below - above[::-1]
    return below.sum()


@compiled()
def _add_weights(scores: Floats, gap: float, shift: float, part: float, weights: Floats) -> None:
    """Add to each item a part of the weights of its pairs with items that are more than `gap` below it."""
    beyond, total = 0, 0.0
    for i in range(len(scores)):
        if i > 0:
            total *= np.exp(scores[i - 1] - scores[i])
        while beyond < i and scores[i] - scores[beyond] > gap:
            total += np.exp(shift - (scores[i] - scores[beyond]))
            beyond += 1
        weights[i] += part * total


@compiled()
def count_pairs(scores: Floats, gap: float) -> int:
    """Count the pairs of ascending scores with a margin above `gap`."""
    beyond, count = 0, 0
    for i in range(len(scores)):
        while beyond < i and scores[i] - scores[beyond] > gap:
            beyond += 1
        count += beyond
    return count


@compiled()
def smallest_kept(scores: Floats, left_out: int, slack: float) -> tuple[float, float]:
    """Return the smallest margin of ascending scores that counts when so many pairs do not.

    Also the share of the pairs with this margin, up to the slack, that counts. Nothing left out: 0 and 1.
    """
    if left_out == 0:
        return 0.0, 1.0
    kept = len(scores) * (len(scores) - 1) // 2 - left_out
    low, high = -slack, scores[-1] - scores[0]
    for _ in range(HALVINGS):  # as many pairs as are kept have a margin above low, but not above high
        middle = low + 0.5 * (high - low)
        if count_pairs(scores, middle) >= kept:
            low = middle
        else:
            high = middle
    least = next_margin(scores, low)
    more = count_pairs(scores, least + slack)
    return least, (kept - more) / (count_pairs(scores, least - slack) - more)


@compiled()
def next_margin(scores: Floats, gap: float) -> float:
    """Return the smallest margin above `gap`, or 0 if there is none."""
    beyond, smallest = 0, np.inf
    for i in range(len(scores)):
        while beyond < i and scores[i] - scores[beyond] > gap:
            beyond += 1
        if beyond > 0:
            smallest = min(smallest, scores[i] - scores[beyond - 1])
    return smallest if smallest < np.inf else 0.0

"""How the order of a list changes while its scores move along straight lines.

Item i has the score ``offset[i] + t slope[i]``. For t from minus to plus infinity, two items of different
slope change places once, at their *crossing*. What an order brings is a sum over items of

    ``gain discount[rank] factor``,

where the factor is 1 (`PLAIN`), the number of items with a gain up to this one (`COUNTING`), or 1 for the
first item with a gain and 0 for the others (`FIRST`); or (`PAIRS`) the number of pairs in the order of their
gains less those in the opposite order.
"""

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.threads import in_shares

PLAIN, COUNTING, FIRST, PAIRS = 0, 1, 2, 3


@compiled()
def _term(kind: int, gain: float, rank: int, above: int, discounts: Floats) -> float:
    """Return what an item adds, `above` being how many items with a gain stand above it."""
    if rank >= len(discounts) or (kind == FIRST and above > 0):
        return 0.0
    return gain * discounts[rank] * (above + 1 if kind == COUNTING else 1)


@compiled()
def sums_of_orders(kind: int, gains: Floats, indptr: Integers, discounts: Floats) -> Floats:
    """Return the sum of each list in the order in which its gains are given."""
    values = np.zeros(len(indptr) - 1)
    for k in range(len(values)):
        above = 0
        for i in range(indptr[k], indptr[k + 1]):
            if kind == PAIRS:
                for j in range(i + 1, indptr[k + 1]):
                    values[k] += np.sign(gains[i] - gains[j])
            else:
                values[k] += _term(kind, gains[i], i - indptr[k], above, discounts)
                above += gains[i] != 0.0
    return values


def first_order(offsets: Floats, slopes: Floats, gains: Floats, lists: Integers) -> Integers:
    """Return the items, list after list, in their order for t near minus infinity.

    The lowest slope comes first, of equal slopes the highest offset, of equal lines the lowest gain.
    """
    return np.lexsort((gains, -offsets, slopes, lists))


@compiled()
def _average_gains(offsets: Floats, slopes: Floats, gains: Floats, order: Integers) -> None:
    """Give items on one line the mean of their gains: they stay tied."""
    start = 0
    for place in range(1, len(order) + 1):
        i = order[start]
        if place < len(order):
            j = order[place]
            if offsets[i] == offsets[j] and slopes[i] == slopes[j]:
                continue
        mean = 0.0
        for k in range(start, place):
            mean += gains[order[k]]
        mean /= place - start
        for k in range(start, place):
            gains[order[k]] = mean
        start = place


@compiled()
def _envelope(offsets: Floats, slopes: Floats, order: Integers, top: Integers, since: Floats) -> int:
    """Fill in the top items of one list, one after the other, and since when; return how many they are."""
    size = 0
    for place in range(len(order)):
        item = order[place]
        if place > 0 and slopes[item] == slopes[order[place - 1]]:
            continue  # below a line of the same slope, or the same line
        time = -np.inf
        while size > 0:
            other = top[size - 1]
            time = (offsets[other] - offsets[item]) / (slopes[item] - slopes[other])
            if time > since[size - 1]:
                break
            size -= 1
            time = -np.inf
        top[size], since[size] = item, time
        size += 1
    return size


@compiled()
def envelope_list(
    offsets: Floats, slopes: Floats, gains: Floats, order: Integers, times: Floats, changes: Floats
) -> int:
    """Fill in where the top item of one list changes, and by how much its gain; return how often it does.

    The top items form the upper envelope of the lines: O(n) once they are sorted by slope.
    """
    top, since = np.empty(len(order), np.int64), np.empty(len(order))
    size = _envelope(offsets, slopes, order, top, since)
    for k in range(1, size):
        times[k - 1] = since[k]
        changes[k - 1] = gains[top[k]] - gains[top[k - 1]]
    return size - 1


@compiled()
def _crossings(offsets: Floats, slopes: Floats, order: Integers) -> tuple[Floats, Integers, Integers]:
    """Return the crossings of one list in the order of time: when, which item falls, which rises."""
    n = len(order)
    when = np.empty(n * (n - 1) // 2)
    falls = np.empty(len(when), np.int64)
    rises = np.empty(len(when), np.int64)
    found = 0
    for a in range(n):
        i = order[a]
        for b in range(a + 1, n):
            j = order[b]
            if slopes[j] > slopes[i]:
                when[found] = (offsets[i] - offsets[j]) / (slopes[j] - slopes[i])
                falls[found], rises[found] = i, j
                found += 1
    sequence = np.argsort(when[:found])
    return when[sequence], falls[sequence], rises[sequence]


@compiled()
def sweep_list(
    kind: int,
    offsets: Floats,
    slopes: Floats,
    gains: Floats,
    order: Integers,
    discounts: Floats,
    times: Floats,
    changes: Floats,
) -> int:
    """Fill in where the sum of one list changes, and by how much; return how often it does.

    A crossing moves one item down by one rank and another up, whatever comes first of crossings at one time:
    O(1) each, and O(n^2 log n) to sort them.
    """
    rank, above = np.empty(len(order), np.int64), np.empty(len(order), np.int64)
    count = 0
    for place in range(len(order)):
        rank[order[place]], above[order[place]] = place, count
        count += gains[order[place]] != 0.0
    found = 0
    when, falls, rises = _crossings(offsets, slopes, order)
    for k in range(len(when)):
        i, j = falls[k], rises[k]
        if kind == PAIRS:
            change = 2.0 * np.sign(gains[j] - gains[i])
        else:
            change = -_term(kind, gains[i], rank[i], above[i], discounts)
            change -= _term(kind, gains[j], rank[j], above[j], discounts)
            rank[i] += 1
            rank[j] -= 1
            above[i] += gains[j] != 0.0
            above[j] -= gains[i] != 0.0
            change += _term(kind, gains[i], rank[i], above[i], discounts)
            change += _term(kind, gains[j], rank[j], above[j], discounts)
        if change != 0.0:
            times[found], changes[found] = when[k], change
            found += 1
    return found


@compiled()
def _follow_list(
    k: int,
    kind: int,
    offsets: Floats,
    slopes: Floats,
    gains: Floats,
    order: Integers,
    indptr: Integers,
    discounts: Floats,
    room: Integers,
    times: Floats,
    changes: Floats,
) -> int:
    """Follow list k on copies of its part of the arrays."""
    items = slice(indptr[k], indptr[k + 1])
    a, b, mean_gains, sequence = offsets[items], slopes[items], gains[items].copy(), order[items] - indptr[k]
    when, by = times[room[k] : room[k + 1]], changes[room[k] : room[k + 1]]
    if kind == PLAIN:
        _average_gains(a, b, mean_gains, sequence)
        if len(discounts) == 1:
            return envelope_list(a, b, discounts[0] * mean_gains, sequence, when, by)
    return sweep_list(kind, a, b, mean_gains, sequence, discounts, when, by)


@compiled()
def _follow_share(
    first: int,
    last: int,
    kind: int,
    offsets: Floats,
    slopes: Floats,
    gains: Floats,
    order: Integers,
    indptr: Integers,
    discounts: Floats,
    room: Integers,
    times: Floats,
    changes: Floats,
    found: Integers,
) -> None:
    for k in range(first, last):
        found[k] = _follow_list(
            k, kind, offsets, slopes, gains, order, indptr, discounts, room, times, changes
        )


def follow_lists(
    kind: int,
    offsets: Floats,
    slopes: Floats,
    gains: Floats,
    order: Integers,
    indptr: Integers,
    discounts: Floats,
    room: Integers,
    times: Floats,
    changes: Floats,
    found: Integers,
) -> None:
    """Fill in when the sum of each list changes and by how much, from ``room[k]`` on for list k.

    Parameters
    ----------
    kind : int
        `PLAIN`, `COUNTING`, `FIRST` or `PAIRS`.
    offsets, slopes, gains : float64 arrays of shape (n_items,)
        The line of each item and its gain; lists are the slices ``indptr[k]:indptr[k + 1]``.
    order : int64 array of shape (n_items,)
        From `first_order`.
    discounts : float64 array
        Of each rank; 0 beyond. With one rank and `PLAIN`, only the top of a list is followed.
    room : int64 array of shape (n_lists + 1,)
        Where the changes of each list are kept; there must be room for as many as there can be.
    times, changes : float64 arrays of shape (room[-1],)
        To be filled.
    found : int64 array of shape (n_lists,)
        To be filled with the number of changes of each list.
    """
    given = kind, offsets, slopes, gains, order, indptr, discounts, room, times, changes, found
    in_shares(_follow_share, len(found), 4 * int(room[-1]), *given)

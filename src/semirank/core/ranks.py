"""The items of each list in descending order of their scores, with ties marked.

Lists are slices ``indptr[i]:indptr[i + 1]`` of flat arrays. A *run* is a stretch of sorted items with
equal scores; ``tied[i]`` says that item i belongs to the run of the item before it.
"""

import numpy as np
from numpy.typing import NDArray

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.threads import in_shares

Keys = NDArray[np.uint64]

_SIGN = np.uint64(1 << 63)
_BYTE = np.uint64(255)
_SHORT = 64  # below this many items insertion is quicker than counting bytes
_STEPS = 4  # as long as these of other loops, for each item


@compiled()
def _sort_short(keys: Keys, order: Integers) -> None:
    """Sort a few keys in place by insertion, carrying `order` along."""
    for i in range(1, len(keys)):
        key, item, place = keys[i], order[i], i
        while place > 0 and keys[place - 1] > key:
            keys[place] = keys[place - 1]
            order[place] = order[place - 1]
            place -= 1
        keys[place] = key
        order[place] = item


@compiled()
def _count_bytes(keys: Keys) -> Integers:
    """Count how often each value occurs in each of the eight bytes of the keys."""
    counts = np.zeros((8, 256), np.int64)
    for key in keys:
        for byte in range(8):
            counts[byte, (key >> np.uint64(8 * byte)) & _BYTE] += 1
    return counts


@compiled()
def _sort_long(keys: Keys, order: Integers) -> None:
    """Sort keys in place, byte by byte from the lowest; a byte that all keys share is passed over."""
    counts = _count_bytes(keys)
    old_keys, new_keys = keys, np.empty_like(keys)
    old_order, new_order = order, np.empty_like(order)
    for byte in range(8):
        shift, places = np.uint64(8 * byte), counts[byte]
        if places[(keys[0] >> shift) & _BYTE] == len(keys):
            continue
        total = 0
        for value in range(256):
            total, places[value] = total + places[value], total
        for i in range(len(keys)):
            bucket = (old_keys[i] >> shift) & _BYTE
            place = places[bucket]
            new_keys[place] = old_keys[i]
            new_order[place] = old_order[i]
            places[bucket] = place + 1
        old_keys, new_keys = new_keys, old_keys
        old_order, new_order = new_order, old_order
    keys[:] = old_keys
    order[:] = old_order


@compiled()
def sort_list(bits: Keys, start: int, stop: int, order: Integers, tied: Booleans) -> None:
    """Fill `order` and `tied` of one list from the bits of its scores."""
    keys = bits[start:stop].copy()
    for i in range(len(keys)):
        if keys[i] < _SIGN:  # a positive score; 0.0 becomes the bare sign bit, which -0.0 is already
            keys[i] = _SIGN - keys[i]
        order[start + i] = start + i
    if len(keys) < _SHORT:
        _sort_short(keys, order[start:stop])
    else:
        _sort_long(keys, order[start:stop])
    for i in range(len(keys)):
        tied[start + i] = i > 0 and keys[i] == keys[i - 1]


@compiled()
def _sort_share(first: int, last: int, bits: Keys, indptr: Integers, order: Integers, tied: Booleans) -> None:
    for i in range(first, last):
        sort_list(bits, indptr[i], indptr[i + 1], order, tied)


def sort_lists(scores: Floats, indptr: Integers) -> tuple[Integers, Booleans]:
    """Sort every list by score, highest first; items with equal scores keep their order.

    Parameters
    ----------
    scores : float64 array of shape (n_items,)
        Finite scores.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts.

    Returns
    -------
    order : int64 array of shape (n_items,)
        The items of each list, best first.
    tied : bool array of shape (n_items,)
        Whether the item in this place has the same score as the one before it in its list.

    Notes
    -----
    O(n) a list: eight counting passes over the bytes of the scores, fewer when scores share bytes
    (whole numbers, single precision). Lists are sorted in parallel when there are many items.
    """
    order = np.empty(len(scores), dtype=np.int64)
    tied = np.empty(len(scores), dtype=np.bool_)
    bits = scores.view(np.uint64)
    in_shares(_sort_share, len(indptr) - 1, _STEPS * len(scores), bits, indptr, order, tied)
    return order, tied


@compiled()
def run_stop(tied: Booleans, start: int, stop: int) -> int:
    """Find the end of the run that begins at `start` in a list that ends at `stop`."""
    end = start + 1
    while end < stop and tied[end]:
        end += 1
    return end


@compiled()
def number_levels(order: Integers, tied: Booleans, indptr: Integers) -> Integers:
    """Give every item the number of its value among the distinct values of its list, 0 for the highest.

    order, tied : from `sort_lists`. The numbers stand in the order in which the values were given.
    """
    levels = np.empty(len(order), np.int64)
    for i in range(len(indptr) - 1):
        level = -1
        for place in range(indptr[i], indptr[i + 1]):
            level += not tied[place]
            levels[order[place]] = level
    return levels

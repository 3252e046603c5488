"""From labels to what is planted in a graph, and from what has grown there to one score."""

import numpy as np

from semirank.core.arrays import Floats, Integers

FLOOR = 0.01
LOGARITHMS = ("ratio", "log")  # ways to combine whose scores are no sum over labels


def seeds_of_labels(y: Floats, indptr: Integers, combine: str) -> Floats:
    """Return the columns of seeds: one for each side for "ratio", otherwise one.

    A label above 0 is the confidence that an item is relevant; a label y of 0 or less gives a seed of
    ``1 - y`` for the other side. For "positive" and "log" seeds are the labels themselves. Otherwise the
    seeds of each side add up to 1 in each list, so that many irrelevant items weigh as much as a few
    relevant ones.
    """
    positive = np.where(y > 0, y, 0.0)
    if combine in ("positive", "log"):
        return positive[:, None]
    positive = _shares(positive, indptr)
    negative = _shares(np.where(y <= 0, 1.0 - y, 0.0), indptr)
    return (
        (positive - negative)[:, None] if combine == "difference" else np.column_stack([positive, negative])
    )


def backgrounds(f: Floats, indptr: Integers) -> Floats:
    """Return a hundredth of the mean of what has spread in each list."""
    totals = np.add.reduceat(np.maximum(f, 0.0).mean(axis=1), indptr[:-1])
    return FLOOR * totals / np.diff(indptr) + np.finfo(float).tiny


def combine_signs(f: Floats, combine: str, background: Floats) -> Floats:
    """Turn the columns that have spread into one score for each item.

    "ratio" is ``log((P + b) / (N + b))`` with the background b of the item's list, so that an item which
    neither side reaches scores 0; "log" is ``log((P + b) / b)``.
    """
    if combine not in LOGARITHMS:
        return f[:, 0]
    f = np.maximum(f, 0.0)
    other = f[:, 1] + background if combine == "ratio" else background
    return np.log(f[:, 0] + background) - np.log(other)


def _shares(seeds: Floats, indptr: Integers) -> Floats:
    totals = np.add.reduceat(seeds, indptr[:-1])
    return seeds / np.repeat(np.where(totals > 0, totals, 1.0), np.diff(indptr))

"""From labels to what is planted in a graph, and from what has grown there to one score."""

import numpy as np

from semirank.core.arrays import Floats, Integers

FLOOR = 0.01


def seeds_of_labels(y: Floats, indptr: Integers, combine: str) -> Floats:
    """Return the columns of seeds: one for "positive" and "difference", one for each side for "ratio".

    A label above 0 is the confidence that an item is relevant; a label y of 0 or less gives a seed of
    ``1 - y`` for the other side. For "positive" seeds are the labels themselves. Otherwise the seeds of
    each side add up to 1 in each list, so that many irrelevant items weigh as much as a few relevant ones.
    """
    positive = np.where(y > 0, y, 0.0)
    if combine == "positive":
        return positive[:, None]
    positive = _shares(positive, indptr)
    negative = _shares(np.where(y <= 0, 1.0 - y, 0.0), indptr)
    return (
        (positive - negative)[:, None] if combine == "difference" else np.column_stack([positive, negative])
    )


def combine_signs(f: Floats, combine: str) -> Floats:
    """Turn the columns that have spread into one score for each item.

    "ratio" is ``log((P + b) / (N + b))`` with the background b, a hundredth of the mean of both columns,
    so that an item which neither side reaches scores 0.
    """
    if combine != "ratio":
        return f[:, 0]
    f = np.maximum(f, 0.0)
    background = FLOOR * f.mean() + np.finfo(float).tiny
    return np.log(f[:, 0] + background) - np.log(f[:, 1] + background)


def _shares(seeds: Floats, indptr: Integers) -> Floats:
    totals = np.add.reduceat(seeds, indptr[:-1])
    return seeds / np.repeat(np.where(totals > 0, totals, 1.0), np.diff(indptr))

"""How good a reading order was: functions of which of the items read, in that order, were relevant."""

from typing import Any

import numpy as np

from semirank.core.arrays import Booleans, Floats


def recall_curve(relevant: Any) -> Floats:
    """Return the share of the relevant items that was found after each item.

    Examples
    --------
    >>> recall_curve([True, False, True, False])
    array([0.5, 0.5, 1. , 1. ])
    """
    hits = _check(relevant)
    return np.asarray(np.cumsum(hits) / hits.sum(), dtype=np.float64)


def recall_after(relevant: Any, share: float) -> float:
    """Return the recall after a share of the items was read, rounded down to whole items."""
    curve = recall_curve(relevant)
    read = int(share * len(curve) + 1e-9)
    return float(curve[read - 1]) if read else 0.0


def items_for(relevant: Any, recall: float) -> int:
    """Return how many items had to be read to find a share of the relevant ones.

    Examples
    --------
    >>> items_for([True, False, True, False], 0.5), items_for([True, False, True, False], 0.95)
    (1, 3)
    """
    return int(np.argmax(recall_curve(relevant) >= recall - 1e-12)) + 1


def work_saved(relevant: Any, recall: float = 0.95) -> float:
    """Return the share of the items that need not be read for a recall, less what chance would spare.

    The metric WSS of `semirank.metrics`, of a reading order.
    """
    return recall - items_for(relevant, recall) / len(_check(relevant))


def time_to_discovery(relevant: Any) -> float:
    """Return the mean number of items read when a relevant one was found.

    Examples
    --------
    >>> time_to_discovery([True, False, True, False])
    2.0
    """
    return float(np.mean(np.flatnonzero(_check(relevant)) + 1))


def normalised_loss(relevant: Any) -> float:
    """Return the area between the perfect recall curve and this one, divided by that to the worst curve.

    0: all relevant items came first; about 0.5: at random; 1: all came last.

    Examples
    --------
    >>> normalised_loss([True, True, False, False]), normalised_loss([False, False, True, True])
    (0.0, 1.0)
    """
    hits = _check(relevant)
    n_relevant, n_items = int(hits.sum()), len(hits)
    if n_relevant == n_items:
        return 0.0
    best = n_relevant * (n_items - (n_relevant - 1) / 2)
    return float((best - np.cumsum(hits).sum()) / (n_relevant * (n_items - n_relevant)))


def _check(relevant: Any) -> Booleans:
    hits = np.asarray(relevant, dtype=bool)
    if not hits.any():
        raise ValueError("No item is relevant, so that there is no recall.")
    return hits

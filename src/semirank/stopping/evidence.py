"""What every result says of itself, and the checks that all methods share."""

from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import Floats
from semirank.limits import Between


class Method(NamedTuple):
    """How a number was found.

    Attributes
    ----------
    name : str
        The method's name.
    assumption : str or None
        What has to be true for the number to hold, in words; None: nothing about the order.
    citation : str
        Where the method was published.
    """

    name: str
    assumption: str | None
    citation: str


SHARE = Between(0, 1, closed="neither")


def check_share(name: str, value: float) -> float:
    """Refuse what is no number between 0 and 1."""
    if value not in SHARE:
        raise ValueError(f"{name} must be {SHARE}; got {value!r}.")
    return float(value)


def level_of(confidence: float) -> float:
    """Return 1 - confidence, without what rounding adds to it."""
    return round(1 - check_share("confidence", confidence), 12)


def check_sequence(labels: Any) -> Floats:
    """Return labels in reading order as numbers; NaN is an item that was read and left undecided."""
    sequence = np.asarray(labels, dtype=np.float64)
    if sequence.ndim != 1:
        raise ValueError(f"labels must be one sequence in reading order; got shape {sequence.shape}.")
    return sequence


def count_relevant(labels: Floats) -> int:
    """Count the items that are relevant for certain."""
    return int((labels > 0).sum())


def may_be_relevant(labels: Floats) -> Floats:
    """Return 1 for items that are or may be relevant, 0 for the others."""
    return np.where(np.isnan(labels) | (labels > 0), 1.0, 0.0)


def smallest_miss(found: int, target: float) -> int:
    """Return the smallest number of missing items with which the recall is below the target."""
    return int(np.floor(found / target * (1 + 1e-12))) + 1 - found

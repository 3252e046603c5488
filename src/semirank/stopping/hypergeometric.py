"""A lower bound on recall from the order in which items were read."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import hypergeom

from semirank.core.arrays import Floats, Integers
from semirank.stopping.evidence import (
    Method,
    check_sequence,
    check_share,
    count_relevant,
    level_of,
    may_be_relevant,
    smallest_miss,
)

ROUNDING = 1e-12  # of a chance that equals the level
METHOD = Method(
    "hypergeometric",
    "Reading in ranked order finds relevant items no more slowly than reading at random would, in every tail "
    "of the order.",
    "M. W. Callaghan, F. Müller-Hansen. Statistical stopping criteria for automated screening in systematic "
    "reviews. Systematic Reviews 9:273, 2020.",
)


@dataclass(frozen=True)
class RecallBound:
    """At least so much has been found.

    Attributes
    ----------
    recall : float
        With `confidence`, at least this share of all relevant items has been found.
    most_missing : int
        The largest number of relevant items that may still be unread.
    p_value : float
        The chance of seeing so few relevant items lately if the target were missed.
    target, confidence : float
        What was asked for.
    n_found, n_read, n_items : int
        Relevant items found, items read, and items in all.
    method : Method
        How, on what assumption, and by whom.
    """

    recall: float
    most_missing: int
    p_value: float
    target: float
    confidence: float
    n_found: int
    n_read: int
    n_items: int
    method: Method = METHOD

    @property
    def reached(self) -> bool:
        """Whether the target is reached with this confidence."""
        return self.p_value < level_of(self.confidence) - ROUNDING


def hypergeometric(
    labels: Any, n_items: int, *, target: float = 0.95, confidence: float = 0.95
) -> RecallBound:
    """Bound the recall of a reader who follows a ranking, from below.

    Take the last n items read, k of them relevant. If they had been drawn at random from those n and the U
    unread ones, of which m are relevant, seeing only k would have the chance ::

        p(n) = P(X <= k),   X ~ Hypergeometric(n + U items, k + m of them relevant, n drawn).

    A ranking that is better than chance makes it smaller still. The smallest p(n) over all n is the p-value
    of "m or more are missing"; `most_missing` is the largest m that is not rejected.

    Parameters
    ----------
    labels : sequence of float
        In reading order: above 0 relevant, else not; NaN undecided.
    n_items : int
        Number of items in all, read or not.
    target : float in (0, 1)
        The recall that is wanted.
    confidence : float in (0, 1)
        How sure it has to be.

    Returns
    -------
    RecallBound
        An undecided item counts as relevant where that makes more missing items probable, and never as found.

    See Also
    --------
    audit : assumes nothing about the ranking.
    semirank.feedback.evidence : both, from events.

    Notes
    -----
    Only tails that begin just after a relevant item, or with the first item, can have the smallest p: one
    more irrelevant item makes p smaller. There are as many of these as relevant items, and m is found by
    bisection.

    Examples
    --------
    >>> from semirank.stopping import hypergeometric
    >>> bound = hypergeometric([1] * 20 + [0] * 480, n_items=1000)
    >>> bound.most_missing, round(bound.recall, 2), bound.reached
    (4, 0.83, False)
    >>> hypergeometric([1] * 20 + [0] * 780, n_items=1000).reached
    True
    """
    sequence = check_sequence(labels)
    check_share("target", target)
    if len(sequence) > n_items:
        raise ValueError(f"{len(sequence)} items were read, which is more than the {n_items} that there are.")
    found, unread = count_relevant(sequence), n_items - len(sequence)
    tails = _Tails.of(sequence, unread)
    missing = tails.most_missing(level_of(confidence))
    return RecallBound(
        recall=found / (found + missing) if found else float(missing == 0),
        most_missing=missing,
        p_value=tails.p_value(smallest_miss(found, target)),
        target=target,
        confidence=confidence,
        n_found=found,
        n_read=len(sequence),
        n_items=n_items,
    )


@dataclass(frozen=True)
class _Tails:
    """Tails that may have the smallest p: their lengths, relevant items in them; and what is unread."""

    lengths: Integers
    relevant: Integers
    unread: int

    @classmethod
    def of(cls, labels: Floats, unread: int) -> "_Tails":
        maybe = may_be_relevant(labels)
        starts = np.append(0, np.flatnonzero(maybe) + 1)
        inside = np.append(np.cumsum(maybe[::-1])[::-1], 0.0)
        starts = starts[starts < len(labels)]
        return cls(len(labels) - starts, inside[starts].astype(np.int64), unread)

    def p_value(self, missing: int) -> float:
        """Return the smallest p over the tails of so many relevant items being unread."""
        if missing <= 0:
            return 1.0
        if missing > self.unread:
            return 0.0
        if not len(self.lengths):
            return 1.0
        p = hypergeom.cdf(self.relevant, self.lengths + self.unread, self.relevant + missing, self.lengths)
        return float(p.min())

    def most_missing(self, level: float) -> int:
        """Return the largest number of missing items that is not rejected."""
        low, high = 0, self.unread + 1  # p(low) >= level > p(high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.p_value(middle) >= level - ROUNDING else (low, middle)
        return low

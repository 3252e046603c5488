"""A bound on recall from random items, valid however often one looks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln, gammaln

from semirank.core.arrays import Floats, Integers
from semirank.stopping.evidence import (
    Method,
    check_sequence,
    check_share,
    count_relevant,
    level_of,
    may_be_relevant,
)

METHOD = Method(
    "audit",
    None,
    "I. Waudby-Smith, A. Ramdas. Confidence sequences for sampling without replacement. NeurIPS 2020; D. D. "
    "Lewis, L. Gray, M. Noel. Confidence sequences for evaluating one-phase technology-assisted review. "
    "ICAIL 2023.",
)
PRIOR = (0.5, 50.0)  # of the share of relevant items among those that are left: few


@dataclass(frozen=True)
class Audit:
    """What a random sample of the unread items says.

    Attributes
    ----------
    recall : float
        With `confidence`, at least this share of all relevant items has been found, at this look and at all
        looks before and after it.
    most_missing : int
        The largest number of relevant items that may still be unread.
    target, confidence : float
        What was asked for.
    n_found : int
        Relevant items found so far, in the sample or not.
    n_unread : int
        Items that were unread when the audit began.
    n_drawn, n_relevant : int
        Items of the sample that were read, and how many of these are or may be relevant.
    method : Method
        How, and by whom; it assumes nothing about the ranking.
    """

    recall: float
    most_missing: int
    target: float
    confidence: float
    n_found: int
    n_unread: int
    n_drawn: int
    n_relevant: int
    method: Method = METHOD

    @property
    def reached(self) -> bool:
        """Whether the target is reached with this confidence."""
        return self.recall >= self.target


def audit(
    labels: Any,
    n_unread: int,
    n_found_before: int,
    *,
    n_found: int | None = None,
    target: float = 0.95,
    confidence: float = 0.95,
) -> Audit:
    """Bound the recall by random items of what was unread when the audit began.

    With N items unread, n of them drawn and x of those relevant, the number K of relevant ones among the N is
    at most the largest K with ::

        hypergeom(x; N, K, n) >= (1 - confidence) betabinom(x; n, 1/2, 50),

    and the smallest such bound so far holds: the ratio of both sides is a martingale for the true K, so that
    with probability `confidence` it is never above 1 / (1 - confidence), however often one looks.

    Parameters
    ----------
    labels : sequence of float
        Labels of the sample in the order in which it was drawn: above 0 relevant, else not; NaN undecided,
        which counts as relevant here and never as found. The order must be random, and chosen before any
        of it is read.
    n_unread : int
        Number of items that were unread when the audit began: what the sample is drawn from.
    n_found_before : int
        Relevant items found before.
    n_found : int, optional
        Relevant items found so far, before the audit or since, in the sample or not. None: those found before
        and in the sample.
    target, confidence : float in (0, 1)
        The recall that is wanted, and how sure it has to be.

    See Also
    --------
    audit_price : what it costs.
    hypergeometric : from the reading order alone.

    Examples
    --------
    >>> from semirank.stopping import audit
    >>> found = audit([0] * 500, n_unread=2000, n_found_before=100)
    >>> found.most_missing, round(found.recall, 2)
    (14, 0.88)
    """
    sample = check_sequence(labels)
    check_share("target", target)
    if len(sample) > n_unread:
        raise ValueError(
            f"{len(sample)} items were drawn, which is more than the {n_unread} that are unread."
        )
    seen = np.cumsum(may_be_relevant(sample)).astype(np.int64)
    drawn = np.arange(1, len(sample) + 1)
    most = int(most_relevant(seen, drawn, n_unread, level_of(confidence)).min(initial=n_unread))
    found = n_found_before + count_relevant(sample) if n_found is None else n_found
    most = max(most, found - n_found_before, int(seen[-1]) if len(seen) else 0)
    total = n_found_before + most
    return Audit(
        recall=found / total if total else 1.0,
        most_missing=total - found,
        target=target,
        confidence=confidence,
        n_found=found,
        n_unread=n_unread,
        n_drawn=len(sample),
        n_relevant=int(seen[-1]) if len(seen) else 0,
    )


def audit_price(n_unread: int, n_found: int, *, target: float = 0.95, confidence: float = 0.95) -> int | None:
    """Return how many random items an audit takes to show the target if none of them is relevant.

    None: not even all unread items would show it, for nothing has been found. To be told before an audit
    begins: where few relevant items are known it is dear.

    See Also
    --------
    audit : what it buys.

    Examples
    --------
    >>> from semirank.stopping import audit_price
    >>> audit_price(9000, 100, target=0.8), audit_price(9000, 100, target=0.95)
    (1490, 5300)
    """
    check_share("target", target)
    if n_unread == 0:
        return 0
    if n_found == 0:
        return None
    drawn = np.arange(1, n_unread + 1)
    most = most_relevant(np.zeros_like(drawn), drawn, n_unread, level_of(confidence))
    enough = n_found / (n_found + most) >= target
    return int(drawn[np.argmax(enough)])


def most_relevant(seen: Integers, drawn: Integers, n_unread: int, level: float) -> Integers:
    """Return, for each look, the largest number of relevant items among the unread that is not rejected.

    The likelihood of K rises to its mode and falls after it, so that the largest K is found by bisection, for
    all looks at once.
    """
    a, b = PRIOR
    # of the order in which they came; the number of orders is the same on both sides
    floor = np.log(level) + betaln(seen + a, drawn - seen + b) - betaln(a, b)
    low = np.clip((n_unread + 1) * seen // np.maximum(drawn, 1), seen, n_unread - drawn + seen)  # the mode
    high = n_unread - drawn + seen + 1
    while (high - low > 1).any():
        middle = (low + high) // 2
        kept = _log_likelihood(middle, seen, drawn, n_unread) >= floor
        low, high = np.where(kept, middle, low), np.where(kept, high, np.maximum(middle, low + 1))
    return low


def _log_likelihood(relevant: Integers, seen: Integers, drawn: Integers, n_unread: int) -> Floats:
    """Return the logarithm of the chance of one order in which x of n drawn items are relevant."""
    left, others = relevant - seen, n_unread - relevant
    return (
        gammaln(relevant + 1.0)
        - gammaln(left + 1.0)
        + gammaln(others + 1.0)
        - gammaln(others - (drawn - seen) + 1.0)
        - gammaln(n_unread + 1.0)
        + gammaln(n_unread - drawn + 1.0)
    )

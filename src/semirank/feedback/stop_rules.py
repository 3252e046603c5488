"""Where rules would have stopped a reader, and whether what they said was true."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from semirank.core.arrays import Booleans
from semirank.stopping import audit, hypergeometric

LOOKS = 50  # times that a bound is looked at, evenly over the items
PAUSE = 50  # items in a row without a relevant one, after which an audit is thought of


@dataclass(frozen=True)
class Stop:
    """Where a rule stopped.

    Attributes
    ----------
    rule : str
        Its name.
    n_read : int or None
        Items read until then; None: it would have had everything read.
    recall : float
        What had been found by then.
    held : bool or None
        Whether every bound that it gave on the way was true; None: it gives none.
    """

    rule: str
    n_read: int | None
    recall: float
    held: bool | None


def stop_by_bound(relevant: Booleans, target: float, confidence: float, seed: int) -> Stop:
    """Stop when the hypergeometric bound reaches the target."""
    n_items, found = len(relevant), np.cumsum(relevant)
    held, stopped = True, None
    for n_read in _looks(n_items):
        bound = hypergeometric(relevant[:n_read], n_items, target=target, confidence=confidence)
        held &= bound.recall <= found[n_read - 1] / found[-1] + 1e-12
        if bound.reached and stopped is None:
            stopped = n_read
    return _stop("hypergeometric", relevant, stopped, held)


def stop_by_audit(relevant: Booleans, target: float, confidence: float, seed: int) -> Stop:
    """After a pause of 50 items read the others at random, until the audit's bound reaches the target."""
    n_items, total = len(relevant), int(relevant.sum())
    begin = _first_pause(relevant)
    unread = np.random.default_rng(seed).permutation(np.arange(begin, n_items))
    sample, before = relevant[unread].astype(float), int(relevant[:begin].sum())
    held, stopped, recall = True, None, 1.0
    for n_drawn in _looks(len(sample)):
        found = before + int(sample[:n_drawn].sum())
        result = audit(sample[:n_drawn], len(sample), before, target=target, confidence=confidence)
        held &= result.recall <= found / total + 1e-12
        if result.reached and stopped is None:
            stopped, recall = begin + n_drawn, found / total
    return Stop("audit", stopped if stopped != n_items else None, recall, bool(held))


def stop_in_a_row(count: int) -> "Rule":
    """Return the rule that stops after so many irrelevant items in a row: a habit, and no evidence."""

    def stop(relevant: Booleans, target: float, confidence: float, seed: int) -> Stop:
        hits = np.append(-1, np.flatnonzero(relevant))
        gaps = np.diff(np.append(hits, len(relevant))) - 1
        long = np.flatnonzero(gaps >= count)
        stopped = int(hits[long[0]]) + 1 + count if len(long) else None
        return _stop(f"{count} in a row", relevant, stopped, None)

    return stop


Rule = Callable[[Booleans, float, float, int], Stop]
RULES: Mapping[str, Rule] = {
    "hypergeometric": stop_by_bound,
    "audit": stop_by_audit,
    "50 in a row": stop_in_a_row(50),
    "100 in a row": stop_in_a_row(100),
    "200 in a row": stop_in_a_row(200),
}


def _looks(n_items: int) -> list[int]:
    return sorted({int(n) for n in np.ceil(np.linspace(0, n_items, LOOKS + 1)[1:])})


def _first_pause(relevant: Booleans) -> int:
    """Return how many items are read until the end of the first pause after a relevant one."""
    hits = np.flatnonzero(relevant)
    ends = np.append(hits[1:], len(relevant))
    long = np.flatnonzero(ends - hits > PAUSE)
    return int(hits[long[0]]) + 1 + PAUSE if len(long) else int(hits[-1]) + 1


def _stop(rule: str, relevant: Booleans, stopped: int | None, held: bool | None) -> Stop:
    recall = 1.0 if stopped is None else float(relevant[:stopped].sum() / relevant.sum())
    return Stop(rule, stopped, recall, held if held is None else bool(held))

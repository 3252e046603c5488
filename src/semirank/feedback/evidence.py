"""How much is probably left, from the events so far."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from semirank.core.arrays import Floats
from semirank.feedback.queue import audit_sample
from semirank.feedback.state import State
from semirank.stopping import Audit, RecallBound, audit, audit_price, hypergeometric

RECALL, CONFIDENCE = 0.95, 0.95


@dataclass(frozen=True)
class Evidence:
    """What can be said, each with its method.

    Attributes
    ----------
    bound : RecallBound
        From the order in which items were read.
    audit : Audit or None
        From the random sample of the audit that stands.
    audit_price : int or None
        Random items that a new audit takes if none of them is relevant; None: no audit can show the target.
    n_found, n_read, n_items : int
        Relevant items, items read, and all; copies count once.
    since_last : int
        Items read since the last relevant one. A description: it is no reason to stop.
    """

    bound: RecallBound
    audit: Audit | None
    audit_price: int | None
    n_found: int
    n_read: int
    n_items: int
    since_last: int


def evidence(state: State, *, qid: str | None = None, seed: int = 0) -> Evidence:
    """Say how much is probably left, in all lists or in one, for the target that stands.

    The audit is about all lists together, and is left out where one is asked for.
    """
    return weigh(gather(state, qid=qid, seed=seed))


class Facts(NamedTuple):
    """What evidence is made of, taken from a state in a moment; weighing it takes longer."""

    labels: Floats
    n_items: int
    recall: float
    confidence: float
    sample: tuple[list[float], int, int] | None  # of an audit: labels, unread and found when it began


def gather(state: State, *, qid: str | None = None, seed: int = 0) -> Facts:
    """Take from a state what `weigh` needs."""
    target = state.last("target")
    recall, confidence = (
        (RECALL, CONFIDENCE) if target is None else (target.value["recall"], target.value["confidence"])
    )
    _, labels = state.reading(qid)
    sample = None if qid is not None else _sample(state, seed)
    return Facts(labels, _count(state, qid), recall, confidence, sample)


def weigh(facts: Facts) -> Evidence:
    """Say how much is probably left."""
    labels, n_items, recall, confidence, sample = facts
    found, unread = int((labels > 0).sum()), n_items - len(labels)
    relevant = np.flatnonzero(labels > 0)
    return Evidence(
        bound=hypergeometric(labels, n_items, target=recall, confidence=confidence),
        audit=None if sample is None else audit(*sample, n_found=found, target=recall, confidence=confidence),
        audit_price=audit_price(unread, found, target=recall, confidence=confidence),
        n_found=found,
        n_read=len(labels),
        n_items=n_items,
        since_last=len(labels) - (int(relevant[-1]) + 1 if len(relevant) else 0),
    )


def _count(state: State, qid: str | None) -> int:
    if qid is None:
        return state.n_distinct
    firsts = np.unique(state.groups)
    return int((state.items.list_numbers[firsts] == state.items.lists.index(qid)).sum())


def _sample(state: State, seed: int) -> tuple[list[float], int, int] | None:
    """Return the sample as far as it was read without a gap: so far it is random, however it was read."""
    start = state.audit
    if start is None:
        return None
    rows, labels = state.reading()
    known = dict(zip(rows.tolist(), labels.tolist(), strict=True))
    sample = []
    for row in audit_sample(state, seed).tolist():
        if row not in known:
            break
        sample.append(known[row])
    return sample, len(start.unread), start.n_found

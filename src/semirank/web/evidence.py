"""The evidence panel: bounds with their methods in words, curves, and the sentence for a methods section."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.feedback import Event, Evidence, OrderRecord, evidence
from semirank.feedback.evidence import gather, weigh
from semirank.stopping import rank_change
from semirank.stopping.rank_change import METHOD as RANK_CHANGE
from semirank.web import shapes
from semirank.web.showing import lists
from semirank.web.views import View

MOST_POINTS = 500
BACK = 50  # labels between two orders that are compared
PAUSE = 120.0  # seconds without a verdict that are no reading
TOP = 10
RECENT = 1000  # events that the pace is told by


def about(view: View, qid: str | None, records: Sequence[OrderRecord]) -> shapes.EvidenceInfo:
    """Say how much is probably left. The engine waits only while facts are taken from the state."""
    with view.ranking:
        state = view.fold()
        facts = gather(state, qid=qid)
        per_list, pace = _per_list(view), _pace(state.events[-RECENT:])
    found, labels = weigh(facts), facts.labels
    target = shapes.Target(recall=found.bound.target, confidence=found.bound.confidence)
    return shapes.EvidenceInfo(
        n_items=found.n_items,
        n_read=found.n_read,
        n_found=found.n_found,
        n_unsure=int(np.isnan(labels).sum()),
        since_last=found.since_last,
        target=target,
        bound=_bound(found),
        audit=_audit(found),
        audit_price=found.audit_price,
        audit_price_says=_price(found),
        curve=_curve(labels),
        rank_change=_changes(records),
        rank_change_method=shapes.MethodInfo(
            method=RANK_CHANGE.name, assumption=RANK_CHANGE.assumption, citation=RANK_CHANGE.citation
        ),
        per_list=per_list,
        labels_per_minute=pace,
        wave=_wave(labels),
    )


def _sure(confidence: float) -> str:
    return f"{100 * confidence:g} % sure"


def _bound(found: Evidence) -> shapes.Bound:
    bound = found.bound
    said = (
        f"At least {bound.recall:.0%} of the relevant items were found ({_sure(bound.confidence)}); "
        f"at most {bound.most_missing} are missing."
        if found.n_found
        else "Nothing relevant was found yet, so that nothing can be said."
    )
    return shapes.Bound(
        recall=bound.recall,
        p=bound.p_value,
        reached=bound.reached and found.n_found > 0,
        most_missing=bound.most_missing,
        sentence=said,
        method=bound.method.name,
        assumption=bound.method.assumption,
        citation=bound.method.citation,
    )


def _audit(found: Evidence) -> shapes.AuditFound | None:
    audit = found.audit
    if audit is None:
        return None
    said = (
        f"{audit.n_relevant} of {audit.n_drawn} random items are or may be relevant: at most "
        f"{audit.most_missing} of those unread when the audit began are still missing, so that at least "
        f"{audit.recall:.0%} were found ({_sure(audit.confidence)})."
        if audit.n_drawn
        else "The audit has begun; none of its random items was read yet."
    )
    return shapes.AuditFound(
        recall=audit.recall,
        reached=audit.reached and audit.n_found > 0,
        n_drawn=audit.n_drawn,
        n_relevant=audit.n_relevant,
        n_unread=audit.n_unread,
        at_most_left=audit.most_missing,
        sentence=said,
        method=audit.method.name,
        assumption=audit.method.assumption,
        citation=audit.method.citation,
    )


def _price(found: Evidence) -> str:
    target = f"{found.bound.target:.0%}"
    if found.audit_price is None:
        return "Nothing relevant was found yet, so that no audit can show how much that is."
    if found.audit_price == 0:
        return "Everything was read."
    return (
        f"To show {target} by an audit takes {found.audit_price:,} random items if none of them is relevant, "
        "and more if some are."
    )


def _curve(labels: Floats) -> list[tuple[int, int]]:
    """Return how many were found after how many were read, at no more than 500 places."""
    found = np.append(0, np.cumsum(labels > 0))
    places = np.unique(np.linspace(0, len(labels), min(len(labels) + 1, MOST_POINTS)).astype(int))
    return [(int(place), int(found[place])) for place in places]


def _wave(labels: Floats) -> list[int]:
    """Return how many items were read between one relevant item and the next, and since the last."""
    places = np.flatnonzero(labels > 0)
    return np.diff(np.concatenate([[-1], places, [len(labels)]])).astype(int).tolist()


def _changes(records: Sequence[OrderRecord]) -> list[tuple[int, float]]:
    """Compare the best unread items of an order with those fifty labels before."""
    by_number = {record.number: record for record in records}
    numbers = sorted(by_number)
    places = numbers[:: max(1, len(numbers) // 100)]
    found = []
    for number in places:
        before = [each for each in numbers if each <= number - BACK][-1:]
        if before:
            old, new = by_number[before[0]].first, by_number[number].first
            names = {name: k for k, name in enumerate(dict.fromkeys((*old, *new)))}
            change = rank_change([names[n] for n in old], [names[n] for n in new]).correlation
            if np.isfinite(change):
                found.append((number, change))
    return found


def _per_list(view: View) -> list[shapes.ListEvidence]:
    state, order = view.folded, view.published.order
    read, number = state.read, state.items.list_numbers
    found = []
    rows = order.rows[order.rows < state.n_items]
    for i, each in enumerate(lists(state)):
        top = rows[number[rows] == i][:TOP]
        judged = float(read[top].mean()) if len(top) else 0.0
        found.append(shapes.ListEvidence(**each.model_dump(), judged10=judged))
    return found


def _pace(events: Sequence[Event]) -> float | None:
    """Return verdicts a minute over the last hundred, without the pauses."""
    given = [e.time for e in events if e.kind in ("label", "unsure") and e.via is None and e.mode != "import"]
    try:
        times = [datetime.fromisoformat(each).timestamp() for each in given[-100:]]
    except ValueError:
        return None
    gaps = np.diff(times)
    gaps = gaps[(gaps >= 0) & (gaps < PAUSE)]
    return float(60 * len(gaps) / gaps.sum()) if len(gaps) and gaps.sum() > 0 else None


def stop_value(view: View, reviewer: str, time: str) -> dict[str, Any]:
    """Return the numbers that a decision to stop is made on; the caller holds the view's `ranking`."""
    found = evidence(view.folded)
    order = view.published.order
    value: dict[str, Any] = {
        "target": found.bound.target,
        "confidence": found.bound.confidence,
        "n_items": found.n_items,
        "n_read": found.n_read,
        "n_found": found.n_found,
        "since_last": found.since_last,
        "bound": {"recall": found.bound.recall, "p": found.bound.p_value, "reached": found.bound.reached},
        "audit": None,
        "order": order.number,
        "ranker": order.ranker,
        "reviewer": reviewer,
        "time": time,
    }
    if found.audit is not None:
        audit = found.audit
        value["audit"] = {
            "recall": audit.recall,
            "reached": audit.reached,
            "n_drawn": audit.n_drawn,
            "n_relevant": audit.n_relevant,
            "n_unread": audit.n_unread,
        }
    changed = len(view.folded.standing("target")) > 1
    value["target_changed"] = changed
    value["sentence"] = methods_sentence(found, value)
    return value


def methods_sentence(found: Evidence, value: dict[str, Any]) -> str:
    """Return a sentence for a methods section, with what it rests on and where that is from."""
    bound = found.bound
    parts = [
        f"Items were read in the order of semirank ({value['ranker']}), ranked anew after every verdict; "
        f"{found.n_read:,} of {found.n_items:,} items were read and {found.n_found:,} found relevant.",
        f"The target was a recall of {bound.target:.0%} with a confidence of {bound.confidence:.0%}"
        + (", which was changed during the reading." if value["target_changed"] else "."),
        f"When reading stopped, the recall was at least {bound.recall:.0%} (p = {bound.p_value:.2g} for "
        f"missing the target; {bound.method.name}: {bound.method.citation} Assumption: "
        f"{bound.method.assumption})",
    ]
    if found.audit is not None and found.audit.n_drawn:
        audit = found.audit
        parts.append(
            f"In a random sample of {audit.n_drawn:,} of the {audit.n_unread:,} items unread before it, "
            f"{audit.n_relevant} were or may be relevant, so that the recall was at least "
            f"{audit.recall:.0%}, whatever the ranking ({audit.method.name}: {audit.method.citation})"
        )
    return " ".join(parts)

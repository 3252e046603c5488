"""How much is left: evidence, audit, the decision to stop; and the questions that reading begins with."""

import secrets
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import APIRouter, Body, Query

from semirank.feedback import Event, find_items
from semirank.web import evidence, shapes
from semirank.web.people import Person
from semirank.web.routes.asking import ThePerson, TheSession, TheView, refuse
from semirank.web.session import Session
from semirank.web.showing import show_items

router = APIRouter(prefix="/api/p/{key}")
Nothing = Annotated[dict[str, Any] | None, Body()]


@router.get("/evidence")
def get_evidence(
    session: TheSession,
    view: TheView,
    qid: Annotated[str | None, Query(alias="list", max_length=2000)] = None,
) -> shapes.EvidenceInfo:
    """Say how much is probably left, each number with its method and assumption."""
    if qid and qid not in session.items.lists:
        raise refuse(404, f"There is no list {qid!r}.", "list")
    return session.evidence(view, qid or None)


@router.post("/audit")
def start_audit(session: TheSession, person: ThePerson, body: Nothing = None) -> shapes.Started:
    """Begin a random sample of what is unread."""
    return _made(session, person, "audit", None)


@router.post("/stop")
def stop(session: TheSession, view: TheView, person: ThePerson, body: Nothing = None) -> shapes.Started:
    """Write down that reading has ended, with the numbers of this moment; an undo revokes it."""
    session.wait_for_order(person)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    with view.ranking:
        view.fold()
        value = evidence.stop_value(view, person.name, now)
    started = _made(session, person, "stop", value)
    started.sentence = value["sentence"]
    return started


def _made(session: Session, person: Person, kind: str, value: Any) -> shapes.Started:
    """Append an event of the server's own making."""
    taken = session.add([Event(f"{kind}-{secrets.token_hex(8)}", kind, value=value)], person)[0]
    if taken.seq is None:
        raise refuse(403, taken.refused or "", kind)
    return shapes.Started(id=taken.event.id, seq=taken.seq)


@router.post("/seeds")
def add_seeds(new: shapes.NewSeeds, session: TheSession, view: TheView, person: ThePerson) -> shapes.Seeds:
    """Begin with what somebody looks for: a question, or items that are known to be relevant."""
    question = None
    if new.text and new.text.strip():
        event = Event(f"seed-{secrets.token_hex(8)}", "seed", qid=new.qid or None, value=new.text.strip())
        taken = session.add([event], person)[0]
        if taken.refused:
            raise refuse(422, taken.refused, "text", "Label an item that you look for.")
        question = taken.event.id
    found = find_items(new.references or (), session.items)
    rows = list(dict.fromkeys(found.rows.values()))
    refused = [each.refused for each in session.add(_labels(session, rows), person) if each.refused]
    if refused:
        raise refuse(422, refused[0] or "", "references")
    return shapes.Seeds(
        question=question, matched=show_items(session, view, person, rows), unknown=found.unknown
    )


def _labels(session: Session, rows: list[int]) -> list[Event]:
    """Return the best label for each row."""
    best = max(float(grade) for grade in session.scale["names"])
    value = int(best) if best.is_integer() else best
    return [
        Event(
            f"key-{secrets.token_hex(8)}",
            "label",
            session.items.ids[row],
            session.items.list_of(row),
            value=value,
            mode="seed",
        )
        for row in rows
    ]

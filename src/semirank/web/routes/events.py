"""What reviewers do."""

from typing import Annotated

from fastapi import APIRouter, Body

from semirank.feedback import Event
from semirank.web import shapes
from semirank.web.routes.asking import ThePerson, TheSession
from semirank.web.session import Session, Taken

router = APIRouter(prefix="/api/p/{key}")


@router.post("/events", response_model_exclude_none=True)
def post_events(
    events: Annotated[list[shapes.NewEvent], Body(max_length=10_000)], session: TheSession, person: ThePerson
) -> list[shapes.Acknowledged]:
    """Take events; when this answers, those with a number are on disk."""
    given = [Event(**each.model_dump()) for each in events]
    return [_acknowledged(session, each) for each in session.add(given, person)]


def _acknowledged(session: Session, taken: Taken) -> shapes.Acknowledged:
    if taken.refused:
        return shapes.Acknowledged(id=taken.event.id, refused=taken.refused)
    undid = taken.undid
    return shapes.Acknowledged(
        id=taken.event.id,
        seq=taken.seq,
        also=list(taken.also),
        undid=None
        if undid is None
        else shapes.Undid(id=undid.id, kind=undid.kind, row=session.state.row_of(undid)),
    )

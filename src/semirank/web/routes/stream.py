"""What happens, as it happens: server-sent events."""

from collections.abc import AsyncIterator
from typing import Any

from fastapi import APIRouter
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from semirank.web.listeners import Message
from semirank.web.people import Person
from semirank.web.routes.asking import ThePerson, TheSession
from semirank.web.session import Session
from semirank.web.showing import OPEN_JOB, counts, order_info, shown_jobs

router = APIRouter(prefix="/api/p/{key}")


@router.get("/stream", response_class=EventSourceResponse)
async def stream(session: TheSession, person: ThePerson) -> AsyncIterator[ServerSentEvent]:
    """Tell of new orders, events and jobs until the browser goes away."""
    with session.listeners.listening() as listener:
        yield ServerSentEvent(event="order", data=await run_in_threadpool(_order, session, person))
        for job in shown_jobs(session, person):  # some may have ended since the browser asked for them
            yield ServerSentEvent(event="job", data=job.model_dump())
        while True:
            message = await listener.queue.get()
            for name, data in await run_in_threadpool(told, session, person, message):
                yield ServerSentEvent(event=name, data=data)


def _order(session: Session, person: Person) -> Any:
    return order_info(session.view_of(person)).model_dump()


def told(session: Session, person: Person, message: Message) -> list[tuple[str, Any]]:
    """Return what a person is told of a message; nothing of the others' doings while blind."""
    blind = session.is_blind(person)
    foreign = blind and message.reviewer != person.name
    if message.name == "order":
        return [] if foreign else [("order", _order(session, person))]
    if message.name == "event":
        if foreign:
            return []
        with session.lock:
            how_far = counts(session.view_of(person).state, person)
        return [("event", message.data), ("counts", how_far.model_dump())]
    if message.name == "job" and person.role != "owner" and message.data["kind"] != OPEN_JOB:
        return []
    return [(message.name, message.data)]

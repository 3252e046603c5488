"""Items: what to read next, pages of all of them, one with its history."""

from collections.abc import Iterable
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query
from fastapi.responses import Response

from semirank.core.arrays import Booleans, Integers
from semirank.feedback import queue
from semirank.web import shapes
from semirank.web.people import Person
from semirank.web.pictures import picture
from semirank.web.routes.asking import Row, ThePerson, TheSession, TheView, known_row, refuse
from semirank.web.session import Session
from semirank.web.showing import history, order_info, show_items
from semirank.web.views import View

router = APIRouter(prefix="/api/p/{key}")
QueueMode = Literal["top", "uncertain", "spread", "audit", "later", "second", "random"]


@router.get("/queue")
def next_items(
    session: TheSession,
    view: TheView,
    person: ThePerson,
    mode: QueueMode = "top",
    qid: Annotated[str | None, Query(alias="list", max_length=2000)] = None,
    n: Annotated[int, Query(ge=1, le=200)] = 20,
    after: int | None = None,
) -> shapes.Queue:
    """Say what to read next, and keep it for who asks."""
    with session.lock:
        if qid and qid not in view.state.items.lists:
            raise refuse(404, f"There is no list {qid!r}.", "list")
        rows = _next_rows(session, view, person, mode, n, qid or None)
        session.lease(person, rows)
    items = show_items(session, view, person, rows)
    return shapes.Queue(order=order_info(view), mode=mode, items=items)


def _next_rows(session: Session, view: View, person: Person, mode: str, n: int, qid: str | None) -> list[int]:
    """Return the rows to read next; where the owner has said so, every tenth is one that differs most."""
    hidden = session.hidden_from(person).tolist()

    def rows_of(mode: str, n: int) -> list[int]:
        vectors = session.vectors if mode == "spread" else None
        order, name = view.published.order, person.name
        found = queue(view.state, order, mode, n, reviewer=name, qid=qid, hidden=hidden, vectors=vectors)
        return found.tolist()

    rows = rows_of(mode, n)
    every = int(session.settings.get("spread_every", 0))
    if mode != "top" or not every:
        return rows
    n_read = int(view.state.read_by(person.name).sum())
    places = range(every - 1 - n_read % every, len(rows), every)
    for place, row in zip(places, rows_of("spread", len(places)), strict=False):
        rows = [each for each in rows if each != row]
        rows.insert(place, row)
    return rows[:n]


@router.get("/items")
def list_items(
    session: TheSession,
    view: TheView,
    person: ThePerson,
    sort: Literal["rank", "file", "time"] = "rank",
    verdict: Literal["any", "none", "relevant", "not", "unsure", "later", "conflict"] = "any",
    who: Annotated[str, Query(max_length=100)] = "",
    tag: Annotated[str, Query(max_length=200)] = "",
    note: bool = False,
    q: Annotated[str, Query(max_length=1000)] = "",
    qid: Annotated[str, Query(alias="list", max_length=2000)] = "",
    offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
    n: Annotated[int, Query(ge=1, le=500)] = 50,
    named: Annotated[str, Query(alias="rows", max_length=20_000, pattern=r"^(\d{1,9}(,\d{1,9})*)?$")] = "",
) -> shapes.Items:
    """Return a page of the items that all filters let pass; or, with rows=3,7, these and no others."""
    if named:
        asked = [known_row(int(row), session) for row in named.split(",")]
        items = show_items(session, view, person, asked, texts=False)
        return shapes.Items(total=len(items), offset=0, items=items)
    found = np.zeros(0, dtype=np.int64)
    if q:
        with session.project.reading() as stored:
            found = np.array(stored.search(q, len(session.items)), dtype=np.int64)
    with session.lock:
        rows = _sorted(view, sort)
        masks: list[Booleans] = []
        if verdict != "any":
            masks.append(having(session, view, person, verdict))
        if who:
            masks.append(
                view.state.read_by(who) if view is session.shared or who == person.name else _none(view)
            )
        if tag:
            masks.append(
                _at(view, [r for r in session.rows_with(view.state, "tag") if tag in view.state.tags(r)])
            )
        if note:
            masks.append(_at(view, [r for r in session.rows_with(view.state, "note") if view.state.notes(r)]))
        if q:
            masks.append(_at(view, found))
        if qid and qid in session.items.lists:
            masks.append(session.items.list_numbers[: view.state.n_items] == session.items.lists.index(qid))
        if masks:
            rows = rows[np.logical_and.reduce(masks)[rows]]
    items = show_items(session, view, person, rows[offset : offset + n].tolist(), texts=False)
    return shapes.Items(total=len(rows), offset=offset, items=items)


def _sorted(view: View, sort: str) -> Integers:
    """Return all rows: as ranked, as in the file, or those judged last first."""
    n_items = view.state.n_items
    if sort == "rank":
        rows = view.published.order.rows
        return rows if len(rows) == n_items else np.append(rows, np.arange(len(rows), n_items))
    if sort == "file":
        return np.arange(n_items)
    judged = dict.fromkeys(
        row
        for event in reversed(view.state.events)
        if event.kind in ("label", "unsure", "later", "adjudicate")
        and view.state.stands(event)
        and (row := view.state.row_of(event)) is not None
    )
    first = np.array(list(judged), dtype=np.int64)
    return np.append(first, np.setdiff1d(np.arange(n_items), first))


def _at(view: View, rows: Iterable[int]) -> Booleans:
    mask = _none(view)
    chosen = np.fromiter(rows, dtype=np.int64)
    mask[chosen[chosen < len(mask)]] = True
    return mask


def _none(view: View) -> Booleans:
    return np.zeros(view.state.n_items, dtype=bool)


def having(session: Session, view: View, person: Person, verdict: str) -> Booleans:
    """Tell which items have a verdict."""
    state = view.state
    if verdict == "later":
        return _at(view, state.put_off(person.name))
    if verdict == "conflict":
        return _at(view, session.conflicts() if view is session.shared else ())
    read, y = state.read, state.y
    if verdict == "none":
        return ~read
    if verdict == "unsure":
        return read & np.isnan(y)
    relevant = y >= float(session.scale["relevant"])
    return relevant if verdict == "relevant" else read & ~relevant & ~np.isnan(y)


@router.get("/log")
def log(
    session: TheSession,
    view: TheView,
    offset: Annotated[int, Query(ge=0, lt=2**53)] = 0,
    n: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> shapes.Log:
    """Return a page of the log, newest first."""
    with session.lock:
        state = view.state
        total = len(state.events)
        chosen = state.events[max(0, total - offset - n) : max(0, total - offset)][::-1]
        rows = {event.id: state.row_of(event) for event in chosen}
        undone = {event.id: not state.stands(event) for event in chosen}
    named = sorted({row for row in rows.values() if row is not None})
    with session.project.reading() as stored:
        titles = {each.row: each.title or each.id for each in stored.page(named)}
    entries = [
        shapes.Log.Entry(
            seq=session.number_of(event),
            undone=undone[event.id],
            row=rows[event.id],
            title=titles.get(rows[event.id]),
            **{name: value for name, value in event.to_dict().items() if name != "via"},
        )
        for event in chosen
    ]
    return shapes.Log(total=total, events=entries)


@router.get("/items/{row}")
def one_item(row: Row, session: TheSession, view: TheView, person: ThePerson) -> shapes.ItemDetail:
    """Return an item with its history."""
    item = show_items(session, view, person, [known_row(row, session)])[0]
    with session.lock:
        return shapes.ItemDetail(**item.model_dump(), history=history(session, view.state, row))


@router.get("/items/{row}/image", response_class=Response)
def image(row: Row, session: TheSession, w: Annotated[int, Query(ge=16, le=2048)] = 256) -> Response:
    """Return the picture of an item, drawn anew and no wider than asked for."""
    found = picture(session, known_row(row, session), w)
    if found is None:
        raise refuse(404, "The item has no picture.", "row")
    return Response(found, media_type="image/png", headers={"cache-control": "private, max-age=3600"})

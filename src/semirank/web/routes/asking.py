"""What every route needs to know: who asks, and about which project."""

from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi import Path as InPath

from semirank.web.people import Person
from semirank.web.session import Session
from semirank.web.shelf import Shelf
from semirank.web.views import View

MOST_ROWS = 2**53


def refuse(status: int, error: str, where: str = "", what_to_do: str = "") -> HTTPException:
    """Return an error to raise."""
    return HTTPException(status, {"error": error, "where": where, "what_to_do": what_to_do})


def _shelf(request: Request) -> Shelf:
    return request.app.state.shelf


def _person(request: Request) -> Person:
    return request.scope["person"]


TheShelf = Annotated[Shelf, Depends(_shelf)]
ThePerson = Annotated[Person, Depends(_person)]


def _owner(person: ThePerson) -> Person:
    if person.role != "owner":
        raise refuse(403, "Only the owner can do this.")
    return person


def _session(key: str, shelf: TheShelf, person: ThePerson) -> Session:
    session = shelf.session(key) if person.project in (None, key) else None
    if session is None:
        raise refuse(404, f"There is no project {key!r}.", "project", "Choose one on the start page.")
    return session


TheOwner = Annotated[Person, Depends(_owner)]
TheSession = Annotated[Session, Depends(_session)]


def _view(session: TheSession, person: ThePerson) -> View:
    return session.view_of(person)


TheView = Annotated[View, Depends(_view)]
Row = Annotated[int, InPath(ge=0, lt=MOST_ROWS)]


def known_row(row: int, session: Session) -> int:
    """Return a row number; refuse one that no item has."""
    if not 0 <= row < session.state.n_items:
        raise refuse(404, f"There is no item in row {row}.", "row")
    return row

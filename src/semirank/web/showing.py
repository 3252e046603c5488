"""From what stands in the session to what is shown: items, counts, orders."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from semirank.feedback import Event, State
from semirank.feedback.duplicates import fold_doi
from semirank.web import shapes
from semirank.web.people import Person
from semirank.web.project import ProjectItem
from semirank.web.session import Session
from semirank.web.views import Published, View

OPEN_JOB = "map"
_WEB = re.compile(r"https?://[^\s\"'<>]+", re.IGNORECASE)
_SAYS = {
    "random": "Nothing has been learned yet, so that the order is random.",
    "by experience": "The usual ranker for data of this kind; it has done well on other data.",
    "proven here": "Held-out labels of this project show that this ranker is better.",
    "labels alone": "Held-out labels of this project do not show that unread items help.",
}


def order_info(view: View) -> shapes.OrderInfo:
    """Return what is told of the order that is published."""
    published = view.published
    order, basis = published.order, basis_of(view)
    return shapes.OrderInfo(
        number=max(order.number, 0),
        ranker=order.ranker or "file order",
        basis=basis,
        basis_says=_SAYS[basis],
        problem=order.problem,
        warnings=list(order.warnings),
        n_moved=published.n_moved,
    )


def basis_of(view: View) -> shapes.Basis:
    """Say what speaks for the ranker of the published order."""
    if view.published.order.ranker in ("", "random"):
        return "random"
    event, check = view.state.last("ranker"), view.state.last("check")
    grounds = event or check
    reason = (grounds.value or {}).get("basis") if grounds is not None else None
    return reason if reason in ("proven here", "labels alone") else "by experience"


def counts(state: State, person: Person) -> shapes.Counts:
    """Return how far the reading is; copies count once."""
    _, labels = state.reading()
    return shapes.Counts(
        n_items=state.n_distinct,
        n_read=len(labels),
        n_found=int((labels > 0).sum()),
        n_unsure=int(np.isnan(labels).sum()),
        n_later=len(state.put_off(person.name)),
    )


def lists(state: State) -> list[shapes.ListInfo]:
    """Return how far each list is read."""
    n_lists = len(state.items.lists)
    rows, labels = state.reading()
    number = state.items.list_numbers
    firsts = np.flatnonzero(state.groups == np.arange(state.n_items))
    n_items = np.bincount(number[firsts], minlength=n_lists)
    n_read = np.bincount(number[rows], minlength=n_lists)
    n_found = np.bincount(number[rows[labels > 0]], minlength=n_lists)
    return [
        shapes.ListInfo(qid=name, n_items=int(n_items[i]), n_read=int(n_read[i]), n_found=int(n_found[i]))
        for i, name in enumerate(state.items.lists)
    ]


def show_items(
    session: Session, view: View, person: Person, rows: Sequence[int], *, texts: bool = True
) -> list[shapes.Item]:
    """Return items as they are shown to a person."""
    if len(rows) == 0:
        return []
    with session.project.reading() as stored:
        found = stored.page(rows)
    with session.lock:
        published = view.published
        blind = view is not session.shared
        return [_show(each, session, view.state, published, person, texts, blind) for each in found]


def _show(
    item: ProjectItem,
    session: Session,
    state: State,
    published: Published,
    person: Person,
    texts: bool,
    blind: bool,
) -> shapes.Item:
    row = int(item.row or 0)
    known = row < len(published.places)
    verdict = state.verdict(row, person.name)
    score = published.order.scores[row] if known else np.nan
    others = [] if blind and not _has_spoken(verdict) else _others(session.state, row, person)
    decided = state.taught(row)
    return shapes.Item(
        row=row,
        id=item.id,
        qid="" if session.items.qid is None else item.qid,
        title=item.title,
        text=item.text if texts else None,
        meta=item.meta,
        link=link_of(item.meta),
        image=session.kind == "images",
        score=None if np.isnan(score) else float(score),
        place=int(published.places[row]) or None if known else None,
        moved=int(published.moved[row]) if known else 0,
        copies=state.copies(row),
        verdict=None if verdict is None else _verdict(verdict),
        note=state.notes(row).get(person.name, ""),
        tags=list(state.tags(row)),
        by=others,
        adjudicated=decided.label if decided.source == "adjudicated" else None,
    )


def _has_spoken(verdict: Event | None) -> bool:
    return verdict is not None and verdict.kind != "later"


def _verdict(event: Event) -> shapes.Verdict:
    kind: Any = event.kind
    return shapes.Verdict(kind=kind, value=_value(event), reviewer=event.reviewer, time=event.time)


def _others(state: State, row: int, person: Person) -> list[shapes.OtherVerdict]:
    return [
        shapes.OtherVerdict(reviewer=name, kind=event.kind, value=_value(event))  # type: ignore[arg-type]
        for name, event in sorted(state.verdicts(row).items())
        if name != person.name
    ]


def _value(event: Event) -> float | None:
    return event.value if event.kind == "label" else None


def link_of(meta: dict[str, Any]) -> str | None:
    """Return the address of an item on the web: by its DOI, or as the data give it."""
    doi = fold_doi(str(meta.get("doi") or ""))
    if doi:
        return f"https://doi.org/{doi}"
    for name in ("url", "link", "urls"):
        found = _WEB.match(str(meta.get(name) or "").strip("[]'\" "))
        if found:
            return found.group()
    return None


def shown_jobs(session: Session, person: Person) -> list[shapes.Job]:
    """Return what runs in the background; for others than the owner the map alone, which tells of nobody."""
    jobs = (job for job in session.jobs.all() if person.role == "owner" or job.kind == OPEN_JOB)
    return [shapes.Job(**job.to_dict()) for job in jobs]


def shown_verdicts(state: State, person: Person) -> list[str | None]:
    """Return the verdict on each item in a word; None where there is none."""
    scale = state.last("scale")
    least = 1.0 if scale is None else float(scale.value["relevant"])
    words = np.full(state.n_items, None, dtype=object)
    read, y = state.read, state.y
    words[read & np.isnan(y)] = "unsure"
    words[~np.isnan(y)] = np.where(y[~np.isnan(y)] >= least, "relevant", "not")
    words[state.put_off(person.name)] = "later"
    return words.tolist()


def history(session: Session, state: State, row: int) -> list[shapes.History]:
    """Return what happened to an item, oldest first."""
    return [
        shapes.History(
            seq=session.number_of(event),
            id=event.id,
            kind=event.kind,
            value=event.value,
            reviewer=event.reviewer,
            time=event.time,
            undone=not state.stands(event),
        )
        for event in state.history(row)
    ]

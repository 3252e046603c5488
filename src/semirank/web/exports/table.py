"""Items with all that is known of them, as records."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from semirank.feedback import State, sentence
from semirank.readers.records import Records
from semirank.web.project import ProjectItem
from semirank.web.session import Session
from semirank.web.views import View

EXPLAINED = 500  # best items that say why; each takes a moment
CHUNK = 500


def chosen_rows(session: Session, view: View, which: str, order: str) -> list[int]:
    """Return the rows of all, relevant, read or unread items, as ranked or as in the file."""
    state = view.folded
    rows = np.arange(state.n_items) if order == "file" else _ranked(view)
    if which != "all":
        least = float(session.scale["relevant"])
        masks = {"relevant": state.y >= least, "read": state.read, "unread": ~state.read}
        rows = rows[masks[which][rows]]
    return rows.tolist()


def _ranked(view: View) -> Any:
    rows = view.published.order.rows
    return np.append(rows, np.arange(len(rows), view.folded.n_items))


def records(session: Session, view: View, rows: Sequence[int], *, why: bool = True) -> Records:
    """Return items as records: what is known of them first, then the columns that they came with.

    The caller holds the view's `ranking`.
    """
    stored = [
        item for start in range(0, len(rows), CHUNK) for item in _page(session, rows[start : start + CHUNK])
    ]
    own = _known(session, view, rows, why)
    given = _given(session, stored)
    columns = {**own, **{f"given_{name}" if name in own else name: cells for name, cells in given.items()}}
    return Records(session.name, columns, range(1, len(rows) + 1))


def _page(session: Session, rows: Sequence[int]) -> list[ProjectItem]:
    with session.project.reading() as stored:
        return stored.page(rows)


def _known(session: Session, view: View, rows: Sequence[int], why: bool) -> dict[str, list[Any]]:
    """Return rank, score, verdict, grade, who, when, note, tags, group, order number and why."""
    state, order = view.folded, view.published.order
    places = order.places
    verdicts = [_verdict(session, state, row) for row in rows]
    groups = state.groups
    return {
        "rank": [int(places[row]) + 1 if row < len(places) else None for row in rows],
        "score": [_finite(order.scores[row]) if row < len(order.scores) else None for row in rows],
        "verdict": [verdict for verdict, _ in verdicts],
        "included": [None if grade is None else int(verdict == "relevant") for verdict, grade in verdicts],
        "grade": [grade for _, grade in verdicts],
        "who": ["; ".join(sorted(state.verdicts(row))) for row in rows],
        "when": [max((each.time for each in state.verdicts(row).values()), default="") for row in rows],
        "note": [" | ".join(state.notes(row).values()) for row in rows],
        "tags": ["; ".join(state.tags(row)) for row in rows],
        "group": [session.items.ids[int(groups[row])] if state.copies(row) else "" for row in rows],
        "order": [order.number] * len(rows),
        "why": _why(session, view, rows) if why else [""] * len(rows),
    }


def _verdict(session: Session, state: State, row: int) -> tuple[str, float | None]:
    taught = state.taught(row)
    if not taught.read:
        later = any(each.kind == "later" for each in state.verdicts(row).values())
        return ("later" if later else "", None)
    if taught.label != taught.label:
        return "unsure", None
    return ("relevant" if taught.label >= float(session.scale["relevant"]) else "not"), taught.label


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _why(session: Session, view: View, rows: Sequence[int]) -> list[str]:
    """Say why the best items stand where they stand; "" for others."""
    ranker, state = view.engine.ranker_, view.folded
    if ranker is None:
        return [""] * len(rows)
    names = [title or name for title, name in zip(session.items.titles or (), session.items.ids, strict=True)]
    names = [*names[: state.n_items], *(each.text for each in state.questions)]
    y = np.append(state.y, np.ones(len(state.questions)))
    places = view.published.order.places
    return [
        sentence(ranker, row, names, y) if row < len(places) and places[row] < EXPLAINED else ""
        for row in rows
    ]


def _given(session: Session, items: Sequence[ProjectItem]) -> dict[str, list[Any]]:
    """Return the columns that the items came with."""
    columns: dict[str, list[Any]] = {"id": [each.id for each in items]}
    if session.items.qid is not None:
        columns["list"] = [each.qid for each in items]
    columns["title"] = [each.title for each in items]
    if any(each.text for each in items):
        columns["abstract"] = [each.text for each in items]
    for name in dict.fromkeys(name for each in items for name in each.meta):
        if name not in columns:
            columns[name] = [each.meta.get(name) for each in items]
    return columns

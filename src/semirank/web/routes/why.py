"""Why an item stands where it stands, what is like it, and what holds certain words."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query
from scipy.sparse import issparse

from semirank.feedback import sentence, strongest
from semirank.rankers._base import CONSTANT, Contributions
from semirank.web import shapes
from semirank.web.routes.asking import Row, ThePerson, TheSession, TheView, known_row
from semirank.web.session import Session
from semirank.web.showing import show_items
from semirank.web.views import View

router = APIRouter(prefix="/api/p/{key}")
SHOWN = 6  # items, and words, of an explanation
MOST_FOUND = 10_000


@router.get("/why/{row}")
def why(
    row: Row, session: TheSession, view: TheView, against: Annotated[int | None, Query(ge=0)] = None
) -> shapes.Why:
    """Split the score of an item among labelled items and words; or the difference to another's."""
    known_row(row, session)
    with view.ranking:
        found = _explained(session, view, row, None)
        if against is not None:
            found.against = _explained(session, view, row, known_row(against, session))
    return found


def _explained(session: Session, view: View, row: int, other: int | None) -> shapes.Why:
    ranker, scores = view.engine.ranker_, view.published.order.scores
    score = float(scores[row] - (0 if other is None else scores[other])) if row < len(scores) else None
    empty = shapes.Why(row=row if other is None else other, score=None, sentence=_random(view))
    if ranker is None or score is None or not np.isfinite(score):
        return empty
    names = _names(session, view)
    y = np.append(view.folded.y, np.ones(len(view.folded.questions)))
    try:
        parts = ranker.explain(row) if other is None else ranker.explain_pair(row, other)
    except ValueError as error:
        empty.sentence = sentence(ranker, row, names, y) or str(error)
        return empty
    constant = float(parts.amounts[parts.items == CONSTANT].sum())
    top = strongest(parts, SHOWN)
    words = _words(ranker, row, other)
    return shapes.Why(
        row=row if other is None else other,
        score=score,
        constant=constant,
        shares=_takes_logarithm(ranker),
        sentence=sentence(ranker, row, names, y) if other is None else "",
        items=[_item(item, amount, names, y, view.folded.n_items) for item, amount in top],
        words=[shapes.WhyWord(word=word, amount=amount) for word, amount in words[:SHOWN]],
        rest_items=_rest(parts, top),
        rest_words=float(sum(amount for _, amount in words[SHOWN:])),
    )


def _random(view: View) -> str:
    return view.published.order.problem or "The order is random so far."


def _rest(parts: Contributions, top: list[tuple[int, float]]) -> float:
    shown = {item for item, _ in top} | {CONSTANT}
    return float(parts.amounts[~np.isin(parts.items, list(shown))].sum())


def _item(item: int, amount: float, names: list[str], y: Any, n_items: int) -> shapes.WhyItem:
    label = float(y[item])
    return shapes.WhyItem(
        row=item if item < n_items else None,
        title=names[item],
        label=None if np.isnan(label) else label,
        amount=amount,
    )


def _names(session: Session, view: View) -> list[str]:
    titles = session.items.titles or session.items.ids
    named = [title or name for title, name in zip(titles, session.items.ids, strict=True)][
        : view.folded.n_items
    ]
    return [*named, *(each.text for each in view.folded.questions)]


def _words(ranker: Any, row: int, other: int | None) -> list[tuple[str, float]]:
    """Return words with their amounts, the strongest first; of two items, the difference."""
    from semirank.feedback import strongest_words

    found = dict(strongest_words(ranker, row, MOST_FOUND))
    if other is not None:
        for word, amount in strongest_words(ranker, other, MOST_FOUND):
            found[word] = found.get(word, 0.0) - amount
    return sorted(found.items(), key=lambda each: -abs(each[1]))


def _takes_logarithm(ranker: Any) -> bool:
    """Tell whether contributions are shares of what has reached an item before a logarithm."""
    if getattr(ranker, "graph_", None) is not None:
        return True
    return any(
        name.split("__")[-1] == "combine" and value == "log"
        for name, value in ranker.get_params(deep=True).items()
    )


@router.get("/whatif/{row}")
def what_if(
    row: Row, session: TheSession, view: TheView, value: Annotated[float, Query(allow_inf_nan=False)] = 1.0
) -> shapes.WhatIf:
    """Say where the nearest unread item stands, and where it would stand after this verdict."""
    known_row(row, session)
    with view.ranking:
        near = next((each for each in _nearest(session, row, 50) if view.published.places[each]), None)
        now = int(view.published.places[near]) if near is not None else None
        if near is None or view.engine.ranker_ is None:
            return shapes.WhatIf(row=near, place_now=now, place_then=None)
        then = view.place_if(row, value, near)
    return shapes.WhatIf(row=near, place_now=now, place_then=then)


@router.get("/neighbours/{row}")
def neighbours(
    row: Row,
    session: TheSession,
    view: TheView,
    person: ThePerson,
    n: Annotated[int, Query(ge=1, le=200)] = 10,
) -> shapes.Items:
    """Return the items most like an item."""
    rows = _nearest(session, known_row(row, session), n)
    return shapes.Items(total=len(rows), items=show_items(session, view, person, rows))


def _nearest(session: Session, row: int, n: int) -> list[int]:
    unit = session.unit_vectors
    likeness = unit @ (unit[[row]].T if issparse(unit) else unit[row])
    likeness = np.asarray(likeness.toarray() if issparse(likeness) else likeness).ravel()
    likeness[row] = -np.inf
    likeness[session.state.n_items :] = -np.inf
    best = np.argpartition(-likeness, min(n, len(likeness) - 1))[:n]
    return [int(each) for each in best[np.argsort(-likeness[best], kind="stable")] if likeness[each] > 0]


@router.get("/search")
def search(
    session: TheSession,
    view: TheView,
    person: ThePerson,
    q: Annotated[str, Query(max_length=1000)],
    n: Annotated[int, Query(ge=1, le=500)] = 50,
) -> shapes.Items:
    """Return the items that hold all the words, the best first."""
    with session.project.reading() as stored:
        rows = stored.search(q, MOST_FOUND)
    return shapes.Items(total=len(rows), items=show_items(session, view, person, rows[:n]))

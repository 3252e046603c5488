"""What somebody may see: the events that are open to them, and the order that follows from these alone."""

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank.core.arrays import Integers
from semirank.feedback import Engine, Event, Items, Order, OrderRecord, State

SHOWN = 50  # how many of the best unread items are watched for moves
OPEN_TO_ALL = ("group", "ungroup", "seed", "target", "scale", "ranker", "import")


@dataclass(frozen=True, eq=False)
class Published:
    """An order as requests read it; a new one replaces it as a whole.

    Attributes
    ----------
    order : Order
        The order.
    places : int64 array of shape (n_items,)
        The place of each item among the unread, from 1; 0 for those that were read.
    moved : int64 array of shape (n_items,)
        How many places each unread item stands higher than in the order before.
    n_moved : int
        How many of the best unread items stand elsewhere than before.
    """

    order: Order
    places: Integers
    moved: Integers
    n_moved: int

    @classmethod
    def of(cls, order: Order, state: State, before: "Published | None") -> "Published":
        """Compare an order with the one before it, by the items that are unread now."""
        places = _places(order.rows, state)
        if before is None or len(before.order.rows) != len(order.rows):
            return cls(order, places, np.zeros_like(places), 0)
        old = _places(before.order.rows, state)
        moved = np.where(places > 0, old - places, 0)
        top = (places > 0) & (places <= SHOWN)
        return cls(order, places, moved, int((moved[top] != 0).sum()))


def _places(rows: Integers, state: State) -> Integers:
    unread = ~state.read & (state.groups == np.arange(state.n_items))
    places = np.zeros(len(rows), dtype=np.int64)
    ordered = rows[unread[rows]]
    places[ordered] = np.arange(1, len(ordered) + 1)
    return places


class Openness:
    """Which events somebody sees: their own, and those of others that say nothing of verdicts.

    An undo is seen by who has seen what it takes back. None: everybody's events are seen.
    """

    def __init__(self, reviewer: str | None) -> None:
        self._reviewer = reviewer
        self._seen: set[str] = set()

    def shows(self, event: Event) -> bool:
        """Tell whether an event is seen; events come in their order, each once."""
        if self._reviewer is None:
            return True
        if event.reviewer == self._reviewer or event.kind in OPEN_TO_ALL:
            shown = True
        else:
            shown = event.kind in ("undo", "redo") and event.value in self._seen
        if shown:
            self._seen.add(event.id)
        return shown


class View:
    """The state and the order of all reviewers together, or of one who must not know of the others' verdicts.

    Requests read `state` under the lock of the session, and `published` without any. `rank` runs in the
    engine's thread; it folds what has come into a state of its own, so that no request waits for a ranker.

    Parameters
    ----------
    items : Items
        What is read.
    n_items : int
        How many of them were there at the beginning.
    reviewer : str, optional
        Whose events, besides those that are open to all, are seen. None: everybody's.
    seed : int
        Seed of the order.
    """

    published: Published

    def __init__(self, items: Items, n_items: int, reviewer: str | None = None, seed: int = 0) -> None:
        self.reviewer = reviewer
        self.state = State(items, n_items=n_items)
        self.ranking = threading.RLock()  # held while the engine, or its state, is in use
        self.engine = Engine(items, seed=seed)
        self.folded = State(items, n_items=n_items)
        self._coming: deque[Event] = deque()
        self._open = Openness(reviewer)
        self.evidence: dict[Any, Any] = {}  # of the state and order as they are
        self.published = Published.of(_file_order(items, n_items), self.folded, None)

    def add(self, events: Iterable[Event]) -> None:
        """Take those of the events that are open here; the caller holds the lock of the session."""
        for event in events:
            if self._open.shows(event):
                self.state.apply(event)
                self._coming.append(event)

    def take(self, event: Event) -> None:
        """Take an event that may be refused; nothing has changed then."""
        self.state.apply(event)
        self._coming.append(event)

    def fold(self) -> State:
        """Bring the engine's state up to date; the caller holds `ranking`."""
        while self._coming:
            self.folded.apply(self._coming.popleft())
        return self.folded

    def rank(self) -> OrderRecord | None:
        """Rank anew if anything has come that can change the order; return what is to be kept of it."""
        with self.ranking:
            state = self.fold()
            old = self.published
            if old.order.number == state.number and old.order.ranker:
                return None
            order = self.engine.rank(state)
            self.published = Published.of(order, state, old if old.order.ranker else None)
        return order.record

    def prepare(self) -> None:
        """Make what the next labels will need; requests go on meanwhile.

        Of texts, nothing is made before somebody asks or reads: a question that is typed first would have to
        wait for it, and then all of it would be made again, with the question.
        """
        with self.ranking:
            state = self.fold()
            if state.items.are_texts and not state.questions and not state.read.any():
                return
            prepare = self.engine.preparation(state)
        prepare()

    def place_if(self, row: int, value: float, other: int) -> int | None:
        """Return the place that an unread item would have after a verdict on another; nothing stays of it."""
        state, ranker = self.folded, self.engine.ranker_
        if ranker is None or row >= state.n_items or other >= state.n_items:
            return None
        y = np.append(state.y, np.ones(len(state.questions)))
        changed = y.copy()
        changed[row] = value
        try:
            scores = ranker._refit(*self.engine._given(state, changed)).scores_[: state.n_items].copy()
        except ValueError:
            return None
        finally:
            ranker._refit(*self.engine._given(state, y))
        unread = ~state.read & (state.groups == np.arange(state.n_items))
        unread[row] = False
        return 1 + int((scores[unread] > scores[other]).sum())


def _file_order(items: Items, n_items: int) -> Order:
    """Return the order of the file, for the moment until the first order is there."""
    rows = np.arange(n_items)
    says = "The first order is being computed; until then items come as in the file."
    return Order(-1, rows, np.full(n_items, np.nan), "", says, (), OrderRecord(-1, "", ()))

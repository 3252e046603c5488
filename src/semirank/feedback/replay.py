"""Compute the orders of a session again, and name the first that differs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from semirank.core.arrays import Integers
from semirank.feedback.engine import Engine, Order, OrderRecord
from semirank.feedback.events import Event
from semirank.feedback.state import State
from semirank.stopping import rank_change


@dataclass(frozen=True)
class Difference:
    """An order that did not come out as recorded.

    Attributes
    ----------
    number : int
        Which.
    first_place : int
        The first place, from 0, at which another item stands; the number of recorded items where none of
        these differs.
    correlation : float
        Of the recorded first items, in the order then and now (`stopping.rank_change`): near 1 where only
        rounding differs, as on another machine.
    """

    number: int
    first_place: int
    correlation: float


@dataclass(frozen=True)
class Replay:
    """What came of computing orders again.

    Attributes
    ----------
    n_orders : int
        How many were computed.
    differences : tuple of Difference
        Those that differ, the first first.
    """

    n_orders: int
    differences: tuple[Difference, ...]

    @property
    def same(self) -> bool:
        """Whether all orders came out as recorded."""
        return not self.differences


def replay(
    engine: Engine, events: Iterable[Event], records: Iterable[OrderRecord], n_items: int | None = None
) -> Replay:
    """Compute again every order that was recorded, from the events before it.

    Parameters
    ----------
    engine : Engine
        A fresh one, with the items and settings of the session.
    events : iterable of Event
        All of them, in order.
    records : iterable of OrderRecord
        What was kept of the orders (`Order.record`).
    n_items : int, optional
        As in `State`.
    """
    wanted = {record.number: record for record in records}
    state = State(engine.items, n_items=n_items)
    differences, done = [], 0
    for event in (None, *events):
        before = state.number
        if event is not None:
            state.apply(event)
        if (event is None or state.number > before) and state.number in wanted:
            done += 1
            if difference := _compare(wanted[state.number], engine.rank(state), engine.items.ids, state):
                differences.append(difference)
    return Replay(done, tuple(differences))


def _compare(then: OrderRecord, now: Order, ids: Sequence[str], state: State) -> Difference | None:
    if then.digest == now.record.digest:
        return None
    pairs = zip(then.first, now.record.first, strict=False)
    place = next((k for k, (a, b) in enumerate(pairs) if a != b), len(then.first))
    return Difference(now.number, place, _correlation(then, now, ids))


def _correlation(then: OrderRecord, now: Order, ids: Sequence[str]) -> float:
    wanted = set(then.first)
    order_now = [ids[row] for row in now.rows if ids[row] in wanted]
    number = {name: k for k, name in enumerate(then.first)}
    places: Integers = np.array([number[name] for name in order_now], dtype=np.int64)
    return rank_change(np.arange(len(then.first)), places).correlation

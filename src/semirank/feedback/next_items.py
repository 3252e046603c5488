"""The next items to read, of data whose labels stand in a file and not in a log."""

from typing import Any

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.feedback.engine import Order, OrderRecord, rows_in_turn
from semirank.feedback.events import Event
from semirank.feedback.items import Items
from semirank.feedback.queue import queue
from semirank.feedback.state import State


def next_items(
    items: Items,
    y: Floats,
    scores: Floats,
    mode: str = "top",
    n: int = 20,
    *,
    vectors: Any = None,
    seed: int = 0,
) -> Integers:
    """Return the rows to read next, as `queue` does in the modes "top", "uncertain", "spread" and "random".

    Parameters
    ----------
    items : Items
        What is read.
    y, scores : float64 arrays of shape (n_items,)
        Labels, NaN where there is none, and what a ranker made of them.
    mode, n, vectors, seed
        As of `queue`.
    """
    lists = items.qid
    events = [
        Event(str(row), "label", items.ids[row], None if lists is None else lists[row], value=float(y[row]))
        for row in np.flatnonzero(~np.isnan(y)).tolist()
    ]
    state = State(items, events)
    rows = rows_in_turn(scores, items.list_numbers, items.hashes(seed, "ties"))
    order = Order(state.number, rows, scores, "", None, (), OrderRecord(state.number, "", ()))
    return queue(state, order, mode, n, vectors=vectors, seed=seed)

"""What to read next: modes of the queue."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from scipy.sparse import issparse
from sklearn.preprocessing import normalize

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.feedback.engine import Order, rows_in_turn
from semirank.feedback.state import State

Mode = Literal["top", "uncertain", "spread", "audit", "later", "second", "random"]
MODES: tuple[str, ...] = get_args(Mode)
POOL = 200  # the best items, among which "spread" looks for those that are new


def queue(
    state: State,
    order: Order,
    mode: str = "top",
    n: int = 20,
    *,
    reviewer: str = "",
    qid: str | None = None,
    hidden: Sequence[int] = (),
    vectors: Any = None,
    seed: int = 0,
) -> Integers:
    """Return the rows that a reviewer is to read next, the first one first.

    Never an item that the reviewer has read, or that is hidden, or a copy of another one of its group; in all
    modes but "second" never an item that anybody has read.

    Parameters
    ----------
    state, order : State, Order
        What has happened, and how the items are ranked. The order may be an older one than the state's.
    mode : str
        "top": the best first. "uncertain": those between relevant and irrelevant labels first. "spread": of
        the 200 best, always the one that is least like all that was read and taken before. "audit": the
        next items of the random sample that the last ``audit`` event began; items of it that were read
        otherwise count, and are not shown again. "later": what the reviewer put off, in that order.
        "second": what others have read and the reviewer has not, in random order, which says nothing about
        their verdicts. "random".
    n : int
        How many rows at most.
    reviewer : str
        Who asks.
    qid : str, optional
        The list to read from. None: all; the modes that follow the ranking take lists in turn.
    hidden : sequence of int
        Rows that are not to be shown: those that others hold.
    vectors : array or CSR matrix of shape (n_items, n_features), optional
        What "spread" compares; without it that is "top".
    seed : int
        Seed of random orders.

    See Also
    --------
    next_items : from a fitted ranker, without events.
    """
    if mode not in _MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}; got {mode!r}.")
    if mode == "audit":
        rows: Any = audit_sample(state, seed)
    elif mode == "later":
        rows = state.put_off(reviewer)
    else:
        rows = _MODES[mode](state, order, seed)
    asked = _askable(state, mode, reviewer, qid, hidden)
    rows = np.asarray(rows, dtype=np.int64)
    rows = rows[rows < state.n_items]
    rows = rows[asked[rows]]
    return (
        spread_out(rows[:POOL], n, state, vectors) if mode == "spread" and vectors is not None else rows[:n]
    )


def audit_sample(state: State, seed: int = 0) -> Integers:
    """Return the rows of the audit that stands, in the random order in which they are to be read."""
    start = state.audit
    if start is None:
        return np.zeros(0, dtype=np.int64)
    hashes = state.items.hashes(seed, f"audit {start.id}")[start.unread]
    return start.unread[np.argsort(hashes, kind="stable")]


def spread_out(rows: Integers, n: int, state: State, vectors: Any) -> Integers:
    """Take rows one by one, each the least like those that were read or taken; the best first if equal."""
    if len(rows) == 0:
        return rows
    unit = normalize(vectors[rows])
    known = np.flatnonzero(state.read)
    nearest = _cosines(unit, normalize(vectors[known])).max(axis=1) if len(known) else np.ones(len(rows))
    taken: list[int] = []
    for _ in range(min(n, len(rows))):
        place = int(np.argmin(nearest))
        taken.append(place)
        nearest = np.maximum(nearest, _cosines(unit, unit[[place]])[:, 0])
        nearest[taken] = np.inf
    return rows[taken]


def cut(scores: Floats, y: Floats) -> float | None:
    """Return the score halfway between the means of relevant and of irrelevant labels; None: no such."""
    relevant, irrelevant = scores[y > 0], scores[y <= 0]
    if not len(relevant) or not len(irrelevant):
        return None
    return float(relevant.mean() + irrelevant.mean()) / 2


def _cosines(unit: Any, others: Any) -> Floats:
    products = unit @ others.T
    return np.asarray(products.toarray() if issparse(products) else products, dtype=np.float64)


def _askable(state: State, mode: str, reviewer: str, qid: str | None, hidden: Sequence[int]) -> Booleans:
    """Tell which rows may be shown."""
    askable = state.groups == np.arange(state.n_items)
    own = state.read_by(reviewer)
    askable &= (state.read & ~own) if mode == "second" else ~(state.read | own)
    if mode != "later":
        askable[[row for row in state.put_off(reviewer) if mode not in ("audit", "second")]] = False
    if qid is not None:
        if qid not in state.items.lists:
            raise ValueError(f"There is no list {qid!r}.")
        askable &= state.items.list_numbers[: state.n_items] == state.items.lists.index(qid)
    askable[np.asarray(hidden, dtype=np.int64)] = False
    return askable


def _top(state: State, order: Order, seed: int) -> Integers:
    return order.rows


def _uncertain(state: State, order: Order, seed: int) -> Integers:
    """Order the rows of each list by the distance from the cut between its labels, lists in turn."""
    distance = np.full(len(order.scores), np.inf)
    numbers, y = state.items.list_numbers[: len(order.scores)], state.y[: len(order.scores)]
    for number in np.unique(numbers):
        own = numbers == number
        between = cut(order.scores[own], y[own])
        distance[own] = -order.scores[own] if between is None else np.abs(order.scores[own] - between)
    return rows_in_turn(-distance, numbers, state.items.hashes(seed, "ties")[: len(distance)])


def _second(state: State, order: Order, seed: int) -> Integers:
    return np.argsort(state.items.hashes(seed, "second"), kind="stable")


def _random(state: State, order: Order, seed: int) -> Integers:
    return np.argsort(state.items.hashes(seed, "random"), kind="stable")


_MODES: dict[str, Callable[[State, Order, int], Integers]] = {
    "top": _top,
    "spread": _top,
    "uncertain": _uncertain,
    "second": _second,
    "random": _random,
    "audit": _random,
    "later": _random,
}

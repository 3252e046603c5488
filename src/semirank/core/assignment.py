"""The one-to-one assignment of rows to columns with the largest sum of gains, and a way to give up early.

Every row has a price u and every column a price v with ``u[i] + v[j] >= gains[i, j]``, so that no assignment
is worth more than the sum of all prices. First every row takes its best column while that is free; then rows
without one outbid others; what is left gets a column along the cheapest chain of rows that change theirs
(Jonker and Volgenant 1987). Prices fall on the way: at the end their sum is the value of the best assignment,
and before the end it is a bound that shrinks.

Rows and columns that belong to each other are partners: ``partners[ROW, i]`` is the column of row i, and
``partners[COLUMN, j]`` the row of column j. ``prices[ROW]`` is u and ``prices[COLUMN]`` is v.
"""

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.compiling import compiled

ROW, COLUMN, NONE = 0, 1, -1
BIDS = 4  # for each row; those that are still without a column then are few


@compiled()
def best_assignments(gains: Floats, enough: float) -> Floats:
    """Return the value of the best assignment of each matrix, or a bound on it that is below `enough`.

    gains : (n_matrices, n, n). O(n^3) time each, and O(n^2) where the first bound settles it.
    """
    n = gains.shape[1]
    prices, partners = np.empty((2, n)), np.empty((2, n), np.int64)
    values = np.empty(len(gains))
    for k in range(len(gains)):
        values[k] = _take_best(gains[k], prices, partners)
        if values[k] >= enough:
            values[k] = _outbid(gains[k], prices, partners)
        for row in range(n):
            if values[k] >= enough and partners[ROW, row] == NONE:
                values[k] -= _lengthen(gains[k], row, prices, partners)
        if values[k] >= enough:
            values[k] = _value(gains[k], partners)
    return values


@compiled()
def _value(gains: Floats, partners: Integers) -> float:
    value = 0.0
    for row in range(len(gains)):
        value += gains[row, partners[ROW, row]]
    return value


@compiled()
def _take_best(gains: Floats, prices: Floats, partners: Integers) -> float:
    """Set the first prices, give rows their best column while it is free; return the sum of the prices."""
    n = len(gains)
    prices[COLUMN], partners[:] = -np.inf, NONE
    for i in range(n):
        best = 0
        for j in range(1, n):
            if gains[i, j] > gains[i, best]:
                best = j
        prices[ROW, i] = gains[i, best]
        if partners[COLUMN, best] == NONE:
            partners[ROW, i], partners[COLUMN, best] = best, i
        for j in range(n):
            prices[COLUMN, j] = max(prices[COLUMN, j], gains[i, j] - prices[ROW, i])
    return prices.sum()


@compiled()
def _outbid(gains: Floats, prices: Floats, partners: Integers) -> float:
    """Let rows without a column take one from another, at a higher price; return the sum of the prices."""
    n = len(gains)
    waiting, count = np.empty(n, np.int64), 0
    for i in range(n - 1, -1, -1):
        if partners[ROW, i] == NONE:
            waiting[count], count = i, count + 1
    for _ in range(BIDS * n):
        if count == 0:
            break
        count -= 1
        i = waiting[count]
        best, rise = _bid(gains[i], i, prices, partners)
        owner = partners[COLUMN, best]
        if owner != NONE and rise == 0.0:
            continue  # two equally good columns, both taken: nothing to win
        partners[ROW, i], partners[COLUMN, best] = best, i
        if owner != NONE:
            partners[ROW, owner] = NONE
            waiting[count], count = owner, count + 1
    return prices.sum()


@compiled()
def _bid(gains: Floats, row: int, prices: Floats, partners: Integers) -> tuple[int, float]:
    """Raise the price of the row's best column until another is as good; return the column and the rise."""
    best, other, first, second = 0, 0, -np.inf, -np.inf
    for j in range(len(gains)):
        left = gains[j] - prices[COLUMN, j]
        if left > first:
            best, other, first, second = j, best, left, first
        elif left > second:
            other, second = j, left
    if second == -np.inf:  # there is one column only
        second = first
    if first == second and partners[COLUMN, best] != NONE:
        best = other
    prices[ROW, row] = second
    prices[COLUMN, best] += first - second
    return best, first - second


@compiled()
def _lengthen(gains: Floats, start: int, prices: Floats, partners: Integers) -> float:
    """Give the row `start` a column, at the least loss; return the loss.

    A shortest path in ``u[i] + v[j] - gains[i, j] >= 0`` from the row to a column without a row.
    """
    n = len(gains)
    distances, previous, done = np.full(n, np.inf), np.empty(n, np.int64), np.zeros(n, np.bool_)
    row, length = start, 0.0
    while row != NONE:
        nearest, shortest = NONE, np.inf
        for j in range(n):
            if not done[j]:
                through = length + prices[ROW, row] + prices[COLUMN, j] - gains[row, j]
                if through < distances[j]:
                    distances[j], previous[j] = through, row
                if distances[j] < shortest:
                    nearest, shortest = j, distances[j]
        length, done[nearest], row = shortest, True, partners[COLUMN, nearest]
    prices[ROW, start] -= length
    for j in range(n):
        if done[j] and j != nearest:
            prices[COLUMN, j] += length - distances[j]
            prices[ROW, partners[COLUMN, j]] -= length - distances[j]
    _change_columns(nearest, previous, partners)
    return length


@compiled()
def _change_columns(column: int, previous: Integers, partners: Integers) -> None:
    """Give every row on the path to a column the column that follows it."""
    while column != NONE:
        row = previous[column]
        left = partners[ROW, row]
        partners[ROW, row], partners[COLUMN, column] = column, row
        column = left

"""Nearest rows of a matrix, and the graph that they make: compiled loops under `semirank.graphs`.

A distance is always taken by `squared_distance`, so that it is the same number whichever way the
search went. Candidates are ordered by distance, equal ones by row number.
"""

from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.compiling import compiled

Compressed = tuple[AnyArray, AnyArray, AnyArray]
"""Compressed rows or columns: indptr, indices, values."""


class Allowed(NamedTuple):
    """What each row that asks may find: an item from first to last of another group than the row's own.

    An item is no neighbour of itself, so each is a group of its own; nobody finds an item of group -1.
    """

    first: Integers
    last: Integers
    row_groups: Integers
    item_groups: Integers


_WIDTH = 32
_SUM_IN_ANY_ORDER = {"reassoc", "nsz", "contract"}


@compiled(fastmath=_SUM_IN_ANY_ORDER)
def squared_distance(x: AnyArray, y: AnyArray) -> float:
    """Sum the squared differences."""
    total = 0.0
    for i in range(len(x)):
        difference = np.float64(x[i]) - np.float64(y[i])
        total += difference * difference
    return total


@compiled()
def squared_distances(rows: AnyArray, others: AnyArray) -> Floats:
    """Return the matrix of squared distances between two sets of rows."""
    squared = np.empty((len(rows), len(others)))
    for i in range(len(rows)):
        for j in range(len(others)):
            squared[i, j] = squared_distance(rows[i], others[j])
    return squared


@compiled()
def _insert(indices: Integers, values: AnyArray, j: int, value: float) -> None:
    """Put (value, j) into its place in a row sorted by value, then index; the last entry falls out."""
    place = len(values) - 1
    while place > 0 and (
        values[place - 1] > value or (values[place - 1] == value and indices[place - 1] > j)
    ):
        values[place] = values[place - 1]
        indices[place] = indices[place - 1]
        place -= 1
    values[place] = value
    indices[place] = j


@compiled()
def nearest_by_difference(
    queries: AnyArray,
    data: AnyArray,
    rows: Integers,
    allowed: Allowed,
    indices: Integers,
    squared: Floats,
) -> None:
    """Fill `indices[i]` and `squared[i]` for each i of `rows` from what it may find, pair by pair."""
    for i in rows:
        indices[i, :] = -1
        squared[i, :] = np.inf
        for j in range(allowed.first[i], allowed.last[i]):
            if allowed.item_groups[j] >= 0 and allowed.item_groups[j] != allowed.row_groups[i]:
                value = squared_distance(queries[i], data[j])
                if value < squared[i, -1]:
                    _insert(indices[i], squared[i], j, value)


@compiled()
def _any_below(bound: float, halves: AnyArray, products: AnyArray) -> bool:
    """Tell whether any difference is below the bound; a count, unlike a minimum, is vectorised."""
    count = np.int32(0)
    for j in range(len(products)):
        count += np.int32(halves[j] - products[j] < bound)
    return bool(count > 0)


@compiled()
def scan_products(
    products: AnyArray,
    halves: AnyArray,
    numbers: Integers,
    rows: Integers,
    row_groups: Integers,
    item_groups: Integers,
    indices: Integers,
    bounds: AnyArray,
) -> None:
    """Keep for each row the candidates with the smallest ``halves[j] - products[., j]``.

    products: inner products of some rows with some of the data, rows: which row each is, numbers: which
    item each column is, halves: half its squared length (or a lower bound). `indices` and `bounds` hold
    what is kept for each row so far, sorted, and are updated.
    """
    for q in range(len(products)):
        i, row = rows[q], products[q]
        for start in range(0, len(row), _WIDTH):
            stop = min(start + _WIDTH, len(row))
            if _any_below(bounds[i, -1], halves[start:stop], row[start:stop]):
                for c in range(start, stop):
                    value, group = halves[c] - row[c], item_groups[numbers[c]]
                    if value < bounds[i, -1] and group >= 0 and group != row_groups[i]:
                        _insert(indices[i], bounds[i], numbers[c], value)


@compiled()
def order_exactly(
    queries: AnyArray,
    data: AnyArray,
    candidates: Integers,
    indices: Integers,
    squared: Floats,
) -> None:
    """Fill `indices` and `squared` with the nearest of each row's candidates (-1: none)."""
    for i in range(len(queries)):
        for j in candidates[i]:
            if j >= 0:
                value = squared_distance(queries[i], data[j])
                if value < squared[i, -1] or (value == squared[i, -1] and j < indices[i, -1]):
                    _insert(indices[i], squared[i], j, value)


@compiled()
def nearest_sparse(
    queries: Compressed,
    terms: Compressed,
    query_squares: Floats,
    data_squares: Floats,
    rows: Integers,
    allowed: Allowed,
    indices: Integers,
    squared: Floats,
) -> None:
    """Fill `indices` and `squared` for sparse rows: products are summed over the terms two rows share.

    queries: (indptr, terms, values) of all rows that ask; terms: (indptr, items, values) of the data, term by
    term; query_squares, data_squares: squared lengths.
    """
    products = np.empty(len(data_squares))
    for i in rows:
        first, last = allowed.first[i], allowed.last[i]
        products[first:last] = 0.0
        _add_products(queries, terms, i, first, last, products)
        for j in range(first, last):
            if allowed.item_groups[j] >= 0 and allowed.item_groups[j] != allowed.row_groups[i]:
                value = max(0.0, query_squares[i] + data_squares[j] - 2.0 * products[j])
                if value < squared[i, -1]:
                    _insert(indices[i], squared[i], j, value)


@compiled()
def _add_products(
    rows: Compressed, terms: Compressed, i: int, first: int, last: int, products: Floats
) -> None:
    indptr, row_terms, row_values = rows
    term_indptr, term_items, term_values = terms
    for t in range(indptr[i], indptr[i + 1]):
        start, stop = term_indptr[row_terms[t]], term_indptr[row_terms[t] + 1]
        start += np.searchsorted(term_items[start:stop], first)
        for e in range(start, stop):
            if term_items[e] >= last:
                break
            products[term_items[e]] += row_values[t] * term_values[e]


@compiled()
def _is_chosen(indices: Integers, j: int, i: int) -> bool:
    found = False
    for c in range(indices.shape[1]):
        found |= indices[j, c] == i
    return found


def union_of_neighbours(indices: Integers, values: Floats) -> tuple[Integers, AnyArray, Floats]:
    """Join i and j when either is among the other's neighbours (-1: none).

    values: one for each neighbour, the same in both directions. Returns compressed rows (indptr, columns,
    values); the columns of a row are not sorted.
    """
    one_sided, indptr = count_union(indices)
    columns, joined = np.empty(indptr[-1], dtype=np.int32), np.empty(indptr[-1])
    fill_union(indices, values, one_sided, indptr, columns, joined)
    return indptr, columns, joined


@compiled()
def count_union(indices: AnyArray) -> tuple[AnyArray, Integers]:
    """Tell which neighbours do not have the item among theirs, and where the joined rows start."""
    n, k = indices.shape
    one_sided = np.zeros((n, k), dtype=np.bool_)
    indptr = np.zeros(n + 1, dtype=np.int64)
    for i in range(n):
        for c in range(k):
            j = indices[i, c]
            if j >= 0:
                one_sided[i, c] = not _is_chosen(indices, j, i)
                indptr[i + 1] += 1
                indptr[j + 1] += one_sided[i, c]
    for i in range(n):
        indptr[i + 1] += indptr[i]
    return one_sided, indptr


@compiled()
def fill_union(
    indices: AnyArray,
    values: AnyArray,
    one_sided: AnyArray,
    indptr: Integers,
    columns: AnyArray,
    joined: AnyArray,
) -> None:
    """Fill columns and values of the joined rows."""
    n, k = indices.shape
    free = indptr.copy()
    for i in range(n):
        for c in range(k):
            j = indices[i, c]
            if j >= 0:
                columns[free[i]], joined[free[i]] = j, values[i, c]
                free[i] += 1
                if one_sided[i, c]:
                    columns[free[j]], joined[free[j]] = i, values[i, c]
                    free[j] += 1


@compiled()
def find_components(indptr: AnyArray, columns: AnyArray) -> Integers:
    """Return the number of the component of each row, from 0 in the order of their first rows."""
    n = len(indptr) - 1
    parent = np.arange(n)
    for i in range(n):
        for e in range(indptr[i], indptr[i + 1]):
            j = np.int64(columns[e])
            if j > i:
                continue  # the edge is there in both directions
            root, other = i, j
            while parent[root] != root:
                parent[root] = parent[parent[root]]
                root = parent[root]
            while parent[other] != other:
                parent[other] = parent[parent[other]]
                other = parent[other]
            if root < other:
                parent[other] = root
            else:
                parent[root] = other
    numbers: Any = np.empty(n, dtype=np.int64)
    count = 0
    for i in range(n):  # the root of a component is its first row
        root = i
        while parent[root] != root:
            root = parent[root]
        if root == i:
            numbers[i] = count
            count += 1
        else:
            numbers[i] = numbers[root]
    return numbers

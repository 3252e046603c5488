"""Components of a graph, and the shortest edges that join them."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.neighbours import Allowed
from semirank.graphs.checks import check_graph
from semirank.graphs.neighbours import Distance, NeighbourIndex, nearest

Edges = tuple[Integers, Integers, Floats]
"""Rows, columns and values, each edge once."""


def components(graph: csr_array) -> Integers:
    """Return the number of the component of each item, from 0 in the order of their first items."""
    return connected_components(graph, directed=False)[1].astype(np.int64)


def join_components(
    graph: Any,
    X: Any,
    *,
    distance: Distance = "euclidean",
    weight: float | None = None,
    indptr: Any = None,
) -> csr_array:
    """Join the components of each list by their shortest edges, so that a label reaches every item.

    Parameters
    ----------
    graph : sparse matrix of shape (n_items, n_items)
        Any graph over the items.
    X : array or CSR matrix of shape (n_items, n_features), or NeighbourIndex
        The items, between which the edges are sought, or an index over them, which then also says `distance`
        and `indptr`.
    distance : {"euclidean", "cosine"}
        Which edges are short.
    weight : float, optional
        Weight of the new edges. None: that of the weakest edge of the list, or 1 if it has none.
    indptr : array of shape (n_lists + 1,), optional
        Where each list starts. None: one list.

    See Also
    --------
    components : which item belongs to which.

    Notes
    -----
    Each component takes its shortest edge to another, and again with the components that arise, until
    each list is one (Boruvka). O(m n d) a round, m being the items outside the largest component.

    Examples
    --------
    >>> from semirank.graphs import join_components, knn_graph
    >>> X = [[0.0], [1.0], [5.0], [6.5]]
    >>> graph = knn_graph(X, n_neighbors=1, weights="binary")
    >>> join_components(graph, X).toarray()[1]
    array([1., 0., 1., 0.])
    """
    index = X if isinstance(X, NeighbourIndex) else NeighbourIndex(X, distance=distance, indptr=indptr)
    graph = check_graph(graph, index.n_items, index.indptr)
    rows, columns, _ = joining_edges(graph, index)
    if weight is None:
        list_of_row = np.searchsorted(index.indptr, rows, side="right") - 1
        return add_edges(graph, rows, columns, _weakest(graph, index.indptr)[list_of_row])
    return add_edges(graph, rows, columns, np.full(len(rows), float(weight)))


def joining_edges(graph: csr_array, index: NeighbourIndex) -> Edges:
    """Return rows, columns and squared lengths of the shortest edges that make each list connected."""
    found: list[Edges] = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))]
    list_of_item = np.repeat(np.arange(len(index.indptr) - 1), np.diff(index.indptr))
    labels = components(graph)
    while len(asking := _items_of_smaller_components(labels, list_of_item)):
        found.append(_shortest_exits(index, asking, list_of_item[asking], labels))
        labels = _merge(labels, found[-1])
    rows, columns, squared = map(np.concatenate, zip(*found, strict=True))
    return rows, columns, squared


def add_edges(graph: csr_array, rows: AnyArray, columns: AnyArray, values: Floats) -> csr_array:
    """Return the graph with more edges, in both directions; none of them may be there already."""
    old = graph.tocoo()
    ends = np.concatenate([old.row, rows, columns]), np.concatenate([old.col, columns, rows])
    joined = csr_array(coo_array((np.concatenate([old.data, values, values]), ends), shape=graph.shape))
    joined.sort_indices()
    return joined


def _weakest(graph: csr_array, indptr: Integers) -> Floats:
    """Return the smallest weight of each list, 1 where it has no edge."""
    parts = (graph.data[a:b] for a, b in pairwise(graph.indptr[indptr]))
    return np.array([part.min() if len(part) else 1.0 for part in parts])


def _items_of_smaller_components(labels: Integers, list_of_item: Integers) -> Integers:
    """Return the items of all components but the largest (the first of these) of each list."""
    sizes = np.bincount(labels)
    owner = np.zeros(len(sizes), dtype=np.int64)
    owner[labels] = list_of_item
    order = np.lexsort((np.arange(len(sizes)), -sizes, owner))
    largest = order[np.unique(owner[order], return_index=True)[1]]
    return np.flatnonzero(~np.isin(labels, largest))


def _merge(labels: Integers, exits: Edges) -> Integers:
    """Return the components after the given edges have been added."""
    n_components = labels.max() + 1
    ends = labels[exits[0]], labels[exits[1]]
    return components(coo_array((np.ones(len(exits[0])), ends), shape=(n_components, n_components)))[labels]


def _shortest_exits(index: NeighbourIndex, asking: Integers, lists: Integers, labels: Integers) -> Edges:
    """Return the shortest edge that leaves each component of the asking items, each edge once."""
    first, last = index.indptr[lists], index.indptr[lists + 1]
    allowed = Allowed(first, last, labels[asking], labels)
    indices, squares, _ = nearest(index.points[asking], index.points, allowed, 1)
    found, squared = indices[:, 0], squares[:, 0]
    low, high = np.minimum(asking, found), np.maximum(asking, found)
    order = np.lexsort((high, low, squared, labels[asking]))
    order = order[np.unique(labels[asking][order], return_index=True)[1]]
    order = order[np.unique(np.column_stack([low[order], high[order]]), axis=0, return_index=True)[1]]
    return low[order], high[order], squared[order]

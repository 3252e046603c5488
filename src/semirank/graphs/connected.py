"""Graphs of all pairs of items: those near enough, all of them, or all by their inner product."""

from itertools import pairwise
from typing import Any, Literal

import numpy as np
from scipy.sparse import block_diag, csr_array, issparse

from semirank.core.arrays import Floats, Integers
from semirank.graphs.components import joining_edges
from semirank.graphs.knn import check_sigma, gaussian_weights
from semirank.graphs.neighbours import (
    Distance,
    NeighbourIndex,
    Points,
    check_lists,
    check_points,
    squared_distances,
)

MAX_EDGES = 50_000_000
_TIES = 1e-9
_BLOCK_CELLS = 2**22


def connected_graph(
    X: Any,
    *,
    distance: Distance = "euclidean",
    sigma: float | Literal["median"] = "median",
    indptr: Any = None,
    max_edges: int = MAX_EDGES,
) -> csr_array:
    """Join all items of a list that are at most as far apart as it takes to make the list connected.

    That distance is the longest edge of the minimum spanning tree: the same graph as by adding edges
    from the shortest on until everything is connected [1]_, ties included.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_items, n_features)
        The items.
    distance : {"euclidean", "cosine"}
        With "cosine", distances between rows scaled to length 1.
    sigma : float or "median"
        Width of the weights ``exp(-d^2 / (2 sigma^2))``, up to a factor that is common to a list.
    indptr : array of shape (n_lists + 1,), optional
        Where each list starts. None: one list.
    max_edges : int
        Refuse a graph with more edges than this. One far outlier joins nearly all pairs.

    Returns
    -------
    csr_array of shape (n_items, n_items)
        Symmetric, nonnegative, zero diagonal; block-diagonal by list.

    See Also
    --------
    knn_graph : grows with the items, not with their pairs.
    full_graph : all pairs.

    Notes
    -----
    O(n^2 d log n) time at most; memory for the tree is O(n), for the edges O(edges).

    References
    ----------
    .. [1] D. Zhou, J. Weston, A. Gretton, O. Bousquet, B. Schoelkopf. Ranking on data manifolds. NIPS 2003.

    Examples
    --------
    >>> from semirank.graphs import connected_graph
    >>> connected_graph([[0.0], [1.0], [3.0]], sigma=1.0).nnz
    4
    """
    check_sigma(sigma, local=False)
    index = NeighbourIndex(X, distance=distance, indptr=indptr)
    return gaussian_weights(connected_edges(index, max_edges), index.indptr, sigma)[0]


def connected_edges(index: NeighbourIndex, max_edges: int = MAX_EDGES) -> csr_array:
    """Return the squared lengths of the edges of `connected_graph`."""
    no_edges = csr_array((index.n_items, index.n_items))
    rows, _, squared = joining_edges(no_edges, index)
    longest = np.zeros(len(index.indptr) - 1)
    np.maximum.at(longest, np.searchsorted(index.indptr, rows, side="right") - 1, squared)
    return edges_within(index.points, index.indptr, longest * (1.0 + _TIES), max_edges)


def full_graph(
    X: Any,
    *,
    distance: Distance = "euclidean",
    sigma: float | Literal["median"] = "median",
    indptr: Any = None,
    max_edges: int = MAX_EDGES,
) -> csr_array:
    """Join all pairs of a list by ``exp(-d^2 / (2 sigma^2))``.

    Parameters as in `connected_graph`; the median is over all pairs. O(n^2) time and memory.

    See Also
    --------
    connected_graph : only as many pairs as connect a list.
    inner_graph : inner products as weights.

    Examples
    --------
    >>> from semirank.graphs import full_graph
    >>> full_graph([[0.0], [1.0], [3.0]]).nnz
    6
    """
    check_sigma(sigma, local=False)
    index = NeighbourIndex(X, distance=distance, indptr=indptr)
    return gaussian_weights(full_edges(index, max_edges), index.indptr, sigma)[0]


def full_edges(index: NeighbourIndex, max_edges: int = MAX_EDGES) -> csr_array:
    """Return the squared lengths of the edges of `full_graph`."""
    everything = np.full(len(index.indptr) - 1, np.inf)
    return edges_within(index.points, index.indptr, everything, max_edges)


def inner_graph(X: Any, *, indptr: Any = None, max_edges: int = MAX_EDGES) -> csr_array:
    """Join all pairs of a list by the inner product of their rows scaled to length 1.

    A negative product counts as 0: the pair is not joined. An all-zero item is joined to none.
    O(n^2) time and memory for dense rows; for sparse ones as many entries as pairs that share a feature.

    See Also
    --------
    full_graph : distances as weights.

    Examples
    --------
    >>> from semirank.graphs import inner_graph
    >>> inner_graph([[1.0, 0.0], [0.0, 2.0], [3.0, 4.0]]).toarray()
    array([[0. , 0. , 0.6],
           [0. , 0. , 0.8],
           [0.6, 0.8, 0. ]])
    """
    points = check_points(X, "cosine")
    indptr = check_lists(indptr, points.shape[0])
    if not issparse(points):
        _check_count(int((np.diff(indptr) * (np.diff(indptr) - 1)).sum()), max_edges)
    blocks = [_inner_products(points[a:b]) for a, b in pairwise(indptr)]
    graph = csr_array(block_diag(blocks, format="csr"), dtype=np.float64)
    _check_count(graph.nnz, max_edges)
    return graph


def edges_within(points: Points, indptr: Integers, limits: Floats, max_edges: int) -> csr_array:
    """Return the squared distances of all pairs of a list that are at most the limit of the list."""
    counts = np.zeros(points.shape[0], dtype=np.int64)
    columns, values = [np.empty(0, np.int32)], [np.empty(0)]
    for start, stop, limit in zip(indptr[:-1], indptr[1:], limits, strict=True):
        step = max(1, _BLOCK_CELLS // max(stop - start, 1))
        for at in range(start, stop, step):
            squared = squared_distances(points[at : min(at + step, stop)], points[start:stop])
            near = squared <= limit
            np.fill_diagonal(near[:, at - start :], False)
            counts[at : at + len(near)] = near.sum(axis=1)
            if counts.sum() <= max_edges:
                columns.append((np.nonzero(near)[1] + start).astype(np.int32))
                values.append(squared[near])
    _check_count(int(counts.sum()), max_edges)
    rows = np.concatenate([[0], np.cumsum(counts)])
    parts = np.concatenate(values), np.concatenate(columns), rows
    return csr_array(parts, shape=(points.shape[0], points.shape[0]))


def _check_count(n_edges: int, max_edges: int) -> None:
    if n_edges > max_edges:
        raise ValueError(
            f"The graph would have {n_edges} entries, more than max_edges={max_edges}. "
            "Use knn_graph(..., join=True), or raise max_edges."
        )


def _inner_products(points: Points) -> csr_array:
    products = csr_array(points @ points.T)
    products = products.maximum(products.T)
    products.setdiag(0.0)
    products.data = np.maximum(products.data, 0.0)
    products.eliminate_zeros()
    return products

"""A graph by its name, and how items that come later are joined to it."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from semirank.core.arrays import Floats, Integers
from semirank.graphs.checks import check_graph
from semirank.graphs.connected import connected_graph, full_graph, inner_graph
from semirank.graphs.knn import knn_graph
from semirank.graphs.neighbours import NeighbourIndex
from semirank.graphs.points import Metric, squared_distances
from semirank.graphs.weights import Sigma


def build_graph(
    X: Any, indptr: Integers, graph: Any, *, n_neighbors: int, sigma: Sigma, metric: Metric, join: bool
) -> tuple[csr_array, NeighbourIndex | None]:
    """Return the graph and the index that new items are joined through; None for the caller's own matrix.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_items, n_features)
        The items, list by list.
    indptr : array of shape (n_lists + 1,)
        Where each list starts.
    graph : {"knn", "connected", "full", "inner"} or matrix
        See the functions of these names; a matrix is checked and returned.
    n_neighbors, sigma, metric, join
        As in `knn_graph`; "connected" and "full" are Euclidean, "inner" is cosine.
    """
    if not isinstance(graph, str):
        return check_graph(graph, X.shape[0], indptr), None
    if graph == "inner":
        return inner_graph(X, indptr=indptr), NeighbourIndex(X, metric="cosine", indptr=indptr)
    index = NeighbourIndex(X, metric=metric, indptr=indptr)
    if graph == "knn":
        return knn_graph(index, n_neighbors, sigma=sigma, join=join), index
    if metric != "euclidean" or sigma == "local":
        raise ValueError(f"graph={graph!r} needs metric='euclidean' and a sigma that is not 'local'.")
    make = {"connected": connected_graph, "full": full_graph}[graph]
    return make(X, sigma=sigma, indptr=indptr), index


def attach(
    graph: csr_array, index: NeighbourIndex, X: Any, lists: Integers, n_neighbors: int, sigma: Sigma
) -> csr_array:
    """Weigh the edges between new items and their nearest neighbours as the edges of the graph are weighed.

    Parameters
    ----------
    graph, index : csr_array, NeighbourIndex
        What `build_graph` returned.
    X : array or CSR matrix of shape (n_new, n_features)
        New items.
    lists : array of shape (n_new,)
        The number of the list in which each looks for neighbours; -1: in all lists.
    n_neighbors, sigma
        As the graph was made.

    Returns
    -------
    csr_array of shape (n_new, n_items)
    """
    indices, distances = _neighbours(index, X, lists, n_neighbors)
    known = indices >= 0
    rows, columns, squared = np.nonzero(known)[0], indices[known], distances[known] ** 2
    if index.metric == "cosine":
        weights = np.maximum(1.0 - squared / 2.0, 0.0)
    elif sigma == "local":
        radii = np.where(known, distances, 0.0).max(axis=1, initial=0.0)
        weights = np.exp(-squared / _positive(radii[rows] * _radii(index, columns, n_neighbors)))
    else:
        widths, shifts = _scales(graph, index)
        owner = np.searchsorted(index.indptr, columns, side="right") - 1
        weights = np.exp((shifts[owner] - squared) / (2.0 * widths[owner] ** 2))
    return csr_array((weights, (rows, columns)), shape=(len(lists), index.n_items))


def _neighbours(index: NeighbourIndex, X: Any, lists: Integers, k: int) -> tuple[Integers, Floats]:
    indices = np.full((len(lists), k), -1, dtype=np.int64)
    distances = np.full((len(lists), k), np.inf)
    for rows, where in ((lists >= 0, lists[lists >= 0]), (lists < 0, None)):
        if rows.any():
            found = index.query(X[rows], k, where)
            width = found.indices.shape[1]
            indices[rows, :width], distances[rows, :width] = found.indices, found.distances
    return indices, distances


def _radii(index: NeighbourIndex, items: Integers, k: int) -> Floats:
    """Return the distance of each item to its k-th neighbour (itself being the 0th)."""
    unique, place = np.unique(items, return_inverse=True)
    owner = np.searchsorted(index.indptr, unique, side="right") - 1
    distances = index.query(index.points[unique], k + 1, owner).distances
    return np.where(np.isfinite(distances), distances, 0.0).max(axis=1)[place]


def _positive(products: Floats) -> Floats:
    """Put the smallest positive value where duplicates have left none."""
    return np.where(products > 0, products, products[products > 0].min(initial=np.inf))


def _scales(graph: csr_array, index: NeighbourIndex) -> tuple[Floats, Floats]:
    """Read the width and the shortest squared edge of each list off its heaviest and its lightest edge.

    The weights are ``exp((e - d^2) / (2 sigma^2))``: the heaviest edge has d^2 = e and weight 1, and any
    other edge then gives sigma.
    """
    widths, shifts = np.ones(len(index.indptr) - 1), np.zeros(len(index.indptr) - 1)
    for i, (start, stop) in enumerate(pairwise(graph.indptr[index.indptr])):
        if start == stop:
            continue
        weights = graph.data[start:stop]
        heaviest, lightest = start + int(weights.argmax()), start + int(weights.argmin())
        shifts[i], longest = (_squared_length(graph, index, edge) for edge in (heaviest, lightest))
        if longest > shifts[i] and graph.data[lightest] < 1.0:
            widths[i] = np.sqrt((longest - shifts[i]) / (-2.0 * np.log(graph.data[lightest])))
    return widths, shifts


def _squared_length(graph: csr_array, index: NeighbourIndex, edge: int) -> float:
    row, column = int(np.searchsorted(graph.indptr, edge, side="right")) - 1, int(graph.indices[edge])
    ends = (index.points[[item]] for item in (row, column))
    return float(squared_distances(*ends)[0, 0])

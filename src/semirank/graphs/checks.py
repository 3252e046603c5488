"""Is a matrix a graph, and if not, which entry says so."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from semirank.core.arrays import AnyArray, Booleans
from semirank.dataset import check_sparse
from semirank.graphs.neighbours import check_lists

_ROUNDING = 1e-9


def check_graph(matrix: Any, n_items: int | None = None, indptr: Any = None) -> csr_array:
    """Return a graph as a new csr_array of float64; raise ValueError for what is none.

    Parameters
    ----------
    matrix : sparse matrix or array of shape (n_items, n_items)
        Weights of the edges: symmetric, finite, not negative, 0 on the diagonal.
    n_items : int, optional
        How many items the graph must have.
    indptr : array of shape (n_lists + 1,), optional
        Where each list starts; an edge between two lists is refused.

    Examples
    --------
    >>> from semirank.graphs import check_graph
    >>> check_graph([[0, 1], [2, 0]])
    Traceback (most recent call last):
    ValueError: The graph is not symmetric: edge 0 to 1 weighs 1, edge 1 to 0 weighs 2. Use (W + W.T) / 2.
    """
    if not (issparse(matrix) or np.ndim(matrix) == 2) or matrix_shape(matrix)[0] != matrix_shape(matrix)[1]:
        raise ValueError(f"A graph must be a square matrix; got shape {matrix_shape(matrix)}.")
    given = check_sparse(matrix, "graph") if issparse(matrix) else np.asarray(matrix, dtype=np.float64)
    graph = csr_array(given, dtype=np.float64)
    if n_items is not None and graph.shape[0] != n_items:
        raise ValueError(f"The graph joins {graph.shape[0]} items, but there are {n_items}.")
    _check_entries(graph)
    _check_symmetry(graph)
    if indptr is not None:
        _check_within_lists(graph, indptr)
    graph.eliminate_zeros()
    return graph


def matrix_shape(matrix: Any) -> tuple[int, ...]:
    """Return the shape of a sparse matrix or of anything like an array."""
    return matrix.shape if issparse(matrix) else np.shape(matrix)


def _first(graph: csr_array, bad: Booleans) -> tuple[int, int, float] | None:
    """Return row, column and weight of the first edge that is marked, row by row."""
    if not bad.any():
        return None
    at = int(np.flatnonzero(bad)[0])
    row = int(np.searchsorted(graph.indptr, at, side="right")) - 1
    return row, int(graph.indices[at]), float(graph.data[at])


def _rows(graph: csr_array) -> AnyArray:
    return np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))


def _check_entries(graph: csr_array) -> None:
    if bad := _first(graph, ~np.isfinite(graph.data)):
        raise ValueError(f"Edge {bad[0]} to {bad[1]} weighs {bad[2]}: weights must be finite.")
    if bad := _first(graph, graph.data < 0.0):
        raise ValueError(
            f"Edge {bad[0]} to {bad[1]} weighs {bad[2]:g}: weights must not be negative. "
            "Use W.maximum(0) to cut it."
        )
    if bad := _first(graph, (_rows(graph) == graph.indices) & (graph.data != 0.0)):
        raise ValueError(
            f"Item {bad[0]} is joined to itself (weight {bad[2]:g}): set the diagonal to 0, W.setdiag(0)."
        )


def _check_symmetry(graph: csr_array) -> None:
    difference = csr_array(abs(graph - graph.T))
    difference.sort_indices()
    largest = graph.data.max(initial=0.0)
    if bad := _first(difference, difference.data > _ROUNDING * largest):
        i, j, _ = bad
        raise ValueError(
            f"The graph is not symmetric: edge {i} to {j} weighs {graph[i, j]:g}, "
            f"edge {j} to {i} weighs {graph[j, i]:g}. Use (W + W.T) / 2."
        )


def _check_within_lists(graph: csr_array, indptr: Any) -> None:
    indptr = check_lists(indptr, graph.shape[0])
    list_of_item = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    crossing = (list_of_item[_rows(graph)] != list_of_item[graph.indices]) & (graph.data != 0.0)
    if bad := _first(graph, crossing):
        raise ValueError(
            f"Edge {bad[0]} to {bad[1]} joins two lists: an item's neighbours are in its own list."
        )

"""The graph of nearest neighbours: the default, because it grows with the items and not with their pairs."""

from numbers import Integral
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array

from semirank.core.edges import union_of_neighbours
from semirank.graphs.components import join_components
from semirank.graphs.neighbours import NeighbourIndex, Neighbours
from semirank.graphs.points import Metric, is_zero
from semirank.graphs.weights import (
    Sigma,
    check_sigma,
    cosine_weights,
    gaussian_weights,
    local_weights,
    with_weights,
)

Weights = Literal["auto", "gaussian", "cosine", "binary"]


def knn_graph(
    X: Any,
    n_neighbors: int = 10,
    *,
    metric: Metric = "euclidean",
    weights: Weights = "auto",
    sigma: Sigma = "median",
    join: bool = False,
    indptr: Any = None,
    recall: float = 0.99,
) -> csr_array:
    """Join each item to its nearest neighbours in its list: i and j when either is near the other.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_items, n_features), or NeighbourIndex
        The items, or an index over them, which then also says `metric`, `indptr` and `recall`.
    n_neighbors : int
        Neighbours of each item; in a list of fewer items, all others.
    metric : {"euclidean", "cosine"}
        How neighbours are found. With "cosine" only items of positive similarity are neighbours, so an
        all-zero item has none.
    weights : {"auto", "gaussian", "cosine", "binary"}
        "gaussian": by distance d, see `sigma`. "cosine": the similarity itself (needs that metric), which
        suits text. "binary": 1. "auto": "cosine" for that metric, else "gaussian".
    sigma : float, "median" or "local"
        Width of gaussian weights, ``exp(-d^2 / (2 sigma^2))`` up to a factor that is common to a list;
        "median" is the median edge length of the list. "local": ``exp(-d^2 / (r_i r_j))``, where r is the
        distance to the farthest of an item's neighbours, so that dense and thin regions are treated
        alike [1]_.
    join : bool
        Also join the components of a list, see `join_components`, so that a label reaches every item.
    indptr : array of shape (n_lists + 1,), optional
        Where each list starts, as in `RankingDataset`. None: one list.
    recall : float in (0, 1]
        Share of the true neighbours that is enough where an exact search is long, see `NeighbourIndex`.

    Returns
    -------
    csr_array of shape (n_items, n_items)
        Symmetric, nonnegative, zero diagonal; block-diagonal by list.

    Notes
    -----
    Duplicates are neighbours at distance 0 and get the largest weight. Items at equal distances are
    taken in the order of their rows. The result does not depend on the number of threads.

    References
    ----------
    .. [1] L. Zelnik-Manor, P. Perona. Self-tuning spectral clustering. NIPS 2004.

    Examples
    --------
    >>> from semirank.graphs import knn_graph
    >>> knn_graph([[0.0], [1.0], [3.0]], n_neighbors=1, weights="binary").toarray()
    array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]])
    """
    check_n_neighbors(n_neighbors)
    check_sigma(sigma, local=True)
    index = (
        X if isinstance(X, NeighbourIndex) else NeighbourIndex(X, metric=metric, indptr=indptr, recall=recall)
    )
    kind = _check_weights(weights, index.metric)
    found = _alike(index, index.neighbours(int(n_neighbors)))
    graph = _weighted(_union(found), found, index, kind, sigma)
    return join_components(graph, index) if join else graph


def check_n_neighbors(n_neighbors: int) -> None:
    """Refuse what is no whole number above 0."""
    if not isinstance(n_neighbors, Integral) or isinstance(n_neighbors, bool) or n_neighbors < 1:
        raise ValueError(f"n_neighbors must be a whole number of at least 1; got {n_neighbors!r}.")


def _check_weights(weights: Weights, metric: Metric) -> Weights:
    if weights not in ("auto", "gaussian", "cosine", "binary"):
        raise ValueError(f"weights must be 'auto', 'gaussian', 'cosine' or 'binary'; got {weights!r}.")
    if weights == "cosine" and metric != "cosine":
        raise ValueError("weights='cosine' needs metric='cosine'.")
    if weights == "auto":
        return "cosine" if metric == "cosine" else "gaussian"
    return weights


def _alike(index: NeighbourIndex, found: Neighbours) -> Neighbours:
    """Keep, for the cosine, the neighbours of positive similarity only."""
    if index.metric == "euclidean":
        return found
    empty = is_zero(index.points)
    strange = (found.distances**2 >= 2.0) | empty[:, None] | empty[found.indices]
    return Neighbours(
        np.where(strange, -1, found.indices), np.where(strange, np.inf, found.distances), found.recall
    )


def _weighted(
    edges: csr_array, found: Neighbours, index: NeighbourIndex, weights: Weights, sigma: Sigma
) -> csr_array:
    if weights == "binary":
        return with_weights(edges, np.ones(edges.nnz))
    if weights == "cosine":
        return cosine_weights(edges)
    if sigma == "local":
        radii = np.where(np.isfinite(found.distances), found.distances, 0.0).max(axis=1, initial=0.0)
        return local_weights(edges, index.indptr, radii)
    return gaussian_weights(edges, index.indptr, sigma)


def _union(found: Neighbours) -> csr_array:
    parts = union_of_neighbours(found.indices, found.distances**2)
    edges = csr_array((parts[2], parts[1], parts[0]), shape=(len(found.indices), len(found.indices)))
    edges.sort_indices()
    return edges

"""The graph of nearest neighbours, and the weights of edges.

The graph of neighbours is the default, because it grows with the items and not with their pairs.
"""

from itertools import pairwise
from numbers import Integral
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from semirank.core.arrays import Floats, Integers
from semirank.core.neighbours import union_of_neighbours
from semirank.graphs.components import join_components
from semirank.graphs.neighbours import Distance, NeighbourIndex, is_zero

LARGEST_EXPONENT = 500.0

Sigma = float | Literal["median", "local"]
Weights = Literal["auto", "gaussian", "cosine", "binary"]


class Widths(NamedTuple):
    """How gaussian weights fall off with distance: all that it takes to weigh an edge to a new item.

    Attributes
    ----------
    values : float64 array of shape (n_lists,) or (n_items,)
        The width sigma of each list or, for "local", the radius r of each item.
    shortest : float64 array of shape (n_lists,) or None
        The squared length of the shortest edge of each list, at which the weight is 1; None for "local".
    """

    values: Floats
    shortest: Floats | None


def knn_graph(
    X: Any,
    n_neighbors: int = 10,
    *,
    distance: Distance = "euclidean",
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
        The items, or an index over them, which then also says `distance`, `indptr` and `recall`.
    n_neighbors : int
        Neighbours of each item; in a list of fewer items, all others.
    distance : {"euclidean", "cosine"}
        How neighbours are found. With "cosine" only items of positive similarity are neighbours, so an
        all-zero item has none.
    weights : {"auto", "gaussian", "cosine", "binary"}
        "gaussian": by distance d, see `sigma`. "cosine": the similarity itself (needs that distance), which
        suits text. "binary": 1. "auto": "cosine" for that distance, else "gaussian".
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

    See Also
    --------
    connected_graph : all pairs up to the length that just connects a list.
    semirank.ManifoldRanking : ranks over it.
    Diffusion : solves on it as often as labels change.

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
        X
        if isinstance(X, NeighbourIndex)
        else NeighbourIndex(X, distance=distance, indptr=indptr, recall=recall)
    )
    if weights not in ("auto", "gaussian", "cosine", "binary"):
        raise ValueError(f"weights must be 'auto', 'gaussian', 'cosine' or 'binary'; got {weights!r}.")
    if weights == "cosine" and index.distance != "cosine":
        raise ValueError("weights='cosine' needs distance='cosine'.")
    graph, _ = weighted_knn_graph(index, n_neighbors, weights, sigma)
    return join_components(graph, index) if join else graph


def weighted_knn_graph(
    index: NeighbourIndex, n_neighbors: int, weights: Weights, sigma: Sigma
) -> tuple[csr_array, Widths | None]:
    """Return the graph of nearest neighbours and the widths of its weights, where these are gaussian."""
    indices, distances, _ = index.neighbours(int(n_neighbors))
    if index.distance == "cosine":  # only items of positive similarity are neighbours
        empty = is_zero(index.points)
        strange = (distances**2 >= 2.0) | empty[:, None] | empty[indices]
        indices, distances = np.where(strange, -1, indices), np.where(strange, np.inf, distances)
    starts, columns, squared = union_of_neighbours(indices, distances**2)
    edges = csr_array((squared, columns, starts), shape=(len(indices), len(indices)))
    edges.sort_indices()
    if weights == "binary":
        return with_weights(edges, np.ones(edges.nnz)), None
    if weights == "cosine" or (weights == "auto" and index.distance == "cosine"):
        return with_weights(edges, 1.0 - edges.data / 2.0), None
    if sigma == "local":
        radii = np.where(np.isfinite(distances), distances, 0.0).max(axis=1, initial=0.0)
        return local_weights(edges, index.indptr, radii)
    return gaussian_weights(edges, index.indptr, sigma)


def gaussian_weights(
    edges: csr_array, indptr: Integers, sigma: float | Literal["median"]
) -> tuple[csr_array, Widths]:
    """Weigh edges by ``exp(-(d^2 - e^2) / (2 sigma^2))``, e being the shortest edge of the list.

    The factor ``exp(e^2 / 2 sigma^2)`` is common to a list, so it cancels in the normalised graph, and it
    keeps a small sigma from turning every weight into 0. Weights that still come out as 0 are left out.

    Parameters
    ----------
    edges : csr_array
        Squared distances of the edges, zeros stored.
    indptr : array of shape (n_lists + 1,)
        Where each list starts.
    sigma : float or "median"
        The width, or the median length of a list's edges.
    """
    starts = edges.indptr[indptr]
    counts = np.diff(starts)
    shortest = np.zeros(len(counts))
    widths = np.full(len(counts), 1.0 if sigma == "median" else float(sigma))
    filled = np.flatnonzero(counts)
    if len(filled):
        shortest[filled] = np.minimum.reduceat(edges.data, starts[filled])
    if sigma == "median":
        widths[filled] = [median_length(edges.data[starts[i] : starts[i + 1]]) for i in filled]
    width = np.repeat(widths, counts)
    with np.errstate(over="ignore"):
        weights = np.exp((np.repeat(shortest, counts) - edges.data) / width / width / 2.0)
    return with_weights(edges, weights), Widths(widths, shortest)


def median_length(squared: Floats) -> float:
    """Return the median length of edges, of those longer than 0 if most are 0, and 1 if all are."""
    lengths = np.sqrt(squared)
    median = float(np.median(lengths))
    if median > 0.0:
        return median
    positive = lengths[lengths > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0


def local_weights(edges: csr_array, indptr: Integers, radii: Floats) -> tuple[csr_array, Widths]:
    """Weigh edges by ``exp(-d^2 / (r_i r_j))``, r being the distance to the k-th neighbour.

    An item with k duplicates has r = 0; it takes the smallest positive r of its list.
    """
    radii = radii.copy()
    for start, stop in pairwise(indptr) if (radii == 0.0).any() else ():
        part = radii[start:stop]
        part[part == 0.0] = part[part > 0.0].min(initial=np.inf)
    radii[~np.isfinite(radii)] = 1.0
    rows = np.repeat(np.arange(edges.shape[0]), np.diff(edges.indptr))
    lengths = np.sqrt(edges.data)
    weights = np.exp(-(lengths / radii[rows]) * (lengths / radii[edges.indices]))
    return with_weights(edges, weights), Widths(radii, None)


def with_weights(edges: csr_array, weights: Floats) -> csr_array:
    """Return the graph with these weights on its edges, without the edges of weight 0."""
    graph = csr_array((weights, edges.indices.copy(), edges.indptr.copy()), shape=edges.shape)
    graph.eliminate_zeros()
    return graph


def attach(
    index: NeighbourIndex, widths: Widths | None, X: Any, lists: Integers, n_neighbors: int
) -> csr_array:
    """Weigh the edges between new items and their nearest neighbours as the edges of the graph are weighed.

    Parameters
    ----------
    index, widths : NeighbourIndex, Widths or None
        The fitted items, and how their edges were weighed; None: by the cosine.
    X : array or CSR matrix of shape (n_new, n_features)
        New items.
    lists : array of shape (n_new,)
        The number of the list in which each looks for neighbours; -1: in all lists.
    n_neighbors : int
        Neighbours of each new item.

    Returns
    -------
    csr_array of shape (n_new, n_items)
    """
    indices, distances, _ = index.query(X, n_neighbors, lists)
    known = indices >= 0
    rows, columns, lengths = np.nonzero(known)[0], indices[known], distances[known]
    if widths is None:
        weights = np.maximum(1.0 - lengths**2 / 2.0, 0.0)
    elif widths.shortest is None:
        radii = np.where(known, distances, 0.0).max(axis=1, initial=0.0)
        radii[radii == 0.0] = 1.0  # all its neighbours are duplicates, at distance 0
        weights = np.exp(-(lengths / radii[rows]) * (lengths / widths.values[columns]))
    else:
        owner = np.searchsorted(index.indptr, columns, side="right") - 1
        width = widths.values[owner]
        exponents = (widths.shortest[owner] - lengths**2) / width / width / 2.0
        # an item that is far nearer than any two fitted ones has a weight beyond all numbers
        weights = np.exp(np.minimum(exponents, LARGEST_EXPONENT))
    return csr_array((weights, (rows, columns)), shape=(len(lists), index.n_items))


def check_n_neighbors(n_neighbors: int) -> None:
    """Refuse what is no whole number above 0."""
    if not isinstance(n_neighbors, Integral) or isinstance(n_neighbors, bool) or n_neighbors < 1:
        raise ValueError(f"n_neighbors must be a whole number of at least 1; got {n_neighbors!r}.")


def check_sigma(sigma: Sigma, *, local: bool) -> None:
    """Refuse a width that is no positive number or known name."""
    names = ("median", "local") if local else ("median",)
    is_number = isinstance(sigma, (int, float, np.number)) and not isinstance(sigma, bool)
    if not (sigma in names if isinstance(sigma, str) else is_number and 0 < sigma < np.inf):
        spelled = " or ".join(["a positive number", *map(repr, names)])
        raise ValueError(f"sigma must be {spelled}; got {sigma!r}.")

"""Weights of edges: how strongly two items at a given distance pull on each other."""

from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from semirank.core.arrays import Floats, Integers

Sigma = float | Literal["median", "local"]


def check_sigma(sigma: Sigma, *, local: bool) -> None:
    """Refuse a width that is no positive number or known name."""
    names = ("median", "local") if local else ("median",)
    is_number = isinstance(sigma, (int, float, np.number)) and not isinstance(sigma, bool)
    if not (sigma in names if isinstance(sigma, str) else is_number and 0 < sigma < np.inf):
        spelled = " or ".join(["a positive number", *map(repr, names)])
        raise ValueError(f"sigma must be {spelled}; got {sigma!r}.")


def gaussian_weights(edges: csr_array, indptr: Integers, sigma: float | Literal["median"]) -> csr_array:
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
    weights = np.empty_like(edges.data)
    for start, stop in zip(edges.indptr[indptr[:-1]], edges.indptr[indptr[1:]], strict=True):
        if start < stop:
            squared = edges.data[start:stop]
            width = median_length(squared) if sigma == "median" else float(sigma)
            with np.errstate(over="ignore"):
                weights[start:stop] = np.exp((squared.min() - squared) / width / width / 2.0)
    return with_weights(edges, weights)


def local_weights(edges: csr_array, indptr: Integers, radii: Floats) -> csr_array:
    """Weigh edges by ``exp(-d^2 / (r_i r_j))``, r being the distance to the k-th neighbour.

    An item with k duplicates has r = 0; it takes the smallest positive r of its list.
    """
    radii = radii.copy()
    for start, stop in pairwise(indptr):
        part = radii[start:stop]
        part[part == 0.0] = part[part > 0.0].min(initial=np.inf)
    radii[~np.isfinite(radii)] = 1.0
    rows = np.repeat(np.arange(edges.shape[0]), np.diff(edges.indptr))
    lengths = np.sqrt(edges.data)
    return with_weights(edges, np.exp(-(lengths / radii[rows]) * (lengths / radii[edges.indices])))


def cosine_weights(edges: csr_array) -> csr_array:
    """Weigh edges between rows of length 1 by their cosine, ``1 - d^2 / 2``."""
    return with_weights(edges, 1.0 - edges.data / 2.0)


def median_length(squared: Floats) -> float:
    """Return the median length of edges, of those longer than 0 if most are 0, and 1 if all are."""
    lengths = np.sqrt(squared)
    median = float(np.median(lengths))
    if median > 0.0:
        return median
    positive = lengths[lengths > 0.0]
    return float(np.median(positive)) if len(positive) else 1.0


def with_weights(edges: csr_array, weights: Floats) -> csr_array:
    """Return the graph with these weights on its edges, without the edges of weight 0."""
    graph = csr_array((weights, edges.indices.copy(), edges.indptr.copy()), shape=edges.shape)
    graph.eliminate_zeros()
    return graph

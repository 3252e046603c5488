"""Slow truths: dense closed forms and brute force, written from the formulas and sharing no code with src."""

from itertools import pairwise

import numpy as np
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist

# graphs ---------------------------------------------------------------------------------------------------


def distances_within_lists(X, indptr):
    """All distances; infinite between lists and from an item to itself."""
    X = np.asarray(X, dtype=np.float64)
    distances = np.full((len(X), len(X)), np.inf)
    for start, stop in pairwise(indptr):
        distances[start:stop, start:stop] = cdist(X[start:stop], X[start:stop])
    np.fill_diagonal(distances, np.inf)
    return distances


def nearest_by_sorting(distances, k):
    """The columns of the k smallest entries of each row, ties by column, -1 beyond the finite ones."""
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.where(np.isfinite(np.take_along_axis(distances, order, axis=1)), order, -1)


def union_of_nearest(distances, k):
    """Which pairs are joined when either is among the k nearest of the other."""
    chosen = np.zeros(distances.shape, dtype=bool)
    for i, row in enumerate(nearest_by_sorting(distances, k)):
        chosen[i, row[row >= 0]] = True
    return chosen | chosen.T


def longest_tree_edge(X):
    """The longest edge of the minimum spanning tree of distinct points."""
    return minimum_spanning_tree(cdist(X, X)).data.max(initial=0.0)


# diffusion ------------------------------------------------------------------------------------------------


def normalised_graph(W):
    """D^-1/2 W D^-1/2, with 0 for items without edges."""
    d = W.sum(axis=1)
    scale = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 0)
    return scale[:, None] * W * scale[None, :]


def diffused(W, y, alpha):
    """The scores (I - alpha S)^-1 y."""
    return np.linalg.solve(np.eye(len(W)) - alpha * normalised_graph(W), y)


def personalised_pagerank(W, y, alpha, degree_power):
    """The scores (I - alpha P')^-1 D^k y, P being the random walk on W."""
    d = W.sum(axis=1)
    return np.linalg.solve(np.eye(len(W)) - alpha * (W / d[:, None]).T, d**degree_power * y)


def iterated(W, y, alpha, n_sweeps):
    """The f(t) of the plain iteration f <- alpha S f + (1 - alpha) y from f = y."""
    f = y
    for _ in range(n_sweeps):
        f = alpha * normalised_graph(W) @ f + (1 - alpha) * y
    return f

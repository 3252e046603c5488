"""Matrices of a graph: degrees, the normalised graph, the random walk and the Laplacians."""

import numpy as np
from scipy.sparse import csr_array, diags_array

from semirank.core.arrays import Floats


def degrees(graph: csr_array) -> Floats:
    """Return the degree of each item, the sum of its weights."""
    return np.asarray(graph.sum(axis=1)).ravel()


def normalised(graph: csr_array) -> csr_array:
    """Return ``S = D^-1/2 W D^-1/2``, D holding the degrees; an item without edges has a row of zeros.

    S is symmetric with eigenvalues in [-1, 1], and ``S D^1/2 1 = D^1/2 1``. A factor common to all
    weights cancels.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from semirank.graphs import normalised
    >>> normalised(csr_array([[0.0, 4.0, 0.0], [4.0, 0.0, 0.0], [0.0, 0.0, 0.0]])).toarray()
    array([[0., 1., 0.],
           [1., 0., 0.],
           [0., 0., 0.]])
    """
    scale = _inverse(np.sqrt(degrees(graph)))
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    data = graph.data * (scale[rows] * scale[graph.indices])
    return csr_array((data, graph.indices, graph.indptr), shape=graph.shape)


def random_walk(graph: csr_array) -> csr_array:
    """Return ``P = D^-1 W``, whose rows sum to 1, or to 0 for an item without edges."""
    return csr_array(diags_array(_inverse(degrees(graph))) @ graph)


def laplacian(graph: csr_array, *, normed: bool = True) -> csr_array:
    """Return ``I - S`` or, with ``normed=False``, ``D - W``; both are positive semidefinite.

    An item without edges has a row of zeros in both.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> from semirank.graphs import laplacian
    >>> laplacian(csr_array([[0.0, 4.0], [4.0, 0.0]]), normed=False).toarray()
    array([[ 4., -4.],
           [-4.,  4.]])
    """
    d = degrees(graph)
    if normed:
        return csr_array(diags_array((d > 0.0).astype(np.float64)) - normalised(graph))
    return csr_array(diags_array(d) - graph)


def _inverse(values: Floats) -> Floats:
    """Return 1 / values, and 0 for 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0.0)

"""How alike two lists are, by the axes along which their items spread."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from semirank.core.arrays import Floats
from semirank.graphs.knn import check_n_neighbors
from semirank.graphs.list_axes import check_n_axes, covariances, list_axes
from semirank.graphs.list_neighbours import (
    TOGETHER,
    Kind,
    Progress,
    blocks,
    in_threads,
    match,
    nearest_lists,
)


def list_kernel(
    lists: Any,
    kind: Kind = "matching",
    *,
    n_axes: int | None = None,
    n_neighbors: int | None = None,
    progress: Progress | None = None,
) -> Floats | csr_array:
    r"""Compare every two lists by the axes along which their items spread.

    With variances lam along the principal axes u of one list and lam', u' of the other, "matching" pairs the
    axes one to one so that the sum becomes largest [1]_:

    .. math:: K = \max_a \sum_m \lambda_m \lambda'_{a(m)} |\langle u_m, u'_{a(m)} \rangle|
        \; / \; (|\lambda| |\lambda'|)

    and "psd" is the cosine of the two covariance matrices S,
    ``<S, S'> / (|S| |S'|) = sum_mn lam_m lam'_n <u_m, u'_n>^2 / (|lam| |lam'|)``.

    Both lie in [0, 1], are 1 for a list and itself, and change neither when a list is shifted or stretched
    alike in all directions, nor when all lists are rotated together. They see the scale of single features:
    bring these to one scale for all lists first, never for each list apart. A list of one item, or of equal
    items, has no axes: it is 0 to every list, itself included.

    Parameters
    ----------
    lists : RankingDataset, or sequence of arrays or CSR matrices of shape (n_items, n_features)
        The lists.
    kind : {"matching", "psd"}
        "matching" is a similarity for graphs, but no Mercer kernel: lists along lines at 0, 45, 90 and 135
        degrees in a plane give the eigenvalue ``1 - sqrt(2)``. "psd" is one.
    n_axes : int, optional
        Compare so many axes of each list, the longest. None: all.
    n_neighbors : int, optional
        Return the graph that joins each list to this many of the lists most like it. None: all pairs.
    progress : callable, optional
        Called with the number of lists that are done and the number of all.

    Returns
    -------
    float64 array of shape (n_lists, n_lists)
        The similarities; or, with `n_neighbors`,
    csr_array of shape (n_lists, n_lists)
        the same for i and j when either is among the nearest of the other, and 0 elsewhere and on the
        diagonal. Lists with a similarity of 0 are not joined.

    See Also
    --------
    RankerPropagation : rankers that travel over it.

    Notes
    -----
    For q lists with M axes of d features, "psd" is one product of matrices, O(q^2 d^2) time; "matching" is
    O(q^2 M^2 d) for the cosines and O(M^3) for each assignment. With `n_neighbors`, most pairs are passed
    over: by the inequality of Cauchy and Schwarz K is at most ``sqrt(s P)``, where P is the "psd" similarity
    and s the cosine of the sorted variances, and an assignment is given up as soon as its dual bound is too
    small. The graph is exact, in O(q M d + q d^2) memory. No result depends on the number of threads.

    References
    ----------
    .. [1] K. Duh. Learning to rank with partially-labeled data. PhD thesis, University of Washington, 2009,
       chapter 8. Proposition 8.3.4 there, that "matching" is a Mercer kernel, does not hold.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import list_kernel
    >>> wide = np.array([[0.0, 0.0], [4.0, 0.1], [8.0, 0.0]])
    >>> tall = wide[:, ::-1] + 5.0
    >>> list_kernel([wide, tall, 3.0 * wide]).round(3)
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    >>> list_kernel([wide, tall, 3.0 * wide], n_neighbors=1).toarray().round(3)[0]
    array([0., 0., 1.])
    """
    if kind not in ("matching", "psd"):
        raise ValueError(f"kind must be 'matching' or 'psd'; got {kind!r}.")
    check_n_axes(n_axes)
    if n_neighbors is not None:
        check_n_neighbors(n_neighbors)
    axes = list_axes(lists, n_axes)
    if n_neighbors is not None:
        return join_nearest(axes, int(n_neighbors), kind, progress)
    return _cosines(axes) if kind == "psd" else _matchings(axes, progress)


def _cosines(axes: Floats) -> Floats:
    flat = covariances(axes)
    return np.clip(flat @ flat.T, 0.0, 1.0)


def _matchings(axes: Floats, progress: Progress | None) -> Floats:
    """Compare each list with those from it on, and mirror the answers."""
    kernel = np.zeros((len(axes), len(axes)))

    def fill(i: int) -> None:
        for start in range(i, len(axes), TOGETHER):
            kernel[i, start : start + TOGETHER] = match(axes[i], axes[start : start + TOGETHER])

    for block in blocks(len(axes), progress):
        in_threads(fill, range(block.start, block.stop))
    return np.maximum(kernel, kernel.T)


def join_nearest(
    axes: Floats, n_neighbors: int, kind: Kind = "matching", progress: Progress | None = None
) -> csr_array:
    """Return the graph of `list_kernel` for lists whose axes are known, see `list_axes`."""
    found = nearest_lists(axes, axes, n_neighbors, kind, others=True, progress=progress)
    rows, places = np.nonzero(found.similarities)
    edges = found.similarities[rows, places], (rows, found.indices[rows, places])
    graph = csr_array(edges, shape=(len(axes), len(axes)))
    return csr_array(graph.maximum(graph.T))

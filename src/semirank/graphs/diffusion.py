"""Matrices of a graph, and labels that spread over it: prepared once, solved as often as labels change."""

from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array
from scipy.sparse.csgraph import connected_components

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.diffusion import RECURRENCES, Components, Equation, Sparse, solve
from semirank.core.ordering import WINDOW, quick_order, reorder
from semirank.core.threads import count_threads
from semirank.dataset import check_sparse
from semirank.graphs.neighbours import check_lists
from semirank.graphs.push import Neighbourhood, Top, find_top
from semirank.limits import Between


def degrees(graph: csr_array) -> Floats:
    """Return the degree of each item, the sum of its weights."""
    return np.asarray(graph.sum(axis=1)).ravel()


def normalised(graph: csr_array) -> csr_array:
    """Return ``S = D^-1/2 W D^-1/2``, D holding the degrees; an item without edges has a row of zeros.

    S is symmetric with eigenvalues in [-1, 1], and ``S D^1/2 1 = D^1/2 1``. A factor common to all
    weights cancels.

    See Also
    --------
    laplacian : I - S.
    random_walk : D^-1 W.

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
    data = graph.data * scale[rows] * scale[graph.indices]  # the product of two scales may be no number
    return csr_array((data, graph.indices.copy(), graph.indptr.copy()), shape=graph.shape)


def random_walk(graph: csr_array) -> csr_array:
    """Return ``P = D^-1 W``, whose rows sum to 1, or to 0 for an item without edges."""
    return csr_array(diags_array(_inverse(degrees(graph))) @ graph)


def laplacian(graph: csr_array, *, normed: bool = True) -> csr_array:
    """Return ``I - S`` or, with ``normed=False``, ``D - W``; both are positive semidefinite.

    An item without edges has a row of zeros in both.

    See Also
    --------
    normalised : the matrix S.

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


def _check_alpha(alpha: Any) -> None:
    if alpha not in Between(0, 1, closed="left"):
        raise ValueError(f"alpha must be a number in [0, 1); got {alpha!r:.40}.")


def _inverse(values: Floats) -> Floats:
    """Return 1 / values, and 0 for 0."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > 0.0)


class Diffused(NamedTuple):
    """What a solver reached.

    Attributes
    ----------
    scores : float64 array of shape (n_items,) or (n_items, n_columns)
        The scores f.
    sweeps : int64 array of shape (n_lists,) or (n_lists, n_columns)
        Sweeps over the edges of each list.
    residual : float64 array of the same shape
        ``|y - (I - alpha S) f| / |y|`` over each list, 0 where y has no label.
    """

    scores: Floats
    sweeps: Integers
    residual: Floats


@dataclass(frozen=True, eq=False, init=False)
class Diffusion:
    """The system ``(I - alpha S) f = y`` on a graph, ready to be solved many times.

    S is the normalised graph ``D^-1/2 W D^-1/2``; y holds labels, 0 where there are none [1]_.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
        Weights W, as the functions of this package return them or as `check_graph` lets them pass.
    indptr : array of shape (n_lists + 1,), optional
        Where each list starts. None: one list.

    Attributes
    ----------
    degrees : float64 array of shape (n_items,)
        The degrees D of the items.
    components : int64 array of shape (n_items,)
        The number of the component of each item.

    See Also
    --------
    semirank.ManifoldRanking : the ranker around it.
    normalised : the matrix S.

    Notes
    -----
    Inside, the rows of a long list stand in an order that makes sparse products quick. The slowest part of a
    solution, that along ``D^1/2 1`` in each component, is known beforehand and takes no sweeps.

    References
    ----------
    .. [1] D. Zhou, J. Weston, A. Gretton, O. Bousquet, B. Schoelkopf. Ranking on data manifolds. NIPS 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.graphs import Diffusion, knn_graph
    >>> diffusion = Diffusion(knn_graph([[0.0], [1.0], [2.0], [3.0]], n_neighbors=1, weights="binary"))
    >>> diffusion.solve(np.array([1.0, 0.0, 0.0, 0.0]), alpha=0.5).scores.round(3)
    array([1.156, 0.44 , 0.126, 0.044])
    """

    degrees: Floats
    components: Integers
    indptr: Integers
    _graph: csr_array
    _rows: Sparse
    _order: Integers
    _place: Integers
    _roots: Floats
    _known: Components
    _light: AnyArray

    def __init__(self, graph: csr_array, indptr: Any = None) -> None:
        graph = csr_array(check_sparse(graph, "graph"), dtype=np.float64)
        lists = check_lists(indptr, graph.shape[0])
        S, d = normalised(graph), degrees(graph)
        parts = connected_components(graph, directed=False)[1].astype(np.int64)
        rows = Sparse(S.indptr.astype(np.uint64), S.indices.astype(np.uint32), S.data)
        order = np.arange(len(d))
        if np.diff(lists).max() > WINDOW:
            order = quick_order(rows, lists)
            rows = reorder(rows, order)
        volumes = np.bincount(parts, weights=d).astype(np.float64)
        fields = {
            "degrees": d,
            "components": parts,
            "indptr": lists,
            "_graph": graph,
            "_rows": rows,
            "_light": rows.weights.astype(np.float32),
            "_order": order,
            "_place": np.argsort(order),
            "_roots": np.sqrt(np.where(d > 0.0, d, 1.0)[order]),
            "_known": Components(np.sqrt(d[order]), parts[order], volumes),
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def solve(
        self,
        y: AnyArray,
        alpha: float = 0.99,
        *,
        solver: str = "cg",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        start: AnyArray | None = None,
    ) -> Diffused:
        """Solve for one vector of labels, or for each column of a matrix.

        Parameters
        ----------
        y : array of shape (n_items,) or (n_items, n_columns)
            Labels, 0 where there are none.
        alpha : float in [0, 1)
            How far labels spread.
        solver : {"cg", "chebyshev", "iterate", "closed"}
            "cg": conjugate gradients. "chebyshev": as many sweeps as tol and alpha ask for, many columns at
            once. "iterate": the plain iteration of the paper. "closed": dense Cholesky, O(n^3) in each list.
        tol : float
            Stop, in each list and column by itself, when ``|y - (I - alpha S) f| <= tol |y|``.
        max_iter : int
            Most sweeps over the edges.
        start : array of the shape of y, optional
            Scores to start from, such as those before the last label was added; "closed" has no need of
            them. None: 0, and ``y / (1 - alpha)`` for "iterate".
        """
        y = self._check_vectors("y", y)
        columns = y.reshape(len(y), -1)
        if solver not in ("closed", *RECURRENCES):
            raise ValueError(f"solver must be one of {', '.join(RECURRENCES)} or closed; got {solver!r}.")
        if start is not None and np.shape(start) != y.shape:
            raise ValueError(f"start must have the shape of y, {y.shape}; got {np.shape(start)}.")
        _check_alpha(alpha)
        if solver == "closed":
            start, max_iter = self._closed_form(columns, alpha), 0
        elif start is None and solver == "iterate":
            start = columns / (1.0 - alpha)
        begin = None if start is None else np.reshape(start, columns.shape).take(self._order, axis=0)
        known = None if solver == "iterate" or alpha == 0.0 else self._known
        equation = Equation(
            self._rows, self.indptr, alpha, tol, max_iter, count_threads(), known, self._light
        )
        recurrence = RECURRENCES[
            "cg" if solver == "closed" else solver
        ]  # with no sweep, which leaves the residual
        f, sweeps, residual = solve(recurrence, equation, columns.take(self._order, axis=0), begin)
        scores = f.take(self._place, axis=0)
        if y.ndim == 1:
            return Diffused(scores[:, 0], sweeps[:, 0], residual[:, 0])
        return Diffused(scores, sweeps, residual)

    def _check_vectors(self, name: str, y: Any) -> Floats:
        y = np.asarray(y, dtype=np.float64)
        if y.ndim not in (1, 2) or len(y) != len(self.degrees):
            raise ValueError(
                f"{name} must have one row for each of {len(self.degrees)} items; got shape {y.shape}."
            )
        if not np.isfinite(y).all():
            raise ValueError(f"{name} must hold finite numbers, 0 where there is no label.")
        return y

    def _check_seeds(self, items: Any, labels: Any) -> tuple[Integers, Floats]:
        seeds, values = np.asarray(items), np.asarray(labels, dtype=np.float64)
        if seeds.ndim != 1 or seeds.dtype.kind not in "iu" or seeds.shape != values.shape or len(seeds) == 0:
            raise ValueError(
                "items must be row numbers and labels a number for each of them; got "
                f"{seeds.dtype} of shape {seeds.shape} and shape {values.shape}."
            )
        if not 0 <= seeds.min() <= seeds.max() < len(self.degrees):
            raise ValueError(f"items must be row numbers from 0 to {len(self.degrees) - 1}; got {seeds}.")
        if not np.isfinite(values).all():
            raise ValueError("labels must be finite numbers.")
        return seeds, values

    def _closed_form(self, y: Floats, alpha: float) -> Floats:
        """Factorise the dense system of each list (Cholesky)."""
        S, f = normalised(self._graph), np.zeros_like(y)
        for first, last in pairwise(self.indptr):
            if first < last:
                system = np.eye(last - first) - alpha * S[first:last, first:last].toarray()
                f[first:last] = cho_solve(cho_factor(system, overwrite_a=True), y[first:last])
        return f

    def top(
        self,
        items: AnyArray,
        labels: AnyArray,
        k: int,
        alpha: float = 0.99,
        *,
        degree_correction: float = 0.5,
        tol: float = 0.01,
    ) -> Top:
        """Find the k items with the highest ``D^-c f``, c = degree_correction, without visiting all items.

        The system is solved on a neighbourhood of the labels, which grows until the best items stay the
        same; ties go to either item.

        Parameters
        ----------
        items, labels : arrays of shape (n_labelled,)
            Where y is not 0, and its values there.
        k : int
            How many items to find.
        alpha : float in [0, 1)
            How far labels spread.
        degree_correction : float
            The power c of the degree that the scores are divided by.
        tol : float
            Stop when a neighbourhood about three times as large changes no more than this share of the
            k items.
        """
        seeds, values = self._check_seeds(items, labels)
        _check_alpha(alpha)
        if k not in Between(1, kind=Integral):
            raise ValueError(f"k must be a whole number of at least 1; got {k!r:.40}.")
        near = Neighbourhood(self._rows, self._roots, self._place[seeds], values, alpha)
        top = find_top(near, k, degree_correction, tol)
        return top._replace(items=self._order[top.items])

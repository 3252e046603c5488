"""Labels that spread over a graph: prepared once, solved for any labels, as often as they change."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import get_num_threads
from scipy.sparse import csr_array

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.diffusion import Problem
from semirank.core.ordering import quick_order, reorder
from semirank.core.sweeps import Components, Sparse
from semirank.graphs.components import components
from semirank.graphs.laplacian import degrees, normalised
from semirank.graphs.local import Neighbourhood, Top, find_top
from semirank.graphs.neighbours import check_lists
from semirank.graphs.solvers import SOLVERS


class Solution(NamedTuple):
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
    _rows: Sparse
    _order: Integers
    _place: Integers
    _roots: Floats
    _known: Components
    _light: AnyArray

    def __init__(self, graph: csr_array, indptr: Any = None) -> None:
        lists = check_lists(indptr, graph.shape[0])
        S, d, parts = normalised(graph), degrees(graph), components(graph)
        rows = Sparse(S.indptr.astype(np.uint64), S.indices.astype(np.uint32), S.data)
        order = quick_order(rows, lists)
        volumes = np.bincount(parts, weights=d).astype(np.float64)
        ordered = reorder(rows, order)
        fields = {
            "degrees": d,
            "components": parts,
            "indptr": lists,
            "_rows": ordered,
            "_light": ordered.weights.astype(np.float32),
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
    ) -> Solution:
        """Solve for one vector of labels, or for each column of a matrix.

        Parameters
        ----------
        y : array of shape (n_items,) or (n_items, n_columns)
            Labels, 0 where there are none.
        alpha : float in (0, 1)
            How far labels spread.
        solver : {"cg", "chebyshev", "iterate", "closed"}
            "cg": conjugate gradients. "chebyshev": as many sweeps as tol and alpha ask for, many columns at
            once. "iterate": the plain iteration of [1]_. "closed": dense Cholesky, O(n^3) in each list.
        tol : float
            Stop, in each list and column by itself, when ``|y - (I - alpha S) f| <= tol |y|``.
        max_iter : int
            Most sweeps over the edges.
        start : array of the shape of y, optional
            Scores to start from, such as those before the last label was added; "closed" has no need of
            them. None: 0, and ``y / (1 - alpha)`` for "iterate".
        """
        y = np.asarray(y, dtype=np.float64)
        if start is None and solver == "iterate":
            start = y / (1.0 - alpha)
        columns = y.reshape(len(y), -1).take(self._order, axis=0)
        begin = None if start is None else np.reshape(start, columns.shape).take(self._order, axis=0)
        known = None if solver == "iterate" else self._known
        problem = Problem(
            self._rows, self.indptr, alpha, tol, max_iter, get_num_threads(), known, self._light
        )
        solved = SOLVERS[solver](problem, columns, begin)
        scores, sweeps, residual = solved[0].take(self._place, axis=0), *solved[1:]
        if y.ndim == 1:
            return Solution(scores[:, 0], sweeps[:, 0], residual[:, 0])
        return Solution(scores, sweeps, residual)

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
        alpha : float in (0, 1)
            How far labels spread.
        degree_correction : float
            The power c of the degree that the scores are divided by.
        tol : float
            Stop when a neighbourhood about three times as large changes no more than this share of the
            k items.
        """
        seeds, values = self._place[np.asarray(items)], np.asarray(labels, dtype=np.float64)
        near = Neighbourhood(self._rows, self._roots, seeds, values, alpha)
        top = find_top(near, k, degree_correction, tol)
        return top._replace(items=self._order[top.items])

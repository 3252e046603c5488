"""Labels that spread over a graph: prepared once, solved for any labels, as often as they change."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import get_num_threads
from scipy.sparse import csr_array

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.diffusion import Problem
from semirank.core.ordering import quick_order, reorder
from semirank.core.push import REACHED, push
from semirank.core.sweeps import Sparse
from semirank.graphs.laplacian import degrees, normalised
from semirank.graphs.points import check_lists
from semirank.graphs.solvers import SOLVERS

FINER = 8.0
SMALLEST_SHARE = 1e-9


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


class Top(NamedTuple):
    """The best items that pushes found.

    Attributes
    ----------
    items : int64 array
        Item numbers, the best first; fewer than asked for if no more can be reached.
    scores : float64 array
        Their scores.
    bound : float
        How wrong the score of any item can be, times ``degree ** (1/2 - degree_correction)``.
    reached : int
        How many items were visited.
    """

    items: Integers
    scores: Floats
    bound: float
    reached: int


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

    Notes
    -----
    Inside, the rows of a long list stand in an order that makes sparse products quick.

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
    indptr: Integers
    _parts: Sparse
    _order: Integers
    _place: Integers
    _roots: Floats

    def __init__(self, graph: csr_array, indptr: Any = None) -> None:
        lists = check_lists(indptr, graph.shape[0])
        S = normalised(graph)
        parts = Sparse(S.indptr.astype(np.uint64), S.indices.astype(np.uint32), S.data)
        order = quick_order(parts, lists)
        fields = {
            "degrees": degrees(graph),
            "indptr": lists,
            "_parts": reorder(parts, order),
            "_order": order,
            "_place": np.argsort(order),
            "_roots": np.sqrt(degrees(graph)[order]),
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
        columns = y.reshape(len(y), -1)[self._order]
        begin = None if start is None else np.reshape(start, columns.shape)[self._order]
        problem = Problem(self._parts, self.indptr, alpha, tol, max_iter, get_num_threads())
        solved = SOLVERS[solver](problem, columns, begin)
        scores, sweeps, residual = solved[0][self._place], *solved[1:]
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
        tol: float = 0.1,
        max_pushes: int = 100_000_000,
    ) -> Top:
        """Find the k items with the highest ``D^-c f``, c = degree_correction, without visiting them all.

        Labels are pushed along the edges, ever smaller parts of them, until the rest cannot matter.

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
            Stop when no score can be wrong by more than this share of the k-th best.
        max_pushes : int
            Most pushes in one round.
        """
        local = _Local(self, np.asarray(items), np.asarray(labels, dtype=np.float64), alpha)
        while True:
            pushes = local.push_further(max_pushes)
            found, scores, wrong = local.best(k, degree_correction)
            enough = len(found) == k or local.is_closed
            settled = wrong <= max(tol * abs(scores[-1]), SMALLEST_SHARE * abs(scores[0]))
            if (enough and settled) or pushes >= max_pushes:
                return Top(found, scores, local.bound, local.n_reached)


class _Local:
    """Scores and residuals of the items that pushes have reached so far."""

    def __init__(self, system: Diffusion, items: Integers, labels: Floats, alpha: float) -> None:
        n_items, seeds = len(system.degrees), system._place[items]
        self.system, self.alpha = system, alpha
        self.f, self.r = np.zeros(n_items), np.zeros(n_items)
        self.state, self.reached = np.zeros(n_items, np.uint8), np.empty(n_items, np.int64)
        self.r[seeds], self.state[seeds], self.reached[: len(seeds)] = labels, REACHED, seeds
        self.n_reached, self.is_closed = len(seeds), False
        self.limit = float((np.abs(labels) / _power(system._roots[seeds], 1.0)).max())
        self.bound = np.inf

    def push_further(self, max_pushes: int) -> int:
        """Push down to a lower limit; return the number of pushes."""
        system, before = self.system, self.n_reached
        self.limit /= FINER
        self.n_reached, pushes, largest = push(
            *(system._parts, system._roots, self.alpha, self.limit, max_pushes),
            *(self.f, self.r, self.state, self.reached, self.n_reached),
        )
        self.is_closed = self.n_reached == before
        self.bound = largest / (1.0 - self.alpha)
        return pushes

    def best(self, k: int, degree_correction: float) -> tuple[Integers, Floats, float]:
        """Return the best k items, their scores, and how wrong these may be."""
        reached = self.reached[: self.n_reached]
        scores = self.f[reached] * _power(self.system._roots[reached], -2.0 * degree_correction)
        items = self.system._order[reached]
        best = np.lexsort((items, -scores))[:k]
        spread = _power(self.system._roots[reached[best]], 1.0 - 2.0 * degree_correction).max()
        return items[best], scores[best], self.bound * spread


def _power(roots: Floats, exponent: float) -> Floats:
    """Return a power of the roots of the degrees; 1 for an item without edges."""
    return np.where(roots > 0.0, roots, 1.0) ** exponent

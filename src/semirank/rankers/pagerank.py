"""Personalised PageRank on the neighbour graph of the items."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from semirank.core.arrays import Floats
from semirank.limits import Between, Limit
from semirank.rankers.diffusion import power
from semirank.rankers.queries import QueryRanker


class PersonalizedPageRank(QueryRanker):
    """Rank each list by a random walk that keeps returning to the labelled items.

    The scores are ``(I - alpha P')^-1 D^k y`` with the graph W, its degrees D, the walk ``P = D^-1 W`` and
    k = `degree_power` [1]_. They are computed as ``D^1/2 (I - alpha S)^-1 D^(k - 1/2) y`` with the symmetric
    ``S = D^-1/2 W D^-1/2``, by the same solvers as `ManifoldRanking`; for k = 1/2 they are that ranker's
    scores (c = 0) times ``D^1/2``.

    Parameters
    ----------
    degree_power : float
        The power k of the degree with which labelled items start; 0 is the usual personalised PageRank.
    graph, n_neighbors, sigma, alpha, solver, tol, max_iter, distance, combine, join
        As in `ManifoldRanking`; `alpha` is the probability of going on.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    graph_, widths_, n_iter_, residual_, n_unreached_
        As in `ManifoldRanking`.

    See Also
    --------
    ManifoldRanking : corrects for the degree of items.

    References
    ----------
    .. [1] D. Zhou, J. Weston, A. Gretton, O. Bousquet, B. Schoelkopf. Ranking on data manifolds. NIPS 2003,
       equations 9, 11 and 12.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import PersonalizedPageRank
    >>> path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    >>> ranker = PersonalizedPageRank(graph=path, alpha=0.5).fit(np.zeros((3, 1)), [1, np.nan, np.nan])
    >>> ranker.scores_.round(3)
    array([1.167, 0.667, 0.167])
    """

    called = "personalised PageRank"
    limits: ClassVar[Mapping[str, Limit]] = {**QueryRanker.limits, "degree_power": Between(-2, 2)}

    def __init__(
        self,
        degree_power: float = 0.0,
        *,
        graph: Any = "knn",
        n_neighbors: int = 10,
        sigma: Any = "median",
        alpha: float = 0.99,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        distance: str = "euclidean",
        combine: str = "difference",
        join: bool = False,
    ) -> None:
        self.degree_power = degree_power
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.alpha = alpha
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.distance = distance
        self.combine = combine
        self.join = join

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Build the graph of the items of each list, and let the walk settle on it.

        Parameters as in `ManifoldRanking.fit`; `sample_weight` says how much each label counts.
        """
        data, s = self._check_seeds(X, y, qid, sample_weight)
        return self._build(data)._rank(data.y, s)

    def _rank(self, y: Floats, s: Floats) -> Self:
        D = self._system.degrees[:, None]
        planted = power(D, self.degree_power - 0.5) * s  # D^(k - 1/2) s
        f = self._system.solve(planted, self.alpha, **self._stopping)  # (I - alpha S)^-1 ...
        return self._keep(y, s, f, power(D, 0.5) * f.scores)  # D^1/2 f

    @property
    def _seed_power(self) -> float:
        return self.degree_power - 0.5

    @property
    def _score_power(self) -> float:
        return 0.5

    @property
    def _stationary_power(self) -> float:
        return 1.0

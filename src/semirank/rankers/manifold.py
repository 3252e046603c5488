"""Manifold ranking: labels spread along a neighbour graph until they settle."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from semirank.core.arrays import Floats
from semirank.dataset.parts import Parts
from semirank.limits import Between, Limit
from semirank.rankers.diffusion import power
from semirank.rankers.own_labels import rank_one_list, refuse_other_graphs
from semirank.rankers.queries import QueryRanker
from semirank.rankers.sums.passes import Passes


class ManifoldRanking(QueryRanker):
    """Rank each list by the labels that reach its items over the graph.

    The scores are ``D^-c (I - alpha S)^-1 s``, with W the graph of a list, D its degrees,
    ``S = D^-1/2 W D^-1/2``, c = `degree_correction` and seeds s made of the labels [1]_. With c = 0 this is
    the form of the paper, in which well-connected items float to the top of every list when alpha is near
    1; c = 1/2 takes that out.

    Parameters
    ----------
    graph : {"knn", "connected", "full", "inner"} or matrix
        "knn": the `n_neighbors` nearest of each item. "connected": all pairs up to the length that just
        connects the list. "full": all pairs. "inner": inner products of directions. Or your own symmetric
        matrix of weights, rows and columns in the order of X.
    n_neighbors : int
        For "knn", and for new items.
    sigma : float, "median" or "local"
        Width of the weights ``exp(-d^2 / (2 sigma^2))``: a number, or the median edge; "local":
        ``exp(-d^2 / (r_i r_j))`` with r the distance to the farthest of an item's neighbours ("knn" only).
    alpha : float in [0, 1)
        How far labels spread; with 0 they stay where they are.
    degree_correction : float
        The power c.
    solver : {"auto", "cg", "chebyshev", "iterate", "closed", "push"}
        How the system is solved. "auto" is "cg", and "push" in `rank_queries`, which then visits only
        the items near the query.
    tol : float
        A list has settled when its residual is this small relative to its labels.
    max_iter : int
        Most sweeps over the edges.
    distance : {"euclidean", "cosine"}
        How neighbours are found; "cosine" for text, with the cosine as the weight.
    combine : {"difference", "ratio", "positive", "log", "labels"}
        What known irrelevant items (label 0 or less) do. "difference": their reach is subtracted, each side
        with a total of 1 in each list. "ratio": the logarithm of the ratio of both. "positive": nothing, and
        labels above 0 count with their value, as in the paper. "log": likewise, and scores are logarithms,
        which suits a mix with scores that are log-odds (`Blend`). "labels": labels are taken as they are,
        +1 and -1 for the classes of the paper's classification, 0 as if there were none.
    join : bool
        Join the components of a "knn" graph by their shortest edges, so that a label reaches every item.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    graph_ : csr_array
        The graph W, items list by list.
    widths_ : array of shape (n_lists,), or (n_items,) for "local", or None
        The width of the weights of each list, or the radius r of each item; None for weights of another kind.
    n_iter_, residual_ : arrays of shape (n_lists,)
        How many sweeps each list took, and how far it got.
    n_unreached_ : int
        Items that no label can reach; their score is 0.

    See Also
    --------
    ManifoldRankingCV : the same with its graph and reach chosen by left-out labels.
    PersonalizedPageRank : the same graph, walked; well-connected items count more.
    DistanceRanking : the baseline without a graph.
    semirank.graphs.knn_graph : the graph itself, to keep or to change.

    Notes
    -----
    Each sweep costs as much as the graph has edges; some 20 to 150 sweeps settle a list at alpha = 0.99.
    Scores are linear in the labels (but for "ratio" and "log"), so `explain` splits them exactly.

    References
    ----------
    .. [1] D. Zhou, J. Weston, A. Gretton, O. Bousquet, B. Schoelkopf. Ranking on data manifolds. NIPS 2003.

    Examples
    --------
    >>> import semirank
    >>> moons = semirank.load("moons", noise=0.05, random_state=0)
    >>> few = moons.hide_labels(keep=2, keep_levels=True, random_state=0)
    >>> ranker = semirank.ManifoldRanking().fit(few.X, few.y)
    >>> semirank.metrics.auc(moons.y, ranker.scores_).round(2)
    array([1.])
    """

    called = "manifold ranking"
    limits: ClassVar[Mapping[str, Limit]] = {
        **QueryRanker.limits,
        "degree_correction": Between(0, 1),
    }

    def __init__(
        self,
        graph: Any = "knn",
        n_neighbors: int = 10,
        sigma: Any = "median",
        alpha: float = 0.99,
        degree_correction: float = 0.5,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int = 10_000,
        *,
        distance: str = "euclidean",
        combine: str = "difference",
        join: bool = False,
    ) -> None:
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.alpha = alpha
        self.degree_correction = degree_correction
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.distance = distance
        self.combine = combine
        self.join = join

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Build the graph of the items of each list, and spread the labels over it.

        Parameters
        ----------
        X, y, qid
            Items, labels (NaN where there is none) and the list of each item.
        sample_weight : array of shape (n_items,), optional
            How much each label counts: the confidences of the paper's queries.
        """
        data, s = self._check_seeds(X, y, qid, sample_weight)
        return self._build(data)._rank(data.y, s)

    def _rank(self, y: Floats, s: Floats) -> Self:
        f = self._system.solve(s, self.alpha, **self._stopping)  # (I - alpha S)^-1 s
        D = self._system.degrees[:, None]
        return self._keep(y, s, f, power(D, -self.degree_correction) * f.scores)  # D^-c f

    def _refuse_own(self, parts: Parts, on: Any, skip: bool) -> None:
        if parts.one_list and len(parts) > 1:
            refuse_other_graphs(self, parts, on, skip)

    def _rank_own(self, parts: Parts, left: Passes, folder: str, skip: bool) -> Iterable[str | None]:
        if not (parts.one_list and len(parts) > 1):
            return super()._rank_own(parts, left, folder, skip)
        if len(left.parts):
            rank_one_list(self, parts, left, folder)
        return ()

    @property
    def _seed_power(self) -> float:
        return 0.0

    @property
    def _score_power(self) -> float:
        return -self.degree_correction

    @property
    def _stationary_power(self) -> float:
        return 0.5

"""Rankers whose labels spread over a graph: what manifold ranking and PageRank share."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, sparray, spmatrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset, check_labels
from semirank.graphs import Diffusion, NeighbourIndex
from semirank.graphs.build import attach, build_graph
from semirank.limits import FLAG, Between, Either, Kind, Limit, OneOf
from semirank.rankers._base import Contributions, Ranker
from semirank.rankers.assumptions import MANIFOLD
from semirank.rankers.seeds import LOGARITHMS, backgrounds, combine_signs, seeds_of_labels

GRAPHS = ("knn", "connected", "full", "inner")


class DiffusionRanker(Ranker):
    """Labels spread over a graph of the items until they settle, in each list for itself.

    The system is ``(I - alpha S) f = s`` with the normalised graph S and seeds s made of the labels. A
    subclass says how the degree of an item weighs its seed (`_seed_power`) and its score (`_score_power`).
    """

    assumption = MANIFOLD
    one_function = False
    limits: ClassVar[Mapping[str, Limit]] = {
        "graph": Either(OneOf(*GRAPHS), Kind("a square matrix of weights", (sparray, spmatrix, np.ndarray))),
        "n_neighbors": Between(1, kind=Integral),
        "sigma": Either(Between(0, closed="neither"), OneOf("median", "local")),
        "alpha": Between(0, 1, closed="neither"),
        "solver": OneOf("auto", "closed", "iterate", "cg", "chebyshev", "push"),
        "tol": Between(0, 1, closed="neither"),
        "max_iter": Between(1, kind=Integral),
        "metric": OneOf("euclidean", "cosine"),
        "combine": OneOf("difference", "ratio", "positive", "log"),
        "join": FLAG,
    }

    graph: Any
    n_neighbors: int
    sigma: Any
    alpha: float
    solver: str
    tol: float
    max_iter: int
    metric: str
    combine: str
    join: bool

    graph_: csr_array
    indptr_: Integers
    order_: Integers
    list_ids_: AnyArray
    y_: Floats
    diffused_: Floats
    n_iter_: Integers
    residual_: Floats
    n_unreached_: int
    points_: Features | None
    _index: Any
    _place: Integers

    @property
    @abstractmethod
    def _seed_power(self) -> float:
        """The power of an item's degree that multiplies its seed."""

    @property
    @abstractmethod
    def _score_power(self) -> float:
        """The power of an item's degree that multiplies its score."""

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Build the graph of the items of each list, and spread the labels over it."""
        data = self._check(X, y, qid)
        check_positive(data.y)
        self._build(data)
        return self._spread(data.y)

    def fit_graph(self, X: Any, qid: Any = None) -> Self:
        """Build the graph only; labels come later, through `rerank` or `rank_queries`."""
        data = self._check_unlabelled(X, qid)
        self._build(data)
        return self._spread(data.y)

    def rerank(self, y: Any) -> Self:
        """Rank the fitted items anew from other labels, starting from the scores so far.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the items were given to `fit`.
        """
        check_is_fitted(self, "graph_")
        labels = check_labels(y, len(self.order_))[self.order_]
        check_positive(labels)
        return self._spread(labels, start=self.diffused_ if self.diffused_.any() else None)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by their nearest neighbours among the fitted ones.

        A new item gets what it would get in one more sweep, as an unlabelled item that changes nothing for
        the others. A list never seen takes its neighbours from all lists.
        """
        data = self._check_new(X, qid)
        lists = self._number_lists(data)
        weights = self._attach(data, lists)
        degrees = np.asarray(weights.sum(axis=1)).ravel()
        spread = weights @ (power(self._diffusion().degrees, -0.5)[:, None] * self.diffused_)
        f = self.alpha * power(degrees, -0.5)[:, None] * spread
        return data.restore(self._scores(f, degrees, lists))

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into the contributions of the labelled items.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.

        Returns
        -------
        Contributions
            Row numbers of the labelled items of the list, and amounts that add up to the score (to the
            accuracy of `tol`).
        """
        check_is_fitted(self, "scores_")
        if self.combine in LOGARITHMS:
            raise ValueError(
                f"combine={self.combine!r} takes a logarithm: its scores are no sum over labelled items."
            )
        if not 0 <= item < len(self.order_):
            raise ValueError(f"item must be a row number from 0 to {len(self.order_) - 1}; got {item!r}.")
        place = int(np.flatnonzero(self.order_ == item)[0])
        unit = np.zeros((len(self.order_), 1))
        unit[place] = 1.0
        reach = self._solve(unit).scores[:, 0] * power(self._diffusion().degrees, self._score_power)[place]
        first, last = np.searchsorted(self.indptr_, [place], side="right")[0] + np.array([-1, 0])
        rows = np.arange(self.indptr_[first], self.indptr_[last])
        rows = rows[~np.isnan(self.y_[rows])]
        return Contributions(self.order_[rows], reach[rows] * self._seeds(self.y_).sum(axis=1)[rows])

    def _build(self, data: RankingDataset) -> None:
        """Make the graph, and keep what new items and new labels will need."""
        options = {name: getattr(self, name) for name in ("n_neighbors", "sigma", "metric", "join")}
        graph = self.graph if isinstance(self.graph, str) else _arranged(self.graph, data)
        self.graph_, self._index = build_graph(data.X, data.indptr, graph, **options)
        self.points_ = None if self._index is None else self._index.points
        self.indptr_, self.order_, self.list_ids_ = data.indptr, data.order, data.list_ids
        self._system = Diffusion(self.graph_, self.indptr_)
        self._place = self._restore(np.arange(len(self.order_)))

    def _spread(self, y: Floats, start: Floats | None = None) -> Self:
        """Solve for these labels, warn about what did not work, and store the scores."""
        seeds = self._seeds(y)
        solved = self._solve(seeds, start if start is not None and start.shape == seeds.shape else None)
        self.y_, self.diffused_ = y, solved.scores
        self.n_iter_, self.residual_ = solved.sweeps.max(axis=1), solved.residual.max(axis=1)
        self.n_unreached_ = (
            int(_unreached(self._diffusion().components, seeds).sum()) if seeds.any() else len(y)
        )
        self._warn(seeds)
        lists = np.repeat(np.arange(len(self.list_ids_)), np.diff(self.indptr_))
        self.scores_ = self._restore(self._scores(solved.scores, self._diffusion().degrees, lists))
        return self

    def _seeds(self, y: Floats) -> Floats:
        """Turn labels into the columns of the right-hand side."""
        seeds = seeds_of_labels(y, self.indptr_, self.combine)
        return seeds * power(self._diffusion().degrees, self._seed_power)[:, None]

    def _scores(self, f: Floats, degrees: Floats, lists: Integers) -> Floats:
        """Turn what has spread to items of the given lists (-1: a new one) into scores."""
        fitted = self.diffused_ * power(self._diffusion().degrees, self._score_power)[:, None]
        of_lists = backgrounds(fitted, self.indptr_)
        background = np.append(of_lists, of_lists.mean())[lists]
        return combine_signs(f * power(degrees, self._score_power)[:, None], self.combine, background)

    def _solve(self, seeds: Floats, start: Floats | None = None) -> Any:
        solver = "cg" if self.solver in ("auto", "push") else self.solver
        return self._diffusion().solve(
            seeds, self.alpha, solver=solver, tol=self.tol, max_iter=self.max_iter, start=start
        )

    def _attach(self, data: RankingDataset, lists: Integers) -> csr_array:
        """Return the weights between new items, of lists with these numbers, and the fitted ones."""
        if self.points_ is None:
            raise ValueError(
                f"This {type(self).__name__} was fitted on a graph of its own, which says nothing about new "
                "items. Extend the graph and fit again."
            )
        if (lists < 0).any():
            warnings.warn(
                f"{len(np.unique(data.list_of_item[lists < 0]))} of {data.n_lists} lists were not there when "
                "the ranker was fitted; their items are scored by their neighbours in all lists.",
                DataWarning,
                stacklevel=4,
            )
        if not hasattr(self, "_index"):  # a model that was read from a file
            metric: Any = "cosine" if isinstance(self.graph, str) and self.graph == "inner" else self.metric
            self._index = NeighbourIndex(self.points_, metric=metric, indptr=self.indptr_)
        return attach(self.graph_, self._index, data.X, lists, self.n_neighbors, self.sigma)

    def _number_lists(self, data: RankingDataset) -> Integers:
        """Return the number that each item's list had in `fit`, -1 for a list that is new."""
        number = {name: i for i, name in enumerate(self.list_ids_.tolist())}
        return np.array([number.get(name, -1) for name in data.list_ids.tolist()])[data.list_of_item]

    def _warn(self, seeds: Floats) -> None:
        if self.n_unreached_ and seeds.any():
            warnings.warn(
                f"{self.n_unreached_} of {len(self.order_)} items cannot be reached from any label that "
                "counts; their score is 0. Label one of them, raise n_neighbors, or say join=True.",
                DataWarning,
                stacklevel=4,
            )
        if self.residual_.max(initial=0.0) > self.tol:
            unsettled = int((self.residual_ > self.tol).sum())
            warnings.warn(
                f"{unsettled} of {len(self.residual_)} lists did not settle within max_iter={self.max_iter} "
                f"sweeps: the residual is {self.residual_.max():.1e}, not {self.tol:g}.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _diffusion(self) -> Diffusion:
        """Return the prepared system; a model that was read from a file prepares it on first use."""
        if not hasattr(self, "_system"):
            self._system = Diffusion(self.graph_, self.indptr_)
        return self._system

    def _places(self) -> Integers:
        """Return where each item given to `fit` stands in the graph."""
        if not hasattr(self, "_place"):
            self._place = self._restore(np.arange(len(self.order_)))
        return self._place

    def _restore(self, values: AnyArray) -> AnyArray:
        restored = np.empty_like(values)
        restored[self.order_] = values
        return restored

    def _check_unlabelled(self, X: Any, qid: Any) -> RankingDataset:
        n_items = X.shape[0] if hasattr(X, "shape") else len(X)
        return self._check(X, np.full(n_items, np.nan), qid, needs_label=False)

    def _check_state(self) -> None:
        super()._check_state()
        n_items = len(self.scores_)
        shapes = (self.graph_.shape, self.order_.shape, self.y_.shape, self.diffused_.shape[:1])
        if shapes != ((n_items, n_items), (n_items,), (n_items,), (n_items,)):
            raise ValueError("the graph, the labels and the scores must be of the same items")
        if (np.sort(self.order_) != np.arange(n_items)).any() or len(self.indptr_) != len(self.list_ids_) + 1:
            raise ValueError("order_, indptr_ and list_ids_ must describe lists of all items")


def power(degrees: Floats, exponent: float) -> Floats:
    """Raise degrees to a power; an item without edges counts as one of degree 1."""
    return np.where(degrees > 0.0, degrees, 1.0) ** exponent


def check_positive(y: Floats) -> None:
    """Refuse labels of which none is above 0."""
    if not (y > 0).any():
        raise ValueError(
            "There is no relevant item to start from: at least one label must be above 0"
            + (f"; the largest is {np.nanmax(y):g}." if (~np.isnan(y)).any() else ", and there is no label.")
        )


def _arranged(graph: Any, data: RankingDataset) -> Any:
    """Bring the rows and columns of the user's graph into the order of the lists."""
    if not hasattr(graph, "shape") or graph.shape != (data.n_items, data.n_items):
        raise ValueError(
            f"graph must be a square matrix of the {data.n_items} items; got shape {np.shape(graph)}."
        )
    return csr_array(graph)[data.order][:, data.order]


def _unreached(components: Integers, seeds: Floats) -> Booleans:
    """Mark the items in whose component no seed stands."""
    reached = np.zeros(components.max() + 1, dtype=bool)
    reached[components[seeds.any(axis=1)]] = True
    return ~reached[components]

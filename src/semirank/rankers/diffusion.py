"""Rankers whose labels spread over a graph: what manifold ranking and PageRank share."""

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, sparray, spmatrix
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset, check_labels
from semirank.dataset.parts import Parts
from semirank.graphs import Diffused, Diffusion, NeighbourIndex, check_graph, inner_graph, join_components
from semirank.graphs.connected import connected_edges, full_edges
from semirank.graphs.knn import Widths, attach, gaussian_weights, weighted_knn_graph
from semirank.graphs.neighbours import check_lists
from semirank.learned import AnyOf, Array, Names, Table, count
from semirank.limits import FLAG, Between, Either, Kind, Limit, OneOf
from semirank.rankers._base import Contributions, Ranker
from semirank.rankers.assumptions import MANIFOLD
from semirank.rankers.kept_items import check_item, own_copy
from semirank.rankers.own_labels import write_own_scores
from semirank.rankers.pairs.weights import check_weights
from semirank.rankers.sums.passes import Passes, told_apart
from semirank.spelling import option

GRAPHS = ("knn", "connected", "full", "inner")
COMBINE = OneOf("difference", "ratio", "positive", "log", "labels")
LOGARITHMS = ("ratio", "log")  # ways to combine whose scores are no sum over labels
FLOOR = 0.01


class DiffusionRanker(Ranker):
    """Labels spread over a graph of the items until they settle, in each list for itself.

    The system is ``(I - alpha S) f = s`` with the normalised graph S and seeds s made of the labels. A
    subclass solves it in `_rank`, and says how the degree of an item weighs its seed (`_seed_power`) and its
    score (`_score_power`).
    """

    assumption = MANIFOLD
    one_function = False
    takes_weights = ("sample_weight",)
    limits: ClassVar[Mapping[str, Limit]] = {
        "graph": Either(OneOf(*GRAPHS), Kind("a square matrix of weights", (sparray, spmatrix, np.ndarray))),
        "n_neighbors": Between(1, kind=Integral),
        "sigma": Either(Between(0, closed="neither"), OneOf("median", "local")),
        "alpha": Between(0, 1, closed="left"),
        "solver": OneOf("auto", "closed", "iterate", "cg", "chebyshev", "push"),
        "tol": Between(0, 1, closed="neither"),
        "max_iter": Between(1, kind=Integral),
        "distance": OneOf("euclidean", "cosine"),
        "combine": COMBINE,
        "join": FLAG,
    }

    graph: Any
    n_neighbors: int
    sigma: Any
    alpha: float
    solver: str
    tol: float
    max_iter: int
    distance: Any
    combine: str
    join: bool

    learned: ClassVar[Table] = Ranker.learned | {
        "graph_": Array("n_items", "n_items", low=0, sparse=True, dense=False),
        "points_": AnyOf(None, Array("n_items", "n_features", dtype="float", sparse=True)),
        "list_ids_": Names("n_lists"),
        "indptr_": Array("n_lists + 1", dtype="int64", low=0),
        "order_": Array("n_items", dtype="int64", low=0, high="n_items"),
        "widths_": AnyOf(None, Array("n_lists", low=0), Array("n_items", low=0)),
        "shortest_": AnyOf(None, Array("n_lists", low=0, infinite=True)),
        "y_": Array("n_items", gaps=True),
        "seeds_": Array("n_items", "n_columns"),
        "diffused_": Array("n_items", "n_columns"),
        "n_iter_": Array("n_lists", dtype="int64", low=0),
        "residual_": Array("n_lists", low=0),
        "n_unreached_": count(),
    }

    graph_: csr_array
    widths_: Floats | None
    shortest_: Floats | None
    points_: Features | None
    indptr_: Integers
    order_: Integers
    list_ids_: AnyArray
    y_: Floats
    seeds_: Floats
    diffused_: Floats
    n_iter_: Integers
    residual_: Floats
    n_unreached_: int

    # what `fit` prepares from the attributes above; a model that was read from a file does so on first use
    _prepared: Diffusion | None = None
    _index: NeighbourIndex | None = None
    _place: Integers | None = None

    def in_words(self) -> str:
        """Say in words what this ranker is: how it spreads labels, and over which graph."""
        graph = self.graph if isinstance(self.graph, str) else "given"
        return f"{self.called}, " + (f"{self.n_neighbors} neighbours" if graph == "knn" else f"{graph} graph")

    @property
    def ranks_lists_apart(self) -> bool:
        """Whether each list is ranked by its own labels alone: yes, on a graph of features."""
        return isinstance(self.graph, str)

    def _rank_own(self, parts: Parts, left: Passes, folder: str, skip: bool) -> Iterable[str | None]:
        return left.each(told_apart, write_own_scores, folder, self, skip)

    @property
    @abstractmethod
    def _seed_power(self) -> float:
        """The power of an item's degree that multiplies its seed."""

    @property
    @abstractmethod
    def _score_power(self) -> float:
        """The power of an item's degree that multiplies its score."""

    @property
    @abstractmethod
    def _stationary_power(self) -> float:
        """The power of an item's degree that is its score without any label."""

    @abstractmethod
    def _rank(self, y: Floats, seeds: Floats) -> Self:
        """Solve for these seeds, and store the scores."""

    def fit_graph(self, X: Any, qid: Any = None) -> Self:
        """Build the graph only; labels come later, through `rerank` or `rank_queries`, or not at all.

        What is to be said without any label, `stationary_scores` says.
        """
        n_items = X.shape[0] if hasattr(X, "shape") else len(X)
        data = self._check(X, np.full(n_items, np.nan), qid, needs_label=False)
        return self._build(data)._rank(data.y, seeds_of_labels(data.y, data.indptr, self.combine))

    def rerank(self, y: Any) -> Self:
        """Rank the fitted items anew from other labels, each of weight 1, over the same graph.

        The scores are those of a new `fit` on these labels, to the last bit.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the items were given to `fit`.
        """
        check_is_fitted(self, "graph_")
        labels = check_labels(y, len(self.order_))[self.order_]
        check_seeds(labels, self.combine)
        return self._rank(labels, seeds_of_labels(labels, self.indptr_, self.combine))

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def _fit_unlabelled(self, X: Any, qid: Any) -> bool:
        self.fit_graph(X, qid)
        return True

    def stationary_scores(self) -> Floats:
        """Rank the fitted items without any query: where scores settle that spread for ever.

        With ``alpha = 1`` and no label that is the vector which spreading leaves as it is: ``D^1/2 1`` in the
        paper, and for `PersonalizedPageRank` the stationary distribution ``D 1`` of the walk. Both put the
        items of a list in the order of their degrees, which is no longer so for a walk that jumps to random
        items (there Theorem 2 of the paper does not hold). `degree_correction` is left out: with 1/2, all
        items would be alike.

        Returns
        -------
        float64 array of shape (n_items,)
            In the order in which the items were given to `fit` or `fit_graph`. In each list the squares (for
            `PersonalizedPageRank`, the scores) add up to 1; 0 for an item without edges.
        """
        check_is_fitted(self, "graph_")
        shares = _shares(self._system.degrees, self.indptr_) ** self._stationary_power
        return shares[self._places()]

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by their nearest neighbours among the fitted ones.

        A new item gets what it would get in one more sweep, as an unlabelled item that changes nothing for
        the others. A list never seen takes its neighbours from all lists.
        """
        data = self._check_new(X, qid)
        number = {name: i for i, name in enumerate(self.list_ids_.tolist())}
        numbers = np.array([number.get(name, -1) for name in data.list_ids.tolist()])
        if (numbers < 0).any() and self.points_ is not None:
            warnings.warn(
                f"{(numbers < 0).sum()} of {data.n_lists} lists were not there when the ranker was fitted; "
                "their items are scored by their neighbours in all lists.",
                DataWarning,
                stacklevel=2,
            )
        lists = numbers[data.list_of_item]
        weights = self._attach(data.X, lists)
        degrees = np.asarray(weights.sum(axis=1)).ravel()
        with np.errstate(over="ignore"):
            spread = weights @ (power(self._system.degrees, -0.5)[:, None] * self.diffused_)
            f = self.alpha * power(degrees, -0.5)[:, None] * spread
            scores = self._scores(power(degrees, self._score_power)[:, None] * f, lists)
        return self._finite(data.restore(scores))

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
            accuracy of `tol`). With "ratio" and "log" the score is no sum over labelled items, but what has
            reached the item is: each of the two logarithms is divided among the labelled items by their
            shares of it.
        """
        check_is_fitted(self, "scores_")
        place, degrees = self._places()[check_item(item, len(self.order_))], self._system.degrees
        unit = np.zeros((len(self.order_), 1))
        unit[place] = 1.0
        reach = self._system.solve(unit, self.alpha, **self._stopping).scores[:, 0]
        reach *= power(degrees[place], self._score_power)
        last = np.searchsorted(self.indptr_, place, side="right")
        rows = np.arange(self.indptr_[last - 1], self.indptr_[last])
        rows = rows[~np.isnan(self.y_[rows])]
        planted = self.seeds_[rows] * power(degrees[rows], self._seed_power)[:, None]
        arrived = reach[rows, None] * planted
        if self.combine not in LOGARITHMS:
            return Contributions(self.order_[rows], arrived.sum(axis=1))
        return Contributions(self.order_[rows], self._shares(arrived, last - 1))

    def _check_seeds(self, X: Any, y: Any, qid: Any, sample_weight: Any) -> tuple[RankingDataset, Floats]:
        """Check what `fit` was given, and turn labels and their weights into seeds."""
        data = self._check(X, y, qid)
        if sample_weight is None:
            check_seeds(data.y, self.combine)
            return data, seeds_of_labels(data.y, data.indptr, self.combine)
        weights = check_weights(sample_weight, data)
        check_seeds(np.where(weights > 0.0, data.y, np.nan), self.combine)
        return data, seeds_of_labels(data.y, data.indptr, self.combine, weights)

    def _build(self, data: RankingDataset) -> Self:
        """Make the graph, and keep what new items and new labels will need."""
        widths: Widths | None = None
        if not isinstance(self.graph, str):
            index, graph = None, _arranged(self.graph, data)
        elif self.graph == "inner":
            index = NeighbourIndex(own_copy(data.X), distance="cosine", indptr=data.indptr)
            graph = inner_graph(index.points, indptr=data.indptr)
        else:
            index = NeighbourIndex(own_copy(data.X), distance=self.distance, indptr=data.indptr)
            graph, widths = self._weigh(index)
        self.graph_, self._index, self._prepared = graph, index, Diffusion(graph, data.indptr)
        self.points_ = None if index is None else index.points
        self.widths_, self.shortest_ = (None, None) if widths is None else widths
        self.indptr_, self.order_, self.list_ids_ = data.indptr, data.order, data.list_ids
        self._place = np.argsort(data.order)
        return self

    def _weigh(self, index: NeighbourIndex) -> tuple[csr_array, Widths | None]:
        """Return the graph of this name with gaussian or cosine weights."""
        if self.graph == "knn":
            graph, widths = weighted_knn_graph(index, self.n_neighbors, "auto", self.sigma)
            return (join_components(graph, index) if self.join else graph), widths
        if self.distance != "euclidean" or self.sigma == "local":
            raise ValueError(
                f"{option('graph', self.graph)} needs {option('distance', 'euclidean')} and a sigma that is "
                "not 'local'."
            )
        edges = connected_edges(index) if self.graph == "connected" else full_edges(index)
        return gaussian_weights(edges, index.indptr, self.sigma)

    @property
    def _stopping(self) -> dict[str, Any]:
        """How `Diffusion.solve` is to solve."""
        solver = "cg" if self.solver in ("auto", "push") else self.solver
        return {"solver": solver, "tol": self.tol, "max_iter": self.max_iter}

    def _keep(self, y: Floats, seeds: Floats, solved: Diffused, weighed: Floats) -> Self:
        """Store the scores, made of what has spread times a power of the degree; warn about what is amiss."""
        self.y_, self.seeds_, self.diffused_ = y, seeds, solved.scores
        self.n_iter_, self.residual_ = solved.sweeps.max(axis=1), solved.residual.max(axis=1)
        parts = self._system.components
        self.n_unreached_ = int((~np.isin(parts, parts[seeds.any(axis=1)])).sum())
        self._warn(seeds)
        lists = np.repeat(np.arange(len(self.list_ids_)), np.diff(self.indptr_))
        self.scores_ = self._finite(self._scores(weighed, lists)[self._places()])
        return self

    def _scores(self, weighed: Floats, lists: Integers) -> Floats:
        """Turn what has spread to items of the given lists (-1: a new one) into scores."""
        if self.combine not in LOGARITHMS:
            return weighed[:, 0]
        fitted = self.diffused_ * power(self._system.degrees, self._score_power)[:, None]
        of_lists = backgrounds(fitted, self.indptr_)
        return combine_signs(weighed, self.combine, np.append(of_lists, of_lists.mean())[lists])

    def _shares(self, arrived: Floats, number: int) -> Floats:
        """Divide ``log((P + b) / b)``, and ``-log((N + b) / b)``, by the shares of what makes up P and N."""
        fitted = self.diffused_ * power(self._system.degrees, self._score_power)[:, None]
        background = backgrounds(fitted, self.indptr_)[number]
        totals = np.maximum(arrived.sum(axis=0), 0.0)
        logarithms = np.log1p(totals / background) * np.array([1.0, -1.0])[: len(totals)]
        return arrived @ np.divide(logarithms, totals, out=np.zeros_like(totals), where=totals > 0)

    def _warn(self, seeds: Floats) -> None:
        if self.n_unreached_ and seeds.any():
            warnings.warn(
                f"{self.n_unreached_} of {len(self.order_)} items cannot be reached from any label that "
                "counts; their score is 0. Label one of them, raise n_neighbors, or say "
                f"{option('join', True)}.",
                DataWarning,
                stacklevel=5,
            )
        if self.residual_.max(initial=0.0) > self.tol:
            unsettled = int((self.residual_ > self.tol).sum())
            warnings.warn(
                f"{unsettled} of {len(self.residual_)} lists did not settle within {self.max_iter} sweeps "
                f"(max_iter): the residual is {self.residual_.max():.1e}, not {self.tol:g}.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _attach(self, X: Features, lists: Integers) -> csr_array:
        """Return the weights between new items, of lists with these numbers, and the fitted ones."""
        if self.points_ is None:
            raise ValueError(
                f"This {type(self).__name__} was fitted on a graph of its own, which says nothing about new "
                "items. Extend the graph and fit again."
            )
        if self._index is None:
            is_inner = isinstance(self.graph, str) and self.graph == "inner"
            distance: Any = "cosine" if is_inner else self.distance
            self._index = NeighbourIndex(self.points_, distance=distance, indptr=self.indptr_)
        widths = None if self.widths_ is None else Widths(self.widths_, self.shortest_)
        return attach(self._index, widths, X, lists, self.n_neighbors)

    @property
    def _system(self) -> Diffusion:
        if self._prepared is None:
            self._prepared = Diffusion(self.graph_, self.indptr_)
        return self._prepared

    def _places(self) -> Integers:
        """Return where each item given to `fit` stands in the graph."""
        if self._place is None:
            self._place = np.argsort(self.order_)
        return self._place

    def _check_state(self) -> None:
        super()._check_state()
        if (np.sort(self.order_) != np.arange(len(self.order_))).any():
            raise ValueError("order_ must name every item once")
        check_lists(self.indptr_, len(self.order_))
        n_widths = len(self.order_) if self.shortest_ is None else len(self.list_ids_)
        found = None if self.widths_ is None else len(self.widths_)
        if found not in ((n_widths,) if self.shortest_ is not None else (None, n_widths)):
            raise ValueError(
                "widths_ must hold one width for each list, with its shortest_, or for each item"
            )


def power(degrees: Floats, exponent: float) -> Floats:
    """Raise degrees to a power; an item without edges counts as one of degree 1."""
    return np.where(degrees > 0.0, degrees, 1.0) ** exponent


def check_seeds(y: Floats, combine: str) -> None:
    """Refuse labels that plant nothing: of which none is above 0 or, where they are seeds, all are 0."""
    if combine == "labels":
        if not np.nan_to_num(y).any():
            raise ValueError("There is no item to start from: at least one label must be other than 0.")
    elif not (y > 0).any():
        raise ValueError(
            "There is no relevant item to start from: at least one label must be above 0"
            + (f"; the largest is {np.nanmax(y):g}." if (~np.isnan(y)).any() else ", and there is no label.")
        )


def seeds_of_labels(y: Floats, indptr: Integers, combine: str, weights: Floats | None = None) -> Floats:
    """Return the columns of seeds: one for each side for "ratio", otherwise one.

    A label above 0 is the confidence that an item is relevant; a label y of 0 or less gives a seed of
    ``1 - y`` for the other side. A weight multiplies a seed. For "labels" seeds are the labels themselves,
    for "positive" and "log" those above 0. Otherwise the seeds of each side add up to 1 in each list, so that
    many irrelevant items weigh as much as a few relevant ones.
    """
    factor = 1.0 if weights is None else weights
    if combine == "labels":
        return (np.nan_to_num(y) * factor)[:, None]
    positive, negative = sides_of_labels(y) * factor
    if combine in ("positive", "log"):
        return positive[:, None]
    positive, negative = _shares(positive, indptr), _shares(negative, indptr)
    if combine == "difference":
        return (positive - negative)[:, None]
    return np.column_stack([positive, negative])


def sides_of_labels(y: Floats) -> Floats:
    """Return the seeds of both sides, relevant and irrelevant, one row each."""
    return np.array([np.where(y > 0, y, 0.0), np.where(y <= 0, 1.0 - y, 0.0)])


def _shares(seeds: Floats, indptr: Integers) -> Floats:
    totals = np.add.reduceat(seeds, indptr[:-1])
    return seeds / np.repeat(np.where(totals > 0, totals, 1.0), np.diff(indptr))


def backgrounds(f: Floats, indptr: Integers) -> Floats:
    """Return a hundredth of the mean of what has spread in each list."""
    totals = np.add.reduceat(np.maximum(f, 0.0).mean(axis=1), indptr[:-1])
    return FLOOR * totals / np.diff(indptr) + np.finfo(float).tiny


def combine_signs(f: Floats, combine: str, background: Floats) -> Floats:
    """Turn the columns that have spread into one score for each item.

    "ratio" is ``log((P + b) / (N + b))`` with the background b of the item's list, so that an item which
    neither side reaches scores 0; "log" is ``log((P + b) / b)``.
    """
    if combine not in LOGARITHMS:
        return f[:, 0]
    f = np.maximum(f, 0.0)
    other = f[:, 1] + background if combine == "ratio" else background
    return np.log(f[:, 0] + background) - np.log(other)


def _arranged(graph: Any, data: RankingDataset) -> csr_array:
    """Check the user's graph, and bring its rows and columns into the order of the lists."""
    if graph.shape != (data.n_items, data.n_items):
        raise ValueError(
            f"graph must be a square matrix of the {data.n_items} items; got shape {np.shape(graph)}."
        )
    checked = check_graph(graph, data.n_items)
    return check_graph(checked[data.order][:, data.order], data.n_items, data.indptr)

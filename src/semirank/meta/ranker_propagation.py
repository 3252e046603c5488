"""Ranker propagation: lists that look alike are ranked alike."""

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset
from semirank.features import GramSchmidt
from semirank.graphs.harmonic import harmonic
from semirank.graphs.list_axes import list_axes
from semirank.graphs.list_kernel import join_nearest
from semirank.graphs.list_neighbours import Kind, nearest_lists
from semirank.kernels import GAMMA
from semirank.learned import AnyOf, Array, Names, Part, Table
from semirank.limits import FLAG, Between, Either, Limit, OneOf
from semirank.meta.adaptation import JOBS, RANKER, Progress
from semirank.meta.list_rankers import rank_lists_apart
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import SIMILAR_LISTS
from semirank.rankers.estimator import as_ranker
from semirank.rankers.rankrls_cv import RankRLSCV

NUMBER = Either(Between(1, kind=Integral), OneOf(None))


class RankerPropagation(Ranker):
    r"""Rank each list without labels by a ranker of its own, a mean of the rankers of lists that look alike.

    Every list with labels gets a linear ranker ``F(x) = w'x`` of length 1. Lists are joined to those most
    like them (`list_kernel`), and the rankers of lists without labels are the ones that change least over
    this graph [1]_:

    .. math:: \min_W \sum_{i < j} K_{ij} |w_i - w_j|^2, \quad W_u = -L_{uu}^{-1} L_{ul} W_l, \quad L = D - K

    so that each is the mean of those of its neighbours, weighted by similarity. It helps where lists differ
    in what makes an item good, and the shape of a list tells how.

    Parameters
    ----------
    ranker : ranker, optional
        A linear ranker (one with weights of features, ``coef_``) to be fitted on each list with labels:
        `RankRLS`, `RankSVM`, scikit-learn's ``Ridge``. None: `RankRLSCV()`, whose ridge is chosen by
        leaving lists out of all lists together, and is then used for each.
    n_neighbors : int
        How many lists to join each list to. In a graph of all lists every ranker would be nearly the mean.
    similarity : {"matching", "psd"}
        The kind of `list_kernel`.
    n_axes : int, optional
        How many axes of each list to compare. None: all.
    n_features : int, optional
        Keep so many features, those with the largest weights in the mean of the lists' rankers. None: all.
    n_components : int, optional
        Learn and compare in the space of a kernel, spanned by this many well chosen items
        (`features.GramSchmidt`, fitted on all items). None: in the space of the features.
    kernel, gamma
        This kernel and its coefficient; see `features.GramSchmidt`.
    scale : bool
        Divide every feature by its standard deviation over the items of lists with labels. One scale for
        all lists: how lists differ in shape is what counts.
    softness : float
        0: lists with labels keep their rankers. Above 0, these may move too, at the price of
        ``|w_i - w_i^0|^2 / softness``.
    n_jobs : int, optional
        How many rankers to fit at the same time, as in joblib.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    ranker_ : Ranker
        The ranker fitted on the features, as they are, of all lists with labels; it ranks those lists.
    coefs_ : float64 array of shape (n_lists, n_weights)
        The ranker of each list, learned or propagated, in the space where lists are compared.
    list_ids_ : array of shape (n_lists,)
        The `qid` of each list.
    taught_ : bool array of shape (n_lists,)
        Which lists have a ranker that was learned.
    reached_ : bool array of shape (n_lists,)
        Which lists are joined, over others, to one of these. The others have the mean ranker.
    graph_ : csr_array of shape (n_lists, n_lists)
        The graph of lists.
    axes_ : float64 array of shape (n_lists, n_axes, n_weights)
        The axes by which new lists are compared with these.
    features_, scale_, basis_
        How items are mapped: the features kept, their scale, and the fitted `GramSchmidt` or None.

    See Also
    --------
    list_kernel : which lists look alike.
    FeatureGeneration : other features for each list.

    Notes
    -----
    Labels of a list count if two of them differ. Where all lists have labels, `scores_` are those of
    `ranker_`, the base. A list of one item, or of equal items, looks like no other and has the mean ranker;
    a list with fewer items than features has as many axes as it can.

    `predict` joins each new list to its nearest fitted lists and gives it the weighted mean of their
    rankers: the same rule, with the fitted lists staying as they are. So it does not matter which lists come
    together.

    For q lists with d features: one fit for each list with labels, the graph (see `list_kernel`), and one
    sparse system of q equations with d right-hand sides. Sparse features are made dense after selection.

    References
    ----------
    .. [1] K. Duh. Learning to rank with partially-labeled data. PhD thesis, University of Washington, 2009,
       chapter 8.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RankerPropagation, RankRLS
    >>> X = np.array([[0.0, 0.0], [1.0, 0.1], [2.0, 0.0], [0.0, 0.0], [0.1, 1.0], [0.0, 2.0]])
    >>> X = np.vstack([X, X + 5.0])
    >>> y, qid = [0, 1, 2, 2, 1, 0, *[np.nan] * 6], np.repeat(["wide", "tall", "also wide", "also tall"], 3)
    >>> ranker = RankerPropagation(RankRLS(), n_neighbors=1).fit(X, y, qid)
    >>> np.argsort(-ranker.scores_[6:9]), np.argsort(-ranker.scores_[9:])
    (array([2, 1, 0]), array([0, 1, 2]))
    """

    assumption = SIMILAR_LISTS
    shows_progress = True
    called = "{ranker} shared among similar lists"
    limits: ClassVar[Mapping[str, Limit]] = {
        "ranker": RANKER,
        "n_neighbors": Between(1, kind=Integral),
        "similarity": OneOf("matching", "psd"),
        "n_axes": NUMBER,
        "n_features": NUMBER,
        "n_components": NUMBER,
        "kernel": OneOf("rbf", "polynomial", "cosine"),
        "gamma": GAMMA,
        "scale": FLAG,
        "softness": Between(0, 1e12),
        "n_jobs": JOBS,
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "ranker_": Part("Ranker"),
        "features_": Array("n_chosen", dtype="int64", low=0, high="n_features"),
        "scale_": Array("n_chosen", low=0),
        "basis_": AnyOf(None, Part("GramSchmidt")),
        "list_ids_": Names("n_lists"),
        "taught_": Array("n_lists", dtype="bool"),
        "reached_": Array("n_lists", dtype="bool"),
        "axes_": Array("n_lists", "n_axes", "n_weights"),
        "coefs_": Array("n_lists", "n_weights"),
        "graph_": Array("n_lists", "n_lists", low=0, sparse=True, dense=False),
    }

    ranker_: Ranker
    coefs_: Floats
    list_ids_: AnyArray
    taught_: Booleans
    reached_: Booleans
    graph_: csr_array
    axes_: Floats
    features_: Integers
    scale_: Floats
    basis_: GramSchmidt | None

    def __init__(
        self,
        ranker: Any = None,
        n_neighbors: int = 10,
        similarity: Kind = "matching",
        *,
        n_axes: int | None = None,
        n_features: int | None = None,
        n_components: int | None = None,
        kernel: str = "rbf",
        gamma: float | None = None,
        scale: bool = True,
        softness: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.ranker = ranker
        self.n_neighbors = n_neighbors
        self.similarity = similarity
        self.n_axes = n_axes
        self.n_features = n_features
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.scale = scale
        self.softness = softness
        self.n_jobs = n_jobs

    def supervised(self) -> Ranker | None:
        """Return one ranker for all lists, learned from those with labels alone."""
        return self._base().supervised()

    def fit(self, X: Any, y: Any, qid: Any = None, *, progress: Progress | None = None) -> Self:
        """Learn a ranker for each list with labels, and propagate them to the others.

        `progress` is called with the number of lists that were compared with the others and that of all.
        """
        data = self._check(X, y, qid)
        with_labels = (data.labelled_per_list > 0)[data.list_of_item]
        taught = data.take(with_labels)
        self.ranker_ = self._base().fit(taught.X, taught.y, taught.qid)
        self._choose_space(data, with_labels)
        mapped = data.replace(X=self._map(data.X))
        self._propagate(mapped, progress)
        scores = _score(mapped, self.coefs_)
        scores[with_labels] = self.ranker_.scores_
        return self._store(data, scores)

    def predict(self, X: Any, qid: Any = None, *, progress: Progress | None = None) -> Floats:
        """Score new lists, each by the mean ranker of the fitted lists most like it."""
        data = self._check_new(X, qid)
        mapped = data.replace(X=self._map(data.X))
        near = nearest_lists(
            list_axes(mapped, self.n_axes), self.axes_, self.n_neighbors, self.similarity, progress=progress
        )
        sums = near.similarities.sum(axis=1, keepdims=True)
        coefs = np.einsum("ik,ikj->ij", near.similarities, self.coefs_[near.indices]) / np.where(
            sums > 0, sums, 1
        )
        coefs[sums[:, 0] == 0] = self.mean_coef_
        return data.restore(_score(mapped, coefs))

    @property
    def mean_coef_(self) -> Floats:
        """The mean of the rankers that were learned."""
        return self.coefs_[self.taught_].mean(axis=0)

    def _base(self) -> Ranker:
        return RankRLSCV() if self.ranker is None else clone(as_ranker(self.ranker))

    def _choose_space(self, data: RankingDataset, with_labels: Booleans) -> None:
        """Choose scale and features by the lists with labels, and the basis of the space by all."""
        self.features_, self.scale_, self.basis_ = np.arange(data.n_features), np.ones(data.n_features), None
        if self.scale:
            self.scale_ = StandardScaler(with_mean=False).fit(data.X[with_labels]).scale_
        if self.n_features is not None and self.n_features < data.n_features:
            apart = rank_lists_apart(self._base(), data.replace(X=self._map(data.X)), self.n_jobs)
            sizes = np.abs(apart.coefs.mean(axis=0))
            self.features_ = np.sort(np.argsort(-sizes, kind="stable")[: self.n_features])
            self.scale_ = self.scale_[self.features_]
        if self.n_components is not None:
            basis = GramSchmidt(self.kernel, self.gamma, self.n_components)
            self.basis_ = basis.fit(self._map(data.X))

    def _map(self, X: Features) -> Floats:
        kept = X[:, self.features_]
        kept = kept.toarray() if issparse(kept) else kept
        scaled = np.asarray(kept, dtype=np.float64) / self.scale_
        return scaled if self.basis_ is None else self.basis_.transform(scaled)

    def _propagate(self, mapped: RankingDataset, progress: Progress | None) -> None:
        apart = rank_lists_apart(self._base(), mapped, self.n_jobs)
        self.list_ids_, self.taught_ = mapped.list_ids, np.isin(np.arange(mapped.n_lists), apart.lists)
        self.axes_ = list_axes(mapped, self.n_axes)
        self.graph_ = join_nearest(self.axes_, self.n_neighbors, self.similarity, progress)
        self.coefs_, self.reached_ = harmonic(self.graph_, self.taught_, apart.coefs, self.softness)
        lost = ~self.reached_ & (mapped.labelled_per_list == 0) & self.axes_.any(axis=(1, 2))
        if lost.any():
            warnings.warn(
                f"{int(lost.sum())} of {int((mapped.labelled_per_list == 0).sum())} lists without labels are "
                "not joined to any list with a ranker, and are ranked by the mean ranker. The first is "
                f"{self.list_ids_.tolist()[int(np.argmax(lost))]!r}. Raise n_neighbors to reach them.",
                DataWarning,
                stacklevel=3,
            )

    def _check_state(self) -> None:
        super()._check_state()
        if not (self.scale_ > 0).all():
            raise ValueError("scale_ must be above 0")


def _score(data: RankingDataset, coefs: Floats) -> Floats:
    """Score every item by the ranker of its list, one row of `coefs` a list."""
    return np.einsum("ij,ij->i", data.X, coefs[data.list_of_item])

"""A forest: many trees, each grown with chance, whose mean is smoother and surer than any of them."""

from collections.abc import Mapping
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.threads import in_parallel
from semirank.core.trees import find_leaves, sum_leaves
from semirank.dataset import Features, RankingDataset
from semirank.learned import Array, Table
from semirank.limits import SEED, Between, Either, Limit, OneOf
from semirank.rankers._base import CONSTANT, Contributions, Ranker
from semirank.rankers.formulas import Trees
from semirank.rankers.pairs import check_weights

BLOCK_CELLS = 2**20
LEAF = -1


class ForestRanker(Ranker):
    """Rank by the mean of many trees that predict labels from features.

    Each node of a tree draws some features and for each a threshold at random, and splits its items by the
    one that leaves least variance of the labels on either side; a leaf predicts the mean label of its
    items [1]_. Trees see what stumps and lines cannot, that features matter together, and the chance in them
    keeps a few labels from being taken too seriously. In a `Blend` they are a good company for both.

    Labels are taken as numbers, the same in all lists. Unlabelled items get scores and teach nothing.

    Parameters
    ----------
    n_trees : int
        How many. More are never worse, and take longer.
    min_leaf : int
        The fewest labelled items of a leaf. More make the trees smoother.
    max_features : float
        The share of the features that a node draws.
    random_state : int, Generator or None
        Seed of the chance in the trees.
    n_jobs : int, optional
        Number of threads that grow them. None: one.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    feature_importances_ : float64 array of shape (n_features,)
        Share of each feature in what the splits take away from the variance of the labels.
    roots_ : int64 array of shape (n_trees,)
        The first node of each tree.
    features_, thresholds_, values_ : arrays of shape (n_nodes,)
        The question of a node, ``x[feature] <= threshold``, and the mean label of its items. The feature of
        a leaf is -1.
    children_ : int64 array of shape (n_nodes, 2)
        The node after a yes and after a no.

    See Also
    --------
    RankBoost : stumps over pairs of items.
    EstimatorRanker : boosted trees of other libraries.

    Notes
    -----
    O(n_trees d n log n) for n labelled items with d features, and O(n_trees log n) to score an item. Features
    are compared in single precision.

    References
    ----------
    .. [1] P. Geurts, D. Ernst, L. Wehenkel. Extremely randomized trees. Machine Learning 63, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import ForestRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, size=(300, 2))
    >>> y = np.where(np.arange(300) < 200, X[:, 0] * X[:, 1] > 0, np.nan)
    >>> ranker = ForestRanker(random_state=0).fit(X, y)
    >>> ranker.predict([[0.5, 0.5], [-0.5, 0.5]]).round(1)
    array([0.8, 0.1])
    """

    takes_weights = ("sample_weight",)
    called = "forest of {n_trees} trees"
    limits: ClassVar[Mapping[str, Limit]] = {
        "n_trees": Between(1, kind=Integral),
        "min_leaf": Between(1, kind=Integral),
        "max_features": Between(0, 1, closed="right"),
        "random_state": SEED,
        "n_jobs": Either(Between(-1, kind=Integral), OneOf(None)),
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "feature_importances_": Array("n_features"),
        "features_": Array("n_nodes", dtype="int64", low=LEAF, high="n_features"),
        "thresholds_": Array("n_nodes"),
        "children_": Array("n_nodes", 2, dtype="int64", low=LEAF, high="n_nodes"),
        "values_": Array("n_nodes"),
        "roots_": Array("n_trees", dtype="int64", low=0, high="n_nodes"),
    }

    feature_importances_: Floats
    roots_: Integers
    features_: Integers
    thresholds_: Floats
    children_: Integers
    values_: Floats
    _given: RankingDataset
    _items: Integers
    _weights: Floats

    def __init__(
        self,
        n_trees: int = 100,
        min_leaf: int = 3,
        *,
        max_features: float = 1 / 3,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_trees = n_trees
        self.min_leaf = min_leaf
        self.max_features = max_features
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Grow trees on the labelled items, and score all items.

        `sample_weight` weighs items in the variances and means of nodes; 0 is an item without a label. For
        `min_leaf` every item counts once, so that a weight of 2 is not quite an item given twice.
        """
        data = self._check(X, y, qid)
        weights = check_weights(sample_weight, data)
        items = np.flatnonzero(data.labelled & (weights > 0))
        if len(items) == 0 or np.ptp(data.y[items]) == 0:
            raise ValueError(
                "ForestRanker learns from items with different labels, and there are none: the labelled "
                "items are of one class."
            )
        forest = ExtraTreesRegressor(
            self.n_trees,
            min_samples_leaf=self.min_leaf,
            max_features=float(self.max_features),
            random_state=int(np.random.default_rng(self.random_state).integers(2**31)),
            n_jobs=self.n_jobs,
        )
        given = None if sample_weight is None else weights[items]
        forest.fit(_plain(data.X[items]), data.y[items], given)
        self.feature_importances_ = forest.feature_importances_
        trees = [_Tree.of(each.tree_) for each in forest.estimators_]
        self.roots_ = np.cumsum([0, *(len(tree.features) for tree in trees[:-1])])
        joined = [tree.after(int(root)) for tree, root in zip(trees, self.roots_, strict=True)]
        parts = (np.concatenate(part) for part in zip(*joined, strict=True))
        self.features_, self.thresholds_, self.children_, self.values_ = parts
        self._given, self._items, self._weights = data, items, weights[items]
        return self._store(data, self._score(data))

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item among the labelled items that share its leaves.

        A leaf says the mean label of its items, so the score is a mean of labels, weighed by how often each
        labelled item ends in the same leaf. Labels count relative to their mean, which is the constant.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        self._check_fitted_here()
        data, items = self._given, self._items
        place = int(np.flatnonzero(data.order == item)[0])
        leaves = self._leaves(data.X[np.append(items, place)])
        shared = (leaves[:-1] == leaves[-1]) * self._weights[:, None]
        shares = (shared / shared.sum(axis=0)).mean(axis=1)
        mean = float(np.average(data.y[items], weights=self._weights))
        amounts = shares * (data.y[items] - mean)
        return Contributions(np.append(data.order[items], CONSTANT), np.append(amounts, mean))

    def _leaves(self, X: Features) -> Integers:
        return find_leaves(_single(X), self.roots_, self.features_, self.thresholds_, self.children_)

    def formula(self) -> Trees:
        """Return what `predict` computes."""
        check_is_fitted(self, "roots_")
        return Trees(self.roots_, self.features_, self.thresholds_, self.children_, self.values_)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items; the list they stand in makes no difference."""
        data = self._check_new(X, qid)
        return data.restore(self._score(data))

    def _score(self, data: RankingDataset) -> Floats:
        batches = gen_batches(data.n_items, max(1, BLOCK_CELLS // data.n_features))
        sums = in_parallel(partial(self._sums, data.X), batches)
        return np.concatenate(sums) / len(self.roots_)

    def _sums(self, X: Features, rows: slice) -> Floats:
        block = _single(X[rows])
        return sum_leaves(block, self.roots_, self.features_, self.thresholds_, self.children_, self.values_)

    def _check_state(self) -> None:
        super()._check_state()
        if len(self.roots_) != self.n_trees:
            raise ValueError(f"roots_ must have the shape ({self.n_trees},), one for each tree")
        asks = self.features_ != LEAF
        if not (self.children_[asks] > np.flatnonzero(asks)[:, None]).all():
            raise ValueError("children_ must come after their node, or a path would not end")


class _Tree(NamedTuple):
    """The nodes of a tree, or of several."""

    features: Integers
    thresholds: Floats
    children: Integers
    values: Floats

    @classmethod
    def of(cls, tree: Any) -> Self:
        """Take the nodes out of a tree of scikit-learn."""
        features = np.where(tree.children_left < 0, LEAF, tree.feature).astype(np.int64)
        children = np.column_stack([tree.children_left, tree.children_right]).astype(np.int64)
        return cls(features, tree.threshold.astype(np.float64), children, tree.value[:, 0, 0].copy())

    def after(self, n_nodes: int) -> Self:
        """Return the tree as it stands after so many nodes of others."""
        return self._replace(children=np.where(self.children < 0, LEAF, self.children + n_nodes))


def _single(X: Features) -> AnyArray:
    """Return items in single precision, as the trees were grown."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(X.toarray() if issparse(X) else X, dtype=np.float32)


def _plain(X: Features) -> Features:
    return csr_matrix(X) if issparse(X) else X

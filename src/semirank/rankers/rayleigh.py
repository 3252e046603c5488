"""Rayleigh ranking: the direction in which better items lie apart, and neighbours lie together."""

from collections.abc import Mapping
from math import inf
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular
from scipy.sparse import csr_array, diags_array, triu
from sklearn.base import clone
from sklearn.utils import Tags, gen_even_slices
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Floats, Integers
from semirank.core.threads import in_parallel, one_blas_thread
from semirank.dataset import Features, RankingDataset
from semirank.features.gram_schmidt import GramSchmidt
from semirank.graphs import knn_graph, laplacian
from semirank.kernels import GAMMA, KERNEL, Kernel, resolve
from semirank.learned import Array, Part, Table
from semirank.limits import Between, Limit, OneOf
from semirank.rankers._base import Contributions, Ranker
from semirank.rankers.assumptions import MANIFOLD
from semirank.rankers.kept_items import callers_order, check_item
from semirank.rankers.label_levels import check_levels, compare_levels, relative_to_list
from semirank.rankers.pairs import check_weights
from semirank.rankers.sums.passes import Passes

WIDTH = 1 / 3
BLOCK_ROWS = 4096
PARTS = 16


class RayleighRanker(Ranker):
    """Rank by the linear score that separates better from worse items and varies little among neighbours.

    In the `GramSchmidt` coordinates X of all items, labelled or not, the score of an item x is w'x with ::

        w = (ridge I + S+ + S- + (smoothness / N) X'LX)^-1 (mu+ - mu-).

    mu and S are the mean and covariance of the relevant (+) and irrelevant (-) items, and L is the
    normalised Laplacian of the graph that joins each of the N items to its nearest neighbours [1]_.
    For Gaussian classes, and without ridge and smoothness, no linear score has a higher AUC.

    With more than two levels of labels every pair of levels a > b counts, by the share n_a n_b of its pairs
    of items: ``mu+ - mu-`` is the mean difference of two items with different labels, and ``S+ + S-`` the
    mean of S_a + S_b over such pairs.

    In several lists, mu and S are those of the items relative to the mean of all items of their list,
    unlabelled ones included; neighbours are in the same list. One w serves all lists, so a list without
    labels is ranked too.

    Parameters
    ----------
    kernel : {"linear", "rbf", "polynomial", "cosine", "precomputed"}
        The kernel; see `semirank.kernels.Kernel`. With "precomputed", X is the kernel matrix in `fit`, and
        in `predict` the kernel of new items (rows) with all fitted ones.
    gamma : float, optional
        Coefficient of "rbf", ``exp(-gamma |x - z|^2)``, and "polynomial". None: ``4.5 / m^2`` with m the
        median distance of items for "rbf" (a bell a third of m wide), ``1 / n_features`` for
        "polynomial".
    n_components : int
        Number of coordinates; fewer when the items span no more.
    n_neighbors : int
        Neighbours of each item in the graph: nearest by Euclidean distance, by angle for kernel="cosine",
        and in the coordinates for a precomputed kernel.
    ridge : float
        Added to the covariances; in units of the kernel.
    smoothness : float
        Weight of the differences between neighbours. It multiplies a mean over items, so that it means the
        same for any number of them: the gamma of [1]_ is ``smoothness * N``. 0: no graph.
    laplacian : {"normalised", "unnormalised"}
        ``I - D^-1/2 W D^-1/2`` as in [1]_, or ``D - W``, for which a constant added to all scores costs
        nothing.
    degree : int
        Degree of "polynomial".

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    projection_ : GramSchmidt
        The coordinates.
    weights_ : float64 array of shape (`n_components_`,)
        w.
    factor_ : float64 array of shape (`n_components_`, `n_components_`)
        Cholesky factor, lower, of the matrix that is inverted above.
    labelled_items_ : int64 array of shape (n_labelled,)
        The rows of the labelled items.
    pulls_ : float64 array of shape (n_labelled,)
        Their factors in ``mu+ - mu-``, which sum to 0.
    items_ : array or CSR matrix of shape (n_items, n_features)
        The items given to `fit`, for `explain`.
    lists_ : int64 array of shape (n_items,)
        The number of the list of each of them.

    See Also
    --------
    RayleighRankerCV : chooses its settings by held-out labels.
    ManifoldRanking : labels spread over the graph itself.
    semirank.features.GramSchmidt : its coordinates.

    Notes
    -----
    O(N p^2) time and O(N p) memory for N items and p components, besides the graph; p kernel values for
    the score of a new item. Labels with many different values leave few items of a level to estimate its
    covariance from; `RankRLS` is the method for these.

    References
    ----------
    .. [1] L. Ralaivola. Semi-supervised bipartite ranking with the normalized Rayleigh coefficient.
       ESANN 2009, equations 4 and 5.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RayleighRanker
    >>> X = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]])
    >>> y = np.array([1, np.nan, np.nan, 0, np.nan, np.nan])
    >>> ranker = RayleighRanker(n_neighbors=2).fit(X, y)
    >>> bool(ranker.scores_[:3].min() > ranker.scores_[3:].max())
    True
    >>> items, amounts = ranker.explain(1)
    >>> items, bool(np.isclose(amounts.sum(), ranker.scores_[1]))
    (array([0, 3]), True)
    """

    learned: ClassVar[Table] = Ranker.learned | {
        "projection_": Part("GramSchmidt"),
        "factor_": Array("n_components", "n_components"),
        "weights_": Array("n_components"),
        "labelled_items_": Array("n_labelled", dtype="int64", low=0, high="n_items"),
        "pulls_": Array("n_labelled"),
        "items_": Array("n_items", "n_features", dtype="float", sparse=True),
        "lists_": Array("n_items", dtype="int64", low=0, high="n_lists"),
    }

    @property
    def takes_sparse(self) -> bool:
        """Whether X may be sparse: not where it is a kernel matrix."""
        return self.kernel != "precomputed"

    @property
    def assumption(self) -> str | None:
        """What the smoothness over the graph assumes; None where there is none of it."""
        return None if self.smoothness == 0 else MANIFOLD

    @property
    def ignores_unlabelled(self) -> bool:
        """No: they span the coordinates, and move the mean of their list."""
        return False

    @property
    def learns_by_sums(self) -> bool:
        """Whether sums over parts are enough: not where X is a kernel matrix."""
        return self.kernel != "precomputed"

    def _fit_sums(self, passes: Passes) -> None:
        from semirank.rankers.sums import rayleigh

        rayleigh.fit(self, passes)

    takes_weights = ("sample_weight",)
    called = "Rayleigh ranker, {kernel} kernel"
    limits: ClassVar[Mapping[str, Limit]] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "n_components": Between(1, inf, Integral),
        "n_neighbors": Between(1, inf, Integral),
        "ridge": Between(0, inf, closed="neither"),
        "smoothness": Between(0, inf, closed="left"),
        "laplacian": OneOf("normalised", "unnormalised"),
        "degree": Between(1, inf, Integral),
    }

    projection_: GramSchmidt
    weights_: Floats
    factor_: Floats
    labelled_items_: Integers
    pulls_: Floats
    items_: Features
    lists_: Integers

    def __init__(
        self,
        kernel: str = "rbf",
        gamma: float | None = None,
        n_components: int = 1000,
        n_neighbors: int = 5,
        ridge: float = 1e-3,
        smoothness: float = 30.0,
        *,
        laplacian: str = "normalised",
        degree: int = 3,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.ridge = ridge
        self.smoothness = smoothness
        self.laplacian = laplacian
        self.degree = degree

    def supervised(self) -> Ranker:
        """Return the ranker without unlabelled items."""
        return clone(self).set_params(smoothness=0.0)

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Find the direction, from the labels and from the neighbourhoods of all items.

        A `sample_weight` of 2 counts as a label given twice in mu and S, 0 as an item without a label; the
        coordinates and the graph know no weights.
        """
        data = self._check(X, y, qid)
        weights = check_weights(sample_weight, data)
        if not weights.all():
            data = self._check(X, np.where(data.restore(weights) > 0, data.restore(data.y), np.nan), qid)
        check_levels(data)
        features = self._project(data)
        graph_laplacian = self._laplacian(data, features) if self.smoothness > 0 else None
        return self._solve(data, features, graph_laplacian, weights)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by the direction found in `fit`."""
        data = self._check_new(X, qid)
        return data.restore(self._along(data.X, self.weights_))

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into one contribution for each labelled item.

        With A the matrix that is inverted, and c the factors in ``mu+ - mu- = sum_i c_i (x_i - m_i)``, m_i
        being the mean of the list of item i, the contribution of item i to the score of x is
        ``c_i (x_i - m_i)' A^-1 x``. A itself, which holds the covariances, is taken as given.

        Parameters
        ----------
        item : int
            Row of the item in the data given to `fit`.

        Returns
        -------
        Contributions
            Row numbers of the labelled items, and amounts that add up to ``scores_[item]``.
        """
        check_is_fitted(self, "weights_")
        item = check_item(item, len(self.scores_))
        features = self.projection_.transform(self.items_[[item]])[0].astype(np.float64)
        along = self._along(self.items_, cho_solve((self.factor_, True), features))
        means = np.bincount(self.lists_, weights=along) / np.bincount(self.lists_)
        amounts = self.pulls_ * (along - means[self.lists_])[self.labelled_items_]
        return Contributions(self.labelled_items_, amounts)

    def _project(self, data: RankingDataset) -> Floats:
        """Fit the coordinates, which unlabelled items span as well as labelled ones."""
        X = (callers_order(data) if self.kernel == "precomputed" else data.X).astype(np.float64)
        gamma = resolve(self.kernel, self.gamma, X, width=WIDTH).gamma
        self.projection_ = GramSchmidt(self.kernel, gamma, self.n_components, degree=self.degree)
        features: Floats = self.projection_.fit_transform(X)
        return data.arrange(features) if self.kernel == "precomputed" else features

    def _laplacian(self, data: RankingDataset, features: Floats) -> csr_array:
        points = features if self.kernel == "precomputed" else data.X
        distance: Any = "cosine" if self.kernel == "cosine" else "euclidean"
        graph = knn_graph(points, self.n_neighbors, distance=distance, weights="binary", indptr=data.indptr)
        return laplacian(graph, normed=self.laplacian == "normalised")

    def _solve(
        self, data: RankingDataset, features: Floats, graph_laplacian: csr_array | None, weights: Floats
    ) -> Self:
        """Solve ``(ridge I + S+ + S- + smoothness X'LX / N) w = mu+ - mu-``."""
        labelled = np.flatnonzero(data.labelled)
        centred = relative_to_list(features, data, labelled)
        pulls, matrix = compare_levels(centred, data.y[labelled], weights[labelled])
        matrix[np.diag_indices_from(matrix)] += self.ridge
        if graph_laplacian is not None:
            matrix += self.smoothness * roughness(features, graph_laplacian)
        self.factor_ = factorise(matrix)
        self.weights_ = cho_solve((self.factor_, True), pulls @ centred)
        self._remember(data, labelled, pulls)
        return self._store(data, features @ self.weights_)

    def _remember(self, data: RankingDataset, labelled: Integers, pulls: Floats) -> None:
        order = np.argsort(data.order[labelled])
        self.labelled_items_ = data.order[labelled][order]
        self.pulls_ = pulls[order]
        self.items_ = callers_order(data)
        self.lists_ = data.restore(data.list_of_item)

    def _along(self, X: Features, direction: Floats) -> Floats:
        """Return the inner product of the coordinates of each item with a direction, by p kernel values."""
        base = self.projection_
        kernel = Kernel(base.kernel, base.gamma_, base.degree)
        weights = solve_triangular(base.triangle_, direction, lower=True, trans="T")
        return kernel.product(X.astype(np.float64), base.basis_, weights)

    def _check_state(self) -> None:
        super()._check_state()
        if self.projection_.n_components_ != len(self.weights_):
            raise ValueError("weights_ must have one row for each component")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def roughness(X: Floats, graph_laplacian: csr_array) -> Floats:
    """Return ``X'LX / N``: the mean squared difference of neighbours in each direction.

    Every edge is visited once: ``L = U + U'`` with U the upper triangle and half the diagonal of L.
    """
    upper = csr_array(triu(graph_laplacian, 1, "csr") + diags_array(graph_laplacian.diagonal() / 2.0))

    def part(rows: slice) -> Floats:
        total = np.zeros((X.shape[1], X.shape[1]))
        for start in range(rows.start, rows.stop, BLOCK_ROWS):
            some = slice(start, min(start + BLOCK_ROWS, rows.stop))
            total += X[some].T @ (upper[some] @ X)
        return total

    with one_blas_thread():
        total = np.sum(in_parallel(part, gen_even_slices(X.shape[0], min(PARTS, X.shape[0]))), axis=0)
    return (total + total.T) / X.shape[0]


def factorise(matrix: Floats) -> Floats:
    """Return the lower Cholesky factor of a matrix that should be positive definite."""
    if not np.isfinite(matrix).all():
        raise ValueError(
            "The covariances, the ridge and the smoothness come to more than any number. Scale the features, "
            "or lower degree, ridge or smoothness."
        )
    try:
        return cholesky(matrix, lower=True)
    except LinAlgError:
        raise ValueError(
            "The covariances are singular to rounding beside the ridge, which is in units of the kernel: "
            f"the largest entry is {np.abs(matrix).max():g}. Raise ridge, or scale the features."
        ) from None

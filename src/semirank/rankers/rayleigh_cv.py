"""Rayleigh ranking whose width, size, ridge and smoothness are chosen by labels that were held out."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import inf
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank import metrics
from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.kernels import KERNEL, median_distance
from semirank.learned import Part, Table
from semirank.limits import Between, Limit, OneOf, Several
from semirank.metrics.notation import MetricName
from semirank.rankers._base import Contributions, Ranker
from semirank.rankers.assumptions import MANIFOLD
from semirank.rankers.cross_validation import CrossValidated, deal_labels
from semirank.rankers.label_levels import check_levels, compare_levels, relative_to_list
from semirank.rankers.rayleigh import WIDTH, RayleighRanker, factorise, roughness

CLEARLY = 2.0


class RayleighRankerCV(CrossValidated, Ranker):
    """A `RayleighRanker` that chooses its width, size, ridge and smoothness by labels that were held out.

    Part of the labels is hidden, the rest teaches, and a metric of the hidden ones is measured; all items,
    and the neighbourhoods of all, stay in view. Where two or more lists have labels of different levels,
    whole lists are hidden, else items, with equal labels dealt out evenly. Both are dealt out by a fixed
    projection of the features, so that the order of the items does not matter and there is no seed.

    Of the settings that the best one does not beat by two standard errors of their difference over the
    folds, the one nearest to the defaults of `RayleighRanker` is taken and fitted to all labels: few labels
    cannot tell small differences, and the best of many settings is partly the luckiest.

    Parameters
    ----------
    kernel : {"linear", "rbf", "polynomial", "cosine", "precomputed"}
        As in `RayleighRanker`.
    widths : tuple of float
        Widths of the bell of "rbf" to try, as multiples of the median distance m: ``gamma = 1 / (2 (width
        m)^2)``. Not used by other kernels.
    sizes : tuple of int
        Numbers of coordinates to try.
    n_neighbors : int
        Neighbours of each item in the graph.
    ridges : tuple of float
        Ridges to try.
    smoothnesses : tuple of float
        Smoothnesses to try.
    metric : str
        The name of the metric by which settings are judged, such as "AUC" or "nDCG@10".
    n_folds : int
        Into how many parts labels are dealt, at most: each has to hold items of different levels and to
        leave such items.
    laplacian : {"normalised", "unnormalised"}
        As in `RayleighRanker`.
    degree : int
        Degree of "polynomial".

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    best_params_, best_score_, best_index_, cv_results_
        The chosen gamma, n_components, ridge and smoothness, and what came of all settings, in the order of
        these parameters (the last varies first). A part that is held out is a fold.
    ranker_ : RayleighRanker
        The ranker with the chosen setting, fitted to all labels.

    See Also
    --------
    RayleighRanker : with settings of yours.

    Notes
    -----
    The graph is built once, the coordinates once for each width, and one Cholesky factor of size p, the
    largest number of components, serves all smaller ones, because the coordinates are nested: O(p^3 / 3)
    for each width, fold, ridge and smoothness. (One generalised eigenproblem would serve all values of the
    ridge or of the smoothness, but costs as much as some seventeen factors and serves one size only.)

    References
    ----------
    .. [1] L. Ralaivola. Semi-supervised bipartite ranking with the normalized Rayleigh coefficient.
       ESANN 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RayleighRankerCV
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> y = np.where(np.arange(20) % 3 == 0, X[:, 0] > 0.5, np.nan)
    >>> ranker = RayleighRankerCV(smoothnesses=(0.0, 30.0)).fit(X, y)
    >>> ranker.best_params_["ridge"], ranker.cv_results_["mean_test_score"].shape  # 4 x 3 x 3 x 2
    (0.001, (72,))
    """

    learned: ClassVar[Table] = Ranker.learned | CrossValidated.learned | {"ranker_": Part("RayleighRanker")}

    @property
    def takes_sparse(self) -> bool:
        """Whether X may be sparse: not where it is a kernel matrix."""
        return self.kernel != "precomputed"

    @property
    def assumption(self) -> str | None:
        """What the smoothness over the graph assumes; None where there is none of it to choose."""
        return MANIFOLD if any(self.smoothnesses) else None

    called = "Rayleigh ranker, {kernel} kernel, tuned"
    limits: ClassVar[Mapping[str, Limit]] = {
        "kernel": KERNEL,
        "widths": Several(Between(1e-6, 1e6)),
        "sizes": Several(Between(1, inf, Integral)),
        "n_neighbors": Between(1, inf, Integral),
        "ridges": Several(Between(0, inf, closed="neither")),
        "smoothnesses": Several(Between(0, inf, closed="left")),
        "metric": MetricName(),
        "n_folds": Between(2, inf, Integral),
        "laplacian": OneOf("normalised", "unnormalised"),
        "degree": Between(1, inf, Integral),
    }

    ranker_: RayleighRanker

    def __init__(
        self,
        kernel: str = "rbf",
        *,
        widths: tuple[float, ...] = (1 / 6, 1 / 3, 2 / 3, 4 / 3),
        sizes: tuple[int, ...] = (100, 300, 1000),
        n_neighbors: int = 5,
        ridges: tuple[float, ...] = (1e-4, 1e-3, 1e-2),
        smoothnesses: tuple[float, ...] = (0.0, 3.0, 30.0, 300.0),
        metric: str = "AUC",
        n_folds: int = 5,
        laplacian: str = "normalised",
        degree: int = 3,
    ) -> None:
        self.kernel = kernel
        self.widths = widths
        self.sizes = sizes
        self.n_neighbors = n_neighbors
        self.ridges = ridges
        self.smoothnesses = smoothnesses
        self.metric = metric
        self.n_folds = n_folds
        self.laplacian = laplacian
        self.degree = degree

    def supervised(self) -> Ranker:
        """Return the ranker without unlabelled items."""
        return clone(self).set_params(smoothnesses=(0.0,))

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Try every setting on labels that were held out, and fit the chosen one to all."""
        data = self._check(X, y, qid)
        check_levels(data)
        folds = deal_labels(data, self.n_folds)
        values, graph_laplacian = self._judge(data, folds)
        self._keep_results(self._settings(data), values.reshape(-1, len(folds)), self._choose(values))
        self.ranker_ = RayleighRanker(self.kernel, **self.best_params_, **self._shared())
        data = self.ranker_._check(X, y, qid)
        self.ranker_._solve(data, self.ranker_._project(data), graph_laplacian, np.ones(data.n_items))
        self.scores_ = self.ranker_.scores_
        return self

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by the ranker that was chosen."""
        self._check_new(X, qid)
        return self.ranker_.predict(X, qid)

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into one contribution for each labelled item."""
        check_is_fitted(self, "ranker_")
        return self.ranker_.explain(item)

    def _shared(self) -> dict[str, Any]:
        return {"n_neighbors": self.n_neighbors, "laplacian": self.laplacian, "degree": self.degree}

    def _gammas(self, data: RankingDataset) -> list[float | None]:
        if self.kernel != "rbf":
            return [None]
        median = median_distance(data.X)
        return [0.5 / (width * median) ** 2 for width in self.widths]

    def _judge(self, data: RankingDataset, folds: list[Booleans]) -> tuple[Floats, csr_array | None]:
        """Return the metric by width, size, ridge, smoothness and fold; and the Laplacian, if any."""
        values, graph_laplacian = [], None
        for gamma in self._gammas(data):
            ranker = RayleighRanker(self.kernel, gamma, max(self.sizes), **self._shared())
            features = ranker._project(data)
            if graph_laplacian is None and max(self.smoothnesses) > 0:
                graph_laplacian = ranker._laplacian(data, features)
            rough = 0.0 if graph_laplacian is None else roughness(features, graph_laplacian)
            values.append(self._judge_width(data, features, rough, folds))
        return np.array(values), graph_laplacian

    def _judge_width(
        self, data: RankingDataset, features: Floats, rough: Floats | float, folds: list[Booleans]
    ) -> Floats:
        labelled, metric = np.flatnonzero(data.labelled), metrics.parse(self.metric)
        X, y, qid = relative_to_list(features, data, labelled), data.y[labelled], data.qid[labelled]
        shape = (len(self.sizes), len(self.ridges), len(self.smoothnesses), len(folds))
        values = np.empty(shape)
        for f, held in enumerate(folds):
            pulls, spread = compare_levels(X[~held], y[~held], np.ones(int((~held).sum())))
            for (r, ridge), (s, smoothness) in product(enumerate(self.ridges), enumerate(self.smoothnesses)):
                matrix = spread + smoothness * rough
                matrix[np.diag_indices_from(matrix)] += ridge
                directions = nested_directions(matrix, pulls @ X[~held], self.sizes)
                for p, scores in enumerate((X[held] @ directions).T):
                    values[p, r, s, f] = np.nanmean(metric(y[held], scores, qid[held]))
        return values if metric.greater_is_better else -values

    def _settings(self, data: RankingDataset) -> list[dict[str, Any]]:
        """Return every setting, the last parameter varying first."""
        names = ("gamma", "n_components", "ridge", "smoothness")
        values = self._gammas(data), self.sizes, self.ridges, self.smoothnesses
        return [dict(zip(names, each, strict=True)) for each in product(*values)]

    def _choose(self, values: Floats) -> int:
        """Take the setting nearest to the defaults among those that the best does not clearly beat."""
        means = values.mean(axis=-1)
        best = np.unravel_index(means.argmax(), means.shape)
        lead = values[best] - values
        error = lead.std(axis=-1, ddof=1) / np.sqrt(values.shape[-1])
        usual = RayleighRanker()
        axes = [
            _steps_from(WIDTH, self.widths if self.kernel == "rbf" else (WIDTH,)),
            _steps_from(usual.n_components, self.sizes),
            _steps_from(usual.ridge, self.ridges),
            _steps_from(usual.smoothness, self.smoothnesses),
        ]
        steps = sum(np.ix_(*axes))
        good = lead.mean(axis=-1) <= CLEARLY * error
        return int(np.lexsort((-means.ravel(), np.where(good, steps, np.inf).ravel()))[0])

    def _check_state(self) -> None:
        super()._check_state()
        kind = type(self.ranker_).__name__
        if kind != RayleighRanker.__name__ or len(self.ranker_.scores_) != len(self.scores_):
            raise ValueError("ranker_ must be a RayleighRanker fitted to the same items")
        self._check_results()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags


def nested_directions(matrix: Floats, target: Floats, sizes: Sequence[int]) -> Floats:
    """Solve ``matrix w = target`` in the first p coordinates only, for each size p, by one Cholesky factor.

    Returns one column for each size, 0 in the coordinates beyond it.
    """
    factor = factorise(matrix)
    half = solve_triangular(factor, target, lower=True)
    directions = np.zeros((len(target), len(sizes)))
    for column, size in enumerate(sizes):
        directions[:size, column] = solve_triangular(factor[:size, :size], half[:size], lower=True, trans="T")
    return directions


def _steps_from(usual: float, values: Sequence[float]) -> Integers:
    """Count how many values lie between each value and the one nearest to the usual one."""
    rank = np.argsort(np.argsort(values))
    return np.abs(rank - rank[np.argmin(np.abs(np.asarray(values) - usual))])

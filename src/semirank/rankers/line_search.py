"""Line search: the weights of features for which a list metric itself is highest."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.dataset import Features, RankingDataset
from semirank.learned import Array, Table
from semirank.limits import SEED, Between, Limit
from semirank.metrics.notation import MetricName
from semirank.rankers._base import Ranker
from semirank.rankers.formulas import Linear
from semirank.rankers.losses.list_metric import ListObjective
from semirank.rankers.solvers.line_search import Path, climb


class LineSearchRanker(Ranker):
    r"""Rank by the weighted sum of the features for which a metric of the labelled lists is highest.

    The score is ``w'x``, and w maximises the mean over lists v of the metric itself,

    .. math:: M(w) = \frac{1}{q} \sum_v m(y_v,\, X_v w),

    with no loss in its place. M is a step function without slopes, but along a line ``w + t d`` it can be
    maximised exactly: the scores of two items are straight lines in t, the order of a list changes only where
    two of them cross, and between crossings M is constant. The search goes along each feature, along random
    directions and along what a round has moved, always to the best interval of the whole line, and is
    repeated from several starts. This is minimum error rate training, known from machine translation [1]_.

    Labels may be continuous. Unlabelled items get scores and teach nothing.

    Parameters
    ----------
    metric : str
        The name of a metric, such as "nDCG@10", "AP" or "Label@1", the mean label of the top items.
    n_restarts : int
        Number of starts. The first is the covariance of features and labels, the others are random.
    n_directions : int
        Number of random directions in a round, beside one for each feature.
    max_rounds : int
        Most rounds from one start; it ends earlier when a round brings nothing.
    random_state : int, Generator or None
        The starts, the random directions, and the order of the features.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    coef_ : float64 array of shape (n_features,)
        The weights w; 0 for features that are constant within every list.
    values_ : float64 array
        The mean metric at the best start and after each of its rounds.
    restarts_ : float64 array of shape (n_restarts,)
        The mean metric that was reached from each start.

    See Also
    --------
    RankRLS : a loss that stands in for the metric, for few lists.
    semirank.metrics.parse : names of metrics.

    Notes
    -----
    A line costs, for a list of n items, O(n log n) if the metric looks at the top item only (Label@1, P@1,
    nDCG@1), whose scores are the upper envelope of the lines; O(n^2 log n), one step a crossing, for nDCG,
    AP, P, R, RR, AUC, Label and Disagreement; for any other metric, the metric of all n^2 / 2 orders. Lists
    are followed in parallel. A round has a line for each feature, so this is for up to some hundred features.

    Items with the same features stay tied, for which metrics take the mean over both orders. The search does
    so too for nDCG, P, R and Label; for the others it takes the worse order.

    References
    ----------
    .. [1] F. J. Och. Minimum error rate training in statistical machine translation. ACL 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import LineSearchRanker
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(60, 3)), np.repeat(np.arange(6), 10)
    >>> y = X[:, 0] - X[:, 1]
    >>> ranker = LineSearchRanker("Label@1", n_restarts=3, random_state=0).fit(X, y, qid)
    >>> best = np.mean([y[qid == each].max() for each in range(6)])
    >>> bool(np.isclose(ranker.values_[-1], best))
    True
    """

    called = "line search for {metric}"
    limits: ClassVar[Mapping[str, Limit]] = {
        "metric": MetricName(),
        "n_restarts": Between(1, kind=Integral),
        "n_directions": Between(0, kind=Integral),
        "max_rounds": Between(1, kind=Integral),
        "random_state": SEED,
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "coef_": Array("n_features"),
        "values_": Array("n_steps"),
        "restarts_": Array("n_restarts"),
    }

    coef_: Floats
    values_: Floats
    restarts_: Floats

    def __init__(
        self,
        metric: str = "nDCG@10",
        n_restarts: int = 5,
        *,
        n_directions: int = 10,
        max_rounds: int = 30,
        random_state: Any = None,
    ) -> None:
        self.metric = metric
        self.n_restarts = n_restarts
        self.n_directions = n_directions
        self.max_rounds = max_rounds
        self.random_state = random_state

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Search for the weights that rank the labelled items best, and score all items."""
        data = self._check(X, y, qid)
        metric = metrics.parse(self.metric)
        objective = ListObjective(data.take(data.labelled), metric)
        scaled, spreads = _scale(objective.training_set)
        paths = self._climb(scaled, spreads > 0, objective)
        best = max(paths, key=lambda path: path.value)
        sign = 1.0 if metric.greater_is_better else -1.0
        self.values_, self.restarts_ = sign * best.values, sign * np.array([path.value for path in paths])
        self.coef_ = np.divide(best.coef, spreads, out=np.zeros(len(spreads)), where=spreads > 0)
        return self._store(data, data.X @ self.coef_)

    def formula(self) -> Linear:
        """Return what `predict` computes."""
        check_is_fitted(self, "coef_")
        return Linear(self.coef_)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items; the list they stand in makes no difference."""
        check_is_fitted(self, "coef_")
        data = self._check_new(X, qid)
        return data.restore(np.asarray(data.X @ self.coef_, dtype=np.float64))

    def _climb(self, X: Features, varies: Any, objective: ListObjective) -> list[Path]:
        seed = self.random_state
        if not isinstance(seed, np.random.Generator):
            seed = check_random_state(seed).randint(2**31)
        rng = np.random.default_rng(seed)
        axes = np.flatnonzero(varies)
        paths = []
        for restart in range(self.n_restarts):
            start = np.where(varies, rng.normal(size=len(varies)), 0.0)
            if restart == 0:
                start = _covariance(X, objective.training_set)
            paths.append(climb(X, objective, start, axes, self.n_directions, self.max_rounds, rng))
        return paths


def _scale(training_set: RankingDataset) -> tuple[Features, Floats]:
    """Return the features divided by their spread within lists, and the spreads (0: constant in each list).

    Dense features are also taken relative to the mean of their list, which changes no order.
    """
    X, members, sizes = training_set.X, _members(training_set), np.diff(training_set.indptr)[:, None]
    if not issparse(X):
        noise = 1e-12 * np.abs(X).max(axis=0)
        X = X - (members @ X / sizes)[training_set.list_of_item]
        spreads = np.sqrt(np.mean(X**2, axis=0))
        spreads[spreads <= noise] = 0.0
        return X / np.where(spreads > 0, spreads, 1.0), spreads
    sums = members @ X
    squares = np.asarray((members @ X.multiply(X)).sum(axis=0) - sums.multiply(sums / sizes).sum(axis=0))
    noise = 1e-12 * np.asarray(X.multiply(X).sum(axis=0))
    spreads = np.sqrt(np.where(squares > noise, squares, 0.0) / training_set.n_items)
    return csr_array(X.multiply(1.0 / np.where(spreads > 0, spreads, 1.0))), spreads


def _covariance(X: Features, training_set: RankingDataset) -> Floats:
    """Return the covariance of features and labels within lists."""
    means = _members(training_set) @ training_set.y / np.diff(training_set.indptr)
    return np.asarray(X.T @ (training_set.y - means[training_set.list_of_item])) / training_set.n_items


def _members(training_set: RankingDataset) -> Any:
    """Return the matrix that sums over the items of each list."""
    places = (np.ones(training_set.n_items), np.arange(training_set.n_items), training_set.indptr)
    return csr_array(places, shape=(training_set.n_lists, training_set.n_items))

"""RankRLS that chooses its ridge by leaving lists out."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.kernels import GAMMA, KERNEL
from semirank.learned import Table
from semirank.limits import FLAG, Limit
from semirank.metrics import Metric
from semirank.metrics.notation import MetricName
from semirank.rankers.cross_validation import CrossValidated
from semirank.rankers.kernel_ranker import COMPONENTS, DEGREE
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.solvers.held_out import list_errors, without_items, without_lists
from semirank.rankers.solvers.least_squares import LeastSquares
from semirank.rankers.sums.passes import Passes

GRID = 10.0 ** np.arange(-6.0, 1.5, 0.5)
FEWEST = 5
FOR_FEW = 2.0


class Ridges:
    """Any positive numbers, or None."""

    def __contains__(self, value: object) -> bool:
        if value is None:
            return True
        if isinstance(value, str) or not isinstance(value, (list, tuple, np.ndarray)) or len(value) == 0:
            return False
        numbers = np.asarray(value)
        return (
            numbers.ndim == 1
            and numbers.dtype.kind in "iuf"
            and bool(((numbers > 0) & (numbers < np.inf)).all())
        )

    def __str__(self) -> str:
        return "a sequence of positive numbers or None"

    def parse(self, text: str) -> list[float] | None:
        """Read numbers with commas between them, or None."""
        return None if text.lower() == "none" else [float(part) for part in text.split(",")]


class RankRLSCV(CrossValidated, RankRLS):
    """RankRLS with the ridge under which left-out lists are ranked best.

    Each list is scored as if its own labels had never been seen, for every ridge, by one
    eigendecomposition (`RankRLS.leave_list_out`). The default measure is the squared error of label
    differences, the one that is minimised in learning. Of the ridges whose mean over lists is within one
    standard error of the best, the largest is taken; the standard error is that of the difference to the
    best, list by list.

    Data with one list leave single items out instead. Fewer than five lists (or, in one list, items) say
    too little about a ridge: then it is twice the mean squared distance of two labelled items of a list.

    Parameters
    ----------
    kernel, gamma, n_components, degree, tied_lists
        See `RankRLS`.
    ridges : sequence of float, optional
        The ridges to try. None: fifteen, from 1e-6 to 10 times the mean squared distance s of two labelled
        items of a list in the kernel's space; in data with one list of n items, 1e-4 to 1000 times 2 s / n.
    metric : str
        "squared", or the name of a metric such as "nDCG@10" or "AUC".

    Attributes
    ----------
    ridge_ : float
        The chosen ridge.
    best_params_, best_score_, best_index_, cv_results_
        The ridge that was chosen, and what came of all that were tried, in ascending order. A part that is
        held out is a list (with "squared", in data with one list, an item). Scores are the higher the better:
        squared errors are negated.
    scores_, coef_, items_, dual_coef_, gamma_
        See `RankRLS`.

    See Also
    --------
    RankRLS : with a ridge of yours.
    AutoRanker : chooses among rankers of several kinds.

    Notes
    -----
    One eigendecomposition, of a matrix as large as the smaller of features (d) and labelled items (m), and
    for each ridge and list of n items O(n^2 d + n^3), or O(n^2 m) with the kernels of labelled items.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RankRLSCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 3))
    >>> y = X[:, 0] + 0.1 * rng.normal(size=60)
    >>> ranker = RankRLSCV().fit(X, y, qid=np.repeat(np.arange(10), 6))
    >>> ranker.coef_.round(1)
    array([1., 0., 0.])
    >>> ranker.cv_results_["split_test_score"].shape
    (15, 10)
    >>> ranker.best_params_ == {"ridge": ranker.ridge_}
    True
    """

    called = "RankRLS, {kernel} kernel, tuned"
    limits: ClassVar[Mapping[str, Limit]] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "ridges": Ridges(),
        "metric": MetricName("squared"),
        "n_components": COMPONENTS,
        "degree": DEGREE,
        "tied_lists": FLAG,
    }

    learned: ClassVar[Table] = RankRLS.learned | CrossValidated.learned

    def __init__(
        self,
        kernel: str = "linear",
        gamma: float | None = None,
        ridges: Any = None,
        metric: str = "squared",
        n_components: int | None = None,
        *,
        degree: int = 3,
        tied_lists: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.ridges = ridges
        self.metric = metric
        self.n_components = n_components
        self.degree = degree
        self.tied_lists = tied_lists

    def _fit_sums(self, passes: Passes) -> None:
        from semirank.rankers.sums import rankrls_cv

        rankrls_cv.fit(self, passes)

    def _choose_ridge(self, problem: LeastSquares) -> float:
        loss, unit = problem.loss, problem.form.spread() if self.ridges is None else 1.0
        count = float(loss.weights.sum()) if loss.n_lists == 1 else loss.n_lists
        ridges = self._ridges_to_try(unit, loss.n_lists, count)
        weights = None
        if self.metric == "squared":
            scores = -_squared_errors(problem, ridges)
            weights = problem.loss.weights if problem.loss.n_lists == 1 else None
        else:
            scores = _measure(metrics.parse(self.metric), problem, ridges)
        return self._decide(ridges, scores, weights)

    def _ridges_to_try(self, unit: float, n_lists: int, count: float) -> Floats:
        """Return the ridges, by default multiples of the mean squared distance of two items of a list."""
        if self.ridges is None:
            return _default_ridges(unit or 1.0, n_lists, count)
        return np.unique(self.ridges).astype(float)

    def _decide(self, ridges: Floats, scores: Floats, weights: Floats | None = None) -> float:
        """Keep what came of all ridges, and return the one to use."""
        if np.isnan(scores).any(axis=0).all():
            raise ValueError(f"{self.metric} is not defined for any list, so it cannot choose the ridge.")
        best = largest_within_one_error(-scores[:, ~np.isnan(scores).any(axis=0)], weights)
        self._keep_results([{"ridge": float(ridge)} for ridge in ridges], scores, best, weights)
        return float(ridges[best])

    def _check_state(self) -> None:
        super()._check_state()
        self._check_results()


def _default_ridges(unit: float, n_lists: int, count: float) -> Floats:
    if count < FEWEST:
        return np.array([FOR_FEW * unit])
    return GRID * unit * 200.0 / count if n_lists == 1 else GRID * unit


def _squared_errors(problem: LeastSquares, ridges: Floats) -> Floats:
    """Return the squared error of each left-out list, or of each left-out item of the only list."""
    if problem.loss.n_lists > 1:
        return list_errors(problem, ridges)
    return problem.form.without_item(ridges) ** 2


def _measure(metric: Metric, problem: LeastSquares, ridges: Floats) -> Floats:
    """Return the metric of each left-out list, the higher the better."""
    leave_out = without_lists if problem.loss.n_lists > 1 else without_items
    rows = problem.loss.rows
    y, qid = problem.data.y[rows], problem.data.list_of_item[rows]
    values = np.array([metric(y, scores[rows], qid) for scores in leave_out(problem, ridges)])
    return values if metric.greater_is_better else -values


def largest_within_one_error(errors: Floats, counts: Floats | None = None) -> int:
    """Choose the last row whose mean is within one standard error of the smallest, by paired differences.

    A column counts as often as `counts` says; None: once.
    """
    counts = np.ones(errors.shape[1]) if counts is None else counts
    total = counts.sum()
    differences = errors - errors[np.argmin(errors @ counts)]
    means = differences @ counts / total
    squares = (differences - means[:, None]) ** 2 @ counts
    allowed = np.sqrt(squares / ((total - 1.0) * total)) if total > 1.0 else 0.0
    # a difference in one column alone is exactly one standard error: rounding must not decide
    return int(np.flatnonzero(means <= allowed * (1.0 + 1e-9))[-1])

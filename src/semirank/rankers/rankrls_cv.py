"""RankRLS that chooses its ridge by leaving lists out."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.kernels import GAMMA, KERNEL
from semirank.limits import Limit
from semirank.metrics import Metric
from semirank.metrics.notation import MetricName
from semirank.rankers.kernel_ranker import COMPONENTS, DEGREE
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.solvers.held_out import list_errors, without_items, without_lists
from semirank.rankers.solvers.least_squares import LeastSquares

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


class RankRLSCV(RankRLS):
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
    kernel, gamma, n_components, degree
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
    ridges_ : float64 array of shape (n_ridges,)
        The ridges that were tried, in ascending order.
    cv_scores_ : float64 array of shape (n_ridges, n_left_out)
        The measure of each left-out list (with "squared", of each left-out item in data with one list);
        NaN where the metric is not defined.
    scores_, coef_, items_, dual_coef_, gamma_
        See `RankRLS`.

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
    >>> ranker.cv_scores_.shape
    (15, 10)
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "ridges": Ridges(),
        "metric": MetricName("squared"),
        "n_components": COMPONENTS,
        "degree": DEGREE,
    }

    ridges_: Floats
    cv_scores_: Floats

    def __init__(
        self,
        kernel: str = "linear",
        gamma: float | None = None,
        ridges: Any = None,
        metric: str = "squared",
        n_components: int | None = None,
        *,
        degree: int = 3,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.ridges = ridges
        self.metric = metric
        self.n_components = n_components
        self.degree = degree

    def _choose_ridge(self, problem: LeastSquares) -> float:
        self.ridges_ = (
            _default_ridges(problem) if self.ridges is None else np.unique(self.ridges).astype(float)
        )
        counts = None
        if self.metric == "squared":
            self.cv_scores_ = errors = _squared_errors(problem, self.ridges_)
            counts = problem.loss.weights if problem.loss.n_lists == 1 else None
        else:
            metric = metrics.parse(self.metric)
            self.cv_scores_ = _measure(metric, problem, self.ridges_)
            errors = _as_errors(metric, self.cv_scores_)
        return float(self.ridges_[largest_within_one_error(errors, counts)])

    def _check_state(self) -> None:
        super()._check_state()
        if self.cv_scores_.ndim != 2 or len(self.cv_scores_) != len(self.ridges_):
            raise ValueError("cv_scores_ must have one row for each of ridges_")


def _default_ridges(problem: LeastSquares) -> Floats:
    loss, unit = problem.loss, problem.form.spread() or 1.0
    count = loss.weights.sum() if loss.n_lists == 1 else loss.n_lists
    if count < FEWEST:
        return np.array([FOR_FEW * unit])
    return GRID * unit * 200.0 / count if loss.n_lists == 1 else GRID * unit


def _squared_errors(problem: LeastSquares, ridges: Floats) -> Floats:
    """Return the squared error of each left-out list, or of each left-out item of the only list."""
    if problem.loss.n_lists > 1:
        return list_errors(problem, ridges)
    return problem.form.without_item(ridges) ** 2


def _measure(metric: Metric, problem: LeastSquares, ridges: Floats) -> Floats:
    """Return the metric of each left-out list."""
    leave_out = without_lists if problem.loss.n_lists > 1 else without_items
    rows = problem.loss.rows
    y, qid = problem.data.y[rows], problem.data.list_of_item[rows]
    return np.array([metric(y, scores[rows], qid) for scores in leave_out(problem, ridges)])


def _as_errors(metric: Metric, values: Floats) -> Floats:
    """Return the values of the lists that have any, the smaller the better."""
    defined = ~np.isnan(values).any(axis=0)
    if not defined.any():
        raise ValueError(f"{metric.name} is not defined for any list, so it cannot choose the ridge.")
    return values[:, defined] * (-1.0 if metric.greater_is_better else 1.0)


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

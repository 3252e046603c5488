"""Rankers of other libraries, and any regressor or classifier, as rankers of this one."""

import os
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
from scipy.sparse import csr_matrix, issparse
from sklearn.base import clone
from sklearn.linear_model import Ridge
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from semirank.core.arrays import Floats
from semirank.dataset import Features, RankingDataset
from semirank.limits import Either, Kind, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.pairs import check_weights

_MOST_GAINS = 31  # labels from 0 to 30 have a gain in LightGBM unless label_gain says otherwise


@runtime_checkable
class Estimator(Protocol):
    """What can be fitted and can predict."""

    def fit(self, X: Any, y: Any) -> Any:
        """Learn."""

    def predict(self, X: Any) -> Any:
        """Return one value for each row of X."""


class EstimatorRanker(Ranker):
    """Rank by any estimator that speaks as scikit-learn's do: regressors, classifiers, LightGBM, XGBoost.

    The estimator sees the labelled items, list after list. It is told the lists if its `fit` asks for them:
    as ``qid`` or ``group_id``, the number of the list of each item (XGBRanker, CatBoostRanker), or as
    ``group``, the number of items of each list (LGBMRanker). A score is what `decision_function` returns;
    where there is none, or one for each of several classes, the label that `predict_proba` expects; else what
    `predict` returns. Unlabelled items get scores and teach nothing; a list without labels takes no part.

    Parameters
    ----------
    estimator : object with `fit` and `predict`, optional
        A copy is fitted (`sklearn.base.clone`). None: scikit-learn's `Ridge()`.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    estimator_ : object
        The fitted copy.

    See Also
    --------
    RankRLSCV : ahead of boosted trees when labelled lists are few.
    compare : both on the same labels.

    Notes
    -----
    The cost is that of the estimator, and one copy of the labelled items. Such a ranker cannot be saved:
    model files hold numbers only, and what another library has learned is an object. Its own `estimator_`
    can be saved by the means of that library.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from semirank import EstimatorRanker
    >>> ranker = EstimatorRanker(LinearRegression()).fit([[0.0], [1.0], [3.0]], [0, 2, np.nan])
    >>> ranker.scores_.round(6)
    array([0., 2., 6.])
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "estimator": Either(Kind("an estimator, with fit and predict", (Estimator,)), OneOf(None))
    }

    estimator_: Any

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    def in_words(self) -> str:
        """Say in words what this ranker is: the name of the estimator."""
        return "an estimator" if self.estimator is None else type(self.estimator).__name__

    @property
    def takes_sparse(self) -> bool:
        """Whether the estimator takes sparse features."""
        return bool(get_tags(self._base()).input_tags.sparse)

    @property
    def takes_weights(self) -> tuple[str, ...]:
        """Whether the estimator takes weights of items."""
        return ("sample_weight",) if has_fit_parameter(self._base(), "sample_weight") else ()

    def _base(self) -> Any:
        return Ridge() if self.estimator is None else clone(self.estimator)

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Fit a copy of the estimator on the labelled items, and score all items.

        A `sample_weight` of 0 counts as an item without a label. Other weights are passed on if the
        estimator takes them; one that is told the lists by ``qid`` weighs lists, by the mean of their items.
        """
        data = self._check(X, y, qid)
        weights = check_weights(sample_weight, data)
        items = np.flatnonzero(data.labelled & (weights > 0))
        if len(items) == 0:
            raise ValueError("sample_weight is zero for every labelled item: there is nothing to learn from.")
        training_set, estimator = data.take(items), self._base()
        _check_grades(estimator, training_set.y)
        given = _list_arguments(estimator, training_set)
        if sample_weight is not None:
            given |= _weight_argument(estimator, training_set, weights[items])
        self.estimator_ = estimator.fit(_plain(training_set.X), training_set.y, **given)
        return self._store(data, self._score(data))

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items; the list they stand in makes no difference."""
        check_is_fitted(self, "estimator_")
        data = self._check_new(X, qid)
        return data.restore(self._score(data))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Refuse: a model file holds numbers, and the estimator of another library is an object."""
        name = type(self._base()).__name__
        raise ValueError(
            f"A EstimatorRanker cannot be saved: a model file holds numbers only, and {name} is an object of "
            "another library. Save its `estimator_` by the means of that library."
        )

    def _score(self, data: RankingDataset) -> Floats:
        scores = estimated_scores(self.estimator_, _plain(data.X))
        if not np.isfinite(scores).all():
            raise ValueError(
                f"{type(self.estimator_).__name__} gives scores that are not finite. Scale the features."
            )
        return scores


def as_ranker(estimator: Any) -> Ranker:
    """Return a ranker as it is, and any other estimator as a `EstimatorRanker`.

    Examples
    --------
    >>> from sklearn.linear_model import Ridge
    >>> from semirank import RankBoost
    >>> from semirank.rankers.estimator import as_ranker
    >>> as_ranker(RankBoost()), as_ranker(Ridge())
    (RankBoost(), EstimatorRanker(estimator=Ridge()))
    """
    return estimator if isinstance(estimator, Ranker) else EstimatorRanker(estimator)


def estimated_scores(estimator: Any, X: Features) -> Floats:
    """Return one score for each row of X: the most telling number that the estimator has."""
    if hasattr(estimator, "decision_function"):
        scores = np.asarray(estimator.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            return scores
    if hasattr(estimator, "predict_proba"):
        return np.asarray(estimator.predict_proba(X) @ estimator.classes_, dtype=np.float64)
    return np.asarray(estimator.predict(X), dtype=np.float64).reshape(X.shape[0])


def _list_arguments(estimator: Any, training_set: RankingDataset) -> dict[str, Any]:
    """Return what the estimator's fit calls the lists, with the lists as it wants them."""
    for name in ("qid", "group_id"):
        if has_fit_parameter(estimator, name):
            return {name: training_set.list_of_item}
    return {"group": np.diff(training_set.indptr)} if has_fit_parameter(estimator, "group") else {}


def _weight_argument(estimator: Any, training_set: RankingDataset, weights: Floats) -> dict[str, Floats]:
    if not has_fit_parameter(estimator, "sample_weight"):
        if np.ptp(weights) == 0:
            return {}
        raise ValueError(f"{type(estimator).__name__} takes no sample_weight, and the weights differ.")
    if has_fit_parameter(estimator, "qid"):
        weights = training_set.list_means(weights)
    return {"sample_weight": weights}


def _check_grades(estimator: Any, y: Floats) -> None:
    """Refuse labels that LightGBM's ranker has no gain for."""
    if "LGBMRanker" not in {kind.__name__ for kind in type(estimator).__mro__}:
        return
    gains = estimator.get_params().get("label_gain")
    n_gains = _MOST_GAINS if gains is None else len(gains)
    wrong = np.flatnonzero((y != np.round(y)) | (y < 0) | (y >= n_gains))
    if len(wrong):
        raise ValueError(
            f"LGBMRanker needs labels that are whole numbers from 0 to {n_gains - 1}; got {y[wrong[0]]:g}. "
            "Turn labels into a few grades first, or use LGBMRegressor, which takes any label."
        )


def _plain(X: Features) -> Features:
    """Return sparse features as the kind of matrix that every library knows."""
    return csr_matrix(X) if issparse(X) else X

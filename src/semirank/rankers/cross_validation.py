"""Parameters chosen by labels that were held out: which to hold out, and what came of it."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.stats import rankdata

from semirank import metrics
from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.kernels import fixed_projection
from semirank.learned import Number, Table, Value, count


class CrossValidated:
    """A ranker that tries every setting on labels that were held out, and keeps what it has found.

    The words are those of scikit-learn's `GridSearchCV`. Scores are the higher the better: those of an error,
    or of a metric that should be low, are negated.

    Attributes
    ----------
    best_params_ : dict
        The chosen parameters.
    best_score_ : float
        Their mean score. It need not be the highest: each ranker says when it prefers another setting.
    best_index_ : int
        Their place in `cv_results_`.
    cv_results_ : dict
        ``params``, a list of settings, and for each of them an entry of the arrays ``mean_test_score``,
        ``std_test_score`` and ``rank_test_score`` (1 is best), and a row of ``split_test_score``, one column
        for each part that was held out; NaN where the metric is not defined.
    """

    learned: ClassVar[Table] = {
        "best_params_": Value(dict),
        "best_score_": Number(gaps=True),
        "best_index_": count(),
        "cv_results_": Value(dict),
    }

    best_params_: dict[str, Any]
    best_score_: float
    best_index_: int
    cv_results_: dict[str, Any]

    def _keep_results(
        self,
        params: Sequence[Mapping[str, Any]],
        scores: Floats,
        best: int,
        weights: Floats | None = None,
    ) -> None:
        """Keep the scores, one row a setting and one column a part, which may count more than once."""
        defined = np.flatnonzero(~np.isnan(scores).any(axis=0))
        counts = (np.ones(scores.shape[1]) if weights is None else weights)[defined]
        if len(defined):
            means = scores[:, defined] @ counts / counts.sum()
            squares = (scores[:, defined] - means[:, None]) ** 2
            deviations = np.sqrt(squares @ counts / counts.sum())
        else:
            means = deviations = np.full(len(scores), np.nan)
        self.cv_results_ = {
            "params": [dict(each) for each in params],
            "mean_test_score": means,
            "std_test_score": deviations,
            "rank_test_score": rankdata(-np.nan_to_num(means), method="min").astype(np.int64),
            "split_test_score": scores,
        }
        self.best_index_ = int(best)
        self.best_params_, self.best_score_ = dict(params[best]), float(means[best])

    def _check_results(self) -> None:
        """Refuse what a model file holds if it does not fit together."""
        n_settings = len(self.cv_results_["params"])
        if any(len(values) != n_settings for values in self.cv_results_.values()):
            raise ValueError("cv_results_ must have one entry for each setting")
        if not 0 <= self.best_index_ < n_settings:
            raise ValueError("best_index_ must be the place of a setting in cv_results_")


def deal_labels(data: RankingDataset, n_folds: int) -> list[Booleans]:
    """Mark the labelled items that each fold holds out, in as many folds (at most n_folds) as can be judged.

    A fold can be judged when some list has held-out items of different levels, and so have the rest.
    """
    labelled = np.flatnonzero(data.labelled)
    y, lists = data.y[labelled], data.list_of_item[labelled]
    place = _places(data, y, lists, fixed_projection(data.X)[labelled])
    for n in range(n_folds, 1, -1):
        folds = [place % n == fold for fold in range(n)]
        if all(_tells(y[held], lists[held]) and np.ptp(y[~held]) > 0 for held in folds if held.any()):
            return [held for held in folds if held.any()]
    raise ValueError(
        "Cross-validation needs at least two labelled items on each of two levels, so that some can be held "
        f"out; got {len(y)} labels. Label more items, or choose the parameters by hand."
    )


def _places(data: RankingDataset, y: Floats, lists: Integers, projection: Floats) -> Integers:
    """Give each item a number, or each list if lists can be held out; numbers taken in turn are alike."""
    low, high = np.full(data.n_lists, np.inf), np.full(data.n_lists, -np.inf)
    np.minimum.at(low, lists, y)
    np.maximum.at(high, lists, y)
    if (low < high).sum() < 2:
        return np.argsort(np.lexsort((projection, y)))
    counts = np.bincount(lists, minlength=data.n_lists)
    means = np.bincount(lists, projection, data.n_lists) / np.maximum(counts, 1)
    return np.argsort(np.lexsort((means, low >= high)))[lists]


def _tells(y: Floats, lists: Integers) -> bool:
    """Tell whether two items of a list have different labels."""
    return bool((~np.isnan(metrics.auc(y, np.zeros(len(y)), lists))).any())

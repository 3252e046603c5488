"""A linear ranker for each list that has labels to learn from."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import clone

from semirank.core.arrays import Floats, Integers
from semirank.dataset import DataWarning, RankingDataset
from semirank.meta.adaptation import LIST_ERRORS
from semirank.rankers._base import Ranker
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.spelling import option


class ListRankers(NamedTuple):
    """Weights of the features (one row a list, of length 1), and the numbers of these lists."""

    coefs: Floats
    lists: Integers


def rank_lists_apart(base: Ranker, data: RankingDataset, n_jobs: int | None) -> ListRankers:
    """Fit a copy of a linear ranker on each list with different labels.

    A `RankRLSCV` chooses its ridge on all lists together. A list that the ranker cannot be fitted on, or
    for which it finds no direction, is left out with a warning.
    """
    base = _with_common_ridge(base, data)
    lists = np.flatnonzero(data.labels_differ)
    tasks = (delayed(_weights)(base, data.select([number])) for number in lists)
    outcomes = Parallel(n_jobs=n_jobs)(tasks)
    failed = [number for number, outcome in enumerate(outcomes) if isinstance(outcome, Exception)]
    if len(failed) == len(lists):
        reason = f": {outcomes[0]}" if failed else ", because no list has items with different labels."
        raise ValueError(f"No list has a {type(base).__name__} of its own{reason}")
    if failed:
        _warn(base, [data.list_ids.tolist()[lists[number]] for number in failed], outcomes[failed[0]])
    kept = np.delete(np.arange(len(lists)), failed)
    return ListRankers(np.array([outcomes[number] for number in kept]), lists[kept])


def _with_common_ridge(base: Ranker, data: RankingDataset) -> Ranker:
    if not isinstance(base, RankRLSCV) or base.kernel != "linear":
        return base
    ridge = clone(base).fit(data.X, data.y, data.qid).ridge_
    return RankRLS(ridge=ridge)


def _weights(base: Ranker, data: RankingDataset) -> Floats | Exception:
    try:
        fitted = clone(base).fit(data.X, data.y)
    except LIST_ERRORS as error:  # one list must not cost the others
        return error
    coef = _linear_weights(fitted, data.n_features)
    length = np.linalg.norm(coef)
    return coef / length if length > 0.0 else ValueError("all weights of the features are 0.")


def _linear_weights(ranker: Any, n_features: int) -> Floats:
    coef = getattr(ranker, "coef_", getattr(getattr(ranker, "estimator_", None), "coef_", None))
    coef = None if coef is None else np.asarray(coef, dtype=np.float64).ravel()
    if coef is None or coef.shape != (n_features,):
        raise ValueError(
            f"{type(ranker).__name__} has no weight for each feature (coef_), which is what is propagated: "
            "take a linear ranker such as RankRLS or RankSVM, and "
            f"{option('n_components', ...)} to rank by another kernel."
        )
    return coef


def _warn(base: Ranker, names: list[Any], reason: Exception) -> None:
    warnings.warn(
        f"{len(names)} lists with labels teach nothing, because {type(base).__name__} could not be fitted on "
        f"them. The first is {names[0]!r}: {reason}",
        DataWarning,
        stacklevel=5,
    )

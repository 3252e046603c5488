"""Feature generation: each list without labels shows which directions matter in it."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import Features
from semirank.features.kernel_axes import KernelAxes
from semirank.kernels import GAMMA
from semirank.limits import Between, Either, Limit, OneOf
from semirank.meta.adaptation import JOBS, RANKER, Adapted, AdaptingRanker, LabelledLists
from semirank.metrics import auc
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import LIST_DIRECTIONS
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.solvers.boosting import Prepared


class Shared(NamedTuple):
    """What all lists share: the mean spread of the features that teach, and these arranged for boosting."""

    spread: float
    boosting: Prepared | None = None


class FeatureGeneration(AdaptingRanker):
    r"""Rank each list without labels with features that were found in that list.

    Kernel principal components of the list, ``n_components`` of them, become additional features of its items
    and of all items that teach, and a copy of the ranker is fitted for this list [1]_. With the kernel
    :math:`k` of the list's :math:`n` items, centred, and :math:`K v_j = \lambda_j v_j`, the new features are

    .. math:: z_j(x) = \lambda_j^{-1/2} \sum_{i=1}^{n} v_{ij}\, \bar k(x, x_i)

    It helps where the directions of large variance within a list are the ones that relevance follows.

    Parameters
    ----------
    ranker : ranker, optional
        What is fitted for each list: any ranker, or a scikit-learn style estimator such as LightGBM's.
        None: `RankBoost()`.
    kernel : {"rbf", "linear", "polynomial", "cosine", "diffusion"}
        "diffusion" is "rbf" divided by the roots of the sums over the list, so that dense regions do not
        weigh more.
    n_components : int or float
        How many features to add, or below 1, the share of the list's variance that they shall explain. Never
        more than the list has directions.
    gamma : float, optional
        Coefficient of the kernel. None: by the median distance of the list's items for "rbf" and "diffusion",
        ``1 / n_features`` for "polynomial".
    n_jobs : int, optional
        How many lists to adapt to at the same time, as in joblib.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    ranker_ : Ranker
        The ranker fitted on the lists that have labels, without new features; it ranks those lists.
    figures_ : dict
        For each list adapted to: ``n_components``, the number of new features, and ``explained``, their share
        of the list's variance in the space of the kernel. Then of the ranker that was fitted for the list:
        ``new_weight``, the share of its weights that is on new features (sizes of alpha of a boosted ranker,
        of coefficients of a linear one; absent where a ranker has neither), and ``training_accuracy``, the
        share of the pairs of a list that teaches which it puts in the order of their labels, on average
        over these lists.
    failures_ : dict
        Why, for each list that could not be adapted to.

    See Also
    --------
    ImportanceWeighting : weighs labelled pairs for each list.
    RankerPropagation : lists that look alike share their rankers.
    semirank.features.RankLDA : directions learned from labels.

    Notes
    -----
    For a list of n items and N items that teach, O(n^3 + N n d) and one fit of the ranker. `RankBoost` keeps
    its arranged features: only the new ones are arranged for each list. New features get the mean spread that
    the others have over the items that teach, so that linear rankers are not swayed by their unit. A list
    whose items are all alike adds nothing, and is ranked by `ranker_`.

    References
    ----------
    .. [1] K. Duh, K. Kirchhoff. Learning to rank with partially-labeled data. SIGIR 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import FeatureGeneration, RankRLS
    >>> X, y = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [9.0]]), [0, 1, 2, np.nan, np.nan, np.nan]
    >>> ranker = FeatureGeneration(RankRLS(), "linear").fit(X, y, qid=[1, 1, 1, 2, 2, 2])
    >>> np.argsort(-ranker.scores_[3:])
    array([2, 1, 0])
    """

    assumption = LIST_DIRECTIONS
    called = "{ranker} with features of each list"
    limits: ClassVar[Mapping[str, Limit]] = {
        "ranker": RANKER,
        "kernel": OneOf("rbf", "linear", "polynomial", "cosine", "diffusion"),
        "n_components": Either(Between(1, kind=Integral), Between(0, 1, closed="neither")),
        "gamma": GAMMA,
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        ranker: Any = None,
        kernel: str = "rbf",
        n_components: float = 5,
        *,
        gamma: float | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.ranker = ranker
        self.kernel = kernel
        self.n_components = n_components
        self.gamma = gamma
        self.n_jobs = n_jobs

    def _prepare(self, labelled: LabelledLists) -> Shared:
        spread = float(np.sqrt(_variances(labelled.X)).mean()) or 1.0
        base = self._base()
        if type(base) is not RankBoost or base.patience is not None or "pairs" in labelled.weights:
            return Shared(spread)
        return Shared(spread, base.prepare(labelled.X, labelled.y, labelled.lists, **labelled.weights))

    def _adapt(self, labelled: LabelledLists, prepared: Shared, items: Features) -> Adapted:
        axes = KernelAxes.of(items, self.kernel, self.gamma, self.n_components)
        figures = {"n_components": len(axes.variances), "explained": axes.explained}
        if len(axes.variances) == 0:  # the ranker as it is
            return Adapted(self.ranker_.predict(items), figures)
        taught = axes.coordinates(labelled.X)
        deviation = taught.std(axis=0)
        scale = prepared.spread / np.where(deviation > 0.0, deviation, 1.0)
        items = _beside(items, (axes.coordinates(items) - taught.mean(axis=0)) * scale)
        taught = (taught - taught.mean(axis=0)) * scale
        wider = labelled._replace(X=_beside(labelled.X, taught))
        if prepared.boosting is not None:
            stumps = prepared.boosting.learn(taught)
            scores, of_taught = stumps.score(items), stumps.score(wider.X)
            sizes: Any = np.bincount(stumps.features, np.abs(stumps.alphas), minlength=items.shape[1])
        else:
            ranker = self._fitted_for(items, wider)
            of_taught, scores = np.split(ranker.scores_, [len(labelled.y)])
            sizes = _sizes(ranker)
        if sizes is not None:
            figures["new_weight"] = float(sizes[labelled.X.shape[1] :].sum() / (sizes.sum() or 1.0))
        figures["training_accuracy"] = float(np.nanmean(auc(labelled.y, of_taught, labelled.lists)))
        return Adapted(scores, figures)


def _sizes(ranker: Ranker) -> Floats | None:
    """Return how much each feature weighs in a fitted ranker, None if it does not say."""
    sizes = getattr(ranker, "feature_importances_", getattr(ranker, "coef_", None))
    return None if sizes is None else np.abs(np.asarray(sizes, dtype=np.float64)).ravel()


def _variances(X: Features) -> Floats:
    """Return the variance of each feature."""
    means = np.asarray(X.mean(axis=0), dtype=np.float64).ravel()
    squares = X.multiply(X) if issparse(X) else np.square(X, dtype=np.float64)
    return np.maximum(np.asarray(squares.mean(axis=0)).ravel() - means**2, 0.0)


def _beside(X: Features, new: AnyArray) -> Features:
    return hstack([X, csr_array(new)], format="csr") if issparse(X) else np.hstack([X, new])

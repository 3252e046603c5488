"""RankSVM: a linear score that sets every better item a margin above every worse one of its list."""

import warnings
from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Floats
from semirank.dataset import Features, RankingDataset
from semirank.learned import Array, Table, count
from semirank.limits import Between, Limit, OneOf
from semirank.rankers._base import Contributions, Ranker
from semirank.rankers.formulas import Linear
from semirank.rankers.kept_items import KeepsItems, row_of
from semirank.rankers.losses.hinge import GivenHinge, HingeLoss, OrderedHinge
from semirank.rankers.pairs import GivenPairs, OrderedPairs, PairWeights, check_pairs, check_weights
from semirank.rankers.solvers.newton import Minimum, minimise


class RankSVM(KeepsItems, Ranker):
    r"""Rank by a weighted sum of the features, learned from all pairs of a list that labels put in order.

    The score is ``w'x``, where w minimises [1]_

    .. math:: \tfrac12 |w|^2 + C \frac{q}{P} \sum_v \sum_{y_p > y_q \text{ in } v}
        \max(0,\, 1 - w'(x_p - x_q))^2

    with P the number of such pairs in the q lists that have any: the loss is a mean over pairs, times the
    number of lists, so that C keeps its meaning from short lists to long ones. With ``balance="lists"`` the
    factor of list v is 1 / P_v instead, P_v being its own number of pairs, and every list weighs the same;
    `RankRLS` with ``ridge`` then has the same balance of size and loss as ``C = 1 / (2 ridge)``.

    Labels may have two levels, many, or be all different; only their order counts. Unlabelled items get
    scores and teach nothing.

    Parameters
    ----------
    C : float
        How much the loss counts beside the size of w. The features are taken as they are: scale them to a
        similar spread first.
    balance : {"pairs", "lists"}
        Whether all pairs count the same, or all lists.
    tol : float
        The gradient, relative to that at w = 0, at which w is settled.
    max_iter : int
        Most Newton steps.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    coef_ : float64 array of shape (n_features,)
        The weights w.
    n_iter_ : int
        Number of Newton steps taken.
    objectives_ : float64 array of shape (`n_iter_` + 1,)
        The value of the formula above, at w = 0 and after each step.
    pulls_ : float64 array of shape (n_items,)
        How much each item pulls w towards itself, so that ``coef_`` is ``X.T @ pulls_``: positive for items
        that should rise, negative for those that should fall, 0 for those in no pair within the margin.
    X_, y_, lists_
        What was given to `fit`, for `explain`; a model file holds it.

    See Also
    --------
    RankRLS : squares of differences, in closed form.
    RankBoost : steps instead of slopes.
    LinearSVMRanker : a line between relevant and irrelevant items.

    Notes
    -----
    No pair is visited: the items of a list are sorted by score, and the sums over all partners of an item
    that are within the margin come out of a tree of sums by label level [2]_, in O(n log n) for n items. A
    Newton step solves its equations by conjugate gradients, each step of which reads X twice. Sparse
    features are only read where they are not 0. Pairs given as `pairs` are visited one by one.

    References
    ----------
    .. [1] T. Joachims. Optimizing search engines using clickthrough data. KDD 2002 (with the squared hinge).
    .. [2] C.-P. Lee, C.-J. Lin. Large-scale linear RankSVM. Neural Computation 26(4), 2014.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RankSVM
    >>> X = np.array([[0.0, 1.0], [1.0, 0.0], [3.0, 3.0], [4.0, 2.0], [9.0, 9.0]])
    >>> ranker = RankSVM(C=10.0).fit(X, [0, 1, 0, 1, np.nan], qid=["a", "a", "b", "b", "b"])
    >>> ranker.coef_.round(2)
    array([ 0.49, -0.49])
    >>> ranker.predict([[2.0, 0.0]]).round(2)
    array([0.99])
    """

    takes_weights = ("sample_weight", "pairs")
    called = "RankSVM"
    limits: ClassVar[Mapping[str, Limit]] = {
        "C": Between(0, closed="neither"),
        "balance": OneOf("pairs", "lists"),
        "tol": Between(0, 1, closed="neither"),
        "max_iter": Between(1, kind=Integral),
    }

    learned: ClassVar[Table] = (
        Ranker.learned
        | KeepsItems.learned
        | {
            "coef_": Array("n_features"),
            "n_iter_": count(),
            "objectives_": Array("n_steps"),
            "pulls_": Array("n_items"),
        }
    )

    coef_: Floats
    n_iter_: int
    objectives_: Floats
    pulls_: Floats

    def __init__(
        self, C: float = 1.0, *, balance: str = "pairs", tol: float = 1e-6, max_iter: int = 200
    ) -> None:
        self.C = C
        self.balance = balance
        self.tol = tol
        self.max_iter = max_iter

    def fit(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, pairs: PairWeights | None = None
    ) -> Self:
        """Learn from the pairs of labelled items, and score all items.

        A `sample_weight` of 2 counts as the item given twice, 0 as an item without a label; a pair has the
        product of the weights of its items. With `pairs`, only these are learned from, and the product is
        multiplied by their own weights. Only the ratios of weights count, within each list or among all
        pairs as `balance` says.
        """
        data = self._check(X, y, qid)
        weights = check_weights(sample_weight, data)
        loss = self._loss(data, weights, pairs)  # sum of max(0, 1 - (s_p - s_q))^2
        minimum = minimise(_centred(data, loss), loss, self.C, self.tol, self.max_iter)  # |w|^2 / 2 + C loss
        self._keep(data, loss, minimum)
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

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into the contributions of the labelled items.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.

        Returns
        -------
        Contributions
            Row numbers of the items that pull, and amounts ``pulls_[j] x_j'x`` that add up to the score
            (to the accuracy of `tol`); x_j is taken relative to the mean of its list, which changes no sum.
        """
        data, rows = self._kept_items(), np.flatnonzero(self.pulls_)
        products = data.X @ data.X[[row_of(item, data)]].T
        products = np.asarray(products.toarray() if issparse(products) else products)[:, 0]
        amounts = self.pulls_ * data.restore(data.centred(products))
        return Contributions(rows, amounts[rows])

    def _loss(self, data: RankingDataset, weights: Floats, pairs: PairWeights | None) -> HingeLoss:
        """Return the loss of the pairs that labels order, or of those given; its factors sum to n_lists."""
        if pairs is None:
            ordered = OrderedPairs.of(data, weights, type(self).__name__)
            n_lists = float(len(ordered.numbers))
            return OrderedHinge(ordered.share(self.balance, totals=np.array([n_lists])))
        given = GivenPairs.of(check_pairs(pairs, data), data, weights)
        return GivenHinge(given, len(np.unique(given.lists)) * np.exp(given.log_shares(self.balance)))

    def _keep(self, data: RankingDataset, loss: HingeLoss, minimum: Minimum) -> None:
        self.coef_, self.n_iter_ = minimum.coef, minimum.n_iter
        self.objectives_ = minimum.objectives
        pulls = np.zeros(data.n_items)
        pulls[loss.items] = minimum.pulls
        self.pulls_ = data.restore(pulls)
        self._keep_items(data)
        if minimum.gradient > self.tol:
            warnings.warn(
                f"RankSVM has not settled after {minimum.n_iter} steps: the gradient is "
                f"{minimum.gradient:.1e} of its first size, tol is {self.tol:g}. Scale the features, lower "
                "C, or raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )


def _centred(data: RankingDataset, loss: HingeLoss) -> Features:
    """Return the items that the loss reads; dense ones relative to their list, where large offsets hurt."""
    X, lists = data.X[loss.items], data.list_of_item[loss.items]
    if issparse(X):
        return X
    starts = np.flatnonzero(np.append(True, lists[1:] != lists[:-1]))
    sizes = np.diff(np.append(starts, len(lists)))
    means = np.add.reduceat(X, starts, axis=0, dtype=np.float64) / sizes[:, None]
    return X - np.repeat(means, sizes, axis=0)

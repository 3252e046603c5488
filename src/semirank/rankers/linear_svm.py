"""Support vector ranking of single items: a margin between relevant and irrelevant ones."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.svm import LinearSVC

from semirank.core.arrays import Floats
from semirank.dataset import Features
from semirank.limits import Between, Limit
from semirank.rankers.linear import MOST_STEPS, TOLERANCE, LinearRanker
from semirank.rankers.training_set import LinearModel, TrainingSet, solve_on_used


class LinearSVMRanker(LinearRanker):
    """Rank by a linear support vector machine on the labelled items.

    The score of x is ``x'w + b``. With signs s_i of 1 for relevant and -1 for irrelevant items, and
    weights c_i that make both classes count the same, w and b minimise ::

        (|w|^2 + b^2) / 2 + C sum_i c_i max(0, 1 - s_i (x_i'w + b))^2.

    One model serves all lists, and then an intercept for each list, in the sum of squares like b, takes up
    what lists differ in as a whole; or each list has its own model (see `shared`). Unlabelled items get
    scores and teach nothing, unless some are presumed to be irrelevant.

    Parameters
    ----------
    C : float
        Cost of errors against small weights. 1 suits vectors of unit length, such as texts, with tens or
        hundreds of labels; many lists of a few dozen features do better with 0.1 or less.
    relevant : float, optional
        The smallest label of a relevant item. None: any label above 0; above the mean label, with a warning,
        where that makes one class of labels that differ.
    class_weight : {"balanced"} or None
        Whether relevant and irrelevant items count the same as a whole, or each item does.
    presumed_negatives : int
        Take so many random unlabelled items of each list with a relevant one as irrelevant. With a few
        labels this tells the learner what the rest looks like, and a list of relevant labels alone can be
        learned from.
    shared : {"auto", True, False}
        True: one model for all lists, for features that say how an item matches its list. False: one model
        for each list that has relevant and irrelevant items, for features that describe the item alone
        (a text, an image); other lists get the mean of these models, with a warning. "auto": False when most
        items, known by their features, stand in more than one list, which no single model can rank.
    balance : float
        With ``class_weight="balanced"``: how much the relevant items weigh together for each part that the
        irrelevant ones do. 1: the same. Whoever reads from the top, and must not miss the few relevant ones,
        does better with some 10.
    random_state : int, Generator or None
        Which items are presumed to be irrelevant.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    coef_ : float64 array of shape (n_features,)
        w; the mean over lists where each has its own.
    intercept_ : float
        b, likewise.
    own_lists_ : array of shape (n_own_lists,)
        The lists (`qid`) with a model of their own; empty if one model serves all.
    list_coefs_, list_intercepts_ : float64 arrays of shape (n_own_lists, n_features) and (n_own_lists,)
        Their models.
    n_iter_ : int
        Newton steps, the largest number over lists.

    See Also
    --------
    LogisticRanker : odds instead of a margin.
    TransductiveSVM : keeps away from unlabelled items too.
    RankSVM : compares pairs of items.

    Notes
    -----
    LIBLINEAR's trust region Newton method [1]_ on the primal: some ten steps, each O(values that are not
    zero) of the labelled items, and no random numbers. Sparse features stay sparse.

    References
    ----------
    .. [1] R.-E. Fan, K.-W. Chang, C.-J. Hsieh, X.-R. Wang, C.-J. Lin. LIBLINEAR: a library for large linear
       classification. JMLR 9, 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import LinearSVMRanker
    >>> X = np.array([[0.0, 1.0], [0.2, 1.0], [1.0, 0.3], [0.9, 0.0]])
    >>> ranker = LinearSVMRanker().fit(X, [1, np.nan, np.nan, 0])
    >>> ranker.scores_.round(1)
    array([ 0.7,  0.5, -0.5, -0.6])
    >>> ranker.predict([[0.0, 0.5]]).round(1)
    array([0.3])
    """

    called = "linear SVM"
    limits: ClassVar[Mapping[str, Limit]] = {**LinearRanker.limits, "balance": Between(0, closed="neither")}

    def __init__(
        self,
        C: float = 1.0,
        *,
        relevant: float | None = None,
        class_weight: str | None = "balanced",
        presumed_negatives: int = 0,
        shared: bool | str = "auto",
        balance: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.relevant = relevant
        self.class_weight = class_weight
        self.presumed_negatives = presumed_negatives
        self.shared = shared
        self.balance = balance
        self.random_state = random_state

    def _solve(self, training_set: TrainingSet) -> LinearModel:
        return margin_model(training_set.X, training_set.signs, self.C * training_set.weights)

    def _balanced(self, training_set: TrainingSet) -> TrainingSet:
        return training_set.balance(self.balance)

    def _duals(self, training_set: TrainingSet, scores: Floats) -> Floats:
        """Return a with w = sum_i a_i x_i: where the slope of the sum to be minimised is 0."""
        signs = training_set.signs
        return 2.0 * self.C * training_set.weights * signs * np.maximum(0.0, 1.0 - signs * scores)


def margin_model(X: Features, signs: Floats, costs: Floats) -> LinearModel:
    """Minimise ``(|w|^2 + b^2) / 2 + sum_i costs_i max(0, 1 - signs_i (x_i'w + b))^2``."""
    model = LinearSVC(C=1.0, dual=False, tol=TOLERANCE, max_iter=MOST_STEPS)
    return solve_on_used(lambda used: LinearModel.of(model.fit(used, signs, sample_weight=costs)), X)

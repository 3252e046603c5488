"""Self-training: a logistic ranker that labels what it was not told, and learns from that too."""

import warnings
from collections import deque
from collections.abc import Iterator, Mapping
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from semirank.core.arrays import Floats
from semirank.limits import Between, Limit
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import OWN_PREDICTIONS
from semirank.rankers.linear import LinearRanker
from semirank.rankers.logistic import LogisticRanker, logistic_model
from semirank.rankers.training_set import LinearModel, TrainingSet


class SelfTrainingLogistic(LinearRanker):
    """Rank by logistic regression on labelled items and on its own guesses for the unlabelled ones.

    The score of x is ``f(x) = x'w + b``, the logarithm of the odds that x is relevant. w, b and the signs
    s_i (1 relevant, -1 irrelevant) of the unlabelled items U together lower ::

        (|w|^2 + b^2) / 2 + C sum_(i in L) c_i log(1 + exp(-s_i f(x_i)))
                          + C u sum_(i in U) log(1 + exp(-s_i f(x_i))),

    the negative logarithm of the penalised likelihood of the complete data [1]_ [2]_, by turns: the best
    signs for a model are those of the scores, that is, relevant where the odds are above 1; the best model
    for the signs is `LogisticRanker`'s. No turn makes it larger, and when the signs repeat, it is at rest.

    The weights c_i make both classes of the labelled items L count the same. An unlabelled item weighs u,
    whatever its sign is: a weight that went with the class would make it change with the sign, so
    that odds of 1 were no longer the place to decide and the turns could go on for ever.

    Parameters
    ----------
    C : float
        Cost of errors against small weights.
    unlabelled_weight : float
        u, the weight of an unlabelled item relative to a labelled one. 0: `LogisticRanker`.
    max_iter : int
        Stop after so many models even if signs still change, with a warning.
    relevant : float, optional
        The smallest label of a relevant item. None: any label above 0; above the mean label, with a warning,
        where that makes one class of labels that differ.
    class_weight : {"balanced"} or None
        Whether relevant and irrelevant items count the same as a whole, or each item does. With few
        relevant ones and None, hardly any unlabelled item is ever taken as relevant.
    presumed_negatives : int
        Take so many random unlabelled items of each list with a relevant one as labelled and irrelevant.
    shared : {"auto", True, False}
        True: one model for all lists, for features that say how an item matches its list. False: one model
        for each list that has relevant and irrelevant items, for features that describe the item alone
        (a text, an image); other lists get the mean of these models, with a warning. "auto": False when most
        items, known by their features, stand in more than one list, which no single model can rank.
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
        Number of models that were learned one after the other, the largest over lists.

    See Also
    --------
    LogisticRanker : the same on labels alone.
    TransductiveSVM : a line through a gap in the data.

    Notes
    -----
    One logistic regression on all items for each turn, each O(values that are not zero) for some ten
    Newton steps. Two to ten turns are usual.

    References
    ----------
    .. [1] M.-R. Amini, P. Gallinari. Semi-supervised logistic regression. ECAI 2002.
    .. [2] M.-R. Amini, T.-V. Truong, C. Goutte. A boosting algorithm for learning bipartite ranking
       functions with partially labeled data. SIGIR 2008.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import SelfTrainingLogistic
    >>> X = np.array([[0.0, 1.0], [0.2, 1.0], [1.0, 0.3], [0.9, 0.0]])
    >>> ranker = SelfTrainingLogistic().fit(X, [1, np.nan, np.nan, 0])
    >>> ranker.scores_.round(1)
    array([ 2.1,  1.7, -1.7, -2.1])
    >>> ranker.n_iter_
    2
    """

    assumption = OWN_PREDICTIONS
    called = "self-training logistic regression"
    limits: ClassVar[Mapping[str, Limit]] = {
        **LinearRanker.limits,
        "unlabelled_weight": Between(0, 1e12),
        "max_iter": Between(1, kind=Integral),
    }
    learns_from_unlabelled: ClassVar[bool] = True

    def __init__(
        self,
        C: float = 10.0,
        unlabelled_weight: float = 1.0,
        *,
        max_iter: int = 100,
        relevant: float | None = None,
        class_weight: str | None = "balanced",
        presumed_negatives: int = 0,
        shared: bool | str = "auto",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.unlabelled_weight = unlabelled_weight
        self.max_iter = max_iter
        self.relevant = relevant
        self.class_weight = class_weight
        self.presumed_negatives = presumed_negatives
        self.shared = shared
        self.random_state = random_state

    def supervised(self) -> Ranker:
        """Return the ranker without unlabelled items."""
        return LogisticRanker.like(self).supervised()

    def _solve(self, training_set: TrainingSet) -> LinearModel:
        turns = enumerate(self_train(training_set, self.C, self.unlabelled_weight), start=1)
        last_two = deque(islice(turns, self.max_iter + 1), maxlen=2)
        if last_two[-1][0] > self.max_iter:
            last_two.pop()
            warnings.warn(
                f"After {self.max_iter} models the labels that {type(self).__name__} guesses still change; "
                "raise max_iter, or lower unlabelled_weight.",
                ConvergenceWarning,
                stacklevel=5,
            )
        n_models, (model, _) = last_two[-1]
        return model._replace(n_iter=n_models)


def self_train(
    training_set: TrainingSet, C: float, unlabelled_weight: float
) -> Iterator[tuple[LinearModel, Floats]]:
    """Yield model after model, and the signs it was learned from (NaN where none was guessed yet).

    The first model is that of the labelled items; the others are those of all items, until the signs that
    a model gives to unlabelled items are those it was learned from.
    """
    labelled, told = training_set.labelled, training_set.take(training_set.labelled)
    model, signs = logistic_model(told.X, told.signs, C * told.weights), training_set.signs
    yield model, signs
    if labelled.all() or unlabelled_weight == 0:
        return
    costs = C * np.where(labelled, 1.0, unlabelled_weight) * training_set.weights
    while True:
        guesses = np.where(labelled, training_set.signs, np.where(model.score(training_set.X) > 0, 1.0, -1.0))
        if np.array_equal(guesses, signs):
            return
        model, signs = logistic_model(training_set.X, guesses, costs), guesses
        yield model, signs

"""Transductive support vector ranking: a margin through the gap between unlabelled items."""

from collections import deque
from collections.abc import Iterator, Mapping
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np

from semirank.core.arrays import Floats
from semirank.limits import Between, Either, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import LOW_DENSITY
from semirank.rankers.linear import LinearRanker
from semirank.rankers.linear_svm import LinearSVMRanker, margin_model
from semirank.rankers.training_set import LinearModel, TrainingSet

GAIN = 1e-9


class TransductiveSVM(LinearRanker):
    """Rank by a linear support vector machine whose margin avoids the unlabelled items too.

    The score of x is ``f(x) = x'w + b``. w, b and the signs s_i (1 relevant, -1 irrelevant) of the
    unlabelled items U together lower ::

        (|w|^2 + b^2) / 2 + C sum_(i in L) c_i max(0, 1 - s_i f(x_i))^2
                          + C_unlabelled sum_(i in U) max(0, 1 - s_i f(x_i))^2

    while the share of relevant signs in U stays fixed [1]_ [2]_. The weights c_i make both classes of the
    labelled items L count the same.

    Signs start from the ranking of `LinearSVMRanker`. Then a model is learned from all signs, and pairs of
    a relevant and an irrelevant sign are switched wherever that lowers the loss, all of them at once, by
    turns until there are none. The cost of unlabelled items starts at a fraction of `C_unlabelled` and
    grows tenfold with each of `n_steps` steps, so that the labels decide first.

    Parameters
    ----------
    C : float
        Cost of errors on labelled items against small weights.
    C_unlabelled : float, optional
        Cost of errors on unlabelled items. None: all of them together cost as much as all labelled ones,
        ``C n_labelled / n_unlabelled``. 0: `LinearSVMRanker`.
    relevant_share : float in (0, 1), optional
        The share of relevant items among the unlabelled. None: that among the labelled, which is right when
        these were drawn at random. A wrong share costs more than unlabelled items can bring.
    n_steps : int
        In how many steps the cost of unlabelled items grows.
    relevant : float, optional
        The smallest label of a relevant item. None: any label above 0; above the mean label, with a warning,
        where that makes one class of labels that differ.
    class_weight : {"balanced"} or None
        Whether relevant and irrelevant items count the same as a whole, or each item does.
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
    LinearSVMRanker : the same on labels alone.
    SelfTrainingLogistic : learns from its own guesses.

    Notes
    -----
    Some twenty support vector machines on all items, each O(values that are not zero) for some ten Newton
    steps of LIBLINEAR. With the squared loss, as in [2]_, the best signs for a model under a fixed share are
    simply those of the highest scores; switching one pair at a time, as in [1]_, ends there too.

    References
    ----------
    .. [1] T. Joachims. Transductive inference for text classification using support vector machines. ICML
       1999.
    .. [2] V. Sindhwani, S. S. Keerthi. Large scale semi-supervised linear SVMs. SIGIR 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import TransductiveSVM
    >>> X = np.array([[0.0, 1.0], [0.2, 1.0], [1.0, 0.3], [0.9, 0.0]])
    >>> TransductiveSVM().fit(X, [1, np.nan, np.nan, 0]).scores_.round(1)
    array([ 0.8,  0.6, -0.7, -0.8])
    """

    assumption = LOW_DENSITY
    called = "transductive SVM"
    limits: ClassVar[Mapping[str, Limit]] = {
        **LinearRanker.limits,
        "C_unlabelled": Either(OneOf(None), Between(0, 1e12)),
        "relevant_share": Either(OneOf(None), Between(0, 1, closed="neither")),
        "n_steps": Between(1, kind=Integral),
    }
    learns_from_unlabelled: ClassVar[bool] = True

    def __init__(
        self,
        C: float = 1.0,
        C_unlabelled: float | None = None,
        *,
        relevant_share: float | None = None,
        n_steps: int = 5,
        relevant: float | None = None,
        class_weight: str | None = "balanced",
        presumed_negatives: int = 0,
        shared: bool | str = "auto",
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.C_unlabelled = C_unlabelled
        self.relevant_share = relevant_share
        self.n_steps = n_steps
        self.relevant = relevant
        self.class_weight = class_weight
        self.presumed_negatives = presumed_negatives
        self.shared = shared
        self.random_state = random_state

    def supervised(self) -> Ranker:
        """Return the ranker without unlabelled items."""
        return LinearSVMRanker.like(self).supervised()

    def _solve(self, training_set: TrainingSet) -> LinearModel:
        turns = anneal(training_set, self.C, self._costs(training_set), self._n_relevant(training_set))
        [(n_models, last)] = deque(enumerate(turns, start=1), maxlen=1)
        return last.model._replace(n_iter=n_models)

    def _costs(self, training_set: TrainingSet) -> Floats:
        """Return the cost of an unlabelled item in each step; no step if there is nothing to learn from."""
        last = self.C_unlabelled
        if training_set.labelled.all() or last == 0:
            return np.empty(0)
        if last is None:
            last = (
                self.C
                * training_set.weights[training_set.labelled].sum()
                / training_set.weights[~training_set.labelled].sum()
            )
        return last * np.logspace(1 - self.n_steps, 0, self.n_steps)

    def _n_relevant(self, training_set: TrainingSet) -> int:
        known = float(np.mean(training_set.signs[training_set.labelled] == 1))
        share = known if self.relevant_share is None else self.relevant_share
        return round(share * int((~training_set.labelled).sum()))


class Turn(NamedTuple):
    """A model, the signs it was learned from, and the cost of an unlabelled item that it was learned with."""

    model: LinearModel
    signs: Floats
    cost: float


def anneal(training_set: TrainingSet, C: float, costs: Floats, n_relevant: int) -> Iterator[Turn]:
    """Yield model after model: that of the labelled items, then those of all items at rising costs.

    At every cost, signs are switched until no switch lowers the loss; `n_relevant` of the unlabelled items
    are relevant throughout.
    """
    told = training_set.take(training_set.labelled)
    model = margin_model(told.X, told.signs, C * told.weights)
    yield Turn(model, training_set.signs, 0.0)
    signs = best_signs(training_set, model.score(training_set.X), n_relevant)
    for cost in costs:
        weights = np.where(training_set.labelled, C, cost) * training_set.weights
        better: Floats | None = signs
        while better is not None:
            model, signs = margin_model(training_set.X, better, weights), better
            yield Turn(model, signs, float(cost))
            better = switched(training_set, model.score(training_set.X), signs, n_relevant)


def best_signs(training_set: TrainingSet, scores: Floats, n_relevant: int) -> Floats:
    """Return the signs with the least loss of which `n_relevant` are relevant among the unlabelled."""
    unlabelled = np.flatnonzero(~training_set.labelled)
    gains = (training_set.weights * (squared_hinge(-scores) - squared_hinge(scores)))[unlabelled]
    signs = training_set.signs.copy()
    signs[unlabelled] = -1.0
    signs[unlabelled[np.argsort(-gains, kind="stable")[:n_relevant]]] = 1.0
    return signs


def switched(training_set: TrainingSet, scores: Floats, signs: Floats, n_relevant: int) -> Floats | None:
    """Return better signs for the scores, or None where none lower the loss."""
    better = best_signs(training_set, scores, n_relevant)
    now, then = (training_set.weights @ squared_hinge(each * scores) for each in (signs, better))
    return better if then < (1 - GAIN) * now else None


def squared_hinge(margins: Floats) -> Floats:
    """Return ``max(0, 1 - margin)^2``."""
    return np.maximum(0.0, 1.0 - margins) ** 2

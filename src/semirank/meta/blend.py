"""Blend: the scores of several rankers, made comparable within each list and mixed."""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.dataset import DataWarning, RankingDataset
from semirank.learned import Array, Each, Names, Part, Table
from semirank.limits import Between, Limit
from semirank.meta.members import Rankers, named
from semirank.meta.mixing import (
    Weights,
    centres_and_spreads,
    held_out_weights,
    inverse,
    weight_in_lists,
)
from semirank.rankers._base import CONSTANT, Contributions, FeatureContributions, Ranker, added_up
from semirank.rankers.formulas import Mixed
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.rankrls_cv import RankRLSCV


class Blend(Ranker):
    """Rank by a weighted sum of what several rankers say.

    The scores s_k of each ranker are standardised within each list v, to mean 0 and standard deviation 1,
    and mixed ::

        s(x) = sum_k w_k (s_k(x) - mean_v s_k) / sd_v s_k.

    A ranker that gives all items of a list the same score has nothing to say there, and adds 0. Rankers that
    err in different ways gain most: a linear one and a boosted one, or one that reads the features and one
    that follows the graph.

    Parameters
    ----------
    rankers : sequence of rankers or of (name, ranker) pairs, optional
        What to mix; copies are fitted on the same data. Rankers without a name are called after their
        class. None: `RankRLSCV` and `RankBoost(30)`, linear and boosted.
    weights : sequence, "held-out" or None
        None: all weigh the same. One weight for each ranker: a number of 0 or more, or "fading",
        ``6 / (3 + n)`` with n the number of relevant labels (above 0) in the list, for a ranker that is most
        useful before there are labels [1]_, or "early", ``max(0, (8 - n) / 4)``, for one that has nothing to
        add once there are eight. "held-out": the weights w >= 0 under which held-out labels come
        out best, see Notes.
    n_folds : int
        Into how many parts labels are dealt for "held-out".

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    rankers_ : list of rankers
        The fitted rankers.
    weights_ : float64 array of shape (n_rankers,)
        Their weights; the mean over lists where a weight is fading.
    centres_, factors_ : float64 arrays of shape (n_lists + 1, n_rankers)
        Mean, and weight / standard deviation, of each ranker's scores in each list, and at last in a list
        that was not there in `fit`.

    See Also
    --------
    AutoRanker : mixes rankers with weights that held-out labels move.

    Notes
    -----
    The cost is that of the rankers, for "held-out" (n_folds + 1) times; rankers that can `rerank` keep their
    graphs. Held-out labels are whole lists where there are several with labels, otherwise items. Each part
    is scored without its labels, and w minimises the squared error of the labels, both relative to the mean
    of the part's items in a list, every list weighing the same; the sum of the weights is 1. If nothing can
    be held out, or no ranker finds the held-out labels again, all weigh the same, and a warning says so.

    New items take the mean and spread of their list in `fit`. A list never seen takes the mean of these over
    all lists.

    References
    ----------
    .. [1] Few labels say little, so a graph of all items decides; many labels speak for themselves. The rule
       gives weight 2 to a ranker beside one of weight 1 before the first label, 1 at three, 1/2 at nine.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import Blend, DistanceRanking, LogisticRanker
    >>> X = np.array([[0.0, 1.0], [0.2, 1.0], [1.0, 0.3], [0.9, 0.0]])
    >>> ranker = Blend([LogisticRanker(), DistanceRanking()], weights=[1, "fading"])
    >>> ranker.fit(X, [1, np.nan, np.nan, 0]).scores_.round(1)
    array([ 2.8,  2.1, -2.2, -2.8])
    >>> ranker.weights_
    array([1. , 1.5])
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "rankers": Rankers(),
        "weights": Weights(),
        "n_folds": Between(2, kind=Integral),
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "rankers_": Each(Part("Ranker"), size="n_rankers"),
        "list_ids_": Names("n_lists"),
        "weights_": Array("n_rankers"),
        "centres_": Array("n_lists + 1", "n_rankers"),
        "factors_": Array("n_lists + 1", "n_rankers"),
    }

    rankers_: list[Ranker]
    weights_: Floats
    centres_: Floats
    factors_: Floats
    list_ids_: AnyArray
    _given: tuple[Any, Any]

    def __init__(
        self,
        rankers: Sequence[Ranker | tuple[str, Ranker]] | None = None,
        weights: Any = None,
        *,
        n_folds: int = 5,
    ) -> None:
        self.rankers = rankers
        self.weights = weights
        self.n_folds = n_folds

    def in_words(self) -> str:
        """Say in words what this ranker is: what is mixed."""
        *names, last = [name.replace("_", " ") for name, _ in self._named()] or ["rankers"]
        return f"a mix of {' and '.join(filter(None, (', '.join(names), last)))}"

    @property
    def assumption(self) -> str | None:
        """What the first of the rankers that use unlabelled items assumes; None where none of them does."""
        return next((each.assumption for each in self._members() if each.assumption is not None), None)

    @property
    def one_function(self) -> bool:
        """Whether any of the rankers has one function for all lists."""
        return any(each.one_function for each in self._members())

    @property
    def takes_sparse(self) -> bool:
        """Whether all the rankers take sparse features."""
        return all(each.takes_sparse for each in self._members())

    @property
    def ignores_unlabelled(self) -> bool:
        """False: scores of members are standardised over all items."""
        return False

    def supervised(self) -> Ranker | None:
        """Leave out the rankers that use unlabelled items; where there are no others, these items."""
        if self.assumption is None:
            return self
        members = self._named()
        kept = [place for place, (_, ranker) in enumerate(members) if ranker.assumption is None]
        if not kept:
            return members[0][1].supervised()
        if len(kept) == 1:
            return members[kept[0]][1]
        weights = self.weights
        if isinstance(weights, (list, tuple)):
            weights = [weights[place] for place in kept]
        return Blend([members[place] for place in kept], weights, n_folds=self.n_folds)

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Fit every ranker on the same data, find the weights, and mix the scores."""
        data = self._check(X, y, qid)
        members = self._members()
        weights = self._find_weights(members, data)
        self.rankers_ = [clone(ranker).fit(X, y, qid) for ranker in members]
        self._given = (X, qid)
        return self._mix(data, weights)

    def rerank(self, y: Any) -> Self:
        """Rank the fitted items anew from other labels; rankers that can keep their graphs.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the items were given to `fit`.
        """
        self._check_fitted_here()
        X, qid = self._given
        data = self._check(X, y, qid)
        weights = self._find_weights(self._members(), data)
        for ranker in self.rankers_:
            ranker._refit(X, y, qid)
        return self._mix(data, weights)

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items with every ranker and mix the scores as in `fit`."""
        check_is_fitted(self, "rankers_")
        data = self._check_new(X, qid)
        columns = np.column_stack([ranker.predict(X, qid) for ranker in self.rankers_])
        number = {name: i for i, name in enumerate(self.list_ids_.tolist())}
        lists = np.array([number.get(name, -1) for name in data.list_ids.tolist()])[data.list_of_item]
        return data.restore(self._sum(data.arrange(columns), lists))

    def formula(self) -> Mixed:
        """Return the mixture of the rankers' formulas, with the weights that new lists have."""
        check_is_fitted(self, "rankers_")
        row = 0 if len(self.list_ids_) == 1 else -1
        return Mixed([each.formula() for each in self.rankers_], self.factors_[row], self.centres_[row])

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into contributions of labelled items, where all rankers can.

        Those of each ranker, times its factor; the means that were subtracted are the constant.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        check_is_fitted(self, "rankers_")
        centres, factors = self._standardisation(item)
        parts = [each.explain(item) for each in self.rankers_]
        items = np.concatenate([part.items for part in parts] + [[CONSTANT]])
        amounts = [factor * part.amounts for factor, part in zip(factors, parts, strict=True)]
        return Contributions(*added_up(items, np.append(np.concatenate(amounts), -factors @ centres)))

    def explain_features(self, item: int) -> FeatureContributions:
        """Split the score of a fitted item into contributions of its features.

        What comes from rankers that do not weigh features, such as a graph, is part of the constant.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        check_is_fitted(self, "rankers_")
        centres, factors = self._standardisation(item)
        features, amounts = [np.array([CONSTANT])], [np.array([-factors @ centres])]
        for factor, ranker in zip(factors, self.rankers_, strict=True):
            try:
                part = ranker.explain_features(item)
            except ValueError:
                part = FeatureContributions(np.array([CONSTANT]), ranker.scores_[[item]])
            features.append(part.features)
            amounts.append(factor * part.amounts)
        return FeatureContributions(*added_up(np.concatenate(features), np.concatenate(amounts)))

    def _standardisation(self, item: int) -> tuple[Floats, Floats]:
        """Return what was subtracted from the scores of an item, and what they were multiplied by."""
        self._check_fitted_here()
        if not 0 <= item < len(self.scores_):
            raise ValueError(f"item must be a row number from 0 to {len(self.scores_) - 1}; got {item!r}.")
        qid = np.zeros(len(self.scores_)) if self._given[1] is None else np.asarray(self._given[1])
        number = 0 if len(self.list_ids_) == 1 else self.list_ids_.tolist().index(qid[item])
        return self.centres_[number], self.factors_[number]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters; with `deep`, also the rankers by name and theirs as ``name__parameter``."""
        params = super().get_params(deep=False)
        for name, ranker in self._named() if deep else ():
            params[name] = ranker
            params |= {f"{name}__{key}": value for key, value in ranker.get_params().items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters, rankers by name, or parameters of rankers as ``name__parameter``."""
        own = self.get_params(deep=False).keys() & params.keys()
        super().set_params(**{name: params.pop(name) for name in own})
        members = dict(self._named())
        exchanged = {name: params.pop(name) for name in members.keys() & params.keys()}
        if exchanged:
            self.rankers = list((members | exchanged).items())
        return super().set_params(**params)

    def _named(self) -> list[tuple[str, Ranker]]:
        """Return the rankers that were given, with names; none where the parameter is no such thing."""
        return named(self.rankers) if self.rankers is not None and self.rankers in Rankers() else []

    def _members(self) -> list[Ranker]:
        if self.rankers is None:
            return [RankRLSCV(), RankBoost(30)]
        return [ranker for _, ranker in named(self.rankers)]

    def _find_weights(self, members: Sequence[Ranker], data: RankingDataset) -> Floats:
        """Return the weight of each ranker in each list, and at last in a list without labels."""
        if self.weights is None:
            weights = [1.0] * len(members)
        elif isinstance(self.weights, str):
            weights = self._held_out_weights(members, data)
        else:
            weights = self.weights
        if len(weights) != len(members):
            raise ValueError(
                f"weights must have one entry for each of {len(members)} rankers; got {len(weights)}."
            )
        n_relevant = np.add.reduceat(data.y > 0, data.indptr[:-1], dtype=np.int64)
        return np.column_stack([weight_in_lists(weight, np.append(n_relevant, 0)) for weight in weights])

    def _held_out_weights(self, members: Sequence[Ranker], data: RankingDataset) -> Any:
        weights = held_out_weights(members, data, self.n_folds)
        if weights is None:
            warnings.warn(
                f"{int(data.labelled.sum())} labels are too few to weigh rankers by held-out ones, or no "
                "ranker finds those again: all rankers weigh the same.",
                DataWarning,
                stacklevel=4,
            )
            return [1.0] * len(members)
        return weights

    def _mix(self, data: RankingDataset, weights: Floats) -> Self:
        """Standardise and mix what the fitted rankers say."""
        columns = data.arrange(np.column_stack([ranker.scores_ for ranker in self.rankers_]))
        centres, spreads = centres_and_spreads(columns, data.indptr)
        usual = spreads.sum(axis=0) / np.maximum((spreads > 0).sum(axis=0), 1)
        self.list_ids_, self.weights_ = data.list_ids, weights[:-1].mean(axis=0)
        self.centres_ = np.vstack([centres, centres.mean(axis=0)])
        self.factors_ = weights * inverse(np.vstack([spreads, usual]))
        return self._store(data, self._sum(columns, data.list_of_item))

    def _sum(self, columns: Floats, lists: Integers) -> Floats:
        """Mix the scores of items of the lists with these numbers; -1 is a list never seen."""
        return np.einsum("ik,ik->i", columns - self.centres_[lists], self.factors_[lists])

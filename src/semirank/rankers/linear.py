"""What linear rankers share: relevant or not, and one model for all lists or one for each."""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset, check_labels, refuse_beyond
from semirank.learned import Array, Names, Number, Table, count
from semirank.limits import SEED, Between, Limit, OneOf
from semirank.metrics.metric import RELEVANT
from semirank.rankers._base import CONSTANT, Contributions, FeatureContributions, Ranker
from semirank.rankers.assumptions import MOSTLY_IRRELEVANT
from semirank.rankers.formulas import Linear
from semirank.rankers.pairs import check_weights
from semirank.rankers.training_set import (
    LinearModel,
    TrainingSet,
    columns_for,
    draw_from_each_list,
    lists_share_items,
    lists_with,
)
from semirank.spelling import option

TOLERANCE = 1e-10  # of LIBLINEAR; cheap, for its last Newton steps converge quadratically
MOST_STEPS = 10_000
FARTHEST = 1e60  # fourth powers, times the square of the largest C, are numbers still


class LinearRanker(Ranker):
    """Rank by a linear score that was learned to tell relevant from irrelevant items.

    A subclass finds the model of a `TrainingSet` in `_solve`; everything else is done here.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    coef_ : float64 array of shape (n_features,)
        The weight of each feature; the mean over lists where each has its own.
    intercept_ : float
        The score of an item without features, likewise.
    own_lists_ : array of shape (n_own_lists,)
        The lists (`qid`) with a model of their own; empty if one model serves all.
    list_coefs_ : float64 array of shape (n_own_lists, n_features)
        Their weights.
    list_intercepts_ : float64 array of shape (n_own_lists,)
        Their intercepts.
    n_iter_ : int
        Number of iterations, the largest over lists.
    """

    takes_weights = ("sample_weight",)

    learned: ClassVar[Table] = Ranker.learned | {
        "coef_": Array("n_features"),
        "intercept_": Number(),
        "own_lists_": Names("n_own"),
        "list_coefs_": Array("n_own", "n_features"),
        "list_intercepts_": Array("n_own"),
        "n_iter_": count(),
    }

    @property
    def assumption(self) -> str | None:
        """What presumed negatives assume; None where there are none."""
        return MOSTLY_IRRELEVANT if self.presumed_negatives else None

    @property
    def one_function(self) -> bool:
        """Whether all lists share one function: only where that was asked for."""
        return self.shared is True

    def in_words(self) -> str:
        """Say in words what this ranker is, and what it presumes."""
        presumed = ", unlabelled items presumed irrelevant" if self.presumed_negatives else ""
        return super().in_words() + presumed

    limits: ClassVar[Mapping[str, Limit]] = {
        "C": Between(1e-12, 1e12),  # far beyond, LIBLINEAR takes steps for ever
        "relevant": RELEVANT,
        "class_weight": OneOf("balanced", None),
        "presumed_negatives": Between(0, kind=Integral),
        "shared": OneOf("auto", True, False),
        "random_state": SEED,
    }
    learns_from_unlabelled: ClassVar[bool] = False

    C: float
    relevant: float | None
    class_weight: str | None
    presumed_negatives: int
    shared: bool | str
    random_state: Any

    coef_: Floats
    intercept_: float
    own_lists_: AnyArray
    list_coefs_: Floats
    list_intercepts_: Floats
    n_iter_: int
    _given: RankingDataset
    _learned_from: list[tuple[Integers, TrainingSet, LinearModel]]

    def supervised(self) -> Ranker:
        """Return the ranker without presumed negatives."""
        return clone(self).set_params(presumed_negatives=0) if self.presumed_negatives else self

    def fit(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> Self:
        """Learn to tell relevant from irrelevant items, and score all items.

        A `sample_weight` of 2 counts as the item given twice, 0 as an item that is only to be scored.
        """
        data = self._check(X, y, qid)
        refuse_beyond(data.X, FARTHEST, "the solver would take steps for ever")
        self._given = data
        return self._rank(data, check_weights(sample_weight, data))

    def rerank(self, y: Any) -> Self:
        """Rank the fitted items anew from other labels, each of weight 1: the scores of a new `fit`.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the items were given to `fit`.
        """
        given = self._items_of_fit()
        labels = check_labels(y, given.n_items)
        if np.isnan(labels).all():
            raise ValueError(f"{type(self).__name__} needs at least one label; y is NaN for all items.")
        return self._rank(given.replace(y=given.arrange(labels)), np.ones(given.n_items))

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def _rank(self, data: RankingDataset, weights: Floats) -> Self:
        """Learn from the labels of the items given to `fit`, and score these."""
        signs = self._signs(data, weights > 0)
        self._learn(data, signs, weights)
        return self._store(self._given, self._score(data))

    def _items_of_fit(self) -> RankingDataset:
        self._check_fitted_here()
        return self._given

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into the contributions of the labelled items.

        At the minimum w is a sum of the labelled items, ``w = sum_i a_i x_i``, and so is the intercept:
        item i adds ``a_i (x_i'x + 1)``. One that is far on its own side adds nothing to a margin.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.

        Returns
        -------
        Contributions
            Row numbers of the items that were learned from, presumed negatives among them.
        """
        data = self._items_of_fit()
        place = self._place(item)
        models = self._models_of(place)
        rows = np.concatenate([self._taught[k][0] for k in models])
        duals = np.concatenate([self._taught[k][1] for k in models]) / len(models)
        likeness = data.X[rows] @ _dense_row(data.X, place)
        return Contributions(data.order[rows], duals * (likeness + 1.0))

    def explain_features(self, item: int) -> FeatureContributions:
        """Split the score of a fitted item into the contributions ``x_j w_j`` of its features.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        data = self._items_of_fit()
        place = self._place(item)
        own = np.flatnonzero(self.own_lists_ == data.list_ids[data.list_of_item[place]])
        coef, intercept = self.coef_, self.intercept_
        if len(own):
            coef, intercept = self.list_coefs_[own[0]], float(self.list_intercepts_[own[0]])
        x = _dense_row(data.X, place)
        used = np.flatnonzero(x)
        return FeatureContributions(np.append(used, CONSTANT), np.append(x[used] * coef[used], intercept))

    def _place(self, item: int) -> int:
        """Return where an item given to `fit` stands among the lists."""
        n_items = self._items_of_fit().n_items
        if not 0 <= item < n_items:
            raise ValueError(f"item must be a row number from 0 to {n_items - 1}; got {item!r}.")
        return int(np.flatnonzero(self._given.order == item)[0])

    def _models_of(self, place: int) -> list[int]:
        """Return the numbers of the models that an item is scored by: its list's, or the mean of all."""
        own = np.flatnonzero(self.own_lists_ == self._given.list_ids[self._given.list_of_item[place]])
        return own.tolist() if len(own) else list(range(len(self._taught)))

    def _duals(self, training_set: TrainingSet, scores: Floats) -> Floats:
        """Return a with w = sum_i a_i x_i over the training set, where that is known."""
        raise ValueError(f"{type(self).__name__} cannot split its scores among labelled items.")

    def _balanced(self, training_set: TrainingSet) -> TrainingSet:
        return training_set.balance()

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by the model of their list; the list makes no difference if one serves all."""
        data = self._check_new(X, qid)
        if len(self.own_lists_) > 1 and qid is None and "qid" not in getattr(X, "columns", ()):
            raise ValueError(
                f"{type(self).__name__} has learned a model for each of {len(self.own_lists_)} lists; "
                "predict needs qid to tell lists apart."
            )
        return data.restore(self._score(data))

    def formula(self) -> Linear:
        """Return the model of all lists; a model for each list is no formula of an item alone."""
        check_is_fitted(self, "coef_")
        if len(self.own_lists_) > 1:
            raise ValueError(
                f"{type(self).__name__} has learned a model for each of {len(self.own_lists_)} lists, and a "
                f"formula knows no lists. Fit with {option('shared', True)}, or one list at a time."
            )
        return Linear(self.coef_, self.intercept_)

    @abstractmethod
    def _solve(self, training_set: TrainingSet) -> LinearModel:
        """Find the model that tells the relevant items of a training set from the irrelevant ones."""

    def _signs(self, data: RankingDataset, usable: Booleans) -> Floats:
        """Return 1 for relevant and -1 for irrelevant items, NaN for unlabelled or unusable ones."""
        y = np.where(usable, data.y, np.nan)
        relevant = y >= self.relevant if self.relevant is not None else y > 0
        if self.relevant is None and self._one_sided(y):
            relevant = y > np.nanmean(y)
        signs = np.where(np.isnan(y), np.nan, np.where(relevant, 1.0, -1.0))
        if self.presumed_negatives:
            rng = np.random.default_rng(self.random_state)
            candidates = usable & ~data.labelled & lists_with(1.0, signs, data)[data.list_of_item]
            signs[draw_from_each_list(candidates, data, self.presumed_negatives, rng)] = -1.0
        return signs

    def _one_sided(self, y: Floats) -> bool:
        """Tell, with a warning, whether labels differ but 0 does not divide them."""
        low, high = np.fmin.reduce(y), np.fmax.reduce(y)
        if not low < high or low <= 0 < high or (low > 0 and self.presumed_negatives):
            return False
        warnings.warn(
            f"All labels are on one side of 0 ({low:g} to {high:g}): items with a label above the mean, "
            f"{np.nanmean(y):g}, are taken as relevant. Set relevant to choose.",
            DataWarning,
            stacklevel=4,
        )
        return True

    def _learn(self, data: RankingDataset, signs: Floats, weights: Floats) -> None:
        """Find one model for all lists, or one for each list with relevant and irrelevant items."""
        apart = self.shared is False or (self.shared == "auto" and lists_share_items(data))
        both = lists_with(1.0, signs, data) & lists_with(-1.0, signs, data)
        if not (both.any() if apart else (signs == 1).any() and (signs == -1).any()):
            raise ValueError(self._why_not(signs))
        items = np.flatnonzero((weights > 0) & (self.learns_from_unlabelled | ~np.isnan(signs)))
        if apart:
            of_lists = [items[i:j] for i, j in pairwise(np.searchsorted(items, data.indptr))]
            groups = [of_lists[number] for number in np.flatnonzero(both)]
        else:
            groups = [items]
        sets = [self._training_set(data, signs, weights, group, apart) for group in groups]
        models = [self._solve(training_set) for training_set in sets]
        self._learned_from = list(zip(groups, sets, models, strict=True))
        self._keep(models, data.list_ids[both & apart], data.n_features)

    @property
    def _taught(self) -> list[tuple[Integers, Floats]]:
        """The rows that each model has learned from, and a with w = sum_i a_i x_i."""
        return [
            (rows, self._duals(training_set, model.score(training_set.X)))
            for rows, training_set, model in self._learned_from
        ]

    def _training_set(
        self, data: RankingDataset, signs: Floats, weights: Floats, items: Integers, apart: bool
    ) -> TrainingSet:
        X = data.X if len(items) == data.n_items else data.X[items]
        X = columns_for(X, data.list_of_item[items], 1 if apart else data.n_lists)
        training_set = TrainingSet(X, signs[items], weights[items])
        return self._balanced(training_set) if self.class_weight == "balanced" else training_set

    def _keep(self, models: list[LinearModel], own_lists: AnyArray, n_features: int) -> None:
        coefs = np.array([model.coef[:n_features] for model in models])
        intercepts = np.array([model.intercept for model in models])
        self.coef_, self.intercept_ = coefs.mean(axis=0), float(intercepts.mean())
        self.own_lists_ = own_lists
        self.list_coefs_, self.list_intercepts_ = coefs[: len(own_lists)], intercepts[: len(own_lists)]
        self.n_iter_ = max(model.n_iter for model in models)

    def _score(self, data: RankingDataset) -> Floats:
        scores = np.asarray(data.X @ self.coef_ + self.intercept_, dtype=np.float64)
        line_of = {name: k for k, name in enumerate(self.own_lists_.tolist())}
        others = []
        for name, start, stop in zip(data.list_ids.tolist(), data.indptr, data.indptr[1:], strict=False):
            k = line_of.get(name)
            if k is None:
                others.append(name)
            else:
                scores[start:stop] = data.X[start:stop] @ self.list_coefs_[k] + self.list_intercepts_[k]
        if line_of and others:
            warnings.warn(
                f"{len(others)} of {data.n_lists} lists (first: {others[0]!r}) have no relevant or no "
                "irrelevant item to learn from; they are ranked by the mean of what the other lists learned.",
                DataWarning,
                stacklevel=3,
            )
        return scores

    def _why_not(self, signs: Floats) -> str:
        n_relevant, n_irrelevant = int((signs == 1).sum()), int((signs == -1).sum())
        if n_relevant and n_irrelevant:
            reason, advice = "no list has both", f"{option('shared', True)} learns from all lists together"
        else:
            reason, advice = "all labels are of one class", "label items of the other class"
        if n_relevant and not self.presumed_negatives:
            said = option("presumed_negatives", 100)
            advice += f", or say {said} to take random unlabelled items as irrelevant"
        return (
            f"{type(self).__name__} needs relevant and irrelevant items, and {reason} ({n_relevant} "
            f"relevant, {n_irrelevant} irrelevant, n_samples = {len(signs)}): {advice}."
        )


def _dense_row(X: Features, row: int) -> Floats:
    x = X[[row]]
    return np.asarray(x.toarray() if issparse(x) else x, dtype=np.float64).ravel()

"""What all rankers share: checks, lists, the two answers, the score."""

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank import display, metrics
from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset, first_place
from semirank.learned import Array, Each, Names, Optional, Table, Value, count
from semirank.limits import Limit, check_limits
from semirank.rankers.formulas import Formula
from semirank.rankers.in_parts import InParts
from semirank.spelling import option

CONSTANT = -1
_FILLING = "RankingDataset(X, y, qid).fill_missing(0) or a scikit-learn imputer"


class Contributions(NamedTuple):
    """How each labelled item has moved the score of one item; the amounts add up to that score.

    Attributes
    ----------
    items : int64 array of shape (n_contributions,)
        Row numbers, as given to `fit`; `CONSTANT` (-1) for what no labelled item accounts for.
    amounts : float64 array of shape (n_contributions,)
        How much each of them has added.

    See Also
    --------
    Ranker.explain : where they come from.
    semirank.feedback.reasons : the strongest of them, by name.
    """

    items: Integers
    amounts: Floats

    def _repr_html_(self) -> str:
        names = ["constant" if item == CONSTANT else f"item {item}" for item in self.items.tolist()]
        return display.contributions("Contributions of labelled items", names, self.amounts)


class FeatureContributions(NamedTuple):
    """How each feature of an item has moved its score; the amounts add up to that score.

    Attributes
    ----------
    features : int64 array of shape (n_contributions,)
        Column numbers, as given to `fit`; `CONSTANT` (-1) for what no feature accounts for.
    amounts : float64 array of shape (n_contributions,)
        How much each of them has added.
    """

    features: Integers
    amounts: Floats

    def _repr_html_(self) -> str:
        names = ["constant" if each == CONSTANT else f"feature {each}" for each in self.features.tolist()]
        return display.contributions("Contributions of features", names, self.amounts)


class Ranker(InParts, BaseEstimator):
    """Give every item a score: higher is better, comparable within a list only.

    A ranker has two answers under two names. `scores_` holds the scores of the items given to `fit`, in
    the caller's order. `predict` scores new items.

    A subclass stores its parameters in ``__init__``, states their `limits`, and writes `fit` in four acts:
    check (`_check`), prepare, solve, store (`_store`).

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    n_features_in_ : int
        Number of features seen in `fit`.
    feature_names_in_ : array of str
        Their names, when X was a data frame.
    n_lists_ : int
        Number of lists seen in `fit`.
    skipped_ : list of str
        What was wrong with parts that `fit_parts` has left out, if it has.

    See Also
    --------
    semirank.checks.check_ranker : the promises that every ranker keeps.
    RankingDataset : what `_check` returns.

    Notes
    -----
    A ranker knows itself; whoever judges rankers asks them. A subclass overrides `called`, `assumption`,
    `supervised`, `takes_sparse`, `takes_texts`, `takes_weights`, `one_function` and `shows_progress` where it
    differs: by an attribute of the class, or by a property where that depends on parameters.
    """

    limits: ClassVar[Mapping[str, Limit]] = {}

    called: ClassVar[str] = ""
    """What it is called in words, with parameters in braces; "": as its class is."""

    # qid goes wherever the data go, so that grid search and pipelines need no set_..._request call
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}

    learned: ClassVar[Table] = {
        "n_features_in_": count("n_features", low=1),
        "n_lists_": count("n_lists", low=1),
        "feature_names_in_": Optional(Names("n_features")),
        "scores_": Array("n_items"),
        "skipped_": Optional(Each(Value(str))),
    }

    scores_: Floats
    n_features_in_: int
    n_lists_: int

    @property
    def assumption(self) -> str | None:
        """What it assumes about unlabelled items, in words; None: it learns from labels alone."""
        return None

    @property
    def takes_sparse(self) -> bool:
        """Whether X may be a sparse matrix."""
        return True

    @property
    def takes_texts(self) -> bool:
        """Whether X may be a sequence of texts."""
        return False

    @property
    def takes_weights(self) -> tuple[str, ...]:
        """Which weights `fit` takes: of items ("sample_weight"), of pairs ("pairs")."""
        return ()

    @property
    def one_function(self) -> bool:
        """Whether one function scores the items of all lists; False: one for each list, by its own labels."""
        return True

    @property
    def ignores_unlabelled(self) -> bool:
        """Whether unlabelled items given to `fit` change nothing that `predict` says."""
        return self.assumption is None and not self.takes_texts

    @property
    def shows_progress(self) -> bool:
        """Whether `fit` takes ``progress``, a function of (done, total)."""
        return False

    @abstractmethod
    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Learn from labelled items, and from unlabelled ones (y is NaN) where the method can."""

    @abstractmethod
    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Return the scores of new items, in the order given."""

    def supervised(self) -> "Ranker | None":
        """Return this ranker on labels alone, with all the labels that it uses; None where there is none.

        A ranker that does not say otherwise is the same ranker fitted on the labelled items only.
        """
        if self.assumption is None:
            return self
        from semirank.rankers.labelled_only import LabelledOnly  # which is a ranker itself

        return LabelledOnly(clone(self))

    @classmethod
    def like(cls, ranker: "Ranker") -> Self:
        """Return a ranker of this class with the parameters that it shares with another.

        Examples
        --------
        >>> from semirank import RankBoost, SemiRankBoost
        >>> RankBoost.like(SemiRankBoost(n_rounds=30))
        RankBoost(n_rounds=30)
        """
        own = cls._get_param_names()
        return cls(**{name: value for name, value in ranker.get_params(deep=False).items() if name in own})

    def in_words(self) -> str:
        """Say in words what this ranker is.

        Examples
        --------
        >>> from semirank import LabelledOnly, ManifoldRanking
        >>> LabelledOnly(ManifoldRanking(n_neighbors=5)).in_words()
        'manifold ranking, 5 neighbours, labels alone'
        """
        called = self.called or re.sub("(?<=[a-z])(?=[A-Z])", " ", type(self).__name__).lower()
        return called.format_map({name: _worded(each) for name, each in self.get_params(deep=False).items()})

    def formula(self) -> Formula:
        """Return what `predict` computes of the features of one item, for programs without semirank."""
        raise ValueError(
            f"{type(self).__name__} ranks by more than a formula of an item's features. Rank with it where "
            "semirank is installed, or fit a linear ranker, RankBoost or ForestRanker instead."
        )

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into contributions of labelled items, where that can be done."""
        raise ValueError(f"{type(self).__name__} cannot split its scores among labelled items.")

    def explain_features(self, item: int) -> FeatureContributions:
        """Split the score of a fitted item into contributions of its features, where that can be done."""
        raise ValueError(f"{type(self).__name__} cannot split its scores among features.")

    def explain_pair(self, item: int, other: int) -> Contributions:
        """Say why an item stands before another: the contributions to the difference of their scores.

        Parameters
        ----------
        item, other : int
            Row numbers, as given to `fit`, of two items of a list.
        """
        first, second = self.explain(item), self.explain(other)
        items = np.append(first.items, second.items)
        return Contributions(*added_up(items, np.append(first.amounts, -second.amounts)))

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        """Fit again on other labels of the items given to `fit`; quicker where something can be kept."""
        return self.fit(X, y, qid)

    def _fit_unlabelled(self, X: Any, qid: Any) -> bool:
        """Make what no label changes, so that `_refit` can follow; False where there is no such thing."""
        return False

    def score(self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None) -> float:
        """Return the mean nDCG of `predict` over the lists of X that have items to tell apart.

        With `sample_weight`, one weight for each item, a list counts as much as its items on average.
        """
        if qid is None and self.n_lists_ > 1 and "qid" not in getattr(X, "columns", ()):
            raise ValueError(
                f"{type(self).__name__} was fitted on {self.n_lists_} lists; score needs qid to tell lists "
                "apart. In a cross-validation, pass qid with "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        data = self._new_items(X, y, qid)
        values = metrics.ndcg(data.y, data.arrange(self.predict(X, qid)), data.qid)
        defined = ~np.isnan(values)
        if not defined.any():
            raise ValueError("No list of X has items to tell apart, so there is nothing to score.")
        items = np.ones(data.n_items) if sample_weight is None else data.arrange(sample_weight)
        weights = np.add.reduceat(items, data.indptr[:-1]) / np.diff(data.indptr)
        return float(np.average(values[defined], weights=weights[defined]))

    def _new_items(self, X: Any, y: Any, qid: Any) -> RankingDataset:
        return RankingDataset(X, y, qid)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = self.takes_sparse
        tags.input_tags.string = self.takes_texts
        return tags

    def _check(self, X: Any, y: Any, qid: Any, *, needs_label: bool = True) -> RankingDataset:
        """Check parameters and data; refuse what no ranker can use."""
        check_limits(self.limits, self.get_params(deep=False))
        data = RankingDataset(X, y, qid)
        _refuse_missing_features(data)
        if needs_label and not data.labelled.any():
            raise ValueError(
                f"{type(self).__name__} needs at least one label; y is NaN (unlabelled) for all "
                f"{data.n_items} items."
            )
        self._remember_features(data)
        self.n_lists_ = data.n_lists
        return data

    def _store(self, data: RankingDataset, scores: Floats) -> Self:
        """Keep the scores of the fitted items in the caller's order."""
        self.scores_ = self._finite(data.restore(np.asarray(scores, dtype=np.float64)))
        return self

    def _finite(self, scores: Floats) -> Floats:
        """Return the scores; refuse what is no number."""
        if not np.isfinite(scores).all():
            raise ValueError(
                f"The scores of {type(self).__name__} are beyond what numbers can hold. Scale the features, "
                "or choose milder parameters."
            )
        return scores

    def _check_new(self, X: Any, qid: Any) -> RankingDataset:
        """Check new items against what `fit` has seen; they come back as unlabelled data."""
        check_is_fitted(self, "scores_")
        n_items = X.shape[0] if hasattr(X, "shape") else len(X)
        data = RankingDataset(X, np.full(n_items, np.nan), qid)
        _refuse_missing_features(data)
        if data.n_features != self.n_features_in_:
            raise ValueError(
                f"X has {data.n_features} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )
        known = getattr(self, "feature_names_in_", None)
        if known is not None and data.feature_names is not None and tuple(known) != data.feature_names:
            raise ValueError(_name_difference(tuple(known), data.feature_names))
        return data

    def _remember_features(self, data: RankingDataset) -> None:
        self.n_features_in_ = data.n_features
        if data.feature_names is not None:
            self.feature_names_in_ = np.array(data.feature_names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        if hasattr(self, "skipped_"):
            del self.skipped_

    def _check_fitted_here(self, kept: str = "_given") -> None:
        """Refuse what needs the items of `fit`, kept under a name, if this ranker comes from a model file."""
        if not hasattr(self, kept):
            check_is_fitted(self, "scores_")
            raise ValueError(
                "A model file does not hold the items given to fit, which this needs: fit again."
            )

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))


def added_up(names: Integers, amounts: Floats) -> tuple[Integers, Floats]:
    """Add up the amounts of the same name; names in order."""
    different, places = np.unique(names, return_inverse=True)
    sums = np.zeros(len(different))
    np.add.at(sums, places, amounts)
    return different, sums


def _refuse_missing_features(data: RankingDataset) -> None:
    if data.n_features == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape=({data.n_items}, 0)) while a minimum of 1 is required."
        )
    if (place := first_place(data.X, np.isnan)) is not None:
        raise ValueError(
            f"X contains NaN in row {data.order[place[0]]}, feature {place[1]}: a missing feature. Fill it "
            f"first, for example with {option('fill', 'mean', python=_FILLING)}."
        )


def _name_difference(known: tuple[str, ...], given: tuple[str, ...]) -> str:
    unseen, missing = sorted(set(given) - set(known)), sorted(set(known) - set(given))
    lines = ["The feature names should match those that were passed during fit."]
    if unseen:
        lines += ["Feature names unseen at fit time:", *(f"- {name}" for name in unseen[:5])]
    if missing:
        lines += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in missing[:5])]
    if not unseen and not missing:
        lines.append("Feature names must be in the same order as they were in fit.")
    return "\n".join(lines) + "\n"


def _worded(value: Any) -> str:
    """Return a parameter as words: a ranker in its own, None for the usual one."""
    if isinstance(value, Ranker):
        return value.in_words()
    return "usual ranker" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

"""Rankers that are fitted anew for each list without labels."""

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from joblib import Parallel, delayed
from scipy.sparse import csr_array, issparse, vstack
from sklearn.base import BaseEstimator, clone

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset
from semirank.dataset.checks import check_per_item
from semirank.learned import Array, Part, Table, Value
from semirank.limits import Either, Kind, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.estimator import as_ranker
from semirank.rankers.pairs import PairWeights, check_pairs
from semirank.rankers.rankboost import RankBoost

RANKER = Either(Kind("a ranker", (BaseEstimator,)), OneOf(None))
JOBS = Either(Kind("a whole number", (int, np.integer)), OneOf(None))

# what a list can cause; anything else is a fault of the program and is not caught
LIST_ERRORS = (ValueError, ArithmeticError, np.linalg.LinAlgError)

Progress = Callable[[int, int], None]
Known = Sequence[tuple[Any, ...]] | None


class LabelledLists(NamedTuple):
    """The lists that have labels, which is all that a ranker for another list learns from.

    X, y: items and labels (NaN: none), list after list; lists: the number of each item's list; weights: what
    `fit` was given beside them, by the name of the argument (``sample_weight`` or ``pairs``).
    """

    X: Features
    y: Floats
    lists: Integers
    weights: dict[str, Any]

    def with_list(self, items: Features) -> tuple[Features, Floats, Integers]:
        """Return X, y and list numbers with one more list behind them, which has no labels."""
        n_items = items.shape[0]
        y, lists = np.append(self.y, np.full(n_items, np.nan)), np.append(self.lists, np.full(n_items, -1))
        return stack(self.X, items), y, lists


class Adapted(NamedTuple):
    """The scores of one list, and figures about how it was adapted to."""

    scores: Floats
    figures: dict[str, float] = {}  # noqa: RUF012 (never modified)


class AdaptingRanker(Ranker):
    """Rank each list without labels by a copy of a ranker that was fitted for that list alone.

    Lists with at least one label teach: they are ranked by `ranker_`, the ranker fitted on them as it is. So
    where all lists have labels, the answer is that ranker's. Each other list is ranked on its own: what the
    list looks like changes what is learned from the lists that teach. `predict` does the same with new lists.

    A subclass stores `ranker` and `n_jobs`, and writes `_adapt`, the scores of one list. What does not depend
    on the list goes into `_prepare`, which is called once. Most end in `_fit_for`: a copy of the ranker is
    fitted on what teaches and on the list without labels, so that it may itself be one that adapts.

    A list that cannot be adapted to gets the scores of `ranker_`, a warning, and its place in `failures_`. If
    none can, that is an error.

    Attributes
    ----------
    ranker_ : Ranker
        The ranker fitted on the lists that have labels.
    failures_ : dict
        Why, for each list given to `fit` that could not be adapted to.
    figures_ : dict
        For each list given to `fit` that was adapted to, figures by name.
    """

    shows_progress = True
    limits: ClassVar[Mapping[str, Limit]] = {"ranker": RANKER, "n_jobs": JOBS}

    ranker: Any
    n_jobs: int | None
    learned: ClassVar[Table] = Ranker.learned | {
        "X_": Array("n_kept", "n_features", dtype="float", sparse=True),
        "y_": Array("n_kept", gaps=True),
        "lists_": Array("n_kept", dtype="int64", low=0, high="n_lists"),
        "weights_": Value(dict),
        "ranker_": Part("Ranker"),
        "failures_": Value(dict),
        "figures_": Value(dict),
    }

    ranker_: Ranker
    failures_: dict[Any, str]
    figures_: dict[Any, dict[str, float]]
    X_: Features
    y_: Floats
    lists_: Integers
    weights_: dict[str, Any]

    @property
    def takes_weights(self) -> tuple[str, ...]:
        """Which weights the ranker takes."""
        return self._base().takes_weights

    def supervised(self) -> Ranker | None:
        """Return the ranker that learns from the lists with labels alone."""
        return self._base().supervised()

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        pairs: PairWeights | None = None,
        *,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from the lists that have labels, and rank each of the others by a ranker of its own.

        `sample_weight` and `pairs` are given to the ranker; `progress` is called with (done, total) lists.
        """
        data = self._check(X, y, qid)
        return self._fit(data, weights_by_name(data, sample_weight, pairs), progress)

    def _fit(
        self,
        data: RankingDataset,
        weights: dict[str, Any],
        progress: Progress | None,
        known: Known = None,
    ) -> Self:
        """Learn and rank; known: what `_adapt` is told of each list without labels beside its items."""
        teaches = (data.labelled_per_list > 0)[data.list_of_item]
        self._learn(data, teaches, weights)
        scores = np.empty(data.n_items)
        scores[teaches] = self.ranker_.scores_
        self.failures_, self.figures_ = {}, {}
        if not teaches.all():
            others = data.take(~teaches)
            scores[~teaches], self.failures_, self.figures_ = self._rank_lists(others, progress, known)
        return self._store(data, scores)

    def predict(self, X: Any, qid: Any = None, *, progress: Progress | None = None) -> Floats:
        """Score new lists, each by a ranker that is fitted for it."""
        data = self._check_new(X, qid)
        return data.restore(self._rank_lists(data, progress)[0])

    @abstractmethod
    def _adapt(self, labelled: LabelledLists, prepared: Any, items: Features) -> Adapted:
        """Return the scores of the items of one list."""

    def _prepare(self, labelled: LabelledLists) -> Any:
        """Return what `_adapt` needs for every list."""

    def _base(self) -> Ranker:
        """Return an unfitted copy of the ranker."""
        return RankBoost() if self.ranker is None else clone(as_ranker(self.ranker))

    def _fit_for(self, items: Features, labelled: LabelledLists, ranker: Ranker | None = None) -> Floats:
        """Fit a ranker on what teaches and one list without labels; return that list's scores.

        ranker : an unfitted ranker; None: a copy of the ranker that `fit` was told of.
        """
        return self._fitted_for(items, labelled, ranker).scores_[-items.shape[0] :]

    def _fitted_for(self, items: Features, labelled: LabelledLists, ranker: Ranker | None = None) -> Ranker:
        """Fit as above; return the ranker, which has scored what teaches and then the list."""
        X, y, lists = labelled.with_list(items)
        weights = dict(labelled.weights)
        if "sample_weight" in weights:
            weights["sample_weight"] = np.append(weights["sample_weight"], np.ones(items.shape[0]))
        ranker = self._base() if ranker is None else ranker
        return fit_with(ranker, X, y, lists, weights)

    def _learn(self, data: RankingDataset, teaches: Booleans, weights: dict[str, AnyArray]) -> None:
        self.X_, self.y_ = data.X[teaches], data.y[teaches]
        self.lists_ = data.list_of_item[teaches]
        self.weights_ = _select_weights(weights, teaches)
        self.ranker_ = fit_with(self._base(), *self._labelled_lists())

    def _labelled_lists(self) -> LabelledLists:
        weights = dict(self.weights_)
        if "pairs" in weights:
            weights["pairs"] = PairWeights(*weights["pairs"])
        return LabelledLists(self.X_, self.y_, self.lists_, weights)

    def _rank_lists(
        self, data: RankingDataset, progress: Progress | None, known: Known = None
    ) -> tuple[Floats, dict[Any, str], dict[Any, dict[str, float]]]:
        """Rank each list; return the scores, and failures and figures by list."""
        labelled = self._labelled_lists()
        prepared = self._prepare(labelled)
        lists = [data.X[start:stop] for start, stop in zip(data.indptr, data.indptr[1:], strict=False)]
        told = zip(lists, [()] * len(lists) if known is None else known, strict=True)
        tasks = (delayed(_attempt)(self, labelled, prepared, items, *more) for items, more in told)
        outcomes = Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks)
        failures, figures, scores = {}, {}, []
        names = data.list_ids.tolist()
        for number, outcome in enumerate(_watched(outcomes, len(lists), progress)):
            if isinstance(outcome, Exception):
                failures[names[number]] = f"{type(outcome).__name__}: {outcome}"
                outcome = Adapted(self.ranker_.predict(lists[number]))
            else:
                figures[names[number]] = outcome.figures
            scores.append(outcome.scores)
        if failures:
            self._report(failures, len(lists))
        return np.concatenate(scores), failures, figures

    def _report(self, failures: dict[Any, str], n_lists: int) -> None:
        name, reason = next(iter(failures.items()))
        which = f"{type(self).__name__} could not adapt to {len(failures)} of {n_lists} lists"
        if len(failures) == n_lists:
            raise ValueError(f"{which}. The first is {name!r}: {reason}")
        warnings.warn(
            f"{which}, which are ranked by the ranker as it is. The first is {name!r}: {reason}",
            DataWarning,
            stacklevel=4,
        )

    def _check_state(self) -> None:
        super()._check_state()
        if np.isnan(self.y_).all():
            raise ValueError("y_ must have a label")


def stack(X: Features, more: Features) -> Features:
    """Return the rows of one matrix followed by those of another."""
    return vstack([X, more], format="csr") if issparse(X) else np.vstack([X, more])


def in_kind(X: Features, more: Features) -> Features:
    """Return the second matrix as sparse or dense as the first."""
    if issparse(X):
        return csr_array(more)
    return more.toarray() if issparse(more) else more


def fit_with(ranker: Ranker, X: Features, y: Floats, lists: Integers, weights: Mapping[str, Any]) -> Ranker:
    """Fit a ranker with weights, if it takes them."""
    missing = set(weights) - set(ranker.takes_weights)
    if missing:
        raise ValueError(f"{type(ranker).__name__}.fit does not take {' and '.join(sorted(missing))}.")
    return ranker.fit(X, y, lists, **weights)


def _attempt(
    ranker: AdaptingRanker, labelled: LabelledLists, prepared: Any, items: Features, *known: Any
) -> Adapted | Exception:
    try:
        return ranker._adapt(labelled, prepared, items, *known)
    except LIST_ERRORS as error:  # one list must not cost the others
        return error


def _watched(outcomes: Iterable[Any], total: int, progress: Progress | None) -> Iterable[Any]:
    for done, outcome in enumerate(outcomes, 1):
        if progress is not None:
            progress(done, total)
        yield outcome


def weights_by_name(data: RankingDataset, sample_weight: Any, pairs: PairWeights | None) -> dict[str, Any]:
    """Return the weights that were given, for items in the order of the lists."""
    weights: dict[str, Any] = {}
    if sample_weight is not None:
        weights["sample_weight"] = data.arrange(check_per_item("sample_weight", sample_weight, data.n_items))
    if pairs is not None:
        weights["pairs"] = tuple(check_pairs(pairs, data))
    return weights


def _select_weights(weights: dict[str, Any], kept: Booleans) -> dict[str, Any]:
    """Return the weights for some of the items, among which are those of all pairs."""
    place = np.cumsum(kept) - 1
    selected = dict(weights)
    if "sample_weight" in weights:
        selected["sample_weight"] = weights["sample_weight"][kept]
    if "pairs" in weights:
        better, worse, amounts = weights["pairs"]
        selected["pairs"] = (place[better], place[worse], amounts)
    return selected

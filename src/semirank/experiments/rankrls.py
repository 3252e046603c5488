"""Experiments on RankRLS and its transductive form (Pahikkala et al., 2007), as tables of plain rows."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import GRID, RankRLSCV, largest_within_one_error
from semirank.rankers.transductive_rankrls import TransductiveRankRLS
from semirank.readers.datasets import load

Rows = list[dict[str, Any]]
Sizes = Sequence[int | None]
Method = Callable[[RankingDataset, RankingDataset], Floats]
Progress = Callable[[int, int | None], None]

FOLDS = range(1, 6)
FEW: Sizes = (5, 10, 20, None)
REGRESSION = "labels (ridge regression)"
DIFFERENCES = "differences (RankRLSCV)"


def against_regression(
    name: str = "ohsumed-letor",
    sizes: Sizes = FEW,
    draws: int = 20,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Compare regularised least squares on the labels themselves with RankRLS, on their differences.

    Both choose the ridge by leaving out lists of those they are taught by. The other rows are RankRLS with a
    fixed ridge, in units of the mean squared distance of two items of a list: they show what a choice with
    hindsight could reach.
    """
    methods: dict[str, Method] = {REGRESSION: by_regression, DIFFERENCES: by_cross_validation}
    for multiple in (0.1, 0.3, 1.0, 3.0, 10.0):
        methods[f"ridge fixed at {multiple:g}"] = by_fixed_ridge(multiple)
    return compare_methods(methods, name, sizes, draws, seed, progress)


def transductive_against_supervised(
    name: str = "ohsumed-letor",
    sizes: Sizes = (5, 10, 20),
    draws: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Compare RankRLS with its transductive form, which also sees the features of the test lists.

    Both have the ridge that RankRLSCV chooses. The pull is given as a multiple of the mean of 2 / n over
    the unlabelled items, n being the length of their list; 10 is the default.
    """
    methods: dict[str, Method] = {"supervised": by_cross_validation}
    for strength in (10.0, 1.0, 0.1, 0.01):
        methods[f"transductive, pull x {strength:g}"] = by_transduction(strength)
    return compare_methods(methods, name, sizes, draws, seed, progress)


def compare_methods(
    methods: Mapping[str, Method],
    name: str,
    sizes: Sizes,
    draws: int,
    seed: int,
    progress: Progress | None = None,
) -> Rows:
    """Measure methods on the same test lists, taught by the same few lists.

    The few lists are drawn from those of the three training parts that have different labels. AP and
    nDCG@10 in per cent, over all test lists of the five folds; a list without a relevant item counts 0, as is
    the custom for these collections. The spread of AP is over draws; `gain` is AP minus that of the first
    method, and its standard error is over test lists, each averaged over draws.
    """
    rows: Rows = []
    for at, size in enumerate(sizes):
        turns = draws if size else 1
        found = {method: np.empty((turns, 0, 3)) for method in methods}
        for fold in FOLDS:
            values = [_on_fold(methods, name, fold, size, (seed, fold, draw)) for draw in range(turns)]
            for method in methods:
                stacked = np.array([value[method] for value in values])
                found[method] = np.concatenate([found[method], stacked], axis=1)
            if progress is not None:
                progress(at * len(FOLDS) + fold, len(sizes) * len(FOLDS))
        first = next(iter(found.values()))
        rows += [_row(size, method, values, first) for method, values in found.items()]
    return rows


def by_cross_validation(few: RankingDataset, test: RankingDataset) -> Floats:
    """Score the test items by `RankRLSCV`."""
    return RankRLSCV().fit(few.X, few.y, few.qid).predict(test.X)


def by_fixed_ridge(multiple: float) -> Method:
    """Return a method: score the test items by `RankRLS`, the ridge a multiple of its natural unit."""

    def method(few: RankingDataset, test: RankingDataset) -> Floats:
        squares = (few.centred(few.X) ** 2).sum(axis=1)
        unit = float(np.mean(2.0 * few.list_sums(squares) / (few.sizes - 1)))
        return RankRLS(ridge=multiple * unit).fit(few.X, few.y, few.qid).predict(test.X)

    return method


def by_regression(few: RankingDataset, test: RankingDataset) -> Floats:
    """Score the test items by ridge regression of the labels, the ridge chosen by leaving lists out."""
    ridges = 100.0 * GRID * few.X.var(axis=0).sum()
    errors = np.empty((len(ridges), few.n_lists))
    for rest, left_out in GroupKFold(min(few.n_lists, 10)).split(few.X, groups=few.qid):
        squares = (_regress(few.X[rest], few.y[rest], few.X[left_out], ridges) - few.y[left_out]) ** 2
        lists = few.list_of_item[left_out]
        for each in np.unique(lists):
            errors[:, each] = squares[:, lists == each].mean(axis=1)
    chosen = ridges[largest_within_one_error(errors)]
    return _regress(few.X, few.y, test.X, np.array([chosen]))[0]


def _regress(X: Floats, y: Floats, new: Floats, ridges: Floats) -> Floats:
    """Predict the labels of new items by ridge regression with an intercept; one row a ridge."""
    mean, centred = X.mean(axis=0), X - X.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T @ centred)
    coordinates = vectors.T @ (centred.T @ (y - y.mean())) / (np.maximum(values, 0.0) + ridges[:, None])
    return y.mean() + coordinates @ ((new - mean) @ vectors).T


def by_transduction(strength: float) -> Method:
    """Return a method: score the test items by `TransductiveRankRLS` with the ridge of `RankRLSCV`."""

    def method(few: RankingDataset, test: RankingDataset) -> Floats:
        ridge = RankRLSCV().fit(few.X, few.y, few.qid).ridge_
        pull = strength * float(np.mean(2.0 / test.sizes[test.list_of_item]))
        X, y = np.vstack([few.X, test.X]), np.append(few.y, np.full(test.n_items, np.nan))
        qid = np.append(few.list_of_item, test.list_of_item + few.n_lists)
        return TransductiveRankRLS(ridge=ridge, pull=pull).fit(X, y, qid).scores_[few.n_items :]

    return method


def _on_fold(
    methods: Mapping[str, Method], name: str, fold: int, size: int | None, seed: tuple[int, ...]
) -> dict[str, Floats]:
    """Return AP, nDCG@10 and disagreement of each test list, for each method."""
    train, test = _fold(name, fold)
    lists = np.flatnonzero(train.labels_differ)
    few = train.select(lists if size is None else np.random.default_rng(seed).choice(lists, size, False))
    return {method: _measure(score(few, test), test) for method, score in methods.items()}


@lru_cache(maxsize=5)
def _fold(name: str, fold: int) -> tuple[RankingDataset, RankingDataset]:
    return load(name, fold=fold, part="train"), load(name, fold=fold, part="test")


def _measure(scores: Floats, test: RankingDataset) -> Floats:
    values = metrics.measure(("AP", "nDCG@10", "Disagreement"), test.y, scores, test.qid)
    return np.nan_to_num(np.column_stack(list(values.values())))


def _row(size: int | None, method: str, values: Floats, first: Floats) -> dict[str, Any]:
    AP = 100.0 * values[:, :, 0]
    gains = AP - 100.0 * first[:, :, 0]
    return {
        "labelled lists": "all" if size is None else size,
        "method": method,
        "AP": float(AP.mean()),
        "spread": float(AP.mean(axis=1).std(ddof=1)) if len(AP) > 1 else None,
        "nDCG@10": float(100.0 * values[:, :, 1].mean()),
        "disagreement": float(100.0 * values[:, :, 2].mean()),
        "gain": float(gains.mean()),
        "standard error": float(gains.mean(axis=0).std(ddof=1) / np.sqrt(gains.shape[1])),
    }

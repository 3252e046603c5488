"""Experiments on RankRLS and its transductive form (Pahikkala et al., 2007), as tables of plain rows."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.linear_model import Ridge
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


def learning_curve(
    name: str = "ohsumed-letor",
    sizes: Sizes = FEW,
    draws: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Rank the test lists of five folds by `RankRLSCV`, taught by a few lists (None: all) of the fold."""
    return compare_methods({"RankRLSCV": by_cross_validation}, name, sizes, draws, seed, progress)


def against_regression(
    name: str = "ohsumed-letor",
    sizes: Sizes = FEW,
    draws: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Compare regularised least squares on the labels themselves with RankRLS, on their differences."""
    methods = {"labels (ridge regression)": by_regression, "differences (RankRLSCV)": by_cross_validation}
    return compare_methods(methods, name, sizes, draws, seed, progress)


def transductive_against_supervised(
    name: str = "ohsumed-letor",
    sizes: Sizes = (5, 10, 20),
    draws: int = 3,
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
    method, and its standard error is over draws and lists.
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


def by_regression(few: RankingDataset, test: RankingDataset) -> Floats:
    """Score the test items by ridge regression of the labels, the ridge chosen by leaving lists out."""
    ridges = 100.0 * GRID * few.X.var(axis=0).sum()
    errors = np.empty((len(ridges), few.n_lists))
    for rest, left_out in GroupKFold(min(few.n_lists, 10)).split(few.X, groups=few.qid):
        lists = np.unique(few.list_of_item[left_out])
        for row, ridge in zip(errors, ridges, strict=True):
            squares = (
                Ridge(ridge).fit(few.X[rest], few.y[rest]).predict(few.X[left_out]) - few.y[left_out]
            ) ** 2
            row[lists] = [squares[few.list_of_item[left_out] == each].mean() for each in lists]
    chosen = ridges[largest_within_one_error(errors)]
    return Ridge(chosen).fit(few.X, few.y).predict(test.X)


def by_transduction(strength: float) -> Method:
    """Return a method: score the test items by `TransductiveRankRLS` with the ridge of `RankRLSCV`."""

    def method(few: RankingDataset, test: RankingDataset) -> Floats:
        ridge = RankRLSCV().fit(few.X, few.y, few.qid).ridge_
        pull = strength * float(np.mean(2.0 / np.diff(test.indptr)[test.list_of_item]))
        X, y = np.vstack([few.X, test.X]), np.append(few.y, np.full(test.n_items, np.nan))
        qid = np.append(few.list_of_item, test.list_of_item + few.n_lists)
        return TransductiveRankRLS(ridge=ridge, pull=pull).fit(X, y, qid).scores_[few.n_items :]

    return method


def hold_out_shortcut(
    n_lists: Sequence[int] = (25, 50, 100, 200), kernel: str = "rbf", retrained: int = 10, seed: int = 0
) -> Rows:
    """Time leave-list-out for fifteen ridges against training again, on lists of MQ2008.

    Training again is timed on the first lists, with one ridge, and multiplied by lists and ridges.
    """
    data = load("mq2008")
    lists = _with_order(data)
    lists = lists[np.random.default_rng(seed).permutation(len(lists))]
    return [_time_hold_out(data.select(lists[:count]), kernel, retrained) for count in n_lists]


def _time_hold_out(data: RankingDataset, kernel: str, retrained: int) -> dict[str, Any]:
    ranker = RankRLS(kernel).fit(data.X, data.y, data.qid)
    ranker.set_params(gamma=ranker.gamma_)
    ridges = np.append(GRID[1:], ranker.ridge)
    start = time.perf_counter()
    held_out = ranker.leave_list_out(ridges)[-1]
    shortcut = time.perf_counter() - start
    difference, again = 0.0, 0.0
    for each in range(retrained):
        inside = data.list_of_item == each
        start = time.perf_counter()
        trained = RankRLS(kernel, gamma=ranker.gamma).fit(data.X, np.where(inside, np.nan, data.y), data.qid)
        again += (time.perf_counter() - start) * data.n_lists * len(ridges) / retrained
        scores = trained.scores_[inside] - trained.scores_[inside].mean()
        difference = max(difference, float(np.abs(held_out[inside] - scores).max() / np.abs(scores).max()))
    return {
        "lists": data.n_lists,
        "items": data.n_items,
        "leave_list_out (s)": shortcut,
        "training again (s)": again,
        "ratio": again / shortcut,
        "largest difference": f"{difference:.0e}",
    }


def shared_directions(
    labelled_lists: Sequence[int] = (3, 6, 10, 20), trials: int = 20, seed: int = 0, n_features: int = 60
) -> Rows:
    """Show where transduction helps: labels along one of two strong directions that all items share.

    Disagreement in per cent on forty unlabelled lists of six items, of RankRLS and of its transductive form
    with a small pull, each with the best of nine ridges (chosen with hindsight). Values and the standard
    error of the gain are over trials.
    """
    rows = []
    for count in labelled_lists:
        found = 100.0 * np.array([_shared_trial(count, n_features, (seed, trial)) for trial in range(trials)])
        best = found.mean(axis=0).argmin(axis=1)
        supervised, transductive = found[:, 0, best[0]], found[:, 1, best[1]]
        gains = supervised - transductive
        rows.append(
            {
                "labelled lists": count,
                "RankRLS": float(supervised.mean()),
                "transductive": float(transductive.mean()),
                "gain": float(gains.mean()),
                "standard error": float(gains.std(ddof=1) / np.sqrt(trials)),
            }
        )
    return rows


def _shared_trial(count: int, n_features: int, seed: tuple[int, int]) -> list[list[float]]:
    """Return the disagreement of both forms, one value a ridge."""
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(count + 40), 6)
    hidden = rng.normal(size=(len(qid), 2))
    directions = 3.0 * np.linalg.qr(rng.normal(size=(n_features, 2)))[0].T
    X = hidden @ directions + rng.normal(size=(len(qid), n_features))
    noisy, new = hidden[:, 0] + 0.3 * rng.normal(size=len(qid)), qid >= count
    y = np.where(new, np.nan, noisy)
    unit = float(np.mean([2.0 * X[qid == each].var(axis=0, ddof=1).sum() for each in range(count)]))
    ridges = unit * 10.0 ** np.arange(-3.0, 1.5, 0.5)
    rankers: list[list[RankRLS | TransductiveRankRLS]] = [[RankRLS(ridge=ridge) for ridge in ridges]]
    rankers += [[TransductiveRankRLS(ridge=ridge, pull=1e-3 * 2.0 / 6.0) for ridge in ridges]]

    def error(ranker: RankRLS | TransductiveRankRLS) -> float:
        scores = ranker.fit(X, y, qid).scores_[new]
        return float(metrics.disagreement(hidden[new, 0], scores, qid[new]).mean())

    return [[error(ranker) for ranker in row] for row in rankers]


def _on_fold(
    methods: Mapping[str, Method], name: str, fold: int, size: int | None, seed: tuple[int, ...]
) -> dict[str, Floats]:
    """Return AP, nDCG@10 and disagreement of each test list, for each method."""
    train, test = _fold(name, fold)
    lists = _with_order(train)
    few = train.select(lists if size is None else np.random.default_rng(seed).choice(lists, size, False))
    return {method: _measure(score(few, test), test) for method, score in methods.items()}


@lru_cache(maxsize=5)
def _fold(name: str, fold: int) -> tuple[RankingDataset, RankingDataset]:
    return load(name, fold=fold, part="train"), load(name, fold=fold, part="test")


def _with_order(data: RankingDataset) -> Any:
    """Return the lists that have two different labels: only they can teach an order."""
    starts = data.indptr[:-1]
    return np.flatnonzero(np.minimum.reduceat(data.y, starts) < np.maximum.reduceat(data.y, starts))


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
        "standard error": float(gains.std(ddof=1) / np.sqrt(gains.size)),
    }

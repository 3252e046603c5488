"""Duh's four assumptions on LETOR: rankers for lists without labels, taught by few or many others."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.features import RankLDA
from semirank.meta.feature_generation import FeatureGeneration
from semirank.meta.importance_weighting import ImportanceWeighting
from semirank.meta.pseudo_margin import PseudoMargin
from semirank.meta.ranker_propagation import RankerPropagation
from semirank.rankers._base import Ranker
from semirank.rankers.estimator import EstimatorRanker
from semirank.rankers.rank_svm import RankSVM
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.readers.datasets import load

COLLECTIONS = ("ohsumed-letor", "mq2008")
SIZES: tuple[int | None, ...] = (5, 20, None)
FOLDS = range(1, 6)
METRICS = ("AP", "nDCG@10")
MOST_TEST_LISTS = 30  # of a fold, drawn once: MQ2008 has 157
STRONG = 10.0  # a ridge that suits few lists of these collections; `RankRLSCV` chooses its own


@dataclass(frozen=True)
class LetorMethod:
    """A way to rank test lists.

    Attributes
    ----------
    make : callables without arguments
        How to build the ranker. Of several, the one with the best AP on labelled lists that are left out in
        turn is taken; the first is the control itself, so that nothing is changed without a reason.
    control : str or None
        The method it is compared with, which differs in nothing but the assumption.
    assumption : str or None
        What it assumes about unlabelled lists.
    lda : bool
        Whether the directions of `RankLDA` are put beside the features.
    """

    make: tuple[Callable[[], Any], ...]
    control: str | None = None
    assumption: str | None = None
    lda: bool = False


@dataclass(frozen=True)
class LetorRun:
    """One measurement: a method on the test lists of a fold, taught by some of its training lists."""

    collection: str
    method: str
    size: int | None
    fold: int
    draw: int
    seed: int


def _lambdarank() -> EstimatorRanker:
    from lightgbm import LGBMRanker

    return EstimatorRanker(LGBMRanker(n_estimators=100, num_leaves=7, verbose=-1, n_jobs=1))


def _strong() -> RankRLS:
    return RankRLS(ridge=STRONG)


def _chosen(*makes: Callable[[], Ranker]) -> tuple[Callable[[], Ranker], ...]:
    return (_strong, *makes)


METHODS: dict[str, LetorMethod] = {
    "RankBoost": LetorMethod((RankBoost,)),
    "RankBoost, feature generation": LetorMethod((FeatureGeneration,), "RankBoost", "informative directions"),
    "RankBoost, importance weighting": LetorMethod((ImportanceWeighting,), "RankBoost", "shifted lists"),
    "RankBoost, pseudo margin": LetorMethod((PseudoMargin,), "RankBoost", "separated pairs"),
    "RankBoost, importance weighting and feature generation": LetorMethod(
        (lambda: ImportanceWeighting(FeatureGeneration()),), "RankBoost", "both"
    ),
    "RankBoost, RankLDA": LetorMethod((RankBoost,), "RankBoost", "none: supervised", lda=True),
    "RankRLS": LetorMethod((_strong,)),
    "RankRLS, feature generation": LetorMethod(
        (lambda: FeatureGeneration(_strong()),), "RankRLS", "informative directions"
    ),
    "RankRLS, importance weighting": LetorMethod(
        (lambda: ImportanceWeighting(_strong()),), "RankRLS", "shifted lists"
    ),
    "RankRLS, propagation": LetorMethod(
        (lambda: RankerPropagation(_strong()),), "RankRLS", "rankers vary smoothly over lists"
    ),
    "RankRLS, feature generation chosen": LetorMethod(
        _chosen(
            lambda: FeatureGeneration(_strong(), n_components=2),
            lambda: FeatureGeneration(_strong(), "linear", 2),
            lambda: FeatureGeneration(_strong(), "polynomial"),
        ),
        "RankRLS",
        "informative directions",
    ),
    "RankRLS, propagation chosen": LetorMethod(
        _chosen(
            *(
                lambda k=k, s=s: RankerPropagation(_strong(), k, s)
                for k in (5, 20)
                for s in ("matching", "psd")
            )
        ),
        "RankRLS",
        "rankers vary smoothly over lists",
    ),
    "RankRLS, ridge chosen": LetorMethod((RankRLSCV,)),
    "RankSVM": LetorMethod((RankSVM,)),
    "LightGBM lambdarank": LetorMethod((_lambdarank,)),
}


def cells(
    draws: int, seed: int, collections: Sequence[str] = COLLECTIONS, methods: Sequence[str] = tuple(METHODS)
) -> list[LetorRun]:
    """List all measurements; with all training lists there is nothing to draw."""
    return [
        LetorRun(collection, method, size, fold, draw, seed)
        for collection in collections
        for size in SIZES
        for draw in range(draws if size else 1)
        for fold in FOLDS
        for method in methods
    ]


def measure(cell: LetorRun, methods: Mapping[str, LetorMethod] = METHODS) -> list[list[float]]:
    """Return AP and nDCG@10 of each test list; a list without a relevant item counts 0."""
    train, test = load_fold(cell.collection, cell.fold)
    lists = np.flatnonzero(train.labels_differ)
    if cell.size is not None:
        lists = np.random.default_rng((cell.seed, cell.fold, cell.draw)).choice(lists, cell.size, False)
    scores = rank_test(methods[cell.method], train.select(lists), test)
    values = metrics.measure(METRICS, test.y, scores, test.qid)
    return [np.nan_to_num(values[name]).round(6).tolist() for name in METRICS]


def rank_test(method: LetorMethod, few: RankingDataset, test: RankingDataset) -> Floats:
    """Score the items of the test lists, whose labels are not looked at."""
    if method.lda:
        few, test = _with_directions(few, test)
    make = method.make[0] if len(method.make) == 1 else _choose(method.make, few)
    return _transduce(make(), few, test)


def _transduce(ranker: Ranker, few: RankingDataset, test: RankingDataset) -> Floats:
    X, y = np.vstack([few.X, test.X]), np.append(few.y, np.full(test.n_items, np.nan))
    qid = np.append(few.list_of_item, test.list_of_item + few.n_lists)
    return ranker.fit(X, y, qid).scores_[few.n_items :]


def _choose(makes: Sequence[Callable[[], Ranker]], few: RankingDataset) -> Callable[[], Ranker]:
    """Choose by AP on labelled lists left out in turn; the first wins ties."""
    found = np.zeros(len(makes))
    for rest, left_out in GroupKFold(min(few.n_lists, 5)).split(few.X, groups=few.qid):
        known, hidden = few.take(np.isin(np.arange(few.n_items), rest)), few.take(left_out)
        for at, make in enumerate(makes):
            scores = _transduce(make(), known, hidden)
            found[at] += np.nansum(metrics.average_precision(hidden.y, scores, hidden.qid))
    return makes[int(np.argmax(found))]


def _with_directions(few: RankingDataset, test: RankingDataset) -> tuple[RankingDataset, RankingDataset]:
    lda = RankLDA().fit(few.X, few.y, few.qid)
    return few.replace(X=np.hstack([few.X, lda.transform(few.X)])), test.replace(
        X=np.hstack([test.X, lda.transform(test.X)])
    )


@lru_cache(maxsize=10)
def load_fold(name: str, fold: int) -> tuple[RankingDataset, RankingDataset]:
    """Load training and test lists; of many test lists a part, the same for all methods and draws."""
    test = load(name, fold=fold, part="test")
    if test.n_lists > MOST_TEST_LISTS:
        test = test.select(np.random.default_rng(fold).permutation(test.n_lists)[:MOST_TEST_LISTS])
    return load(name, fold=fold, part="train"), test

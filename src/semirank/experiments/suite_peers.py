"""The peers of AutoRanker, set up as a careful user would: scaled columns, words, and usual settings."""

import time
from collections.abc import Callable, Mapping
from functools import partial
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, RidgeCV
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.preprocessing import StandardScaler
from sklearn.semi_supervised import LabelSpreading, SelfTrainingClassifier
from sklearn.svm import SVC, SVR, LinearSVC

from semirank.core.arrays import Floats
from semirank.experiments.suite_sets import GRADES, LISTS, TABLES, TEXTS, TOPICS, VECTORS, Case

LOGISTIC, RIDGE, LIGHTGBM = "logistic regression", "ridge", "LightGBM"
STOP_LIST, LETTERS = "logistic regression, stop list", "logistic regression, letters"
N_TREES = 300
ALL_WORDS, FEWER_WORDS, N_GRAMS = "all words", "without the stop list's", "letters"

_WORDS_OF: Mapping[str, dict[str, Any]] = {
    ALL_WORDS: {},
    FEWER_WORDS: {"stop_words": "english"},
    N_GRAMS: {"analyzer": "char_wb", "ngram_range": (2, 4)},
}

Fit = Callable[[Any, Floats, Any], Floats]
"""From features, labels (NaN: not shown) and lists to the scores of all items."""


class Peer(NamedTuple):
    """A method, and which features of texts it gets."""

    fit: Fit
    words: str = ALL_WORDS


def peer_scores(kind: str, case: Case) -> dict[str, Floats | None]:
    """Return the scores of all peers, None for one that is not installed or cannot learn from the labels."""
    features = partial(kept_features, kind, case.X)
    found: dict[str, Floats | None] = {}
    for name, (fit, words) in PEERS[kind].items():
        try:
            found[name] = fit(features(words), case.y, case.qid)
        except (ImportError, ValueError):
            found[name] = None
    return found


_KEPT: dict[str, tuple[Any, Any]] = {}


def kept_features(kind: str, X: Any, words: str = ALL_WORDS) -> Any:
    """Return the features that peers get, made once for all draws of labels from the same items."""
    if words not in _KEPT or _KEPT[words][0] is not X:
        _KEPT[words] = X, peer_features(kind, X, words)
    return _KEPT[words][1]


def peer_features(kind: str, X: Any, words: str = ALL_WORDS) -> Any:
    """Return the features that peers get.

    Texts: tf-idf of the words that two texts share. Columns of tables and of lists: mean 0 and variance 1.
    Vectors and images, whose columns have one unit: divided by the largest value.
    """
    if kind in (TEXTS, TOPICS):
        return TfidfVectorizer(min_df=2, sublinear_tf=True, **_WORDS_OF[words]).fit_transform(X)
    if kind == VECTORS:
        return X / np.abs(X).max()
    return StandardScaler().fit_transform(X)


def cross_validated_seconds(kind: str, case: Case) -> float | None:
    """Return the processor time of a cross-validated logistic regression; None where it cannot be made."""
    if kind in (GRADES, LISTS):
        return None
    known = ~np.isnan(case.y)
    n_folds = min(5, int((case.y[known] > 0).sum()), int((case.y[known] <= 0).sum()))
    if n_folds < 2:
        return None
    start = time.process_time()
    X = peer_features(kind, case.X)
    LogisticRegressionCV(
        Cs=10, cv=n_folds, scoring="roc_auc", max_iter=1000, l1_ratios=(0,), use_legacy_attributes=False
    ).fit(X[known], case.y[known]).predict_proba(X)
    return time.process_time() - start


def on_labels(make: Callable[[int], Any], X: Any, y: Floats, qid: Any = None) -> Floats:
    """Fit an estimator on the items with a label, and score all."""
    known = ~np.isnan(y)
    return scores_of(make(int(known.sum())).fit(X[known], y[known]), X)


def on_standard_labels(make: Callable[[int], Any], X: Any, y: Floats, qid: Any = None) -> Floats:
    """Do the same with labels of mean 0 and variance 1."""
    return on_labels(make, X, (y - np.nanmean(y)) / (np.nanstd(y) or 1.0))


def on_all_items(make: Callable[[int], Any], X: Any, y: Floats, qid: Any = None) -> Floats:
    """Fit an estimator that learns from unlabelled items too."""
    unknown = np.isnan(y)
    fitted = make(int((~unknown).sum())).fit(X, np.where(unknown, -1, y).astype(int))
    return np.nan_to_num(scores_of(fitted, X), nan=0.5)  # no label reaches these items


def scores_of(fitted: Any, X: Any) -> Floats:
    """Return what an estimator ranks by: its decision function, probability or prediction."""
    if isinstance(fitted, LabelSpreading):
        return fitted.label_distributions_[:, 1]
    if hasattr(fitted, "decision_function"):
        return fitted.decision_function(X)
    return fitted.predict_proba(X)[:, 1] if hasattr(fitted, "predict_proba") else fitted.predict(X)


def _boosted(kind: str, n_labels: int) -> Any:
    """Return LightGBM, with leaves that suit the number of labels."""
    if find_spec("lightgbm") is None:
        raise ImportError("lightgbm")
    import lightgbm

    return getattr(lightgbm, f"LGBM{kind}")(
        n_estimators=100,
        num_leaves=7,
        min_child_samples=int(np.clip(n_labels // 5, 1, 20)),
        min_data_in_bin=1,
        verbose=-1,
        n_jobs=1,
        random_state=0,
    )


def _lambdarank(X: Any, y: Floats, qid: Any) -> Floats:
    known = ~np.isnan(y)
    sizes = np.unique(qid[known], return_counts=True)[1]  # the items of a list stand together
    ranker = _boosted("Ranker", int(known.sum()))
    return ranker.fit(X[known], y[known].astype(int), group=sizes).predict(X)


def _neighbours(make: Callable[..., Any], n_labels: int) -> Any:
    return make(min(5, n_labels), weights="distance")


_LOGISTIC = partial(on_labels, lambda n: LogisticRegression(max_iter=1000))
_CLASSIFIERS = {
    LOGISTIC: Peer(_LOGISTIC),
    "linear SVM": Peer(partial(on_labels, lambda n: LinearSVC(max_iter=10_000))),
    "SVC": Peer(partial(on_labels, lambda n: SVC())),
    "kNN": Peer(partial(on_labels, partial(_neighbours, KNeighborsClassifier))),
    "ExtraTrees": Peer(partial(on_labels, lambda n: ExtraTreesClassifier(N_TREES, random_state=0))),
    LIGHTGBM: Peer(partial(on_labels, partial(_boosted, "Classifier"))),
    "LabelSpreading": Peer(
        partial(on_all_items, lambda n: LabelSpreading("knn", n_neighbors=10, max_iter=100))
    ),
    "self-training": Peer(
        partial(on_all_items, lambda n: SelfTrainingClassifier(LogisticRegression(max_iter=1000)))
    ),
}
_WORDS = {
    LOGISTIC: Peer(_LOGISTIC),
    STOP_LIST: Peer(_LOGISTIC, FEWER_WORDS),
    LETTERS: Peer(_LOGISTIC, N_GRAMS),
    **_CLASSIFIERS,
}
_RIDGE = Peer(partial(on_labels, lambda n: RidgeCV(np.logspace(-2, 3, 11))))
_TREES = Peer(partial(on_labels, lambda n: ExtraTreesRegressor(N_TREES, random_state=0)))
PEERS: dict[str, dict[str, Peer]] = {
    TABLES: _CLASSIFIERS,
    VECTORS: _CLASSIFIERS,
    TEXTS: _WORDS,
    TOPICS: _WORDS,
    GRADES: {
        RIDGE: _RIDGE,
        "SVR": Peer(partial(on_standard_labels, lambda n: SVR())),
        "kNN": Peer(partial(on_labels, partial(_neighbours, KNeighborsRegressor))),
        "ExtraTrees": _TREES,
        LIGHTGBM: Peer(partial(on_labels, partial(_boosted, "Regressor"))),
    },
    LISTS: {RIDGE: _RIDGE, "ExtraTrees": _TREES, LIGHTGBM: Peer(_lambdarank)},
}
LINEAR = {kind: RIDGE if kind in (GRADES, LISTS) else LOGISTIC for kind in PEERS}
"""The plain linear method of each kind."""

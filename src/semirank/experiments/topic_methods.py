"""Ways to rank documents by topic from a few labels."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from sklearn.base import clone

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.features import LSA, TfIdf
from semirank.rankers._base import Ranker
from semirank.rankers.linear_svm import LinearSVMRanker
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.manifold import ManifoldRanking
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.self_training import SelfTrainingLogistic
from semirank.rankers.semi_rankboost import SemiRankBoost
from semirank.rankers.transductive_svm import TransductiveSVM

FEATURES = ("tf-idf", "LSA")


@dataclass(frozen=True)
class Documents:
    """Documents, their topics, and what can be found out about them without a label.

    Attributes
    ----------
    topics : tuple of str
        The topics.
    members : bool array of shape (n_topics, n_documents)
        The documents of each.
    features : mapping
        Tf-idf vectors, and their 200 strongest directions.
    graphs : mapping
        Manifold ranking with the graph of ten neighbours by either of them.
    """

    topics: tuple[str, ...]
    members: Booleans
    features: Mapping[str, Any] = field(repr=False)
    graphs: Mapping[str, ManifoldRanking] = field(repr=False)

    @classmethod
    def of(cls, texts: Sequence[str], topics: Sequence[str], members: Booleans) -> "Documents":
        """Turn texts into features and graphs."""
        tfidf = TfIdf(min_df=3).fit_transform(texts)
        features = dict(zip(FEATURES, (tfidf, LSA(200).fit_transform(tfidf)), strict=True))
        graphs = {name: ManifoldRanking(distance="cosine").fit_graph(X) for name, X in features.items()}
        return cls(tuple(topics), members, features, graphs)


class TopicTask(NamedTuple):
    """What is known about the documents, and which are to be ranked.

    Attributes
    ----------
    truth : float64 array of shape (n_documents,)
        1 for the documents of the topic, 0 for the others.
    y : float64 array of shape (n_documents,)
        The labels that are shown, NaN elsewhere.
    train, test : int64 arrays
        The documents to learn from, with a label or without, and those to be ranked.
    """

    truth: Floats
    y: Floats
    train: Integers
    test: Integers


class TopicMethod(Protocol):
    """A way to rank."""

    def rank(self, documents: Documents, task: TopicTask) -> Floats:
        """Return the scores of the documents to be ranked."""


@dataclass(frozen=True)
class Learn:
    """Learn from the training documents, with a label or without, and score the others as new items."""

    ranker: Ranker
    features: str = "tf-idf"

    def rank(self, documents: Documents, task: TopicTask) -> Floats:
        """Return the scores of the documents to be ranked."""
        X = documents.features[self.features]
        fitted = clone(self.ranker).fit(X[task.train], self._labels(task)[task.train])
        return fitted.predict(X[task.test])

    def _labels(self, task: TopicTask) -> Floats:
        return task.y


@dataclass(frozen=True)
class LearnTruth(Learn):
    """Learn from the true labels of all training documents: what labels can give at most."""

    def _labels(self, task: TopicTask) -> Floats:
        return task.truth


@dataclass(frozen=True)
class Spread:
    """Spread the labels over the graph of all documents."""

    combine: str
    degree_correction: float = 0.5
    features: str = "tf-idf"

    def rank(self, documents: Documents, task: TopicTask) -> Floats:
        """Return the scores of the documents to be ranked."""
        ranker = copy(documents.graphs[self.features])
        ranker.set_params(combine=self.combine, degree_correction=self.degree_correction)
        return ranker.rerank(task.y).scores_[task.test]


@dataclass(frozen=True)
class Mix:
    """Add standardised scores."""

    parts: tuple[TopicMethod, ...]

    def rank(self, documents: Documents, task: TopicTask) -> Floats:
        """Return the scores of the documents to be ranked."""
        columns = np.array([part.rank(documents, task) for part in self.parts])
        return np.sum((columns - columns.mean(1, keepdims=True)) / columns.std(1, keepdims=True), axis=0)


def by_pseudo_labels(n_neighbors: int, **options: Any) -> Learn:
    """Boost from labels and pseudo-labels."""
    return Learn(SemiRankBoost(n_neighbors=n_neighbors, distance="cosine", **options))


RB, SSLR, TSVM = "RB", "ssLR", "TSVM"
LINEAR, LSA_LINEAR, SVM = "logistic, tf-idf", "logistic, LSA", "SVM, tf-idf"
RATIO, LSA_GRAPH = "manifold, log ratio", "manifold, log ratio, LSA graph"
BLEND, UPPER = "logistic LSA + manifold", "RB, all true labels"

METHODS: dict[str, TopicMethod] = {
    RB: Learn(RankBoost()),
    TSVM: Learn(TransductiveSVM()),
    SSLR: Learn(SelfTrainingLogistic()),
    "ssLR, no class weights": Learn(SelfTrainingLogistic(class_weight=None)),
    "ssRB, k = 1": by_pseudo_labels(1),
    "ssRB, k = 2": by_pseudo_labels(2),
    "ssRB, k = 3": by_pseudo_labels(3),
    "ssRB, k = 10": by_pseudo_labels(10),
    "ssRB, k = 30": by_pseudo_labels(30),
    "ssRB, k = 10, similarity": by_pseudo_labels(10, discount="similarity"),
    LINEAR: Learn(LogisticRanker()),
    SVM: Learn(LinearSVMRanker()),
    LSA_LINEAR: Learn(LogisticRanker(), "LSA"),
    "manifold, relevant only, c = 0": Spread("positive", 0.0),
    "manifold, relevant only": Spread("positive"),
    "manifold, difference": Spread("difference"),
    RATIO: Spread("ratio"),
    LSA_GRAPH: Spread("ratio", features="LSA"),
    BLEND: Mix((Learn(LogisticRanker(), "LSA"), Spread("ratio", features="LSA"))),
    UPPER: LearnTruth(RankBoost()),
}
SEMI = {k: f"ssRB, k = {k}" for k in (1, 2, 3, 10, 30)}

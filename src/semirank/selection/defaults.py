"""Which rankers are tried when nobody says which: those that fit the kind of data."""

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse

from semirank.dataset import RankingDataset
from semirank.meta import (
    Blend,
    FeatureGeneration,
    ImportanceWeighting,
    PseudoMargin,
    RankerPropagation,
    TextRanker,
)
from semirank.rankers import (
    DistanceRanking,
    ForestRanker,
    LinearSVMRanker,
    LogisticRanker,
    ManifoldRanking,
    PersonalizedPageRank,
    RankBoost,
    RankRLS,
    RankRLSCV,
    RankSVM,
    RayleighRanker,
    SelfTrainingLogistic,
    SemiRankBoost,
    TransductiveRankRLS,
    TransductiveSVM,
)
from semirank.selection.candidates import Candidate, Given, as_candidates
from semirank.selection.mixes import GRAPH, screening, words_topics_and_graphs
from semirank.selection.protocols import share_items
from semirank.selection.splits import ProtocolName

MANY_LABELS = 30  # from here on 100 latent semantic features, before 50
LARGE_LIST = 3_000  # items from which a kernel basis takes long


def default_candidates(
    data: RankingDataset,
    protocol: ProtocolName,
    *,
    keep: int | None = None,
    thorough: bool = False,
    random_state: int = 0,
) -> list[Candidate]:
    """Choose rankers by what the data are: texts or features, new lists or the rest of the same lists.

    Parameters
    ----------
    data : RankingDataset
        What is to be ranked.
    protocol : {"lists", "items"}
        What is held out.
    keep : int, optional
        How many labels of each list, or labelled lists, rankers will see at most.
    thorough : bool
        Also rankers that take long.
    random_state : int
        Seed of rankers that draw at random.
    """
    if data.texts is not None:
        chosen = _for_texts(_labels_at_hand(data, protocol, keep), protocol, thorough)
    elif protocol == "lists":
        chosen = _for_lists(thorough)
    elif issparse(data.X):
        chosen = _for_sparse_items(thorough)
    else:
        chosen = _for_dense_items(data, thorough)
    found = as_candidates(chosen, random_state)
    if protocol == "items" and share_items(data):
        found = [_each_list(candidate) for candidate in found]
    return found


def _for_dense_items(data: RankingDataset, thorough: bool) -> list[Given]:
    """Dense features; the rest of each list is ranked by its own labels and those of the others."""
    short = np.diff(data.indptr).max() <= LARGE_LIST
    chosen: list[Given] = [
        DistanceRanking(),
        LogisticRanker(),
        RankRLSCV(),
        RankBoost(30),
        ManifoldRanking(),
        ManifoldRanking(n_neighbors=5, sigma="local"),
        SelfTrainingLogistic(),
        SemiRankBoost(30),
        Blend([LogisticRanker(), ManifoldRanking()]),
    ]
    if thorough or short:
        chosen.append(RayleighRanker(n_components=300))
    if thorough or not share_items(data):
        chosen.append(TransductiveRankRLS(ridge=10.0))
    if thorough:
        chosen += [PersonalizedPageRank(), TransductiveSVM()]
    return chosen


def _for_sparse_items(thorough: bool) -> list[Given]:
    """Many features, few of them for each item, such as words; the rest of each list is ranked."""
    chosen: list[Given] = [
        LogisticRanker(),
        LinearSVMRanker(),
        DistanceRanking("cosine"),
        SelfTrainingLogistic(),
        LogisticRanker(presumed_negatives=100),
        ManifoldRanking(distance="cosine"),
        ("logistic & manifold", Blend([LogisticRanker(), GRAPH])),
        ("words, topics and graphs", words_topics_and_graphs()),
        ("screening", screening()),
    ]
    return [*chosen, TransductiveSVM(), SemiRankBoost(30, distance="cosine")] if thorough else chosen


def _labels_at_hand(data: RankingDataset, protocol: ProtocolName, keep: int | None) -> float:
    """Return how many labels a ranker of one list, or of all together, will see."""
    counts = data.labelled_per_list
    if protocol == "items":
        return float(np.median(np.minimum(counts[counts > 0], keep or counts.max())))
    return float(np.median(counts[counts > 0]) * (keep or (counts > 0).sum()))


def _for_texts(n_labels: float, protocol: ProtocolName, thorough: bool) -> list[Given]:
    """Texts: words, latent directions of all texts, and graphs over both."""
    size = 100 if n_labels >= MANY_LABELS else 50
    chosen: list[Given] = [
        TextRanker(LogisticRanker()),
        TextRanker(LinearSVMRanker()),
        TextRanker(SelfTrainingLogistic()),
        TextRanker(LogisticRanker(presumed_negatives=100)),
        TextRanker(LogisticRanker(), n_components=size),
    ]
    if protocol == "items":
        mixed = TextRanker(Blend([LogisticRanker(), GRAPH]), n_components=size)
        chosen += [
            TextRanker(DistanceRanking("cosine")),
            TextRanker(ManifoldRanking(distance="cosine")),
            (f"lsa-{size} + logistic & manifold", mixed),
            ("words, topics and graphs", TextRanker(words_topics_and_graphs())),
            ("screening", TextRanker(screening())),
        ]
    return [*chosen, TextRanker(TransductiveSVM())] if thorough else chosen


def _for_lists(thorough: bool) -> list[Given]:
    """Features that mean the same in every list; lists without labels are ranked by what others teach."""
    linear = RankRLS(ridge=10.0)
    chosen: list[Given] = [
        RankRLSCV(),
        RankBoost(30),
        ForestRanker(),
        Blend([RankRLSCV(), RankBoost(30)]),
        Blend([RankRLSCV(), RankBoost(30), ForestRanker()]),
        LogisticRanker(),
        RankSVM(),
        TransductiveRankRLS(ridge=10.0),
        SemiRankBoost(30),
        SelfTrainingLogistic(),
        PseudoMargin(30, weight=0.1),
        FeatureGeneration(RankBoost(30)),
        RankerPropagation(linear),
    ]
    slow = [ImportanceWeighting(RankBoost(30)), RayleighRanker(n_components=300), TransductiveSVM()]
    return [*chosen, *slow] if thorough else chosen


def _each_list(candidate: Candidate) -> Candidate:
    """Fit a ranker of one function for all lists on each list by itself."""
    return replace(candidate, each_list=True) if candidate.ranker.one_function else candidate

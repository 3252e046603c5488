"""Which rankers are tried when nobody says which: those that fit the kind of data."""

from dataclasses import replace

import numpy as np

from semirank.dataset import RankingDataset
from semirank.meta import Blend, FeatureGeneration, TextRanker
from semirank.rankers import (
    DistanceRanking,
    LinearSVMRanker,
    LogisticRanker,
    ManifoldRanking,
    PersonalizedPageRank,
    RankBoost,
    Ranker,
    RankRLSCV,
    RayleighRanker,
    SelfTrainingLogistic,
    SemiRankBoost,
    TransductiveRankRLS,
    TransductiveSVM,
)
from semirank.selection.candidates import Candidate, as_candidates
from semirank.selection.protocols import share_items
from semirank.selection.splits import ProtocolName

MANY_LABELS = 30  # from here on 100 latent semantic features, before 50
LARGE_LIST = 3_000  # items from which a kernel basis takes long
_OWN_FUNCTION = (DistanceRanking, ManifoldRanking, PersonalizedPageRank)  # one for each list by themselves


def default_candidates(
    data: RankingDataset, protocol: ProtocolName, *, thorough: bool = False, random_state: int = 0
) -> list[Candidate]:
    """Choose rankers by what the data are: texts or features, new lists or the rest of the same lists.

    Parameters
    ----------
    data : RankingDataset
        What is to be ranked.
    protocol : {"lists", "items"}
        What is held out.
    thorough : bool
        Also rankers that take long.
    random_state : int
        Seed of rankers that draw at random.
    """
    if data.texts is not None:
        rankers = _for_texts(data, protocol, thorough)
    elif protocol == "items":
        rankers = _for_items(data, thorough)
    else:
        rankers = _for_lists(thorough)
    found = as_candidates(rankers, random_state)
    if protocol == "items" and share_items(data):
        found = [_each_list(candidate) for candidate in found]
    return found


def _for_items(data: RankingDataset, thorough: bool) -> list[Ranker]:
    """Dense or sparse features; the rest of each list is ranked by its own labels and those of the others."""
    long = np.diff(data.indptr).max() > LARGE_LIST
    rankers: list[Ranker] = [
        DistanceRanking(),
        LogisticRanker(),
        RankRLSCV(),
        RankBoost(30),
        ManifoldRanking(),
        ManifoldRanking(sigma="local", n_neighbors=5),
        SelfTrainingLogistic(),
        SemiRankBoost(30),
        Blend([LogisticRanker(), ManifoldRanking()]),
    ]
    if thorough or not long:
        rankers.append(RayleighRanker(n_components=300))
    if thorough or not share_items(data):
        rankers.append(TransductiveRankRLS(ridge=10.0))
    if thorough:
        rankers += [PersonalizedPageRank(), TransductiveSVM()]
    return rankers


def _for_texts(data: RankingDataset, protocol: ProtocolName, thorough: bool) -> list[Ranker]:
    """Texts: words, latent directions of all texts, and graphs over both."""
    labels = data.labelled_per_list
    size = 100 if np.median(labels[labels > 0]) >= MANY_LABELS else 50
    rankers: list[Ranker] = [
        TextRanker(LogisticRanker()),
        TextRanker(LinearSVMRanker()),
        TextRanker(SelfTrainingLogistic()),
        TextRanker(LogisticRanker(), n_components=size),
        TextRanker(LogisticRanker(presumed_negatives=100)),
    ]
    if protocol == "items":
        graph = ManifoldRanking(metric="cosine", combine="ratio")
        rankers += [
            TextRanker(DistanceRanking("cosine")),
            TextRanker(ManifoldRanking(metric="cosine")),
            TextRanker(graph, n_components=size),
            TextRanker(Blend([LogisticRanker(), graph]), n_components=size),
        ]
    if thorough:
        rankers += [TextRanker(TransductiveSVM()), TextRanker(SemiRankBoost(30))]
    return rankers


def _for_lists(thorough: bool) -> list[Ranker]:
    """Features that mean the same in every list; lists without labels are ranked by what others teach."""
    rankers: list[Ranker] = [
        RankRLSCV(),
        RankBoost(30),
        Blend([RankRLSCV(), RankBoost(30)]),
        LogisticRanker(),
        TransductiveRankRLS(ridge=10.0),
        SemiRankBoost(30),
        SelfTrainingLogistic(),
        FeatureGeneration(RankBoost(30)),
    ]
    return [*rankers, TransductiveSVM()] if thorough else rankers


def _each_list(candidate: Candidate) -> Candidate:
    """Fit a ranker of one function for all lists on each list by itself."""
    if isinstance(candidate.ranker, _OWN_FUNCTION) or getattr(candidate.ranker, "shared", None) == "auto":
        return candidate
    return replace(candidate, each_list=True)

"""Mixes of rankers for texts that have done well: candidates of comparisons and of AutoRanker."""

from semirank.meta import Blend, LatentRanker
from semirank.rankers import DistanceRanking, LogisticRanker, ManifoldRanking

N_TOPICS = 100
WORDS, GRAPH = LogisticRanker(), ManifoldRanking(distance="cosine", combine="ratio")


def words_topics_and_graphs() -> Blend:
    """Mix words and latent topics, and a graph of either, for labels that are a sample of all texts."""
    topics = LatentRanker(Blend([("topics", WORDS), ("graph", GRAPH)]), N_TOPICS)
    return Blend([("words", WORDS), ("graph", GRAPH), ("topics", topics)], weights=[1, 1, 2])


def screening(random_state: int | None = None) -> Blend:
    """Mix for the first labels, and for those asked for from the top: what is near to relevant ones leads."""
    presuming = LogisticRanker(presumed_negatives=100, random_state=random_state)
    spread = ManifoldRanking(distance="cosine", combine="log", alpha=0.9, degree_correction=0.0)
    members = [("words", presuming), ("graph", spread), ("nearest", DistanceRanking("cosine"))]
    return Blend(members, weights=[0.5, "fading", 2])

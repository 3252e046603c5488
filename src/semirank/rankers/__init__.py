"""Rankers: labels and features in, one score per item out."""

from semirank.rankers._base import Ranker
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.manifold import ManifoldRanking
from semirank.rankers.manifold_cv import ManifoldRankingCV
from semirank.rankers.pagerank import PersonalizedPageRank

__all__ = ["DistanceRanking", "ManifoldRanking", "ManifoldRankingCV", "PersonalizedPageRank", "Ranker"]

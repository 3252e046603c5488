"""Rankers: labels and features in, one score per item out."""

from semirank.rankers._base import Ranker
from semirank.rankers.distance import DistanceRanking

__all__ = ["DistanceRanking", "Ranker"]

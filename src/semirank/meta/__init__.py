"""Rankers made of rankers."""

from semirank.meta.blend import Blend
from semirank.meta.feature_generation import FeatureGeneration
from semirank.meta.importance_weighting import ImportanceWeighting
from semirank.meta.latent import LatentRanker
from semirank.meta.pseudo_margin import PseudoMargin
from semirank.meta.ranker_propagation import RankerPropagation
from semirank.meta.text import TextRanker

__all__ = [
    "Blend",
    "FeatureGeneration",
    "ImportanceWeighting",
    "LatentRanker",
    "PseudoMargin",
    "RankerPropagation",
    "TextRanker",
]

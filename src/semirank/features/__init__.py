"""Features made from what an item is: text, kernels, projections."""

from semirank.features.gram_schmidt import GramSchmidt
from semirank.features.tfidf import TfIdf

__all__ = ["GramSchmidt", "TfIdf"]

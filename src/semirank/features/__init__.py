"""Features made from what an item is: text, kernels, projections."""

from semirank.features.gram_schmidt import GramSchmidt
from semirank.features.lsa import LSA
from semirank.features.rank_lda import RankLDA
from semirank.features.scaling import Scaling
from semirank.features.table import TableFeatures
from semirank.features.text_features import TextFeatures
from semirank.features.tfidf import TfIdf
from semirank.features.thumbnails import Thumbnails
from semirank.features.word_pairs import WordPairs

__all__ = [
    "LSA",
    "GramSchmidt",
    "RankLDA",
    "Scaling",
    "TableFeatures",
    "TextFeatures",
    "TfIdf",
    "Thumbnails",
    "WordPairs",
]

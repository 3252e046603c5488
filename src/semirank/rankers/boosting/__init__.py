"""What rankers made of stumps share: pairs to learn from, columns to search, rounds to repeat."""

from semirank.rankers.boosting.columns import BinnedColumns, SortedColumns, columns_of
from semirank.rankers.boosting.pairs import Pairs
from semirank.rankers.boosting.rounds import Round, boost, score_items, staged_scores

__all__ = [
    "BinnedColumns",
    "Pairs",
    "Round",
    "SortedColumns",
    "boost",
    "columns_of",
    "score_items",
    "staged_scores",
]

"""What rankers made of stumps share: pairs to learn from, columns to search, rounds to repeat."""

from semirank.rankers.boosting.columns import BinnedColumns, Columns, SortedColumns, columns_of
from semirank.rankers.boosting.pairs import Pairs
from semirank.rankers.boosting.prepared import Prepared
from semirank.rankers.boosting.rounds import Lesson, Round, Stumps, boost, staged_scores
from semirank.rankers.boosting.weighted_pairs import WeightedPairs

__all__ = [
    "BinnedColumns",
    "Columns",
    "Lesson",
    "Pairs",
    "Prepared",
    "Round",
    "SortedColumns",
    "Stumps",
    "WeightedPairs",
    "boost",
    "columns_of",
    "staged_scores",
]

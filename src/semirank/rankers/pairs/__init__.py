"""Pairs of items of one list, the one better than the other, and how much each pair counts.

Pairs are either those that labels put in order, of which none is ever visited (`OrderedPairs`), or given one
by one, each with a weight of its own (`GivenPairs`).
"""

from semirank.rankers.pairs.given import GivenPairs
from semirank.rankers.pairs.ordered import OrderedPairs
from semirank.rankers.pairs.weights import PairWeights, check_pairs, check_weights

__all__ = ["GivenPairs", "OrderedPairs", "PairWeights", "check_pairs", "check_weights"]

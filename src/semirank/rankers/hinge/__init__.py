"""The squared hinge loss of pairs, and how it is minimised."""

from semirank.rankers.hinge.newton import Solution, minimise
from semirank.rankers.hinge.pairs import GivenPairs, HingeLoss, OrderedPairs

__all__ = ["GivenPairs", "HingeLoss", "OrderedPairs", "Solution", "minimise"]

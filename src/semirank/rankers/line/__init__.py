"""A list metric along a line of weights, and the search along many such lines."""

from semirank.rankers.line.objective import ListObjective
from semirank.rankers.line.search import Path, climb

__all__ = ["ListObjective", "Path", "climb"]

"""Rankers made of rankers."""

from semirank.meta.text import TextRanker

__all__ = ["TextRanker"]

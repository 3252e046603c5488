"""What was found: plain values that JSON can hold, and the sentences that say them."""

from semirank.results import sentences

__all__ = ["sentences"]

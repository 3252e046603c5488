"""How much is probably left: what the labels of a reading order say about the relevant items not yet read.

Pure functions of the sequence of labels. Each result carries its method, what that assumes, and its source,
so that no number can be shown without them. A label is above 0 for a relevant item, 0 or less for an
irrelevant one, and NaN for one that was read and left undecided, which counts as whatever is
worse for the claim.
"""

from semirank.stopping.audit import Audit, audit, audit_price
from semirank.stopping.evidence import Method
from semirank.stopping.hypergeometric import RecallBound, hypergeometric
from semirank.stopping.rank_change import RankChange, rank_change

__all__ = [
    "Audit",
    "Method",
    "RankChange",
    "RecallBound",
    "audit",
    "audit_price",
    "hypergeometric",
    "rank_change",
]

"""How much the order of what is unread still changes: a description, never a rule."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import weightedtau

from semirank.stopping.evidence import Method

METHOD = Method(
    "rank change",
    None,
    "S. Vigna. A weighted correlation index for rankings with ties. WWW 2015.",
)


@dataclass(frozen=True)
class RankChange:
    """How alike two orders are.

    Attributes
    ----------
    correlation : float
        Kendall's tau with weights that fall hyperbolically with the rank: 1 for the same order, -1 for the
        opposite one; NaN for fewer than two items in common.
    n_items : int
        Items that both orders have.
    method : Method
        How, and by whom. It says that an order has settled, not that everything has been found.
    """

    correlation: float
    n_items: int
    method: Method = METHOD


def rank_change(before: Any, now: Any) -> RankChange:
    """Compare two orders of items, the best first, by the items that are in both.

    Parameters
    ----------
    before, now : sequences of item numbers
        Two orders, for example of the unread items 50 labels ago and now.

    Examples
    --------
    >>> from semirank.stopping import rank_change
    >>> rank_change([5, 3, 8, 1], [3, 5, 1]).n_items
    3
    >>> rank_change([5, 3, 8, 1], [5, 8, 1]).correlation
    1.0
    """
    common, places_before, places_now = np.intersect1d(before, now, return_indices=True)
    if len(common) < 2:
        return RankChange(float("nan"), len(common))
    correlation = weightedtau(-places_before, -places_now).statistic
    return RankChange(float(correlation), len(common))

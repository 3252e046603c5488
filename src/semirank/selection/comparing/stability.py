"""How much of the top of a ranking stays when labels are drawn anew."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np


def top_overlap(tops: Sequence[Sequence[int]]) -> float | None:
    """Return the share of first items that two rankings of the same list have in common, mean over all pairs.

    Parameters
    ----------
    tops : sequence of sequences of int
        The first k items of a list, as ranked after different draws of labels; empty ones are left out.

    Returns
    -------
    share : float or None
        Between 0 and 1; None where there are fewer than two rankings.

    Examples
    --------
    >>> top_overlap([[1, 2, 3, 4], [2, 1, 5, 6]])
    0.5
    """
    given = [set(top) for top in tops if len(top)]
    shares = [len(a & b) / max(len(a), len(b)) for a, b in combinations(given, 2)]
    return float(np.mean(shares)) if shares else None

"""Judged items: how much of the top of a list anyone has looked at."""

from typing import Any, Unpack

import numpy as np

from semirank.core.arrays import Floats
from semirank.core.hits import top_hits
from semirank.metrics.metric import CUTOFF, Metric
from semirank.metrics.ranking import How, Ranking


def _judged(ranking: Ranking, cutoff: int) -> Floats:
    lists, labelled, places = (
        ranking.everything,
        ~np.isnan(ranking.everything.labels),
        ranking.everything.sizes,
    )
    if ranking.retrieved is not None:
        labelled, places = labelled & ranking.retrieved, np.maximum(lists.count(ranking.retrieved), 1)
    return top_hits(labelled, lists.tied, lists.indptr, cutoff) / np.minimum(cutoff, places)


JUDGED = Metric(
    base="Judged",
    meaning="Share of the first k items that have a label.",
    compute=_judged,
    limits={"cutoff": CUTOFF},
    defaults={"cutoff": None},
    example="Judged@10",
    at="cutoff",
)


def judged_at(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    cutoff: int,
    **how: Unpack[How],
) -> Floats:
    """Share of the first `cutoff` items (of all, if a list is shorter) that have a label.

    Where it is low, the other metrics speak of few items: those that someone has looked at.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    cutoff : int
        How many items of a list are looked at.
    **how
        `ties` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists,)

    See Also
    --------
    ndcg : what it speaks of.

    Examples
    --------
    >>> from math import nan
    >>> from semirank.metrics import judged_at
    >>> judged_at([1, nan, 0, nan], [4, 3, 2, 1], cutoff=3)
    array([0.66666667])
    """
    return JUDGED.with_options(cutoff=cutoff)(y, scores, qid, **how)

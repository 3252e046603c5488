"""Reciprocal rank: how soon the first relevant item comes."""

from typing import Any, Unpack

import numpy as np

from semirank.core.arrays import Floats
from semirank.core.hits import first_hits
from semirank.metrics.metric import OPTIONAL_CUTOFF, RELEVANT, Metric
from semirank.metrics.ranking import How, Ranking


def _reciprocal_rank(ranking: Ranking, cutoff: int | None, relevant: float | None) -> Floats:
    lists, hits, found = ranking.judged, ranking.hits(relevant), ranking.found(relevant)
    values = first_hits(found, lists.tied, lists.indptr, cutoff or len(hits))
    return np.where(lists.count(hits) > 0, values, np.nan)


RECIPROCAL_RANK = Metric(
    base="RR",
    meaning="1 divided by the rank of the first relevant item, 0 if it stands below the cut-off.",
    compute=_reciprocal_rank,
    limits={"cutoff": OPTIONAL_CUTOFF, "relevant": RELEVANT},
    defaults={"cutoff": None, "relevant": None},
    example="RR",
    at="cutoff",
    aliases=("MRR",),
)


def reciprocal_rank(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    cutoff: int | None = None,
    relevant: float | None = None,
    **how: Unpack[How],
) -> Floats:
    """1 divided by the rank of the first relevant item, 0 if it stands below the cut-off.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    cutoff : int, optional
        How many items of a list are looked at; None: all.
    relevant : float, optional
        The smallest label of a relevant item; None: any label above 0.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists,)
        NaN where a list has no relevant item.

    See Also
    --------
    average_precision : all relevant items, not the first alone.

    Notes
    -----
    When the first relevant item is one of c in a run of t tied items, the value is the mean of
    1 / rank over the places of the run, each weighted by the chance that the first one stands there.

    Examples
    --------
    >>> from semirank.metrics import reciprocal_rank
    >>> reciprocal_rank([0, 1, 1, 0], [4, 3, 2, 1])
    array([0.5])
    >>> reciprocal_rank([0, 1], [1, 1])
    array([0.75])
    """
    return RECIPROCAL_RANK.with_options(cutoff=cutoff, relevant=relevant)(y, scores, qid, **how)

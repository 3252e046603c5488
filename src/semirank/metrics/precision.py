"""Precision and recall of the first items of a list."""

from typing import Any, Unpack

import numpy as np

from semirank.core.arrays import Floats
from semirank.core.hits import top_hits
from semirank.metrics.metric import CUTOFF, RELEVANT, Metric
from semirank.metrics.ranking import How, Ranking, ratio


def _precision(ranking: Ranking, cutoff: int, relevant: float | None) -> Floats:
    lists = ranking.judged
    found = top_hits(ranking.found(relevant), lists.tied, lists.indptr, cutoff)
    return np.where(lists.sizes > 0, found / cutoff, np.nan)


def _recall(ranking: Ranking, cutoff: int, relevant: float | None) -> Floats:
    lists, hits, found = ranking.judged, ranking.hits(relevant), ranking.found(relevant)
    return ratio(top_hits(found, lists.tied, lists.indptr, cutoff), lists.count(hits))


PRECISION = Metric(
    base="P",
    meaning="Relevant items among the first k, divided by k.",
    compute=_precision,
    limits={"cutoff": CUTOFF, "relevant": RELEVANT},
    defaults={"cutoff": None, "relevant": None},
    example="P@50",
    at="cutoff",
    aliases=("Precision",),
)

RECALL = Metric(
    base="R",
    meaning="Share of the relevant items that stand among the first k.",
    compute=_recall,
    limits={"cutoff": CUTOFF, "relevant": RELEVANT},
    defaults={"cutoff": None, "relevant": None},
    example="R@100",
    at="cutoff",
    aliases=("Recall",),
)


def precision_at(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    cutoff: int,
    relevant: float | None = None,
    **how: Unpack[How],
) -> Floats:
    """Relevant items among the first `cutoff`, divided by `cutoff`.

    The divisor stays the cut-off when a list is shorter, as in trec_eval. T9P is ``cutoff=50``.

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
    relevant : float, optional
        The smallest label of a relevant item; None: any label above 0.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists,)
        NaN where a list has no label.

    See Also
    --------
    recall_at : the share of the relevant items that was found.

    Examples
    --------
    >>> from semirank.metrics import precision_at
    >>> precision_at([1, 0, 1, 0], [4, 3, 2, 1], cutoff=3)
    array([0.66666667])
    """
    return PRECISION.with_options(cutoff=cutoff, relevant=relevant)(y, scores, qid, **how)


def recall_at(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    cutoff: int,
    relevant: float | None = None,
    **how: Unpack[How],
) -> Floats:
    """Share of the relevant items of a list that stand among the first `cutoff`.

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
    precision_at : the share of the first items that is relevant.
    wss_at : what need not be read for a recall.

    Examples
    --------
    >>> from semirank.metrics import recall_at
    >>> recall_at([1, 0, 1, 0], [4, 3, 2, 1], cutoff=2)
    array([0.5])
    """
    return RECALL.with_options(cutoff=cutoff, relevant=relevant)(y, scores, qid, **how)

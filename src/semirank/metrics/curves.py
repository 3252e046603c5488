"""Precision against recall."""

from typing import Any, Unpack

import numpy as np

from semirank.core.arrays import Floats
from semirank.core.hits import best_precisions, hits_so_far
from semirank.limits import check_limits
from semirank.metrics.metric import CUTOFF, RELEVANT
from semirank.metrics.ranking import How, Ranking, ratio


def precision_recall_curve(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    levels: int = 11,
    relevant: float | None = None,
    **how: Unpack[How],
) -> Floats:
    """Interpolated precision at equally spaced recalls: the highest precision at any cut that reaches them.

    The mean of the rows is the usual curve over many lists. With 11 levels and ``ties="trec"`` a row is
    trec_eval's ``iprec_at_recall``.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    levels : int
        How many recalls from 0 to 1.
    relevant : float, optional
        The smallest label of a relevant item; None: any label above 0.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists, levels)
        NaN where a list has no relevant item.

    See Also
    --------
    precision_recall_points : every cut as it is.

    Notes
    -----
    The cuts are those of `precision_recall_points`: with ties, the precision and recall expected at
    each cut, among which the highest precision is sought.

    Examples
    --------
    >>> from semirank.metrics import precision_recall_curve
    >>> precision_recall_curve([1, 0, 1, 0], [4, 3, 2, 1], levels=3)
    array([[1.        , 1.        , 0.66666667]])
    """
    check_limits({"levels": CUTOFF, "relevant": RELEVANT}, {"levels": levels, "relevant": relevant})
    ranking = Ranking(y, scores, qid, **how)
    lists = ranking.judged
    found = hits_so_far(ranking.hits(relevant), lists.tied, lists.indptr)
    return best_precisions(found, lists.indptr, np.linspace(0, 1, levels))


def precision_recall_points(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    relevant: float | None = None,
    **how: Unpack[How],
) -> list[Floats]:
    """Recall and precision at every cut: the curve as it is, without interpolation.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    relevant : float, optional
        The smallest label of a relevant item; None: any label above 0.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    points : list of float64 arrays of shape (n_items of the list, 2)
        Row k - 1 holds `recall_at` and `precision_at` with ``cutoff=k``; recall is NaN where a list
        has no relevant item.

    See Also
    --------
    precision_recall_curve : at fixed recalls, to be averaged.

    Examples
    --------
    >>> from semirank.metrics import precision_recall_points
    >>> precision_recall_points([1, 0, 1], [3, 2, 1])
    [array([[0.5       , 1.        ],
           [0.5       , 0.5       ],
           [1.        , 0.66666667]])]
    """
    check_limits({"relevant": RELEVANT}, {"relevant": relevant})
    ranking = Ranking(y, scores, qid, **how)
    lists, hits = ranking.judged, ranking.hits(relevant)
    found = hits_so_far(hits, lists.tied, lists.indptr)
    ranks = np.arange(1, len(found) + 1) - np.repeat(lists.indptr[:-1], lists.sizes)
    recall = ratio(found, np.repeat(lists.count(hits), lists.sizes))
    return np.split(np.column_stack([recall, found / ranks]), lists.indptr[1:-1])

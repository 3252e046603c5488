"""Work saved over sampling: how much reading a ranking spares whoever wants most relevant items."""

from typing import Any, Unpack

import numpy as np

from semirank.core.arrays import Floats
from semirank.core.hits import depths
from semirank.limits import Between
from semirank.metrics.metric import RELEVANT, Metric
from semirank.metrics.ranking import How, Ranking, ratio


def _work_saved(ranking: Ranking, recall: float, relevant: float | None) -> Floats:
    lists, hits = ranking.judged, ranking.hits(relevant)
    wanted = np.ceil(recall * lists.count(hits) - 1e-9)  # 0.95 * 20 is 19, whatever rounding says
    read = depths(hits, lists.tied, lists.indptr, np.maximum(wanted, 1).astype(np.int64))
    return recall - ratio(read, lists.sizes)


WORK_SAVED = Metric(
    base="WSS",
    meaning="Share of a list that need not be read to find r % of its relevant items, less 100 - r %.",
    compute=_work_saved,
    limits={"recall": Between(0, 1, closed="right"), "relevant": RELEVANT},
    defaults={"recall": None, "relevant": None},
    example="WSS@95",
    at="recall",
    span=(-1.0, 1.0),
)


def wss_at(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    recall: float,
    relevant: float | None = None,
    **how: Unpack[How],
) -> Floats:
    r"""Work saved over sampling, at a recall: reading that a ranking spares beside a random order.

    .. math:: \mathrm{WSS}@r = \frac{N - n_r}{N} - (1 - r)

    N is the number of labelled items of the list, n_r the rank at which a share r of its R relevant
    items has been found, that is ceil(r R) of them [1]_. A random order has about 0; a ranking can
    be worse.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    recall : float in (0, 1]
        The share r of the relevant items to find. ``"WSS@95"`` is ``recall=0.95``.
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
    recall_at : what a number of items finds.

    Notes
    -----
    Where the last item wanted is number m of the c relevant ones in a run of t tied items below a
    others, n_r is its mean rank, a + m (t + 1) / (c + 1).

    References
    ----------
    .. [1] A. M. Cohen, W. R. Hersh, K. Peterson, P. Yen, "Reducing Workload in Systematic Review
       Preparation Using Automated Citation Classification", JAMIA 13(2), 2006.

    Examples
    --------
    >>> from semirank.metrics import wss_at
    >>> wss_at([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], range(10, 0, -1), recall=0.95)
    array([0.75])
    """
    return WORK_SAVED.with_options(recall=recall, relevant=relevant)(y, scores, qid, **how)

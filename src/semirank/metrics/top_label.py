"""Mean label of the first items of a list: the quality of what is taken from the top."""

from math import inf
from typing import Any, Unpack

import numpy as np

from semirank.core.arrays import Floats
from semirank.metrics.metric import CUTOFF, Metric
from semirank.metrics.ranking import How, Ranking, ratio


def _mean_label(ranking: Ranking, cutoff: int) -> Floats:
    lists = ranking.judged
    runs = np.cumsum(~lists.tied) - 1
    expected = (np.bincount(runs, lists.labels) / np.bincount(runs))[runs] if len(runs) else lists.labels
    number = np.repeat(np.arange(len(lists.sizes)), lists.sizes)
    top = np.arange(len(number)) - lists.indptr[number] < cutoff
    sums = np.bincount(number[top], expected[top], len(lists.sizes))
    return ratio(sums, np.minimum(lists.sizes, cutoff))


TOP_LABEL = Metric(
    base="Label",
    meaning="Mean label of the first k items, or of all if there are fewer.",
    compute=_mean_label,
    limits={"cutoff": CUTOFF},
    defaults={"cutoff": None},
    example="Label@1",
    at="cutoff",
    span=(-inf, inf),
)


def mean_label_at(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    cutoff: int,
    **how: Unpack[How],
) -> Floats:
    """Mean label of the first `cutoff` items, or of all if there are fewer.

    For labels that are a quality in themselves, such as the BLEU score of a translation or the error of a
    protein model: with ``cutoff=1``, the quality of the one item that would be used.

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
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists,)
        In the unit of the labels; NaN where a list has no label.

    See Also
    --------
    ndcg : discounted by rank.

    Examples
    --------
    >>> from semirank.metrics import mean_label_at
    >>> mean_label_at([0.2, 0.8, 0.5], [1, 2, 3], cutoff=1)
    array([0.5])
    >>> mean_label_at([0.2, 0.8, 0.5], [1, 2, 2], cutoff=1)
    array([0.65])
    """
    return TOP_LABEL.with_options(cutoff=cutoff)(y, scores, qid, **how)

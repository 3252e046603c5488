"""Disagreement error: how often two items stand in another order than their labels say."""

from typing import Any, Unpack

from semirank.core.agreement import count_pairs
from semirank.core.arrays import Floats
from semirank.metrics.metric import Metric
from semirank.metrics.ranking import How, Ranking, ratio


def _disagreement(ranking: Ranking) -> Floats:
    lists = ranking.judged
    _, wrong, same_score, same_label = count_pairs(ranking.levels, lists.tied, lists.indptr).T
    return ratio(wrong + 0.5 * (same_score + same_label), lists.sizes * (lists.sizes - 1) // 2)


DISAGREEMENT = Metric(
    base="Disagreement",
    meaning="Share of all pairs of items whose order differs from that of their labels; lower is better.",
    compute=_disagreement,
    limits={},
    defaults={},
    example="Disagreement",
    greater_is_better=False,
)


def disagreement(
    y: Any,
    scores: Any,
    qid: Any = None,
    **how: Unpack[How],
) -> Floats:
    r"""Share of all pairs of items whose order differs from that of their labels; lower is better.

    .. math:: E = \binom{n}{2}^{-1} \sum_{i < j}
        \tfrac12 \bigl| \operatorname{sign}(y_i - y_j) - \operatorname{sign}(s_i - s_j) \bigr|

    A pair in the opposite order counts 1, a pair tied on one side only (labels or scores) 1/2, a pair
    tied on both sides 0. Every pair stands in the denominator [1]_: where labels are tied and scores
    are not, even the best ranking has an error. Without ties it is (1 - Kendall's tau) / 2.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none; any real numbers.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists,)
        NaN for a list with fewer than two labels.

    See Also
    --------
    auc : pairs with different labels only.

    References
    ----------
    .. [1] T. Pahikkala, H. Suominen, J. Boberg, T. Salakoski, "Transductive Ranking via Pairwise
       Regularized Least-Squares", MLG 2007, equation 1.

    Examples
    --------
    >>> from semirank.metrics import disagreement
    >>> disagreement([3.5, 1.0, 2.0], [0.9, 0.5, 0.1])
    array([0.33333333])
    """
    return DISAGREEMENT(y, scores, qid, **how)

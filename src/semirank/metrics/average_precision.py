"""Average precision: precision at each relevant item, averaged."""

from typing import Any, Unpack

from semirank.core.arrays import Floats
from semirank.core.hits import precision_sums
from semirank.metrics.metric import OPTIONAL_CUTOFF, RELEVANT, Metric
from semirank.metrics.ranking import How, Ranking, ratio


def _average_precision(ranking: Ranking, cutoff: int | None, relevant: float | None) -> Floats:
    lists, hits, found = ranking.judged, ranking.hits(relevant), ranking.found(relevant)
    sums = precision_sums(found, lists.tied, lists.indptr, cutoff or len(hits))
    return ratio(sums, lists.count(hits))


AVERAGE_PRECISION = Metric(
    base="AP",
    meaning="Mean over the relevant items of the precision at their rank, 0 for those below the cut-off.",
    compute=_average_precision,
    limits={"cutoff": OPTIONAL_CUTOFF, "relevant": RELEVANT},
    defaults={"cutoff": None, "relevant": None},
    example="AP@500",
    at="cutoff",
    aliases=("MAP", "AUP"),
)


def average_precision(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    cutoff: int | None = None,
    relevant: float | None = None,
    **how: Unpack[How],
) -> Floats:
    r"""Mean over the relevant items of the precision at their rank.

    .. math:: \mathrm{AP} = \frac{1}{R} \sum_{r\, \le\, \mathrm{cutoff}} [\,r \text{ is relevant}\,]
        \frac{\text{relevant items up to rank } r}{r}

    R counts all relevant items of the list, also those below the cut-off, which add nothing. This is
    the uninterpolated average precision (AUP) of [2]_ and trec_eval's ``map`` and ``map_cut``.

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
    ndcg : with grades.
    precision_recall_curve : the curve whose area it is.

    Notes
    -----
    Of t tied items, c of them relevant, with h relevant ones among the a items above, the j-th place
    adds in expectation c / t (h + 1 + (j - 1) (c - 1) / (t - 1)) / (a + j) to the sum [1]_.

    References
    ----------
    .. [1] F. McSherry, M. Najork, "Computing Information Retrieval Performance Measures Efficiently in
       the Presence of Tied Scores", ECIR 2008.
    .. [2] M. Amini, V. Truong, C. Goutte, "A Boosting Algorithm for Learning Bipartite Ranking Functions
       with Partially Labeled Data", SIGIR 2008.

    Examples
    --------
    >>> from semirank.metrics import average_precision
    >>> average_precision([1, 0, 1, 0], [4, 3, 2, 1])
    array([0.83333333])
    >>> average_precision([1, 0, 1, 0], [4, 3, 2, 1], cutoff=2)
    array([0.5])
    """
    return AVERAGE_PRECISION.with_options(cutoff=cutoff, relevant=relevant)(y, scores, qid, **how)

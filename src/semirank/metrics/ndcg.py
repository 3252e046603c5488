"""Normalised discounted cumulative gain: graded labels, the top of the list counts most."""

from typing import Any, Literal, Unpack

import numpy as np

from semirank.core.arrays import Floats
from semirank.core.gains import best_gains, discounted_gains
from semirank.limits import OneOf
from semirank.metrics.metric import OPTIONAL_CUTOFF, Metric
from semirank.metrics.ranking import How, Ranking, ratio

_HIGHEST_EXPONENT = 1000.0
_SHORT_TOP = 32  # up to here picking the highest labels is quicker than sorting them


def _ndcg(ranking: Ranking, cutoff: int | None, gain: str) -> Floats:
    lists, exponential = ranking.judged, gain == "exponential"
    if exponential:
        _check_exponents(lists.labels)
    longest = int(lists.sizes.max())
    discounts = np.log2(np.arange(2, min(cutoff or longest, longest) + 2))
    gains = discounted_gains(ranking.gained, lists.tied, lists.indptr, discounts, exponential)
    if cutoff is not None and cutoff <= _SHORT_TOP:
        best = best_gains(lists.labels, lists.indptr, discounts, exponential)
    else:
        ideal = ranking.ideal
        best = discounted_gains(ideal.labels, ideal.tied, ideal.indptr, discounts, exponential)
    return np.minimum(ratio(gains, best), 1.0)  # the two sums may round differently


def _check_exponents(labels: Floats) -> None:
    highest = labels.max(initial=0.0)
    if highest > _HIGHEST_EXPONENT:
        raise ValueError(
            f"The gain 2^label - 1 is too large for the label {highest:g}: "
            "use a linear gain, nDCG(gain=linear), or smaller labels."
        )


NDCG = Metric(
    base="nDCG",
    meaning="Gain of the labels, discounted by the logarithm of the rank, as a share of the best possible.",
    compute=_ndcg,
    limits={"cutoff": OPTIONAL_CUTOFF, "gain": OneOf("exponential", "linear")},
    defaults={"cutoff": None, "gain": "exponential"},
    example="nDCG@10",
    at="cutoff",
)


def ndcg(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    cutoff: int | None = None,
    gain: Literal["exponential", "linear"] = "exponential",
    **how: Unpack[How],
) -> Floats:
    r"""Discounted gain of a list as a share of the best possible one.

    .. math:: \mathrm{nDCG} = \frac{\mathrm{DCG}}{\max \mathrm{DCG}}, \qquad
        \mathrm{DCG} = \sum_{r\, \le\, \mathrm{cutoff}} \frac{g(y_r)}{\log_2(r + 1)}

    The gain is g(y) = 2^y - 1 as in LightGBM, XGBoost and LETOR, or g(y) = y as in scikit-learn and
    trec_eval; for labels 0 and 1 the two are the same. A label below 0 gains nothing. The best DCG is
    that of the labelled items of the list.

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
    gain : {"exponential", "linear"}
        What a label is worth.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists,)
        NaN where no label of a list is above 0.

    See Also
    --------
    average_precision : relevant or not, over the whole list.
    judged_at : how much of the top has a label.
    measure : several metrics at once.

    Notes
    -----
    Each of several tied items gets the mean of their gains [1]_.

    References
    ----------
    .. [1] F. McSherry, M. Najork, "Computing Information Retrieval Performance Measures Efficiently in
       the Presence of Tied Scores", ECIR 2008.

    Examples
    --------
    >>> from semirank.metrics import ndcg
    >>> ndcg([0, 2, 1, 0], [4, 3, 2, 1])
    array([0.6590018])
    >>> ndcg([0, 2, 1, 0], [4, 3, 2, 1], gain="linear")
    array([0.66967182])
    """
    return NDCG.with_options(cutoff=cutoff, gain=gain)(y, scores, qid, **how)

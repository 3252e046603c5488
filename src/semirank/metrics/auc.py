"""Area under the ROC curve: the share of pairs in the right order."""

from typing import Any, Unpack

import numpy as np

from semirank.core.agreement import count_pairs
from semirank.core.arrays import Floats
from semirank.limits import FLAG
from semirank.metrics.metric import RELEVANT, Metric
from semirank.metrics.ranking import How, Ranking, ratio


def _auc(ranking: Ranking, relevant: float | None, strict: bool) -> Floats:
    lists = ranking.judged
    levels = ranking.levels if relevant is None else (~ranking.hits(relevant)).astype(np.int64)
    right, wrong, same_score, _ = count_pairs(levels, lists.tied, lists.indptr).T
    return ratio(right + (0.0 if strict else 0.5) * same_score, right + wrong + same_score)


AUC = Metric(
    base="AUC",
    meaning="Share of the pairs of items with different labels that the scores put in the right order.",
    compute=_auc,
    limits={"relevant": RELEVANT, "strict": FLAG},
    defaults={"relevant": None, "strict": False},
    example="AUC",
)


def auc(
    y: Any,
    scores: Any,
    qid: Any = None,
    *,
    relevant: float | None = None,
    strict: bool = False,
    **how: Unpack[How],
) -> Floats:
    r"""Share of the pairs of items with different labels that the scores put in the right order.

    .. math:: \mathrm{AUC} = \frac{\#\{s_i > s_j\} + \tfrac12 \#\{s_i = s_j\}}{\#\{(i, j)\}}
        \quad\text{over the pairs of a list with } y_i > y_j

    With labels of two kinds this is the area under the ROC curve. With more levels every pair of
    different labels counts once, so that 1 - AUC is the pairwise error; set `relevant` for the
    two-class form.

    Parameters
    ----------
    y : array of shape (n_items,)
        Labels, NaN where there is none.
    scores : array of shape (n_items,)
        Finite scores, higher is better.
    qid : array of shape (n_items,), optional
        The list of each item, in any order; None: one list.
    relevant : float, optional
        Compare items with at least this label to the others, and no other pairs.
    strict : bool
        Count a pair with equal scores as wrong, not as half right.
    **how
        `ties`, `unlabelled` and `item_ids`: see `semirank.metrics`.

    Returns
    -------
    values : float64 array of shape (n_lists,)
        NaN where all labels of a list are alike.

    See Also
    --------
    disagreement : all pairs, ties included.

    Notes
    -----
    O(n log n_levels) after sorting; the pairs are never listed.

    Examples
    --------
    >>> from semirank.metrics import auc
    >>> auc([1, 0, 0, 1], [0.9, 0.9, 0.1, 0.5])
    array([0.625])
    >>> auc([1, 0, 0, 1], [0.9, 0.9, 0.1, 0.5], strict=True)
    array([0.5])
    """
    return AUC.with_options(relevant=relevant, strict=strict)(y, scores, qid, **how)

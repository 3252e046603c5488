"""Pseudo margins: boosting that also pulls the items of a list without labels apart."""

from collections.abc import Mapping
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features, RankingDataset
from semirank.limits import FLAG, Between, Limit, OneOf
from semirank.meta.adaptation import (
    JOBS,
    Adapted,
    AdaptingRanker,
    Known,
    LabelledLists,
    Progress,
    in_kind,
    stack,
    weights_by_name,
)
from semirank.rankers.assumptions import LOW_DENSITY
from semirank.rankers.losses.pseudo_margin import GivenMarginLoss, PseudoMarginLoss
from semirank.rankers.pairs import PairWeights
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.solvers.boosting import Prepared, Stumps, boost
from semirank.rankers.solvers.columns import columns_of


class PseudoMargin(AdaptingRanker):
    r"""Rank each list without labels by stumps that order the labelled pairs and tell its own items apart.

    Boosting lowers the loss of the labelled pairs (i, j), i better than j, and one of the pairs of the list,
    in whichever order they come out [1]_:

    .. math:: J(F) = \sum_{lab} e^{-(F_i - F_j)} + g \sum_{unl} e^{-|F_i - F_j|}

    Each round takes every pair of the list in its present order, with the weight ``exp(-|F_i - F_j|)``; pairs
    with equal scores weigh nothing. The stump with the largest ``|r|`` and its alpha are then those of
    `RankBoost`. J never rises. It has many minima; the first round sees labelled pairs only, so that the
    labels decide which one is sought.

    It helps where the items of a list are well apart and labels are few or faulty: stumps that would
    undo the order of the list are not taken.

    Parameters
    ----------
    n_rounds : int
        Number of stumps.
    weight : float
        g, the weight of the list's pairs; 0 is `RankBoost`.
    n_bins : int or None
        As in `RankBoost`.
    cuts : {"labelled", "both"}
        Between whose values thresholds lie: those of the items that teach, which are then arranged once, or
        those of the list too, so that a gap among its items can become one.
    ties : float
        Share of the list's pairs, those with the smallest ``|F_i - F_j|``, that are taken for ties and left
        out in each round. Where most items of a list are equally irrelevant, pulling them apart is noise.
    raw : bool
        Whether every pair of the list weighs g times as much as a labelled pair, as in the formula above.
        Otherwise all of them together weigh g times as much as all labelled pairs together, so that g means
        the same for long and short lists.
    shared : bool
        Whether all lists without labels are learned from at once, which takes one run, and not each
        alone. Then `predict` treats the lists it is given in the same way.
    balance : {"pairs", "lists"}
        As in `RankBoost`.
    n_jobs : int, optional
        How many lists to adapt to at the same time, as in joblib.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    ranker_ : RankBoost
        The ranker fitted on the lists that have labels; it ranks those lists.
    figures_ : dict
        For each list adapted to: ``n_rounds``, the number of stumps, and after the last, ``labelled`` and
        ``margin``, the means of ``exp(-(F_i - F_j))`` over the labelled pairs and of ``exp(-|F_i - F_j|)``
        over the pairs of the list that count.
    failures_ : dict
        Why, for each list that could not be adapted to.

    See Also
    --------
    RankBoost : the same on labels alone.

    Notes
    -----
    A round takes O((N + n) d) time for N labelled items, n items of the list and d features, and O(n log n)
    for the weights of the list's pairs, none of which is ever visited. The features of the labelled items
    are arranged once for all lists. A list of one item is ranked by `ranker_`. With `ties`, J sums over the
    share of the pairs with the largest margins, and still never rises.

    References
    ----------
    .. [1] K. Duh. Learning to rank with partially-labeled data. PhD thesis, University of Washington, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import PseudoMargin
    >>> X, y = np.array([[0.0], [1.0], [2.0], [0.5], [0.6], [1.9]]), [0, 0, 1, np.nan, np.nan, np.nan]
    >>> ranker = PseudoMargin(n_rounds=5).fit(X, y, qid=[1, 1, 1, 2, 2, 2])
    >>> int(np.argmax(ranker.scores_[3:]))
    2
    """

    assumption = LOW_DENSITY
    called = "pseudo-margin boosting, {n_rounds} rounds"
    limits: ClassVar[Mapping[str, Limit]] = {
        "n_rounds": RankBoost.limits["n_rounds"],
        "weight": Between(0, closed="left"),
        "n_bins": RankBoost.limits["n_bins"],
        "cuts": OneOf("labelled", "both"),
        "ties": Between(0, 1, closed="left"),
        "raw": FLAG,
        "shared": FLAG,
        "balance": RankBoost.limits["balance"],
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        n_rounds: int = 100,
        weight: float = 1.0,
        n_bins: int | None = 255,
        *,
        cuts: str = "labelled",
        ties: float = 0.0,
        raw: bool = False,
        shared: bool = False,
        balance: str = "pairs",
        n_jobs: int | None = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.weight = weight
        self.n_bins = n_bins
        self.cuts = cuts
        self.ties = ties
        self.raw = raw
        self.shared = shared
        self.balance = balance
        self.n_jobs = n_jobs

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        pairs: PairWeights | None = None,
        unlabelled_pairs: Any = None,
        *,
        progress: Progress | None = None,
    ) -> Self:
        """Learn from the lists that have labels and, for each of the others, from pairs of its own items.

        Parameters
        ----------
        X, y, qid
            Items, labels (NaN where there is none) and the list of each item.
        sample_weight, pairs
            Weights of labelled items, and labelled pairs; see `RankBoost.fit`.
        unlabelled_pairs : int array of shape (n_pairs, 2), optional
            The pairs of items, by row number, that are to be pulled apart; both are in one list without
            labels. None: all pairs of such a list. A list of which no pair is given is ranked by `ranker_`.
        progress : function, optional
            Is called with (done, total) lists.
        """
        data = self._check(X, y, qid)
        weights = weights_by_name(data, sample_weight, pairs)
        if unlabelled_pairs is None:
            return self._fit(data, weights, progress)
        if self.ties > 0.0:
            raise ValueError("Either give unlabelled_pairs, or say ties: both choose pairs.")
        return self._fit(data, weights, progress, _pairs_by_list(unlabelled_pairs, data))

    def _base(self) -> RankBoost:
        return RankBoost(self.n_rounds, self.n_bins, balance=self.balance)

    def _prepare(self, labelled: LabelledLists) -> Prepared:
        return self._base().prepare(labelled.X, labelled.y, labelled.lists, **labelled.weights)

    def _adapt(
        self, labelled: LabelledLists, prepared: Prepared, items: Features, pairs: Integers | None = None
    ) -> Adapted:
        return self._adapt_to(labelled, prepared, items, np.array([0, items.shape[0]]), pairs)

    def _rank_lists(
        self, data: RankingDataset, progress: Progress | None, known: Known = None
    ) -> tuple[Floats, dict[Any, str], dict[Any, dict[str, float]]]:
        if not self.shared:
            return super()._rank_lists(data, progress, known)
        labelled = self._labelled_lists()
        pairs = None
        if known is not None:
            pairs = np.vstack([of + start for (of,), start in zip(known, data.indptr[:-1], strict=True)])
        scores, figures = self._adapt_to(labelled, self._prepare(labelled), data.X, data.indptr, pairs)
        return scores, {}, dict.fromkeys(data.list_ids.tolist(), figures)

    def _adapt_to(
        self,
        labelled: LabelledLists,
        prepared: Prepared,
        items: Features,
        indptr: Integers,
        pairs: Integers | None = None,
    ) -> Adapted:
        """Learn from labelled pairs and those of one or more lists, all or the given ones; score these."""
        if self.weight == 0 or (np.diff(indptr).max() < 2 if pairs is None else len(pairs) == 0):
            return Adapted(self.ranker_.predict(items))
        loss = (  # J(F)
            PseudoMarginLoss.of(prepared.loss, indptr, self.weight, self.ties, self.raw)
            if pairs is None
            else GivenMarginLoss.of_pairs(prepared.loss, pairs, items.shape[0], self.weight, self.raw)
        )
        taught, items = labelled.X[prepared.rows], in_kind(labelled.X, items)
        if self.cuts == "labelled":
            columns = prepared.columns.append_rows(taught, items)
        else:
            columns = columns_of(stack(taught, items), loss.items, self.n_bins)
        rounds = list(islice(boost(loss, columns), self.n_rounds))
        of_labelled, margin = loss.means(rounds[-1].log_losses) if rounds else (1.0, 1.0)
        figures = {"n_rounds": len(rounds), "labelled": of_labelled, "margin": margin}
        return Adapted(Stumps.of(rounds).score(items), figures)


def _pairs_by_list(pairs: Any, data: RankingDataset) -> list[tuple[Integers]]:
    """Return the pairs of each list without labels, by the places of the items in their list."""
    rows = np.asarray(pairs)
    if rows.ndim != 2 or rows.shape[1] != 2 or rows.dtype.kind not in "iu":
        raise ValueError(f"unlabelled_pairs must be row numbers of shape (n_pairs, 2); got {rows.shape}.")
    if rows.size and not 0 <= rows.min() <= rows.max() < data.n_items:
        raise ValueError(f"unlabelled_pairs must be row numbers from 0 to {data.n_items - 1}.")
    places = np.argsort(data.order)[rows]
    lists = data.list_of_item[places]
    wrong = (lists[:, 0] != lists[:, 1]) | (places[:, 0] == places[:, 1])
    wrong |= data.labelled_per_list[lists[:, 0]] > 0
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ValueError(
            "unlabelled_pairs: both items of a pair must be in one list without labels, and differ; pair "
            f"{first} has {rows[first].tolist()}."
        )
    bare = np.flatnonzero(data.labelled_per_list == 0)
    return [(places[lists[:, 0] == each] - data.indptr[each],) for each in bare]

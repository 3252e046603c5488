"""Semi-supervised RankBoost: near neighbours of labelled items get pseudo-labels, and teach as well."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from math import log
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import DataWarning, RankingDataset
from semirank.learned import Array, Number, Table
from semirank.limits import Between, Either, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import NEIGHBOUR_LABELS
from semirank.rankers.losses.exponential import ExponentialLoss, OrderedExponential
from semirank.rankers.pairs import OrderedPairs, PairWeights
from semirank.rankers.pairs.pseudo_labels import PseudoLabels, nearest_labels
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.solvers.boosting import Round
from semirank.rankers.sums.passes import Passes


class SemiRankBoost(RankBoost):
    r"""Rank by stumps that order the labelled items, and the unlabelled items most similar to them.

    Each labelled item gives its label to its nearest unlabelled neighbours in the same list. Boosting then
    lowers two losses at once, one over the pairs of labelled items and one over the pairs of items with a
    pseudo-label, which may be wrong [1]_:

    .. math:: E(H) = A + \lambda B, \quad
        A = \sum_{p, q} D(p, q)\, e^{H(q) - H(p)}, \quad
        B = \sum_{p', q'} \tilde D(p', q')\, e^{H(q') - H(p')}

    Each round takes the stump with the largest ``|A r + lambda B r'|`` (r and r' as in `RankBoost`) and
    ``alpha = 1/2 ln((S + q) / (S - q))``, where q is that value and ``S = A + lambda B``. No pair joins a
    labelled item and one with a pseudo-label. With graded labels, the neighbours inherit the level.

    Parameters
    ----------
    n_rounds : int
        Number of stumps.
    n_neighbors : int
        To how many unlabelled items each labelled item gives its label; to all in a list that has fewer.
    discount : float or "similarity"
        lambda, the weight of the pseudo-labels; 0 is `RankBoost`. With "similarity" every pair of items with
        pseudo-labels has its own discount, the product of the similarities ``exp(-d^2 / (2 m))`` of the two,
        where d is the distance to the item that gave the label and m the mean of all ``d^2``.
    distance : {"euclidean", "cosine"}
        What is near; "cosine" for text.
    n_bins : int or None
        As in `RankBoost`.
    conflict : {"nearest", "both", "drop"}
        What becomes of an item that is given different labels: it takes that of the nearest item (and none
        when two are equally near), it stands in the data with each of them, or it takes none.
    balance, step, patience, validation_fraction, random_state
        As in `RankBoost`. Lists that are held out give no labels.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    discount_ : float
        lambda as it was used: 0 when no two items were given different labels within one list.
    pseudo_items_, pseudo_labels_ : arrays of shape (n_pseudo,)
        The items with a pseudo-label, as rows of the data given to `fit`, and these labels.
    log_losses_ : float64 array of shape (`n_rounds_`, 2)
        Logarithms of A and B after each round; B is NaN when `discount_` is 0.
    losses_ : float64 array of shape (`n_rounds_`, 2)
        A and B themselves.
    n_rounds_, features_, thresholds_, alphas_, feature_importances_, validation_losses_
        As in `RankBoost`.

    See Also
    --------
    RankBoost : the same on labels alone.
    ManifoldRanking : labels spread farther than to the nearest neighbours.

    Notes
    -----
    After one search for neighbours, the cost is that of `RankBoost` on all items with a label of either
    kind.

    References
    ----------
    .. [1] M.-R. Amini, T.-V. Truong, C. Goutte. A boosting algorithm for learning bipartite ranking
       functions with partially labeled data. SIGIR 2008, algorithms 1 and 2 and equation 6.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import SemiRankBoost
    >>> X = np.array([[0.0, 1.0], [0.2, 1.1], [3.0, 1.0], [3.1, 0.9], [2.9, 1.2]])
    >>> y = [0, np.nan, 1, np.nan, np.nan]
    >>> ranker = SemiRankBoost(n_rounds=5).fit(X, y)
    >>> ranker.pseudo_items_, ranker.pseudo_labels_
    (array([1, 3]), array([0., 1.]))
    >>> ranker.predict([[0.1, 1.0]]) < ranker.predict([[3.0, 1.1]])
    array([ True])
    """

    assumption = NEIGHBOUR_LABELS
    called = "semi-supervised RankBoost, {n_rounds} rounds"
    limits: ClassVar[Mapping[str, Limit]] = {
        "n_rounds": RankBoost.limits["n_rounds"],
        "n_neighbors": Between(1, kind=Integral),
        "discount": Either(Between(0, closed="left"), OneOf("similarity")),
        "distance": OneOf("euclidean", "cosine"),
        **RankBoost.limits,
        "conflict": OneOf("nearest", "both", "drop"),
    }

    learned: ClassVar[Table] = RankBoost.learned | {
        "log_losses_": Array("n_rounds", 2, gaps=True, infinite=True),
        "pseudo_items_": Array("n_pseudo", dtype="int64", low=0, high="n_items"),
        "pseudo_labels_": Array("n_pseudo"),
        "discount_": Number(0),
    }

    discount_: float
    pseudo_items_: Integers
    pseudo_labels_: Floats

    def __init__(
        self,
        n_rounds: int = 100,
        n_neighbors: int = 1,
        discount: float | str = 1.0,
        distance: str = "euclidean",
        n_bins: int | None = 255,
        *,
        conflict: str = "nearest",
        balance: str = "pairs",
        step: str = "bound",
        patience: int | None = None,
        validation_fraction: float = 0.2,
        random_state: Any = None,
    ) -> None:
        super().__init__(
            n_rounds,
            n_bins,
            balance=balance,
            step=step,
            patience=patience,
            validation_fraction=validation_fraction,
            random_state=random_state,
        )
        self.n_neighbors = n_neighbors
        self.discount = discount
        self.distance = distance
        self.conflict = conflict

    def supervised(self) -> Ranker:
        """Return the ranker without unlabelled items."""
        return RankBoost.like(self)

    def _loss(self, data: RankingDataset, weights: Floats, pairs: PairWeights | None) -> ExponentialLoss:
        """Return A + lambda B, with the pairs of pseudo-labelled items as lists of their own."""
        if pairs is not None:
            raise ValueError("SemiRankBoost learns from labels and pseudo-labels: it takes no pairs.")
        plain = super()._loss(data, weights, None)
        pseudo = self._find_pseudo_labels(data)
        self.pseudo_items_, self.pseudo_labels_ = data.order[pseudo.items], pseudo.labels
        own = np.flatnonzero(data.labelled)
        items = np.append(own, pseudo.items)
        numbers = data.list_of_item[items] + data.n_lists * (np.arange(len(items)) >= len(own))
        labels = np.append(data.y[own], pseudo.labels)
        both = OrderedPairs.ordered_by(labels, numbers, weights[items])
        n_own = int(np.sum(both.numbers < data.n_lists))
        if n_own == len(both.numbers):
            self._give_up_discount(bool(data.labelled.all()))
            return plain
        self.discount_ = 1.0 if isinstance(self.discount, str) else float(self.discount)
        both = both.share(self.balance, np.array([0, n_own]), np.array([1.0, self.discount_]))
        if self.discount == "similarity":
            similarity = np.append(np.ones(len(own)), _similarity(pseudo.distances))
            both = replace(both, weights=both.weights * similarity[both.items])
        return OrderedExponential(replace(both, items=items[both.items]))

    def _find_pseudo_labels(self, data: RankingDataset) -> PseudoLabels:
        """Find pseudo-labels, unless they would weigh nothing or all items have labels."""
        if self.discount == 0 or data.labelled.all():
            return PseudoLabels(np.empty(0, dtype=np.int64), np.empty(0), np.empty(0))
        return nearest_labels(data, self.n_neighbors, self.distance, self.conflict)

    def _fit_sums(self, passes: Passes) -> None:
        from semirank.rankers.sums import semi_rankboost

        semi_rankboost.fit(self, passes)

    def _give_up_discount(self, all_labelled: bool) -> None:
        self.discount_ = 0.0
        if self.discount != 0 and not all_labelled:
            warnings.warn(
                "No two unlabelled items of one list were given different pseudo-labels, so that these teach "
                "nothing: the discount is 0, and the ranking that of RankBoost. Try a larger n_neighbors.",
                DataWarning,
                stacklevel=4,
            )

    def _keep(self, rounds: list[Round]) -> None:
        super()._keep(rounds)
        terms = np.full((len(rounds), 2), np.nan)
        for row, each in zip(terms, rounds, strict=True):
            row[: len(each.log_losses)] = each.log_losses
        terms[:, 1] -= log(self.discount_ or 1.0)
        self.log_losses_ = terms


def _similarity(distances: Floats) -> Floats:
    squares = distances**2
    return np.exp(-squares / (2.0 * (squares.mean() or 1.0)))

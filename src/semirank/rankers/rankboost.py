"""RankBoost: many weak rankers, each aware of the pairs that the others still get wrong."""

import warnings
from collections.abc import Iterator, Mapping
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Floats, Integers
from semirank.dataset import DataWarning, RankingDataset
from semirank.learned import Array, Table, count
from semirank.limits import SEED, Between, Either, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.formulas import Steps
from semirank.rankers.losses.exponential import ExponentialLoss, GivenExponential, OrderedExponential
from semirank.rankers.pairs import GivenPairs, OrderedPairs, PairWeights, check_pairs, check_weights
from semirank.rankers.solvers.boosting import Prepared, Round, Stumps, boost, staged_scores
from semirank.rankers.solvers.columns import columns_of
from semirank.rankers.solvers.early_stopping import choose_held_out, watch
from semirank.rankers.sums.passes import Passes


class RankBoost(Ranker):
    r"""Rank by a weighted vote of stumps, each chosen for the pairs that are still in the wrong order.

    The score is ``H(x) = sum_t alpha_t [x_j > theta]`` with one feature j and one threshold theta a round.
    Boosting lowers the exponential loss of the pairs (p, q) of one list with a higher label for p [1]_

    .. math:: E(H) = \sum_{p, q} D(p, q)\, e^{H(q) - H(p)}

    which is never less than the share of pairs in the wrong order. Each round takes the stump with the
    largest ``|r|``, where r is the weight of the pairs it puts right minus that of the pairs it puts wrong,
    and ``alpha = 1/2 ln((1 + r) / (1 - r))``, so that E falls by a factor of ``sqrt(1 - r^2)`` or less.

    Labels may have two levels, many, or be all different. Unlabelled items get scores and teach nothing.

    Parameters
    ----------
    n_rounds : int
        Number of stumps. Fewer are kept when no stump is left that tells pairs apart.
    n_bins : int or None
        How many ranges of a feature's values to tell apart, of about as many items each; a feature with
        no more values than that loses nothing. None: all values, at a higher cost.
    balance : {"pairs", "lists"}
        Whether every pair of items counts the same at the start, or every list.
    step : {"bound", "exact"}
        Whether alpha minimises the bound on the loss, as above, or the loss itself, ``1/2 ln(W+ / W-)``
        with the weights of the pairs put right and wrong.
    patience : int or None
        Hold lists out, and stop when the share of their pairs in the wrong order has not fallen for this
        many rounds. The best number of rounds is then learned from all lists. None: no early stopping.
    validation_fraction : float
        Which part of the lists to hold out.
    random_state : int or None
        Which of them; only used with `patience`.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    n_rounds_ : int
        Number of stumps learned.
    features_, thresholds_, alphas_ : arrays of shape (`n_rounds_`,)
        The stumps and their weights. A threshold lies halfway between two values of the items taught.
    log_losses_ : float64 array of shape (`n_rounds_`,)
        Logarithm of the loss after each round.
    losses_ : float64 array of shape (`n_rounds_`,)
        The loss itself, which may be too small for a number.
    feature_importances_ : float64 array of shape (n_features,)
        Share of each feature in the sum of the sizes of all weights alpha.
    validation_losses_ : float64 array
        Share of the pairs in the wrong order in the lists held out, after each round; empty without
        `patience`.

    See Also
    --------
    SemiRankBoost : nearest neighbours inherit labels.
    PseudoMargin : pairs without labels want to be far apart.
    ForestRanker : trees, which see features together.

    Notes
    -----
    A round costs O(n d) time for the n items that have labels and d features, one byte read for each value;
    of sparse features, only non-zeros are read. The weights of pairs are summed by level and list: no pair
    is ever visited. Memory is n d bytes and O(n) numbers. Sums are held as logarithms, so that no number of
    rounds makes them vanish, and one thread or many give the same bits.

    A stump without a fault would get an infinite weight: it gets ``1/2 ln(1 + 2 P)`` for P pairs. Of stumps
    with equal ``|r|`` (to 1e-12) the lowest feature and then the largest threshold is taken.

    References
    ----------
    .. [1] Y. Freund, R. Iyer, R. Schapire, Y. Singer. An efficient boosting algorithm for combining
       preferences. JMLR 4, 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RankBoost
    >>> X = np.array([[1.0, 5.0], [2.0, 3.0], [3.0, 4.0], [4.0, 1.0]])
    >>> ranker = RankBoost(n_rounds=3).fit(X, [0, 0, 1, np.nan])
    >>> ranker.thresholds_[0]
    np.float64(2.5)
    >>> np.argsort(-ranker.predict([[0.0, 2.0], [5.0, 2.0]]))
    array([1, 0])
    """

    takes_weights = ("sample_weight", "pairs")
    called = "RankBoost, {n_rounds} rounds"
    limits: ClassVar[Mapping[str, Limit]] = {
        "n_rounds": Between(1, kind=Integral),
        "n_bins": Either(Between(2, 255, Integral), OneOf(None)),
        "balance": OneOf("pairs", "lists"),
        "step": OneOf("bound", "exact"),
        "patience": Either(Between(1, kind=Integral), OneOf(None)),
        "validation_fraction": Between(0, 1, closed="neither"),
        "random_state": SEED,
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "n_rounds_": count("n_rounds"),
        "features_": Array("n_rounds", dtype="int64", low=0, high="n_features"),
        "thresholds_": Array("n_rounds", infinite=True),
        "alphas_": Array("n_rounds"),
        "log_losses_": Array("n_rounds", infinite=True),
        "validation_losses_": Array("n_stages", infinite=True),
    }

    n_rounds_: int
    features_: Integers
    thresholds_: Floats
    alphas_: Floats
    log_losses_: Floats
    validation_losses_: Floats

    def __init__(
        self,
        n_rounds: int = 100,
        n_bins: int | None = 255,
        *,
        balance: str = "pairs",
        step: str = "bound",
        patience: int | None = None,
        validation_fraction: float = 0.2,
        random_state: Any = None,
    ) -> None:
        self.n_rounds = n_rounds
        self.n_bins = n_bins
        self.balance = balance
        self.step = step
        self.patience = patience
        self.validation_fraction = validation_fraction
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, pairs: PairWeights | None = None
    ) -> Self:
        """Learn from the pairs of labelled items, and score all items.

        A `sample_weight` of 2 counts as the item given twice, 0 as an item without a label; a pair has the
        product of the weights of its items. With `pairs`, only these are learned from, and the product is
        multiplied by their own weights: D is then proportional to any weights of pairs, and a weight of 2 is
        a pair given twice. A round takes O(n_pairs) more time.
        """
        data = self._check(X, y, qid)
        weights = check_weights(sample_weight, data)
        chosen = None if pairs is None else check_pairs(pairs, data)
        n_rounds = self._choose_n_rounds(data, weights, chosen)
        loss = self._loss(data, weights, chosen)  # sum of D(p, q) exp(H(q) - H(p))
        rounds = boost(loss, columns_of(data.X, loss.items, self.n_bins), self.step)
        self._keep(list(islice(rounds, n_rounds)))
        return self._store(data, self._score(data))

    def prepare(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, pairs: PairWeights | None = None
    ) -> Prepared:
        """Arrange the data once for many fits, each of which adds a few features of its own.

        ``prepare(X, y, qid).learn(new)`` has the stumps of ``fit(np.hstack([X, new]), y, qid)``, and
        ``.score(X)`` scores items by them. The number of rounds is fixed: there is no early stopping.

        Examples
        --------
        >>> import numpy as np
        >>> X, y = np.array([[1.0], [2.0], [0.0], [3.0]]), [0, 0, 1, 1]
        >>> prepared = RankBoost(n_rounds=2).prepare(X, y)
        >>> prepared.learn(np.array([[5.0], [6.0], [7.0], [8.0]])).features
        array([1, 1])
        """
        data = self._check(X, y, qid)
        if self.patience is not None:
            raise ValueError("prepare fixes the number of rounds: set patience=None.")
        chosen = None if pairs is None else check_pairs(pairs, data)
        loss = self._loss(data, check_weights(sample_weight, data), chosen)
        columns = columns_of(data.X, loss.items, self.n_bins)
        return Prepared(loss, columns, data.order[loss.items], self.n_rounds, self.step)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items; the list they stand in makes no difference."""
        data = self._check_new(X, qid)
        return data.restore(self._score(data))

    def formula(self) -> Steps:
        """Return what `predict` computes."""
        check_is_fitted(self, "alphas_")
        return Steps(self.features_, self.thresholds_, self.alphas_)

    def staged_predict(self, X: Any, qid: Any = None) -> Iterator[Floats]:
        """Yield the scores of new items after each round."""
        data = self._check_new(X, qid)
        stumps = zip(self.features_, self.thresholds_, self.alphas_, strict=True)
        return map(data.restore, staged_scores(data.X, stumps))

    @property
    def losses_(self) -> Floats:
        """The loss after each round."""
        return np.exp(self.log_losses_)

    @property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the sum of the sizes of all weights; 0 for all without a stump."""
        sizes = np.bincount(self.features_, np.abs(self.alphas_), minlength=self.n_features_in_)
        return sizes / (sizes.sum() or 1.0)

    @property
    def learns_by_sums(self) -> bool:
        """Whether sums over parts are enough: with bins, and without lists held out."""
        return self.n_bins is not None and self.patience is None

    @property
    def learns_in_rounds(self) -> bool:
        """Whether `fit_parts` can go on where it was stopped."""
        return self.learns_by_sums

    def _fit_sums(self, passes: Passes) -> None:
        from semirank.rankers.sums import rankboost

        rankboost.fit(self, passes)

    def _choose_n_rounds(self, data: RankingDataset, weights: Floats, pairs: PairWeights | None) -> int:
        self.validation_losses_ = np.empty(0)
        if self.patience is None:
            return self.n_rounds
        held_out = choose_held_out(data, self.validation_fraction, self.random_state)
        rest = data.replace(y=np.where(held_out, np.nan, data.y))
        if pairs is not None:
            taught = ~held_out[pairs.better]
            pairs = PairWeights(pairs.better[taught], pairs.worse[taught], pairs.weights[taught])
        judge = data.take(held_out & data.labelled)
        loss = self._loss(rest, weights, pairs)
        rounds = islice(boost(loss, columns_of(rest.X, loss.items, self.n_bins), self.step), self.n_rounds)
        stages = staged_scores(judge.X, (each[:3] for each in rounds))
        self.validation_losses_ = watch(stages, judge, self.patience)
        return int(np.argmin(self.validation_losses_)) + 1 if len(self.validation_losses_) else self.n_rounds

    def _loss(self, data: RankingDataset, weights: Floats, pairs: PairWeights | None) -> ExponentialLoss:
        """Return the loss of the pairs that labels order, or of those given."""
        if pairs is not None:
            return GivenExponential(GivenPairs.of(pairs, data, weights), self.balance)
        return OrderedExponential(OrderedPairs.of(data, weights, type(self).__name__).share(self.balance))

    def _keep(self, rounds: list[Round]) -> None:
        if not rounds:
            warnings.warn(
                "No feature tells items with different labels apart: all scores are 0.",
                DataWarning,
                stacklevel=3,
            )
        self.n_rounds_ = len(rounds)
        self.features_, self.thresholds_, self.alphas_ = Stumps.of(rounds)
        self.log_losses_ = np.array([np.logaddexp.reduce(each.log_losses) for each in rounds])

    def _score(self, data: RankingDataset) -> Floats:
        return Stumps(self.features_, self.thresholds_, self.alphas_).score(data.X)

"""RankRLS: least squares on the label differences of every two items of a list."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.kernels import GAMMA, KERNEL
from semirank.learned import Number, Table, Value
from semirank.limits import FLAG, Limit
from semirank.rankers._base import Contributions
from semirank.rankers.kept_items import KeepsItems, row_of
from semirank.rankers.kernel_ranker import COMPONENTS, DEGREE, RIDGE, KernelRanker, check_positive
from semirank.rankers.losses.squared import GivenSquared, ListSquared
from semirank.rankers.pairs import GivenPairs, PairWeights, check_pairs, check_weights
from semirank.rankers.solvers.held_out import folds_of_lists, without_items, without_lists
from semirank.rankers.solvers.least_squares import AnyLoss, LeastSquares
from semirank.rankers.sums.passes import Passes


class RankRLS(KeepsItems, KernelRanker):
    """Rank by a function that is learned from the label differences within each list.

    With n_v labelled items in list v, f minimises ::

        sum_v sum_(i<j in v) ((y_i - y_j) - (f(x_i) - f(x_j)))^2 / binom(n_v, 2)  +  ridge |f|^2,

    so that every list weighs the same [1]_. Only differences count: a constant added to the labels of a list
    changes nothing, and scores are comparable within a list only. A list without two different labels says
    of no two items which is better: it teaches nothing and is ranked by the others. So are the unlabelled
    items of any list.

    This departs from the cost as it is printed (equation 7 of the paper), in which a list whose labels are
    all equal teaches that its items score alike: `tied_lists` gives that form. In a list with different
    labels, pairs with equal labels always count, as printed.

    The sum over pairs is ``(y - f)' L (y - f)`` with L = R'R, where R takes values relative to the mean of
    their list's labelled items and multiplies them by ``sqrt(2 / (n_v - 1))``: f is kernel ridge regression
    with the kernel matrix ``R K R'`` and the target ``R y``. It is solved in closed form, over features where
    these are fewer than the labelled items, else over the labelled items; of sparse features, by conjugate
    gradients.

    Parameters
    ----------
    kernel : {"linear", "rbf", "polynomial", "cosine", "precomputed"}
        What is similar; see `semirank.kernels.Kernel`. With "precomputed", X is the kernel matrix in `fit`,
        and in `predict` the kernel of new items (rows) with all fitted ones.
    gamma : float, optional
        Coefficient of "rbf" and "polynomial". None: by the median distance of the items, or
        ``1 / n_features``.
    ridge : float
        The price of a complicated f. Its natural scale is the mean squared distance of two items of a
        list in the kernel's space; `RankRLSCV` chooses it.
    n_components : int, optional
        Rank in a space that this many well chosen labelled items span (`features.GramSchmidt`): for a
        kernel other than "linear" and more than some ten thousand labelled items. None: no such limit.
    degree : int
        Degree of "polynomial".
    tied_lists : bool
        Whether lists whose labels are all equal teach too, as in the printed cost. They pull scores together,
        and count as lists that can be left out.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    coef_ : float64 array of shape (n_features,)
        Linear kernel only: the weights of the features.
    items_ : array or CSR matrix of shape (n_basis, n_features)
        Other kernels: the labelled items that a score is a sum over (for a precomputed kernel their row
        numbers).
    dual_coef_ : float64 array of shape (n_basis,)
        Their weights.
    gamma_ : float or None
        The coefficient that was used.
    ridge_ : float
        The ridge that was used.
    X_, y_, lists_, weights_
        What was given to `fit`, for `explain`, `leave_list_out` and `leave_items_out`; a model file holds it.

    See Also
    --------
    RankRLSCV : chooses the ridge by left-out lists at the price of one fit.
    TransductiveRankRLS : learns from lists without labels too.
    RankSVM : only the order of the labels counts, not how far they are apart.
    PairWeights : pairs to learn from, with weights.

    Notes
    -----
    For m labelled items with d features. Linear kernel: O(m d min(m, d)) time, no copy of X; for sparse
    features, and where m and d exceed 5,000, conjugate gradients, which touch nothing but X. Other kernels:
    one Cholesky factor of an m x m matrix, O(m^3); with p components O(m p^2) time and O(m p) memory.
    `leave_list_out` takes one eigendecomposition for all lists and ridges.

    References
    ----------
    .. [1] T. Pahikkala, H. Suominen, J. Boberg, T. Salakoski. Transductive ranking via pairwise regularized
       least-squares. Mining and Learning with Graphs, 2007. Theorem 1.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RankRLS
    >>> X = np.array([[0.0], [1.0], [4.0], [5.0], [6.0]])
    >>> y = np.array([0, 1, 2, 3, np.nan])
    >>> ranker = RankRLS(ridge=1e-9).fit(X, y, qid=["a", "a", "b", "b", "b"])
    >>> ranker.scores_.round(3)
    array([0., 1., 4., 5., 6.])
    >>> ranker.predict([[7.0]]).round(3)
    array([7.])
    """

    takes_weights = ("sample_weight", "pairs")
    called = "RankRLS, {kernel} kernel"
    limits: ClassVar[Mapping[str, Limit]] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "ridge": RIDGE,
        "n_components": COMPONENTS,
        "degree": DEGREE,
        "tied_lists": FLAG,
    }

    learned: ClassVar[Table] = (
        KernelRanker.learned | KeepsItems.learned | {"ridge_": Number(0), "weights_": Value(dict)}
    )

    ridge_: float
    weights_: dict[str, Any]
    _problem: LeastSquares | None = None

    def __init__(
        self,
        kernel: str = "linear",
        gamma: float | None = None,
        ridge: float = 1.0,
        n_components: int | None = None,
        *,
        degree: int = 3,
        tied_lists: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.ridge = ridge
        self.n_components = n_components
        self.degree = degree
        self.tied_lists = tied_lists

    def fit(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, pairs: PairWeights | None = None
    ) -> Self:
        """Learn from the labelled items of all lists, and score all items.

        Parameters
        ----------
        X : array, CSR matrix or data frame of shape (n_items, n_features)
        y : array of shape (n_items,)
            NaN where an item is not labelled.
        qid : array of shape (n_items,), optional
            The list of each item. None: one list.
        sample_weight : array of shape (n_items,), optional
            2 counts as an item that is given twice, 0 as one without a label. Every list still weighs the
            same, whatever the weights of its items.
        pairs : PairWeights, optional
            The pairs to learn from, better item, worse item and weight, in place of all pairs of a list:
            f minimises ``sum_(p, q) w_pq ((y_p - y_q) - (f(x_p) - f(x_q)))^2 + ridge |f|^2``. With
            `sample_weight`, a pair counts as many times as both its items together, ``w_pq u_p u_q``.
        """
        data = self._check(X, y, qid)
        loss = self._loss(data, sample_weight, pairs)  # (y - f)' L (y - f)
        problem = LeastSquares.of(data, loss, self._resolve(data), self.n_components)
        self.ridge_ = self._choose_ridge(problem)
        self._keep(problem.expansion, problem.weights(self.ridge_))  # minimises loss + ridge |f|^2
        self._keep_items(data)
        self._problem = None
        return self._store(data, self._score(data.X))

    def leave_list_out(self, ridges: Any = None, folds: Any = None) -> Floats:
        """Score each list as if its own labels, or those of all lists of its fold, had never been seen.

        Exact: equal to fitting again without these labels, for every list and every ridge, at the price of
        one eigendecomposition. A list without two different labels teaches nothing, so that there is
        nothing to leave out; it is scored by all lists of other folds.

        Parameters
        ----------
        ridges : sequence of float, optional
            The ridges to try. None: the one of this ranker.
        folds : array of shape (n_items,), optional
            The fold of each item, in the order given to `fit`; lists of one fold are left out together, and
            all items of a list are in one fold. None: each list is a fold.

        Returns
        -------
        scores : float64 array of shape (n_ridges, n_items)
            One row a ridge, items in the order given to `fit`. In a list that was left out, the mean over
            its labelled items is 0.
        """
        problem = self._fitted()
        left_out = folds_of_lists(folds, problem.data)
        return problem.data.restore(without_lists(problem, self._ridges(ridges), left_out).T).T

    def leave_items_out(self, ridges: Any = None) -> Floats:
        """Score each labelled item of the only list as if its own label had never been seen.

        Exact: equal to fitting again without the label of the item. Such scores come from different fits;
        they are made comparable by taking each relative to the mean score of the other labelled items.

        Parameters
        ----------
        ridges : sequence of float, optional
            The ridges to try. None: the one of this ranker.

        Returns
        -------
        scores : float64 array of shape (n_ridges, n_items)
            One row a ridge, items in the order given to `fit`. Unlabelled items are scored by all labels,
            relative to the mean score of the labelled ones.
        """
        problem = self._fitted()
        return problem.data.restore(without_items(problem, self._ridges(ridges)).T).T

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into what each labelled item contributes.

        The score is linear in the labels: ``scores_[item] = sum_j c_j (y_j - mean label of j's list)``.

        Parameters
        ----------
        item : int
            Row number of an item given to `fit`.

        Returns
        -------
        Contributions
            Row numbers of the labelled items that taught, and amounts that add up to ``scores_[item]``.
        """
        problem = self._fitted()
        amounts = problem.contributions(row_of(item, problem.data), self.ridge_)
        return Contributions(problem.data.order[problem.loss.rows], amounts)

    def _loss(self, data: RankingDataset, sample_weight: Any = None, pairs: Any = None) -> AnyLoss:
        """Return the squared loss over all pairs of a list, or over the given ones."""
        self.weights_ = {}
        if sample_weight is not None:
            self.weights_["sample_weight"] = np.asarray(sample_weight, dtype=np.float64)
        if pairs is None:
            weights = None if sample_weight is None else check_weights(sample_weight, data)
            return self._require_pairs(ListSquared.of(data, weights, self.tied_lists), data)
        self.weights_["pairs"] = tuple(np.asarray(part) for part in pairs)
        given = GivenPairs.of(check_pairs(pairs, data), data, check_weights(sample_weight, data))
        return GivenSquared.of(given, data)

    @property
    def learns_by_sums(self) -> bool:
        """Whether sums over parts are enough: its columns are features, or kernels with chosen items."""
        linear = self.kernel == "linear" or self.n_components is not None
        return linear and self.kernel != "precomputed"

    def _fit_sums(self, passes: Passes) -> None:
        from semirank.rankers.sums import rankrls

        rankrls.fit(self, passes)

    def _choose_ridge(self, problem: LeastSquares) -> float:
        return float(self.ridge)

    def _fitted(self) -> LeastSquares:
        """Set the fitted problem up again, once."""
        if self._problem is None:
            data = self._kept_items()
            loss = self._loss(data, **self.weights_)
            self._problem = LeastSquares.of(data, loss, self._resolve(data), self.n_components)
        return self._problem

    def _ridges(self, ridges: Any) -> Floats:
        return check_positive("ridges", self.ridge_ if ridges is None else ridges)

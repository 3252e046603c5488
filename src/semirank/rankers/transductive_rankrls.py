"""Transductive RankRLS: labels for the unlabelled lists, such that left-out lists are ranked well."""

from collections.abc import Mapping
from math import inf
from typing import Any, ClassVar, Self

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset
from semirank.kernels import GAMMA, KERNEL
from semirank.learned import AnyOf, Array, Number, Table
from semirank.limits import FLAG, Between, Either, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import OWN_PREDICTIONS
from semirank.rankers.kept_items import KeepsItems
from semirank.rankers.kernel_ranker import DEGREE, RIDGE, KernelRanker, check_positive
from semirank.rankers.losses.squared import ListSquared
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.solvers.held_out import folds_of_lists
from semirank.rankers.solvers.least_squares import LeastSquares
from semirank.rankers.solvers.transduction import Completion

STRENGTH = 10.0


class TransductiveRankRLS(KeepsItems, KernelRanker):
    """Rank unlabelled lists by labels under which leaving any list out does little harm.

    RankRLS is fitted to the labelled items; its scores of the unlabelled items are the `reference`. Then
    labels z are given to the unlabelled items that minimise [1]_ ::

        sum_v |R_v (y_v - f_v(X_v))|^2  +  pull |z - reference|^2,

    where y holds the known labels and z, f_v is RankRLS fitted to all lists but v with these labels, and
    ``|R_v e|^2`` is the mean of ``(e_i - e_j)^2`` over the pairs of list v. So the labels are asked to
    predict each other across lists, and the pull keeps them near what the known labels alone say. With
    `folds` given to `fit`, f_v is fitted to the lists of all other folds than that of v.

    The unlabelled items of a partly labelled list are taken as a list of their own: their labels are found
    like those of any unlabelled list, and the labelled ones keep the weight that they have in `RankRLS`.

    **It seldom helps.** With a pull as small as 0.001 times the default and a ridge near the mean squared
    distance of two items of a list, it finds labels that follow a few directions or clusters which all items
    share, where there are fewer labels than features. Elsewhere the sum is made small by following the known
    labels more closely, as a smaller ridge would do: on real collections rankings were no better than with
    a ridge chosen by `RankRLSCV`, and worse with a small pull. The default pull stays near to `RankRLS`.

    Parameters
    ----------
    kernel : {"linear", "rbf", "polynomial", "cosine", "precomputed"}
        What is similar; see `RankRLS`.
    gamma : float, optional
        Coefficient of "rbf" and "polynomial". None: by the median distance of the items, or
        ``1 / n_features``.
    ridge : float
        The price of a complicated f.
    pull : float, optional
        How strongly the labels are drawn to the reference. None: ten times the mean of ``2 / n`` over the
        unlabelled items, n being the length of an item's list, which is about what the sum weighs on its
        label.
    degree : int
        Degree of "polynomial".
    tied_lists : bool
        Whether lists whose known labels are all equal teach and are left out too, as in the paper; see
        `RankRLS`.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order: the labels found, in lists without any
        label; elsewhere the scores of RankRLS fitted to all lists with these labels.
    labels_ : float64 array of shape (n_items,)
        The labels, given or found.
    pull_ : float
        The pull that was used.
    coef_, items_, dual_coef_, gamma_
        RankRLS fitted to all lists with the labels found, as in `RankRLS`; `predict` uses it.

    See Also
    --------
    RankRLS : the same on labels alone.
    RankerPropagation : lists without labels take the rankers of lists that look like them.

    Notes
    -----
    Two eigendecompositions: over all items in place of the labelled ones (see `RankRLS`), and over the
    unlabelled ones; conjugate gradients replace the latter above 2,000 unlabelled items. For many items and
    a kernel other than "linear", use `features.GramSchmidt` and "linear".

    References
    ----------
    .. [1] T. Pahikkala, H. Suominen, J. Boberg, T. Salakoski. Transductive ranking via pairwise regularized
       least-squares. Mining and Learning with Graphs, 2007. Theorem 2, in which ``P_(U^c U^c) P_UU^-1`` must
       read ``P_(U^c U) P_UU^-1``, and 1/2 lambda lambda.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import TransductiveRankRLS
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0], [5.0], [7.0]])
    >>> y = np.array([0, 1, 2, 3, np.nan, np.nan])
    >>> ranker = TransductiveRankRLS(ridge=1e-3).fit(X, y, qid=["a", "a", "b", "b", "c", "c"])
    >>> ranker.scores_[4:].round(2)
    array([3.01, 4.19])
    """

    assumption = OWN_PREDICTIONS
    called = "transductive RankRLS, {kernel} kernel"
    limits: ClassVar[Mapping[str, Limit]] = {
        "kernel": KERNEL,
        "gamma": GAMMA,
        "ridge": RIDGE,
        "pull": Either(Between(0, inf, closed="neither"), OneOf(None)),
        "degree": DEGREE,
        "tied_lists": FLAG,
    }

    learned: ClassVar[Table] = (
        KernelRanker.learned
        | KeepsItems.learned
        | {
            "pull_": Number(0),
            "labels_": Array("n_items"),
            "folds_": AnyOf(None, Array("n_lists", dtype="int64", low=0)),
        }
    )

    labels_: Floats
    pull_: float
    folds_: Integers | None

    def __init__(
        self,
        kernel: str = "linear",
        gamma: float | None = None,
        ridge: float = 1.0,
        pull: float | None = None,
        *,
        degree: int = 3,
        tied_lists: bool = False,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.ridge = ridge
        self.pull = pull
        self.degree = degree
        self.tied_lists = tied_lists

    def supervised(self) -> Ranker:
        """Return the ranker without unlabelled items."""
        return RankRLS.like(self)

    def fit(self, X: Any, y: Any, qid: Any = None, folds: Any = None) -> Self:
        """Learn from the labelled items, give labels to the others, and learn again from all.

        Parameters
        ----------
        X, y, qid
            Items, labels (NaN where there is none) and the list of each item.
        folds : array of shape (n_items,), optional
            The fold of each item; lists of one fold, with labels or without, are left out together, and all
            items of a list are in one fold. None: each list is left out by itself.
        """
        data = self._check(X, y, qid)
        taught = self._taught(data)
        self._keep(taught.expansion, taught.weights(self.ridge))
        self.folds_ = folds_of_lists(folds, data)
        completion = Completion(taught, self.ridge, self.folds_, self.tied_lists)
        self.pull_ = STRENGTH * completion.mean_weight() if self.pull is None else float(self.pull)
        labels = completion.impute(self.pull_)
        if completion.n_unknown:
            self._keep(completion.problem.expansion, completion.weights(labels))
        self.labels_ = data.restore(labels)
        self._keep_items(data)
        bare = (data.labelled_per_list == 0)[data.list_of_item]
        return self._store(data, np.where(bare, labels, self._score(data.X)))

    def impute(self, pulls: Any) -> Floats:
        """Give labels to the unlabelled items for many pulls at once.

        Parameters
        ----------
        pulls : sequence of float
            The pulls to try.

        Returns
        -------
        labels : float64 array of shape (n_pulls, n_items)
            What `labels_` would be, one row a pull, by one eigendecomposition of a matrix with a row for each
            unlabelled item.
        """
        data = self._kept_items()
        completion = Completion(self._taught(data), self.ridge, self.folds_, self.tied_lists)
        found = completion.impute_path(check_positive("pulls", pulls))
        return data.restore(found.T).T

    def _taught(self, data: RankingDataset) -> LeastSquares:
        """Return RankRLS of the known labels."""
        loss = self._require_pairs(ListSquared.of(data, tied_lists=self.tied_lists), data)
        return LeastSquares.of(data, loss, self._resolve(data))

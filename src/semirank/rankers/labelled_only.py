"""Any ranker without unlabelled items: fitted on the labelled ones, the others are new to it."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Floats
from semirank.learned import Part, Table
from semirank.limits import Kind, Limit
from semirank.rankers._base import Ranker
from semirank.rankers.formulas import Formula


class LabelledOnly(Ranker):
    """Fit a ranker on labelled items alone, and score all others as new ones.

    What a ranker gains by unlabelled items is the difference to this: the same method, the same labels, and
    nothing else to learn from.

    Parameters
    ----------
    ranker : Ranker
        A copy is fitted; its `predict` has to score items that were not there in `fit`.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    ranker_ : Ranker
        The ranker, fitted on the labelled items.

    See Also
    --------
    Ranker.supervised : what a ranker is without unlabelled items.
    compare : tests every ranker against it.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import LabelledOnly, ManifoldRanking
    >>> X = np.array([[0.0], [1.0], [2.0], [9.0]])
    >>> ranker = LabelledOnly(ManifoldRanking()).fit(X, [1, np.nan, np.nan, 0])
    >>> int(ranker.scores_.argmax()), ranker.ranker_.scores_.shape
    (0, (2,))
    """

    called = "{ranker}, labels alone"
    limits: ClassVar[Mapping[str, Limit]] = {"ranker": Kind("a ranker", (Ranker,))}

    learned: ClassVar[Table] = Ranker.learned | {"ranker_": Part("Ranker")}

    ranker_: Ranker

    def __init__(self, ranker: Ranker) -> None:
        self.ranker = ranker

    @property
    def one_function(self) -> bool:
        """Whether the ranker has one function for all lists."""
        return self.ranker.one_function

    @property
    def takes_sparse(self) -> bool:
        """Whether the ranker takes sparse features."""
        return self.ranker.takes_sparse

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Fit the ranker on the items with a label, then score all items with it."""
        data = self._check(X, y, qid)
        shown = data.labelled
        self.ranker_ = clone(self.ranker).fit(data.X[shown], data.y[shown], data.qid[shown])
        scores = np.empty(data.n_items)
        scores[shown] = self.ranker_.scores_
        if not shown.all():
            scores[~shown] = self.ranker_.predict(data.X[~shown], data.qid[~shown])
        return self._store(data, scores)

    def formula(self) -> Formula:
        """Return that of the ranker."""
        check_is_fitted(self, "ranker_")
        return self.ranker_.formula()

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items."""
        check_is_fitted(self, "ranker_")
        data = self._check_new(X, qid)
        return data.restore(self.ranker_.predict(data.X, data.qid))

"""A ranker for each list by itself, for lists that ask for different things of the same items."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats
from semirank.learned import Each, Names, Part, Table
from semirank.limits import Either, Kind, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.logistic import LogisticRanker


class EachList(Ranker):
    """Fit a copy of a ranker on each list by itself.

    Where lists hold the same items and ask for something else each, such as one digit a list, no one function
    can rank them all: what is relevant in one list is not in the next.

    Parameters
    ----------
    ranker : Ranker, optional
        Copies are fitted. None: `LogisticRanker()`.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    rankers_ : list of rankers
        One for each list that has labels.
    list_ids_ : array
        The names of these lists.

    See Also
    --------
    RankingDataset.share_items : whether lists hold the same items.

    Notes
    -----
    The items of a list without labels, in `fit` and in `predict`, get the mean score of all rankers. A list
    whose labels a ranker cannot learn from is left out in the same way.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import EachList, RankRLS
    >>> X, y, qid = [[0.0], [1.0], [0.0], [1.0]], [0, 1, 1, 0], ["up", "up", "down", "down"]
    >>> EachList(RankRLS()).fit(X, y, qid).scores_.round(2)
    array([ 0. ,  0.5,  0. , -0.5])
    """

    called = "{ranker}, list by list"
    limits: ClassVar[Mapping[str, Limit]] = {"ranker": Either(Kind("a ranker", (Ranker,)), OneOf(None))}
    one_function = False

    learned: ClassVar[Table] = Ranker.learned | {
        "rankers_": Each(Part("Ranker"), size="n_own"),
        "list_ids_": Names("n_own"),
    }

    rankers_: list[Ranker]
    list_ids_: AnyArray

    def __init__(self, ranker: Ranker | None = None) -> None:
        self.ranker = ranker

    @property
    def assumption(self) -> str | None:
        """What the ranker assumes."""
        return self._base().assumption

    @property
    def takes_sparse(self) -> bool:
        """Whether the ranker takes sparse features."""
        return self._base().takes_sparse

    @property
    def ignores_unlabelled(self) -> bool:
        """As the ranker of each list does."""
        return self._base().ignores_unlabelled

    def supervised(self) -> Ranker | None:
        """Return the ranker on labels alone, for each list."""
        alone = self._base().supervised()
        return self if self.assumption is None else None if alone is None else EachList(alone)

    def _base(self) -> Ranker:
        return LogisticRanker() if self.ranker is None else self.ranker

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Fit a copy on each list that has labels."""
        data = self._check(X, y, qid)
        fitted, problem = {}, None
        for at in np.flatnonzero(data.labelled_per_list).tolist():
            one = data.select([at])
            try:
                fitted[at] = clone(self._base()).fit(one.X, one.y)
            except ValueError as error:
                problem = error
        if not fitted:
            raise ValueError(f"No list could be ranked by itself: {problem}")
        self.rankers_ = list(fitted.values())
        self.list_ids_ = data.list_ids[list(fitted)]
        scores = np.empty(data.n_items)
        for number in range(data.n_lists):
            items = slice(*data.indptr[number : number + 2])
            ranker = fitted.get(number)
            scores[items] = self._mean(data.X[items]) if ranker is None else ranker.scores_
        return self._store(data, scores)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items with the ranker of their list."""
        check_is_fitted(self, "rankers_")
        data = self._check_new(X, qid)
        number = {name: at for at, name in enumerate(self.list_ids_.tolist())}
        scores = np.empty(data.n_items)
        for name, first, last in zip(data.list_ids.tolist(), data.indptr[:-1], data.indptr[1:], strict=True):
            items = data.X[first:last]
            known = number.get(name)
            scores[first:last] = self._mean(items) if known is None else self.rankers_[known].predict(items)
        return data.restore(scores)

    def _mean(self, items: Any) -> Floats:
        return np.mean([ranker.predict(items) for ranker in self.rankers_], axis=0)

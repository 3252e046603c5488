"""The items given to `fit`, kept for questions that are asked later, also of a model in a file."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features, RankingDataset
from semirank.learned import Array, Table
from semirank.limits import Between


class KeepsItems:
    """A ranker that keeps its training set, in the caller's order.

    Attributes
    ----------
    X_ : array or CSR matrix of shape (n_items, n_features)
        The items given to `fit`.
    y_ : float64 array of shape (n_items,)
        Their labels, NaN where there is none.
    lists_ : int64 array of shape (n_items,)
        The number of the list of each.
    """

    X_: Features
    learned: ClassVar[Table] = {
        "X_": Array("n_items", "n_features", dtype="float", sparse=True),
        "y_": Array("n_items", gaps=True),
        "lists_": Array("n_items", dtype="int64", low=0, high="n_lists"),
    }

    y_: Floats
    lists_: Integers

    def _keep_items(self, data: RankingDataset) -> None:
        self.X_, self.y_, self.lists_ = (
            callers_order(data),
            data.restore(data.y),
            data.restore(data.list_of_item),
        )

    def _kept_items(self) -> RankingDataset:
        check_is_fitted(self, "X_")
        check_kept(len(self.y_))
        return RankingDataset(self.X_, self.y_, self.lists_)


def callers_order(data: RankingDataset) -> Features:
    """Return a copy of X in the order in which the caller gave it."""
    in_order = bool((np.diff(data.order) > 0).all())
    return own_copy(data.X) if in_order else data.X[np.argsort(data.order)]


def own_copy(X: Features) -> Features:
    """Return features that the caller cannot change any more; sparse ones were copied when they came in."""
    return X if issparse(X) else X.copy()


def row_of(item: Any, data: RankingDataset) -> int:
    """Return where an item, given by its row in the caller's order, stands in the data."""
    return int(np.flatnonzero(data.order == check_item(item, data.n_items))[0])


def check_kept(n_items: int) -> None:
    """Refuse to speak of items that a ranker has not kept."""
    if n_items == 0:
        raise ValueError(
            "This ranker was learned from sums over parts (fit_parts) and keeps no items, so that it cannot "
            "speak of one. Fit it on the items in question."
        )


def check_item(item: Any, n_items: int) -> int:
    """Return the row number of a fitted item; refuse what is none."""
    check_kept(n_items)
    if item not in Between(0, n_items - 1, Integral):
        raise ValueError(f"item must be a row number in [0, {n_items - 1}]; got {item!r:.60}.")
    return int(item)

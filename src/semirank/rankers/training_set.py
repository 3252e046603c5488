"""A training set of a linear ranker: relevant, irrelevant and unlabelled items, of one list or of many."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import Features, RankingDataset


class LinearModel(NamedTuple):
    """A linear score ``x'coef + intercept``, and the number of iterations it took to find."""

    coef: Floats
    intercept: float
    n_iter: int

    @classmethod
    def of(cls, model: Any) -> Self:
        """Take the model out of a fitted model of scikit-learn."""
        return cls(model.coef_[0], float(model.intercept_[0]), int(np.max(model.n_iter_)))

    def score(self, X: Features) -> Floats:
        """Return the score of each row of X."""
        return X @ self.coef + self.intercept


@dataclass(frozen=True)
class TrainingSet:
    """Items to learn from.

    Attributes
    ----------
    X : array or CSR matrix of shape (n_items, n_features) or (n_items, n_features + n_lists)
        Features; for items of several lists, followed by a column for each list, 1 for its items.
    signs : float64 array of shape (n_items,)
        1 for a relevant item, -1 for an irrelevant one, NaN for an unlabelled one.
    weights : float64 array of shape (n_items,)
        How much each item counts.
    """

    X: Features
    signs: Floats
    weights: Floats

    @property
    def labelled(self) -> Booleans:
        """Which items have a label."""
        return ~np.isnan(self.signs)

    def take(self, items: Booleans) -> Self:
        """Return the training set of some of the items."""
        if items.all():
            return self
        return type(self)(self.X[items], self.signs[items], self.weights[items])

    def balance(self, ratio: float = 1.0) -> Self:
        """Return these items with the relevant ones weighing `ratio` times the irrelevant, all as before."""
        weights = self.weights.copy()
        total = weights[self.labelled].sum()
        for sign, share in ((1.0, ratio / (1.0 + ratio)), (-1.0, 1.0 / (1.0 + ratio))):
            weights[self.signs == sign] *= share * total / weights[self.signs == sign].sum()
        return type(self)(self.X, self.signs, weights)


def solve_on_used(solve: Callable[[Features], LinearModel], X: Features) -> LinearModel:
    """Solve with the columns that these rows use: all others have weight 0 at the minimum."""
    if not issparse(X):
        return solve(X)
    used = np.unique(X.indices)
    model = solve(columns_for(X[:, used], np.zeros(X.shape[0], dtype=np.int64), 1))
    coef = np.zeros(X.shape[1])
    coef[used] = model.coef
    return model._replace(coef=coef)


def columns_for(X: Features, lists: Integers, n_lists: int) -> Features:
    """Return X with 32-bit indices, as LIBLINEAR wants, and a column for each list if there are several."""
    if n_lists > 1:
        places = (lists, np.arange(len(lists) + 1))
        marks = csr_array((np.ones(len(lists)), *places), shape=(len(lists), n_lists))
        X = hstack([csr_array(X), marks], format="csr")
    if issparse(X) and X.nnz < 2**31:
        indices, indptr = (part.astype(np.int32, copy=False) for part in (X.indices, X.indptr))
        X = csr_array((X.data, indices, indptr), shape=X.shape)
    return X


def lists_with(sign: float, signs: Floats, data: RankingDataset) -> Booleans:
    """Tell which lists have an item with the given sign."""
    return data.list_sums(signs == sign) > 0


def lists_share_items(data: RankingDataset) -> bool:
    """Tell whether most items stand in more than one list."""
    return data.share_items


def draw_from_each_list(
    candidates: Booleans, data: RankingDataset, most: int, rng: np.random.Generator
) -> Integers:
    """Draw up to `most` of the candidates of each list, in an order that does not depend on them.

    So a candidate less, such as an item that got a label, exchanges no more than one of those drawn.
    """
    items = rng.permutation(data.n_items)
    items = items[candidates[items]]
    items = items[np.argsort(data.list_of_item[items], kind="stable")]
    lists = data.list_of_item[items]
    return items[np.arange(len(items)) - np.searchsorted(lists, lists) < most]

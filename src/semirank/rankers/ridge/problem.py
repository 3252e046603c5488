"""From data and a kernel to a least-squares problem of the right shape."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import issparse

from semirank.core.arrays import Floats
from semirank.dataset import Features, RankingDataset
from semirank.features.gram_schmidt import GramSchmidt
from semirank.kernels import Kernel
from semirank.rankers.ridge.direct import Dual, Primal
from semirank.rankers.ridge.iterative import IterativeRidge
from semirank.rankers.ridge.labelled_pairs import LabelledPairs
from semirank.rankers.ridge.pairs import Pairs
from semirank.rankers.ridge.pairwise import PairwiseRidge
from semirank.rankers.ridge.weighted import WeightedRidge
from semirank.rankers.ridge.weighted_pairs import WeightedPairs

LARGEST_DIRECT = 5_000
MOST_ITEMS = 50_000

AnyPairs = LabelledPairs | WeightedPairs


@dataclass(frozen=True)
class Expansion:
    """Scores as weighted sums of columns.

    Attributes
    ----------
    kernel : Kernel
    items : basis of the kernel, or None
        The items whose kernels are the columns; None: the features are (of a linear kernel).
    triangle : lower triangular array, optional
        Gram-Schmidt coordinates of the items; the columns are then coordinates too.
    """

    kernel: Kernel
    items: Features | None
    triangle: Floats | None = None

    def columns(self, X: Features) -> Floats:
        """Return the columns of some items, dense."""
        if self.items is None:
            return X.toarray() if issparse(X) else X
        block = np.asarray(self.kernel.block(X, self.items), dtype=np.float64)
        if self.triangle is None:
            return block
        return solve_triangular(self.triangle, block.T, lower=True, check_finite=False).T

    def flatten(self, weights: Floats) -> Floats:
        """Turn weights of columns into weights of features (linear kernel) or of items (others)."""
        if self.items is None:
            return weights
        if self.triangle is not None:
            weights = solve_triangular(self.triangle, weights, lower=True, trans="T", check_finite=False)
        return self.items.T @ weights if self.kernel.name == "linear" else weights

    def score(self, X: Features, flat_weights: Floats) -> Floats:
        """Score items by weights that were flattened."""
        if self.kernel.name == "linear":
            return X @ flat_weights
        return self.kernel.product(X, self.items, flat_weights)


@dataclass(frozen=True)
class Problem:
    """Data, the columns that scores are sums over, and the least squares that weigh the columns."""

    data: RankingDataset
    expansion: Expansion
    ridge_form: PairwiseRidge

    @classmethod
    def of(cls, data: RankingDataset, pairs: AnyPairs, kernel: Kernel, n_components: int | None) -> Self:
        """Choose columns and form by the shape of the data: what is smaller, features or labelled items."""
        X = data.X if np.array_equal(pairs.rows, np.arange(data.n_items)) else data.X[pairs.rows]
        basis = kernel.basis(data.X, data.order[pairs.rows]) if kernel.name == "precomputed" else X
        if n_components is not None:
            return cls(data, *_components(X, basis, pairs, kernel, n_components))
        if kernel.name == "linear" and min(X.shape) > LARGEST_DIRECT:
            return cls(data, Expansion(kernel, None), IterativeRidge(X, pairs))
        if kernel.name == "linear" and X.shape[1] < X.shape[0]:
            return cls(data, Expansion(kernel, None), _over_features(X, pairs))
        _refuse_too_many(pairs.n_items)
        if isinstance(pairs, WeightedPairs):
            return cls(data, *_components(X, basis, pairs, kernel, pairs.n_items))
        matrix = np.require(kernel.block(X, basis), np.float64, ["C", "W", "O"])
        return cls(data, Expansion(kernel, basis), Dual(matrix, pairs))

    @property
    def pairs(self) -> Pairs:
        """The labelled items that can be compared."""
        return self.ridge_form.pairs

    def weights(self, ridge: float) -> Floats:
        """Return the flat weights of the solution."""
        return self.expansion.flatten(self.ridge_form.weights(ridge))

    def scores_at(self, rows: slice, coordinates: Floats) -> Floats:
        """Score some items by solutions in coordinates; one row a ridge."""
        weights = self.expansion.flatten(self.ridge_form.weights_at(coordinates))
        return self.expansion.score(self.data.X[rows], weights).T

    def contributions(self, row: int, ridge: float) -> Floats:
        """Split the score of an item into one part for each item of the pairs."""
        [columns] = self.expansion.columns(self.data.X[row : row + 1])
        return self.ridge_form.label_weights(ridge, columns) * self.pairs.y


def _components(
    X: Features, basis: Features, pairs: AnyPairs, kernel: Kernel, n_components: int
) -> tuple[Expansion, PairwiseRidge]:
    """Take Gram-Schmidt coordinates of the labelled items as features."""
    spanned = X[:, basis] if kernel.name == "precomputed" else X
    run = GramSchmidt(kernel.name, kernel.gamma, n_components, degree=kernel.degree)
    features = run.fit_transform(spanned)
    return Expansion(kernel, basis[run.pivots_], run.triangle_), _over_features(features, pairs)


def _over_features(features: Features, pairs: AnyPairs) -> PairwiseRidge:
    if isinstance(pairs, WeightedPairs):
        return WeightedRidge(features, pairs)
    return Primal(features, pairs)


def _refuse_too_many(n_items: int) -> None:
    if n_items > MOST_ITEMS:
        raise ValueError(
            f"A kernel matrix of {n_items} labelled items takes {8 * n_items**2 / 2**30:.0f} GiB. Give "
            "n_components, for example 1000, or use the linear kernel."
        )

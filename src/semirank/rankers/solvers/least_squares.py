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
from semirank.rankers.losses.squared import GivenSquared, ListSquared
from semirank.rankers.solvers.conjugate_gradients import IterativeRidge
from semirank.rankers.solvers.ridge import Dual, GivenRidge, Primal, RidgeForm

LARGEST_DIRECT = 5_000
MOST_ITEMS = 50_000
FEW_STEPS = 500  # of conjugate gradients: as a rule more than enough, and cheaper than a matrix

AnyLoss = ListSquared | GivenSquared


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
class LeastSquares:
    """Data, the columns that scores are sums over, and the least squares that weigh the columns."""

    data: RankingDataset
    expansion: Expansion
    form: RidgeForm

    @classmethod
    def of(cls, data: RankingDataset, loss: AnyLoss, kernel: Kernel, n_components: int | None = None) -> Self:
        """Choose columns and form by the shape of the data: what is smaller, features or labelled items."""
        X = data.X if np.array_equal(loss.rows, np.arange(data.n_items)) else data.X[loss.rows]
        basis = kernel.basis(data.X, data.order[loss.rows]) if kernel.name == "precomputed" else X
        if n_components is not None:
            return cls(data, *_components(X, basis, loss, kernel, n_components))
        if kernel.name == "linear" and min(X.shape) > LARGEST_DIRECT:
            return cls(data, Expansion(kernel, None), IterativeRidge(X, loss))
        if kernel.name == "linear" and X.shape[1] < X.shape[0]:
            return cls(data, Expansion(kernel, None), _over_features(X, loss))
        if loss.n_items > MOST_ITEMS:
            raise ValueError(
                f"A kernel matrix of {loss.n_items} labelled items takes {8 * loss.n_items**2 / 2**30:.0f} "
                "GiB. Give n_components, for example 1000, or use the linear kernel."
            )
        if isinstance(loss, GivenSquared):
            return cls(data, *_components(X, basis, loss, kernel, loss.n_items))

        def matrix() -> Floats:
            return np.require(kernel.block(X, basis), np.float64, ["C", "W", "O"])

        return cls(data, Expansion(kernel, basis), Dual(matrix, loss))

    @property
    def loss(self) -> AnyLoss:
        """What is minimised beside the size of the weights."""
        return self.form.loss  # type: ignore[return-value]

    def weights(self, ridge: float) -> Floats:
        """Return the flat weights of the solution.

        Of sparse features no matrix is made, which would not be sparse, unless the ridge is so small that
        conjugate gradients take long.
        """
        features = self._features()
        if issparse(features):
            weights = IterativeRidge(features, self.loss).try_weights(ridge, FEW_STEPS)
            if weights is not None:
                return weights
        return self.expansion.flatten(self.form.weights(ridge))

    def _features(self) -> Features | None:
        """Return the features of the labelled items where a matrix of them is to be made."""
        if isinstance(self.form, Dual) and self.expansion.kernel.name == "linear":
            return self.expansion.items
        return self.form.features if isinstance(self.form, (Primal, GivenRidge)) else None

    def scores_at(self, rows: slice, coordinates: Floats) -> Floats:
        """Score some items by solutions in coordinates; one row a ridge."""
        weights = self.expansion.flatten(self.form.weights_at(coordinates))
        return self.expansion.score(self.data.X[rows], weights).T

    def contributions(self, row: int, ridge: float) -> Floats:
        """Split the score of an item into one part for each item of the loss."""
        [columns] = self.expansion.columns(self.data.X[row : row + 1])
        return self.form.label_weights(ridge, columns) * self.loss.y


def _components(
    X: Features, basis: Features, loss: AnyLoss, kernel: Kernel, n_components: int
) -> tuple[Expansion, RidgeForm]:
    """Take Gram-Schmidt coordinates of the labelled items as features."""
    spanned = X[:, basis] if kernel.name == "precomputed" else X
    run = GramSchmidt(kernel.name, kernel.gamma, n_components, degree=kernel.degree)
    features = run.fit_transform(spanned)
    return Expansion(kernel, basis[run.pivots_], run.triangle_), _over_features(features, loss)


def _over_features(features: Features, loss: AnyLoss) -> RidgeForm:
    return GivenRidge(features, loss) if isinstance(loss, GivenSquared) else Primal(features, loss)

"""Ridge least squares over pairs without a matrix: of sparse features, or of many items with many."""

import warnings

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from semirank.core.arrays import Floats, Integers
from semirank.core.threads import one_blas_thread
from semirank.dataset import Features
from semirank.rankers.losses.squared import SquaredLoss
from semirank.rankers.solvers.ridge import HeldOut, RidgeForm

TOLERANCE = 1e-10
MOST_STEPS = 10_000


class IterativeRidge(RidgeForm):
    """One column for each feature; ``(X'LX + ridge I) w = X'Ly`` by conjugate gradients.

    A step multiplies by X and by its transpose. Leaving a list out is a new solution: all lists cost as
    many as there are lists.
    """

    def __init__(self, features: Features, loss: SquaredLoss) -> None:
        self.features, self.loss = features, loss

    def spread(self) -> float:
        """Return the trace of X'LX for one list."""
        return self.loss.spread(self.features)

    def weights(self, ridge: float) -> Floats:
        """Return the weight of each feature."""
        return self._solve(ridge, self.features.T @ self.loss.laplacian(self.loss.y))

    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return ``L X (X'LX + ridge I)^-1 x`` for the features x of an item."""
        return self.loss.laplacian(self.features @ self._solve(ridge, columns))

    def coordinates(self, ridges: Floats) -> Floats:
        """Return the weights for each ridge."""
        return np.array([self.weights(ridge) for ridge in ridges])

    def weights_at(self, coordinates: Floats) -> Floats:
        """Return the weights, one column a ridge."""
        return coordinates.T

    def without_lists(self, lists: Integers, ridges: Floats) -> HeldOut:
        """Solve again without the labels of some lists."""
        items = self.loss.items_of(lists)
        target = self.loss.laplacian(self.loss.y)
        target[items] = 0.0
        right_side = self.features.T @ target
        weights = np.array([self._solve(ridge, right_side, without=items) for ridge in ridges])
        return HeldOut(self.loss.y[items] - (self.features[items] @ weights.T).T, weights)

    def without_item(self, ridges: Floats) -> Floats:
        """Refuse: one solution for each item would take too long."""
        raise ValueError(
            "Items cannot be left out one by one where labelled items and features are so many: "
            f"{self.features.shape[0]} and {self.features.shape[1]}. Give n_components, for example 1000."
        )

    def try_weights(self, ridge: float, most_steps: int) -> Floats | None:
        """Return the weight of each feature, or None if so many steps do not find them."""
        right_side = self.features.T @ self.loss.laplacian(self.loss.y)
        weights, unsettled = self._iterate(ridge, right_side, slice(0), most_steps)
        return None if unsettled else weights

    def _solve(self, ridge: float, right_side: Floats, without: Integers | slice = slice(0)) -> Floats:
        weights, unsettled = self._iterate(ridge, right_side, without, MOST_STEPS)
        if unsettled:
            warnings.warn(
                f"Conjugate gradients did not settle in {MOST_STEPS} steps; a ridge above {ridge:g} helps.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return weights

    def _iterate(
        self, ridge: float, right_side: Floats, without: Integers | slice, most_steps: int
    ) -> tuple[Floats, int]:
        def apply(weights: Floats) -> Floats:
            scores = self.loss.laplacian(self.features @ weights)
            scores[without] = 0.0
            return self.features.T @ scores + ridge * weights

        n_columns = self.features.shape[1]
        operator = LinearOperator((n_columns, n_columns), matvec=apply, dtype=np.float64)
        with one_blas_thread():  # threads of BLAS would wait for each other at every product of vectors
            weights, unsettled = cg(operator, right_side, rtol=TOLERANCE, maxiter=most_steps)
        return weights, unsettled

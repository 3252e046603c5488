"""Labels for items that have none, such that left-out lists are ranked as their labels say."""

import warnings
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.sparse.linalg import LinearOperator, cg
from sklearn.exceptions import ConvergenceWarning

from semirank.core.arrays import Floats, Integers
from semirank.rankers.losses.squared import ListSquared
from semirank.rankers.solvers.least_squares import LeastSquares
from semirank.rankers.solvers.ridge import ListRidge

LARGEST_DIRECT = 2_000
TOLERANCE = 1e-12
MOST_STEPS = 10_000


class Completion:
    """The problem of finding the labels of unlabelled items.

    With N the map of `ListHoldOut`, y the known labels and z those to be found, minimise ::

        |N (y, z)|^2 + pull |z - reference|^2.

    Parameters
    ----------
    taught : LeastSquares
        The problem of the known labels, whose solution is the reference.
    ridge : float
    folds : int64 array of shape (n_lists,), optional
        The fold of each list of the data. None: the labelled and the unlabelled items of each list are two.
    tied_lists : bool
        Whether lists whose known labels are equal count.
    """

    def __init__(
        self, taught: LeastSquares, ridge: float, folds: Integers | None = None, tied_lists: bool = False
    ) -> None:
        data = taught.data
        scores = taught.expansion.score(data.X, taught.weights(ridge))
        self.start = np.where(data.labelled, data.y, scores)
        loss = ListSquared.of_parts(self.start, ~data.labelled, data.indptr, tied_lists)
        self.unknown = np.flatnonzero(~data.labelled[loss.rows])
        self.loss, self.ridge = loss, ridge
        if self.n_unknown:
            self.problem = LeastSquares.of(data, loss, taught.expansion.kernel)
            parts = np.arange(loss.n_lists) if folds is None else folds[data.list_of_item[loss.first_rows]]
            self.hold_out = ListHoldOut(_require_direct(self.problem), ridge, parts)

    @property
    def n_unknown(self) -> int:
        """Number of unlabelled items that have an unlabelled partner in their list."""
        return len(self.unknown)

    def mean_weight(self) -> float:
        """Return the mean of 2 / n over the unlabelled items, n items being in their list: trace(R R) / n."""
        sizes = np.diff(self.loss.indptr)
        return float(np.repeat(2.0 / sizes, sizes)[self.unknown].mean()) if self.n_unknown else 1.0

    def impute(self, pull: float) -> Floats:
        """Return the labels of all items, known and found."""
        if self.n_unknown <= LARGEST_DIRECT:
            return self.impute_path(np.array([pull]))[0]
        labels = self.start.copy()
        labels[self.loss.rows[self.unknown]] += self._change(pull)
        return labels

    def _change(self, pull: float) -> Floats:
        def apply(change: Floats) -> Floats:
            whole = np.zeros(self.loss.n_items)
            whole[self.unknown] = change
            return self._slope(whole) + pull * change

        operator = LinearOperator((self.n_unknown, self.n_unknown), matvec=apply, dtype=np.float64)
        slope = self._slope(self.start[self.loss.rows])
        change, unsettled = cg(operator, -slope, rtol=TOLERANCE, maxiter=MOST_STEPS)
        if unsettled:
            warnings.warn(
                f"Conjugate gradients did not settle in {MOST_STEPS} steps; a pull above {pull:g} helps.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return change

    def _slope(self, labels: Floats) -> Floats:
        return self.hold_out.transposed(self.hold_out.residuals(labels))[self.unknown]

    def impute_path(self, pulls: Floats) -> Floats:
        """Return the labels of all items for many pulls, one row a pull."""
        labels = np.tile(self.start, (len(pulls), 1))
        if self.n_unknown:
            columns = np.zeros((self.loss.n_items, self.n_unknown))
            columns[self.unknown, np.arange(self.n_unknown)] = 1.0
            influence = self.hold_out.residuals(columns)
            values, vectors = eigh(influence.T @ influence, check_finite=False)
            slope = vectors.T @ self._slope(self.start[self.loss.rows])
            change = (slope / (np.maximum(values, 0.0) + pulls[:, None])) @ vectors.T
            labels[:, self.loss.rows[self.unknown]] -= change
        return labels

    def weights(self, labels: Floats) -> Floats:
        """Return the flat weights of RankRLS fitted to all labels."""
        coordinates = self.hold_out.coordinates(labels[self.loss.rows])
        weights = self.problem.form.weights_at(coordinates[None, :])
        return self.problem.expansion.flatten(weights)[:, 0]


class ListHoldOut:
    """The linear map N from the labels of all items to the residuals of lists that are left out.

    ``N y = R (y - f)``, where f is fitted, for each list, without the lists of its fold. With
    ``G = (R K R + ridge I)^-1`` and B the diagonal blocks of G, one for each fold, ``N = B^-1 G R``.
    """

    def __init__(self, form: ListRidge, ridge: float, folds: Integers) -> None:
        self.loss = form.loss
        self.folds = [np.flatnonzero(folds == each) for each in np.unique(folds)]
        self.rows = form.rows()
        self.shrink = 1.0 / (form.spectrum + ridge)
        self.keeps_target = form.keeps_target
        self._blocks = [self._block(lists) for lists in self.folds]

    def coordinates(self, labels: Floats) -> Floats:
        """Return the solution for all labels, nothing left out, in the eigenbasis of the form."""
        return self.shrink * (self.rows.T @ self.loss.centre(labels))

    def residuals(self, labels: Floats) -> Floats:
        """Return N times labels."""
        return self._divide(self._smooth(self.loss.centre(labels)))

    def transposed(self, residuals: Floats) -> Floats:
        """Return N' times residuals."""
        return self.loss.centre_transposed(self._smooth(self._divide(residuals)))

    def _smooth(self, values: Floats) -> Floats:
        """Multiply by G, or in the primal by a multiple of it."""
        spread = self.rows @ ((self.rows.T @ values).T * self.shrink).T
        return values - spread if self.keeps_target else spread

    def _block(self, lists: Integers) -> Any:
        """Factor the block of a fold, or where that is larger the matrix of all features without the fold."""
        rows = self.rows[self.loss.items_of(lists)]
        if self._is_long(rows):
            return _factor(np.diag(1.0 / self.shrink) - rows.T @ rows)
        block = (rows * self.shrink) @ rows.T
        if self.keeps_target:
            return _factor(np.eye(len(rows)) - block)
        return _factor(block + np.trace(block) * self.loss.onto_roots(lists))

    def _divide(self, values: Floats) -> Floats:
        """Multiply by the inverse of the blocks."""
        result = np.empty_like(values)
        for lists, factor in zip(self.folds, self._blocks, strict=True):
            items = self.loss.items_of(lists)
            rows, part = self.rows[items], values[items]
            if self._is_long(rows):
                result[items] = part + rows @ cho_solve(factor, rows.T @ part, check_finite=False)
            else:
                result[items] = cho_solve(factor, part, check_finite=False)
        return result

    def _is_long(self, rows: Floats) -> bool:
        return self.keeps_target and len(rows) > len(self.shrink)


def _factor(matrix: Floats) -> Any:
    try:
        return cho_factor(matrix, check_finite=False)
    except LinAlgError:
        raise ValueError("The ridge is too small to leave a list out: rounding errors decide.") from None


def _require_direct(problem: LeastSquares) -> ListRidge:
    if not isinstance(problem.form, ListRidge):
        raise ValueError(
            f"TransductiveRankRLS cannot take {problem.data.n_items} items with {problem.data.n_features} "
            "features: one of the two must be at most 5000. Reduce the features first, for example with LSA."
        )
    return problem.form

"""Ridge least squares over the pairs of labelled items, in closed form.

A score is a weighted sum over the *columns* of an item: its features (primal), or its kernel with each
labelled item (dual). With L the Laplacian of a `SquaredLoss`, every form solves

    ``min_f (y - f)' L (y - f) + ridge |f|^2``

by one Cholesky factor for a ridge, or by one eigenbasis for many and for lists that are left out.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import cho_factor, cho_solve, eigh

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import Features
from semirank.rankers.losses.squared import GivenSquared, ListSquared, SquaredLoss

BLOCK_CELLS = 2**24
INDEFINITE = 1e-8


class HeldOut(NamedTuple):
    """What is known of lists without their labels, one row a ridge.

    Attributes
    ----------
    residuals : (n_ridges, n_items of the lists)
        y - f, up to a constant for each list, with f fitted without the lists.
    coordinates : (n_ridges, n_coordinates)
        That f, as `RidgeForm.weights_at` understands it.
    """

    residuals: Floats
    coordinates: Floats


class RidgeForm(ABC):
    """A least-squares problem: one solution a ridge, and what it would be without some of the labels."""

    loss: SquaredLoss

    @abstractmethod
    def spread(self) -> float:
        """Return the mean squared distance of two labelled items of a list in the space of the columns."""

    @abstractmethod
    def weights(self, ridge: float) -> Floats:
        """Return the weight of each column."""

    @abstractmethod
    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return the factors c with ``score = c' y`` for an item, given its columns."""

    @abstractmethod
    def coordinates(self, ridges: Floats) -> Floats:
        """Return the solution for each ridge, as `weights_at` understands it."""

    @abstractmethod
    def weights_at(self, coordinates: Floats) -> Floats:
        """Turn coordinates, one row a ridge, into weights, one column a ridge."""

    @abstractmethod
    def without_lists(self, lists: Integers, ridges: Floats) -> HeldOut:
        """Leave the labels of some lists out, all at once."""

    @abstractmethod
    def without_item(self, ridges: Floats) -> Floats:
        """Leave each item of the only list out once: a weight of 3 becomes 2, and one below 1 becomes 0.

        Returns ``y_i - f(x_i) - b`` with f and the offset b fitted to the other items: (n_ridges, n_items).
        """


class EigenRidge(RidgeForm):
    """A form with a symmetric matrix, in whose eigenbasis every ridge is a division."""

    _factor: tuple[float, Any] | None = None

    @abstractmethod
    def _equations(self) -> tuple[Floats, Floats]:
        """Return the matrix and the right side."""

    @cached_property
    def equations(self) -> tuple[Floats, Floats]:
        """The matrix and the right side."""
        return self._equations()

    def spread(self) -> float:
        """Return the trace of the matrix for one list."""
        return float(np.trace(self.equations[0])) / self.loss.n_lists

    def _solve(self, ridge: float, right_side: Floats) -> Floats:
        if self._factor is None or self._factor[0] != ridge:
            self._factor = ridge, _cholesky(self.equations[0], ridge)
        return cho_solve(self._factor[1], right_side, check_finite=False)

    @property
    def spectrum(self) -> Floats:
        """Eigenvalues of the matrix."""
        return self._eigen[0]

    @property
    def vectors(self) -> Floats:
        """Eigenvectors of the matrix, one a column."""
        return self._eigen[1]

    @cached_property
    def _eigen(self) -> tuple[Floats, Floats]:
        values, vectors = eigh(self.equations[0], driver="evd", check_finite=False)
        if values[0] < -INDEFINITE * values[-1]:
            raise ValueError(
                f"The kernel is not positive semidefinite: centred, its eigenvalues go from {values[0]:g} "
                f"to {values[-1]:g}. Use a Mercer kernel."
            )
        return np.maximum(values, 0.0), vectors

    @cached_property
    def projection(self) -> Floats:
        """The right side in the eigenbasis."""
        return self.vectors.T @ self.equations[1]

    def coordinates(self, ridges: Floats) -> Floats:
        """Return the solution for each ridge in the eigenbasis."""
        return self.projection / (self.spectrum + ridges[:, None])


class ListRidge(EigenRidge):
    """A form of all pairs of a list.

    With B the labelled items in the eigenbasis (`rows`) and D = 1 / (spectrum + ridge), the residuals
    ``t - R f`` are a multiple of ``B D B' t`` (dual) or equal to ``t - B D B' t`` (primal).
    """

    loss: ListSquared
    keeps_target: ClassVar[bool]

    def without_lists(self, lists: Integers, ridges: Floats) -> HeldOut:
        """Leave the labels of some lists out; the eigenbasis stays that of all."""
        items = self.loss.items_of(lists)
        rows = np.vstack([self._rows(k) for k in lists])
        residuals = np.empty((len(ridges), len(rows)))
        step = max(1, BLOCK_CELLS // rows.size)
        for start in range(0, len(ridges), step):
            some = slice(start, start + step)
            residuals[some] = self._residuals(lists, rows, ridges[some])
        left = self.projection - residuals @ rows
        return HeldOut(residuals / self.loss.factors[items], left / (self.spectrum + ridges[:, None]))

    def without_item(self, ridges: Floats) -> Floats:
        """Leave each item of the only list out."""
        total = self.loss.totals[0]
        taken = np.minimum(self.loss.weights, 1.0)
        # without the item the factor 2 / (s - 1) of the list is larger: the same as a smaller ridge
        kept = np.maximum(total - taken - 1.0, 0.0) / (total - 1.0)
        found = np.tile(self.loss.y / (1.0 - taken / total), (len(ridges), 1))  # one label teaches nothing
        taught = kept > 0.0
        if taught.any():
            share = kept[:1] if (kept == kept[0]).all() else kept[taught]
            residuals = self._item_residuals(share[:, None], taught)
            found[:, taught] = [residuals(ridge) for ridge in ridges]
        return found

    @abstractmethod
    def rows(self) -> Floats:
        """Return all labelled items in the eigenbasis."""

    @abstractmethod
    def _rows(self, k: int) -> Floats:
        """Return the items of list k in the eigenbasis."""

    @abstractmethod
    def _residuals(self, lists: Integers, rows: Floats, ridges: Floats) -> Floats:
        """Return the residuals R (y - f) of lists left out, from their rows."""

    @abstractmethod
    def _item_residuals(self, kept: Floats, taught: Booleans) -> Callable[[float], Floats]:
        """Return the residuals of each item left out as a function of the ridge, of which `kept` remains."""


class Dual(ListRidge):
    """One column for each labelled item, its kernel: ``weights = R' (R K R' + ridge I)^-1 t``.

    Left out, one or more lists U have the residuals ``(G_UU)^-1 (G t)_U`` with ``G = (R K R' + ridge I)^-1``:
    symmetric, and accurate for small ridges, which the inverse of ``L K + ridge I`` (L = R'R) is not.
    """

    keeps_target = False

    def __init__(self, kernel: Callable[[], Floats], loss: ListSquared) -> None:
        """Take a function that makes the kernel matrix of the items of the loss, which is overwritten."""
        self.kernel, self.loss = kernel, loss

    def _equations(self) -> tuple[Floats, Floats]:
        return self.loss.centre_kernel(self.kernel()), self.loss.target

    def weights(self, ridge: float) -> Floats:
        """Return the weight of each labelled item."""
        return self.loss.centre_transposed(self._solve(ridge, self.equations[1]))

    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return ``R' (R K R' + ridge I)^-1 R k`` for the kernel k of an item with the labelled ones."""
        return self.loss.centre_transposed(self._solve(ridge, self.loss.centre(columns)))

    def weights_at(self, coordinates: Floats) -> Floats:
        """Turn coordinates into weights of labelled items."""
        return self.loss.centre_transposed(self.vectors @ coordinates.T)

    def rows(self) -> Floats:
        """Return the eigenvectors, centred within lists."""
        return self.loss.project(self.vectors)

    def _rows(self, k: int) -> Floats:
        return self.loss.project(self.vectors[self.loss.items(k)], slice(k, k + 1))

    def _residuals(self, lists: Integers, rows: Floats, ridges: Floats) -> Floats:
        shrunk = rows / (self.spectrum + ridges[:, None])[:, None, :]
        blocks = shrunk @ rows.T
        # residuals are orthogonal to the roots, so G_UU may do anything to these, if only it is not singular
        traces = np.trace(blocks, axis1=1, axis2=2)[:, None, None]
        blocks += traces * self.loss.onto_roots(lists)
        return _solve_each(blocks, shrunk @ self.projection)

    def _item_residuals(self, kept: Floats, taught: Booleans) -> Callable[[float], Floats]:
        """Return ``A_i / (R' G R)_ii``, with A the weights, of items that are taken out as a whole.

        Of the part a of the weight u, with c the squared factor of R and r the ridge that remains,
        ``(r A_i / c) / (1 - a / u + (a / u) r (R' G R)_ii / c)``.
        """
        rows = (self.loss.factors[:, None] * self.loss.project(self.vectors))[taught]
        squares = self.loss.factors[taught] ** 2
        u = self.loss.weights[taught]
        part = np.minimum(u, 1.0) / u

        def residuals(ridge: float) -> Floats:
            shrunk = rows / (self.spectrum + ridge * kept)
            remaining = ridge * kept[:, 0] / squares
            own = np.einsum("ij,ij->i", shrunk, rows)
            return (shrunk @ self.projection) / ((1.0 - part) / remaining + part * own)

        return residuals


class Primal(ListRidge):
    """One column for each feature: ``weights = (Z'Z + ridge I)^-1 Z't`` with Z = R X.

    Left out, lists U with rows Z_U have the residuals ``(I - H)^-1 (t_U - Z_U w)`` with
    ``H = Z_U (Z'Z + ridge I)^-1 Z_U'``; more items than there are features are taken out of Z'Z instead.
    """

    keeps_target = True

    def __init__(self, features: Features, loss: ListSquared) -> None:
        self.features, self.loss = features, loss

    def _equations(self) -> tuple[Floats, Floats]:
        return self.loss.normal_equations(self.features)

    def weights(self, ridge: float) -> Floats:
        """Return the weight of each feature."""
        return self._solve(ridge, self.equations[1])

    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return ``L X (X'LX + ridge I)^-1 x`` for the features x of an item."""
        return self.loss.laplacian(self.features @ self._solve(ridge, columns))

    def weights_at(self, coordinates: Floats) -> Floats:
        """Turn coordinates into weights of features."""
        return self.vectors @ coordinates.T

    def rows(self) -> Floats:
        """Return Z in the eigenbasis."""
        return self.loss.centre(self.features @ self.vectors)

    def _rows(self, k: int) -> Floats:
        return self.loss.centre(self.features[self.loss.items(k)] @ self.vectors, slice(k, k + 1))

    def _residuals(self, lists: Integers, rows: Floats, ridges: Floats) -> Floats:
        target = self.loss.target[self.loss.items_of(lists)]
        if len(rows) >= rows.shape[1]:
            values, vectors = eigh(np.diag(self.spectrum) - rows.T @ rows, check_finite=False)
            left = vectors.T @ (self.projection - rows.T @ target)
            return target - (left / (np.maximum(values, 0.0) + ridges[:, None])) @ (rows @ vectors).T
        shrunk = rows / (self.spectrum + ridges[:, None])[:, None, :]
        return _solve_each(np.eye(len(rows)) - shrunk @ rows.T, target - shrunk @ self.projection)

    def _item_residuals(self, kept: Floats, taught: Booleans) -> Callable[[float], Floats]:
        """Return the residuals divided by what the part that is taken out does not explain of itself."""
        rows, target = self.rows()[taught], self.loss.target[taught]
        u = self.loss.weights[taught]
        part = np.minimum(u, 1.0) / u
        mean = u / self.loss.totals[0]

        def residuals(ridge: float) -> Floats:
            shrunk = rows / (self.spectrum + ridge * kept)
            own = mean + np.einsum("ij,ij->i", shrunk, rows)
            return (target - shrunk @ self.projection) / (self.loss.factors[taught] * (1.0 - part * own))

        return residuals


class GivenRidge(EigenRidge):
    """Pairs that are given, one column for each feature: ``weights = (X'LX + ridge I)^-1 X'Ly``.

    Lists that are left out are taken out of X'LX, in the eigenbasis of all: one more eigendecomposition, of a
    matrix as large as there are features, serves all ridges.
    """

    loss: GivenSquared

    def __init__(self, features: Features, loss: GivenSquared) -> None:
        self.features, self.loss = features, loss

    def _equations(self) -> tuple[Floats, Floats]:
        return self.loss.normal_equations(self.features)

    weights = Primal.weights
    label_weights = Primal.label_weights
    weights_at = Primal.weights_at

    def without_lists(self, lists: Integers, ridges: Floats) -> HeldOut:
        """Leave the labels of some lists out."""
        items, laplacian = self.loss.items_of(lists), self.loss.part(lists)
        rows, y = self.features[items] @ self.vectors, self.loss.y[items]
        values, vectors = eigh(np.diag(self.spectrum) - rows.T @ (laplacian @ rows), check_finite=False)
        left = vectors.T @ (self.projection - rows.T @ (laplacian @ y))
        coordinates = (left / (np.maximum(values, 0.0) + ridges[:, None])) @ vectors.T
        return HeldOut(y - coordinates @ rows.T, coordinates)

    def without_item(self, ridges: Floats) -> Floats:
        """Refuse: an item takes its pairs with it, and the others are not all pairs of a list."""
        raise ValueError(
            "Where pairs are given, items cannot be left out: give several lists, or choose the ridge by "
            "hand."
        )


def _cholesky(matrix: Floats, ridge: float) -> Any:
    shifted = matrix.copy(order="F")
    shifted.reshape(-1, order="F")[:: len(matrix) + 1] += ridge
    try:
        return cho_factor(shifted, lower=True, overwrite_a=True, check_finite=False)
    except LinAlgError:
        raise ValueError(
            f"The kernel is not positive semidefinite, or ridge {ridge:g} is too small for its rounding "
            f"errors (the largest entry, centred, is {np.abs(matrix).max():g})."
        ) from None


def _solve_each(matrices: Floats, right_sides: Floats) -> Floats:
    """Solve one small system a ridge."""
    try:
        return np.asarray(np.linalg.solve(matrices, right_sides[:, :, None])[:, :, 0], dtype=np.float64)
    except LinAlgError:
        raise ValueError("A ridge is too small to leave a list out: rounding errors decide.") from None

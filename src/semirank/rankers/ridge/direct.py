"""Pairwise ridge where all pairs of a list weigh the same: over items, or over features."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np
from numpy.linalg import LinAlgError
from scipy.linalg import eigh

from semirank.core.arrays import Floats
from semirank.core.lists import centre_lists, centre_within_rows
from semirank.dataset import Features
from semirank.rankers.ridge.eigen import EigenRidge
from semirank.rankers.ridge.labelled_pairs import LabelledPairs
from semirank.rankers.ridge.pairwise import HeldOut

BLOCK_CELLS = 2**24


class DirectRidge(EigenRidge):
    """A form of plain pairs.

    With B the labelled items in the eigenbasis (`rows`) and D = 1 / (spectrum + ridge), the residuals
    ``t - R f`` are a multiple of ``B D B' t`` (dual) or equal to ``t - B D B' t`` (primal).
    """

    pairs: LabelledPairs
    keeps_target: ClassVar[bool]

    def without_list(self, k: int, ridges: Floats) -> HeldOut:
        """Leave the labels of list k out; the eigenbasis stays that of all."""
        rows, target = self._rows(k), self.pairs.target[self.pairs.items(k)]
        residuals = np.empty((len(ridges), len(rows)))
        step = max(1, BLOCK_CELLS // rows.size)
        for start in range(0, len(ridges), step):
            some = slice(start, start + step)
            residuals[some] = self._residuals(rows, target, ridges[some])
        left = self.projection - residuals @ rows
        return HeldOut(residuals / self.pairs.scales[k], left / (self.spectrum + ridges[:, None]))

    def without_item(self, ridges: Floats) -> Floats:
        """Leave each item of the only list out."""
        n_items = self.pairs.n_items
        if n_items == 2:  # one label teaches nothing: f is 0, and the offset is that label
            return np.tile(2.0 * self.pairs.y, (len(ridges), 1))
        # without one item the factor 2 / (n - 1) of the list is 2 / (n - 2): the same as a smaller ridge
        return self._item_residuals(ridges * (n_items - 2) / (n_items - 1))

    @abstractmethod
    def rows(self) -> Floats:
        """Return all labelled items in the eigenbasis."""

    @abstractmethod
    def _rows(self, k: int) -> Floats:
        """Return the items of list k in the eigenbasis."""

    @abstractmethod
    def _residuals(self, rows: Floats, target: Floats, ridges: Floats) -> Floats:
        """Return the residuals of a list left out, from its rows and its part of t."""

    @abstractmethod
    def _item_residuals(self, ridges: Floats) -> Floats:
        """Return the residuals of each item left out, where the other pairs keep their weights."""


class Dual(DirectRidge):
    """One column for each labelled item, its kernel: ``weights = R (R K R + ridge I)^-1 t``.

    Left out, a list U has the residuals ``(G_UU)^-1 (G t)_U`` with ``G = (R K R + ridge I)^-1``: symmetric,
    and accurate for small ridges, which the inverse of ``L K + ridge I`` (L = R R) is not.
    """

    keeps_target = False

    def __init__(self, kernel: Floats, pairs: LabelledPairs) -> None:
        """Take the kernel matrix of the items of `pairs`, which is overwritten."""
        centre_lists(kernel, pairs.indptr, pairs.scales, kernel)
        centre_within_rows(kernel, pairs.indptr, pairs.scales)
        super().__init__(pairs, kernel, pairs.target)

    def weights(self, ridge: float) -> Floats:
        """Return the weight of each labelled item."""
        return self.pairs.centre(self._solve(ridge, self.right_side))

    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return ``R (R K R + ridge I)^-1 R k`` for the kernel k of an item with the labelled ones."""
        return self.pairs.centre(self._solve(ridge, self.pairs.centre(columns)))

    def weights_at(self, coordinates: Floats) -> Floats:
        """Turn coordinates into weights of labelled items."""
        return self.pairs.centre(self.vectors @ coordinates.T)

    def rows(self) -> Floats:
        """Return the eigenvectors, centred within lists."""
        return (
            self.pairs.centre(self.vectors)
            / np.repeat(self.pairs.scales, np.diff(self.pairs.indptr))[:, None]
        )

    def _rows(self, k: int) -> Floats:
        rows = self.vectors[self.pairs.items(k)]
        return rows - rows.mean(axis=0)

    def _residuals(self, rows: Floats, target: Floats, ridges: Floats) -> Floats:
        shrunk = rows / (self.spectrum + ridges[:, None])[:, None, :]
        blocks = shrunk @ rows.T
        # residuals sum to 0, so G_UU may do anything to a constant, if only it is no singular matrix
        blocks += np.trace(blocks, axis1=1, axis2=2)[:, None, None] / len(rows)
        return _solve_each(blocks, shrunk @ self.projection)

    def _item_residuals(self, ridges: Floats) -> Floats:
        """Return ``A_i / (R G R)_ii``, with A the weights."""
        rows = self.pairs.centre(self.vectors)
        shrink = 1.0 / (self.spectrum + ridges[:, None])
        return ((shrink * self.projection) @ rows.T) / (shrink @ (rows**2).T)


class Primal(DirectRidge):
    """One column for each feature: ``weights = (Z'Z + ridge I)^-1 Z't`` with Z = R X.

    Left out, a list U with rows Z_U has the residuals ``(I - H)^-1 (t_U - Z_U w)`` with
    ``H = Z_U (Z'Z + ridge I)^-1 Z_U'``; a list longer than there are features is taken out of Z'Z instead.
    """

    keeps_target = True

    def __init__(self, features: Features, pairs: LabelledPairs) -> None:
        self.features = features
        super().__init__(pairs, *pairs.normal_equations(features))

    def weights(self, ridge: float) -> Floats:
        """Return the weight of each feature."""
        return self._solve(ridge, self.right_side)

    def label_weights(self, ridge: float, columns: Floats) -> Floats:
        """Return ``L X (X'LX + ridge I)^-1 x`` for the features x of an item."""
        return self.pairs.laplacian(self.features @ self._solve(ridge, columns))

    def weights_at(self, coordinates: Floats) -> Floats:
        """Turn coordinates into weights of features."""
        return self.vectors @ coordinates.T

    def rows(self) -> Floats:
        """Return Z in the eigenbasis."""
        return self.pairs.centre(self.features @ self.vectors)

    def _rows(self, k: int) -> Floats:
        return self.pairs.centre(self.features[self.pairs.items(k)] @ self.vectors, slice(k, k + 1))

    def _residuals(self, rows: Floats, target: Floats, ridges: Floats) -> Floats:
        if len(rows) >= rows.shape[1]:
            values, vectors = eigh(np.diag(self.spectrum) - rows.T @ rows, check_finite=False)
            left = vectors.T @ (self.projection - rows.T @ target)
            return target - (left / (np.maximum(values, 0.0) + ridges[:, None])) @ (rows @ vectors).T
        shrunk = rows / (self.spectrum + ridges[:, None])[:, None, :]
        return _solve_each(np.eye(len(rows)) - shrunk @ rows.T, target - shrunk @ self.projection)

    def _item_residuals(self, ridges: Floats) -> Floats:
        """Return the residuals divided by what the item does not explain of itself."""
        rows = self.rows()
        shrink = 1.0 / (self.spectrum + ridges[:, None])
        residuals = self.pairs.target - (shrink * self.projection) @ rows.T
        own = 1.0 - 1.0 / len(rows) - shrink @ (rows**2).T
        return residuals / (self.pairs.scales[0] * own)


def _solve_each(matrices: Floats, right_sides: Floats) -> Floats:
    """Solve one small system a ridge."""
    try:
        return np.asarray(np.linalg.solve(matrices, right_sides[:, :, None])[:, :, 0], dtype=np.float64)
    except LinAlgError:
        raise ValueError("A ridge is too small to leave a list out: rounding errors decide.") from None

"""Pairwise ridge where pairs have weights of their own: over features, or coordinates in their place."""

import numpy as np
from scipy.linalg import eigh

from semirank.core.arrays import Floats
from semirank.dataset import Features
from semirank.rankers.ridge.eigen import EigenRidge
from semirank.rankers.ridge.pairwise import HeldOut
from semirank.rankers.ridge.weighted_pairs import WeightedPairs


class WeightedRidge(EigenRidge):
    """One column for each feature: ``weights = (X'LX + ridge I)^-1 X'Ly`` with a sparse Laplacian L.

    A list that is left out is taken out of X'LX, in the eigenbasis of all: one more eigendecomposition, of a
    matrix as large as there are features, serves all ridges.
    """

    pairs: WeightedPairs

    def __init__(self, features: Features, pairs: WeightedPairs) -> None:
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

    def without_list(self, k: int, ridges: Floats) -> HeldOut:
        """Leave the labels of list k out."""
        items = self.pairs.items(k)
        rows, y = self.features[items] @ self.vectors, self.pairs.y[items]
        edges, sums = self.pairs.part(k)
        taught = rows.T @ (edges @ rows) - (sums @ rows).T @ (sums @ rows)
        values, vectors = eigh(np.diag(self.spectrum) - taught, check_finite=False)
        left = vectors.T @ (self.projection - rows.T @ (edges @ y - sums.T @ (sums @ y)))
        coordinates = (left / (np.maximum(values, 0.0) + ridges[:, None])) @ vectors.T
        return HeldOut(y - coordinates @ rows.T, coordinates)

    def without_item(self, ridges: Floats) -> Floats:
        """Leave each item out once: a weight of 3 becomes 2, and one below 1 becomes 0.

        A weighted regression with an offset, in which an item of weight 1 explains the share g of itself, has
        the residual ``e / (1 - a g)`` without the part a of the weight of an item.
        """
        pairs, counts, total = self.pairs, self.pairs.item_weights, self.pairs.item_weights.sum()
        if pairs.one_by_one:
            raise ValueError(
                "Where pairs are given, items cannot be left out: give several lists, or choose the ridge by "
                "hand."
            )
        taken = np.minimum(counts, 1.0)
        # without the item the factor 2 / (s - 1) of the list is larger: the same as a smaller ridge
        kept = np.maximum(total - taken - 1.0, 0.0) / (total - 1.0)
        rows = self.features @ self.vectors
        rows -= np.average(rows, axis=0, weights=counts)
        residuals = np.empty((len(ridges), len(rows)))
        for each, ridge in zip(residuals, ridges, strict=True):
            shrunk = np.where(kept > 0.0, 1.0, 0.0)[:, None] * rows / (self.spectrum + ridge * kept[:, None])
            own = 1.0 / total + 2.0 / (total - 1.0) * np.einsum("ij,ij->i", shrunk, rows)
            each[:] = (pairs.y - shrunk @ self.projection) / (1.0 - taken * own)
        return residuals

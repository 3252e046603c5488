"""The likelihood of test rows as a function of mixture weights, for a basis of one width."""

from math import inf
from typing import NamedTuple

import numpy as np

from semirank.core.arrays import Booleans, Floats
from semirank.density_ratio.gaussian_basis import Distances
from semirank.density_ratio.mixture_weights import MixtureWeights, most_likely

LEAST_SUM = 1e-3
WARM = 0.9


class Likelihood(NamedTuple):
    """The mean log-weight of the test rows, before it is maximised.

    Attributes
    ----------
    kept : which centres are not left out
    means : the mean of each of their functions over the training rows
    densities : each function divided by its mean, at the test rows, each row divided by its largest entry
    log_scales : the logarithms of these entries
    """

    width: float
    kept: Booleans
    means: Floats
    densities: Floats
    log_scales: Floats

    @classmethod
    def of(cls, distances: Distances, sums: Floats, total: float, width: float) -> "Likelihood":
        """Leave out centres whose function hardly meets the training rows, and scale what is left."""
        kept = sums >= LEAST_SUM
        means = sums[kept] / total
        logs = distances.log_values(width)[:, kept] - np.log(means)
        log_scales = logs.max(axis=1, initial=-inf if kept.any() else 0.0)
        return cls(width, kept, means, np.exp(logs - log_scales[:, None]), log_scales)

    def solve(self, tol: float, max_iter: int) -> MixtureWeights:
        """Find the weights under which the test rows are most likely."""
        if len(self.means) == 0:
            return MixtureWeights(np.empty(0), 0.0, np.zeros(1))
        start = np.full(len(self.means), 1.0 / len(self.means))
        weights, certificate, likelihoods = most_likely(self.densities, start, tol, max_iter)
        return MixtureWeights(weights, certificate, likelihoods + self.log_scales.mean())

    def held_out(self, rows: Booleans, whole: MixtureWeights, tol: float, max_iter: int) -> Floats:
        """Return the log-weights of some rows under the solution of the others, found near that of all."""
        if len(self.means) == 0:
            return np.full(int(rows.sum()), -inf)
        start = WARM * whole.weights + (1.0 - WARM) / len(self.means)
        found = most_likely(self.densities[~rows], start, tol, max_iter)
        mixture = self.densities[rows] @ found.weights
        return np.log(np.maximum(mixture, np.finfo(np.float64).tiny)) + self.log_scales[rows]

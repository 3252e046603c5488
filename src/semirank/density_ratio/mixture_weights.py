"""Mixture weights of greatest likelihood: EM to come near, Newton's method to arrive."""

from typing import NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

from semirank.core.arrays import Floats

EM_STEPS = 10
HALVINGS = 10
RIDGE = 1e-9


class MixtureWeights(NamedTuple):
    """What `most_likely` has found.

    Attributes
    ----------
    weights : float64 array of shape (n_components,)
        How much of each component; not negative, with sum 1.
    certificate : float
        The greatest likelihood there is exceeds the last of `likelihoods` by no more than this.
    likelihoods : float64 array
        The mean log-density of the rows at the start and after each step; it never falls.
    """

    weights: Floats
    certificate: float
    likelihoods: Floats


def most_likely(densities: Floats, start: Floats, tol: float, max_iter: int) -> MixtureWeights:
    r"""Maximise ``mean(log(densities @ weights))`` over all weights that are not negative and sum to 1.

    With ``g = mean_u densities[u] / (densities @ weights)[u]``, the gradient, the likelihood is concave and
    so no more than ``max(g) - 1`` below its maximum: that is the certificate, and the rule to stop by.

    The first steps are those of EM, ``weights * g``, which have no step size, keep both constraints and never
    lower the likelihood. Then the quadratic that touches the likelihood at the present weights is maximised
    over all weights that are not negative, a problem of non-negative least squares in as many variables as
    there are components [1]_; the step is halved until the likelihood rises, and is one of EM where it does
    not.

    Parameters
    ----------
    densities : float64 array of shape (n_rows, n_components)
        The density of each component at each row; no row is all 0. A row may be multiplied by a constant.
    start : float64 array of shape (n_components,)
        Where to start; a weight of 0 may stay 0 in the steps of EM.
    tol : float
        Stop when the certificate is no more.
    max_iter : int
        Stop after so many steps.

    Notes
    -----
    O(n_rows n_components) time for a step of EM, O(n_rows n_components^2) for one of Newton's, of which a
    handful do.

    References
    ----------
    .. [1] Y. Kim, P. Carbonetto, M. Stephens, M. Anitescu. A fast algorithm for maximum likelihood estimation
       of mixture proportions using sequential quadratic programming. Journal of Computational and Graphical
       Statistics 29, 2020.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.density_ratio.mixture_weights import most_likely
    >>> found = most_likely(np.array([[2.0, 1.0], [0.0, 1.0]]), np.array([0.5, 0.5]), 1e-9, 100)
    >>> found.weights.round(6), bool(found.certificate <= 1e-9)
    (array([0., 1.]), True)
    """
    weights, mixture = start, densities @ start
    likelihoods = [_mean_log(mixture)]
    for step in range(max_iter + 1):
        gradient = densities.T @ (1.0 / mixture) / len(mixture)
        if gradient.max() - 1.0 <= tol or step == max_iter:
            break
        direction = _em(weights, gradient)
        if step >= EM_STEPS:
            direction = _newton(densities, mixture, weights, gradient, likelihoods[-1], direction)
        reached = densities @ direction
        likelihood = _mean_log(reached)
        if likelihood <= likelihoods[-1]:  # nothing is left to gain but rounding
            break
        weights, mixture = direction, reached
        likelihoods.append(likelihood)
    return MixtureWeights(weights, max(0.0, float(gradient.max()) - 1.0), np.array(likelihoods))


def _em(weights: Floats, gradient: Floats) -> Floats:
    moved = weights * gradient
    return moved / moved.sum()


def _newton(
    densities: Floats, mixture: Floats, weights: Floats, gradient: Floats, likelihood: float, em: Floats
) -> Floats:
    """Return the weights that Newton's method leads to, or those of EM where its way leads down."""
    target = _best_of_quadratic(densities, mixture, gradient)
    if target is not None:
        for length in 0.5 ** np.arange(HALVINGS):
            moved = weights + length * (target - weights)
            if _mean_log(densities @ moved) > likelihood:
                return moved
    return em


def _best_of_quadratic(densities: Floats, mixture: Floats, gradient: Floats) -> Floats | None:
    """Maximise the likelihood's second-order expansion, minus the sum of the weights, where none is negative.

    With R'R the curvature and g the gradient, that is ``2 g'z - |R z|^2 / 2 - sum(z)``: the weights s that it
    is expanded around satisfy ``R'R s = g``.
    """
    scaled = densities / mixture[:, None]
    curvature = scaled.T @ scaled / len(mixture)
    curvature.flat[:: len(gradient) + 1] += RIDGE * curvature.trace() / len(gradient)
    root = cholesky(curvature, check_finite=False)
    slope = solve_triangular(root, 2.0 * gradient - 1.0, trans="T", check_finite=False)
    try:
        target, _ = nnls(root, slope, maxiter=10 * len(gradient))
    except RuntimeError:  # it went round in circles
        return None
    return target / target.sum()


def _mean_log(mixture: Floats) -> float:
    with np.errstate(divide="ignore"):
        return float(np.log(mixture).mean())

"""KLIEP by its definition: the basis written out, and a general minimiser with constraints."""

import numpy as np
from scipy.optimize import minimize
from scipy.spatial.distance import cdist


def gaussian_basis(X, centres, width, even=False):
    values = np.exp(-cdist(X, centres, "sqeuclidean") / (2 * width**2))
    return values + np.exp(-cdist(X, -centres, "sqeuclidean") / (2 * width**2)) if even else values


def best_coefficients(test_basis, means):
    """Maximise the mean log-weight of test rows by SLSQP; coefficients >= 0, mean training weight 1."""
    start = 1 / (len(means) * means)
    found = minimize(
        lambda beta: -np.log(test_basis @ beta).mean(),
        start,
        jac=lambda beta: -(test_basis / (test_basis @ beta)[:, None]).mean(axis=0),
        bounds=[(0, None)] * len(means),
        constraints={"type": "eq", "fun": lambda beta: means @ beta - 1, "jac": lambda beta: means},
        method="SLSQP",
        options={"maxiter": 1000, "ftol": 1e-14},
    )
    return found.x, -found.fun

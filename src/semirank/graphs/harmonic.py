"""Values that are known at some places of a graph, continued as smoothly as the graph allows."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array, csr_array, diags_array
from scipy.sparse.linalg import cg, splu

from semirank.core.arrays import Booleans, Floats
from semirank.graphs.components import components
from semirank.graphs.diffusion import laplacian

SMALL, MOST_STEPS, TOL = 500, 1_000, 1e-12


class Harmonic(NamedTuple):
    """The continued values, one row a place, and which places a known value reaches."""

    values: Floats
    reached: Booleans


def harmonic(graph: csr_array, known: Booleans, values: Floats, softness: float = 0.0) -> Harmonic:
    """Continue known values over a graph: every other place gets the weighted mean of its neighbours.

    With the Laplacian ``L = D - W``, the values f minimise ``sum_(i<j) W_ij |f_i - f_j|^2``, so that
    ``f_u = -L_uu^-1 L_uk f_k`` at the places u that are not known. Each coordinate stays within the range of
    the known ones. Places that no known value reaches get the mean of all known values.

    Parameters
    ----------
    graph : csr_array of shape (n, n)
        Symmetric weights, not negative.
    known : bool array of shape (n,)
        Where values are known; at one place at least.
    values : float64 array of shape (n_known, n_coordinates)
        The known values.
    softness : float
        0: known values stay as they are. Above 0, they may move, at the price of
        ``|f_i - value_i|^2 / softness``.

    Notes
    -----
    Conjugate gradients for each coordinate, every step one product with the graph; one sparse factorisation
    for a small graph, or where they do not settle.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from semirank.graphs.harmonic import harmonic
    >>> path = csr_array(np.diag([1.0, 1.0], 1) + np.diag([1.0, 1.0], -1))
    >>> harmonic(path, np.array([True, False, True]), np.array([[0.0], [1.0]])).values.ravel()
    array([0. , 0.5, 1. ])
    """
    numbers = components(graph)
    reached = np.isin(numbers, numbers[known])
    found = np.tile(values.mean(axis=0), (len(known), 1))
    found[known] = values
    L = csr_array(laplacian(graph, normed=False))
    unknown = reached & ~known
    if softness > 0.0:
        pulls = known / softness
        found[reached] = _solve(
            (L + diags_array(pulls))[reached][:, reached], (pulls[:, None] * found)[reached]
        )
    elif unknown.any():
        rows = L[unknown]
        found[unknown] = _solve(rows[:, unknown], -(rows[:, known] @ values))
    return Harmonic(found, reached)


def _solve(matrix: csr_array, right: Floats) -> Floats:
    if len(right) > SMALL:
        scale = diags_array(1.0 / matrix.diagonal())
        columns = [cg(matrix, column, rtol=TOL, maxiter=MOST_STEPS, M=scale) for column in right.T]
        if not any(unsettled for _, unsettled in columns):
            return np.column_stack([column for column, _ in columns])
    symmetric = {"SymmetricMode": True}
    factors = splu(csc_array(matrix), "MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=symmetric)
    return factors.solve(np.asarray(right))

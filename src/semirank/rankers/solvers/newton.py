"""Truncated Newton steps for a linear score with a smooth convex loss."""

from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from semirank.core.arrays import Floats
from semirank.dataset import Features
from semirank.rankers.losses.hinge import HingeLoss

_MOST_CG_STEPS = 1000
_MOST_TRIALS = 40
_SLACK = 1e-12


class Solution(NamedTuple):
    """The weights w, the steps it took to find them, and the size of the gradient relative to that at 0.

    pulls: minus C times the derivative of the loss by each score, so that w is ``X'pulls`` at the minimum.
    objectives: the objective before the first step and after each step.
    """

    coef: Floats
    n_iter: int
    gradient: float
    pulls: Floats
    objectives: Floats


class Point(NamedTuple):
    """Weights, the scores they give, the objective there, its gradient, and the derivative by each score."""

    coef: Floats
    scores: Floats
    objective: float
    gradient: Floats
    slopes: Floats


def minimise(X: Features, loss: HingeLoss, C: float, tol: float, max_iter: int) -> Solution:
    """Minimise ``1/2 |w|^2 + C loss(X w)``.

    A step solves the Newton equations by conjugate gradients, to an accuracy that grows as the gradient
    shrinks, and is cut where the objective would rise again. It ends when the gradient is `tol` times the
    gradient at 0, or after `max_iter` steps, or when rounding leaves no step that helps.
    """
    here = _at(np.zeros(X.shape[1]), np.zeros(X.shape[0]), X, loss, C)
    first = float(np.linalg.norm(here.gradient)) or 1.0
    objectives, steps, size = [here.objective], 0, 1.0
    while size > tol and steps < max_iter:
        direction = _newton_direction(here, X, loss, C, min(0.1, size))
        there = _search(here, direction, X, loss, C)
        if there is None:
            break
        here, steps = there, steps + 1
        objectives.append(here.objective)
        size = float(np.linalg.norm(here.gradient)) / first
    return Solution(here.coef, steps, size, -C * here.slopes, np.array(objectives))


def _at(coef: Floats, scores: Floats, X: Features, loss: HingeLoss, C: float) -> Point:
    value, slopes = loss.at(scores)
    return Point(coef, scores, 0.5 * float(coef @ coef) + C * value, coef + C * (X.T @ slopes), slopes)


def _newton_direction(here: Point, X: Features, loss: HingeLoss, C: float, accuracy: float) -> Floats:
    """Solve ``(I + C X'HX) d = -gradient`` at the point that the loss has seen last."""
    n = len(here.coef)

    def apply(v: Floats) -> Floats:
        v = v.ravel()
        return v + C * (X.T @ loss.curve(X @ v))

    hessian = LinearOperator((n, n), matvec=apply, dtype=np.float64)
    direction, _ = cg(hessian, -here.gradient, rtol=accuracy, maxiter=min(10 * n, _MOST_CG_STEPS))
    return np.asarray(direction)


def _search(here: Point, direction: Floats, X: Features, loss: HingeLoss, C: float) -> Point | None:
    """Go the whole step if the objective still falls at its end, else to where it is nearly lowest.

    The slope along the line grows; a root of it is bracketed. Slopes are compared rather than objectives,
    which near the minimum differ by less than their rounding errors.
    """
    move = X @ direction
    falling, low, high = float(here.gradient @ direction), 0.0, 1.0
    length = 1.0
    for _ in range(_MOST_TRIALS):
        there = _at(here.coef + length * direction, here.scores + length * move, X, loss, C)
        slope = float(there.gradient @ direction)
        lower = there.objective <= here.objective + _SLACK * abs(here.objective)
        if lower and (abs(slope) <= 0.1 * abs(falling) or (slope < 0 and length == high)):
            return there
        low, high = (low, length) if slope > 0 else (length, high)
        length = 0.5 * (low + high)
    return None

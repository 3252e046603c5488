"""Climbing by line searches: along features, along random directions, along what a round has moved."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.sparse import issparse

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features
from semirank.rankers.losses.list_metric import ListObjective

_LITTLE = 1e-12


class Path(NamedTuple):
    """Where a climb has ended, and the objective at its start and after each round."""

    coef: Floats
    values: Floats

    @property
    def value(self) -> float:
        """The objective at the end."""
        return float(self.values[-1])


def climb(
    X: Features,
    objective: ListObjective,
    start: Floats,
    axes: Integers,
    n_directions: int,
    max_rounds: int,
    rng: np.random.Generator,
) -> Path:
    """Raise the objective of ``X w`` by exact line searches from a start, until a round brings nothing.

    A round goes along the axes in random order, then along random directions of unit length, then along the
    whole move of the round. A step is taken only if the objective rises, so it never falls.
    """
    climber = _Climber(X, objective, start)
    values = [climber.value]
    for _ in range(max_rounds):
        before = climber.coef
        for axis in rng.permutation(axes):
            climber.along_axis(int(axis))
        for direction in _random_directions(axes, len(start), n_directions, rng):
            climber.along(direction)
        climber.along(climber.coef - before)
        climber.rescale()
        values.append(climber.value)
        if values[-1] <= values[-2] + _LITTLE:
            break
    return Path(climber.coef, np.array(values))


class _Climber:
    """Weights, the scores they give, and the objective there."""

    def __init__(self, X: Features, objective: ListObjective, coef: Floats) -> None:
        self.X, self.objective = X, objective
        self._columns = X.tocsc() if issparse(X) else X
        self.coef, self.scores = coef, np.asarray(X @ coef, dtype=np.float64)
        self.value = objective.value(self.scores)

    def rescale(self) -> None:
        """Bring the weights to length 1, which changes no order."""
        size = np.linalg.norm(self.coef) or 1.0
        self.coef, self.scores = self.coef / size, self.scores / size

    def along_axis(self, axis: int) -> None:
        """Search along one feature."""
        column = self._columns[:, [axis]]
        moves = column.toarray() if issparse(column) else column
        self._go(np.ascontiguousarray(moves, dtype=np.float64).ravel(), np.eye(1, len(self.coef), axis)[0])

    def along(self, direction: Floats) -> None:
        """Search along any direction."""
        self._go(np.asarray(self.X @ direction, dtype=np.float64), direction)

    def _go(self, moves: Floats, direction: Floats) -> None:
        step = self.objective.best_step(self.scores, moves)
        if step == 0.0:
            return
        scores = self.scores + step * moves
        value = self.objective.value(scores)
        if value > self.value + _LITTLE:
            self.coef, self.scores, self.value = self.coef + step * direction, scores, value


def _random_directions(
    axes: Integers, n_features: int, n_directions: int, rng: np.random.Generator
) -> Iterator[Floats]:
    for _ in range(n_directions):
        direction = np.zeros(n_features)
        direction[axes] = rng.normal(size=len(axes))
        yield direction / (np.linalg.norm(direction) or 1.0)

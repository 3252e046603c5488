"""Ridge least squares over the pairs of labelled items, whatever its form.

A score is a weighted sum over the *columns* of an item: its features (primal), or its kernel with each
labelled item (dual). With L the Laplacian of `Pairs`, every form solves

    ``min_f (y - f)' L (y - f) + ridge |f|^2``.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from semirank.core.arrays import Floats
from semirank.rankers.ridge.pairs import Pairs


class HeldOut(NamedTuple):
    """What is known of a list without its labels, one row a ridge.

    Attributes
    ----------
    residuals : (n_ridges, n_items of the list)
        y - f, up to a constant, with f fitted without the list.
    coordinates : (n_ridges, n_coordinates)
        That f, as `PairwiseRidge.weights_at` understands it.
    """

    residuals: Floats
    coordinates: Floats


class PairwiseRidge(ABC):
    """A least-squares problem: one solution a ridge, and what it would be without some of the labels."""

    pairs: Pairs

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
    def without_list(self, k: int, ridges: Floats) -> HeldOut:
        """Leave the labels of list k out."""

    @abstractmethod
    def without_item(self, ridges: Floats) -> Floats:
        """Leave each item of the only list out.

        Returns ``y_i - f(x_i) - b`` with f and the offset b fitted to the other items: (n_ridges, n_items).
        """

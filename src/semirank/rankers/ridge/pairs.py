"""Pairs of labelled items to learn from, whatever their weights."""

from abc import ABC, abstractmethod

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features


class Pairs(ABC):
    """Labelled items, list after list, and the weights of their pairs.

    A sum over pairs ``sum w_ij ((y_i - y_j) - (f_i - f_j))^2`` is ``e' L e`` with e = y - f and the
    Laplacian L of the graph that has the pairs as edges.

    Attributes
    ----------
    rows : int64 array of shape (n_items,)
        Where the items stand among all items.
    lists : int64 array of shape (n_lists,)
        The number of each list among all lists.
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts in `rows`.
    y : float64 array of shape (n_items,)
        Labels relative to the mean label of their list, in which an item counts as often as `counts` says.
    """

    rows: Integers
    lists: Integers
    indptr: Integers
    y: Floats

    @property
    def n_items(self) -> int:
        """Number of labelled items that can be compared."""
        return len(self.rows)

    @property
    def n_lists(self) -> int:
        """Number of lists that can be left out."""
        return len(self.lists)

    def items(self, k: int) -> slice:
        """Return the place of list k."""
        return slice(int(self.indptr[k]), int(self.indptr[k + 1]))

    @abstractmethod
    def counts(self) -> Floats:
        """Return how many times each item counts."""

    @abstractmethod
    def laplacian(self, values: Floats) -> Floats:
        """Return L times one value (or row) per item."""

    @abstractmethod
    def normal_equations(self, features: Features) -> tuple[Floats, Floats]:
        """Return X'LX and X'Ly."""

    @abstractmethod
    def spread(self, features: Features) -> float:
        """Return the trace of X'LX for one list."""

    @abstractmethod
    def squared_error(self, k: int, residuals: Floats) -> Floats:
        """Return e'Le of list k, given e up to a constant; one row of residuals a ridge."""

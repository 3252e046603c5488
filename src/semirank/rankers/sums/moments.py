"""Number, mean and second moments of rows, which can be joined without loss of precision."""

from typing import NamedTuple, Self

import numpy as np
from sklearn.utils import gen_batches

from semirank.core.arrays import AnyArray, Floats

BLOCK_ROWS = 8192


class Moments(NamedTuple):
    """Moments of rows [1]_.

    Attributes
    ----------
    number : int
    mean : float64 array of shape (n_columns,)
    scatter : float64 array of shape (n_columns, n_columns)
        Sum of the products of the rows, relative to their mean.

    References
    ----------
    .. [1] T. F. Chan, G. H. Golub, R. J. LeVeque. Updating formulae and a pairwise algorithm for computing
       sample variances. COMPSTAT 1982.
    """

    number: int
    mean: Floats
    scatter: Floats

    @classmethod
    def of(cls, rows: AnyArray) -> Self:
        """Take the moments of rows, a block at a time."""
        found = cls(0, np.zeros(rows.shape[1]), np.zeros((rows.shape[1], rows.shape[1])))
        for some in gen_batches(len(rows), BLOCK_ROWS) if len(rows) else ():
            block = rows[some].astype(np.float64)
            mean = block.mean(axis=0)
            block -= mean
            found = found.join(cls(len(block), mean, block.T @ block))
        return found

    def join(self, other: Self) -> Self:
        """Return the moments of these rows and others."""
        if not self.number or not other.number:
            return self if self.number else other
        number = self.number + other.number
        apart = other.mean - self.mean
        between = np.outer(apart, apart) * (self.number * other.number / number)
        mean = self.mean + apart * (other.number / number)
        return type(self)(number, mean, self.scatter + other.scatter + between)

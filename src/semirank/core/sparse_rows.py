"""Products with some rows of a sparse matrix, which are not copied first.

Rows are numbers of rows of a matrix in compressed rows (indptr, indices, values). Places are made unsigned,
which tells the compiler that none is counted from the end and halves the time.
"""

import numpy as np

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.compiling import compiled

_ANY_ORDER = {"reassoc", "nsz", "contract"}  # the order of a sum then depends on its length alone


@compiled()
def _entries(indptr: AnyArray, row: int) -> range:
    return range(np.uint64(indptr[row]), np.uint64(indptr[row + 1]))


@compiled(fastmath=_ANY_ORDER)
def times_vector(
    indptr: AnyArray, indices: AnyArray, values: Floats, rows: Integers, vector: Floats
) -> Floats:
    """Return the inner product of each row with a vector."""
    products = np.empty(len(rows))
    for place in range(len(rows)):
        total = 0.0
        for k in _entries(indptr, rows[place]):
            total += values[k] * vector[np.uint64(indices[k])]
        products[place] = total
    return products


@compiled()
def sum_of_multiples(
    indptr: AnyArray, indices: AnyArray, values: Floats, rows: Integers, factors: Floats, n_columns: int
) -> Floats:
    """Return the sum of the rows, each times its factor."""
    total = np.zeros(n_columns)
    for place in range(len(rows)):
        factor = factors[place]
        for k in _entries(indptr, rows[place]):
            total[np.uint64(indices[k])] += factor * values[k]
    return total


@compiled()
def inner_products(
    indptr: AnyArray, indices: AnyArray, values: Floats, rows: Integers, n_columns: int
) -> Floats:
    """Return the inner products of the rows with each other."""
    products, dense = np.empty((len(rows), len(rows))), np.zeros(n_columns)
    for place in range(len(rows)):
        for k in _entries(indptr, rows[place]):
            dense[np.uint64(indices[k])] = values[k]
        for other in range(place + 1):
            total = 0.0
            for k in _entries(indptr, rows[other]):
                total += values[k] * dense[np.uint64(indices[k])]
            products[place, other] = products[other, place] = total
        for k in _entries(indptr, rows[place]):
            dense[np.uint64(indices[k])] = 0.0
    return products

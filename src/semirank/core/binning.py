"""Feature values as small whole numbers."""

import numpy as np

from semirank.core.arrays import AnyArray, Bytes, Floats, Integers
from semirank.core.compiling import compiled


@compiled()
def _place(value: float, padded: Floats) -> int:
    """Count the edges that a value exceeds, among 255 and infinity."""
    place, step = 0, 128
    while step > 0:  # eight halvings, by a product rather than a branch that cannot be predicted
        place += step * (padded[place + step - 1] < value)
        step //= 2
    return place


@compiled()
def bin_values(values: Floats, edges: Floats, bins: Bytes) -> None:
    """Fill `bins` with how many edges each value exceeds, so that ``bins > b`` is ``values > edges[b]``.

    values : float64 array of shape (n,); edges : ascending float64 array of at most 255 edges.
    """
    padded = np.full(256, np.inf)
    padded[: len(edges)] = edges
    for i in range(len(values)):
        bins[i] = _place(values[i], padded)


@compiled()
def bin_rows(X: AnyArray, items: Integers, padded: Floats, bins: Bytes) -> None:
    """Fill `bins` with those of some rows, all features in one pass: no column is copied.

    padded : float64 array of shape (n_features, 256), the edges of each feature, then infinity; bins : as in
    `stumps.search_bins`.
    """
    together = bins.shape[2]
    for i in range(len(items)):
        for j in range(X.shape[1]):
            bins[j // together, i, j % together] = _place(X[items[i], j], padded[j])

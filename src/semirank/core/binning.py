"""Feature values as small whole numbers."""

import numpy as np

from semirank.core.arrays import Bytes, Floats
from semirank.core.compiling import compiled


@compiled()
def bin_values(values: Floats, edges: Floats, bins: Bytes) -> None:
    """Fill `bins` with how many edges each value exceeds, so that ``bins > b`` is ``values > edges[b]``.

    values : float64 array of shape (n,); edges : ascending float64 array of at most 255 edges.
    """
    padded = np.full(256, np.inf)
    padded[: len(edges)] = edges
    for i in range(len(values)):
        place, step = 0, 128
        while step > 0:  # eight halvings, by a product rather than a branch that cannot be predicted
            place += step * (padded[place + step - 1] < values[i])
            step //= 2
        bins[i] = place

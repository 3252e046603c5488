"""How much each item counts."""

from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.dataset.checks import check_per_item


def check_weights(sample_weight: Any, data: RankingDataset) -> Floats:
    """Return the weight of each item in the order of the lists; 1 where none is given."""
    given = check_per_item("sample_weight", sample_weight, data.n_items)
    if given is None:
        return np.ones(data.n_items)
    weights = np.asarray(given, dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        raise ValueError(
            f"sample_weight must be finite and not negative; got {weights[wrong[0]]} in row {wrong[0]}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every item, so that there is nothing to learn from.")
    return data.arrange(weights)

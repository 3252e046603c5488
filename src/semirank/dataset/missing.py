"""What to put where a feature is missing."""

from typing import TYPE_CHECKING

import numpy as np

from semirank.core.arrays import Floats
from semirank.spelling import option

if TYPE_CHECKING:
    from semirank.dataset.ranking_dataset import RankingDataset


def column_fill(data: "RankingDataset", how: str) -> Floats:
    """Give for every cell the value that would fill it."""
    if how not in ("mean", "min", "list-min"):
        raise ValueError(
            f"{option('fill', python='value')} must be a number, 'mean', 'min' or 'list-min'; got {how!r}."
        )
    known = ~np.isnan(data.X)
    if how == "mean":
        counts = np.maximum(known.sum(axis=0), 1)
        return np.broadcast_to(np.nansum(data.X, axis=0) / counts, data.X.shape)
    low = np.where(known, data.X, np.inf)
    if how == "min":
        fill = np.broadcast_to(low.min(axis=0), data.X.shape)
    else:
        fill = np.minimum.reduceat(low, data.indptr[:-1], axis=0)[data.list_of_item]
    return np.where(np.isinf(fill), 0.0, fill)

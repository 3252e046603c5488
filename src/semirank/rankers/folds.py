"""Which labels to hold out, so that the others can be judged by them."""

import numpy as np

from semirank import metrics
from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.kernels import fixed_projection


def deal_labels(data: RankingDataset, n_folds: int) -> list[Booleans]:
    """Mark the labelled items that each fold holds out, in as many folds (at most n_folds) as can be judged.

    A fold can be judged when some list has held-out items of different levels, and so have the rest.
    """
    labelled = np.flatnonzero(data.labelled)
    y, lists = data.y[labelled], data.list_of_item[labelled]
    place = _places(data, y, lists, fixed_projection(data.X)[labelled])
    for n in range(n_folds, 1, -1):
        folds = [place % n == fold for fold in range(n)]
        if all(_tells(y[held], lists[held]) and np.ptp(y[~held]) > 0 for held in folds if held.any()):
            return [held for held in folds if held.any()]
    raise ValueError(
        "Cross-validation needs at least two labelled items on each of two levels, so that some can be held "
        f"out; got {len(y)} labels. Label more items, or choose the parameters by hand."
    )


def _places(data: RankingDataset, y: Floats, lists: Integers, projection: Floats) -> Integers:
    """Give each item a number, or each list if lists can be held out; numbers taken in turn are alike."""
    low, high = np.full(data.n_lists, np.inf), np.full(data.n_lists, -np.inf)
    np.minimum.at(low, lists, y)
    np.maximum.at(high, lists, y)
    if (low < high).sum() < 2:
        return np.argsort(np.lexsort((projection, y)))
    counts = np.bincount(lists, minlength=data.n_lists)
    means = np.bincount(lists, projection, data.n_lists) / np.maximum(counts, 1)
    return np.argsort(np.lexsort((means, low >= high)))[lists]


def _tells(y: Floats, lists: Integers) -> bool:
    """Tell whether two items of a list have different labels."""
    return bool((~np.isnan(metrics.auc(y, np.zeros(len(y)), lists))).any()) if len(y) else False

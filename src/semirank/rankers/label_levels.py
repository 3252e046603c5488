"""Items by the level of their label: how the levels differ, and how much the items of a level do."""

import numpy as np
from scipy.sparse import csr_array

from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset


def check_levels(data: RankingDataset) -> None:
    """Refuse labels that are all equal."""
    labels = data.y[data.labelled]
    if labels.min() == labels.max():
        raise ValueError(
            f"The labels are of one class: every label is {labels[0]:g} (n_samples = {data.n_items}). To "
            "tell better from worse takes labels of two levels or more."
        )


def compare_levels(X: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Compare the items of different label levels, every pair of items counting the same.

    Parameters
    ----------
    X : float64 array of shape (n_items, n_features)
        Labelled items.
    y : float64 array of shape (n_items,)
        Their labels, of at least two levels.
    weights : float64 array of shape (n_items,)
        How many times each item counts; above 0.

    Returns
    -------
    pulls : float64 array of shape (n_items,)
        The factors c with which ``c'X`` is the mean difference of two items, the better minus the worse.
    spread : float64 array of shape (n_features, n_features)
        The mean of S_a + S_b over such pairs, S_a being the covariance of level a.
    """
    levels = np.unique(y, return_inverse=True)[1]
    counts = np.bincount(levels, weights)
    below = np.cumsum(counts) - counts
    above = counts.sum() - below - counts
    n_pairs = counts @ below
    members = csr_array((weights / counts[levels], (levels, np.arange(len(y)))))
    deviations = X - (members @ X)[levels]
    shares = (weights * (below + above)[levels] / n_pairs)[:, None]
    return weights * (below - above)[levels] / n_pairs, (shares * deviations).T @ deviations


def relative_to_list(X: Floats, data: RankingDataset, items: Integers) -> Floats:
    """Return some of the items relative to the mean of all items of their list."""
    return X[items] - data.list_means(X)[data.list_of_item[items]]

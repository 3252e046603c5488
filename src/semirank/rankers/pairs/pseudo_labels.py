"""Pseudo-labels: labelled items give their labels to their nearest unlabelled neighbours."""

from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.graphs import NeighbourIndex


class PseudoLabels(NamedTuple):
    """Labels that neighbours have given.

    Attributes
    ----------
    items : int64 array of shape (n_pseudo_labels,)
        The unlabelled items, ascending; one can occur several times when it keeps several labels.
    labels : float64 array of shape (n_pseudo_labels,)
        The label of each.
    distances : float64 array of shape (n_pseudo_labels,)
        How far the nearest labelled item that has given it is away.
    """

    items: Integers
    labels: Floats
    distances: Floats


def nearest_labels(data: RankingDataset, n_neighbors: int, distance: Any, conflict: str) -> PseudoLabels:
    """Let every labelled item give its label to its nearest unlabelled items in the same list.

    Parameters
    ----------
    data : RankingDataset
        Labelled and unlabelled items.
    n_neighbors : int
        To how many unlabelled items each labelled one gives its label; to all where its list has no more.
    distance : {"euclidean", "cosine"}
        What is near.
    conflict : {"nearest", "both", "drop"}
        Of an item that is given different labels: the label of the nearest labelled item, and none when two
        are equally near; each of the labels; none.
    """
    labelled, unlabelled = np.flatnonzero(data.labelled), np.flatnonzero(~data.labelled)
    lists = data.list_of_item
    starts = np.searchsorted(lists[unlabelled], np.arange(data.n_lists + 1))
    index = NeighbourIndex(data.X[unlabelled], distance=distance, indptr=starts)
    found = index.query(data.X[labelled], n_neighbors, lists[labelled])
    given = found.indices >= 0
    found_labels = PseudoLabels(
        unlabelled[found.indices[given]],
        np.broadcast_to(data.y[labelled][:, None], given.shape)[given],
        found.distances[given],
    )
    return _settle(_nearest_of_each_label(found_labels), conflict)


def _nearest_of_each_label(found: PseudoLabels) -> PseudoLabels:
    """Keep one for each item and label, in the order of the items."""
    found = _take(found, np.lexsort((found.distances, found.labels, found.items)))
    new_item = np.diff(found.items, prepend=-1) != 0
    return _take(found, new_item | (np.diff(found.labels, prepend=np.nan) != 0))


def _settle(found: PseudoLabels, conflict: str) -> PseudoLabels:
    """Decide about the items that were given several labels."""
    if conflict == "both":
        return found
    found = _take(found, np.lexsort((found.distances, found.items)))
    first = np.diff(found.items, prepend=-1) != 0
    contested = np.diff(found.items, append=-1) == 0
    if conflict == "nearest":
        contested &= np.diff(found.distances, append=np.nan) == 0
    return _take(found, first & ~contested)


def _take(found: PseudoLabels, which: Integers | Booleans) -> PseudoLabels:
    return PseudoLabels(found.items[which], found.labels[which], found.distances[which])

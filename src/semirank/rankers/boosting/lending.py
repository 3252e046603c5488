"""Labels lent by labelled items to their nearest unlabelled neighbours."""

from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.graphs import NeighbourIndex


class Loans(NamedTuple):
    """Labels that were lent.

    Attributes
    ----------
    items : int64 array of shape (n_loans,)
        The unlabelled items, ascending; one can occur several times when it keeps several labels.
    labels : float64 array of shape (n_loans,)
        The label of each.
    distances : float64 array of shape (n_loans,)
        How far the nearest labelled item that lent it is away.
    """

    items: Integers
    labels: Floats
    distances: Floats


def lend_labels(data: RankingDataset, n_neighbors: int, distance: Any, conflict: str) -> Loans:
    """Let every labelled item lend its label to its nearest unlabelled items in the same list.

    Parameters
    ----------
    data : RankingDataset
        Labelled and unlabelled items.
    n_neighbors : int
        To how many unlabelled items each labelled one lends; to all where its list has no more.
    distance : {"euclidean", "cosine"}
        What is near.
    conflict : {"nearest", "both", "drop"}
        Of an item that is lent different labels: the label of the nearest lender, and none when two are
        equally near; each of the labels; none.
    """
    lenders, borrowers = np.flatnonzero(data.labelled), np.flatnonzero(~data.labelled)
    lists = data.list_of_item
    starts = np.searchsorted(lists[borrowers], np.arange(data.n_lists + 1))
    index = NeighbourIndex(data.X[borrowers], distance=distance, indptr=starts)
    found = index.query(data.X[lenders], n_neighbors, lists[lenders])
    lent = found.indices >= 0
    loans = Loans(
        borrowers[found.indices[lent]],
        np.broadcast_to(data.y[lenders][:, None], lent.shape)[lent],
        found.distances[lent],
    )
    return _settle(_nearest_of_each_label(loans), conflict)


def _nearest_of_each_label(loans: Loans) -> Loans:
    """Keep one loan for each item and label, in the order of the items."""
    loans = _take(loans, np.lexsort((loans.distances, loans.labels, loans.items)))
    new_item = np.diff(loans.items, prepend=-1) != 0
    return _take(loans, new_item | (np.diff(loans.labels, prepend=np.nan) != 0))


def _settle(loans: Loans, conflict: str) -> Loans:
    """Decide about the items that were lent several labels."""
    if conflict == "both":
        return loans
    loans = _take(loans, np.lexsort((loans.distances, loans.items)))
    first = np.diff(loans.items, prepend=-1) != 0
    contested = np.diff(loans.items, append=-1) == 0
    if conflict == "nearest":
        contested &= np.diff(loans.distances, append=np.nan) == 0
    return _take(loans, first & ~contested)


def _take(loans: Loans, which: Integers | Booleans) -> Loans:
    return Loans(loans.items[which], loans.labels[which], loans.distances[which])

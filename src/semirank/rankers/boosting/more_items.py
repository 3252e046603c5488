"""Features of more items, cut at the thresholds that those before them have set."""

from dataclasses import replace

import numpy as np
from scipy.sparse import issparse, vstack

from semirank.core.arrays import AnyArray, Booleans, Bytes, Floats, Integers
from semirank.core.binning import bin_values
from semirank.dataset import Features
from semirank.rankers.boosting.columns import BinnedColumns, Columns, SortedColumns, sorted_entries


def with_items(columns: Columns, known: Features, new: Features) -> Columns:
    """Return columns that hold more items; thresholds stay where they are.

    Parameters
    ----------
    columns : Columns
        The features of some items.
    known, new : arrays or CSR matrices
        The features of these items, and those of the items to come behind them.

    Notes
    -----
    Of bins, only those of the new items are found; sorted columns are sorted again.
    """
    if isinstance(columns, BinnedColumns):
        return replace(columns, bins=np.concatenate([columns.bins, _bin(columns, new)], axis=1))
    X = vstack([known, new], format="csr") if issparse(known) else np.vstack([known, new])
    assert isinstance(columns, SortedColumns)
    return _sort(columns, X)


def _bin(columns: BinnedColumns, X: Features) -> Bytes:
    groups, _, together = columns.bins.shape
    bins = np.zeros((groups, X.shape[0], together), dtype=np.uint8)
    for feature, edges in enumerate(columns.edges):
        group, place = divmod(feature, together)
        bin_values(np.ascontiguousarray(X[:, feature], dtype=np.float64), edges, bins[group, :, place])
    return bins


def _sort(columns: SortedColumns, X: Features) -> SortedColumns:
    rows, features, values = sorted_entries(X)
    cuts, thresholds = _place_cuts(features, values, *_thresholds(columns))
    needed = (rows >= 0) | np.append(
        features[1:] == features[:-1], False
    )  # zeros are not, where they are last
    rows, features, cuts, thresholds = rows[needed], features[needed], cuts[needed], thresholds[needed]
    names, indptr = np.unique(features, return_index=True)
    indptr = np.append(indptr, len(rows))
    return replace(columns, features=names, indptr=indptr, rows=rows, cuts=cuts, thresholds=thresholds)


def _thresholds(columns: SortedColumns) -> tuple[Integers, Floats]:
    """Return the feature and the value of each threshold."""
    features = np.repeat(columns.features, np.diff(columns.indptr))
    return features[columns.cuts], columns.thresholds[columns.cuts]


def _place_cuts(
    features: AnyArray, values: Floats, cut_features: Integers, cut_values: Floats
) -> tuple[Booleans, Floats]:
    """Find the last entry above each threshold; entries stand by feature and descending value."""
    is_entry = np.repeat([True, False], [len(values), len(cut_values)])
    keys = is_entry, -np.append(values, cut_values), np.append(features, cut_features)
    order = np.lexsort(keys)  # a threshold stands before an entry of its own value
    entry_before = np.cumsum(is_entry[order]) - 1
    at = entry_before[~is_entry[order]]
    cuts, thresholds = np.zeros(len(values), dtype=bool), np.full(len(values), np.nan)
    cuts[at] = True
    thresholds[at] = cut_values[order[~is_entry[order]] - len(values)]
    return cuts, thresholds

"""The stump ``[x > threshold]`` over which given signed weights have the sum farthest from 0.

All signed weights together sum to 0. Each feature finds its own best stump, from the largest threshold down;
the features then compete in their order. A stump has to beat the one before it by `MARGIN`, so that
rounding does not decide between equals.
"""

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Bytes, Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.threads import in_shares

MARGIN = 1e-12
TOGETHER = 8  # features that stand side by side and are counted in one pass: none waits for its own last sum


@compiled()
def _first_best(sums: Floats) -> int:
    """Find the first sum that is farthest from 0; -1 when all are 0."""
    best, place = 0.0, -1
    for i in range(len(sums)):
        if abs(sums[i]) > best + MARGIN:
            best, place = abs(sums[i]), i
    return place


@compiled()
def _count_bins(bins: Bytes, signed: Floats, counts: Floats) -> None:
    """Add the signed weights of eight features, one column each, up by bin."""
    for i in range(len(signed)):
        weight = signed[i]
        for feature in range(TOGETHER):
            counts[feature, bins[i, feature]] += weight


@compiled()
def _best_bin(counts: Floats, n_edges: int) -> tuple[float, int]:
    """Find the sum over the bins above an edge that is farthest from 0, and the edge."""
    best, place, above = 0.0, -1, 0.0
    for edge in range(n_edges - 1, -1, -1):
        above += counts[edge + 1]
        if abs(above) > abs(best) + MARGIN:
            best, place = above, edge
    return best, place


def search_bins(bins: Bytes, n_edges: Integers, signed: Floats) -> tuple[int, int, float]:
    """Find the best stump of binned features.

    Parameters
    ----------
    bins : uint8 array of shape (n_groups, n_items, TOGETHER)
        Feature j stands in ``bins[j // TOGETHER, :, j % TOGETHER]``.
    n_edges : int64 array of shape (n_groups * TOGETHER,)
        How many thresholds each feature has; the stump at edge e holds for ``bins > e``.
    signed : float64 array of shape (n_items,)
        Signed weights.

    Returns
    -------
    feature, edge : int
        The stump; feature is -1 when no stump has a sum other than 0.
    sum : float
        Sum of the signed weights of the items for which it holds.

    Notes
    -----
    O(n_items n_features) time; each cell is one byte read and one addition.
    """
    sums, edges = np.empty(len(n_edges)), np.empty(len(n_edges), np.int64)
    in_shares(_search_groups, len(bins), bins.size, bins, n_edges, signed, sums, edges)
    feature = _first_best(sums)
    return (feature, int(edges[feature]), float(sums[feature])) if feature >= 0 else (-1, -1, 0.0)


@compiled()
def _search_groups(
    first: int, last: int, bins: Bytes, n_edges: Integers, signed: Floats, sums: Floats, edges: Integers
) -> None:
    for group in range(first, last):
        start = group * TOGETHER
        counts = np.zeros((TOGETHER, 256))
        _count_bins(bins[group], signed, counts)
        for k in range(TOGETHER):
            sums[start + k], edges[start + k] = _best_bin(counts[k], n_edges[start + k])


def count_bins(bins: Bytes, signed: Integers, counts: Integers) -> None:
    """Add whole signed weights up by feature and bin: the same sums in any order.

    bins : as in `search_bins`; signed : int64 array of shape (n_items,); counts : int64 array of shape
    (n_groups * TOGETHER, 256), to which they are added.
    """
    in_shares(_count_groups, len(bins), bins.size, bins, signed, counts)


@compiled()
def _count_groups(first: int, last: int, bins: Bytes, signed: Integers, counts: Integers) -> None:
    for group in range(first, last):
        _count_bins(bins[group], signed, counts[group * TOGETHER : (group + 1) * TOGETHER])


@compiled()
def raise_above(bins: Bytes, feature: int, edge: int, amount: float, scores: Floats) -> None:
    """Add an amount to the scores of the items above an edge of a feature; bins : as in `search_bins`."""
    column = bins[feature // TOGETHER, :, feature % TOGETHER]
    for i in range(len(scores)):  # a product rather than a branch that cannot be predicted
        scores[i] += amount * (column[i] > edge)


def search_counts(counts: Floats, n_edges: Integers) -> tuple[int, int, float]:
    """Find the best stump of binned features, as `search_bins` does, by sums that are known.

    counts : float64 array of shape (n_groups * TOGETHER, 256), the signed weights of each feature and bin.
    """
    best = [_best_bin(row, edges) for row, edges in zip(counts, n_edges, strict=True)]
    feature = _first_best(np.array([each[0] for each in best]))
    return (feature, best[feature][1], best[feature][0]) if feature >= 0 else (-1, -1, 0.0)


@compiled()
def _best_entry(rows: AnyArray, cuts: Booleans, signed: Floats, start: int, stop: int) -> tuple[float, int]:
    """Find the sum over the entries from start up to a cut that is farthest from 0, and the cut."""
    best, place, above = 0.0, -1, 0.0
    for entry in range(start, stop):
        row = rows[entry]
        if row >= 0:
            above += signed[row]
        else:  # with the zeros, all items but the negative ones are above
            above = 0.0
            for below in range(entry + 1, stop):
                above -= signed[rows[below]]
        if cuts[entry] and abs(above) > abs(best) + MARGIN:
            best, place = above, entry
    return best, place


def search_sorted(indptr: Integers, rows: AnyArray, cuts: Booleans, signed: Floats) -> tuple[int, int, float]:
    """Find the best stump of sorted columns, in which the items with a zero are never visited.

    Parameters
    ----------
    indptr : int64 array of shape (n_columns + 1,)
        Where each column starts.
    rows : int32 array of shape (n_entries,)
        The items of each column in descending order of value; -1 stands for all items with a zero.
    cuts : bool array of shape (n_entries,)
        Whether a threshold lies below the entry.
    signed : float64 array of shape (n_items,)
        Signed weights, which sum to 0.

    Returns
    -------
    column, entry : int
        The stump holds for the items up to the entry; column is -1 when no stump has a sum other than 0.
    sum : float
        Sum of their signed weights.

    Notes
    -----
    O(n_entries) time.
    """
    n_columns = len(indptr) - 1
    sums, entries = np.empty(n_columns), np.empty(n_columns, np.int64)
    in_shares(_search_columns, n_columns, len(rows), indptr, rows, cuts, signed, sums, entries)
    column = _first_best(sums)
    return (column, int(entries[column]), float(sums[column])) if column >= 0 else (-1, -1, 0.0)


@compiled()
def _search_columns(
    first: int,
    last: int,
    indptr: Integers,
    rows: AnyArray,
    cuts: Booleans,
    signed: Floats,
    sums: Floats,
    entries: Integers,
) -> None:
    for column in range(first, last):
        sums[column], entries[column] = _best_entry(rows, cuts, signed, indptr[column], indptr[column + 1])


def sum_stumps(X: Floats, features: Integers, thresholds: Floats, weights: Floats) -> Floats:
    """Score each row of X by the sum of the weights of the stumps that hold for it, in their order."""
    scores = np.zeros(len(X))
    in_shares(_sum_rows, len(X), len(X) * len(features), X, features, thresholds, weights, scores)
    return scores


@compiled()
def _sum_rows(
    first: int,
    last: int,
    X: Floats,
    features: Integers,
    thresholds: Floats,
    weights: Floats,
    scores: Floats,
) -> None:
    for i in range(first, last):
        for k in range(len(features)):  # a product rather than a branch that cannot be predicted
            scores[i] += weights[k] * (X[i, features[k]] > thresholds[k])

"""Features arranged so that the best stump is found quickly."""

from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
from scipy.sparse import coo_array, issparse, vstack

from semirank.core.arrays import AnyArray, Booleans, Bytes, Floats, Integers
from semirank.core.binning import bin_rows, bin_values
from semirank.core.stumps import TOGETHER, raise_above, search_bins, search_sorted
from semirank.core.threads import in_parallel
from semirank.dataset import Features

SAMPLE = 200_000  # items that are looked at to place the edges of bins


class Columns(Protocol):
    """Features in which stumps can be searched."""

    def best(self, signed: Floats) -> tuple[int, int, float]:
        """Find the stump whose items have signed weights with the sum farthest from 0.

        Returns column, cut and sum; the column is -1 when no stump has a sum other than 0.
        """

    def raise_above(self, column: int, cut: int, amount: float, scores: Floats) -> None:
        """Add an amount to the scores of the items for which the stump holds."""

    def stump(self, column: int, cut: int) -> tuple[int, float]:
        """Return the feature and threshold of a stump."""

    def with_columns(self, X: Features) -> Self:
        """Return these features followed by others of the same items; only the others are arranged."""

    def append_rows(self, known: Features, new: Features) -> Self:
        """Return the features of these items, which are `known`, and of new items behind them.

        Thresholds stay where they are.
        """


def columns_of(X: Features, items: Integers, n_bins: int | None) -> Columns:
    """Arrange the features of some items; an item may be given several times.

    n_bins : how many ranges of values to tell apart; None for all values.
    """
    if issparse(X) or n_bins is None:
        return SortedColumns.of(X, items, n_bins)
    return BinnedColumns.of(X, items, n_bins)


@dataclass(frozen=True, eq=False)
class BinnedColumns:
    """Dense features in at most 255 bins, one byte a cell.

    Attributes
    ----------
    bins : uint8 array of shape (n_groups, n_items, TOGETHER)
        Features in groups that are read together.
    edges : tuple of float64 arrays
        The thresholds of each feature, ascending.
    n_edges : int64 array of shape (n_groups * TOGETHER,)
        How many there are; 0 where a group has no more features.
    n_bins : int
        The most bins that a feature may have.
    """

    bins: Bytes
    edges: tuple[Floats, ...]
    n_edges: Integers
    n_bins: int

    @classmethod
    def of(cls, X: Features, items: Integers, n_bins: int) -> Self:
        """Bin each feature by quantiles, or by its values where there are no more than bins."""
        nothing = cls(_empty_bins(len(items), 0), (), np.empty(0, dtype=np.int64), n_bins)
        return nothing._followed_by(X, items)

    @classmethod
    def between(cls, edges: tuple[Floats, ...], n_bins: int) -> Self:
        """Return no items yet, but the thresholds of all features."""
        bins = _empty_bins(0, len(edges))
        n_edges = np.zeros(len(bins) * TOGETHER, dtype=np.int64)
        n_edges[: len(edges)] = [len(each) for each in edges]
        return cls(bins, edges, n_edges, n_bins)

    def with_columns(self, X: Features) -> Self:
        """Return these features followed by others of the same items; only the others are binned."""
        return self._followed_by(X, np.arange(X.shape[0]))

    def append_rows(self, known: Features, new: Features) -> Self:
        """Return these items and new ones; only the bins of the new ones are found."""
        bins = self.bins_of(new, np.arange(new.shape[0]))
        return replace(self, bins=np.concatenate([self.bins, bins], axis=1))

    def bins_of(self, X: Features, items: Integers) -> Bytes:
        """Return the bins of some rows of X, by the thresholds that are known."""
        bins = _empty_bins(len(items), len(self.edges))
        padded = np.full((len(self.edges), 256), np.inf)
        for row, edges in zip(padded, self.edges, strict=True):
            row[: len(edges)] = edges
        bin_rows(X, items, padded, bins)
        return bins

    def _followed_by(self, X: Features, items: Integers) -> Self:
        n_known = len(self.edges)
        n_features = n_known + X.shape[1]
        bins = _empty_bins(len(items), n_features)
        bins[: len(self.bins)] = self.bins

        def bin_feature(feature: int) -> Floats:
            values = X[items, feature]
            sample = np.sort(values[:: -(-len(values) // SAMPLE)])
            edges = find_edges(sample.astype(np.float64), self.n_bins)
            bin_values(values.astype(np.float64), edges, _column(bins, n_known + feature))
            return edges

        edges = self.edges + tuple(in_parallel(bin_feature, range(X.shape[1])))
        n_edges = np.zeros(len(bins) * TOGETHER, dtype=np.int64)
        n_edges[:n_features] = [len(each) for each in edges]
        return replace(self, bins=bins, edges=edges, n_edges=n_edges)

    def best(self, signed: Floats) -> tuple[int, int, float]:
        """Find the best stump by adding up the signed weights in each bin."""
        return search_bins(self.bins, self.n_edges, signed)

    def raise_above(self, column: int, cut: int, amount: float, scores: Floats) -> None:
        """Add an amount to the scores of the items above the edge."""
        raise_above(self.bins, column, cut, amount, scores)

    def stump(self, column: int, cut: int) -> tuple[int, float]:
        """Return the feature and the edge."""
        return column, float(self.edges[column][cut])


@dataclass(frozen=True, eq=False)
class SortedColumns:
    """Features with their values sorted; of sparse ones, only the non-zeros are ever visited.

    Attributes
    ----------
    n_features : int
        The number of all features.
    n_bins : int or None
        How many ranges of values of a feature are told apart; None for all values.
    features : int64 array of shape (n_columns,)
        The features that are not 0 everywhere.
    indptr : int64 array of shape (n_columns + 1,)
        Where the entries of each start.
    rows : int32 array of shape (n_entries,)
        The items in descending order of value; -1 stands for all items with a zero, if others are
        negative.
    cuts : bool array of shape (n_entries,)
        Whether a threshold lies below the entry.
    thresholds : float64 array of shape (n_entries,)
        That threshold, halfway to the next value.
    """

    n_features: int
    n_bins: int | None
    features: Integers
    indptr: Integers
    rows: AnyArray
    cuts: Booleans
    thresholds: Floats

    @classmethod
    def of(cls, X: Features, items: Integers, n_bins: int | None) -> Self:
        """Sort the non-zeros of each feature, and keep n_bins - 1 cuts at most."""
        rows, columns, values = sorted_entries(X[items])
        cuts = np.append((columns[1:] == columns[:-1]) & (values[1:] < values[:-1]), False)
        thresholds = np.append(midpoints(values[1:], values[:-1]), np.nan)
        needed = (rows >= 0) | cuts  # the zeros are not, where they are the smallest values
        rows, columns, cuts, thresholds = rows[needed], columns[needed], cuts[needed], thresholds[needed]
        features, indptr = np.unique(columns, return_index=True)
        indptr = np.append(indptr, len(rows))
        if n_bins is not None:
            _thin_out(cuts, rows, indptr, len(items), n_bins)
        return cls(X.shape[1], n_bins, features, indptr, rows, cuts, thresholds)

    def with_columns(self, X: Features) -> Self:
        """Return these features followed by others of the same items; only the others are sorted."""
        new = self.of(X, np.arange(X.shape[0]), self.n_bins)
        return type(self)(
            self.n_features + new.n_features,
            self.n_bins,
            np.append(self.features, self.n_features + new.features),
            np.append(self.indptr, self.indptr[-1] + new.indptr[1:]),
            np.append(self.rows, new.rows),
            np.append(self.cuts, new.cuts),
            np.append(self.thresholds, new.thresholds),
        )

    def append_rows(self, known: Features, new: Features) -> Self:
        """Return these items and new ones, all sorted again."""
        X = vstack([known, new], format="csr") if issparse(known) else np.vstack([known, new])
        rows, columns, values = sorted_entries(X)
        of_cuts = np.repeat(self.features, np.diff(self.indptr))[self.cuts]
        cuts, thresholds = _place_cuts(columns, values, of_cuts, self.thresholds[self.cuts])
        needed = (rows >= 0) | np.append(columns[1:] == columns[:-1], False)  # not the zeros that come last
        rows, columns, cuts, thresholds = rows[needed], columns[needed], cuts[needed], thresholds[needed]
        features, indptr = np.unique(columns, return_index=True)
        indptr = np.append(indptr, len(rows))
        return replace(self, features=features, indptr=indptr, rows=rows, cuts=cuts, thresholds=thresholds)

    def best(self, signed: Floats) -> tuple[int, int, float]:
        """Find the best stump by adding up the signed weights in order of value."""
        return search_sorted(self.indptr, self.rows, self.cuts, signed)

    def raise_above(self, column: int, cut: int, amount: float, scores: Floats) -> None:
        """Add an amount to the scores of the items up to the cut."""
        start, stop = self.indptr[column : column + 2]
        above, below = self.rows[start : cut + 1], self.rows[cut + 1 : stop]
        if (above < 0).any():
            kept = scores[below]
            scores += amount
            scores[below] = kept
        else:
            scores[above] += amount

    def stump(self, column: int, cut: int) -> tuple[int, float]:
        """Return the feature and the threshold below the cut."""
        return int(self.features[column]), float(self.thresholds[cut])


def _empty_bins(n_items: int, n_features: int) -> Bytes:
    return np.zeros((-(-n_features // TOGETHER), n_items, TOGETHER), dtype=np.uint8)


def _column(bins: Bytes, feature: int) -> Bytes:
    return bins[feature // TOGETHER, :, feature % TOGETHER]


def sorted_entries(X: Features) -> tuple[AnyArray, Integers, Floats]:
    """Return row, column and value of the non-zeros, by column and descending value.

    A column that has zeros beside non-zeros gets one entry for all of them, in row -1.
    """
    cells = coo_array(X)
    stored = cells.data != 0
    rows, columns, values = cells.row[stored], cells.col[stored], cells.data[stored].astype(np.float64)
    n_stored = np.bincount(columns, minlength=X.shape[1])
    with_zeros = np.flatnonzero((n_stored > 0) & (n_stored < X.shape[0]))
    rows = np.append(rows, np.full(len(with_zeros), -1)).astype(np.int32)
    columns, values = np.append(columns, with_zeros), np.append(values, np.zeros(len(with_zeros)))
    order = np.lexsort((-values, columns))
    return rows[order], columns[order], values[order]


def midpoints(low: Floats, high: Floats) -> Floats:
    """Return numbers m halfway between with low <= m < high, so that x > m tells the two apart."""
    middle = 0.5 * low + 0.5 * high
    return np.where((low <= middle) & (middle < high), middle, low)


def find_edges(values: Floats, n_bins: int) -> Floats:
    """Return thresholds that cut sorted values into bins."""
    last = np.append(np.flatnonzero(values[1:] > values[:-1]), len(values) - 1)
    cuts = last[_choose_cuts(last + 1, n_bins)]
    return midpoints(values[cuts], values[cuts + 1])


def _choose_cuts(reached: Integers, n_bins: int) -> Integers:
    """Choose after which of the distinct values, in ascending order, to cut: after each, or at quantiles.

    reached : how many items have that value or a smaller one.
    """
    if len(reached) <= n_bins:
        return np.arange(len(reached) - 1)
    cuts = np.unique(np.searchsorted(reached, reached[-1] * np.arange(1, n_bins) / n_bins))
    return cuts[cuts < len(reached) - 1]


def _thin_out(cuts: Booleans, rows: AnyArray, indptr: Integers, n_items: int, n_bins: int) -> None:
    """Take away cuts of columns that have more than n_bins values, so that quantiles remain."""
    cuts_before = np.append(0, np.cumsum(cuts))[indptr]
    for column in np.flatnonzero(np.diff(cuts_before) >= n_bins):
        start, stop = indptr[column : column + 2]
        zeros = rows[start:stop] < 0
        reached = np.cumsum(np.where(zeros, n_items - (~zeros).sum(), 1))
        last = start + np.flatnonzero(cuts[start:stop])
        ascending = np.append(n_items - reached[last - start][::-1], n_items)
        cuts[start:stop] = False
        cuts[last[::-1][_choose_cuts(ascending, n_bins)]] = True


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

"""Pairs of labelled items with weights of their own, kept as a sparse Laplacian."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array, diags_array, issparse

from semirank.core.arrays import Floats, Integers
from semirank.dataset import Features, RankingDataset
from semirank.rankers.pair_weights import PairWeights
from semirank.rankers.ridge.pairs import Pairs


@dataclass(frozen=True)
class WeightedPairs(Pairs):
    """Labelled items with a Laplacian ``L = edges - sums' sums``.

    Attributes
    ----------
    item_weights : float64 array of shape (n_items,)
    edges : sparse array of shape (n_items, n_items)
    sums : sparse array of shape (n_lists, n_items)
        Empty where pairs are given one by one. Where items have weights, all pairs of a list count, and L is
        a diagonal but for one such row a list: no pair is visited.
    """

    rows: Integers
    lists: Integers
    indptr: Integers
    y: Floats
    item_weights: Floats
    edges: csr_array
    sums: csr_array

    @classmethod
    def of_pairs(cls, pairs: PairWeights, data: RankingDataset) -> Self:
        """Take pairs of rows of `data`, each with its weight."""
        counts = pairs.weights > 0
        ends = np.stack([pairs.better[counts], pairs.worse[counts]])
        rows, places = np.unique(ends, return_inverse=True)
        better, worse = places.reshape(ends.shape)
        weights, n_items = pairs.weights[counts], len(rows)
        joined = csr_array((weights, (better, worse)), shape=(n_items, n_items))
        joined += joined.T
        laplacian = csr_array(diags_array(joined.sum(axis=1)) - joined)
        lists, indptr = _lists_of(rows, data)
        once, nothing = np.ones(n_items), csr_array((len(lists), n_items))
        y = _relative(data.y[rows], once, indptr)
        return cls(rows, lists, indptr, y, once, laplacian, nothing)

    @classmethod
    def of_items(cls, weights: Floats, data: RankingDataset) -> Self:
        """Take all pairs of a list, the weight of a pair being the product of those of its items.

        The weights of the pairs of a list are divided by ``s (s - 1) / 2``, s being the sum of the weights of
        its items: a weight of 2 counts as an item that is given twice.
        """
        counted = np.where(weights > 0, data.y, np.nan)
        starts = data.indptr[:-1]
        teaches = np.fmin.reduceat(counted, starts) < np.fmax.reduceat(counted, starts)
        rows = np.flatnonzero(~np.isnan(counted) & teaches[data.list_of_item])
        lists, indptr = _lists_of(rows, data)
        u, sizes = weights[rows], np.diff(indptr)
        totals = _sum_lists(u, indptr)
        _refuse_small(totals, data.list_ids[lists])
        scaled = u * np.repeat(2.0 / (totals - 1.0), sizes)
        shares = u * np.repeat(np.sqrt(2.0 / (totals * (totals - 1.0))), sizes)
        sums = csr_array((shares, np.arange(len(rows)), indptr), shape=(len(lists), len(rows)))
        y = _relative(data.y[rows], u, indptr)
        return cls(rows, lists, indptr, y, u, csr_array(diags_array(scaled)), sums)

    def counts(self) -> Floats:
        """Return the weight of each item."""
        return self.item_weights

    def laplacian(self, values: Any) -> Any:
        """Return L times one value (or row) per item."""
        return self.edges @ values - self.sums.T @ (self.sums @ values)

    def normal_equations(self, features: Features) -> tuple[Floats, Floats]:
        """Return X'LX and X'Ly: as much work as L has entries, for each feature, and one product X'X."""
        features = features if issparse(features) else self._centred(features)
        sums = self.sums @ features
        gram = features.T @ (self.edges @ features) - sums.T @ sums
        return gram.toarray() if issparse(gram) else gram, features.T @ self.laplacian(self.y)

    def _centred(self, features: Floats) -> Floats:
        """Subtract the mean of each list, which changes nothing but rounding errors."""
        sizes = np.diff(self.indptr)
        means = np.add.reduceat(features, self.indptr[:-1], dtype=np.float64) / sizes[:, None]
        return features - np.repeat(means, sizes, axis=0)

    def spread(self, features: Features) -> float:
        """Return the trace of X'LX for one list."""
        sums = self.sums @ features
        own = features * (self.edges @ features)
        return float(own.sum() - (sums * sums).sum()) / self.n_lists

    def squared_error(self, k: int, residuals: Floats) -> Floats:
        """Return e'Le of list k."""
        edges, sums = self.part(k)
        totals = sums @ residuals.T
        return np.einsum("ri,ir->r", residuals, edges @ residuals.T) - (totals * totals).sum(axis=0)

    @property
    def one_by_one(self) -> bool:
        """Whether pairs were given, and not weights of items."""
        return self.sums.nnz == 0

    def part(self, k: int) -> tuple[csr_array, csr_array]:
        """Return the edges and sums of list k alone."""
        items = self.items(k)
        return self.edges[items][:, items], self.sums[k : k + 1][:, items]


def _lists_of(rows: Integers, data: RankingDataset) -> tuple[Integers, Integers]:
    """Return the lists that sorted rows stand in, and where each starts."""
    lists, counts = np.unique(data.list_of_item[rows], return_counts=True)
    return lists, np.concatenate([[0], np.cumsum(counts)])


def _sum_lists(values: Floats, indptr: Integers) -> Floats:
    return np.add.reduceat(values, indptr[:-1]) if len(values) else np.empty(0)


def _relative(y: Floats, counts: Floats, indptr: Integers) -> Floats:
    means = _sum_lists(counts * y, indptr) / _sum_lists(counts, indptr)
    return y - np.repeat(means, np.diff(indptr))


def _refuse_small(totals: Floats, list_ids: Any) -> None:
    if (totals <= 1.0).any():
        first = int(np.argmax(totals <= 1.0))
        raise ValueError(
            "sample_weight says how many times an item counts, and a list must count more than one; in list "
            f"{list_ids[first]!r} the weights sum to {totals[first]:g}. Multiply all weights by a number."
        )

"""The stump search against all stumps, one by one."""

import itertools

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from semirank.core.binning import bin_values
from semirank.core.stumps import sum_stumps
from semirank.rankers.solvers.columns import BinnedColumns, SortedColumns, columns_of

VALUES = st.sampled_from([-2.0, -0.5, 0.0, 0.0, 0.0, 1.0, 3.0])
KINDS = {
    "bins": lambda X: columns_of(X, np.arange(len(X)), 255),
    "sorted": lambda X: columns_of(X, np.arange(len(X)), None),
    "sparse": lambda X: columns_of(csr_array(X), np.arange(len(X)), 255),
}


def every_stump(X, signed):
    """Sum the signed weights above every threshold, lowest feature and then largest threshold first."""
    sums = []
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])[::-1]
        for high, low in itertools.pairwise(values):
            sums.append((j, (high + low) / 2, signed[X[:, j] >= high].sum()))
    return sums


def first_best(sums):
    best = None
    for stump in sums:
        if abs(stump[2]) > (abs(best[2]) if best else 0.0) + 1e-12:
            best = stump
    return best


def centred(rng, size, digits=None):
    signed = rng.normal(size=size) if digits is None else rng.normal(size=size).round(digits)
    signed[-1] -= signed.sum()
    return signed / max(np.abs(signed).sum(), 1.0)


def test_a_stump_does_not_hold_at_its_threshold():
    X = np.array([[1.0, 5.0], [np.nextafter(1.0, 2.0), 5.0], [0.0, 6.0]])
    scores = sum_stumps(X, np.array([0, 1]), np.array([1.0, 5.0]), np.array([2.0, 0.25]))
    assert scores.tolist() == [0.0, 2.0, 0.25]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=60, deadline=None)
@given(
    X=arrays(float, st.tuples(st.integers(2, 9), st.integers(1, 10)), elements=VALUES),
    seed=st.integers(0, 999),
)
def test_finds_the_first_of_the_best_stumps(kind, X, seed):
    signed = centred(np.random.default_rng(seed), len(X), digits=0 if seed % 2 else None)
    columns = KINDS[kind](X)
    column, cut, total = columns.best(signed)
    expected = first_best(every_stump(X, signed))
    if expected is None:
        assert column == -1
        return
    assert total == pytest.approx(expected[2], abs=1e-12)
    assert columns.stump(column, cut) == expected[:2]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=30, deadline=None)
@given(X=arrays(float, (8, 3), elements=VALUES), seed=st.integers(0, 999))
def test_raises_the_items_above_the_threshold_and_no_others(kind, X, seed):
    columns = KINDS[kind](X)
    column, cut, _total = columns.best(centred(np.random.default_rng(seed), len(X)))
    if column < 0:
        return
    scores = np.arange(8.0)
    columns.raise_above(column, cut, 0.5, scores)
    feature, threshold = columns.stump(column, cut)
    np.testing.assert_array_equal(scores, np.arange(8.0) + 0.5 * (X[:, feature] > threshold))


@pytest.mark.parametrize("kind", KINDS)
def test_one_thread_or_many(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 60)) * (rng.random((3000, 60)) < 0.9)
    signed = centred(rng, 3000)
    columns = KINDS[kind](X)
    many = columns.best(signed)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        assert columns.best(signed) == many
    finally:
        numba.set_num_threads(threads)


@pytest.mark.parametrize("n_bins", [2, 3, 10, 255])
@pytest.mark.parametrize("share_of_zeros", [0.0, 0.3, 0.95])
def test_dense_and_sparse_columns_have_the_same_thresholds(n_bins, share_of_zeros):
    rng = np.random.default_rng(n_bins)
    X = np.where(rng.random((600, 4)) < share_of_zeros, 0.0, rng.normal(size=(600, 4)))
    X[:, 3] = np.abs(X[:, 3])
    dense = BinnedColumns.of(X, np.arange(600), n_bins)
    sparse = SortedColumns.of(csr_array(X), np.arange(600), n_bins)
    for j, edges in enumerate(dense.edges):
        entries = slice(*sparse.indptr[j : j + 2])
        np.testing.assert_array_equal(sparse.thresholds[entries][sparse.cuts[entries]][::-1], edges)
        assert len(edges) < n_bins


def test_bins_hold_about_as_many_items_each():
    X = np.random.default_rng(0).lognormal(size=(10_000, 1))
    columns = BinnedColumns.of(X, np.arange(10_000), 50)
    np.testing.assert_allclose(np.bincount(columns.bins[0, :, 0]), 200, atol=1)


def test_no_more_values_than_bins_are_all_told_apart():
    X = np.repeat(np.arange(255.0), 7)[:, None]
    assert BinnedColumns.of(X, np.arange(len(X)), 255).edges[0].tolist() == (np.arange(254) + 0.5).tolist()


def test_a_large_table_is_binned_by_a_sample():
    X = np.random.default_rng(0).normal(size=(450_000, 1))
    counts = np.bincount(BinnedColumns.of(X, np.arange(len(X)), 10).bins[0, :, 0])
    np.testing.assert_allclose(counts, 45_000, rtol=0.03)


@given(
    values=arrays(float, 30, elements=st.floats(-1e300, 1e300)),
    edges=st.lists(st.floats(-1e300, 1e300), max_size=254, unique=True).map(sorted),
)
def test_bins_count_the_edges_below(values, edges):
    bins = np.empty(30, dtype=np.uint8)
    bin_values(values, np.array(edges, dtype=float), bins)
    np.testing.assert_array_equal(bins, np.searchsorted(edges, values))


@pytest.mark.parametrize(
    "pair", [(1.0, np.nextafter(1.0, 2)), (-1e308, 1e308), (0.0, 5e-324), (-5e-324, 0.0)]
)
@pytest.mark.parametrize("n_bins", [255, None])
def test_a_threshold_tells_its_neighbours_apart_even_when_nothing_lies_between(pair, n_bins):
    X = np.array(pair)[:, None]
    columns = columns_of(X, np.arange(2), n_bins)
    column, cut, _ = columns.best(np.array([-0.5, 0.5]))
    threshold = columns.stump(column, cut)[1]
    assert pair[0] <= threshold < pair[1]


def test_the_largest_threshold_may_come_from_large_numbers():
    scores = sum_stumps(
        np.array([[1e308], [-1e308]]), np.array([0, 0]), np.array([0.0, -1.5e308]), np.array([1.0, 2.0])
    )
    assert scores.tolist() == [3.0, 2.0]

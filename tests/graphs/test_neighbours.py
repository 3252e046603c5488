"""Neighbours are the nearest items, exactly, whichever way they are searched for."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.neighbors import NearestNeighbors
from tests.oracles import distances_within_lists, nearest_by_sorting

from semirank.graphs import NeighbourIndex, neighbours, screening


def points(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


@pytest.fixture
def always_by_products(monkeypatch):
    """Search every list by blocks of inner products, in blocks small enough to have several."""
    monkeypatch.setattr(neighbours, "MANY", 0)
    monkeypatch.setattr(screening, "BLOCK_ROWS", 16)
    monkeypatch.setattr(screening, "BLOCK_COLUMNS", 40)


@pytest.mark.parametrize("k", [1, 5, 59, 100])
def test_neighbours_are_those_of_sorting(k):
    X, indptr = points(60, 3), np.array([0, 1, 20, 20, 60])
    found = NeighbourIndex(X, indptr=indptr).neighbours(k)
    expected = nearest_by_sorting(distances_within_lists(X, indptr), min(k, 39))
    np.testing.assert_array_equal(found.indices, expected)
    assert found.recall == 1.0


def test_products_and_differences_agree_bit_for_bit(always_by_products, monkeypatch):
    X, indptr = points(150, 7), np.array([0, 50, 150])
    by_products = NeighbourIndex(X, indptr=indptr).neighbours(6)
    monkeypatch.setattr(neighbours, "MANY", 1000)
    by_differences = NeighbourIndex(X, indptr=indptr).neighbours(6)
    np.testing.assert_array_equal(by_products.indices, by_differences.indices)
    np.testing.assert_array_equal(by_products.distances, by_differences.distances)


@pytest.mark.parametrize("shift", [0.0, 1e6])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_products_are_exact_far_from_the_origin_and_at_any_size(always_by_products, shift, scale):
    X = (points(200, 5) + shift) * scale
    expected = nearest_by_sorting(distances_within_lists(X / scale, [0, 200]), 8)
    np.testing.assert_array_equal(NeighbourIndex(X).neighbours(8).indices, expected)


def test_products_settle_ties_and_duplicates_by_row(always_by_products):
    grid = np.stack(np.meshgrid(np.arange(12.0), np.arange(12.0)), axis=-1).reshape(-1, 2)
    X = np.concatenate([grid, grid[:50], np.full((60, 2), 3.0)])
    expected = nearest_by_sorting(distances_within_lists(X, [0, len(X)]), 10)
    np.testing.assert_array_equal(NeighbourIndex(X).neighbours(10).indices, expected)


def test_one_far_outlier_does_not_blur_the_rest(always_by_products):
    X = points(300, 4)
    X[17] = 1e9
    expected = nearest_by_sorting(distances_within_lists(X, [0, 300]), 5)
    np.testing.assert_array_equal(NeighbourIndex(X).neighbours(5).indices, expected)


def test_many_points_agree_with_a_brute_force_peer():
    X = points(3000, 16).astype(np.float32)
    found = NeighbourIndex(X).neighbours(10)
    peer = NearestNeighbors(n_neighbors=10, algorithm="brute").fit(X.astype(np.float64))
    distances, indices = peer.kneighbors()
    np.testing.assert_array_equal(found.indices, indices)
    np.testing.assert_allclose(found.distances, distances, rtol=1e-6)


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_sparse_and_dense_agree(distance):
    rng = np.random.default_rng(1)
    X = rng.random((80, 30)) * (rng.random((80, 30)) < 0.2)
    X[5] = 0.0
    indptr = [0, 30, 80]
    dense = NeighbourIndex(X, distance=distance, indptr=indptr).neighbours(4)
    sparse = NeighbourIndex(csr_array(X), distance=distance, indptr=indptr).neighbours(4)
    np.testing.assert_allclose(dense.distances, sparse.distances, atol=1e-7)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_query_finds_the_nearest_items_of_the_named_list(as_sparse):
    X, new, indptr = points(90, 3), points(7, 3, seed=2), np.array([0, 30, 90])
    lists = np.array([0, 1, 1, 0, 1, 0, 0])
    index = NeighbourIndex(csr_array(X) if as_sparse else X, indptr=indptr)
    found = index.query(new, 5, lists=lists)
    for row, (point, q) in enumerate(zip(new, lists, strict=True)):
        part = np.arange(indptr[q], indptr[q + 1])
        distances = np.linalg.norm(X[part] - point, axis=1)
        np.testing.assert_array_equal(found.indices[row], part[np.argsort(distances)[:5]])
        np.testing.assert_allclose(found.distances[row], np.sort(distances)[:5], atol=1e-7)


@pytest.mark.parametrize("many", [0, 10_000])
def test_rows_of_one_list_and_rows_of_all_can_ask_together(many, monkeypatch):
    monkeypatch.setattr(neighbours, "MANY", many)
    X, new, lists = points(90, 3), points(8, 3, seed=2), np.array([0, -1, 1, -1, 0, 0, -1, 1])
    index = NeighbourIndex(X, indptr=[0, 30, 90])
    together = index.query(new, 4, lists=lists)
    for number in (-1, 0, 1):
        asked = None if number < 0 else np.full((lists == number).sum(), number)
        alone = index.query(new[lists == number], 4, lists=asked)
        np.testing.assert_array_equal(together.indices[lists == number], alone.indices)
        np.testing.assert_array_equal(together.distances[lists == number], alone.distances)


@pytest.mark.parametrize("recall", [0.8, 0.95, 0.99])
def test_a_long_search_finds_the_share_of_neighbours_that_it_reports(monkeypatch, recall):
    monkeypatch.setattr(neighbours, "LONG", 0)
    X, indptr = points(9000, 4), np.array([0, 6000, 9000])
    found = NeighbourIndex(X, indptr=indptr, recall=recall).neighbours(10)
    exact = NeighbourIndex(X, indptr=indptr, recall=1.0).neighbours(10)
    hits = (found.indices[:, :, None] == exact.indices[:, None, :]).any(axis=2)
    share = min(hits[:6000].mean(), hits[6000:].mean())
    assert recall - 0.005 < share < 1.0
    assert found.recall == pytest.approx(share, abs=0.03)
    assert exact.recall == 1.0
    assert (found.distances >= exact.distances).all()


def test_a_long_query_is_approximate_too(monkeypatch):
    monkeypatch.setattr(neighbours, "LONG", 0)
    X, new = points(5000, 4), points(1000, 4, seed=3)
    found, exact = (NeighbourIndex(X, recall=recall).query(new, 5) for recall in (0.95, 1.0))
    assert 0.94 < (found.indices[:, :, None] == exact.indices[:, None, :]).any(axis=2).mean() < 1.0


def test_one_item_alone_can_make_a_long_query(monkeypatch):
    monkeypatch.setattr(neighbours, "LONG", 0)
    X, new = points(5000, 4), points(1, 4, seed=3)
    expected = np.linalg.norm(X - new, axis=1).argsort()[:5]
    np.testing.assert_array_equal(NeighbourIndex(X, recall=0.95).query(new, 5).indices[0], expected)


def test_a_long_search_in_clumps_looks_into_one_cell(monkeypatch):
    """Every cell of k-means is a clump, and holds all neighbours of its items."""
    monkeypatch.setattr(neighbours, "LONG", 0)
    centres = 30.0 * np.stack(np.meshgrid(np.arange(5.0), np.arange(10.0)), axis=-1).reshape(-1, 2)
    X = np.repeat(centres, 50, axis=0) + points(2500, 2)
    found = NeighbourIndex(X, recall=0.95).neighbours(3)
    np.testing.assert_array_equal(found.indices, NeighbourIndex(X, recall=1.0).neighbours(3).indices)


def test_a_long_search_among_duplicates(monkeypatch):
    monkeypatch.setattr(neighbours, "LONG", 0)
    X = np.concatenate([np.ones((3000, 2)), points(500, 2)])
    found = NeighbourIndex(X).neighbours(5)
    assert (found.indices >= 0).all()
    np.testing.assert_array_equal(found.distances[:3000], 0.0)


def test_points_without_structure_are_searched_exactly(monkeypatch):
    """Where nearly all cells would have to be visited, an exact search is as quick."""
    monkeypatch.setattr(neighbours, "LONG", 0)
    assert NeighbourIndex(points(2500, 60)).neighbours(5).recall == 1.0


def test_dense_and_sparse_can_ask_each_other():
    X = points(30, 4)
    for kept, asked in ((X, csr_array(X)), (csr_array(X), X)):
        np.testing.assert_array_equal(NeighbourIndex(kept).query(asked, 1).indices[:, 0], np.arange(30))


def test_query_by_products(always_by_products):
    X, new = points(200, 3), points(40, 3, seed=2)
    np.testing.assert_array_equal(
        NeighbourIndex(X).query(new, 3).indices,
        np.argsort(np.linalg.norm(new[:, None] - X[None], axis=2), axis=1)[:, :3],
    )


@pytest.mark.parametrize("length", [0, np.inf])
def test_the_number_of_threads_changes_no_bit(always_by_products, monkeypatch, length):
    monkeypatch.setattr(neighbours, "LONG", length)
    X = np.repeat(points(400, 3), 3, axis=0)
    many = NeighbourIndex(X).neighbours(4)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    single = NeighbourIndex(X).neighbours(4)
    numba.set_num_threads(before)
    assert (many.recall < 1.0) == (length == 0)
    np.testing.assert_array_equal(many.indices, single.indices)
    np.testing.assert_array_equal(many.distances, single.distances)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=40),
    st.integers(1, 8),
    st.booleans(),
)
def test_integer_points_with_ties_are_those_of_sorting(rows, k, by_products):
    X = np.array(rows, dtype=float)
    threshold, neighbours.MANY = neighbours.MANY, 0 if by_products else 10_000
    try:
        found = NeighbourIndex(X).neighbours(k)
    finally:
        neighbours.MANY = threshold
    expected = nearest_by_sorting(distances_within_lists(X, [0, len(X)]), k)[:, : len(X) - 1]
    np.testing.assert_array_equal(found.indices, expected)


@pytest.mark.parametrize(
    ("X", "options", "message"),
    [
        ([[1.0], [np.nan]], {}, "row 1"),
        (csr_array([[1.0, 0.0], [0.0, np.nan]]), {}, "row 1"),
        (np.empty((0, 2)), {}, "no rows"),
        ([[1.0]], {"distance": "manhattan"}, "distance must be 'euclidean' or 'cosine'; got 'manhattan'"),
        ([[1.0]], {"recall": 0.0}, r"recall must be a number in \(0, 1\]; got 0.0"),
        ([[1.0]], {"indptr": [0, 2]}, "from 0 to 1"),
        ([[1.0], [2.0]], {"indptr": [0, 2, 1, 2]}, "must not decrease"),
    ],
)
def test_what_is_no_collection_of_points_is_refused(X, options, message):
    with pytest.raises(ValueError, match=message):
        NeighbourIndex(X, **options)


def test_a_query_of_the_wrong_width_is_refused():
    with pytest.raises(ValueError, match="X has 3 features; the index has 2"):
        NeighbourIndex(points(5, 2)).query(points(1, 3), 1)

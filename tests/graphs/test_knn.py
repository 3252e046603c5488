"""The graph of nearest neighbours and its weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import cosine_similarity
from tests.oracles import distances_within_lists, union_of_nearest

from semirank.graphs import NeighbourIndex, components, degrees, knn_graph, normalised


def points(n, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def is_graph(W):
    return (W.toarray() == W.toarray().T).all() and (W.data > 0).all() and (W.diagonal() == 0).all()


def test_edges_are_the_union_of_neighbours():
    X, indptr = points(50), [0, 4, 25, 50]
    joined = union_of_nearest(distances_within_lists(X, indptr), 5)
    W = knn_graph(X, 5, weights="binary", indptr=indptr)
    np.testing.assert_array_equal(W.toarray(), joined.astype(float))


def test_gaussian_weights_follow_the_formula_up_to_a_factor():
    X = points(40)
    distances = distances_within_lists(X, [0, 40])
    joined = union_of_nearest(distances, 6)
    expected = np.where(joined, np.exp(-(distances**2) / (2 * 0.7**2)), 0.0)
    W = knn_graph(X, 6, sigma=0.7).toarray()
    np.testing.assert_allclose(W / W.max(), expected / expected.max(), rtol=1e-12)


def test_the_median_width_is_that_of_the_edges_of_a_list():
    X, indptr = points(45), [0, 20, 45]
    distances = distances_within_lists(X, indptr)
    joined = union_of_nearest(distances, 4)
    W = knn_graph(X, 4, indptr=indptr)
    for start, stop in ((0, 20), (20, 45)):
        block = np.s_[start:stop, start:stop]
        sigma = np.median(distances[block][joined[block]])
        alone = knn_graph(X[start:stop], 4, sigma=sigma)
        np.testing.assert_allclose(W[block].toarray(), alone.toarray(), rtol=1e-10)


def test_local_weights_follow_the_formula():
    X = points(40)
    distances = distances_within_lists(X, [0, 40])
    radii = np.sort(distances, axis=1)[:, 5]
    joined = union_of_nearest(distances, 6)
    expected = np.where(joined, np.exp(-(distances**2) / np.outer(radii, radii)), 0.0)
    np.testing.assert_allclose(knn_graph(X, 6, sigma="local").toarray(), expected, rtol=1e-12)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_cosine_weights_are_the_similarities(as_sparse):
    rng = np.random.default_rng(0)
    X = rng.random((60, 20)) * (rng.random((60, 20)) < 0.3)
    X[[3, 9]] = 0.0
    similarity = cosine_similarity(X)
    np.fill_diagonal(similarity, 0.0)
    joined = union_of_nearest(np.where(similarity > 0.0, 1.0 - similarity, np.inf), 4)
    W = knn_graph(csr_array(X) if as_sparse else X, 4, distance="cosine")
    np.testing.assert_allclose(W.toarray(), np.where(joined, similarity, 0.0), atol=1e-12)
    np.testing.assert_array_equal(degrees(W)[[3, 9]], 0.0)


def test_dissimilar_items_are_no_neighbours():
    W = knn_graph([[1.0, 0.0], [-1.0, 0.1], [-1.0, -0.1]], 2, distance="cosine")
    assert W.nnz == 2
    assert W[1, 2] > 0.9


@pytest.mark.parametrize("sigma", ["median", "local", 0.5])
def test_duplicates_have_the_largest_weight(sigma):
    X = np.concatenate([np.zeros((8, 2)), points(20, 2)])
    W = knn_graph(X, 3, sigma=sigma)
    assert is_graph(W)
    assert np.isfinite(W.data).all()
    assert W.toarray()[:8, :8].max() == W.data.max() == 1.0


@pytest.mark.parametrize("sigma", ["median", "local", 0.5])
def test_only_duplicates(sigma):
    W = knn_graph(np.ones((5, 2)), 4, sigma=sigma)
    np.testing.assert_array_equal(W.toarray(), 1.0 - np.eye(5))


def test_one_item_has_no_edges():
    assert knn_graph([[1.0, 2.0]]).nnz == 0


def test_a_small_list_is_joined_completely():
    assert knn_graph(points(5), 10, weights="binary").nnz == 20


def test_a_tiny_sigma_leaves_the_shortest_edge():
    X = points(50)
    S = normalised(knn_graph(X, 5, sigma=1e-3))
    assert np.isfinite(S.data).all()
    assert S.nnz > 0


def test_join_makes_every_list_one_component():
    X = np.concatenate([points(20), points(20) + 50, points(10) + 90, points(30)])
    indptr = [0, 50, 80]
    assert components(knn_graph(X, 3, indptr=indptr)).max() > 1
    joined = knn_graph(X, 3, sigma="local", join=True, indptr=indptr)
    assert is_graph(joined)
    assert components(joined).max() == 1


def test_an_index_gives_the_same_graph():
    X = points(30)
    np.testing.assert_array_equal(knn_graph(NeighbourIndex(X), 4).toarray(), knn_graph(X, 4).toarray())


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 25), st.integers(1, 8), st.sampled_from(["median", "local", 0.3]), st.integers(0, 9))
def test_laws(n, k, sigma, seed):
    """A graph; lists together as apart; the order of the items does not matter."""
    X, other = points(n, seed=seed), points(7, seed=seed + 100)
    W = knn_graph(X, k, sigma=sigma)
    assert is_graph(W)
    both = knn_graph(np.concatenate([other, X]), k, sigma=sigma, indptr=[0, 7, 7 + n])
    np.testing.assert_array_equal(both[7:, 7:].toarray(), W.toarray())
    assert both[:7, 7:].nnz == 0
    order = np.random.default_rng(seed).permutation(n)
    np.testing.assert_array_equal(knn_graph(X[order], k, sigma=sigma).toarray(), W.toarray()[order][:, order])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_neighbors": 0}, "n_neighbors must be a whole number of at least 1; got 0"),
        ({"n_neighbors": 2.5}, "n_neighbors"),
        ({"sigma": 0.0}, "sigma must be a positive number or 'median' or 'local'; got 0.0"),
        ({"sigma": "wide"}, "sigma"),
        ({"sigma": np.nan}, "sigma"),
        ({"weights": "heavy"}, "weights"),
        ({"weights": "cosine"}, "needs distance='cosine'"),
    ],
)
def test_parameters_outside_their_limits_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        knn_graph(points(5), **options)

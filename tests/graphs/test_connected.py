"""Graphs of all pairs, and the joining of components."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import cosine_similarity
from tests.oracles import longest_tree_edge

from semirank.graphs import (
    NeighbourIndex,
    components,
    connected_graph,
    full_graph,
    inner_graph,
    join_components,
    knn_graph,
)
from semirank.graphs.components import joining_edges


def points(n, d=2, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def rbf(X, sigma):
    W = np.exp(-(cdist(X, X) ** 2) / (2 * sigma**2))
    np.fill_diagonal(W, 0.0)
    return W


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("n", [2, 30, 120])
def test_connected_graph_is_cut_at_the_longest_tree_edge(n, as_sparse):
    X = points(n)
    expected = np.where(cdist(X, X) <= longest_tree_edge(X) * (1 + 1e-9), rbf(X, 0.5), 0.0)
    W = connected_graph(csr_array(X) if as_sparse else X, sigma=0.5).toarray()
    np.testing.assert_allclose(W / W.max(), expected / expected.max(), rtol=1e-9)


def test_the_tree_of_all_points_is_the_minimum_spanning_tree():
    X = points(200, 3)
    rows, columns, squared = joining_edges(csr_array((200, 200)), NeighbourIndex(X))
    tree = minimum_spanning_tree(cdist(X, X)).tocoo()
    edges = {tuple(sorted(edge)) for edge in zip(tree.row, tree.col, strict=True)}
    assert set(zip(rows.tolist(), columns.tolist(), strict=True)) == edges
    np.testing.assert_allclose(np.sqrt(squared).sum(), tree.data.sum())


def test_ties_on_a_grid_are_all_included():
    grid = np.stack(np.meshgrid(np.arange(5), np.arange(4)), axis=-1).reshape(-1, 2) * 0.1
    W = connected_graph(grid)
    order = np.random.default_rng(0).permutation(20)
    shuffled = connected_graph(grid[order])
    assert W.nnz == 2 * (4 * 4 + 5 * 3)
    assert ((W.toarray() > 0)[order][:, order] == (shuffled.toarray() > 0)).all()


@pytest.mark.parametrize("build", [connected_graph, full_graph, inner_graph])
def test_lists_together_are_lists_apart(build):
    X = np.abs(points(40, 3))
    together = build(X, indptr=[0, 15, 15, 40])
    np.testing.assert_array_equal(together[:15, :15].toarray(), build(X[:15]).toarray())
    np.testing.assert_array_equal(together[15:, 15:].toarray(), build(X[15:]).toarray())
    assert together[:15, 15:].nnz == 0


@pytest.mark.parametrize("build", [connected_graph, full_graph, inner_graph])
def test_one_point_and_duplicates(build):
    assert build([[1.0, 2.0]]).nnz == 0
    np.testing.assert_allclose(build(np.ones((4, 2))).toarray(), 1.0 - np.eye(4))


def test_full_graph_joins_all_pairs():
    X = points(30)
    pairs = cdist(X, X)[np.triu_indices(30, 1)]
    W, expected = full_graph(X).toarray(), rbf(X, np.median(pairs))
    np.testing.assert_allclose(W / W.max(), expected / expected.max(), rtol=1e-10)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_inner_graph_is_the_cosine_without_negatives(as_sparse):
    X = points(30, 4)
    X[3] = 0.0
    expected = np.maximum(cosine_similarity(X), 0.0)
    np.fill_diagonal(expected, 0.0)
    W = inner_graph(csr_array(X) if as_sparse else X)
    np.testing.assert_allclose(W.toarray(), expected, atol=1e-12)
    assert (W != W.T).nnz == 0


def test_an_outlier_that_joins_everything_is_refused_with_the_number_of_edges():
    X = np.concatenate([points(50), [[100.0, 0.0]]])
    n_edges = connected_graph(X, sigma=100.0).nnz
    with pytest.raises(ValueError, match=f"would have {n_edges} entries, more than max_edges=100"):
        connected_graph(X, sigma=100.0, max_edges=100)
    with pytest.raises(ValueError, match="would have 2550 entries"):
        full_graph(X, max_edges=100)
    with pytest.raises(ValueError, match="would have 2550 entries"):
        inner_graph(X, max_edges=100)


@pytest.mark.parametrize("build", [connected_graph, full_graph])
def test_sigma_outside_its_limits_is_refused(build):
    with pytest.raises(ValueError, match="sigma must be a positive number or 'median'; got 'local'"):
        build(points(4), sigma="local")


def test_joined_components_have_the_shortest_edges_between_them():
    X = np.array([[0.0], [1.0], [10.0], [11.5], [30.0], [31.0]])
    graph = knn_graph(X, 1, weights="binary")
    joined = join_components(graph, X, weight=0.25)
    added = (joined - graph).tocoo()
    assert sorted(zip(added.row.tolist(), added.col.tolist(), strict=True)) == [
        (1, 2),
        (2, 1),
        (3, 4),
        (4, 3),
    ]
    np.testing.assert_array_equal(added.data, 0.25)


def test_joining_an_empty_graph_gives_trees_of_lists():
    X = points(20)
    joined = join_components(csr_array((20, 20)), X, indptr=[0, 8, 20])
    assert joined.nnz == 2 * (7 + 11)
    np.testing.assert_array_equal(components(joined), np.repeat([0, 1], [8, 12]))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=2, max_size=30), st.integers(0, 3))
def test_joined_edges_are_a_minimum_spanning_tree_in_spite_of_ties(values, step):
    """Tied and duplicate points: as many edges as a tree has, and of the least total length."""
    X = np.array(values, dtype=float)[:, None] * (1 + step)
    rows, columns, squared = joining_edges(csr_array((len(X), len(X))), NeighbourIndex(X))
    assert len(rows) == len(X) - 1
    np.testing.assert_allclose(np.sqrt(squared).sum(), X.max() - X.min())
    np.testing.assert_allclose(np.abs(X[rows] - X[columns]).ravel(), np.sqrt(squared))

"""Matrices of a graph, and what is no graph."""

import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix
from scipy.sparse.csgraph import laplacian as scipy_laplacian
from tests.oracles import normalised_graph

from semirank.graphs import check_graph, degrees, laplacian, normalised, random_walk


@pytest.fixture
def weights():
    rng = np.random.default_rng(0)
    W = np.triu(rng.random((12, 12)) * (rng.random((12, 12)) < 0.4), 1)
    W[4], W[:, 4] = 0.0, 0.0
    return W + W.T


def test_normalised(weights):
    np.testing.assert_allclose(
        normalised(csr_array(weights)).toarray(), normalised_graph(weights), atol=1e-15
    )
    np.testing.assert_allclose(degrees(csr_array(weights)), weights.sum(axis=1))


def test_a_common_factor_cancels(weights):
    np.testing.assert_allclose(
        normalised(csr_array(weights * 1e-200)).toarray(), normalised_graph(weights), atol=1e-14
    )


def test_rows_of_the_random_walk_sum_to_one(weights):
    expected = np.where(np.arange(12) == 4, 0.0, 1.0)
    np.testing.assert_allclose(random_walk(csr_array(weights)).sum(axis=1), expected)


@pytest.mark.parametrize("normed", [False, True])
def test_laplacians_are_those_of_scipy(weights, normed):
    np.testing.assert_allclose(
        laplacian(csr_array(weights), normed=normed).toarray(),
        scipy_laplacian(weights, normed=normed),
        atol=1e-14,
    )


@pytest.mark.parametrize("kind", [np.asarray, csr_array, csr_matrix])
def test_a_graph_passes(weights, kind):
    graph = check_graph(kind(weights), 12)
    assert type(graph) is csr_array
    assert graph.dtype == np.float64
    np.testing.assert_array_equal(graph.toarray(), weights)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (((2, 7), 5.0), "not symmetric: edge 2 to 7 weighs 5"),
        (((3, 3), 1.0), "Item 3 is joined to itself"),
        (((1, 2), -1.0), "Edge 1 to 2 weighs -1: weights must not be negative"),
        (((1, 2), np.nan), "Edge 1 to 2 weighs nan: weights must be finite"),
        (((1, 2), np.inf), "Edge 1 to 2 weighs inf"),
    ],
)
def test_the_first_bad_entry_is_named(weights, change, message):
    weights[change[0]] = change[1]
    with pytest.raises(ValueError, match=message):
        check_graph(csr_array(weights))


@pytest.mark.parametrize(
    ("matrix", "options", "message"),
    [
        (np.zeros((2, 3)), {}, r"square matrix; got shape \(2, 3\)"),
        ([1.0, 2.0], {}, "square matrix"),
        (csr_array((3, 3)), {"n_items": 4}, "joins 3 items, but there are 4"),
        (csr_array([[0.0, 1.0], [1.0, 0.0]]), {"indptr": [0, 1, 2]}, "Edge 0 to 1 joins two lists"),
    ],
)
def test_what_is_no_graph_of_these_items_is_refused(matrix, options, message):
    with pytest.raises(ValueError, match=message):
        check_graph(matrix, **options)

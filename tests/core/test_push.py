"""Local pushes against the exact scores."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.oracles import diffused

from semirank.graphs import Diffusion, knn_graph


@pytest.fixture(scope="module")
def graph():
    return knn_graph(np.random.default_rng(0).normal(size=(800, 4)), 6)


def exact_scores(graph, items, labels, alpha, power):
    y = np.zeros(graph.shape[0])
    y[items] = labels
    W = graph.toarray()
    return diffused(W, y, alpha) * W.sum(axis=1) ** -power


@pytest.mark.parametrize("power", [0.0, 0.5])
@pytest.mark.parametrize("alpha", [0.5, 0.9, 0.99])
def test_the_top_is_that_of_the_exact_scores(graph, alpha, power):
    expected = exact_scores(graph, [5], [1.0], alpha, power)
    top = Diffusion(graph).top([5], [1.0], 20, alpha, degree_correction=power, tol=1e-4)
    best = np.argsort(-expected)[:20]
    assert set(top.items) == set(best)
    np.testing.assert_allclose(top.scores, expected[top.items], rtol=1e-3)
    assert (np.diff(top.scores) <= 0).all()


@pytest.mark.parametrize("tol", [0.5, 0.1, 1e-3])
def test_no_score_is_more_wrong_than_the_bound(graph, tol):
    items, labels = [5, 90, 333], [1.0, 0.5, -0.7]
    expected = exact_scores(graph, items, labels, 0.95, 0.5)
    top = Diffusion(graph).top(items, labels, 800, 0.95, tol=tol)
    wrong = np.abs(top.scores - expected[top.items]).max()
    assert 0.0 < wrong <= top.bound


def test_few_items_are_visited_when_few_matter(graph):
    top = Diffusion(graph).top([5], [1.0], 5, 0.5)
    assert top.reached < 200


def test_an_item_without_edges_finds_itself_alone():
    graph = csr_array((4, 4))
    top = Diffusion(graph).top([2], [1.5], 3)
    np.testing.assert_array_equal(top.items, [2])
    np.testing.assert_array_equal(top.scores, [1.5])
    assert top.bound == 0.0


def test_a_component_smaller_than_asked_for_is_returned_whole():
    W = np.zeros((6, 6))
    W[0, 1] = W[1, 0] = W[1, 2] = W[2, 1] = 1.0
    top = Diffusion(csr_array(W)).top([0], [1.0], 5, 0.9)
    assert set(top.items) == {0, 1, 2}
    degrees = W.sum(axis=1)[top.items]
    expected = diffused(W, np.array([1.0, 0, 0, 0, 0, 0]), 0.9)[top.items] / np.sqrt(degrees)
    np.testing.assert_allclose(top.scores, expected, atol=top.bound)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 799), st.floats(0.1, 0.97), st.integers(1, 30))
def test_bounds_hold_for_any_label(graph, item, alpha, k):
    expected = exact_scores(graph, [item], [1.0], alpha, 0.5)
    top = Diffusion(graph).top([item], [1.0], k, alpha)
    assert (np.abs(top.scores - expected[top.items]) <= top.bound * (1 + 1e-9)).all()
    kth = np.sort(expected)[-k]
    assert (expected[top.items] >= kth - 2 * top.bound).all()

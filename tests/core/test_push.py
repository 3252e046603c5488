"""Local answers against the exact scores."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.oracles import diffused, normalised_graph

from semirank.core.diffusion import Sparse
from semirank.core.push import induced, push_out
from semirank.graphs import Diffusion, knn_graph, normalised, push

N_ITEMS = 800


@pytest.fixture(scope="module")
def graph():
    return knn_graph(np.random.default_rng(0).normal(size=(N_ITEMS, 4)), 6)


@pytest.fixture
def small_steps(monkeypatch):
    """Let neighbourhoods grow and stop on a small graph as they do on a large one."""
    monkeypatch.setattr(push, "FIRST", 20)
    monkeypatch.setattr(push, "LEAST", 60)
    monkeypatch.setattr(push, "LEAST_PER_ITEM", 3)


def exact_scores(graph, items, labels, alpha, power):
    y = np.zeros(graph.shape[0])
    y[items] = labels
    W = graph.toarray()
    return diffused(W, y, alpha) * W.sum(axis=1) ** -power


def parts(graph):
    S = normalised(graph)
    return Sparse(S.indptr.astype(np.uint64), S.indices.astype(np.uint32), S.data)


def test_what_is_pushed_outwards_is_the_residual(graph):
    S, rows = normalised_graph(graph.toarray()), np.arange(100, 140)
    f = np.random.default_rng(1).normal(size=40)
    state, pushed, touched = (
        np.zeros(N_ITEMS, np.uint8),
        np.full(N_ITEMS, np.nan),
        np.empty(N_ITEMS, np.int64),
    )
    n_touched = push_out(parts(graph), rows, f, 0.9, state, pushed, touched)
    expected = 0.9 * S[:, rows] @ f
    outside = np.setdiff1d(np.flatnonzero((S[:, rows] > 0).any(axis=1)), rows)
    np.testing.assert_array_equal(np.sort(touched[:n_touched]), outside)
    np.testing.assert_allclose(pushed[outside], expected[outside], atol=1e-15)
    assert not state.any()


def test_the_induced_part_is_the_submatrix(graph):
    rows, place = np.random.default_rng(1).permutation(N_ITEMS)[:90], np.zeros(N_ITEMS, np.int32)
    W, S = graph.toarray(), normalised(graph).toarray()
    part, loops = induced(parts(graph), np.sqrt(W.sum(axis=1)), rows, 0.3, place)
    matrix = csr_array((part.weights, part.indices.astype(int), part.indptr.astype(int)), shape=(90, 90))
    leaving = 1.0 - W[rows][:, rows].sum(axis=1) / W[rows].sum(axis=1)
    np.testing.assert_allclose(loops, 0.3 * leaving, atol=1e-14)
    np.testing.assert_allclose(matrix.toarray(), S[rows][:, rows] + np.diag(loops), atol=1e-14)
    assert not place.any()


@pytest.mark.parametrize("power", [0.0, 0.5])
@pytest.mark.parametrize("alpha", [0.5, 0.9, 0.99])
def test_the_top_is_that_of_the_exact_scores(graph, alpha, power):
    expected = exact_scores(graph, [5], [1.0], alpha, power)
    top = Diffusion(graph).top([5], [1.0], 20, alpha, degree_correction=power)
    best = np.argsort(-expected)[:20]
    assert set(top.items) == set(best)
    np.testing.assert_allclose(top.scores, expected[top.items], rtol=2e-3)
    assert (np.diff(top.scores) <= 0).all()


@pytest.mark.parametrize("tol", [1.0, 0.1, 0.0])
def test_no_score_is_more_wrong_than_the_bound(graph, small_steps, tol):
    items, labels = [5, 90, 333], [1.0, 0.5, -0.7]
    expected = exact_scores(graph, items, labels, 0.95, 0.5)
    top = Diffusion(graph).top(items, labels, 30, 0.95, tol=tol)
    wrong = np.abs(top.scores - expected[top.items]).max()
    assert 0.0 < wrong <= top.bound


def test_few_items_are_visited_when_few_matter(graph, small_steps):
    near = Diffusion(graph).top([5], [1.0], 5, 0.5)
    far = Diffusion(graph).top([5], [1.0], 5, 0.99, tol=0.0)
    assert near.reached < N_ITEMS / 4
    assert near.reached <= far.reached


def test_a_lower_tol_finds_more_of_the_best(graph, small_steps):
    system, found = Diffusion(graph), {}
    for tol in (1.0, 0.0):
        hits = []
        for item in range(0, N_ITEMS, 40):
            best = np.argsort(-exact_scores(graph, [item], [1.0], 0.99, 0.5))[:20]
            hits.append(np.isin(best, system.top([item], [1.0], 20, 0.99, tol=tol).items).mean())
        found[tol] = np.mean(hits)
    assert found[1.0] < found[0.0]
    assert found[0.0] > 0.97


def test_an_item_without_edges_finds_itself_alone():
    top = Diffusion(csr_array((4, 4))).top([2], [1.5], 3)
    np.testing.assert_array_equal(top.items, [2])
    np.testing.assert_array_equal(top.scores, [1.5])
    assert top.bound == 0.0


def test_a_component_smaller_than_asked_for_is_returned_whole():
    W = np.zeros((6, 6))
    W[0, 1] = W[1, 0] = W[1, 2] = W[2, 1] = 1.0
    top = Diffusion(csr_array(W)).top([0], [1.0], 5, 0.9)
    assert set(top.items) == {0, 1, 2}
    assert top.reached == 3
    degrees = W.sum(axis=1)[top.items]
    expected = diffused(W, np.array([1.0, 0, 0, 0, 0, 0]), 0.9)[top.items] / np.sqrt(degrees)
    np.testing.assert_allclose(top.scores, expected, atol=1e-3)


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, N_ITEMS - 1), st.floats(0.1, 0.97), st.integers(1, 30))
def test_bounds_hold_for_any_label(graph, small_steps, item, alpha, k):
    expected = exact_scores(graph, [item], [1.0], alpha, 0.5)
    top = Diffusion(graph).top([item], [1.0], k, alpha)
    assert (np.abs(top.scores - expected[top.items]) <= top.bound * (1 + 1e-9)).all()
    kth = np.sort(expected)[-k]
    assert (expected[top.items] >= kth - 2 * top.bound).all()

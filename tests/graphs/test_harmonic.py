"""Continued values against a generic minimiser, against repeated averaging, and their range."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array

from semirank.graphs import harmonic as room
from semirank.graphs import knn_graph, laplacian
from semirank.graphs.harmonic import harmonic


def some_graph(seed, n=12, density=0.4):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    W[np.arange(n - 1), np.arange(1, n)] += 0.1  # a path, so that all is joined
    return W + W.T, np.isin(np.arange(n), rng.choice(n, 4, replace=False)), rng.normal(size=(4, 3))


def objective(W, F):
    return 0.5 * (W * ((F[:, None] - F[None]) ** 2).sum(axis=2)).sum()


@pytest.mark.parametrize("softness", [0.0, 0.3])
def test_it_minimises_the_differences_along_the_edges(softness):
    W, known, values = some_graph(0)

    def cost(flat):
        F = flat.reshape(-1, 3)
        if softness == 0.0:
            F = F.copy()
            F[known] = values
            return objective(W, F)
        return objective(W, F) + ((F[known] - values) ** 2).sum() / softness

    found = harmonic(csr_array(W), known, values, softness)
    least = minimize(cost, np.zeros(36), tol=1e-12)
    free = ~known if softness == 0.0 else np.ones(12, dtype=bool)
    np.testing.assert_allclose(found.values[free], least.x.reshape(-1, 3)[free], atol=1e-4)
    assert cost(found.values.ravel()) <= least.fun + 1e-12
    assert found.reached.all()


def test_it_is_the_limit_of_averaging():
    W, known, values = some_graph(1)
    F = np.zeros((12, 3))
    for _ in range(2000):
        F = W @ F / W.sum(axis=1, keepdims=True)
        F[known] = values
    np.testing.assert_allclose(harmonic(csr_array(W), known, values).values, F, atol=1e-9)


@pytest.mark.parametrize("softness", [0.0, 1.0])
@settings(deadline=None, max_examples=30)
@given(st.integers(0, 2**32 - 1))
def test_coordinates_stay_within_the_known_range(softness, seed):
    W, known, values = some_graph(seed)
    found = harmonic(csr_array(W), known, values, softness).values
    assert (found >= values.min(axis=0) - 1e-9).all()
    assert (found <= values.max(axis=0) + 1e-9).all()


@pytest.mark.parametrize("softness", [0.0, 1e-9])
def test_where_nothing_reaches_there_is_the_mean(softness):
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = W[3, 4] = W[4, 3] = 1.0
    known = np.array([True, False, True, False, False])
    found = harmonic(csr_array(W), known, np.array([[1.0], [4.0]]), softness)
    np.testing.assert_allclose(found.values.ravel(), [1.0, 1.0, 4.0, 2.5, 2.5], atol=1e-8)
    np.testing.assert_array_equal(found.reached, [True, True, True, False, False])


def test_little_softness_is_none():
    W, known, values = some_graph(2)
    hard, soft = (harmonic(csr_array(W), known, values, each).values for each in (0.0, 1e-9))
    np.testing.assert_allclose(soft, hard, atol=1e-7)


@pytest.mark.parametrize("most_steps", [1_000, 2])
def test_a_large_graph_is_solved_in_steps_or_by_factors(most_steps, monkeypatch):
    monkeypatch.setattr(room, "MOST_STEPS", most_steps)
    rng = np.random.default_rng(0)
    graph, known = knn_graph(rng.normal(size=(900, 3)), 8), np.arange(900) % 9 == 0
    values, L = rng.normal(size=(100, 2)), laplacian(graph, normed=False).toarray()
    expected = -np.linalg.solve(L[~known][:, ~known], L[~known][:, known] @ values)
    np.testing.assert_allclose(harmonic(graph, known, values).values[~known], expected, atol=1e-9)


def test_all_known():
    W, _, _ = some_graph(3, n=4)
    values = np.arange(8.0).reshape(4, 2)
    np.testing.assert_array_equal(harmonic(csr_array(W), np.ones(4, dtype=bool), values).values, values)

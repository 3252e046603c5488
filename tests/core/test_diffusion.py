"""The solvers against the dense closed form, and what they promise about lists, threads and stopping."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import block_diag
from scipy.sparse import csr_array
from tests.oracles import diffused, iterated, normalised_graph, personalised_pagerank

from semirank.core import diffusion
from semirank.core.diffusion import CHUNK, Components, deflate
from semirank.graphs import Diffusion, degrees, knn_graph

SOLVERS = ["closed", "iterate", "cg", "chebyshev"]


def random_weights(n, seed=0, n_edges=4):
    """Return a dense symmetric graph with about n_edges edges an item."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < n_edges / n), 1)
    return W + W.T


def one_label(n, item=0):
    return (np.arange(n) == item).astype(float)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("alpha", [0.01, 0.5, 0.99])
@pytest.mark.parametrize("n_columns", [None, 1, 2, 7, 40])
def test_solvers_reach_the_closed_form(solver, alpha, n_columns):
    W, rng = random_weights(60), np.random.default_rng(1)
    y = rng.normal(size=(60, n_columns or 1)) * (rng.random((60, 1)) < 0.3)
    y = y if n_columns else y[:, 0]
    solution = Diffusion(csr_array(W)).solve(y, alpha, solver=solver, tol=1e-10)
    expected = diffused(W, y, alpha)
    np.testing.assert_allclose(solution.scores, expected, atol=1e-8 * np.abs(expected).max())
    assert solution.scores.dtype == np.float64
    assert (solution.residual <= 1e-10).all()


@pytest.mark.parametrize("solver", ["cg", "chebyshev"])
@pytest.mark.parametrize("n_columns", [1, 6])
def test_alpha_very_near_one(solver, n_columns):
    W, rng = random_weights(60), np.random.default_rng(1)
    y = rng.normal(size=(60, n_columns)) * (rng.random((60, 1)) < 0.3)
    solution = Diffusion(csr_array(W)).solve(y, 0.9999, solver=solver, tol=1e-10)
    expected = diffused(W, y, 0.9999)
    np.testing.assert_allclose(solution.scores, expected, atol=1e-7 * np.abs(expected).max())
    assert solution.sweeps.max() < 3500  # the bound of Chebyshev is arccosh(1 / tol) / arccosh(1 / alpha)


@pytest.mark.parametrize("alpha", [0.3, 0.9, 0.99])
def test_sizes_and_shares_of_chebyshev_are_those_of_its_polynomials(alpha):
    """After t steps the residual along an eigenvector of S with the value s is T_t(s) / T_t(1 / alpha)."""
    for s in np.linspace(-1, 1, 9):
        r, p = 1.0, 1.0
        for t in range(12):
            size, share = diffusion._chebyshev(t, alpha)
            r -= size * (1 - alpha * s) * p
            p = r + share * p
            at = np.polynomial.chebyshev.Chebyshev.basis(t + 1)
            assert r == pytest.approx(at(s) / at(1 / alpha), abs=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 0.9, 0.99])
def test_chebyshev_needs_no_more_sweeps_than_its_bound(alpha):
    W = random_weights(400, n_edges=6)
    y = np.column_stack([one_label(400, i) for i in range(6)])
    found = Diffusion(csr_array(W)).solve(y, alpha, solver="chebyshev", tol=1e-4)
    bound = np.arccosh(1e4) / np.arccosh(1 / alpha)
    assert bound / 3 < found.sweeps.max() <= bound + 2


def test_columns_solved_side_by_side_are_those_solved_alone():
    W = random_weights(300, n_edges=8)
    y = np.column_stack([one_label(300, i) for i in range(20)])
    system = Diffusion(csr_array(W))
    together = system.solve(y, 0.99, tol=1e-10)
    for j in (0, 7, 19):
        np.testing.assert_allclose(
            together.scores[:, j], system.solve(y[:, j], 0.99, tol=1e-10).scores, atol=1e-8
        )


@pytest.mark.parametrize("solver", ["iterate", "cg", "chebyshev"])
@pytest.mark.parametrize("tol", [1e-2, 1e-6, 1e-9])
def test_the_reported_residual_is_true_and_below_tol(solver, tol):
    W = random_weights(300, n_edges=8)
    y = np.column_stack([one_label(300, i) for i in range(5)])
    solution = Diffusion(csr_array(W)).solve(y, 0.99, solver=solver, tol=tol)
    left = np.linalg.norm(y - solution.scores + 0.99 * normalised_graph(W) @ solution.scores, axis=0)
    assert (left <= solution.residual[0] * (1 + 1e-6) + 1e-14).all()
    assert (solution.residual <= tol).all()


@pytest.mark.parametrize("solver", ["cg", "chebyshev"])
def test_long_lists_of_several_chunks(solver):
    n = 2 * CHUNK + 300
    W = random_weights(n, n_edges=6)
    y = np.column_stack([one_label(n, i) for i in range(0, n, n // 5)])
    solution = Diffusion(csr_array(W)).solve(y, 0.9, solver=solver, tol=1e-8)
    np.testing.assert_allclose(solution.scores, diffused(W, y, 0.9), atol=1e-7)


def test_sweeps_of_iterate_are_those_of_the_paper():
    W, y = random_weights(30), one_label(30)
    for t in (0, 1, 5):
        solution = Diffusion(csr_array(W)).solve(y, 0.9, solver="iterate", tol=0.0, max_iter=t)
        np.testing.assert_allclose((1 - 0.9) * solution.scores, iterated(W, y, 0.9, t), atol=1e-14)
        assert solution.sweeps == [t]


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
def test_personalised_pagerank_is_the_same_system(power):
    """pi_k = D^1/2 (I - alpha S)^-1 D^(k - 1/2) y, hence pi_1/2 = D^1/2 f."""
    W, y = random_weights(40, n_edges=10), one_label(40, 3)
    d = W.sum(axis=1)
    f = Diffusion(csr_array(W)).solve(d ** (power - 0.5) * y, 0.9, tol=1e-12).scores
    np.testing.assert_allclose(np.sqrt(d) * f, personalised_pagerank(W, y, 0.9, power), rtol=1e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("n_columns", [None, 6])
def test_lists_together_are_lists_apart_bit_for_bit(solver, n_columns):
    sizes = [1, 40, 3, 2 * CHUNK + 100 if solver != "closed" else 50, 17]
    blocks = [random_weights(n, seed=n, n_edges=min(n, 6)) for n in sizes]
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    rng = np.random.default_rng(0)
    y = rng.normal(size=(indptr[-1], n_columns or 1)) * (rng.random((indptr[-1], 1)) < 0.2)
    y[indptr[2] : indptr[3]] = 0.0
    y = y if n_columns else y[:, 0]
    together = Diffusion(csr_array(block_diag(*blocks)), indptr).solve(y, 0.9, solver=solver)
    for q, block in enumerate(blocks):
        part = slice(indptr[q], indptr[q + 1])
        apart = Diffusion(csr_array(block)).solve(y[part], 0.9, solver=solver)
        np.testing.assert_array_equal(together.scores[part], apart.scores)
        np.testing.assert_array_equal(together.sweeps[q], apart.sweeps[0])
    assert (together.scores[indptr[2] : indptr[3]] == 0.0).all()


@pytest.mark.parametrize("solver", ["iterate", "cg", "chebyshev"])
@pytest.mark.parametrize("n_columns", [1, 6, 40])
def test_the_number_of_threads_changes_no_bit(solver, n_columns, monkeypatch):
    monkeypatch.setattr(diffusion, "WORK_OF_A_THREAD", 1)
    n = 3 * CHUNK
    X = np.random.default_rng(0).normal(size=(n, 3))
    system = Diffusion(knn_graph(X, 5))
    y = np.column_stack([one_label(n, i) for i in range(n_columns)])
    many = system.solve(y, 0.9, solver=solver)
    before = numba.get_num_threads()
    numba.set_num_threads(1)
    single = system.solve(y, 0.9, solver=solver)
    numba.set_num_threads(before)
    np.testing.assert_array_equal(many.scores, single.scores)


def test_a_start_near_the_answer_saves_sweeps():
    W = random_weights(400, n_edges=8)
    diffusion = Diffusion(csr_array(W))
    before = diffusion.solve(one_label(400), 0.99).scores
    y = one_label(400) + one_label(400, 7)
    cold, warm = diffusion.solve(y, 0.99), diffusion.solve(y, 0.99, start=before)
    np.testing.assert_allclose(warm.scores, cold.scores, atol=1e-4)
    exact = diffusion.solve(y, 0.99, start=diffused(W, y, 0.99))
    assert exact.sweeps == [0]


def test_a_start_in_a_list_without_labels_is_forgotten():
    W = block_diag(random_weights(20), random_weights(30))
    diffusion = Diffusion(csr_array(W), [0, 20, 50])
    for columns in (1, 6):
        y = np.tile(one_label(50)[:, None], columns)
        solution = diffusion.solve(y, 0.9, start=np.ones((50, columns)))
        np.testing.assert_array_equal(solution.scores[20:], 0.0)


def test_columns_stop_by_their_own_rule():
    W = random_weights(200, n_edges=8)
    y = np.column_stack([one_label(200), np.sqrt(W.sum(axis=1)), np.zeros(200), np.ones(200)])
    solution = Diffusion(csr_array(W)).solve(y, 0.99, tol=1e-4)
    assert solution.sweeps[0, 1] <= 2  # an eigenvector
    assert solution.sweeps[0, 2] == 0
    assert solution.sweeps[0, 0] > 5
    np.testing.assert_array_equal(solution.scores[:, 2], 0.0)


@pytest.mark.parametrize("solver", SOLVERS)
def test_items_without_edges_keep_their_label(solver):
    W = np.zeros((5, 5))
    W[0, 1] = W[1, 0] = 2.0
    scores = Diffusion(csr_array(W)).solve(np.array([1.0, 0, 3, 0, 0]), 0.9, solver=solver, tol=1e-12).scores
    np.testing.assert_allclose(scores[2:], [3.0, 0.0, 0.0])


@pytest.mark.parametrize("solver", ["iterate", "cg", "chebyshev"])
def test_max_iter_is_kept_and_reported(solver):
    W = random_weights(200, n_edges=8)
    y = np.column_stack([one_label(200, i) for i in range(4)])
    solution = Diffusion(csr_array(W)).solve(y, 0.99, solver=solver, max_iter=3)
    assert (solution.sweeps == 3).all()
    assert (solution.residual > 1e-6).all()


def test_a_bipartite_graph_settles():
    """S has the eigenvalue -1 on a path; f still converges for alpha < 1."""
    W = np.diag(np.ones(9), 1) + np.diag(np.ones(9), -1)
    for solver in SOLVERS:
        scores = Diffusion(csr_array(W)).solve(one_label(10), 0.99, solver=solver, tol=1e-10).scores
        np.testing.assert_allclose(scores, diffused(W, one_label(10), 0.99), rtol=1e-6)


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.floats(0.05, 0.995), st.integers(0, 1000))
def test_the_order_of_items_does_not_matter(n, alpha, seed):
    rng = np.random.default_rng(seed)
    W, y, order = random_weights(n, seed, 5), rng.normal(size=n), rng.permutation(n)
    scores = Diffusion(csr_array(W)).solve(y, alpha, tol=1e-11).scores
    permuted = Diffusion(csr_array(W[order][:, order])).solve(y[order], alpha, tol=1e-11).scores
    np.testing.assert_allclose(permuted, scores[order], atol=1e-8 * max(1.0, np.abs(scores).max()))


def test_degrees_are_kept_in_the_order_of_the_caller():
    X = np.random.default_rng(0).normal(size=(3 * CHUNK, 2))
    W = knn_graph(X, 4)
    np.testing.assert_array_equal(Diffusion(W).degrees, degrees(W))


def two_parts_and_a_loner():
    W = block_diag(random_weights(30, n_edges=8), random_weights(20, seed=1, n_edges=8), 0.0)
    assert (W[:30, :30].sum(axis=1) > 0).all()
    d, parts = W.sum(axis=1), np.repeat([0, 1, 2], [30, 20, 1])
    return W, Components(np.sqrt(d), parts, np.bincount(parts, weights=d))


@pytest.mark.parametrize("n_columns", [1, 3])
def test_deflate_solves_for_the_known_part_and_leaves_the_rest(n_columns):
    W, known = two_parts_and_a_loner()
    A = np.eye(51) - 0.9 * normalised_graph(W)
    shape = (51, n_columns)
    y, rng = np.random.default_rng(0).normal(size=shape), np.random.default_rng(1)
    f, scale = rng.normal(size=shape), np.full(shape, 2.5)
    r = (y - A @ f) / scale
    deflate(0.9, known, f, r, scale)
    np.testing.assert_allclose(r * scale, y - A @ f, atol=1e-13)
    for part in range(3):
        eigenvector = np.where(known.parts == part, known.roots, 0.0)
        np.testing.assert_allclose(eigenvector @ r, 0.0, atol=1e-13)


def test_components_are_those_of_the_graph_in_the_order_of_the_caller():
    W, known = two_parts_and_a_loner()
    order = np.random.default_rng(0).permutation(51)
    found = Diffusion(csr_array(W[order][:, order])).components
    same = known.parts[order][:, None] == known.parts[order]
    np.testing.assert_array_equal(found[:, None] == found, same)


@pytest.mark.parametrize("n_columns", [1, 6])
def test_what_is_known_beforehand_saves_sweeps(n_columns):
    X = np.random.default_rng(0).normal(size=(2000, 5))
    system = Diffusion(knn_graph(X, 10))
    y = np.column_stack([one_label(2000, i) for i in range(n_columns)])
    quick = system.solve(y, 0.99)
    object.__setattr__(system, "_known", None)
    plain = system.solve(y, 0.99)
    assert (quick.sweeps < plain.sweeps).all()
    np.testing.assert_allclose(quick.scores, plain.scores, atol=1e-4 * plain.scores.max())

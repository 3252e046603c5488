import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist

from semirank import kernels
from semirank.kernels import Kernel, check_precomputed, median_distance, resolve

NAMES = ("linear", "rbf", "polynomial", "cosine")


def definition(name, x, z, gamma=0.3, degree=3):
    """Evaluate a kernel of two vectors as its formula is printed."""
    lengths = np.sqrt(x @ x) * np.sqrt(z @ z)
    return {
        "linear": x @ z,
        "rbf": np.exp(-gamma * ((x - z) ** 2).sum()),
        "polynomial": (gamma * (x @ z) + 1.0) ** degree,
        "cosine": x @ z / lengths if lengths else 0.0,
    }[name]


@pytest.fixture
def items():
    X = np.random.default_rng(0).normal(size=(7, 4))
    X[np.abs(X) < 0.4] = 0.0
    X[2] = 0.0
    return X


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("name", NAMES)
def test_blocks_follow_the_formula(items, name, form):
    kernel = Kernel(name, gamma=0.3)
    X = form(items)
    expected = [[definition(name, x, z) for z in items[:3]] for x in items]
    np.testing.assert_allclose(kernel.block(X, kernel.basis(X, [0, 1, 2])), expected, atol=1e-14)
    np.testing.assert_allclose(kernel.diagonal(X), [definition(name, x, x) for x in items], atol=1e-14)


def test_a_precomputed_kernel_is_looked_up(items):
    K = items @ items.T
    kernel = resolve("precomputed", None, K)
    basis = kernel.basis(K, [4, 1])
    np.testing.assert_array_equal(kernel.block(K[2:5], basis), K[2:5][:, [4, 1]])
    np.testing.assert_array_equal(kernel.diagonal(K), np.diag(K))
    np.testing.assert_array_equal(kernel.block(K, kernel.basis(K)), K)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_product_is_made_of_blocks(items, form, monkeypatch):
    monkeypatch.setattr(kernels, "BLOCK_CELLS", 10)
    X, weights = form(items), np.random.default_rng(1).normal(size=(4, 2))
    kernel = Kernel("rbf", gamma=0.3)
    basis = kernel.basis(X, [0, 3, 5, 6])
    assert sum(rows.stop - rows.start for rows, _ in kernel.blocks(X, basis)) == len(items)
    for each in (weights, weights[:, 0]):
        np.testing.assert_allclose(kernel.product(X, basis, each), kernel.block(X, basis) @ each, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_single_precision_stays_single_and_close(items, name):
    kernel, X = Kernel(name, gamma=0.3), items.astype(np.float32)
    block = kernel.block(X, X)
    assert block.dtype == np.float32
    np.testing.assert_allclose(block, kernel.block(items, items), rtol=1e-5, atol=1e-5)


def test_data_far_from_the_origin_keep_their_distances(items):
    near, far = Kernel("rbf", 0.3).block(items, items), Kernel("rbf", 0.3).block(items + 1e8, items + 1e8)
    np.testing.assert_allclose(far, near, atol=1e-6)


@given(st.integers(0, 2**32 - 1), st.sampled_from(NAMES))
@settings(max_examples=30, deadline=None)
def test_every_kernel_is_positive_semidefinite(seed, name):
    X = np.random.default_rng(seed).normal(size=(8, 3))
    K = resolve(name, None, X).block(X, X)
    assert np.linalg.eigvalsh(K).min() >= -1e-10 * np.abs(K).max()


def test_the_median_width_is_the_median_of_all_distances():
    X = np.random.default_rng(0).normal(size=(60, 5))
    median = np.median(pdist(X))
    assert median_distance(X) == pytest.approx(median, rel=1e-12)
    assert median_distance(csr_array(X)) == pytest.approx(median, rel=1e-12)
    assert resolve("rbf", None, X).gamma == pytest.approx(1 / (2 * median**2))
    assert resolve("rbf", None, X, width=0.25).gamma == pytest.approx(8 / median**2)
    assert resolve("rbf", 3, X).gamma == 3.0


def test_the_sample_for_the_median_is_fair_and_knows_no_order():
    rng = np.random.default_rng(3)
    X = np.round(rng.normal(size=(3000, 2)) * [1.0, 5.0], 1)
    order = rng.permutation(3000)
    assert median_distance(X) == median_distance(X[order])
    assert median_distance(csr_array(X[order])) == pytest.approx(median_distance(X), rel=1e-12)
    assert median_distance(X) == pytest.approx(np.median(pdist(X)), rel=0.03)


def test_the_median_of_equal_items():
    X = np.full((10, 2), 3e5)
    assert median_distance(X) == 1.0
    assert median_distance(X[:1]) == 1.0
    X[0] += 2.0
    assert median_distance(X) == pytest.approx(np.sqrt(8))


def test_polynomial_takes_scikit_learns_gamma(items):
    assert resolve("polynomial", None, items, degree=2) == Kernel("polynomial", 0.25, 2)


@pytest.mark.parametrize(
    ("K", "message"),
    [
        (np.ones((2, 3)), "dense square matrix.*shape \\(2, 3\\)"),
        (csr_array(np.eye(3)), "dense square matrix.*sparse"),
        (np.array([[1.0, np.inf], [np.inf, 1.0]]), "not finite"),
        (np.array([[1.0, 0.5], [0.4, 1.0]]), "not symmetric: entry \\(0, 1\\) is 0.5.*\\(K \\+ K.T\\) / 2"),
        (np.array([[1.0, 0.0], [0.0, -2.0]]), "not positive semidefinite: entry \\(1, 1\\) is -2"),
    ],
)
def test_bad_kernel_matrices_are_refused(K, message):
    with pytest.raises(ValueError, match=message):
        check_precomputed(K)
    with pytest.raises(ValueError, match=message):
        resolve("precomputed", None, K)

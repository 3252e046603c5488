import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg.lapack import dpstrf
from scipy.sparse import csr_array
from sklearn.utils.estimator_checks import parametrize_with_checks

from semirank import storage
from semirank.features import gram_schmidt
from semirank.features.gram_schmidt import GramSchmidt
from semirank.kernels import resolve

KERNELS = ("linear", "rbf", "polynomial", "cosine")


@pytest.fixture
def short_rounds(monkeypatch):
    """Let 60 items need several rounds and several blocks."""
    monkeypatch.setattr(gram_schmidt, "CONTENDERS", 5)
    monkeypatch.setattr(gram_schmidt, "BLOCK_ROWS", 7)


def items(n=60, d=4, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def greedy_cholesky(K, remoteness, n_components):
    """Choose the largest residual, the least remote of equal ones, one at a time from the dense matrix."""
    rest, columns, pivots = K.copy(), [], []
    for _ in range(n_components):
        diagonal = np.diag(rest)
        worst = np.flatnonzero(diagonal >= diagonal.max() - 1e-12 * K.diagonal().max())
        i = worst[np.argmin(remoteness[worst])]
        columns.append(rest[:, i] / np.sqrt(rest[i, i]))
        pivots.append(i)
        rest = rest - np.outer(columns[-1], columns[-1])
    return np.array(pivots), np.array(columns).T


@pytest.mark.parametrize("kernel", KERNELS)
def test_rounds_and_blocks_choose_what_the_dense_rule_chooses(kernel, short_rounds):
    X = items()
    size = 4 if kernel in ("linear", "cosine") else 30
    K = resolve(kernel, None, X).block(X, X)
    points = X / np.linalg.norm(X, axis=1, keepdims=True) if kernel == "cosine" else X
    pivots, features = greedy_cholesky(K, ((points - points.mean(axis=0)) ** 2).sum(axis=1), size)
    transformer = GramSchmidt(kernel, n_components=size)
    np.testing.assert_allclose(transformer.fit_transform(X), features, atol=1e-9)
    np.testing.assert_array_equal(transformer.pivots_, pivots)


def test_pivots_and_factor_are_lapacks():
    X = items() * np.linspace(0.5, 2.0, 60)[:, None]
    factor, order, rank, _ = dpstrf((X @ X.T + 1.0) ** 2, tol=1e-8, lower=1)
    transformer = GramSchmidt("polynomial", gamma=1.0, degree=2, n_components=60).fit(X)
    assert transformer.n_components_ == rank == 15  # the monomials up to degree 2 of 4 variables
    np.testing.assert_array_equal(transformer.pivots_, order[:rank] - 1)
    np.testing.assert_allclose(transformer.triangle_, np.tril(factor[:rank, :rank]), atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_inner_products_are_the_kernel(kernel):
    X = items(20)
    K = resolve(kernel, None, X).block(X, X)
    features = GramSchmidt(kernel, n_components=20).fit_transform(X)
    np.testing.assert_allclose(features @ features.T, K, atol=1e-6 * np.abs(K).max())


@given(st.integers(0, 2**32 - 1), st.integers(1, 25))
@settings(max_examples=30, deadline=None)
def test_what_is_left_out_is_a_kernel_too_and_zero_for_the_chosen(seed, size):
    X = items(25, 3, seed)
    K = resolve("rbf", None, X).block(X, X)
    transformer = GramSchmidt(n_components=size)
    features = transformer.fit_transform(X)
    rest = K - features @ features.T
    assert np.linalg.eigvalsh(rest).min() > -1e-9
    assert np.abs(rest[transformer.pivots_]).max() < 1e-9
    assert (np.diff(np.diagonal(transformer.triangle_)) < 1e-9).all()


def test_new_items_are_treated_like_fitted_ones(short_rounds):
    X = items()
    transformer = GramSchmidt(n_components=12)
    np.testing.assert_allclose(transformer.fit_transform(X), transformer.transform(X), atol=1e-12)
    extended = np.vstack([X, items(9, seed=1)])
    kernel = resolve("rbf", transformer.gamma_, X)
    K = kernel.block(extended, X[transformer.pivots_])
    np.testing.assert_allclose(transformer.transform(extended) @ transformer.triangle_.T, K, atol=1e-12)


def test_columns_are_nested(short_rounds):
    X = items()
    long = GramSchmidt(n_components=40).fit_transform(X)
    for size in (1, 7, 39):
        np.testing.assert_allclose(GramSchmidt(n_components=size).fit_transform(X), long[:, :size], atol=1e-9)


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_order_of_items_does_not_matter(kernel, short_rounds):
    X = np.round(items(), 1)
    order = np.random.default_rng(2).permutation(len(X))
    one, other = (GramSchmidt(kernel, n_components=25) for _ in range(2))
    np.testing.assert_allclose(other.fit_transform(X[order]), one.fit_transform(X)[order], atol=1e-7)
    np.testing.assert_array_equal(order[other.pivots_], one.pivots_)


def test_the_first_of_equals_is_nearest_to_the_mean():
    X = np.array([[9.0], [-1.0], [2.0], [0.0], [1.0]])
    assert GramSchmidt(n_components=2).fit(X).pivots_.tolist() == [2, 0]
    assert GramSchmidt("precomputed", n_components=1).fit(np.eye(3)).pivots_.tolist() == [0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_sparse_equals_dense(kernel, short_rounds):
    X = np.where(np.abs(items()) < 0.5, 0.0, items())
    X[5] = 0.0
    dense, sparse = (GramSchmidt(kernel, n_components=20) for _ in range(2))
    np.testing.assert_allclose(sparse.fit_transform(csr_array(X)), dense.fit_transform(X), atol=1e-7)
    np.testing.assert_allclose(sparse.transform(csr_array(X)), dense.transform(X), atol=1e-7)


def test_a_precomputed_kernel_gives_the_same_coordinates():
    X, new = items(), items(5, seed=1)
    kernel = resolve("rbf", 0.2, X)
    direct = GramSchmidt("rbf", 0.2, n_components=1000).fit(X)
    given = GramSchmidt("precomputed", n_components=1000).fit(kernel.block(X, X))
    for transformer in (direct, given):
        assert transformer.n_components_ <= len(X)
    products = [
        transformer.transform(points) @ transformer.transform(base).T
        for transformer, points, base in (
            (direct, new, X),
            (given, kernel.block(new, X), kernel.block(X, X)),
        )
    ]
    np.testing.assert_allclose(*products, atol=1e-6)


def test_it_stops_when_the_items_span_no_more():
    X = items(30, 3)
    features = GramSchmidt("linear", n_components=20).fit_transform(np.vstack([X, X]))
    assert features.shape == (60, 3)
    assert GramSchmidt(n_components=5).fit_transform(np.ones((4, 2))).shape == (4, 1)
    with pytest.raises(ValueError, match="All items are 0"):
        GramSchmidt("linear").fit(np.zeros((4, 2)))


def test_an_indefinite_matrix_is_refused():
    K = np.eye(5)
    K[0, 1] = K[1, 0] = 2.0
    with pytest.raises(ValueError, match=r"not positive semidefinite: item [01] would have .* -3 to"):
        GramSchmidt("precomputed").fit(K)
    with pytest.raises(ValueError, match="dense square matrix"):
        GramSchmidt("precomputed").fit(np.ones((3, 4)))


def test_parameters_outside_their_limits():
    for parameter, value in {"kernel": "sigmoid", "gamma": 0.0, "n_components": 0, "degree": 1.5}.items():
        with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
            GramSchmidt(**{parameter: value}).fit(items())


def test_single_precision_in_single_precision_out():
    X = items().astype(np.float32)
    transformer = GramSchmidt(n_components=20)
    features = transformer.fit_transform(X)
    assert features.dtype == transformer.transform(X).dtype == np.float32
    expected = GramSchmidt(n_components=20).fit_transform(X.astype(np.float64))
    np.testing.assert_allclose(features, expected, atol=1e-6)


def test_frames_go_in_and_come_out():
    frame = pd.DataFrame(items(), columns=list("abcd"))
    transformer = GramSchmidt(n_components=2).set_output(transform="pandas")
    assert transformer.fit_transform(frame).columns.tolist() == ["gramschmidt0", "gramschmidt1"]
    assert transformer.transform(frame).equals(transformer.fit(frame).transform(frame))
    with pytest.raises(ValueError, match="feature names should match"):
        transformer.transform(frame.rename(columns={"a": "z"}))


def test_progress_is_told(short_rounds):
    told = []
    GramSchmidt(n_components=30).fit(items(), progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (30, 30)
    assert len(told) > 1
    assert told == sorted(told)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_saved_transformer_gives_the_same_bits(tmp_path, form):
    X = form(items())
    transformer = GramSchmidt(n_components=6).fit(X)
    transformer.save(tmp_path / "model")
    again = storage.load(tmp_path / "model", {"GramSchmidt": GramSchmidt})
    np.testing.assert_array_equal(again.transform(X), transformer.transform(X))


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("triangle_", np.eye(5)),
        ("triangle_", np.zeros((6, 6))),
        ("basis_", np.ones((6, 3))),
        ("basis_", np.ones((5, 4))),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(attribute, value, tmp_path):
    transformer = GramSchmidt(n_components=6).fit(items())
    setattr(transformer, attribute, value)
    transformer.save(tmp_path / "model")
    with pytest.raises(ValueError, match=attribute):
        storage.load(tmp_path / "model", {"GramSchmidt": GramSchmidt})


@parametrize_with_checks([GramSchmidt(n_components=3)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)

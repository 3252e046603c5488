import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse import random as random_sparse
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from semirank import storage
from semirank.features import TfIdf
from semirank.features.lsa import LSA, fit_lsa, sharing_lsa

SOLVERS = pytest.mark.parametrize("solver", ["arpack", "randomized"])


def items(n=60, d=40, density=0.2, seed=0):
    return csr_array(random_sparse(n, d, density, format="csr", rng=np.random.default_rng(seed)))


def by_dense_svd(X, n_components):
    """Give the directions of numpy's decomposition, the largest entry of each made positive."""
    directions = np.linalg.svd(X, full_matrices=False)[2][:n_components]
    largest = np.take_along_axis(directions, np.abs(directions).argmax(axis=1)[:, None], axis=1)
    return directions * np.sign(largest)


@pytest.mark.parametrize("form", [csr_array, lambda X: X.toarray()])
@pytest.mark.parametrize("n_components", [1, 5, 39])
def test_features_are_those_of_the_dense_decomposition(form, n_components):
    X = items()
    directions = by_dense_svd(X.toarray(), n_components)
    lsa = LSA(n_components, norm=None, solver="arpack").fit(form(X))
    np.testing.assert_allclose(lsa.components_, directions, atol=1e-8)
    np.testing.assert_allclose(lsa.transform(form(X)), X @ directions.T, atol=1e-8)
    singular_values = np.linalg.svd(X.toarray(), compute_uv=False)[:n_components]
    np.testing.assert_allclose(lsa.singular_values_, singular_values, rtol=1e-8)


@SOLVERS
@pytest.mark.parametrize(("n", "d"), [(60, 40), (40, 60)])
@given(seed=st.integers(0, 2**32 - 1), rank=st.integers(1, 8))
@settings(max_examples=10, deadline=None)
def test_fewer_columns_when_the_items_span_no_more(solver, n, d, seed, rank):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))
    for n_components in (10, 1000):
        lsa = LSA(n_components, norm=None, solver=solver).fit(X)
        assert lsa.n_components_ == rank
        np.testing.assert_allclose(lsa.transform(X) @ lsa.components_, X, atol=1e-6)


@SOLVERS
def test_items_are_of_unit_length_but_for_zeros(solver):
    X = items().toarray()
    X[7] = 0.0
    features, bare = (LSA(10, norm=norm, solver=solver).fit_transform(X) for norm in ("l2", None))
    lengths = np.linalg.norm(bare, axis=1, keepdims=True)
    np.testing.assert_allclose(features * lengths, bare, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(features, axis=1), np.arange(60) != 7)


def test_words_that_share_neighbours_fall_together():
    texts = ["car engine", "engine motor", "motor wheel", "wine grape", "grape juice"]
    vectors = TfIdf(min_df=1).fit_transform(texts)
    features = LSA(2).fit_transform(vectors)
    assert (vectors @ vectors.T).toarray()[0, 2] == 0
    np.testing.assert_allclose((features @ features.T)[0], [1, 1, 1, 0, 0], atol=1e-9)


@SOLVERS
def test_same_bits_again_and_with_any_number_of_threads(solver):
    X = items(200, 300)
    once, again = (LSA(20, solver=solver).fit_transform(X) for _ in range(2))
    with threadpool_limits(1):
        alone = LSA(20, solver=solver).fit_transform(X)
    np.testing.assert_array_equal(once, again)
    np.testing.assert_array_equal(once, alone)
    other = LSA(20, solver=solver, random_state=np.random.default_rng(7)).fit_transform(X)
    np.testing.assert_allclose(other @ other.T, once @ once.T, atol=1e-7 if solver == "arpack" else 0.5)


def test_new_items_are_treated_like_fitted_ones():
    X, new = items(), items(seed=1)
    lsa = LSA(5).fit(X)
    np.testing.assert_allclose(lsa.transform(X), LSA(5).fit_transform(X), atol=1e-12)
    projected = new @ lsa.components_.T
    np.testing.assert_allclose(lsa.transform(new), projected / np.linalg.norm(projected, axis=1)[:, None])


def test_single_precision_in_single_precision_out():
    X = items().astype(np.float32)
    features = LSA(10).fit_transform(X)
    assert features.dtype == np.float32
    np.testing.assert_allclose(features, LSA(10).fit_transform(X.astype(np.float64)), atol=1e-6)


def test_frames_go_in_and_come_out():
    frame = pd.DataFrame(items(20, 4).toarray(), columns=list("abcd"))
    lsa = LSA(2).set_output(transform="pandas")
    assert lsa.fit_transform(frame).columns.tolist() == ["lsa0", "lsa1"]
    assert lsa.get_feature_names_out().tolist() == ["lsa0", "lsa1"]
    with pytest.raises(ValueError, match="feature names should match"):
        lsa.transform(frame.rename(columns={"a": "z"}))


def test_nothing_but_zeros_is_refused():
    for form in (np.asarray, csr_array):
        for n_components in (2, 100):
            with pytest.raises(ValueError, match="All items are 0"):
                LSA(n_components).fit(form(np.zeros((5, 4))))


def test_parameters_outside_their_limits():
    for parameter, value in {"n_components": 0, "norm": "l1", "solver": "exact", "random_state": -1}.items():
        with pytest.raises(ValueError, match=f"^{parameter} must be .*; got {value!r}"):
            LSA(**{parameter: value}).fit(items())


def test_a_saved_transformer_gives_the_same_bits(tmp_path):
    X = items()
    lsa = LSA(6).fit(X)
    lsa.save(tmp_path / "model")
    again = storage.load(tmp_path / "model", {"LSA": LSA})
    np.testing.assert_array_equal(again.transform(X), lsa.transform(X))


@pytest.mark.parametrize(
    ("attribute", "value"), [("components_", np.ones((6, 3))), ("singular_values_", np.ones(5))]
)
def test_a_state_that_does_not_fit_together_is_refused(attribute, value, tmp_path):
    lsa = LSA(6).fit(items())
    setattr(lsa, attribute, value)
    lsa.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"(components_|singular_values_) must be"):
        storage.load(tmp_path / "model", {"LSA": LSA})


@parametrize_with_checks([LSA(n_components=3)])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_one_column_is_its_own_direction():
    X = csr_array([[3.0], [0.0], [-4.0]])
    lsa = LSA().fit(X)
    assert lsa.singular_values_.tolist() == [5.0]
    assert lsa.transform(X).tolist() == [[1.0], [0.0], [-1.0]]


def test_the_same_items_are_analysed_once_where_that_is_shared():
    X = items()
    alone = LSA(4).fit(X)
    with sharing_lsa():
        first = fit_lsa(X, 4)
        assert fit_lsa(X.copy(), 4) is first
        assert fit_lsa(X, 3) is not first
        assert fit_lsa(2 * X, 4) is not first
    assert fit_lsa(X, 4) is not first
    np.testing.assert_array_equal(first.components_, alone.components_)

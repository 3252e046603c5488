"""Scaling: columns of any size, outliers, constants, sparse data, and vectors that stay as they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import semirank
from semirank.features import Scaling

rng = np.random.default_rng(0)


def test_ordinary_columns_are_standardised():
    X = rng.normal(size=(2_000, 3)) * [1e-8, 1.0, 1e8] + [5, 0, -3e8]
    Z = Scaling().fit_transform(X)
    assert np.abs(Z.mean(axis=0)).max() < 0.05
    assert Z.std(axis=0) == pytest.approx([1, 1, 1], abs=0.05)


@given(st.integers(-300, 300), st.floats(-1e3, 1e3))
def test_the_unit_of_a_column_makes_no_difference(power, shift):
    x = np.random.default_rng(1).normal(size=(50, 1))
    factor = 10.0**power
    plain, other = Scaling().fit_transform(x), Scaling().fit_transform(factor * x)
    np.testing.assert_allclose(other, plain, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(Scaling().fit_transform(x + shift), plain, rtol=1e-6, atol=1e-6)


def test_an_outlier_neither_moves_the_others_nor_stands_out():
    X = rng.normal(size=(500, 2))
    clean = Scaling().fit_transform(X)
    X[7, 0] = 1e12
    Z = Scaling().fit_transform(X)
    assert Z[7, 0] == 5.0
    rest = np.arange(500) != 7
    np.testing.assert_allclose(Z[rest], clean[rest], atol=0.1)


def test_constant_rare_and_empty_columns():
    X = np.zeros((400, 3))
    X[:, 0], X[3, 1] = 7.0, 1.0
    Z = Scaling().fit_transform(X)
    assert np.isfinite(Z).all()
    assert (Z[:, [0, 2]] == 0).all()
    assert Z[3, 1] == 5.0
    assert (Scaling().fit_transform(np.array([[1.0, 2.0], [1.0, 2.0]])) == 0).all()


def test_directions_and_pixels_stay_in_proportion():
    V = rng.normal(size=(60, 16))
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    scaling = Scaling().fit(V)
    assert scaling.kind_ == "directions"
    np.testing.assert_array_equal(scaling.transform(V), V)
    digits = semirank.load("digits").select([0]).X
    scaling = Scaling().fit(digits)
    assert scaling.kind_ == "common"
    np.testing.assert_allclose(scaling.transform(digits) / scaling.factors_[0], digits)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("length", [0.02, 1.0, 50.0])
def test_rows_are_directions_where_all_have_one_length_whatever_it_is(length, form):
    V = np.random.default_rng(2).normal(size=(60, 5))
    V *= length / np.linalg.norm(V, axis=1, keepdims=True)
    assert Scaling().fit(form(V)).kind_ == "directions"
    V[7] *= 1.5
    assert Scaling().fit(form(V)).kind_ == "columns"


def test_indicators_of_categories_are_no_directions():
    X = np.eye(4)[rng.integers(0, 4, size=(80, 3))].reshape(80, 12)  # three ones in each row
    assert Scaling().fit(X).kind_ == "columns"
    assert Scaling().fit(csr_array(X)).kind_ == "columns"


def test_a_large_column_does_not_make_rows_directions():
    X = np.column_stack([np.full(100, 1e6) + rng.normal(size=100), rng.normal(size=(100, 3))])
    assert Scaling().fit(X).kind_ == "columns"


def test_sparse_stays_sparse_and_like_dense_without_the_shift():
    X = rng.random((300, 12)) * (rng.random((300, 12)) < 0.2) * 10.0 ** np.arange(-6, 6)
    Z = Scaling().fit_transform(csr_array(X))
    assert isinstance(Z, csr_array)
    assert Z.nnz == np.count_nonzero(X)
    expected = np.clip(X / np.sqrt((X**2).mean(axis=0)), -5, 5)
    np.testing.assert_allclose(Z.toarray(), expected, rtol=1e-12)


def test_a_saved_scaling_gives_the_same_bits(tmp_path):
    X = rng.normal(size=(40, 3)) * [1, 10, 100]
    scaling = Scaling().fit(X)
    scaling.save(tmp_path / "scaling")
    again = semirank.load_model(tmp_path / "scaling")
    np.testing.assert_array_equal(again.transform(X), scaling.transform(X))
    with pytest.raises(ValueError, match="X has 2 features, but Scaling has learned 3"):
        scaling.transform(X[:, :2])

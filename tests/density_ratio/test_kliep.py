"""KLIEP against its definition, and the laws that it keeps."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from tests.density_ratio.oracle_kliep import best_coefficients, gaussian_basis

from semirank import storage
from semirank.dataset import DataWarning
from semirank.density_ratio import KLIEP
from semirank.density_ratio.mixture_weights import most_likely


def shifted(n_train=150, n_test=60, n_features=2, shift=0.7, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_train, n_features)), 0.8 * rng.normal(size=(n_test, n_features)) + shift


@pytest.mark.parametrize("even", [False, True])
@pytest.mark.parametrize("width", [0.3, 1.0, 4.0])
def test_weights_are_those_of_the_definition(width, even):
    train, test = shifted()
    ratio = KLIEP(width, 12, even=even, tol=1e-9).fit(train, test)
    train_basis, test_basis = (gaussian_basis(X, ratio.centres_, width, even) for X in (train, test))
    beta, optimum = best_coefficients(test_basis, train_basis.mean(axis=0))
    assert ratio.likelihoods_[-1] == pytest.approx(optimum, abs=1e-6)
    assert ratio.likelihoods_[-1] == pytest.approx(np.log(ratio.predict(test)).mean(), abs=1e-9)
    np.testing.assert_allclose(ratio.weights_, train_basis @ beta, atol=2e-3 * ratio.weights_.max())
    np.testing.assert_allclose(ratio.weights_, train_basis @ ratio.coefficients_, rtol=1e-9)


@pytest.mark.parametrize("max_iter", [1, 5, 12, 100])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_optimum_is_no_farther_than_the_certificate(max_iter, seed):
    train, test = shifted(seed=seed)
    ratio = KLIEP(0.5, 15, max_iter=max_iter, tol=1e-7).fit(train, test)
    means = gaussian_basis(train, ratio.centres_, 0.5).mean(axis=0)
    _, optimum = best_coefficients(gaussian_basis(test, ratio.centres_, 0.5), means)
    assert optimum <= ratio.likelihoods_[-1] + ratio.certificate_ + 1e-9
    assert (ratio.certificate_ <= 1e-7) == (max_iter == 100)


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(1, 40), st.floats(0, 60))
def test_the_likelihood_never_falls_and_the_certificate_closes(seed, n_components, n_rows, contrast):
    rng = np.random.default_rng(seed)
    densities = np.exp(-contrast * rng.random((n_rows, n_components)))
    found = most_likely(densities, np.full(n_components, 1 / n_components), 1e-6, 1000)
    assert (np.diff(found.likelihoods) > 0).all()
    assert (found.weights >= 0).all()
    assert found.weights.sum() == pytest.approx(1)
    assert found.certificate <= 1e-6


@pytest.mark.parametrize("seed", range(5))
def test_steps_end_where_nothing_is_gained(seed):
    densities = np.random.default_rng(seed).random((20, 4))
    found = most_likely(densities, np.full(4, 0.25), 0.0, 200)
    assert (np.diff(found.likelihoods) > 0).all()
    assert found.certificate < 1e-9


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_an_even_basis_knows_no_orientation(seed):
    train, test = shifted(n_train=40, n_test=25)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=65)[:, None]
    given, turned = KLIEP(even=True).fit(train, test), KLIEP(even=True)
    turned.fit(train * signs[:40], test * signs[40:])
    np.testing.assert_allclose(turned.weights_, given.weights_, rtol=1e-9)
    np.testing.assert_allclose(given.predict(-train), given.predict(train), rtol=1e-12)


def test_a_sample_weight_of_two_is_a_row_given_twice():
    train, test = shifted()
    times = np.random.default_rng(0).integers(0, 3, len(train))
    weighted, repeated = KLIEP().fit(train, test, times), KLIEP().fit(train.repeat(times, 0), test)
    np.testing.assert_allclose(weighted.weights_.repeat(times), repeated.weights_, rtol=1e-8)
    assert weighted.effective_size_ == pytest.approx(repeated.effective_size_)
    with pytest.raises(ValueError, match="Negative values"):
        KLIEP().fit(train, test, -times)


def test_the_order_of_rows_does_not_matter():
    train, test = shifted(n_test=130)
    rng = np.random.default_rng(1)
    rows, others = rng.permutation(len(train)), rng.permutation(len(test))
    mixed = KLIEP(n_centres=20).fit(train[rows], test[others])
    np.testing.assert_allclose(mixed.weights_, KLIEP(n_centres=20).fit(train, test).weights_[rows], rtol=1e-8)


def test_the_width_has_the_greatest_held_out_likelihood():
    train, test = shifted(n_test=40)
    ratio = KLIEP(n_centres=10).fit(train, test)
    assert ratio.width_ == ratio.cv_widths_[ratio.cv_likelihoods_.argmax()]
    distances = cdist(test, KLIEP(100.0, 10).fit(train, test).centres_)
    np.testing.assert_allclose(
        ratio.cv_widths_, np.median(distances[distances > 1e-9]) * np.array([1 / 4, 1 / 2, 1, 2, 4])
    )


@pytest.mark.parametrize("at", [2, 4])
def test_held_out_likelihoods_are_those_of_retraining(at):
    train, test = shifted(n_test=40)
    ratio = KLIEP(n_centres=10, n_folds=40, tol=1e-7).fit(train, test)
    width = ratio.cv_widths_[at]
    centres = KLIEP(width, 10).fit(train, test).centres_
    means, heights = gaussian_basis(train, centres, width).mean(axis=0), gaussian_basis(test, centres, width)
    rest = [np.delete(np.arange(40), i) for i in range(40)]
    logs = [np.log(heights[i] @ best_coefficients(heights[rest[i]], means)[0]) for i in range(40)]
    assert ratio.cv_likelihoods_[at] == pytest.approx(np.mean(logs), abs=1e-6)
    if at == 2:  # what is held out is worse than what is learned from: the two are told apart
        seen = np.log(heights @ best_coefficients(heights, means)[0]).mean()
        assert ratio.cv_likelihoods_[at] < seen - 0.01


def test_a_known_ratio_is_found():
    rng = np.random.default_rng(0)
    train, test = rng.normal(size=(5000, 1)), rng.normal(0.5, 1.0, size=(2000, 1))
    ratio = KLIEP().fit(train, test)
    at = np.linspace(-1.5, 2.0, 8)[:, None]
    np.testing.assert_allclose(ratio.predict(at), np.exp(0.5 * at[:, 0] - 0.125), rtol=0.2)
    assert ratio.likelihoods_[-1] == pytest.approx(0.125, abs=0.03)
    assert ratio.effective_size_ == pytest.approx(5000 * np.exp(-0.25), rel=0.1)


def test_equal_rows_get_equal_weights_nearly():
    train, _ = shifted()
    ratio = KLIEP().fit(train, train)
    assert ratio.effective_size_ > 0.8 * len(train)
    assert ratio.weights_.mean() == pytest.approx(1)


def test_centres_that_no_training_row_is_near_are_left_out():
    train, test = shifted()
    test = np.vstack([test, [[50.0, 50.0], [-60.0, 3.0]]])
    ratio = KLIEP().fit(train, test)
    assert np.abs(ratio.centres_).max() < 10
    assert len(ratio.centres_) == 60
    assert np.isfinite(ratio.likelihoods_).all()
    assert ratio.effective_size_ > 15


@pytest.mark.parametrize("width", [None, 1.0])
def test_no_training_row_near_any_test_row_gives_weights_of_one(width):
    train, test = shifted()
    with pytest.warns(DataWarning, match="all weights are 1"):
        ratio = KLIEP(width).fit(train, test + 1000.0)
    np.testing.assert_array_equal(ratio.weights_, np.ones(len(train)))
    np.testing.assert_array_equal(ratio.predict(test), np.ones(len(test)))
    assert ratio.effective_size_ == len(train)
    assert ratio.likelihoods_[-1] == 0


@pytest.mark.parametrize("even", [False, True])
def test_sparse_rows_are_like_dense_ones(even):
    train, test = (np.where(np.abs(X) < 0.5, 0, X) for X in shifted(n_features=5))
    dense = KLIEP(even=even).fit(train, test)
    sparse = KLIEP(even=even).fit(csr_array(train), csr_array(test))
    np.testing.assert_allclose(sparse.weights_, dense.weights_, rtol=1e-7)
    np.testing.assert_allclose(sparse.predict(csr_array(test)), dense.predict(test), rtol=1e-7)


def test_rows_far_from_the_origin_keep_their_weights():
    train, test = shifted()
    here, there = KLIEP(1.0, 60).fit(train, test), KLIEP(1.0, 60).fit(train + 1e6, test + 1e6)
    np.testing.assert_allclose(there.weights_, here.weights_, rtol=1e-5)


@pytest.mark.parametrize(
    ("train", "test"),
    [
        ([[1.0]], [[1.0]]),
        ([[1.0], [2.0]], [[1.5]]),
        ([[0.0]] * 5, [[0.0]] * 3),
        ([[1.0], [2.0]], [[1.0]] * 9),
    ],
)
def test_hardly_any_rows(train, test):
    ratio = KLIEP().fit(train, test)
    assert np.isfinite(ratio.weights_).all()
    assert ratio.weights_.mean() == pytest.approx(1)


def test_stopping_short_is_said():
    with pytest.warns(ConvergenceWarning, match="after 2 steps; tol is 0.0001"):
        KLIEP(0.3, max_iter=2).fit(*shifted())


def test_a_saved_model_gives_the_same_bits(tmp_path):
    train, test = shifted()
    ratio = KLIEP(even=True).fit(train, test)
    ratio.save(tmp_path / "ratio")
    again = storage.load(tmp_path / "ratio", {"KLIEP": KLIEP})
    np.testing.assert_array_equal(again.predict(test), ratio.predict(test))
    assert clone(ratio).get_params() == again.get_params()


def test_bad_input_is_refused():
    train, test = shifted()
    with pytest.raises(ValueError, match="train has 2 features and test 1"):
        KLIEP().fit(train, test[:, :1])
    with pytest.raises(ValueError, match="X has 1 features; KLIEP was fitted on 2"):
        KLIEP().fit(train, test).predict(test[:, :1])
    with pytest.raises(ValueError, match="Input test contains NaN"):
        KLIEP().fit(train, np.full_like(test, np.nan))
    for name, value in {
        "width": 0.0,
        "n_centres": 0,
        "even": 1,
        "n_folds": 1,
        "tol": 0,
        "max_iter": 0,
    }.items():
        with pytest.raises(ValueError, match=f"^{name} must be "):
            KLIEP().set_params(**{name: value}).fit(train, test)

"""Random rankers, parameters and data; ``python -m fuzz.api`` runs twenty thousand of them."""

import numpy as np
import pytest
from fuzz.api import make_case, run_case
from scipy.sparse import csr_array

from semirank import (
    DistanceRanking,
    FeatureGeneration,
    LinearSVMRanker,
    ManifoldRanking,
    Ranker,
    RankRLS,
    RayleighRanker,
    ScreeningRanker,
    TransductiveRankRLS,
    TransductiveSVM,
)
from semirank.graphs import Diffusion


@pytest.mark.parametrize("start", [0, 40, 80])
def test_what_fit_promises_holds_for_random_rankers_on_random_data(start):
    fitted = 0
    for seed in range(start, start + 40):
        try:
            fitted += run_case(make_case(seed)) == "fitted"
        except Exception as error:
            raise AssertionError(f"python -m fuzz.api --seed {seed}: {error}") from error
    assert fitted > 10


# what such runs have found


def test_distances_of_single_precision_items_do_not_overflow():
    ranker = DistanceRanking().fit(np.array([[0.9], [0.8]], dtype=np.float32), [1.0, 1.0])
    new = ranker.predict(np.array([[1e30]], dtype=np.float32))
    np.testing.assert_allclose(new, -1e30, rtol=1e-6)


def test_a_ridge_beside_the_largest_number_is_refused_in_our_words():
    X, y = np.random.default_rng(0).normal(size=(13, 3)), np.arange(13) % 2
    with pytest.raises(ValueError, match="ridge"):
        RayleighRanker(ridge=1.7976931348623157e308, smoothness=1e300).fit(X, y)


@pytest.mark.parametrize("ranker", [TransductiveRankRLS, RankRLS, RayleighRanker])
def test_a_kernel_that_is_no_number_is_refused(ranker):
    X = 1e140 * np.random.default_rng(0).normal(size=(12, 5))
    with pytest.raises(ValueError, match=r"polynomial kernel of these items is beyond .* Scale the features"):
        ranker(kernel="polynomial", degree=2, gamma=599.0).fit(X, np.arange(12) % 2)


def test_a_linear_kernel_that_is_no_number_is_refused_for_new_items():
    X, y = np.random.default_rng(0).normal(size=(12, 5)), np.arange(12) % 2
    ranker = FeatureGeneration(kernel="linear", n_components=2).fit(X, y, np.arange(12) // 6)
    with pytest.raises(ValueError, match=r"linear kernel of these items is beyond .* Scale the features"):
        ranker.predict(1e160 * X)


def test_scores_that_are_no_numbers_are_refused():
    class Unbounded(Ranker):
        def fit(self, X, y, qid=None):
            data = self._check(X, y, qid)
            return self._store(data, np.where(data.y > 0, np.inf, 0.0))

    with pytest.raises(ValueError, match=r"Unbounded are beyond .* Scale the features"):
        Unbounded().fit(np.zeros((2, 1)), [0.0, 1.0])


def test_weights_of_single_precision_spread_as_those_of_double_precision():
    rng = np.random.default_rng(0)
    W = np.triu(rng.random((30, 30)), 1).astype(np.float32)
    W, y = W + W.T, rng.normal(size=30)
    D = W.sum(axis=1, dtype=np.float64)
    S = W.astype(np.float64) / np.sqrt(np.outer(D, D))
    solved = Diffusion(csr_array(W)).solve(y, 0.9, tol=1e-10).scores
    np.testing.assert_allclose(solved, np.linalg.solve(np.eye(30) - 0.9 * S, y), rtol=1e-8)


def test_single_precision_items_are_ranked_over_inner_products():
    X, y = (
        np.random.default_rng(0).normal(size=(40, 3)),
        np.where(np.arange(40) < 8, np.arange(40) % 2, np.nan),
    )
    double, single = (ManifoldRanking(graph="inner").fit(X.astype(kind), y).scores_ for kind in ("f8", "f4"))
    np.testing.assert_allclose(single, double, rtol=1e-3, atol=1e-4)


def test_edges_of_hardly_any_weight_spread_finite_scores():
    X, y = np.array([[0.0], [1.0], [39.0], [77.0]]), [1.0, 0.0, np.nan, np.nan]
    scores = ManifoldRanking(n_neighbors=1, sigma=1.0, join=True).fit(X, y).scores_
    assert np.isfinite(scores).all()


@pytest.mark.parametrize("params", [{"C": 1e300}, {"balance": 1e300}])
def test_costs_beyond_numbers_are_refused(params):
    with pytest.raises(ValueError, match=r"must be a number .*1e\+12"):
        ScreeningRanker(**params).fit(["one text", "text two"], [1.0, 0.0])


@pytest.mark.parametrize("ranker", [LinearSVMRanker(), TransductiveSVM()])
def test_features_that_a_solver_never_comes_to_terms_with_are_refused(ranker):
    X = np.array([[1.0], [2e137], [3.0]])
    with pytest.raises(ValueError, match=r"value beyond 1e\+60 in row 1.* Scale the features"):
        ranker.fit(X, [1.0, 0.0, np.nan])


def test_new_items_beyond_all_numbers_are_refused():
    rng = np.random.default_rng(9)
    ranker = ManifoldRanking(n_neighbors=3, sigma=0.05).fit(rng.normal(size=(8, 6)), np.arange(8) % 2)
    with pytest.raises(ValueError, match=r"ManifoldRanking are beyond .* choose milder parameters"):
        ranker.predict(rng.normal(size=(6, 6)))

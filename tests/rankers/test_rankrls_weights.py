"""RankRLS with weights of items and of pairs, against every pair written out and against repetition."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import rbf_kernel
from tests.rankers import oracle_rankrls as oracle

from semirank.rankers.pairs import PairWeights
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.rankers.solvers import least_squares
from semirank.rankers.solvers.conjugate_gradients import IterativeRidge

nan = np.nan
GAMMA = 0.1
KERNELS = ["linear", "rbf", "precomputed", "components"]


def lists(n_lists=6, n_items=6, n_features=4, seed=0):
    """Make lists in mixed order, all labels different, one list without any."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features))
    y = X[:, 0] + rng.normal(size=len(qid))
    y[(rng.random(len(qid)) < 0.2) | (qid == n_lists - 1)] = nan
    return X, y, qid


def all_pairs(y, qid):
    """Give every pair its weight in the plain loss."""
    found = [(i, j, w) if y[i] > y[j] else (j, i, w) for i, j, w in oracle.pairs_of(y, qid) if y[i] != y[j]]
    better, worse, weights = zip(*found, strict=True)
    return PairWeights(np.array(better), np.array(worse), np.array(weights))


def some_pairs(y, qid, seed=0):
    """Give half of the pairs weights between 0 and 3."""
    pairs, rng = all_pairs(y, qid), np.random.default_rng(seed)
    chosen = rng.random(len(pairs.weights)) < 0.5
    return PairWeights(pairs.better[chosen], pairs.worse[chosen], 3.0 * rng.random(chosen.sum()))


def ranker_of(kernel, ridge=0.3, kind=RankRLS):
    if kernel == "components":
        return kind("rbf", gamma=GAMMA, ridge=ridge, n_components=1000)
    return kind(kernel, gamma=GAMMA, ridge=ridge)


def matrix_of(kernel, X):
    return rbf_kernel(X, gamma=GAMMA) if kernel == "precomputed" else X


def features_of(kernel, X):
    return oracle.features_of(X, "linear" if kernel == "linear" else "rbf", GAMMA)


def train(Phi, y, pairs, ridge):
    """Minimise the weighted sum over pairs by an orthogonal factorisation of the stacked rows."""
    better, worse, weights = pairs
    root = np.sqrt(weights)
    stacked = np.vstack([root[:, None] * (Phi[better] - Phi[worse]), np.sqrt(ridge) * np.eye(Phi.shape[1])])
    target = np.append(root * (y[better] - y[worse]), np.zeros(Phi.shape[1]))
    return np.linalg.lstsq(stacked, target, rcond=None)[0]


def assert_near(found, expected, tolerance=1e-8):
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_features", [4, 50])
def test_scores_minimise_the_weighted_sum_over_pairs(kernel, n_features):
    X, y, qid = lists(n_features=n_features)
    pairs, Phi = some_pairs(y, qid), features_of(kernel, X)
    ranker = ranker_of(kernel).fit(matrix_of(kernel, X), y, qid, pairs=pairs)
    assert_near(ranker.scores_, Phi @ train(Phi, y, pairs, 0.3), 1e-7)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("n_features", [4, 50])
def test_all_pairs_and_weights_of_one_are_the_plain_ranker(kernel, n_features):
    X, y, qid = lists(n_features=n_features)
    K = matrix_of(kernel, X)
    plain = ranker_of(kernel).fit(K, y, qid)
    by_items = ranker_of(kernel).fit(K, y, qid, sample_weight=np.ones(len(y)))
    by_pairs = ranker_of(kernel).fit(K, y, qid, pairs=all_pairs(y, qid))
    for ranker in (by_items, by_pairs):
        assert_near(ranker.scores_, plain.scores_)
        assert_near(ranker.leave_list_out([0.1, 10.0]), plain.leave_list_out([0.1, 10.0]))
        np.testing.assert_array_equal(ranker.explain(3)[0], plain.explain(3)[0])
        assert_near(ranker.explain(3)[1], plain.explain(3)[1])


def test_a_pair_with_weight_three_is_a_pair_given_three_times():
    X, y, qid = lists()
    pairs = some_pairs(y, qid)
    times = np.arange(len(pairs.weights)) % 4
    weighted = RankRLS().fit(X, y, qid, pairs=PairWeights(pairs.better, pairs.worse, times))
    repeated = PairWeights(*(np.repeat(rows, times) for rows in pairs[:2]), np.ones(times.sum()))
    assert_near(weighted.scores_, RankRLS().fit(X, y, qid, pairs=repeated).scores_, 1e-12)


@given(seed=st.integers(0, 999), kernel=st.sampled_from(["linear", "rbf"]))
@settings(max_examples=25, deadline=None)
def test_an_item_with_weight_three_is_an_item_given_three_times(seed, kernel):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(3), 5))
    X, y, times = rng.normal(size=(15, 3)), rng.integers(0, 3, 15).astype(float), rng.integers(0, 4, 15)
    repeated = [np.repeat(values, times, axis=0) for values in (X, y, qid)]
    assume(any(y[i] != y[j] for i, j, _ in oracle.pairs_of(np.where(times > 0, y, nan), qid)))
    weighted = ranker_of(kernel).fit(X, y, qid, sample_weight=times)
    assert_near(weighted.predict(X), ranker_of(kernel).fit(*repeated).predict(X), 1e-7)


def test_weights_of_items_multiply_those_of_their_pairs():
    X, y, qid = lists()
    pairs, items = some_pairs(y, qid), np.random.default_rng(1).random(len(y))
    product = pairs.weights * items[pairs.better] * items[pairs.worse]
    expected = RankRLS().fit(X, y, qid, pairs=PairWeights(pairs.better, pairs.worse, product))
    assert_near(RankRLS().fit(X, y, qid, items, pairs).scores_, expected.scores_)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("by", ["pairs", "items"])
def test_leave_list_out_is_training_again(kernel, by):
    X, y, qid = lists(seed=2)
    K, ridges = matrix_of(kernel, X), [5.0, 1e-2]
    items = np.random.default_rng(1).integers(0, 4, len(y))
    pairs = some_pairs(y, qid) if by == "pairs" else None
    sample_weight = items if by == "items" else None
    found = ranker_of(kernel).fit(K, y, qid, sample_weight, pairs).leave_list_out(ridges)
    for each in range(5):
        inside = qid == each
        rest = None if pairs is None else PairWeights(*(part[~inside[pairs.better]] for part in pairs))
        for scores, ridge in zip(found, ridges, strict=True):
            ranker = ranker_of(kernel, ridge).fit(K, np.where(inside, nan, y), qid, sample_weight, rest)
            again = ranker.scores_[inside]
            assert_near(scores[inside] - scores[inside][0], again - again[0], 1e-6)


def test_the_ridge_is_chosen_by_the_weighted_errors_of_left_out_lists():
    X, y, qid = lists(9, seed=3)
    pairs, ridges = some_pairs(y, qid), [0.01, 1.0, 100.0]
    ranker = RankRLSCV(ridges=ridges).fit(X, y, qid, pairs=pairs)
    held_out = RankRLS().fit(X, y, qid, pairs=pairs).leave_list_out(ridges)
    errors = (y - held_out)[:, pairs.better] - (y - held_out)[:, pairs.worse]
    order = [each for each in dict.fromkeys(qid.tolist()) if each < 8]
    expected = [(pairs.weights * errors**2)[:, qid[pairs.better] == each].sum(axis=1) for each in order]
    np.testing.assert_allclose(-ranker.cv_results_["split_test_score"], np.column_stack(expected), rtol=1e-9)
    weighted = RankRLSCV(ridges=ridges).fit(X, y, qid, sample_weight=np.full(len(y), 2.0))
    assert weighted.cv_results_["split_test_score"].shape == (3, 8)


@pytest.mark.parametrize("kernel", KERNELS)
def test_leave_items_out_leaves_one_of_several_out(kernel):
    X, y, _ = lists()
    K, ridges = matrix_of(kernel, X), [1.0, 0.01]
    times = np.random.default_rng(1).integers(0, 4, len(y)).astype(float)
    times[:2] = 0.5
    labelled = ~np.isnan(y) & (times > 0)
    found = ranker_of(kernel).fit(K, y, sample_weight=times).leave_items_out(ridges)
    for item in np.flatnonzero(labelled):
        fewer = times.copy()
        fewer[item] = max(0.0, times[item] - 1.0)
        for scores, ridge in zip(found, ridges, strict=True):
            again = ranker_of(kernel, ridge).fit(K, y, sample_weight=fewer).scores_
            mean = np.average(again[labelled], weights=fewer[labelled])
            assert scores[item] == pytest.approx(again[item] - mean, rel=1e-6, abs=1e-8)


def test_the_ridge_of_weighted_items_is_that_of_items_given_several_times():
    rng = np.random.default_rng(0)
    X, times = rng.normal(size=(30, 4)), rng.integers(0, 4, 30)
    y = np.round(X[:, 0] + rng.normal(size=30))
    weighted = RankRLSCV().fit(X, y, sample_weight=times)
    repeated = RankRLSCV().fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    ridges = [[each["ridge"] for each in ranker.cv_results_["params"]] for ranker in (weighted, repeated)]
    np.testing.assert_allclose(*ridges)
    np.testing.assert_allclose(weighted.best_score_, repeated.best_score_)
    np.testing.assert_allclose(weighted.cv_results_["std_test_score"], repeated.cv_results_["std_test_score"])
    errors = np.repeat(weighted.cv_results_["split_test_score"], times[times > 0], axis=1)
    np.testing.assert_allclose(errors, repeated.cv_results_["split_test_score"], rtol=1e-7)
    assert weighted.ridge_ == pytest.approx(repeated.ridge_)


@pytest.mark.parametrize("by", ["pairs", "items"])
def test_sparse_features_and_conjugate_gradients(by, monkeypatch):
    X, y, qid = lists()
    pairs = some_pairs(y, qid) if by == "pairs" else None
    sample_weight = None if by == "pairs" else 1.0 + np.arange(len(y)) % 3
    dense = RankRLS().fit(X, y, qid, sample_weight, pairs)
    sparse = RankRLS().fit(csr_array(X), y, qid, sample_weight, pairs)
    assert_near(sparse.scores_, dense.scores_)
    assert_near(sparse.leave_list_out(), dense.leave_list_out())
    monkeypatch.setattr(least_squares, "LARGEST_DIRECT", 3)
    for features in (X, csr_array(X)):
        iterative = RankRLS().fit(features, y, qid, sample_weight, pairs)
        form = iterative._fitted().form
        assert isinstance(form, IterativeRidge)
        assert form.spread() == pytest.approx(dense._fitted().form.spread())
        assert_near(iterative.scores_, dense.scores_)
        assert_near(iterative.leave_list_out(), dense.leave_list_out(), 1e-7)


def test_features_far_from_zero():
    X, y, qid = lists()
    far = X + 1e6 * np.arange(1, 5)
    expected = RankRLS().fit(X, y, qid).coef_
    for weights in ({"sample_weight": np.ones(len(y))}, {"pairs": all_pairs(y, qid)}):
        assert_near(RankRLS().fit(far, y, qid, **weights).coef_, expected, 1e-7)


def test_features_that_say_nothing():
    ranker = RankRLS("rbf").fit(np.zeros((4, 9)), [0, 1, 2, 3], sample_weight=[1, 2, 3, 4])
    np.testing.assert_allclose(ranker.scores_, 0.0, atol=1e-12)


def test_what_cannot_be_weighted():
    X, y, _ = lists()
    with pytest.raises(ValueError, match=r"weights sum to 0\.5.*Multiply all weights"):
        RankRLS().fit(X[:5], [0, 1, 2, 3, 4], sample_weight=np.full(5, 0.1))
    with pytest.raises(ValueError, match="no list has two"):
        RankRLS().fit([[0.0], [1.0], [2.0]], [0, 1, 2], sample_weight=[1, 0, 0])
    with pytest.raises(ValueError, match="several lists, or choose the ridge"):
        RankRLS().fit(X, y, pairs=all_pairs(y, np.zeros(len(y)))).leave_items_out()
    nothing = PairWeights([1], [0], [1.0])
    with pytest.raises(ValueError, match="All pairs to learn from weigh 0"):
        RankRLS().fit([[0.0], [1.0]], [0, 1], sample_weight=[0, 1], pairs=nothing)

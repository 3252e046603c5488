"""ImportanceWeighting against its definition: every pair written down, weighted by a general minimiser."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from tests.density_ratio.oracle_kliep import best_coefficients, gaussian_basis
from tests.rankers.oracle_boosting import DensePairs, dense_boost, dense_pairs

from semirank import (
    DistanceRanking,
    FeatureGeneration,
    ImportanceWeighting,
    RankBoost,
    RankRLS,
    RankSVM,
    metrics,
)
from semirank.dataset import DataWarning
from semirank.meta.importance_weighting import _is_tiny
from semirank.rankers.pairs import PairWeights
from semirank.rankers.pairs.sampled import all_pairs, ordered_pairs

nan = np.nan


def lists(n_lists=5, n_items=9, labelled=4, seed=0):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_lists), n_items)
    X = rng.normal(size=(len(qid), 3)).round(1)
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=len(qid)), [-0.5, 0.7]).astype(float)
    return X, np.where(qid < labelled, y, nan), qid, y


def dense_weights(X, better, worse, items, width, given=None):
    """KLIEP by SLSQP with a basis function at every pair of the list; mean 1 over the pairs that teach."""
    rows = [(i, j) for i in range(len(items)) for j in range(i)]
    own = np.array([items[i] - items[j] for i, j in rows])
    taught = X[better] - X[worse]
    values = gaussian_basis(taught, own, width, even=True)
    means = np.average(values, axis=0, weights=given)
    beta, _ = best_coefficients(gaussian_basis(own, own, width, even=True), means)
    return values @ beta


def stump_scores(rounds, X):
    return sum(each.alpha * (X[:, each.feature] > each.threshold) for each in rounds)


@pytest.mark.parametrize("width", [1.0, 3.0])
def test_equals_boosting_from_weights_by_the_definition(width):
    X, y, qid, _ = lists()
    known = qid < 4
    better, worse, _ = dense_pairs(y, qid)
    weights = dense_weights(X, better, worse, X[~known], width)
    dense = DensePairs(better, worse, weights / weights.sum())
    taught = np.unique(np.concatenate([better, worse]))
    rounds = dense_boost(X, dense, 4, max(weights.sum(), len(weights)), rows=taught)
    ranker = ImportanceWeighting(RankBoost(4), width, 1000, tol=1e-7).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_[~known], stump_scores(rounds, X[~known]), atol=5e-3)
    effective = weights.sum() ** 2 / (weights**2).sum()
    assert ranker.effective_sizes_[4] == pytest.approx(effective, rel=1e-2)
    np.testing.assert_array_equal(ranker.scores_[known], RankBoost(4).fit(X, y, qid).scores_[known])


def test_rankers_of_items_get_the_mean_weight_of_the_pairs_of_each():
    X, y, qid, _ = lists()
    known = qid < 4
    better, worse, _ = dense_pairs(y, qid)
    weights = dense_weights(X, better, worse, X[~known], 2.0)
    of_items = [
        np.concatenate(
            [weights[better == i], weights[worse == i], [1.0] * (i not in {*better, *worse})]
        ).mean()
        for i in np.flatnonzero(known)
    ]
    expected = LinearRegression().fit(X[known], y[known], of_items).predict(X[~known])
    ranker = ImportanceWeighting(LinearRegression(), 2.0, 1000, tol=1e-7).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_[~known], expected, atol=5e-3)


def two_kinds_of_lists(seed, n_common=24, n_rare=4, n_test=8, n_items=15):
    """Make lists of which few vary as the test lists do; there, the first feature counts the other way."""
    rng = np.random.default_rng(seed)
    rare = np.repeat(np.r_[[False] * n_common, [True] * n_rare, [True] * n_test], n_items)
    qid = np.repeat(np.arange(n_common + n_rare + n_test), n_items)
    X = rng.normal(size=(len(qid), 3)) * np.where(rare[:, None], [1.0, 0.1, 1.0], [1.0, 1.0, 0.1])
    y = np.where(rare, -X[:, 0], X[:, 0]) + 0.3 * rng.normal(size=len(qid)) > 0.5
    return X, y.astype(float), qid, qid >= n_common + n_rare


@pytest.mark.parametrize("base", [RankBoost(5), RankBoost(5, balance="lists"), RankSVM(), RankRLS()])
@pytest.mark.parametrize("seed", range(2))
def test_it_beats_its_ranker_where_the_lists_to_rank_are_of_a_rare_kind(base, seed):
    X, truth, qid, test = two_kinds_of_lists(seed)
    y = np.where(test, nan, truth)
    alone = clone(base).fit(X, y, qid).scores_
    weighted = ImportanceWeighting(base).fit(X, y, qid).scores_
    without, better = (
        np.nanmean(metrics.auc(truth[test], scores[test], qid[test])) for scores in (alone, weighted)
    )
    assert better > 0.8 > 0.6 > without


def test_lists_to_rank_like_those_that_teach_change_little():
    X, y, qid, truth = lists(12, 20, 10)
    ranker = ImportanceWeighting(RankBoost(10)).fit(X, y, qid)
    test = qid >= 10
    kept = metrics.auc(truth[test] > 1, ranker.scores_[test], qid[test]).mean()
    alone = metrics.auc(truth[test] > 1, RankBoost(10).fit(X, y, qid).scores_[test], qid[test]).mean()
    assert kept > alone - 0.05
    assert min(ranker.effective_sizes_.values()) > 0.3 * len(ordered_pairs(X, y, qid, 10_000).first)


def test_all_lists_labelled_gives_the_ranker_itself():
    X, _, qid, truth = lists()
    expected = RankBoost(10).fit(X, truth, qid).scores_
    ranker = ImportanceWeighting(RankBoost(10)).fit(X, truth, qid)
    np.testing.assert_array_equal(ranker.scores_, expected)
    assert ranker.effective_sizes_ == {}


def test_predict_does_for_a_new_list_what_fit_does():
    X, y, qid, _ = lists(n_lists=6)
    known = qid < 4
    ranker = ImportanceWeighting(RankBoost(10)).fit(X[known], y[known], qid[known])
    whole = ImportanceWeighting(RankBoost(10)).fit(X, y, qid)
    np.testing.assert_allclose(ranker.predict(X[~known], qid[~known]), whole.scores_[~known])


def test_several_jobs_give_the_same_scores():
    X, y, qid, _ = lists(n_lists=6)
    with parallel_config("threading"):
        one, two = (ImportanceWeighting(RankBoost(3), n_jobs=n_jobs).fit(X, y, qid) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    assert one.figures_ == two.figures_


def test_metas_compose():
    X, truth, qid, test = two_kinds_of_lists(0, n_common=8, n_rare=3, n_test=2)
    y = np.where(test, nan, truth)
    outer = ImportanceWeighting(FeatureGeneration(RankBoost(5), n_components=2)).fit(X, y, qid)
    inner = FeatureGeneration(ImportanceWeighting(RankBoost(5)), n_components=2).fit(X, y, qid)
    assert not outer.failures_
    assert not inner.failures_
    for each in (outer, inner):
        assert np.nanmean(metrics.auc(truth[test], each.scores_[test], qid[test])) > 0.6


@pytest.mark.parametrize("base", [RankBoost(4), RankBoost(4, balance="lists"), RankSVM()])
def test_weights_given_to_fit_are_multiplied(base):
    X, y, qid, _ = lists(n_items=14)
    better, worse = ordered_pairs(X, y, qid, 10_000)
    kept = np.arange(0, len(better), 2)
    given = np.random.default_rng(0).random(len(kept))
    pairs = PairWeights(better[kept], worse[kept], given)
    if base.balance == "lists":
        given = given / np.bincount(qid[better[kept]], given)[qid[better[kept]]]
    own = dense_weights(X, better[kept], worse[kept], X[qid == 4], 2.0, given)
    as_given = clone(base).set_params(balance="pairs")
    expected = as_given.fit(X, y, qid, pairs=pairs._replace(weights=given * own))
    ranker = ImportanceWeighting(base, 2.0, 1000, tol=1e-7).fit(X, y, qid, pairs=pairs)
    np.testing.assert_allclose(ranker.scores_[qid == 4], expected.scores_[qid == 4], atol=5e-3)


def test_lists_count_the_same_before_pairs_are_weighted():
    X, y, qid, _ = lists(n_items=14)
    better, worse = ordered_pairs(X, y, qid, 1000)
    share = 1 / np.bincount(qid[better])[qid[better]]
    own = dense_weights(X, better, worse, X[qid == 4], 2.0, share)
    expected = RankRLS().fit(X, y, qid, pairs=PairWeights(better, worse, share * own)).scores_
    ranker = ImportanceWeighting(RankRLS(), 2.0, 1000, tol=1e-7).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_[qid == 4], expected[qid == 4], atol=5e-3)


@pytest.mark.parametrize("base", [RankBoost(4), LinearRegression()])
def test_a_sample_weight_of_two_is_an_item_given_twice(base):
    X, y, qid, _ = lists()
    times = np.random.default_rng(0).integers(0, 3, len(y))
    times[qid == 4] = 1
    weighted = ImportanceWeighting(base).fit(X, y, qid, sample_weight=times.astype(float))
    repeated = ImportanceWeighting(base).fit(X.repeat(times, 0), y.repeat(times), qid.repeat(times))
    np.testing.assert_allclose(weighted.scores_[-9:], repeated.scores_[-9:], atol=1e-7)
    assert weighted.effective_sizes_[4] == pytest.approx(repeated.effective_sizes_[4])


@pytest.mark.parametrize("items", [[[1.0, 2.0, 3.0]], [[1.0, 2.0, 3.0]] * 4])
def test_a_list_without_differences_is_ranked_as_it_is(items):
    X, y, qid, _ = lists()
    ranker = ImportanceWeighting(RankBoost(5)).fit(X, y, qid)
    np.testing.assert_array_equal(ranker.predict(items), RankBoost(5).fit(X, y, qid).predict(items))


def test_a_list_far_from_all_pairs_is_named():
    X, y, qid, _ = lists()
    X[qid == 4] *= 1e4
    with pytest.warns(DataWarning, match=r"1 of 1 lists, no pair that teaches is near .*first is 4"):
        ranker = ImportanceWeighting(RankBoost(5), 1.0).fit(X, y, qid)
    expected = RankBoost(5).fit(X, y, qid, pairs=PairWeights(*ordered_pairs(X, y, qid, 1000), np.ones(96)))
    np.testing.assert_allclose(ranker.scores_, expected.scores_)


def test_few_effective_pairs_are_named():
    X, y, qid, _ = lists(n_items=12)
    with pytest.warns(DataWarning, match=r"1 of 1 lists, the pairs weigh as less than 30.*first is 4"):
        ImportanceWeighting(RankBoost(5), 0.1).fit(X, y, qid)


@pytest.mark.parametrize(
    "base", [DistanceRanking(), KNeighborsRegressor(), FeatureGeneration(DistanceRanking())]
)
def test_rankers_that_take_no_weights_are_refused(base):
    X, y, qid, _ = lists()
    with pytest.raises(ValueError, match="needs a ranker whose fit takes pairs or sample_weight"):
        ImportanceWeighting(base).fit(X, y, qid)


def test_sparse_features():
    X, y, qid, _ = lists()
    X = np.where(np.abs(X) < 0.5, 0, X)
    dense = ImportanceWeighting(RankBoost(5)).fit(X, y, qid)
    sparse = ImportanceWeighting(RankBoost(5)).fit(csr_array(X), y, qid)
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-7)


@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
def test_a_sample_of_pairs_is_enough():
    X, truth, qid, test = two_kinds_of_lists(0)
    y = np.where(test, nan, truth)
    few = ImportanceWeighting(RankRLS(), max_taught=900, max_pairs=300, max_list_pairs=50).fit(X, y, qid)
    assert np.nanmean(metrics.auc(truth[test], few.scores_[test], qid[test])) > 0.8


def as_set(pairs):
    return set(zip(*pairs, strict=True))


def test_pairs_are_all_pairs_or_a_sample_of_them():
    X = np.random.default_rng(0).normal(size=(9, 2))
    found = all_pairs(X, 100)
    assert {frozenset(pair) for pair in as_set(found)} == {
        frozenset((i, j)) for i in range(9) for j in range(i)
    }
    few, mixed = all_pairs(X, 10), all_pairs(X[::-1], 10)
    assert len(as_set(few)) == 10
    assert as_set(few) < as_set(found)
    np.testing.assert_array_equal(few.differences(X), mixed.differences(X[::-1]))
    assert len(all_pairs(X[:1], 10).first) == 0


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_ordered_pairs_are_those_of_brute_force_or_a_sample_of_them(seed, number):
    rng = np.random.default_rng(seed)
    y, qid = rng.choice([0.0, 1.0, 2.5, nan], 14), np.sort(rng.integers(0, 3, 14))
    X = rng.normal(size=(14, 2))
    if np.isnan(y).all():
        return
    dense = dense_pairs(np.where(np.isnan(y), -np.inf, y), qid)
    expected = {(p, q) for p, q in zip(dense.better, dense.worse, strict=True) if not np.isnan(y[q])}
    found, few = (ordered_pairs(X, y, qid, most) for most in (1000, number))
    assert as_set(found) == expected
    assert len(found.first) == len(expected)
    assert as_set(few) <= expected
    assert len(as_set(few)) == len(few.first) == min(number, len(expected))


def test_a_sample_treats_all_pairs_alike():
    y = np.r_[np.zeros(100), np.ones(50)]  # 5000 pairs; each tenth would always meet the same items
    few = ordered_pairs(np.random.default_rng(0).normal(size=(150, 2)), y, np.zeros(150, dtype=int), 500)
    assert np.bincount(few.first, minlength=150)[100:].tolist() == [10] * 50
    assert np.bincount(few.second, minlength=100).max() <= 15


@pytest.mark.parametrize(
    ("n_pairs", "effective", "tiny"), [(40, 25, False), (40, 19, True), (1000, 29, True), (1000, 31, False)]
)
def test_many_pairs_that_have_become_few_are_told(n_pairs, effective, tiny):
    assert _is_tiny(n_pairs, effective, width=1.0) == tiny

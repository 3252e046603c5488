"""RankBoost from weighted pairs, and from data that were arranged once."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.rankers.oracle_boosting import DensePairs, dense_boost, dense_pairs

from semirank import RankBoost, SemiRankBoost
from semirank.rankers.pairs import PairWeights
from semirank.rankers.solvers.early_stopping import choose_held_out


def lists(seed=0, n_lists=4, n_items=10, n_features=3, levels=3, digits=1):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features)).round(digits)
    y = np.clip(np.floor(X[:, 0] - 0.5 * X[:, -1] + rng.normal(size=len(qid)) + levels / 2), 0, levels - 1)
    return X, y, qid


def ordered_pairs(y, qid):
    found = dense_pairs(y, qid)
    return found.better, found.worse


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    balance=st.sampled_from(["pairs", "lists"]),
    step=st.sampled_from(["bound", "exact"]),
    digits=st.sampled_from([0, 1, 6]),
)
def test_equals_boosting_over_the_given_pairs(seed, balance, step, digits):
    X, y, qid = lists(seed, digits=digits)
    better, worse = ordered_pairs(y, qid)
    weights = np.random.default_rng(seed).choice([0.0, 0.3, 1.0, 4.0], len(better))
    kept = weights > 0
    D = weights[kept]
    if balance == "lists":
        of_list = qid[better[kept]]
        D = D / np.array([D[of_list == name].sum() for name in of_list])
    dense = DensePairs(better[kept], worse[kept], D / D.sum())
    taught = np.unique(np.concatenate([dense.better, dense.worse]))
    rounds = dense_boost(X, dense, 12, max(weights.sum(), kept.sum()), step, taught)
    ranker = RankBoost(12, balance=balance, step=step)
    ranker.fit(X, y, qid, pairs=PairWeights(better, worse, weights))
    np.testing.assert_allclose(ranker.log_losses_, np.log([each.loss for each in rounds]), atol=1e-9)
    for t, each in enumerate(rounds):
        if each.clear:
            assert ranker.features_[t] == each.feature
            assert ranker.alphas_[t] == pytest.approx(each.alpha, rel=1e-6, abs=1e-9)


def test_the_loss_is_the_weighted_loss_of_the_scores():
    X, y, qid = lists(1)
    better, worse = ordered_pairs(y, qid)
    weights = np.random.default_rng(1).gamma(1.0, size=len(better))
    ranker = RankBoost(30).fit(X, y, qid, pairs=PairWeights(better, worse, weights))
    terms = np.exp(ranker.scores_[worse] - ranker.scores_[better])
    assert ranker.losses_[-1] == pytest.approx(np.average(terms, weights=weights), rel=1e-10)


def test_a_whole_weight_is_a_number_of_copies():
    X, y, qid = lists(2)
    better, worse = ordered_pairs(y, qid)
    weights = np.random.default_rng(2).integers(0, 4, len(better))
    weighted = RankBoost(15).fit(X, y, qid, pairs=PairWeights(better, worse, weights))
    copies = np.repeat(np.arange(len(better)), weights)
    given_twice = PairWeights(better[copies], worse[copies], np.ones(len(copies)))
    copied = RankBoost(15).fit(X, y, qid, pairs=given_twice)
    np.testing.assert_array_equal(weighted.features_, copied.features_)
    np.testing.assert_allclose(weighted.log_losses_, copied.log_losses_, atol=1e-10)


@pytest.mark.parametrize("balance", ["pairs", "lists"])
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_all_pairs_of_weight_one_are_plain_rankboost(balance, make):
    X, y, qid = lists(3)
    better, worse = ordered_pairs(y, qid)
    items = np.random.default_rng(3).choice([0.5, 1.0, 2.0], len(y))
    plain = RankBoost(15, balance=balance).fit(make(X), y, qid, sample_weight=items)
    pairs = PairWeights(better, worse, np.ones(len(better)))
    paired = RankBoost(15, balance=balance).fit(make(X), y, qid, sample_weight=items, pairs=pairs)
    np.testing.assert_array_equal(paired.features_, plain.features_)
    np.testing.assert_allclose(paired.log_losses_, plain.log_losses_, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_weights_of_pairs_of_any_size(scale):
    X, y, qid = lists(4)
    better, worse = ordered_pairs(y, qid)
    plain, scaled = (
        RankBoost(10, balance="lists").fit(
            X, y, qid, pairs=PairWeights(better, worse, np.full(len(better), w))
        )
        for w in (1.0, scale)
    )
    np.testing.assert_array_equal(scaled.features_, plain.features_)
    np.testing.assert_allclose(scaled.alphas_, plain.alphas_, rtol=1e-6)


def test_pairs_of_separable_data_neither_underflow_nor_stop():
    X, y, qid = lists(5, n_lists=1, n_items=40, levels=2)
    X[:, 1] = y
    better, worse = ordered_pairs(y, qid)
    ranker = RankBoost(1500).fit(X, y, qid, pairs=PairWeights(better, worse, np.ones(len(better))))
    assert ranker.log_losses_[-1] < -1500
    assert (np.diff(ranker.log_losses_) < 0).all()


def test_early_stopping_takes_no_pair_from_lists_held_out():
    X, y, qid = lists(6, n_lists=10, n_items=12, n_features=6)
    better, worse = ordered_pairs(y, qid)
    pairs = PairWeights(better, worse, np.random.default_rng(6).gamma(1.0, size=len(better)))
    ranker = RankBoost(80, patience=5, random_state=0)
    data = ranker._check(X, y, qid)
    held_out = data.restore(choose_held_out(data, 0.2, 0))
    taught = PairWeights(*(part[~held_out[better]] for part in pairs))
    alone = RankBoost(80).fit(X, y, qid, pairs=taught)
    stages = itertools.islice(
        alone.staged_predict(X), len(ranker.fit(X, y, qid, pairs=pairs).validation_losses_)
    )
    judged = dense_pairs(y[held_out], qid[held_out], balance="lists")
    for loss, scores in zip(ranker.validation_losses_, stages, strict=True):
        scores = scores[held_out]
        wrong = np.sign(scores[judged.worse] - scores[judged.better]) / 2 + 0.5
        assert loss == pytest.approx(judged.weights @ wrong)


def test_pairs_that_teach_nothing_are_refused():
    X, y, qid = lists(7)
    better, worse = ordered_pairs(y, qid)
    alone = PairWeights(better[:1], worse[:1], np.ones(1))
    with pytest.raises(ValueError, match="All pairs to learn from weigh 0"):
        RankBoost().fit(X, y, qid, sample_weight=np.arange(len(y)) != better[0], pairs=alone)
    with pytest.raises(ValueError, match="takes no pairs"):
        SemiRankBoost().fit(X, y, qid, pairs=alone)


@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize("n_bins", [255, 6, None])
@pytest.mark.parametrize("n_features", [3, 8, 15])
@pytest.mark.parametrize("n_new", [1, 5, 9])
def test_new_columns_give_the_stumps_of_a_fit_on_all_columns(make, n_bins, n_features, n_new):
    X, y, qid = lists(8, n_features=n_features, n_items=15)
    X[:, 1] = 0.0
    y[::5] = np.nan
    rng = np.random.default_rng(8)
    weights = rng.choice([0.0, 1.0, 2.0], len(y))
    prepared = RankBoost(25, n_bins, step="exact").prepare(make(X), y, qid, sample_weight=weights)
    for _ in range(2):
        new = rng.normal(size=(len(y), n_new)) + np.nan_to_num(y)[:, None]
        together = make(np.hstack([X, new]))
        naive = RankBoost(25, n_bins, step="exact").fit(together, y, qid, sample_weight=weights)
        stumps = prepared.learn(new)
        np.testing.assert_array_equal(stumps.features, naive.features_)
        np.testing.assert_array_equal(stumps.thresholds, naive.thresholds_)
        np.testing.assert_array_equal(stumps.alphas, naive.alphas_)
        np.testing.assert_array_equal(stumps.score(together), naive.scores_)
        assert (naive.features_ >= n_features).any()
    plain = RankBoost(25, n_bins, step="exact").fit(make(X), y, qid, sample_weight=weights)
    np.testing.assert_array_equal(prepared.learn().alphas, plain.alphas_)


def test_pseudo_labels_are_prepared_as_well():
    X, y, qid = lists(9, n_items=20)
    y[::2] = np.nan
    semi = SemiRankBoost(15, 2)
    stumps = semi.prepare(X, y, qid).learn()
    np.testing.assert_array_equal(stumps.alphas, semi.fit(X, y, qid).alphas_)


def test_weighted_pairs_are_prepared_as_well():
    X, y, qid = lists(9)
    better, worse = np.nonzero((y[:, None] > y) & (qid[:, None] == qid))
    pairs = PairWeights(better, worse, np.random.default_rng(9).random(len(better)))
    stumps = RankBoost(10).prepare(X, y, qid, pairs=pairs).learn()
    np.testing.assert_array_equal(stumps.alphas, RankBoost(10).fit(X, y, qid, pairs=pairs).alphas_)


def test_prepared_data_have_no_early_stopping():
    with pytest.raises(ValueError, match="set patience=None"):
        RankBoost(patience=3).prepare(*lists(10))

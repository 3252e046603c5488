"""RankBoost against boosting with every pair written down."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.rankers.oracle_boosting import dense_boost, dense_pairs

from semirank import RankBoost
from semirank.dataset import DataWarning, RankingDataset
from semirank.rankers.solvers.early_stopping import choose_held_out
from semirank.storage import load

nan = np.nan


def lists(seed=0, n_lists=3, n_items=10, n_features=3, levels=3, digits=1):
    """Make lists in mixed order; few digits make ties between stumps, levels=None labels all different."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features)).round(digits)
    y = X[:, 0] - 0.5 * X[:, -1] + rng.normal(size=len(qid))
    return X, y if levels is None else np.floor(np.clip(y + levels / 2, 0, levels - 1)), qid


def assert_same_rounds(ranker, rounds):
    assert ranker.n_rounds_ == len(rounds)
    np.testing.assert_allclose(ranker.log_losses_, np.log([each.loss for each in rounds]), atol=1e-9)
    for t, each in enumerate(rounds):
        if each.clear:
            assert ranker.features_[t] == each.feature
            assert ranker.thresholds_[t] == pytest.approx(each.threshold)
            assert ranker.alphas_[t] == pytest.approx(each.alpha, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("levels", [2, 4, None])
@pytest.mark.parametrize("balance", ["pairs", "lists"])
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**20),
    digits=st.sampled_from([0, 1, 6]),
    n_bins=st.sampled_from([255, None]),
    step=st.sampled_from(["bound", "exact"]),
    weighted=st.booleans(),
)
def test_equals_boosting_over_pairs(levels, balance, seed, digits, n_bins, step, weighted):
    X, y, qid = lists(seed, levels=levels, digits=digits)
    rng = np.random.default_rng(seed)
    weights = rng.choice([0.0, 0.5, 1.0, 3.0], len(y)) if weighted else np.ones(len(y))
    pairs = dense_pairs(y, qid, weights, balance)
    count = max((weights[pairs.better] * weights[pairs.worse]).sum(), len(pairs.weights))
    taught = np.unique(np.concatenate([pairs.better, pairs.worse]))
    rounds = dense_boost(X, pairs, 12, count, step, taught)
    ranker = RankBoost(12, n_bins, balance=balance, step=step).fit(X, y, qid, sample_weight=weights)
    assert_same_rounds(ranker, rounds)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**20), levels=st.sampled_from([2, 3, None]))
def test_the_loss_keeps_below_its_bound_and_above_the_share_of_wrong_pairs(seed, levels):
    X, y, qid = lists(seed, levels=levels)
    ranker = RankBoost(30).fit(X, y, qid)
    losses = np.concatenate([[1.0], ranker.losses_])
    limit = 0.5 * np.log(1 + 2 * len(dense_pairs(y, qid).weights))
    uncapped = np.abs(ranker.alphas_) < limit
    bound = losses[:-1] / np.cosh(ranker.alphas_)  # sqrt(1 - r^2), as r = tanh(alpha)
    assert (losses[1:][uncapped] <= bound[uncapped] * (1 + 1e-12)).all()
    assert (np.diff(losses) <= 1e-15).all()
    pairs = dense_pairs(y, qid)
    for loss, scores in zip(ranker.losses_, ranker.staged_predict(X, qid), strict=True):
        wrong = scores[pairs.better] <= scores[pairs.worse]
        assert pairs.weights[wrong].sum() <= loss * (1 + 1e-9)


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_scores_are_those_that_were_taught(make):
    X, y, qid = lists(4, n_items=40)
    ranker = RankBoost(50).fit(make(X), y, qid)
    pairs = dense_pairs(y, qid)
    loss = pairs.weights @ np.exp(ranker.scores_[pairs.worse] - ranker.scores_[pairs.better])
    assert loss == pytest.approx(ranker.losses_[-1], rel=1e-10)
    np.testing.assert_array_equal(ranker.predict(make(X), qid), ranker.scores_)
    *_, last = ranker.staged_predict(make(X), qid)
    np.testing.assert_array_equal(last, ranker.scores_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_exact_binned_and_sparse_agree(dtype):
    X, y, qid = lists(5, n_items=60)
    X = np.where(np.abs(X) < 0.4, 0, X).astype(dtype)
    fits = [
        RankBoost(40).fit(X, y, qid),
        RankBoost(40, None).fit(X, y, qid),
        RankBoost(40).fit(csr_array(X), y, qid),
    ]
    for other in fits[1:]:
        np.testing.assert_array_equal(other.features_, fits[0].features_)
        np.testing.assert_array_equal(other.thresholds_, fits[0].thresholds_)
        np.testing.assert_allclose(other.scores_, fits[0].scores_, atol=1e-10)


def test_few_bins_choose_among_quantiles():
    X, y, qid = lists(6, n_items=200, digits=9)
    coarse, fine = RankBoost(20, 4).fit(X, y, qid), RankBoost(20, None).fit(X, y, qid)
    assert len(set(zip(coarse.features_, coarse.thresholds_, strict=True))) <= 9
    assert coarse.losses_[-1] > fine.losses_[-1]


def test_unlabelled_items_are_ranked_but_teach_nothing():
    X, y, qid = lists(7, n_items=30)
    y[np.random.default_rng(0).random(len(y)) < 0.4] = nan
    ranker = RankBoost(20).fit(X, y, qid)
    known = ~np.isnan(y)
    alone = RankBoost(20).fit(X[known], y[known], qid[known])
    np.testing.assert_array_equal(ranker.scores_, alone.predict(X, qid))


def test_lists_without_different_labels_teach_nothing():
    X, y, qid = lists(8)
    y[qid == 1] = 2
    rest = qid != 1
    with_it, without = RankBoost(10).fit(X, y, qid), RankBoost(10).fit(X[rest], y[rest], qid[rest])
    np.testing.assert_array_equal(with_it.log_losses_, without.log_losses_)


def test_a_weight_is_a_number_of_copies():
    X, y, qid = lists(9)
    weights = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weights)
    weighted = RankBoost(15).fit(X, y, qid, sample_weight=weights)
    copied = RankBoost(15).fit(X[copies], y[copies], qid[copies])
    np.testing.assert_array_equal(weighted.features_, copied.features_)
    np.testing.assert_allclose(weighted.log_losses_, copied.log_losses_, atol=1e-10)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_weights_of_any_size(scale):
    X, y, qid = lists(9)
    weights = np.random.default_rng(0).random(len(y))
    plain, scaled = (RankBoost(15).fit(X, y, qid, sample_weight=w) for w in (weights, scale * weights))
    np.testing.assert_array_equal(scaled.features_, plain.features_)
    np.testing.assert_allclose(scaled.alphas_, plain.alphas_, rtol=1e-6)


def test_a_stump_without_a_fault_has_a_finite_weight():
    ranker = RankBoost(1).fit([[1.0], [2.0], [3.0], [4.0], [5.0]], [0, 0, 0, 1, 1])
    assert ranker.alphas_[0] == pytest.approx(0.5 * np.log(1 + 2 * 6))
    assert ranker.thresholds_[0] == 3.5


@pytest.mark.parametrize("step", ["bound", "exact"])
def test_separable_data_for_many_rounds_neither_underflow_nor_stop(step):
    X, y, _ = lists(10, n_lists=1, n_items=50, levels=2)
    X[:, 1] = y
    ranker = RankBoost(2000, step=step).fit(X, y)
    assert ranker.n_rounds_ == 2000
    assert ranker.log_losses_[-1] < -2000
    assert (np.diff(ranker.log_losses_) < 0).all()
    assert np.isfinite(ranker.scores_).all()


def test_a_falling_feature_gets_a_negative_weight():
    ranker = RankBoost(3).fit([[4.0], [3.0], [2.0], [1.0]], [0, 0, 1, 1])
    assert (ranker.alphas_ < 0).all()


def test_of_equal_stumps_the_first_feature_and_the_largest_threshold_win():
    x = np.array([1.0, 2.0, 3.0])
    ranker = RankBoost(1).fit(np.column_stack([np.ones(3), x, -x, x]), [0, 1, 2])
    assert ranker.features_.tolist() == [1]
    assert ranker.thresholds_.tolist() == [2.5]


def test_importances_are_shares_of_the_weights():
    X, y, qid = lists(11)
    ranker = RankBoost(25).fit(X, y, qid)
    expected = [np.abs(ranker.alphas_[ranker.features_ == j]).sum() for j in range(3)]
    np.testing.assert_allclose(ranker.feature_importances_, expected / np.abs(ranker.alphas_).sum())


def test_one_thread_or_many_give_the_same_bits():
    X, y, qid = lists(12, n_lists=40, n_items=100, n_features=40, digits=9)
    many = RankBoost(15).fit(X, y, qid)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        one = RankBoost(15).fit(X, y, qid)
    finally:
        numba.set_num_threads(threads)
    np.testing.assert_array_equal(one.scores_, many.scores_)


def test_features_that_tell_nothing_apart_leave_all_scores_at_zero():
    with pytest.warns(DataWarning, match="No feature tells"):
        ranker = RankBoost().fit(np.ones((4, 2)), [0, 1, 0, 1])
    assert ranker.n_rounds_ == 0
    assert (ranker.scores_ == 0).all()
    assert ranker.predict([[5.0, 5.0]]) == 0
    assert list(ranker.staged_predict([[5.0, 5.0]])) == []
    assert (ranker.feature_importances_ == 0).all()


@pytest.mark.parametrize("y", [[1, 1, 1, nan], [0, 0, 1, 1]])
def test_one_class_in_every_list_is_an_error(y):
    with pytest.raises(ValueError, match=r"different labels.*one class"):
        RankBoost().fit(np.arange(4.0)[:, None], y, qid=[0, 0, 1, 1])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, 1, -1, 1], "got -1.0 in row 2"),
        ([1, np.inf, 1, 1], "got inf in row 1"),
        ([0, 0, 0, 0], "zero for every item"),
        ([1, 1], "one entry for each of 4 items"),
        ([1, 0, 1, 0], "one class"),
    ],
)
def test_weights_that_make_no_sense_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        RankBoost().fit(np.arange(4.0)[:, None], [0, 1, 0, 1], sample_weight=weights)


def early_stopped(**params):
    X, y, qid = lists(13, n_lists=12, n_items=15, n_features=8, digits=2)
    return RankBoost(200, patience=8, validation_fraction=0.3, random_state=1, **params).fit(X, y, qid), (
        X,
        y,
        qid,
    )


def test_early_stopping_learns_the_best_number_of_rounds_from_all_lists():
    ranker, (X, y, qid) = early_stopped()
    losses = ranker.validation_losses_
    assert ranker.n_rounds_ == np.argmin(losses) + 1
    assert len(losses) == ranker.n_rounds_ + 8
    plain = RankBoost(ranker.n_rounds_).fit(X, y, qid)
    np.testing.assert_array_equal(ranker.scores_, plain.scores_)
    assert len(plain.validation_losses_) == 0


def test_lists_held_out_are_judged_by_the_share_of_pairs_in_the_wrong_order():
    ranker, (X, y, qid) = early_stopped()
    data = RankingDataset(X, y, qid)
    held_out = data.restore(choose_held_out(data, 0.3, 1))
    assert len(np.unique(qid[held_out])) == 4
    assert not np.isin(qid[~held_out], qid[held_out]).any()
    taught = RankBoost(200).fit(X, np.where(held_out, nan, y), qid)
    pairs = dense_pairs(y[held_out], qid[held_out], balance="lists")
    stages = taught.staged_predict(X[held_out], qid[held_out])
    for loss, scores in zip(ranker.validation_losses_, stages, strict=False):
        wrong = np.sign(scores[pairs.worse] - scores[pairs.better]) / 2 + 0.5
        assert loss == pytest.approx(pairs.weights @ wrong)


def test_early_stopping_needs_two_lists():
    X, y, _ = lists(14, n_lists=1)
    with pytest.raises(
        ValueError, match=r"two or more whose labels differ; got 1. Say qid=\.\.\., or patience=None"
    ):
        RankBoost(patience=3).fit(X, y)


def test_a_model_file_that_does_not_fit_together_is_refused(tmp_path):
    ranker = RankBoost(5).fit(*lists(15))
    ranker.features_ = ranker.features_ + 3
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match="features_ must be"):
        load(tmp_path / "model", {"RankBoost": RankBoost})

"""Logistic and support vector rankers against a general minimiser of what they claim to minimise."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import expit

import semirank
from semirank import storage
from semirank.dataset import DataWarning, RankingDataset
from semirank.rankers.linear_svm import LinearSVMRanker
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.training_set import draw_from_each_list, lists_share_items

nan = np.nan
BOTH = pytest.mark.parametrize("make", [LogisticRanker, LinearSVMRanker])


def items(n=40, d=4, n_lists=1, labelled=0.7, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    qid = rng.integers(n_lists, size=n)
    y = (X[:, 0] + X[:, 1] + 0.7 * rng.normal(size=n) + 0.5 * qid > 0.8).astype(float)
    y[rng.random(n) > labelled] = nan
    return X, y, qid


def loss_and_slope(kind, margins):
    if kind is LogisticRanker:
        return np.logaddexp(0, -margins), -expit(-margins)
    return np.maximum(0, 1 - margins) ** 2, -2 * np.maximum(0, 1 - margins)


def by_minimiser(kind, X, signs, costs):
    """Minimise |v|^2 / 2 + sum of costs times losses, v including the intercept, without LIBLINEAR."""
    A = np.column_stack([X, np.ones(len(X))])

    def objective(v):
        losses, slopes = loss_and_slope(kind, signs * (A @ v))
        return v @ v / 2 + costs @ losses, v + A.T @ (costs * signs * slopes)

    return minimize(objective, np.zeros(A.shape[1]), jac=True, options={"gtol": 1e-9, "maxiter": 5000}).x


def balanced(signs):
    return np.where(signs > 0, 1 / np.mean(signs > 0), 1 / np.mean(signs < 0)) / 2


@BOTH
@pytest.mark.parametrize("class_weight", ["balanced", None])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_one_list_equals_the_minimiser(make, class_weight, form):
    X, y, _ = items()
    ranker = make(C=2.0, class_weight=class_weight).fit(form(X), y)
    known = ~np.isnan(y)
    signs = 2 * y[known] - 1
    costs = 2.0 * (balanced(signs) if class_weight else np.ones(len(signs)))
    expected = by_minimiser(make, X[known], signs, costs)
    np.testing.assert_allclose([*ranker.coef_, ranker.intercept_], expected, atol=1e-6)
    np.testing.assert_allclose(ranker.scores_, X @ expected[:-1] + expected[-1], atol=1e-6)


@BOTH
def test_one_line_for_many_lists_has_an_intercept_for_each(make):
    X, y, qid = items(n=60, n_lists=3)
    ranker = make(C=2.0).fit(X, y, qid)
    known = ~np.isnan(y)
    signs = 2 * y[known] - 1
    augmented = np.column_stack([X, np.eye(3)[qid]])[known]
    expected = by_minimiser(make, augmented, signs, 2.0 * balanced(signs))
    np.testing.assert_allclose(ranker.coef_, expected[:4], atol=1e-6)
    assert ranker.own_lists_.shape == (0,)


@BOTH
@given(seed=st.integers(0, 2**32 - 1), cut=st.sampled_from([None, 1.0, 2.0]))
@settings(max_examples=20, deadline=None)
def test_graded_labels_are_cut_in_two(make, seed, cut):
    X = np.random.default_rng(seed).normal(size=(30, 3))
    y = np.array([0, 1, 2] * 10, dtype=float)
    binary = (y > 0 if cut is None else y >= cut).astype(float)
    graded = make(relevant=cut).fit(X, y)
    np.testing.assert_array_equal(graded.scores_, make().fit(X, binary).scores_)


@BOTH
@pytest.mark.parametrize("y", [[1, 2, 1, 2, nan], [-5, -1, -5, -4, nan], [0, -1, -1, -1, nan]])
def test_labels_on_one_side_of_zero_are_cut_at_their_mean_and_named(make, y):
    X = np.random.default_rng(0).normal(size=(5, 2))
    with pytest.warns(DataWarning, match="one side of 0.*above the mean"):
        scores = make().fit(X, y).scores_
    np.testing.assert_array_equal(scores, make(relevant=np.nanmean(y)).fit(X, y).scores_)


@BOTH
def test_one_class_is_an_error_that_says_what_to_do(make):
    X = np.eye(4)
    with pytest.raises(ValueError, match=r"one class \(2 relevant, 0 irrelevant.*presumed_negatives"):
        make().fit(X, [1, 1, nan, nan])
    with pytest.raises(ValueError, match=r"one class \(0 relevant, 2 irrelevant.*label items of the other"):
        make().fit(X, [0, 0, nan, nan])
    with pytest.raises(ValueError, match=r"no list has both.*shared=True"):
        make(shared=False).fit(X, [1, nan, 0, nan], qid=[1, 1, 2, 2])
    with pytest.raises(ValueError, match="one class"):
        make().fit(X, [1, 0, 1, nan], sample_weight=[1, 0, 1, 1])


@BOTH
def test_presumed_negatives_are_labels_like_others(make):
    X, y, _ = items(labelled=0.5)
    all_presumed = make(presumed_negatives=1000).fit(X, y)
    np.testing.assert_array_equal(all_presumed.scores_, make().fit(X, np.nan_to_num(y)).scores_)
    one, same = (make(presumed_negatives=5, random_state=3).fit(X, y).scores_ for _ in range(2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, make(presumed_negatives=5, random_state=4).fit(X, y).scores_)


@BOTH
def test_relevant_labels_alone_are_enough_with_presumed_negatives(make):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) + 3.0 * (np.arange(200) < 20)[:, None]
    y = np.where(np.arange(200) < 5, np.arange(200) + 1.0, nan)
    scores = make(presumed_negatives=50, random_state=0).fit(X, y).scores_
    truth = np.where(np.arange(200) < 20, 1.0, 0.0)[5:]
    assert semirank.metrics.auc(truth, scores[5:])[0] > 0.99


def test_lists_without_a_relevant_item_presume_nothing():
    X = np.random.default_rng(0).normal(size=(8, 2))
    y, qid = [1, nan, 0, nan, nan, nan, 0, nan], [1, 1, 1, 1, 2, 2, 3, 3]
    presumed = LogisticRanker(presumed_negatives=9).fit(X, y, qid)
    labelled = LogisticRanker().fit(X, [1, 0, 0, 0, nan, nan, 0, nan], qid)
    np.testing.assert_array_equal(presumed.scores_, labelled.scores_)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(1, 5), st.integers(0, 99))
def test_draws_are_some_of_the_candidates_of_each_list(qid, most, seed):
    data = RankingDataset(np.zeros((len(qid), 1)), np.zeros(len(qid)), qid)
    rng = np.random.default_rng(seed)
    candidates = rng.random(len(qid)) < 0.7
    drawn = draw_from_each_list(candidates, data, most, rng)
    assert candidates[drawn].all()
    assert len(set(drawn)) == len(drawn)
    there, taken = (np.bincount(data.list_of_item[rows], minlength=4) for rows in (candidates, drawn))
    np.testing.assert_array_equal(taken, np.minimum(there, most))


def opposite_lists(n=60, seed=0):
    """Give the same items in two lists; what is relevant in one is irrelevant in the other."""
    X, y, _ = items(n=n, labelled=1.0, seed=seed)
    return np.vstack([X, X]), np.append(y, 1 - y), np.repeat(["yes", "no"], n)


@BOTH
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_lists_over_the_same_items_learn_apart(make, form):
    X, y, qid = opposite_lists()
    ranker = make().fit(form(X), y, qid)
    assert ranker.own_lists_.tolist() == ["yes", "no"]
    for name in ("yes", "no"):
        of_list = qid == name
        alone = make().fit(form(X[of_list]), y[of_list])
        np.testing.assert_array_equal(ranker.scores_[of_list], alone.scores_)
        np.testing.assert_array_equal(ranker.predict(form(X[:5]), [name] * 5), alone.predict(form(X[:5])))
    with pytest.raises(ValueError, match="each of 2 lists; predict needs qid"):
        ranker.predict(form(X))
    assert semirank.metrics.auc(y, ranker.scores_, qid).min() > 0.9
    assert semirank.metrics.auc(y, make(shared=True).fit(X, y, qid).scores_, qid).min() <= 0.5


@BOTH
def test_a_list_of_one_class_gets_the_mean_of_the_others_and_is_named(make):
    X, y, qid = items(n=80, n_lists=4, labelled=1.0)
    y = np.where(qid == 2, 0.0, y)
    with pytest.warns(DataWarning, match="1 of 4 lists .first: 2. have no relevant or no irrelevant"):
        ranker = make(shared=False).fit(X, y, qid)
    assert set(ranker.own_lists_) == {0, 1, 3}
    np.testing.assert_allclose(ranker.coef_, ranker.list_coefs_.mean(axis=0))
    expected = X @ ranker.list_coefs_.mean(axis=0) + ranker.list_intercepts_.mean()
    np.testing.assert_allclose(ranker.scores_[qid == 2], expected[qid == 2])


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_shared_items_are_recognised_at_any_scale(scale, form):
    X = scale * np.random.default_rng(0).normal(size=(50, 3))
    y, qid = np.zeros(100), np.repeat([0, 1], 50)
    assert lists_share_items(RankingDataset(form(np.vstack([X, X[::-1]])), y, qid))
    assert not lists_share_items(RankingDataset(form(np.vstack([X, X[:, ::-1]])), y, qid))
    assert not lists_share_items(RankingDataset(form(np.vstack([X, X])), y))


def test_each_digit_against_the_others_is_learned_apart_by_default():
    data = semirank.load("digits")
    few = data.hide_labels(keep=30, keep_levels=True, random_state=0)
    ranker = LogisticRanker().fit(few.X / 16, few.y, few.qid)
    assert len(ranker.own_lists_) == 10
    assert semirank.metrics.auc(data.y, ranker.scores_, data.qid).mean() > 0.9


def test_letor_lists_are_learned_together_by_default(real_data):
    data = semirank.load("mq2008", part="S1")
    few = data.hide_labels(keep=20, by="list", random_state=0)
    ranker = LogisticRanker(C=1.0).fit(few.X, few.y, few.qid)
    assert len(ranker.own_lists_) == 0
    hidden = np.isnan(few.y)
    y, qid = data.y[hidden], data.qid[hidden]
    learned, by_chance = (
        np.nanmean(semirank.metrics.average_precision(y, scores, qid))
        for scores in (ranker.scores_[hidden], np.zeros(len(y)))
    )
    assert learned > by_chance + 0.1


@BOTH
def test_an_item_of_weight_two_is_an_item_given_twice(make):
    X, y, qid = items(n=60, n_lists=3)
    weights = np.random.default_rng(1).integers(0, 3, size=60)
    weighted = make().fit(X, y, qid, sample_weight=weights)
    rows = np.repeat(np.arange(60), weights)
    repeated = make().fit(X[rows], y[rows], qid[rows])
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)


@BOTH
def test_wide_indices_are_no_obstacle(make):
    X, y, qid = items(n_lists=2)
    wide = csr_array(X)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    for lists in (None, qid):
        np.testing.assert_allclose(
            make().fit(wide, y, lists).scores_, make().fit(X, y, lists).scores_, atol=1e-8
        )


@BOTH
def test_a_saved_model_keeps_the_lines_of_its_lists(make, tmp_path):
    X, y, qid = opposite_lists()
    ranker = make().fit(X, y, qid)
    ranker.save(tmp_path / "model")
    again = storage.load(tmp_path / "model", {make.__name__: make})
    np.testing.assert_array_equal(again.predict(X, qid), ranker.predict(X, qid))


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("coef_", np.ones(3)),
        ("coef_", np.full(4, nan)),
        ("intercept_", "high"),
        ("list_coefs_", np.ones((1, 4))),
        ("list_intercepts_", np.ones(2, dtype=np.int64)),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(attribute, value, tmp_path):
    ranker = LogisticRanker().fit(*opposite_lists())
    setattr(ranker, attribute, value)
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match=attribute):
        storage.load(tmp_path / "model", {"LogisticRanker": LogisticRanker})


@pytest.mark.parametrize("C", [1e-300, 1e300])
@pytest.mark.parametrize("make", [LogisticRanker, LinearSVMRanker])
def test_a_cost_for_which_the_solver_never_ends_is_refused(make, C):
    with pytest.raises(ValueError, match=r"C must be a number in \[1e-12, 1e\+12\]"):
        make(C=C).fit(np.eye(3), [1, 0, np.nan])

"""Self-training against its objective, a general minimiser, and what it does to real text."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.exceptions import ConvergenceWarning

import semirank
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.self_training import SelfTrainingLogistic, self_train
from semirank.rankers.training_set import TrainingSet

nan = np.nan


def training_set(seed, n=40, d=3, labelled=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    signs = np.where(X[:, 0] + rng.normal(size=n) > 0.5, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    signs[labelled:] = nan
    return TrainingSet(X, signs, rng.uniform(0.5, 2.0, size=n)).balance()


def objective(X, signs, costs, coef, intercept):
    losses = np.logaddexp(0, -signs * (X @ coef + intercept))
    return (coef @ coef + intercept**2) / 2 + costs @ losses


def complete_costs(taught, C, unlabelled_weight):
    return C * taught.weights * np.where(np.isnan(taught.signs), unlabelled_weight, 1.0)


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 10.0]), st.sampled_from([0.05, 1.0, 3.0]))
@settings(max_examples=40, deadline=None)
def test_no_turn_makes_the_complete_data_less_likely(seed, C, unlabelled_weight):
    taught = training_set(seed)
    costs = complete_costs(taught, C, unlabelled_weight)
    [(first, _), *turns] = self_train(taught, C, unlabelled_weight)
    values, model = [], first
    for after, signs in turns:
        values.append(objective(taught.X, signs, costs, *model[:2]))  # signs by the model before
        values.append(objective(taught.X, signs, costs, *after[:2]))  # and the model by these signs
        model = after
    assert len(turns) >= 1
    assert (np.diff(values) <= 1e-9 * np.abs(values[:-1])).all()


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=20, deadline=None)
def test_it_rests_where_signs_and_line_agree(seed):
    taught = training_set(seed)
    model, signs = list(self_train(taught, 2.0, 0.5))[-1]
    unlabelled = ~taught.labelled
    np.testing.assert_array_equal(signs[taught.labelled], taught.signs[taught.labelled])
    np.testing.assert_array_equal(
        signs[unlabelled] > 0, (taught.X @ model.coef + model.intercept > 0)[unlabelled]
    )
    A, costs = np.column_stack([taught.X, np.ones(40)]), complete_costs(taught, 2.0, 0.5)

    def value_and_slope(v):
        margins = signs * (A @ v)
        value = v @ v / 2 + costs @ np.logaddexp(0, -margins)
        return value, v - A.T @ (costs * signs * expit(-margins))

    best = minimize(value_and_slope, np.zeros(4), jac=True, options={"gtol": 1e-9}).x
    np.testing.assert_allclose([*model.coef, model.intercept], best, atol=1e-6)


@pytest.mark.parametrize("qid", [None, np.arange(60) % 3])
def test_unlabelled_items_of_no_weight_leave_the_logistic_ranker(qid):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60).astype(float)
    y[rng.random(60) < 0.6] = nan
    expected = LogisticRanker(C=3.0).fit(X, y, qid)
    for ranker in (
        SelfTrainingLogistic(C=3.0, unlabelled_weight=0).fit(X, y, qid),
        SelfTrainingLogistic(C=3.0).fit(X, y, qid, sample_weight=(~np.isnan(y)).astype(float)),
    ):
        np.testing.assert_array_equal(ranker.scores_, expected.scores_)
        assert ranker.n_iter_ == 1


def test_labels_that_still_change_are_named():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 3))
    y = np.where(np.arange(300) < 6, np.arange(300) % 2, nan)
    assert SelfTrainingLogistic(unlabelled_weight=0.05).fit(X, y).n_iter_ > 2
    with pytest.warns(ConvergenceWarning, match="After 2 models.*raise max_iter"):
        ranker = SelfTrainingLogistic(unlabelled_weight=0.05, max_iter=2).fit(X, y)
    assert ranker.n_iter_ == 2


def test_without_class_weights_real_text_is_guessed_irrelevant_throughout(real_data):
    data = semirank.load("systematic-reviews", part="Cohen_Triptans")
    found, values = {"balanced": [], None: []}, {"balanced": [], None: []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        drawn = [rng.permutation(np.flatnonzero(data.y == label))[:size] for label, size in ((1, 5), (0, 45))]
        y = np.full(data.n_items, nan)
        y[np.concatenate(drawn)] = np.repeat([1.0, 0.0], [5, 45])
        rest = np.isnan(y)
        for class_weight in found:
            scores = SelfTrainingLogistic(class_weight=class_weight).fit(data.X, y).scores_[rest]
            found[class_weight].append(int((scores > 0).sum()))
            values[class_weight] += semirank.metrics.average_precision(data.y[rest], scores).tolist()
    assert max(found[None]) == 0 < min(found["balanced"])
    assert np.mean(values["balanced"]) > np.mean(values[None])


def test_as_many_models_as_it_takes_are_enough():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(np.arange(60) < 10, (X[:, 0] + rng.normal(size=60) > 0).astype(float), nan)
    settled = SelfTrainingLogistic(unlabelled_weight=0.05).fit(X, y)
    assert settled.n_iter_ > 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        again = SelfTrainingLogistic(unlabelled_weight=0.05, max_iter=settled.n_iter_).fit(X, y)
    assert again.n_iter_ == settled.n_iter_
    np.testing.assert_array_equal(again.scores_, settled.scores_)
    with pytest.warns(ConvergenceWarning):
        SelfTrainingLogistic(unlabelled_weight=0.05, max_iter=settled.n_iter_ - 1).fit(X, y)

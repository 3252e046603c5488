"""Transductive support vector ranking against its objective and brute force over signs."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

import semirank
from semirank.rankers import transductive_svm
from semirank.rankers.linear_svm import LinearSVMRanker
from semirank.rankers.training_set import TrainingSet
from semirank.rankers.transductive_svm import TransductiveSVM, anneal, best_signs

nan = np.nan
SEEDS = st.integers(0, 2**32 - 1)


def training_set(seed, n=40, d=3, labelled=8):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    signs = np.where(X[:, 0] + rng.normal(size=n) > 0.5, 1.0, -1.0)
    signs[:2] = 1.0, -1.0
    signs[labelled:] = nan
    return TrainingSet(X, signs, rng.uniform(0.5, 2.0, size=n)).balance()


def squared_hinge(margins):
    return np.maximum(0, 1 - margins) ** 2


def objective(taught, C, cost, signs, model):
    costs = taught.weights * np.where(taught.labelled, C, cost)
    margins = signs * (taught.X @ model.coef + model.intercept)
    return (model.coef @ model.coef + model.intercept**2) / 2 + costs @ squared_hinge(margins)


def test_the_loss_is_the_squared_hinge():
    margins = np.array([-1.0, 0.0, 0.5, 1.0, 3.0])
    np.testing.assert_array_equal(transductive_svm.squared_hinge(margins), [4.0, 1.0, 0.25, 0.0, 0.0])


def turns_of(taught, C=1.0, last=1.0, n_relevant=12, n_steps=3):
    return list(anneal(taught, C, last * np.logspace(1 - n_steps, 0, n_steps), n_relevant))


@given(SEEDS, st.sampled_from([0.01, 0.1, 1.0, 10.0]))
@settings(max_examples=40, deadline=None)
def test_every_switch_lowers_the_objective_of_its_step(seed, last):
    taught = training_set(seed)
    _, *turns = turns_of(taught, last=last)
    assert sorted({turn.cost for turn in turns}) == pytest.approx([last / 100, last / 10, last])
    for before, after in pairwise(turns):
        assert after.cost >= before.cost
        if after.cost == before.cost:
            values = [
                objective(taught, 1.0, after.cost, signs, model)
                for signs, model in ((before.signs, before.model), (after.signs, before.model), after[1::-1])
            ]
            assert values[0] > values[1] >= values[2] - 1e-9 * values[2]


@given(SEEDS, st.integers(0, 32))
@settings(max_examples=30, deadline=None)
def test_the_share_of_relevant_items_stays_fixed(seed, n_relevant):
    taught = training_set(seed)
    _, *turns = turns_of(taught, n_relevant=n_relevant)
    for turn in turns:
        np.testing.assert_array_equal(turn.signs[taught.labelled], taught.signs[taught.labelled])
        assert (turn.signs[~taught.labelled] == 1).sum() == n_relevant
        assert np.isin(turn.signs, (1.0, -1.0)).all()


@given(SEEDS, st.integers(0, 6))
@settings(max_examples=30, deadline=None)
def test_the_best_signs_are_those_of_brute_force(seed, n_relevant):
    taught = training_set(seed, n=14)
    scores = 2 * np.random.default_rng(seed).normal(size=14)
    unlabelled = np.flatnonzero(~taught.labelled)

    def loss(chosen):
        signs = np.where(taught.labelled, taught.signs, -1.0)
        signs[list(chosen)] = 1.0
        return taught.weights @ squared_hinge(signs * scores)

    least = min(loss(chosen) for chosen in combinations(unlabelled, n_relevant))
    found = best_signs(taught, scores, n_relevant)
    assert taught.weights @ squared_hinge(found * scores) == pytest.approx(least, rel=1e-12)


@given(SEEDS)
@settings(max_examples=15, deadline=None)
def test_it_rests_where_the_line_is_best_and_no_pair_is_worth_switching(seed):
    taught = training_set(seed)
    model, signs, cost = turns_of(taught, last=0.3)[-1]
    A, costs = np.column_stack([taught.X, np.ones(40)]), taught.weights * np.where(taught.labelled, 1.0, cost)

    def value_and_slope(v):
        short = np.maximum(0, 1 - signs * (A @ v))
        return v @ v / 2 + costs @ short**2, v - 2 * A.T @ (costs * signs * short)

    best = minimize(value_and_slope, np.zeros(4), jac=True, options={"gtol": 1e-9}).x
    np.testing.assert_allclose([*model.coef, model.intercept], best, atol=1e-6)
    scores, here = A @ best, objective(taught, 1.0, cost, signs, model)
    for i in np.flatnonzero(~taught.labelled & (signs == 1)):
        for j in np.flatnonzero(~taught.labelled & (signs == -1)):
            gain = costs[[i, j]] @ (
                squared_hinge([1, -1] * scores[[i, j]]) - squared_hinge([-1, 1] * scores[[i, j]])
            )
            assert gain <= 1e-6 * here


@pytest.mark.parametrize("qid", [None, np.arange(60) % 3])
def test_unlabelled_items_of_no_cost_leave_the_support_vector_ranker(qid):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 4)), rng.integers(2, size=60).astype(float)
    y[rng.random(60) < 0.6] = nan
    expected = LinearSVMRanker(C=3.0).fit(X, y, qid)
    for ranker in (
        TransductiveSVM(C=3.0, C_unlabelled=0).fit(X, y, qid),
        TransductiveSVM(C=3.0).fit(X, y, qid, sample_weight=(~np.isnan(y)).astype(float)),
    ):
        np.testing.assert_array_equal(ranker.scores_, expected.scores_)
        assert ranker.n_iter_ == 1


def test_all_unlabelled_items_together_cost_as_much_as_the_labelled_by_default():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), np.where(np.arange(50) < 10, np.arange(50) % 2, nan)
    default, given_cost = (
        TransductiveSVM(C=2.0, C_unlabelled=cost).fit(X, y) for cost in (None, 2.0 * 10 / 40)
    )
    np.testing.assert_array_equal(default.scores_, given_cost.scores_)
    half = TransductiveSVM(C=2.0, relevant_share=0.5).fit(X, y)
    np.testing.assert_array_equal(default.scores_, half.scores_)
    assert not np.array_equal(half.scores_, TransductiveSVM(C=2.0, relevant_share=0.1).fit(X, y).scores_)


def test_the_line_leaves_misleading_labels_for_the_gap():
    relevant = np.arange(200) < 60
    values = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        X = np.column_stack(
            [rng.normal(size=200), np.where(relevant, 1.0, -1.0) + 0.3 * rng.normal(size=200)]
        )
        y = np.full(200, nan)
        y[np.argsort(-X[:60, 0])[5:8]] = 1.0  # relevant ones from the right, irrelevant ones from the left
        y[60 + np.argsort(X[60:, 0])[5:12]] = 0.0
        for ranker in (LinearSVMRanker(), TransductiveSVM()):
            values += semirank.metrics.auc(relevant * 1.0, ranker.fit(X, y).scores_).tolist()
    assert max(values[::2]) < 0.9 < 0.999 < min(values[1::2])

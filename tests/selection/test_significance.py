"""Tests and intervals against SciPy, hand computation and simulated truth."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from semirank.selection.judge import Judge
from semirank.selection.significance import (
    EXACT_UP_TO,
    N_FLIPS,
    bootstrap_interval,
    corrected_t_test,
    holm,
    sign_flip_test,
    student_interval,
)

numbers = st.lists(st.integers(-5, 5).map(float), min_size=2, max_size=9).map(np.array)


@given(numbers)
def test_exact_sign_flips_are_counted(d):
    sums = [abs(np.dot(signs, d)) for signs in product((-1, 1), repeat=len(d))]
    assert sign_flip_test(d).p_value == pytest.approx(np.mean(np.array(sums) >= abs(d.sum())))


def test_many_differences_are_sampled_near_the_exact_answer():
    d = np.random.default_rng(0).normal(0.3, 1, size=18)
    sums = np.abs(np.array(list(product((-1, 1), repeat=18))) @ d)
    exact = np.mean(sums >= abs(d.sum()) * (1 - 1e-12))
    ours = sign_flip_test(d, random_state=0)
    assert ours.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact / N_FLIPS))
    assert ours == sign_flip_test(d, random_state=0)
    assert ours.test == "random sign flips"


def test_sampled_and_exact_agree_where_they_meet(monkeypatch):
    d = np.random.default_rng(3).normal(0.4, 1, size=EXACT_UP_TO)
    exact = sign_flip_test(d)
    monkeypatch.setattr("semirank.selection.significance.EXACT_UP_TO", 0)
    assert sign_flip_test(d).p_value == pytest.approx(exact.p_value, abs=0.01)


def test_blocks_do_not_change_the_count(monkeypatch):
    d = np.random.default_rng(1).normal(0.2, 1, size=30)
    whole = sign_flip_test(d, 5).p_value
    monkeypatch.setattr("semirank.selection.significance._BLOCK", 30 * 101)
    assert sign_flip_test(d, 5).p_value == pytest.approx(whole, abs=0.01)


def test_no_difference_at_all_is_no_evidence():
    for n in (3, 40):
        assert sign_flip_test(np.zeros(n)).p_value == 1.0
    assert corrected_t_test(np.zeros(10), 0.25).p_value == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_is_the_step_down_rule(p):
    """A hypothesis is rejected at a level exactly if it and all smaller ones pass the rule of the paper."""
    adjusted = holm(p)
    ordered = sorted(p)
    for level in (0.01, 0.05, 0.2):
        passed = 0
        while passed < len(p) and ordered[passed] <= level / (len(p) - passed):
            passed += 1
        limit = ordered[passed - 1] if passed else -1.0
        expected = np.array(p) <= limit
        # multiplying and dividing may round differently on the edge itself
        edge = np.isclose(adjusted, level, rtol=1e-12)
        assert np.array_equal((adjusted <= level)[~edge], expected[~edge])


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.2]) == pytest.approx([0.04, 0.06, 0.06, 0.2])
    assert holm([0.6, 0.5]) == pytest.approx([1.0, 1.0])


def test_corrected_t_test_without_correction_is_students():
    d = np.random.default_rng(0).normal(0.2, 1, size=20)
    assert corrected_t_test(d, 0.0).p_value == pytest.approx(stats.ttest_1samp(d, 0).pvalue)
    interval = student_interval(d.mean(), corrected_t_test(d, 0.0))
    assert (interval.low, interval.high) == pytest.approx(
        tuple(stats.ttest_1samp(d, 0).confidence_interval()), rel=1e-9
    )


def test_bootstrap_interval_holds_the_middle_of_resampled_means():
    values = np.random.default_rng(0).normal(size=50)
    draws = np.random.default_rng(1).integers(50, size=(20_000, 50))
    low, high = np.quantile(values[draws].mean(axis=1), [0.025, 0.975])
    ours = bootstrap_interval(values)
    assert ours.low == pytest.approx(low, abs=0.03)
    assert ours.high == pytest.approx(high, abs=0.03)
    assert bootstrap_interval([1.0]) is None


def test_sign_flips_are_wrong_as_often_as_they_say():
    """Skewed but centred differences of 10 lists: 5 % of p-values at 0.05 or below, within chance."""
    rng = np.random.default_rng(0)
    d = rng.laplace(size=(2_000, 10)) * rng.uniform(0.2, 2.0, size=(2_000, 1))
    rejected = np.mean([sign_flip_test(row).p_value <= 0.05 for row in d])
    assert abs(rejected - 0.05) < 4 * np.sqrt(0.05 * 0.95 / 2_000)


def test_repeated_folds_of_one_list_need_the_correction():
    """Two scores of equal quality, measured on folds of the same 40 labels ten times over."""
    rng = np.random.default_rng(0)
    plain, corrected = [], []
    for _ in range(400):
        quality = rng.normal(size=40)  # by how much one score beats the other on each item
        folds = [part for _ in range(10) for part in np.array_split(rng.permutation(40), 5)]
        d = np.array([quality[part].mean() for part in folds])
        plain.append(stats.ttest_1samp(d, 0).pvalue <= 0.05)
        corrected.append(corrected_t_test(d, 0.25).p_value <= 0.05)
    assert np.mean(plain) > 0.4
    assert np.mean(corrected) < 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


@pytest.mark.slow
def test_the_detectable_difference_is_detected_four_times_in_five():
    rng = np.random.default_rng(0)
    outcomes = [sign_flip_test(rng.normal(size=12)) for _ in range(200)]
    x = np.mean([outcome.detectable(0.05) for outcome in outcomes])
    found = np.mean([sign_flip_test(rng.normal(x, 1, size=12)).p_value <= 0.05 for _ in range(1_000)])
    assert 0.72 < found < 0.88


def test_too_few_lists_can_show_nothing():
    outcome = sign_flip_test([1.0, 2.0, 3.0, 4.0, 5.0])
    assert outcome.smallest_p == outcome.p_value == 0.0625
    assert outcome.detectable(0.05) is None
    assert outcome.detectable(0.1) > 0


@pytest.mark.parametrize(("metric", "low", "high"), [("AP", 0.0, 1.0), ("WSS@95", -1.0, 1.0)])
def test_the_interval_of_a_mean_stays_where_the_metric_lies(metric, low, high):
    judge = Judge("fold", 0.25, 0.95, metric, 1, 0)
    inside = judge.mean_interval(np.array([low, high, high, high]))
    assert judge.interval(np.array([low, high, high, high])).high > high
    assert low <= inside.low < inside.high == high
    free = Judge("fold", 0.25, 0.95, "Label@1", 1, 0).mean_interval(np.array([0.0, 1.0, 1.0, 1.0]))
    assert free.high > 1

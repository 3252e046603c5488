"""Label-budget curves: sizes, interpolation, and what unlabelled data was worth."""

import numpy as np
import pytest

from semirank import RankingDataset, compare
from semirank.results.budget import Budget, BudgetCurve, BudgetPoint
from semirank.results.sentences import about_budget
from semirank.selection.budget import _ladder, _worths, plan_budget
from semirank.selection.judge import Judge
from semirank.selection.protocols import plan_splits

JUDGE = Judge("list", 0.25, 0.95, "AP", 1, 0)


def curve(name, **points):
    values = [(int(size[1:]), mean) for size, mean in points.items()]
    return BudgetCurve(name, tuple(BudgetPoint(size, mean, None) for size, mean in values))


def test_sizes_are_round_numbers_and_the_largest():
    assert _ladder(16, 2, None) == (2, 5, 10, 16)
    assert _ladder(3, 1, None) == (1, 2, 3)
    assert _ladder(100, 2, 10) == (2, 5, 10, 20, 50, 100)
    long = _ladder(800, 2, 7)
    assert len(long) == 6
    assert {2, 7, 800} <= set(long)


def test_worth_by_straight_lines():
    baseline = curve("base", s2=0.2, s5=0.4, s10=0.8)
    ranker = curve("new", s2=0.5, s5=0.9, s10=0.1)
    about, at_least, at_most = _worths(baseline, ranker, JUDGE)
    assert (about.bound, about.equivalent) == ("about", pytest.approx(6.25))
    budget = Budget("labels in each list", baseline, ranker, (about,))
    assert about_budget(budget, "AP") == [
        "With 2 labels in each list: base needs about 6.25 for the same AP."
    ]
    assert (at_least.bound, at_least.equivalent) == ("at least", 10)
    assert (at_most.bound, at_most.equivalent) == ("at most", 2)


def test_unknown_points_are_passed_over_and_errors_count_the_other_way():
    baseline = curve("base", s2=None, s5=0.4, s10=0.2)
    ranker = curve("new", s2=None, s5=0.3, s10=0.3)
    less = Judge("list", 0.25, 0.95, "disagreement", -1, 0)
    worths = _worths(baseline, ranker, less)
    assert [worth.size for worth in worths] == [5, 10]
    assert worths[0].equivalent == pytest.approx(7.5)
    assert _worths(curve("base", s2=None), ranker, JUDGE) == ()


def lists(n_lists, size):
    rng = np.random.default_rng(0)
    n = n_lists * size
    return RankingDataset(rng.normal(size=(n, 2)), rng.integers(0, 2, n), np.repeat(np.arange(n_lists), size))


def test_with_keep_the_curve_goes_beyond_what_was_shown():
    data = lists(6, 100)
    options = {"metric": "AUC", "random_state": 0}
    plan = plan_splits(data, "items", keep=4, **options)
    chosen = plan_budget(data, plan, unlabelled="ignore", **options)
    assert chosen.sizes == (2, 4, 5, 10, 20, 40)
    for split in chosen.plan.splits:
        shown = np.bincount(data.list_of_item[split.shown], minlength=6)
        assert shown.tolist() == [40] * 6
        thin = split.thin(data, "items", 4)
        assert np.bincount(data.list_of_item[thin.shown], minlength=6).tolist() == [4] * 6
        assert np.array_equal(thin.measured, split.measured)
    plan = plan_splits(lists(30, 5), "lists", keep=2, **options)
    assert plan_budget(lists(30, 5), plan, unlabelled="ignore", **options).sizes == (1, 2, 5, 10, 15)


def test_sizes_too_small_for_a_ranker_say_so():
    data = lists(6, 40)
    found = compare(data, ["semi-rankboost"], "AUC", protocol="items", keep=None, n_repeats=1)
    assert found.budget.unit == "labels in each list"
    assert [point.size for point in found.budget.baseline.points] == [2, 5, 10, 20, 32]
    assert all(point.mean is not None for point in found.budget.baseline.points)

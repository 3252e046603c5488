import warnings

import numpy as np
import pytest

from semirank import ImportanceWeighting
from semirank.experiments import analyses, assumptions, letor, letor_ablation, letor_page
from semirank.experiments.cells import name_of
from semirank.experiments.synthetic_lists import N_ITEMS, N_LISTS, WORLDS


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_shows_some_lists_and_hides_the_others(name):
    world = WORLDS[name]
    truth, shown = world.draw((0, 1))
    assert truth.n_lists == N_LISTS
    assert (np.diff(truth.indptr) == N_ITEMS).all()
    assert (shown.labelled_per_list > 0).sum() == world.n_labelled
    right = (shown.y == truth.y)[shown.labelled].mean()
    assert right == pytest.approx(1 - world.wrong, abs=0.1)
    again, _ = world.draw((0, 1))
    np.testing.assert_array_equal(again.X, truth.X)


@pytest.mark.slow
@pytest.mark.parametrize(("world", "method"), assumptions.HOLDS.items())
def test_each_method_wins_where_its_assumption_holds(world, method):
    control = assumptions.METHODS[method][0]
    gains = [
        assumptions.measure(assumptions.AssumptionRun(world, method, trial, 7))
        - assumptions.measure(assumptions.AssumptionRun(world, control, trial, 7))
        for trial in range(2)
    ]
    assert np.mean(gains) > 0.02


def tiny(collection, seed=0):
    rng = np.random.default_rng(seed)
    truth, _ = WORLDS["none of these"].draw((seed,))
    data = truth.select(rng.permutation(N_LISTS)[:12])
    return data.select(range(8)), data.select(range(8, 12))


@pytest.fixture
def tiny_letor(monkeypatch):
    monkeypatch.setattr(letor, "load_fold", lambda collection, fold: tiny(collection, fold))


@pytest.mark.parametrize("method", [name for name in letor.METHODS if "LightGBM" not in name])
def test_every_method_ranks_every_test_list(tiny_letor, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        values = np.array(letor.measure(letor.LetorRun("mq2008", method, 5, 1, 0, 0)))
    assert values.shape == (2, 4)
    assert ((values >= 0) & (values <= 1)).all()


def test_test_labels_do_not_reach_the_rankers(tiny_letor):
    few, test = tiny("mq2008")
    wrong = test.replace(y=1 - test.y)
    method = letor.METHODS["RankRLS, feature generation"]
    np.testing.assert_array_equal(letor.rank_test(method, few, test), letor.rank_test(method, few, wrong))


def test_a_choice_of_settings_is_made_on_labelled_lists():
    few, _ = tiny("mq2008")
    [good] = letor.METHODS["RankRLS"].make

    class Reversed(type(good())):
        def fit(self, X, y, qid=None):
            super().fit(X, y, qid)
            self.scores_ = -self.scores_
            return self

    assert letor._choose((good, Reversed), few) is good
    assert letor._choose((Reversed, good), few) is good
    same = lambda: good()  # noqa: E731
    assert letor._choose((same, good), few) is same  # as good as each other: the first


def test_verdicts_follow_the_gains():
    rng = np.random.default_rng(0)
    base = rng.random((2, 60, 2))
    values = {}
    for collection in letor.COLLECTIONS:
        for size in letor.SIZES:
            for name in ("RankBoost", "RankBoost, feature generation", "RankBoost, pseudo margin"):
                values[collection, name, size] = base.copy()
            values[collection, "RankBoost, feature generation", size] += 0.1 + 0.01 * rng.random((2, 60, 2))
    judged = letor_page._judge(values)
    rows = {row["method"]: row for row in letor_page._verdict_rows(judged)}
    assert rows["RankBoost, feature generation"]["mq2008, 5 lists"] == "+10.5 improve"
    assert rows["RankBoost, pseudo margin"]["mq2008, 5 lists"] == "+0.0 ="
    shares = {row["method"]: row for row in letor_page._stability_rows(values)}
    assert "100 / 100 / 0" in shares["RankBoost, feature generation"].values()
    assert "0 / 0 / 0" in shares["RankBoost, pseudo margin"].values()


def test_the_ablation_measures_its_methods_at_every_size_and_slow_ones_where_lists_are_few():
    cells = letor_ablation.cells(0, ("mq2008",))
    for name, method in letor_ablation.METHODS.items():
        sizes = {cell.size for cell in cells if cell.method == name}
        assert sizes == set(
            letor_ablation.FEW if method.make[0] is ImportanceWeighting else letor_ablation.SIZES
        )
    assert len(letor_ablation.SIZES) == 6


@pytest.mark.parametrize("method", letor_ablation.METHODS)
def test_every_method_of_the_ablation_ranks_every_test_list(tiny_letor, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cell = letor.LetorRun("mq2008", method, 5, 1, 0, 0)
        values = np.array(letor.measure(cell, letor_ablation.METHODS))
    assert values.shape == (2, 4)


def test_pairs_that_are_no_ties_in_truth():
    _, test = tiny("mq2008")
    pairs, share = analyses._pairs_not_tied(test)
    expected = [
        (i, j)
        for i in range(test.n_items)
        for j in range(i + 1, test.n_items)
        if test.list_of_item[i] == test.list_of_item[j] and test.y[i] != test.y[j]
    ]
    assert sorted(map(tuple, pairs.tolist())) == expected
    total = sum(n * (n - 1) // 2 for n in np.diff(test.indptr))
    assert share == pytest.approx(1 - len(expected) / total)


def test_draws_are_gathered_fold_by_fold():
    cells = letor.cells(2, 0, ("mq2008",), ("RankBoost",))
    found = {name_of(cell): [[cell.fold, 10 * cell.draw], [0, 0]] for cell in cells}
    gathered = letor_page._gather(cells, found)
    assert gathered["mq2008", "RankBoost", 5].shape == (2, 10, 2)
    assert gathered["mq2008", "RankBoost", None].shape == (1, 10, 2)
    assert gathered["mq2008", "RankBoost", 5][1, :, 0].tolist() == [1, 10, 2, 10, 3, 10, 4, 10, 5, 10]

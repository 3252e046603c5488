"""The machinery of the experiments with continuous labels, and what their pages claim."""

import numpy as np
import pytest

from semirank import RankingDataset, RankRLS, metrics
from semirank.experiments import EXPERIMENTS
from semirank.experiments.quality import METHODS, Method, Trials, block_test, compare, rows, verdict

FIRST = {"first": Method(lambda _: RankRLS()), "second": Method(lambda _: RankRLS(ridge=9.0), "first")}


def some_trials(sizes=(2, 4)):
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 8)
    X = rng.normal(size=(len(qid), 3))
    y = X[:, 0] + rng.normal(size=len(qid))
    return Trials.of(RankingDataset(X, y, qid), np.repeat(np.arange(10), 2), sizes)


def test_every_list_is_ranked_once_by_others_than_its_block():
    trials = some_trials()
    seen = []
    for ranked, others in trials.splits((0, 0)):
        assert not set(ranked) & set(others)
        seen += list(ranked)
    assert sorted(seen) == list(range(10))


def test_labels_of_ranked_lists_are_hidden_and_the_metrics_are_those_of_the_truth():
    trials = some_trials()
    told = []

    class Spy(RankRLS):
        def fit(self, X, y, qid=None):
            told.append((y, qid))
            return super().fit(X, y, qid)

    values = trials.rank(lambda _: Spy(), np.array([3, 4]), np.array([0]), 0)
    [(y, qid)] = told
    assert set(qid[np.isnan(y)]) == {0, 1}
    assert set(qid) == {0, 1, 6, 7, 8, 9}
    part = trials.data.select([0, 1, 6, 7, 8, 9])
    ranker = RankRLS().fit(part.X, np.where(part.qid < 2, np.nan, part.y), part.qid)
    scores = ranker.predict(trials.data.select([0, 1]).X)
    expected = metrics.mean_label_at(part.y[:16], scores, part.qid[:16], cutoff=1)
    np.testing.assert_allclose(values[:2, 0], expected)
    assert np.isnan(values[2:]).all()


def test_a_table_has_a_line_for_each_size_and_method():
    trials, done = some_trials(), []
    found = compare(trials, 2, 0, lambda at, total: done.append((at, total)), FIRST)
    table = rows(found, trials.blocks, 100.0, FIRST)
    assert [(row["teaching"], row["method"]) for row in table] == [
        (2, "first"),
        (2, "second"),
        (4, "first"),
        (4, "second"),
    ]
    assert done[-1] == (2 * 2 * 5 * 2,) * 2
    means = [100 * np.mean(found[2][name][:, :, 0]) for name in FIRST]
    assert table[0]["Label@1"] == pytest.approx(means[0])
    assert table[1]["gain"] == pytest.approx(means[1] - means[0])
    assert table[0]["gain"] is None


def test_blocks_are_what_is_tested():
    gains = np.array([[1.0, 1.0, 2.0, 2.0]] * 3)
    blocks = np.array([0, 0, 1, 1])
    assert block_test(gains, blocks) == pytest.approx(block_test(np.array([[1.0, 2.0]]), np.array([0, 1])))
    assert block_test(np.zeros((1, 3)), np.arange(3)) == 1.0
    assert [verdict(1.0, 0.01), verdict(-1.0, 0.01), verdict(1.0, 0.5)] == ["IMPROVE", "DEGRADE", "="]


def test_controls_are_methods():
    assert {method.control for method in METHODS.values()} <= {None, *METHODS}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["translation", "protein"])
@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
def test_pages_are_made(name, real_data):
    assert EXPERIMENTS[name](trials=1).page().count("| line search (MERT) |") >= 3

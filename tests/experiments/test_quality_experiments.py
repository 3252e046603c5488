"""The machinery of the experiments with continuous labels, and what their pages claim."""

import numpy as np
import pytest

from semirank import RankingDataset, RankRLS, metrics
from semirank.experiments import EXPERIMENTS
from semirank.experiments.cells import name_of
from semirank.experiments.quality import (
    METHODS,
    THESIS,
    QualityMethod,
    QualityPlan,
    beside_thesis,
    block_test,
    cells,
    gather,
    measure,
    rows,
    verdict,
)

TWO = {
    "first": QualityMethod(lambda _: RankRLS()),
    "second": QualityMethod(lambda _: RankRLS(ridge=9.0), "first"),
}


def some_plan():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(20), 8)
    X = rng.normal(size=(len(qid), 3))
    y = X[:, 0] + rng.normal(size=len(qid))
    return QualityPlan.of(RankingDataset(X, y, qid), np.repeat(np.arange(10), 2))


def test_every_block_is_ranked_once_by_others():
    seen = []
    for fold in range(5):
        ranked, others = some_plan().split(fold, (0, 0))
        assert not set(ranked) & set(others)
        seen += list(ranked)
    assert sorted(seen) == list(range(10))


def test_labels_of_ranked_lists_are_hidden_and_the_metrics_are_those_of_the_truth():
    plan, told = some_plan(), []

    class Spy(RankRLS):
        def fit(self, X, y, qid=None):
            told.append((y, qid))
            return super().fit(X, y, qid)

    values = plan.rank(Spy(), np.array([3, 4]), np.array([0]))
    [(y, qid)] = told
    assert set(qid[np.isnan(y)]) == {0, 1}
    assert set(qid) == {0, 1, 6, 7, 8, 9}
    part = plan.data.select([0, 1, 6, 7, 8, 9])
    ranker = RankRLS().fit(part.X, np.where(part.qid < 2, np.nan, part.y), part.qid)
    scores = ranker.predict(plan.data.select([0, 1]).X)
    expected = metrics.mean_label_at(part.y[:16], scores, part.qid[:16], cutoff=1)
    np.testing.assert_allclose(values[:, 0], expected)


def test_a_table_has_a_line_for_each_size_and_method():
    plan = some_plan()
    measured = cells("any", (2, 4), 2, 0, TWO)
    assert len(measured) == 2 * 2 * 5 * 2
    found = {name_of(cell): measure(plan, cell, TWO) for cell in measured}
    values = gather(plan, measured, found)
    table = rows(values, plan, 100.0, TWO)
    assert [(row["teaching"], row["method"]) for row in table] == [
        (2, "first"),
        (2, "second"),
        (4, "first"),
        (4, "second"),
    ]
    assert not any(np.isnan(each).any() for by in values.values() for each in by.values())
    means = [100 * np.mean(values[2][name][:, :, 0]) for name in TWO]
    assert table[0]["Label@1"] == pytest.approx(means[0])
    assert table[1]["gain"] == pytest.approx(means[1] - means[0])
    assert table[0]["gain"] is None
    ranked, others = plan.split(1, (0, 1))
    again = plan.rank(RankRLS(), others[:4], ranked)
    np.testing.assert_array_equal(values[4]["first"][1, np.isin(plan.blocks, ranked)], again)


def test_blocks_are_what_is_tested():
    gains = np.array([[1.0, 1.0, 2.0, 2.0]] * 3)
    blocks = np.array([0, 0, 1, 1])
    assert block_test(gains, blocks) == pytest.approx(block_test(np.array([[1.0, 2.0]]), np.array([0, 1])))
    assert block_test(np.zeros((1, 3)), np.arange(3)) == 1.0
    assert [verdict(1.0, 0.01), verdict(-1.0, 0.01), verdict(1.0, 0.5)] == ["IMPROVE", "DEGRADE", "="]


def test_controls_are_methods():
    assert {method.control for method in METHODS.values()} <= {None, *METHODS}
    assert set(THESIS) <= set(METHODS)


def test_the_thesis_stands_beside_ours():
    table = [
        {"teaching": size, "method": method, "verdict": "=", "gain": 0.125, "p": 0.5}
        for size in (2, 8)
        for method in METHODS
    ]
    lines = beside_thesis(table, "protein")
    assert lines[-1] == {
        "method": "RankRLS, propagation",
        "thesis": "BEST",
        "here, 2 teaching": "= (+0.12, p = 0.50)",
        "here, 8 teaching": "= (+0.12, p = 0.50)",
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["translation", "protein"])
def test_pages_are_made(name, real_data, tmp_path, monkeypatch):
    """With one quick ranker for all methods: what the methods find is not asked here."""
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path))
    for method, known in METHODS.items():
        monkeypatch.setitem(METHODS, method, known._replace(make=lambda _: RankRLS()))
    page = EXPERIMENTS[name](trials=1, n_jobs=1).page()
    assert page.count("| line search (MERT) |") >= 3
    assert "| = | 0 | 0 | 0 |" in page  # the same ranker under another name changes nothing

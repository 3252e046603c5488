"""The experiments on RankRLS give tables whose figures can be found in another way."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from semirank import metrics
from semirank.experiments import EXPERIMENTS, rankrls, rankrls_hold_out, rankrls_shared
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.readers.datasets import load

pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("real_data")
def test_all_lists_teach_as_well_as_published_rankers():
    """An independent program reached 44.5 to 44.8, depending on the rule that chooses the ridge."""
    rows = {row["method"]: row for row in rankrls.against_regression(sizes=(None,))}
    chosen = rows[rankrls.DIFFERENCES]
    assert chosen["labelled lists"] == "all"
    assert chosen["AP"] > 44.4
    assert chosen["spread"] is None
    assert max(row["AP"] for row in rows.values()) < chosen["AP"] + 0.2


@pytest.mark.usefixtures("real_data")
def test_a_row_is_the_mean_over_test_lists(monkeypatch):
    monkeypatch.setattr(rankrls, "FOLDS", (2,))
    seen = []
    rows = rankrls.against_regression("mq2008", sizes=(None,), progress=lambda *at: seen.append(at))
    train, test = (load("mq2008", fold=2, part=part) for part in ("train", "test"))
    ordered = [len(np.unique(train.y[train.list_of_item == i])) > 1 for i in range(train.n_lists)]
    train = train.select(np.array(ordered))
    scores = RankRLSCV().fit(train.X, train.y, train.qid).predict(test.X)
    expected = [
        np.nan_to_num(metrics.parse(name)(test.y, scores, test.qid)).mean() for name in ("AP", "nDCG@10")
    ]
    assert [rows[1]["AP"], rows[1]["nDCG@10"]] == pytest.approx([100 * value for value in expected])
    assert rows[1]["gain"] == pytest.approx(rows[1]["AP"] - rows[0]["AP"])
    assert rows[0]["gain"] == rows[0]["standard error"] == 0.0
    assert len(seen) == 1


@pytest.mark.usefixtures("real_data")
def test_ridge_regression_is_that_of_scikit_learn():
    train, test = (load("mq2008", fold=1, part=part) for part in ("train", "test"))
    found = rankrls._regress(train.X, train.y, test.X, np.array([0.1, 10.0]))
    for row, ridge in zip(found, (0.1, 10.0), strict=True):
        np.testing.assert_allclose(row, Ridge(ridge).fit(train.X, train.y).predict(test.X), atol=1e-9)


@pytest.mark.usefixtures("real_data")
def test_a_fixed_ridge_is_in_units_of_the_squared_distance_of_items():
    train = load("mq2008", fold=1, part="train").select(range(6))
    distances = [
        np.mean([((a - b) ** 2).sum() for a, b in combinations(train.X[train.list_of_item == each], 2)])
        for each in range(6)
    ]
    expected = RankRLS(ridge=3.0 * np.mean(distances)).fit(train.X, train.y, train.qid).scores_
    np.testing.assert_allclose(rankrls.by_fixed_ridge(3.0)(train, train), expected, rtol=1e-9)


@pytest.mark.usefixtures("real_data")
def test_transduction_with_the_default_pull_does_no_harm(monkeypatch):
    monkeypatch.setattr(rankrls, "FOLDS", (1,))
    rows = rankrls.transductive_against_supervised(sizes=(5,), draws=1)
    assert [row["method"] for row in rows[:2]] == ["supervised", "transductive, pull x 10"]
    assert abs(rows[1]["gain"]) < 0.5


@pytest.mark.usefixtures("real_data")
def test_the_shortcut_equals_training_again():
    [row] = rankrls_hold_out.hold_out_shortcut((8,), retrained=2)
    assert row["lists"] == 8
    assert float(row["largest difference"]) < 1e-9


def test_transduction_gains_on_shared_directions():
    [row] = rankrls_shared.shared_directions((3,), trials=4)
    assert row["gain"] == pytest.approx(row["RankRLS"] - row["transductive"])
    assert row["gain"] > 0.5


@pytest.mark.usefixtures("real_data")
def test_the_page_has_every_table_and_picture_and_shows_progress(monkeypatch, tmp_path):
    monkeypatch.setattr(rankrls, "FOLDS", (1,))
    monkeypatch.setattr(rankrls_hold_out.hold_out_shortcut, "__defaults__", ((5, 8), "rbf", 1, 0, None))
    monkeypatch.setattr(rankrls_shared.shared_directions, "__defaults__", ((3,), 2, 0, 60, None))
    seen = []
    page, *pictures = EXPERIMENTS["rankrls"](trials=2, progress=lambda *at: seen.append(at)).write(tmp_path)
    assert page.read_text().count("\n## ") == 9
    assert [path.name for path in pictures] == [f"rankrls-{number}.svg" for number in (1, 2, 3)]
    assert seen == sorted(seen)
    assert seen[-1] == (600, 600)

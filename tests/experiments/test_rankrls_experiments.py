"""The experiments on RankRLS give tables whose figures can be found in another way."""

import numpy as np
import pytest

from semirank import metrics
from semirank.experiments import rankrls
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.readers.datasets import load

pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("real_data")
def test_all_lists_teach_as_well_as_published_rankers():
    """An independent program reached 44.5 to 44.8, depending on the rule that chooses the ridge."""
    [row] = rankrls.learning_curve(sizes=(None,))
    assert row["labelled lists"] == "all"
    assert row["AP"] > 44.4
    assert row["spread"] is None


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
def test_transduction_with_the_default_pull_does_no_harm(monkeypatch):
    monkeypatch.setattr(rankrls, "FOLDS", (1,))
    rows = rankrls.transductive_against_supervised(sizes=(5,), draws=1)
    assert [row["method"] for row in rows[:2]] == ["supervised", "transductive, pull x 10"]
    assert abs(rows[1]["gain"]) < 0.5


@pytest.mark.usefixtures("real_data")
def test_the_shortcut_equals_training_again():
    [row] = rankrls.hold_out_shortcut((8,), retrained=2)
    assert row["lists"] == 8
    assert float(row["largest difference"]) < 1e-9


def test_transduction_gains_on_shared_directions():
    [row] = rankrls.shared_directions((3,), trials=4)
    assert row["gain"] == pytest.approx(row["RankRLS"] - row["transductive"])
    assert row["gain"] > 0.5

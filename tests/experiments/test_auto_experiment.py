"""The page of AutoRanker: how problems are measured, and what counts as reached."""

import numpy as np
import pytest

from semirank import DistanceRanking, RankingDataset
from semirank.experiments import auto
from semirank.experiments.auto import (
    AUTO,
    LIGHTGBM,
    LOGISTIC,
    AutoRun,
    choice_rows,
    grades,
    measure,
    summary,
    task_rows,
)
from semirank.experiments.auto_tasks import TASKS, AutoTask, Problem, hidden, show, side_by_side

nan = np.nan


def test_labels_that_are_shown_are_not_measured():
    truth = np.array([1.0, 0, 0, 1, 1, 0])
    y = show(truth, {1.0: 2, 0.0: 1}, np.random.default_rng(0))
    assert np.nansum(y) == 2
    assert (~np.isnan(y)).sum() == 3
    np.testing.assert_array_equal(np.isnan(hidden(truth, y)), ~np.isnan(y))


def test_lists_to_be_ranked_come_without_labels():
    few = RankingDataset([[0.0], [1.0]], [1, 0], qid=[7, 7])
    test = RankingDataset([[2.0], [3.0], [4.0]], [0, 1, 1], qid=[7, 7, 9])
    problem = side_by_side(few, test)
    np.testing.assert_array_equal(problem.y, [1, 0, nan, nan, nan])
    np.testing.assert_array_equal(problem.truth, [nan, nan, 0, 1, 1])
    np.testing.assert_array_equal(problem.qid, [0, 0, 1, 1, 2])


def test_real_labels_are_cut_into_five_grades_for_lambdarank():
    np.testing.assert_array_equal(grades(np.array([0, 2, nan, 1])), [0, 2, nan, 1])
    cut = grades(np.append(np.linspace(-1, 1, 10), nan))
    np.testing.assert_array_equal(np.bincount(cut[:-1].astype(int)), [2, 2, 2, 2, 2])
    assert np.isnan(cut[-1])


def test_recall_counts_labelled_items_and_the_best_tenth_of_the_others():
    truth = np.zeros(20)
    truth[[0, 1, 2, 3]] = 1
    y = np.full(20, nan)
    y[[0, 10]] = truth[[0, 10]]
    scores = -np.arange(20.0)
    assert auto._recall(scores, y, truth) == 3 / 4  # item 0, and items 1 and 2 at the top
    assert auto._recall(-scores, y, truth) == 1 / 4


def test_screening_asks_for_labels_from_the_top():
    X = np.arange(60.0)[:, None]
    truth = (X[:, 0] >= 45).astype(float)
    y = np.full(60, nan)
    y[[59, 0]] = truth[[59, 0]]
    task = AutoTask("screening", "texts", lambda draw, seed: None, ("recall", "more"), batches=2)
    first, later = auto._screen(DistanceRanking(), task, Problem(X, y, None, hidden(truth, y)))
    assert first == 7 / 15
    assert later == 1.0


def found(ours, logistic, lightgbm, chosen="graph"):
    return {
        AUTO: [ours],
        LOGISTIC: [logistic],
        "linear SVM": [0.5],
        "nearest item": None,
        LIGHTGBM: [lightgbm],
    } | {
        "chosen": chosen,
        "seconds": 1.0,
    }


def test_what_counts_as_reached():
    task = AutoTask("texts", "texts", lambda draw, seed: None, ("AUC",), {"AUC": 80.0})
    [row] = task_rows(task, [found(0.8, 0.7, 0.6), found(0.9, 0.7, 0.6)])
    assert row["reached"] == "yes"
    assert row["best single"] == "70.0 (logistic regression)"
    [row] = task_rows(task, [found(0.79, 0.7, 0.6)])
    assert row["reached"] == "no, 1.0 below"
    [row] = task_rows(task, [found(0.85, 0.7, 0.9)])
    assert row["reached"] == "no, 5.0 below"
    assert "1 of 2 goals" in summary([{"reached": "yes"}, row])


def test_choices_are_counted():
    [row] = choice_rows({"usps": [found(1, 1, 1), found(1, 1, 1), found(1, 1, 1, "kernel")]})
    assert row["chosen"] == "graph (2), kernel (1)"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["usps", "mq2008-10", "casp"])
def test_problems_of_real_data_are_measured(real_data, name):
    pytest.importorskip("lightgbm")
    values = measure(AutoRun(name, 0, 0))
    assert len(values[AUTO]) == len(TASKS[name].metrics)
    assert all(0 <= value <= 1 for value in values[AUTO])

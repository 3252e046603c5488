"""Results of a comparison survive JSON and say what is missing."""

import json
from dataclasses import fields, replace

import pytest

from semirank import RankingDataset
from semirank.dataset import describe
from semirank.results.budget import Budget, BudgetCurve, BudgetPoint, LabelWorth
from semirank.results.comparison import Choice, Comparison, ListChange, Protocol, ShownItem
from semirank.results.result import Contrast, Interval, Result

DATA = RankingDataset([[1.0], [2.0], [3.0]], [1, 0, float("nan")])
CONTRAST = Contrast(
    baseline="a",
    difference=0.1,
    interval=Interval(0.0, 0.2),
    p_value=0.03125,
    p_adjusted=0.0625,
    test="all sign flips",
    unit="list",
    n_units=6,
    changed=1.0,
    improved=0.5,
    degraded=0.5,
    deltas=(0.1, None),
    detectable=None,
    verdict="no evidence",
)
CURVE = BudgetCurve("a", (BudgetPoint(2, None, None, "too few"), BudgetPoint(5, 0.5, Interval(0.4, 0.6))))
COMPARISON = Comparison(
    name="small",
    data=describe(DATA),
    metric="nDCG@10",
    greater_is_better=True,
    protocol=Protocol("items", "inside", 3, 1, "ünïcode", "list", 6, 2, 5, 10, None, 2, 0, "ignore", 2),
    lists=("1", "2"),
    results=(
        Result("b", "B()", {"x": [1, 2]}, "manifold", "a", "finished", place=1, values=((0.5, None),),
                 contrast=CONTRAST, contrast_best=CONTRAST, mean=1, interval=Interval(0, 1)),
        Result("a", "A()", {}, None, None, "failed", "no label"),
    ),
    best="b", best_supervised=None, best_semi_supervised="b", verdict=None,
    choice=Choice("b", "B()", "labels", "features", rival="b", contrast=CONTRAST),
    changes=(ListChange("1", 0.1, 0.2, 0.1, (ShownItem("i", 1.0, None),), ()),),
    budget=Budget("labels in each list", CURVE, CURVE, (LabelWorth(5, 7.5, "about"),)),
    judged_at=10, confidence=0.95, complete=False, problem=None, seed=0, n_jobs=None,
)  # fmt: skip


def test_every_part_comes_back_from_json():
    text = COMPARISON.to_json()
    again = Comparison.from_json(text)
    assert again == COMPARISON
    assert Comparison.from_json(again.to_json()) == again
    assert type(again.results[0].mean) is float  # JSON wrote 1
    assert again.budget.worth[0].bound == "about"


def test_json_has_every_field_and_no_nan():
    written = json.loads(COMPARISON.to_json(), parse_constant=lambda word: pytest.fail(word))
    assert list(written) == [field.name for field in fields(Comparison)]
    with pytest.raises(ValueError, match="JSON compliant"):
        replace(COMPARISON, seconds=float("nan")).to_json()


def test_a_foreign_file_is_refused_by_name():
    with pytest.raises(ValueError, match=r"Comparison has the fields name, data.*got \['rows'\]"):
        Comparison.from_json('{"rows": []}')
    with pytest.raises(ValueError, match="Interval has the fields low, high; got list"):
        Interval.from_json("[1, 2]")


def test_results_by_name():
    assert COMPARISON.result("a").status == "failed"
    assert COMPARISON.names == ("b", "a")
    assert [result.name for result in COMPARISON.finished] == ["b"]
    assert [result.supervised for result in COMPARISON.results] == [False, True]
    with pytest.raises(ValueError, match=r"no ranker 'c'.*it has b, a"):
        COMPARISON.result("c")

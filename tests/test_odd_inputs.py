"""Odd values get one clear ValueError, wherever they come from."""

import json

import numpy as np
import pytest

import semirank
from semirank import ManifoldRanking, PersonalizedPageRank, RankRLS, RankSVM, RayleighRanker
from semirank.checkpoints import Checkpoint
from semirank.graphs import Diffusion, NeighbourIndex, knn_graph
from semirank.limits import Between, parse_setting
from semirank.metrics import measure
from semirank.results.comparison import Comparison
from semirank.results.result import Interval

X = np.random.default_rng(0).normal(size=(12, 3))
Y = np.array([1.0, 0, 1, 0, 1, 0, np.nan, np.nan, np.nan, 1, 0, np.nan])
HUGE = "9" * 23


@pytest.mark.parametrize("name", [f"P@{HUGE}", f"nDCG@{HUGE}", f"AP@{HUGE}", f"R@{HUGE}", f"P@{'9' * 5000}"])
def test_huge_cutoffs(name):
    with pytest.raises(ValueError, match=r"above 2\^53|not a whole number"):
        measure(name, [1, 0], [2.0, 1.0])


def test_large_cutoffs_are_beyond_every_list():
    assert measure(f"P@{2**40}", [1, 0], [2.0, 1.0])[f"P@{2**40}"] == pytest.approx(1 / 2**40)


@pytest.mark.parametrize(
    "setting", [f"n_neighbors={HUGE}", f"n_neighbors=-{HUGE}", "alpha=1e999", "alpha=nan"]
)
def test_huge_settings(setting):
    with pytest.raises(ValueError, match=r"must be .*; got"):
        parse_setting(ManifoldRanking.limits, setting)


@pytest.mark.parametrize("value", [10**400, -(10**400), 2**53 + 1])
def test_numbers_that_nothing_can_hold(value):
    assert value not in Between(-np.inf)


DEEP = "[" * 100_000 + "]" * 100_000
BAD_JSON = [DEEP, '{"low": ' + "9" * 400 + ', "high": 1}', '{"low": "x", "high": 1}', "{", "[]", "null", ""]


@pytest.mark.parametrize(
    "text", [*BAD_JSON, b"\xff\xfe\xfa", '{"low": [], "high": 1}', '{"low": true, "high": 1}']
)
def test_json_that_is_no_record(text):
    with pytest.raises(ValueError):  # noqa: PT011 (which differs)
        Interval.from_json(text)


def test_json_that_is_no_comparison():
    found = semirank.compare(semirank.RankingDataset(X, np.tile([0.0, 1.0], 6)), ["rankrls"], budget=False)
    values = json.loads(found.to_json())
    for name in values:
        for bad in ([[[]]], {"a": 1}, 10**400, "text", None, [None], -1):
            text = json.dumps(values | {name: bad})
            try:
                again = Comparison.from_json(text)
            except ValueError as error:
                assert str(error)  # noqa: PT017 (some of these values are right)
            else:
                assert again.to_json()


@pytest.mark.parametrize(
    "line",
    [DEEP.encode(), b"\xff\xfe", b'["a", ' + b"9" * 5000 + b"]", b"[" * 10, b'{"a": 1}', b"[1, 2]", b"\x00"],
)
def test_odd_lines_of_a_checkpoint_are_ignored(tmp_path, line):
    path = tmp_path / "finished.jsonl"
    path.write_bytes(b'["one", 1]\n' + line + b'\n["two", 2]\n')
    with Checkpoint(path) as finished:
        assert dict(finished) == {"one": 1, "two": 2}


def test_a_checkpoint_whose_values_are_no_fits_is_fitted_again(tmp_path, monkeypatch):
    data = semirank.RankingDataset(X, np.tile([0.0, 1.0], 6))
    expected = semirank.compare(data, ["rankrls"], budget=False).results[0].values
    monkeypatch.setattr("semirank.selection.runner.Runner._key", lambda self, series, place: "known")
    path = tmp_path / "finished.jsonl"
    path.write_text('["known", {"values": [[[]]]}]\n')
    found = semirank.compare(data, ["rankrls"], budget=False, checkpoint=path, resume=True)
    assert found.results[0].values == expected


EXPLAIN = [
    ManifoldRanking(),
    PersonalizedPageRank(combine="positive"),
    RankRLS(),
    RankSVM(),
    RayleighRanker(),
]


@pytest.mark.parametrize("ranker", EXPLAIN, ids=lambda ranker: type(ranker).__name__)
@pytest.mark.parametrize("item", [np.array([1, 2]), np.array([]), [3], "1", None, 1.5, -1, 12, 10**30, True])
def test_explain_takes_one_row_number(ranker, item):
    ranker.fit(X, Y)
    with pytest.raises(ValueError, match=r"item must be a row number in \[0, 11\]; got"):
        ranker.explain(item)
    assert len(ranker.explain(np.int64(3)).items)


@pytest.mark.parametrize(
    "lists",
    [[0], [0, 0, 5], [0, 0, -2], [0.0, 1.0, 0.0], "abc", [[0, 0, 0]], [0, 0, 10**18], [1, 2], ["a"] * 3],
)
def test_neighbours_in_lists_that_are_not_there(lists):
    index = NeighbourIndex(X, indptr=[0, 5, 12])
    with pytest.raises(ValueError, match="lists must"):
        index.query(X[:3], 2, lists)


@pytest.mark.parametrize("k", [-1, 1.5, "2", None, 10**30])
def test_numbers_of_neighbours(k):
    index = NeighbourIndex(X)
    with pytest.raises(ValueError, match="k must be a whole number"):
        index.query(X[:3], k)
    with pytest.raises(ValueError, match="k must be a whole number"):
        index.neighbours(k)


@pytest.mark.parametrize(
    "y", [np.ones(11), np.ones(13), np.ones(0), 1.0, np.ones((3, 12)), np.ones((12, 2, 2))]
)
@pytest.mark.parametrize("solver", ["cg", "closed", "chebyshev", "iterate"])
def test_diffusion_of_vectors_of_the_wrong_length(y, solver):
    diffusion = Diffusion(knn_graph(X, n_neighbors=3))
    with pytest.raises(ValueError, match="y must have one row for each of 12 items"):
        diffusion.solve(y, solver=solver)
    with pytest.raises(ValueError, match="start must have the shape of y"):
        diffusion.solve(np.ones(12), solver=solver, start=np.ones(5))


@pytest.mark.parametrize(
    "options", [{"alpha": 1.0}, {"alpha": np.nan}, {"solver": "none"}, {"alpha": np.ones(3)}, {"alpha": None}]
)
def test_diffusion_with_odd_options(options):
    with pytest.raises(ValueError, match="must be"):
        Diffusion(knn_graph(X, n_neighbors=3)).solve(np.ones(12), **options)


@pytest.mark.parametrize(
    ("items", "labels"),
    [
        ([0, 1], [1.0]),
        ([0], [[1.0]]),
        ([12], [1.0]),
        ([-1], [1.0]),
        ([0.5], [1.0]),
        ([], []),
        ([0], [np.nan]),
    ],
)
def test_the_best_items_near_labels_that_are_none(items, labels):
    with pytest.raises(ValueError, match="must be"):
        Diffusion(knn_graph(X, n_neighbors=3)).top(items, labels, 3)


@pytest.mark.parametrize("k", [0, -1, 1.5, None, 10**30])
def test_the_best_of_an_odd_number(k):
    with pytest.raises(ValueError, match="k must be a whole number"):
        Diffusion(knn_graph(X, n_neighbors=3)).top([0], [1.0], k)

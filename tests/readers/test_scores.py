"""Scores are found again by name, and every spoiled file is refused or read whole."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semirank import RankingDataset
from semirank.readers.scores import Scores, rank_items, read_scores, write_scores

finite = st.floats(allow_nan=False, allow_infinity=False)
names = st.text(st.characters(codec="utf-8", exclude_characters="\t\r\n"), min_size=1).filter(str.strip)


@st.composite
def scored(draw: st.DrawFn) -> tuple[RankingDataset, list[float]]:
    keys = draw(st.lists(st.tuples(names, names), min_size=1, max_size=12, unique=True))
    few = st.sampled_from([-1.0, 0.0, 0.5])
    scores = draw(st.lists(finite | few, min_size=len(keys), max_size=len(keys)))
    qid, item_ids = (np.array(column, dtype=object) for column in zip(*keys, strict=True))
    return RankingDataset(np.empty((len(keys), 0)), np.zeros(len(keys)), qid, item_ids), scores


def written(data: RankingDataset, scores: Any, folder: Path, **options: Any) -> bytes:
    path = folder / "scores.tsv"
    write_scores(data, scores, path, **options)
    return path.read_bytes()


@settings(max_examples=60, deadline=None)
@given(scored())
def test_written_scores_come_back_exactly_and_in_the_order_of_the_data(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[RankingDataset, list[float]]
) -> None:
    data, scores = case
    content = written(data, scores, tmp_path_factory.mktemp("scores"))
    np.testing.assert_array_equal(read_scores(io.BytesIO(content)).for_dataset(data), scores)


@settings(max_examples=60, deadline=None)
@given(scored(), st.integers(1, 5))
def test_ranking_is_a_sort_of_each_list(case: tuple[RankingDataset, list[float]], top: int) -> None:
    data, scores = case
    rows = list(zip(data.restore(data.qid), data.restore(data.item_ids), scores, strict=True))
    expected = []
    for name in dict.fromkeys(row[0] for row in rows):
        mine = sorted((row for row in rows if row[0] == name), key=lambda row: row[1], reverse=True)
        mine.sort(key=lambda row: -row[2])
        expected += [(name, item, rank, score) for rank, (_, item, score) in enumerate(mine[:top], start=1)]
    assert list(zip(*map(np.ndarray.tolist, rank_items(data, scores, top)), strict=True)) == expected


def test_items_without_names_go_by_the_row_of_the_caller(tmp_path: Path) -> None:
    data = RankingDataset([[0.0]] * 4, [0.0] * 4, qid=[2, 1, 2, 1])
    content = written(data, [0.1, 0.2, 0.3, 0.4], tmp_path)
    assert content == b"qid\titem\tscore\n2\t2\t0.3\n2\t0\t0.1\n1\t3\t0.4\n1\t1\t0.2\n"
    assert read_scores(io.BytesIO(content)).for_dataset(data).tolist() == [0.1, 0.2, 0.3, 0.4]


@pytest.mark.parametrize("qid", [[7, 7], [7.0, 7.0], ["7", "7"], np.array([7, 7], dtype=object)])
def test_numbers_and_their_spelling_are_the_same_name(qid: Any) -> None:
    data = RankingDataset([[0.0]] * 2, [0, 1], qid, item_ids=[10, 11])
    assert Scores.of([("7", "11", 1.0), ("7", "10", 2.0)]).for_dataset(data).tolist() == [2.0, 1.0]


ITEMS = RankingDataset(
    np.empty((4, 0)), [1, 0, 1, 0], qid=["a", "a", "a", "b"], item_ids=["x", "y", "z", "x"]
)


def test_items_without_a_score_are_refused_or_tied_at_the_end() -> None:
    some = Scores.of([("a", "y", -3e17)], name="some.run")
    with pytest.raises(ValueError, match=r"some\.run: 3 items of the data have no score.* 'x' of list 'a'"):
        some.for_dataset(ITEMS)
    scores = some.for_dataset(ITEMS, missing="last")
    assert np.isfinite(scores).all()
    assert scores[0] == scores[2] < scores[1] == -3e17
    assert np.isfinite(Scores.of([]).for_dataset(ITEMS, missing="last")).all()


def test_scores_of_unknown_items_are_refused_or_left_out() -> None:
    rows = [("a", "x", 1.0), ("a", "y", 2.0), ("a", "z", 3.0), ("b", "x", 4.0), ("b", "w", 5.0)]
    with pytest.raises(ValueError, match="the data have no item 'w' in list 'b'"):
        Scores.of(rows).for_dataset(ITEMS)
    assert Scores.of(rows).for_dataset(ITEMS, unknown="ignore").tolist() == [1, 2, 3, 4]


def test_names_must_be_unique_on_both_sides(tmp_path: Path) -> None:
    twice = RankingDataset([[0.0]] * 2, [0, 1], item_ids=["x", "x"])
    with pytest.raises(ValueError, match="The data: item 'x' of list '0' is there twice"):
        Scores.of([("0", "x", 1.0)]).for_dataset(twice)
    with pytest.raises(ValueError, match="The data: item 'x' of list '0' is there twice"):
        written(twice, [1, 2], tmp_path)
    with pytest.raises(ValueError, match="mine: item 'x' of list 'b' is there twice"):
        Scores.of([("b", "x", 1.0), ("b", "x", 1.0)], name="mine").for_dataset(ITEMS)


@pytest.mark.parametrize("option", [{"missing": "first"}, {"unknown": "last"}])
def test_unknown_rules_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(
        ValueError, match="missing must be 'error', 'last' or 'unretrieved', unknown 'error' or 'ignore'"
    ):
        Scores.of([]).for_dataset(ITEMS, **option)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([1, 2, 3], r"one score for each of 4 items; got shape \(3,\)"),
        ([1, 2, np.nan, 3], "The score in row 2 is nan"),
        ([1, -np.inf, 2, 3], "The score in row 1 is -inf"),
    ],
)
def test_only_whole_sets_of_finite_scores_are_written(tmp_path: Path, scores: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        written(ITEMS, scores, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", " ", "a\tb", "a\nb", "a\r", None])
def test_names_that_would_not_come_back_are_refused(tmp_path: Path, name: str) -> None:
    data = RankingDataset([[0.0]], [0], item_ids=np.array([name], dtype=object))
    with pytest.raises(ValueError, match="cannot be written"):
        written(data, [1.0], tmp_path)


def test_top_is_at_least_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="top must be a whole number of at least 1; got 0"):
        written(ITEMS, [1, 2, 3, 4], tmp_path, top=0)
    assert written(ITEMS, [1, 2, 3, 4], tmp_path, top=1) == b"qid\titem\tscore\na\tz\t3.0\nb\tx\t4.0\n"


HEADER = b"qid\titem\tscore\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "<stream>: must start with the line 'qid item score'"),
        (b"1 Q0 a 1 0.5 tag\n", "<stream>:1: 1 cells where a line has 3"),
        (b"a\tb\tc\n", "must start with the line"),
        (HEADER, "<stream>: holds no scores"),
        (HEADER + b"1\ta\n", "<stream>:2: 2 cells where a line has 3: qid item score"),
        (HEADER + b"1\ta\tgood\n", "<stream>:2: the score 'good' is not a finite number"),
        (HEADER + b"1\ta\tnan\n", "<stream>:2: the score 'nan' is not a finite number"),
        (HEADER + b"1\ta\t-inf\n", "<stream>:2: the score '-inf' is not a finite number"),
        (HEADER + b"1\ta\t1_0\n", "<stream>:2: the score '1_0' is not a finite number"),
        (HEADER + b"1\ta\t1\n\n1\ta\t1\n", "<stream>:4: item 'a' of list '1' is there a second time.*:2"),
        (HEADER + b"1\t\xff\t1\n", "<stream>:2: is not UTF-8 text"),
    ],
)
def test_a_bad_line_is_named(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_scores(io.BytesIO(content))


def test_byte_order_mark_line_ends_and_blank_lines_do_not_matter() -> None:
    scores = read_scores(io.BytesIO(b"\xef\xbb\xbfqid\titem\tscore\r\n\r\n1\ta b\t1e3\r\n"))
    assert (scores.qid[0], scores.item_ids[0], scores.scores[0]) == ("1", "a b", 1000.0)
    assert repr(scores) == "Scores(1 lists, 1 items)"


VALID = HEADER + b"q1\ta\t1.5\nq1\tb\t-2e-3\nq2\ta\t7\n"


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60).map(HEADER.__add__)
    | st.tuples(st.integers(0, len(VALID)), st.integers(0, 4), st.binary(max_size=4)).map(
        lambda cut: VALID[: cut[0]] + cut[2] + VALID[cut[0] + cut[1] :]
    )
)
@example(VALID)
def test_any_bytes_are_read_whole_or_refused(content: bytes) -> None:
    outcome = read_or_complaint(content)
    if isinstance(outcome, str):
        assert "<stream>" in outcome
    else:
        assert len(outcome) == sum(bool(line.strip()) for line in content.split(b"\n")) - 1
        assert np.isfinite(outcome.scores).all()


def read_or_complaint(content: bytes) -> Scores | str:
    try:
        return read_scores(io.BytesIO(content))
    except ValueError as error:
        return str(error)

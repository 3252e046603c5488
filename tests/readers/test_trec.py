"""TREC files: real judgements, runs that trec_eval orders as they are written, spoiled files."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given, settings
from hypothesis import strategies as st

from semirank import RankingDataset
from semirank.readers.scores import Scores
from semirank.readers.trec import add_unjudged, read_qrels, read_run, write_qrels, write_run

words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=4)


def test_real_judgements_with_irregular_blanks(real_data: Path) -> None:
    data = read_qrels(real_data / "ohsumed-letor" / "qrels.qrel.xz")
    assert (data.n_items, data.n_lists, data.n_features) == (16140, 106, 0)
    assert np.unique(data.y, return_counts=True)[1].tolist() == [11303, 2585, 2252]
    assert (data.qid[0], data.item_ids[1], data.y[1]) == ("1", "143821", 2.0)


def test_real_judgements_come_back(real_data: Path, tmp_path: Path) -> None:
    data = read_qrels(real_data / "ohsumed-letor" / "qrels.qrel.xz")
    write_qrels(data, tmp_path / "copy.qrels.gz")
    again = read_qrels(tmp_path / "copy.qrels.gz")
    for name in ("qid", "item_ids", "y"):
        np.testing.assert_array_equal(getattr(again, name), getattr(data, name))


@st.composite
def judged(draw: st.DrawFn) -> RankingDataset:
    keys = draw(st.lists(st.tuples(words, words), min_size=1, max_size=10, unique=True))
    labels = draw(st.lists(st.sampled_from([0.0, 1.0, 3.0, np.nan]), min_size=len(keys), max_size=len(keys)))
    qid, item_ids = (np.array(column, dtype=object) for column in zip(*keys, strict=True))
    return RankingDataset(np.empty((len(keys), 0)), labels, qid, item_ids)


@settings(max_examples=60, deadline=None)
@given(judged())
def test_judgements_come_back_and_unlabelled_items_have_no_line(
    tmp_path_factory: pytest.TempPathFactory, data: RankingDataset
) -> None:
    path = tmp_path_factory.mktemp("qrels") / "a.qrels"
    if not data.labelled.any():
        with pytest.raises(ValueError, match="no item has a label"):
            write_qrels(data, path)
        return
    write_qrels(data, path)
    again = read_qrels(path)
    kept = data.take(data.order.argsort()).take(data.restore(data.labelled))
    assert list(zip(again.qid, again.item_ids, again.y, strict=True)) == list(
        zip(kept.qid, kept.item_ids, kept.y, strict=True)
    )


def test_fractions_are_no_judgements(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"whole numbers; got the label 0\.5"):
        write_qrels(RankingDataset([[0.0]], [0.5]), tmp_path / "a.qrels")
    assert list(tmp_path.iterdir()) == []


def ranks_by_trec_eval(path: Path) -> dict[tuple[str, str], int]:
    """Ask trec_eval where each item stands: judge it alone relevant and look at the reciprocal rank."""
    run = pytrec_eval.parse_run(path.read_text().splitlines())
    ranks = {}
    for list_name, items in run.items():
        for item in items:
            judge = pytrec_eval.RelevanceEvaluator({list_name: {item: 1}}, {"recip_rank"})
            value = judge.evaluate({list_name: items})[list_name]["recip_rank"]
            ranks[list_name, item] = round(1 / value)
    return ranks


def ranks_in_file(path: Path) -> dict[tuple[str, str], int]:
    cells = [line.split() for line in path.read_text().splitlines()]
    return {(line[0], line[2]): int(line[3]) for line in cells}


near = st.sampled_from([0.0, -0.0, 1.0, 1 + 1e-9, 1 + 2e-9, 1 - 1e-12, -1.0, -1 - 1e-10, 1e-50, -1e-50, 3e38])
singles = st.floats(-1e38, 1e38)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), near | singles), min_size=1, max_size=15))
@example([(0, 1.0)] * 5)
@example([(0, 1 + k * 1e-9) for k in range(12)])
def test_trec_eval_sees_the_order_of_the_file(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, float]]
) -> None:
    path = tmp_path_factory.mktemp("run") / "a.run"
    qid, scores = (np.array(column) for column in zip(*rows, strict=True))
    data = RankingDataset(np.empty((len(rows), 0)), np.zeros(len(rows)), qid)
    write_run(data, scores, path)
    assert ranks_by_trec_eval(path) == ranks_in_file(path)
    again = read_run(path).for_dataset(data)
    for name in np.unique(qid):
        mine = qid == name
        np.testing.assert_array_equal(
            np.unique(again[mine], return_inverse=True)[1], np.unique(scores[mine], return_inverse=True)[1]
        )
    np.testing.assert_allclose(again, scores, rtol=2e-6, atol=1e-40)


def test_scores_that_single_precision_can_tell_apart_are_exact(tmp_path: Path) -> None:
    scores = np.random.default_rng(0).normal(size=200)
    data = RankingDataset(np.empty((200, 0)), np.zeros(200), qid=np.arange(200) % 3)
    write_run(data, scores, tmp_path / "a.run")
    np.testing.assert_array_equal(read_run(tmp_path / "a.run").for_dataset(data), scores)


def test_ties_are_written_by_descending_name(tmp_path: Path) -> None:
    data = RankingDataset([[0.0]] * 4, [0] * 4, ["b", "a", "b", "b"], item_ids=["d1", "d1", "d3", "d2"])
    write_run(data, [1, 5, 1, 2], tmp_path / "a.run", tag="t", top=2)
    assert (tmp_path / "a.run").read_text() == "b Q0 d2 1 2.0 t\nb Q0 d3 2 1.0 t\na Q0 d1 1 5.0 t\n"


@pytest.mark.parametrize("score", [1e39, -1e300])
def test_scores_beyond_single_precision_are_refused(tmp_path: Path, score: float) -> None:
    with pytest.raises(ValueError, match=r"within single precision, 3\.4e38"):
        write_run(RankingDataset([[0.0]] * 2, [0, 1]), [0.0, score], tmp_path / "a.run")


@pytest.mark.parametrize("name", ["a b", "", "a\tb", "\ufeffa", "a\x0bb"])
def test_names_of_several_words_are_refused(tmp_path: Path, name: str) -> None:
    data = RankingDataset([[0.0]], [1], item_ids=np.array([name], dtype=object))
    with pytest.raises(ValueError, match="cannot be written"):
        write_run(data, [1.0], tmp_path / "a.run")
    with pytest.raises(ValueError, match="cannot be written"):
        write_qrels(data, tmp_path / "a.qrels")
    with pytest.raises(ValueError, match="tag must be one word"):
        write_run(RankingDataset([[0.0]], [1]), [1.0], tmp_path / "a.run", tag=name)


def test_a_name_used_twice_is_refused(tmp_path: Path) -> None:
    data = RankingDataset([[0.0]] * 2, [1, 0], item_ids=["a", "a"])
    with pytest.raises(ValueError, match="item 'a' of list '0' is there twice"):
        write_qrels(data, tmp_path / "a.qrels")


def test_unjudged_items_join_the_judgements() -> None:
    judgements = read_qrels(io.BytesIO(b"1 0 a 1\n2 0 b 0\n"))
    run = Scores.of([("1", "c", 3.0), ("1", "a", 2.0), ("3", "d", 1.0)])
    both = add_unjudged(judgements, run)
    assert list(zip(both.qid, both.item_ids, both.labelled, strict=True)) == [
        ("1", "a", True),
        ("1", "c", False),
        ("2", "b", True),
        ("3", "d", False),
    ]
    scores = both.arrange(run.for_dataset(both, missing="last"))
    assert scores[[0, 1, 3]].tolist() == [2.0, 3.0, 1.0]
    with pytest.raises(ValueError, match="data without features"):
        add_unjudged(RankingDataset([[1.0]], [1]), run)


def test_minus_one_is_read_as_unlabelled_unless_told_otherwise() -> None:
    content = b"1 0 a -1\n1 0 b 2\n"
    assert read_qrels(io.BytesIO(content)).labelled.tolist() == [False, True]
    assert read_qrels(io.BytesIO(content), unlabelled=None).y.tolist() == [-1, 2]
    with pytest.raises(ValueError, match="<stream>: The label -1 can mean"):
        read_qrels(io.BytesIO(content + b"1 0 c -2\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "<stream>: holds no judgements"),
        (b"\n \n", "<stream>: holds no judgements"),
        (b"1 0 a 1\n1 0 b\n", "<stream>:2: 3 cells where a line has 4: list 0 item label"),
        (b"1 0 a 1 extra\n", "<stream>:1: 5 cells"),
        (b"1 0 a relevant\n", "<stream>:1: the label 'relevant' is not a finite number"),
        (b"1 0 a nan\n", "<stream>:1: the label 'nan' is not a finite number"),
        (b"1 0 a 1\n2 0 a 1\n1 1 a 0\n", "<stream>:3: item 'a' of list '1' is there a second time.*:1"),
        (b"1 0 \xe9 1\n", "<stream>:1: is not UTF-8 text"),
    ],
)
def test_a_bad_judgement_is_named(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_qrels(io.BytesIO(content))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "<stream>: holds no scores"),
        (b"1 Q0 a 1 0.5\n", "<stream>:1: 5 cells where a line has 6: list Q0 item rank score tag"),
        (b"1 Q0 a 1 high t\n", "<stream>:1: the score 'high' is not a finite number"),
        (b"1 Q0 a 1 inf t\n", "<stream>:1: the score 'inf' is not a finite number"),
        (b"1 Q0 a 1 1 t\n1 Q0 a 2 0 t\n", "<stream>:2: item 'a' of list '1' is there a second time"),
    ],
)
def test_a_bad_line_of_a_run_is_named(content: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_run(io.BytesIO(content))


def spoiled(valid: bytes) -> Any:
    """Any bytes, or a valid file with a piece exchanged."""
    cuts = st.tuples(st.integers(0, len(valid)), st.integers(0, 4), st.binary(max_size=4))
    return st.binary(max_size=60) | cuts.map(lambda cut: valid[: cut[0]] + cut[2] + valid[cut[0] + cut[1] :])


def n_lines(content: bytes) -> int:
    return sum(bool(line.strip()) for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"))


def read_or_complaint(read: Callable[[BinaryIO], Any], content: bytes) -> Any:
    try:
        return read(io.BytesIO(content))
    except ValueError as error:
        return str(error)


@settings(max_examples=200, deadline=None)
@given(spoiled(b"q1 0 a 1\nq1\t0  b\t0\r\nq2 0 a -1\n"))
def test_any_bytes_are_judgements_read_whole_or_refused(content: bytes) -> None:
    outcome = read_or_complaint(read_qrels, content)
    if isinstance(outcome, str):
        assert "<stream>" in outcome
    else:
        assert outcome.n_items == n_lines(content)


@settings(max_examples=200, deadline=None)
@given(spoiled(b"q1 Q0 a 1 3.5 t\nq1\tQ0  b\t2 1e-3 t\r\nq2 Q0 a 1 -7 t\n"))
def test_any_bytes_are_a_run_read_whole_or_refused(content: bytes) -> None:
    outcome = read_or_complaint(read_run, content)
    if isinstance(outcome, str):
        assert "<stream>" in outcome
    else:
        assert len(outcome) == n_lines(content)
        assert np.isfinite(outcome.scores).all()

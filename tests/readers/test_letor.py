"""LETOR text is read as a slow, plain parser reads it, and what is written is read back."""

import gzip
import io
import os
import re
import tracemalloc
from math import isnan, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse
from sklearn.datasets import load_svmlight_file

from semirank.dataset import DataWarning, RankingDataset
from semirank.readers import letor_blocks
from semirank.readers.letor import read_letor, write_letor

LETOR_FOLDS = [f"S{part}.txt.xz" for part in range(1, 6)]
Row = tuple[float, bytes | None, dict[int, float], bytes | None]


@pytest.fixture(params=[letor_blocks.BLOCK_SIZE, 50], ids=["one block", "many blocks"])
def block_size(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(letor_blocks, "BLOCK_SIZE", request.param)
    return int(request.param)


def read(text: str | bytes, **options: Any) -> RankingDataset:
    return read_letor(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def refusal(text: str | bytes, **options: Any) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        read(text, **options)
    return str(caught.value)


def written(data: RankingDataset, folder: Path, **options: Any) -> bytes:
    write_letor(data, folder / "data.txt", **options)
    return (folder / "data.txt").read_bytes()


# A plain parser, line by line -----------------------------------------------------------------------------

NUMBER = re.compile(rb"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|nan|inf|infinity|null)", re.IGNORECASE)


def slow_number(token: bytes) -> float:
    if not NUMBER.fullmatch(token):
        raise ValueError(token)
    value = nan if token.lower().endswith(b"null") else float(token)
    if np.isinf(value):
        raise ValueError(token)
    return value


def slow_id(comment: bytes) -> bytes:
    if b"\r" in comment.rstrip():
        raise ValueError(comment)
    named = re.match(rb"docid\s*=\s*(\S+)", comment.strip(), re.IGNORECASE)
    return named[1] if named else comment.strip()


def slow_features(tokens: list[bytes]) -> dict[int, float]:
    features: dict[int, float] = {}
    for token in tokens:
        index, colon, value = token.partition(b":")
        if not colon or not re.fullmatch(rb"[0-9]{1,18}", index) or not 1 <= int(index) <= 2**31 - 2:
            raise ValueError(token)
        if int(index) - 1 in features:
            raise ValueError(token)
        features[int(index) - 1] = slow_number(value)
    return features


def slow_line(line: bytes) -> Row | None:
    body, hash_sign, comment = line.partition(b"#")
    item_id = slow_id(comment) if hash_sign else None
    tokens = body.split()
    if not tokens:
        return None
    label = slow_number(tokens[0])
    qid = None
    if len(tokens) > 1 and tokens[1][:4].lower() == b"qid:":
        qid = tokens.pop(1)[4:]
        if not qid:
            raise ValueError(line)
    return label, qid, slow_features(tokens[1:]), item_id


def slow_read(text: bytes) -> list[Row]:
    """Read all lines; raise a ValueError that holds the number of the first bad one."""
    rows: list[Row] = []
    for number, line in enumerate(text.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        try:
            row = slow_line(line)
        except ValueError:
            raise ValueError(number) from None
        if row and rows and (row[1] is None) != (rows[0][1] is None):
            raise ValueError(number)
        rows += [row] if row else []
    if not rows:
        raise ValueError(0)
    return rows


def same(one: float, other: float) -> bool:
    return one == other or (isnan(one) and isnan(other))


def assert_same(data: RankingDataset, rows: list[Row]) -> None:
    """Compare a dataset, in the order of the file, with what the plain parser found."""
    assert data.n_items == len(rows)
    X = csr_array(data.X)
    place = data.restore(np.arange(data.n_items))
    for i, (label, qid, features, item_id) in zip(place, rows, strict=True):
        assert same(data.y[i], label)
        stored = slice(X.indptr[i], X.indptr[i + 1])
        found = dict(zip(X.indices[stored].tolist(), X.data[stored].tolist(), strict=True))
        expected = {column: value for column, value in features.items() if value != 0}
        assert {column for column, value in found.items() if value != 0} == set(expected)
        assert all(same(found[column], value) for column, value in expected.items())
        assert str(data.qid[i]) == ("0" if qid is None else qid.decode("utf-8", "backslashreplace"))
        if data.item_ids is not None:
            assert data.item_ids[i] == (item_id or b"").decode("utf-8", "backslashreplace")
    assert (data.item_ids is None) == all(item_id is None for *_, item_id in rows)


def assert_read_as_slowly(text: bytes, **options: Any) -> None:
    try:
        rows = slow_read(text)
    except ValueError as error:
        message = refusal(text, unlabelled=None, **options)
        line = error.args[0]
        assert message.startswith(f"<stream>:{line}: " if line else "<stream>: ")
    else:
        assert_same(read(text, unlabelled=None, **options), rows)


PIECES = """0|1|-1|2.5|nan|NULL|inf|1e400|1_0|0x1|.5|5.|1e-3|+7|-0|qid:1|qid:1|qid:2|qid:b|QID:c|qid:|qid
|1:1|2:-0.5|3:NULL|3:nan|0:1|1:|:1|a:1|5:1e400|5:0.1234567890123456789|2147483646:1|2147483647:1|99999999999999999999:1|00001:2|1:1:1
|#|##|#docid = x7 inc = 1|#docid=|docid|=|a b|é|\\|4:5#x|4:0|6:2|6:3|,""".replace("\n", "").split("|")
SEPARATORS = (
    [b" "] * 12 + [b"\n"] * 5 + [b"\t", b"  ", b"\r\n", b"\r", b"\v", b"\f", b"", b"\n\n", b"\0", b"\xff"]
)
LINES = """2 qid:7 1:0.5 2:1 #docid = GX-1 inc = 1
0 qid:7 1:NULL 2:-1.5e-3 # two words

# a comment line
1 qid:10 3:1e22 # docid=q
nan qid:10 1:0 2:0.1234567890123456789\r
"""


@settings(max_examples=700, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(PIECES).map(str.encode), st.sampled_from(SEPARATORS)), max_size=25))
def test_any_pieces_are_read_as_slowly(pieces: list[tuple[bytes, bytes]]) -> None:
    assert_read_as_slowly(b"".join(piece + separator for piece, separator in pieces))


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.integers(0, len(LINES)), st.integers(0, 3), st.binary(max_size=3)), max_size=3))
def test_damaged_text_is_read_as_slowly(changes: list[tuple[int, int, bytes]]) -> None:
    text = LINES.encode()
    for place, length, replacement in changes:
        text = text[:place] + replacement + text[place + length :]
    assert_read_as_slowly(text)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60))
@example(b"\xef\xbb\xbf1 1:2")
@example(b"1\r0\r")
@example(b"1 qid:1 1:2#a\r0 qid:1 1:3\r")
@example(b"\x00")
def test_any_bytes_are_read_as_slowly(text: bytes) -> None:
    assert_read_as_slowly(text)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from([b"1 qid:1 1:2 3:4 #a", b"0 qid:2 2:5", b"", b"#c", b"2 qid:1 3:1 1:2"]), min_size=1
    ),
    st.lists(st.tuples(st.integers(0, 400), st.sampled_from([b"x", b"\n1 1:1\n", b" 1:1 "])), max_size=2),
    st.integers(1, 40),
    st.integers(1, 3),
)
def test_blocks_and_threads_change_nothing(
    lines: list[bytes], changes: list[tuple[int, bytes]], size: int, n_jobs: int
) -> None:
    text = b"\n".join(lines * 5)
    for place, piece in changes:
        text = text[:place] + piece + text[place:]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letor_blocks, "BLOCK_SIZE", size)
        assert_read_as_slowly(text, n_jobs=n_jobs)


# What the parts of a line mean ----------------------------------------------------------------------------


def test_a_line_is_a_label_a_list_features_and_a_comment(block_size: int) -> None:
    data = read("2 qid:7 1:0.5 3:NULL # docid = GX-1 inc = 1\n-1 qid:8 2:3\t # two words \r\n0 qid:8")
    np.testing.assert_array_equal(data.X, [[0.5, 0, nan], [0, 3, 0], [0, 0, 0]])
    np.testing.assert_array_equal(data.y, [2, nan, 0])
    assert data.qid.dtype == np.int64
    assert data.qid.tolist() == [7, 8, 8]
    assert data.item_ids is not None
    assert data.item_ids.tolist() == ["GX-1", "two words", ""]


@pytest.mark.parametrize(
    "qids", [["a", "b"], ["1", "01"], ["1", "2.0"], ["9223372036854775808", "1"], ["-0", "1"]]
)
def test_lists_have_names_unless_all_are_whole_numbers(qids: list[str]) -> None:
    assert read(f"1 qid:{qids[0]} 1:1\n0 qid:{qids[1]} 1:2\n").qid.tolist() == qids


def test_the_largest_and_smallest_whole_numbers_are_numbers() -> None:
    data = read(f"1 qid:{2**63 - 1} 1:1\n0 qid:{-(2**63)} 1:2")
    assert data.qid.tolist() == [2**63 - 1, -(2**63)]


def test_without_qid_all_items_are_one_list() -> None:
    assert read("1 1:1\n2 1:2\n3 1:3").n_lists == 1


def test_a_list_may_be_scattered() -> None:
    data = read("1 qid:a 1:1\n2 qid:b 1:2\n3 qid:a 1:3")
    assert data.n_lists == 2
    np.testing.assert_array_equal(data.X, [[1], [3], [2]])
    np.testing.assert_array_equal(data.restore(data.X), [[1], [2], [3]])


def test_text_that_is_not_utf8_is_shown_by_its_bytes() -> None:
    data = read(b"1 qid:\xe9 1:1 # caf\xe9\n0 qid:\xc3\xa9 1:2 # caf\xc3\xa9")
    assert data.item_ids is not None
    assert data.item_ids.tolist() == ["caf\\xe9", "café"]
    assert data.qid.tolist() == ["\\xe9", "é"]


def test_features_may_start_at_zero() -> None:
    np.testing.assert_array_equal(read("1 0:5 2:6", zero_based=True).X, [[5, 0, 6]])
    assert "zero_based=True" in refusal("1 0:5 2:6")


# The mark for unlabelled ----------------------------------------------------------------------------------


def test_minus_one_means_unlabelled_when_no_other_label_is_negative() -> None:
    np.testing.assert_array_equal(read("-1 1:1\n2 1:1\nnan 1:1").y, [nan, 2, nan])
    np.testing.assert_array_equal(read("-1 1:1\n2 1:1", unlabelled=None).y, [-1, 2])
    np.testing.assert_array_equal(read("-1 1:1\n2 1:1", unlabelled=2).y, [-1, nan])


def test_the_two_readings_of_minus_one_are_named_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("-1 1:1\n-2 1:1\n")
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}: .*unlabelled=-1.*unlabelled=None"):
        read_letor(path)
    np.testing.assert_array_equal(read_letor(path, unlabelled=-1).y, [nan, -2])


# What is wrong, and where ---------------------------------------------------------------------------------

MALFORMED = [
    ("x qid:1 1:1", r"the label 'x' is not a number"),
    ("1,5 qid:1 1:1", r"the label '1,5' is not a number"),
    ("inf qid:1 1:1", r"the label 'inf' is infinite.*nan"),
    ("1e999 qid:1 1:1", r"the label '1e999' is infinite"),
    ("1 qid: 1:1", r"names no list"),
    ("1 1:1", r"some lines name a list.*and some do not"),
    ("1 qid:1 5", r"'5' is not index:value"),
    ("1 qid:1 1:1 qid:2", r"'qid:2' is not index:value.*right after the label"),
    ("1 qid:1 -1:1", r"'-1:1' is not index:value"),
    ("1 qid:1 0:1", r"index 0.*zero_based=True"),
    ("1 qid:1 2147483647:1", r"'2147483647:1' has an index above 2147483646"),
    ("1 qid:1 99999999999999999999999:1", r"an index above 2147483646"),
    ("1 qid:1 3:1 2:1 3:1", r"named twice"),
    ("1 qid:1 1:", r"'1:' has a value that is not a number.*NULL"),
    ("1 qid:1 1:1_0", r"'1:1_0' has a value that is not a number"),
    ("1 qid:1 1:-Infinity", r"'1:-Infinity' has an infinite value"),
    ("1 qid:1 1:1e999", r"'1:1e999' has an infinite value"),
    ("1 qid:1 1:1 #a\r1 qid:1 1:1 #b", r"carriage return.*line ends"),
    ("y" * 10_000, r"'y{40}\.\.\.' is not a number"),
]


@pytest.mark.parametrize(("line", "what"), MALFORMED)
def test_the_first_bad_line_is_named_with_the_file(
    tmp_path: Path, block_size: int, line: str, what: str
) -> None:
    good = "1 qid:1 1:1 2:3 # a\n\n# comment\n"
    path = tmp_path / "train.txt"
    path.write_text(good * 20 + line + "\n" + good * 3 + "also bad\n", newline="")
    with pytest.raises(ValueError, match=rf"(?s)\A{re.escape(str(path))}:61: .*{what}"):
        read_letor(path, n_jobs=2)


def test_an_index_beyond_n_features_is_named(block_size: int) -> None:
    message = refusal("1 1:1\n" * 30 + "1 4:1\n", n_features=3)
    assert message.startswith("<stream>:31: '4:1' has an index above 3.")
    assert read("1 1:1", n_features=3).n_features == 3


@pytest.mark.parametrize("text", [b"", b"\n\n", b"# only a comment\n", b"\xef\xbb\xbf"])
def test_a_file_without_items_is_named(tmp_path: Path, text: bytes) -> None:
    path = tmp_path / "empty.txt"
    path.write_bytes(text)
    with pytest.raises(ValueError, match=rf"{re.escape(str(path))}: the file has no items"):
        read_letor(path)


@pytest.mark.parametrize(
    ("option", "value"),
    [("sparse", "yes"), ("n_features", 0), ("n_jobs", 0), ("unlabelled", "none"), ("zero_based", None)],
)
def test_options_outside_their_limits_are_named(option: str, value: Any) -> None:
    assert refusal("1 1:1", **{option: value}).startswith(f"{option} must be ")


def test_a_line_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(letor_blocks, "BLOCK_SIZE", 10)
    monkeypatch.setattr(letor_blocks, "LONGEST_LINE", 100)
    assert read("1 1:1" + " " * 60).n_items == 1
    assert refusal("1 1:1" + " " * 200).startswith("<stream>: a line has more than 100 bytes")


def test_a_text_stream_is_refused() -> None:
    with pytest.raises(ValueError, match="binary"):
        read_letor(io.StringIO("1 1:1"))  # type: ignore[arg-type]


# Dense and sparse -----------------------------------------------------------------------------------------


def test_a_quarter_of_the_cells_makes_the_matrix_dense() -> None:
    assert not issparse(read("1 1:1 4:0\n" + "1 1:1\n" * 2).X)
    assert issparse(read("1 1:1 5:0\n" + "1 1:1\n" * 20).X)
    assert issparse(read("1 1:1", sparse=True).X)
    assert not issparse(read("1 1:1 5:0\n" + "1 1:1\n" * 20, sparse=False).X)


def test_an_enormous_index_costs_no_memory() -> None:
    tracemalloc.start()
    data = read("1 2147483646:3\n0 1:2")
    assert tracemalloc.get_traced_memory()[1] < 1e6
    tracemalloc.stop()
    assert data.X.shape == (2, 2147483646)
    assert "sparse=False" in refusal("1 2147483646:3\n0 1:2", sparse=False)


def test_sparse_and_dense_hold_the_same(block_size: int) -> None:
    text = "1 3:1 1:2\n0 2:1\n2\n" * 5 + "1 1:7 3:-2.5\n" * 5
    np.testing.assert_array_equal(read(text, sparse=True).X.toarray(), read(text, sparse=False).X)


# Files ----------------------------------------------------------------------------------------------------


def test_several_files_are_one_dataset(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:1 1:1\n0 qid:2 1:2")
    with gzip.open(tmp_path / "b.txt.gz", "wb") as stream:
        stream.write(b"2 qid:1 3:4 # x\n")
    data = read_letor([tmp_path / "a.txt", tmp_path / "b.txt.gz", io.BytesIO(b"3 qid:5 2:1")])
    assert data.list_ids.tolist() == [1, 2, 5]
    np.testing.assert_array_equal(data.restore(data.X), [[1, 0, 0], [2, 0, 0], [0, 0, 4], [0, 1, 0]])
    assert data.item_ids is not None
    assert data.restore(data.item_ids).tolist() == ["", "", "x", ""]


def test_a_bad_line_is_counted_within_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1 qid:1 1:1\n" * 5)
    (tmp_path / "b.txt").write_text("# header\n1 1:1\n")
    with pytest.raises(ValueError, match=r"b\.txt:2: some lines name a list"):
        read_letor([tmp_path / "a.txt", tmp_path / "b.txt"])


def test_no_file_and_an_empty_one_among_others_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="empty"):
        read_letor([])
    (tmp_path / "none.txt").write_text("")
    with pytest.raises(ValueError, match=r"none\.txt: the file has no items"):
        read_letor([io.BytesIO(b"1 1:1"), tmp_path / "none.txt"])


def test_a_stream_without_a_name_is_named_by_its_number(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("-1 1:1\n-2 1:1\n")
    handle = os.open(tmp_path / "a.txt", os.O_RDONLY)
    with os.fdopen(handle, "rb") as stream, pytest.raises(ValueError, match=rf"\A{handle}: "):
        read_letor(stream)


def test_a_stream_may_give_a_few_bytes_at_a_time() -> None:
    class Drops(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return super().read(min(size or 0, 3))

    text = LINES.encode()
    assert_same(read_letor(Drops(text), unlabelled=None), slow_read(text))


# Writing --------------------------------------------------------------------------------------------------

FEATURES = st.floats(allow_infinity=False) | st.sampled_from([0.0, 0.0, 0.0, 1.0, -0.0, nan, 5e-324])
LABELS = st.just(nan) | st.integers(0, 4) | st.floats(allow_infinity=False).filter(lambda label: label != -1)
QID_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="# \t\n\v\f\r"), min_size=1)
ID_TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")).filter(
    lambda text: text == text.strip(" \t\v\f") and not re.match("docid", text, re.IGNORECASE)
)


@st.composite
def datasets(draw: st.DrawFn) -> RankingDataset:
    n_items, width = draw(st.integers(1, 7)), draw(st.integers(0, 9))
    X = np.array(draw(st.lists(FEATURES, min_size=n_items * width, max_size=n_items * width)))
    y = draw(st.lists(LABELS, min_size=n_items, max_size=n_items))
    lists = draw(
        st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=3) | st.lists(QID_TEXTS, min_size=1)
    )
    qid = [draw(st.sampled_from(lists)) for _ in range(n_items)]
    ids = draw(st.none() | st.lists(ID_TEXTS, min_size=n_items, max_size=n_items))
    matrix = X.reshape(n_items, width)
    return RankingDataset(
        csr_array(matrix) if draw(st.booleans()) else matrix, y, np.array(qid, dtype=object), ids
    )


def plain(X: Any) -> Any:
    return X.toarray() if issparse(X) else X


@settings(max_examples=250, deadline=None)
@given(datasets())
def test_what_is_written_is_read_back_and_written_again(tmp_path_factory: Any, data: RankingDataset) -> None:
    folder = tmp_path_factory.getbasetemp()
    text = written(data, folder)
    back = read_letor(folder / "data.txt")
    assert written(back, folder) == text
    np.testing.assert_array_equal(back.restore(plain(back.X)), data.restore(plain(data.X)))
    np.testing.assert_array_equal(back.restore(back.y), data.restore(data.y))
    assert list(map(str, back.restore(back.qid))) == list(map(str, data.restore(data.qid)))
    assert (back.item_ids is None) == (data.item_ids is None)
    if data.item_ids is not None and back.item_ids is not None:
        assert back.restore(back.item_ids).tolist() == data.restore(data.item_ids).tolist()


def test_lines_look_as_in_letor(tmp_path: Path) -> None:
    data = RankingDataset(
        [[1.0, 0.0, 0.25], [nan, -2.0, 1e-7]], [1, nan], qid=["b", "a-1"], item_ids=["GX-1", "two words"]
    )
    assert written(data, tmp_path) == (
        b"1 qid:b 1:1 2:0 3:0.25 #docid = GX-1\n-1 qid:a-1 1:NULL 2:-2 3:1e-07 # two words\n"
    )


def test_unlabelled_is_nan_beside_negative_labels(tmp_path: Path) -> None:
    data = RankingDataset([[1.0]] * 3, [-2.5, nan, 3])
    assert [line.split()[0] for line in written(data, tmp_path).splitlines()] == [b"-2.5", b"nan", b"3"]


def test_a_label_of_minus_one_is_written_with_a_warning(tmp_path: Path) -> None:
    data = RankingDataset([[1.0]] * 3, [-1, nan, 1])
    with pytest.warns(DataWarning, match="unlabelled=None"):
        written(data, tmp_path)
    np.testing.assert_array_equal(read_letor(tmp_path / "data.txt", unlabelled=None).y, data.y)


def test_mostly_empty_features_are_written_without_zeros_and_keep_the_width(tmp_path: Path) -> None:
    X = np.zeros((3, 20))
    X[1, 4] = 2
    for matrix in (X, csr_array(X)):
        assert written(RankingDataset(matrix, [0, 1, 0]), tmp_path) == b"0 qid:0 20:0\n1 qid:0 5:2\n0 qid:0\n"


def test_single_precision_is_written_exactly(tmp_path: Path) -> None:
    data = RankingDataset(np.array([[0.1]], dtype=np.float32), [1])
    written(data, tmp_path)
    assert read_letor(tmp_path / "data.txt").X[0, 0] == np.float32(0.1)


def test_decimals_round_the_features(tmp_path: Path) -> None:
    X = np.array([[0.123456, -0.0001, 2 / 3, 1e30, nan, 123456789012345.678]])
    for matrix in (X, X.astype(np.float32), csr_array(X)):
        text = written(RankingDataset(matrix, [0.12345]), tmp_path, decimals=2)
        assert text.startswith(b"0.12345 qid:0 1:0.12 2:0 3:0.67 4:1")
        assert b"5:NULL" in text
        assert written(read_letor(tmp_path / "data.txt"), tmp_path) == text
    with pytest.raises(ValueError, match="decimals must be"):
        written(RankingDataset(X, [1]), tmp_path, decimals=-1)


@pytest.mark.parametrize(
    "item_id", ["a\nb", "a\rb", " a", "a ", "a\t", "docid = 5 6", "DOCID=\t7 8", "\ud800"]
)
def test_an_id_that_could_not_be_read_back_is_refused(tmp_path: Path, item_id: str) -> None:
    data = RankingDataset([[1.0]] * 2, [1, 2], item_ids=np.array(["fine", item_id], dtype=object))
    with pytest.raises(ValueError, match=re.escape(repr(item_id))):
        written(data, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("qid", ["a b", "a\nb", "a#b", "", "\ud800"])
def test_a_qid_that_could_not_be_read_back_is_refused(tmp_path: Path, qid: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(qid))):
        written(RankingDataset([[1.0]] * 2, [1, 2], qid=np.array(["fine", qid], dtype=object)), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_two_lists_that_would_become_one_are_refused(tmp_path: Path) -> None:
    data = RankingDataset([[1.0]] * 2, [1, 2], qid=np.array([1, "1"], dtype=object))
    with pytest.raises(ValueError, match="'1'"):
        written(data, tmp_path)


@pytest.mark.parametrize("density", [0.05, 0.9])
def test_large_data_is_written_in_parts(tmp_path: Path, density: float) -> None:
    rng = np.random.default_rng(0)
    X = np.where(rng.random((3000, 120)) < density, rng.standard_normal((3000, 120)), 0)
    data = RankingDataset(
        X, rng.integers(0, 3, 3000), rng.integers(0, 40, 3000), [f"d{i}" for i in range(3000)]
    )
    written(data, tmp_path)
    back = read_letor(tmp_path / "data.txt")
    np.testing.assert_array_equal(back.restore(plain(back.X)), X)
    assert back.restore(back.item_ids).tolist() == [f"d{i}" for i in range(3000)]


# Real data ------------------------------------------------------------------------------------------------


def counts(data: RankingDataset) -> tuple[int, int, int, list[int]]:
    return data.n_items, data.n_lists, data.n_features, np.bincount(data.y.astype(int)).tolist()


def test_ohsumed_has_its_published_counts(real_data: Path) -> None:
    data = read_letor([real_data / "ohsumed-letor" / "QueryLevelNorm" / name for name in LETOR_FOLDS])
    assert counts(data) == (16140, 106, 45, [11303, 2585, 2252])


def test_ohsumed_with_missing_values_has_nan(real_data: Path) -> None:
    data = read_letor([real_data / "ohsumed-letor" / "Feature-null" / name for name in LETOR_FOLDS])
    assert counts(data) == (16140, 106, 45, [11303, 2585, 2252])
    assert np.isnan(data.X).any()
    assert not np.isnan(data.fill_missing().X).any()


def test_mq2008_is_what_scikit_learn_reads(real_data: Path, tmp_path: Path) -> None:
    paths = [real_data / "mq2008" / name for name in LETOR_FOLDS]
    data = read_letor(paths)
    assert counts(data) == (15211, 784, 46, [12279, 2001, 931])
    first = read_letor(paths[0])
    assert first.item_ids is not None
    assert first.item_ids[0] == "GX008-86-4444840"
    text = written(first, tmp_path)
    X, y, qid = load_svmlight_file(io.BytesIO(text), query_id=True)
    np.testing.assert_array_equal(first.restore(first.X), X.toarray())
    np.testing.assert_array_equal(first.restore(first.y), y)
    np.testing.assert_array_equal(first.restore(first.qid), qid)


def test_usps_has_one_list_and_equals_scikit_learn(real_data: Path) -> None:
    path = real_data / "usps" / "usps.t.bz2"
    data = read_letor(path)
    X, y = load_svmlight_file(str(path))
    np.testing.assert_array_equal(data.X, X.toarray())
    np.testing.assert_array_equal(data.y, y)
    assert data.n_lists == 1

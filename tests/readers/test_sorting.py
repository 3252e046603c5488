"""Sorting by list: what was mixed can be opened in parts."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.test_parts import joined, write_letor, write_parquet

from semirank import open_parts
from semirank.readers import sort_by_list

pytest.importorskip("duckdb")


def mixed(seed, n_rows=40):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n_rows, 3)).astype(np.float32), rng.integers(0, 3, n_rows).astype(float)
    return X, y, rng.integers(0, 6, n_rows)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 99), vector=st.booleans(), cut=st.integers(1, 39))
def test_parquet_is_sorted_by_list_and_keeps_the_order_within(tmp_path, seed, vector, cut):
    X, y, qid = mixed(seed)
    for name, rows in (("a", slice(0, cut)), ("b", slice(cut, None))):
        write_parquet(tmp_path / f"{name}.parquet", X[rows], y[rows], qid[rows], vector=vector)
    sort_by_list(str(tmp_path / "[ab].parquet"), tmp_path / "sorted.parquet")
    order = np.argsort(qid, kind="stable")
    found = joined(open_parts(tmp_path / "sorted.parquet", part_bytes=12 * 9))
    for each, expected in zip(found, (X, y, qid), strict=False):
        np.testing.assert_array_equal(each, expected[order])
    assert parquet.read_schema(tmp_path / "sorted.parquet").equals(
        parquet.read_schema(tmp_path / "a.parquet")
    )


def test_pages_are_written_with_checksums(tmp_path):
    write_parquet(tmp_path / "a.parquet", *mixed(0, 4000))
    sort_by_list(tmp_path / "a.parquet", tmp_path / "b.parquet")
    content = bytearray((tmp_path / "b.parquet").read_bytes())
    content[len(content) // 2] ^= 0xFF  # inside the values of a page
    (tmp_path / "b.parquet").write_bytes(content)
    parts = open_parts(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet, row group 0: is no Parquet file, or damaged"):
        parts.parts[0].read()


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 99), cut=st.integers(1, 39), header=st.sampled_from(["", "# made by hand\n"]))
def test_letor_lists_stand_where_they_first_appear(tmp_path, seed, cut, header):
    X, y, qid = mixed(seed)
    for name, rows in (("a", slice(0, cut)), ("b", slice(cut, None))):
        write_letor(tmp_path / f"{name}.letor", X[rows], y[rows], qid[rows])
    first = tmp_path / "a.letor"
    first.write_text(header + first.read_text().rstrip("\n"))
    sort_by_list([first, tmp_path / "b.letor"], tmp_path / "sorted.letor")
    seen = list(dict.fromkeys(qid.tolist()))
    order = np.array(sorted(range(40), key=lambda row: (seen.index(qid[row]), row)))
    lines = (header + "".join(f"{line}\n" for line in _lines(tmp_path, order))).splitlines()
    assert (tmp_path / "sorted.letor").read_text().splitlines() == lines
    np.testing.assert_array_equal(joined(open_parts(tmp_path / "sorted.letor"))[2], qid[order])


def _lines(folder, order):
    content = "\n".join((folder / f"{name}.letor").read_text().rstrip("\n") for name in "ab")
    lines = [line for line in content.splitlines() if not line.startswith("#")]
    return [lines[row] for row in order]


def test_what_cannot_be_sorted_is_told_and_nothing_is_left(tmp_path):
    write_parquet(tmp_path / "a.parquet", *mixed(0))
    with pytest.raises(ValueError, match=r"has no column 'list'"):
        sort_by_list(tmp_path / "a.parquet", tmp_path / "out.parquet", qid="list")
    with pytest.raises(ValueError, match="must be of the format of the files"):
        sort_by_list(tmp_path / "a.parquet", tmp_path / "out.letor")
    parquet.write_table(pa.table({"x": [1.0]}), tmp_path / "none.parquet")
    with pytest.raises(ValueError, match=r"Say qid=\.\.\. with its name"):
        sort_by_list(tmp_path / "none.parquet", tmp_path / "out.parquet")
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "bad.parquet").write_bytes(content[:100] + b"\0" * 500 + content[600:])
    with pytest.raises(ValueError, match=r"bad\.parquet: (cannot be sorted|is no Parquet)"):
        sort_by_list(tmp_path / "bad.parquet", tmp_path / "out.parquet")
    (tmp_path / "a.letor.gz").write_bytes(b"")
    with pytest.raises(ValueError, match="Unpack it first"):
        sort_by_list(tmp_path / "a.letor.gz", tmp_path / "out.letor")
    left = {path.name for path in tmp_path.iterdir()}
    assert left == {"a.parquet", "none.parquet", "bad.parquet", "a.letor.gz"}

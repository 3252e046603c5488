"""No line, cell or packed file of any reader takes much more memory than it should."""

import gzip
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from semirank.files import LONGEST_LINE
from semirank.readers import read, read_ranking
from semirank.readers.trec import read_qrels, read_run

STARTS = {
    "table.csv": b"label,f\n1,",
    "table.tsv": b"label\tf\n1\t",
    "quotes.csv": b'label,text\n1,"',
    "labels.qrels": b"q 0 d ",
    "items.letor": b"1 qid:1 1:",
    "scores.run": b"q Q0 d 1 ",
    "scores.csv": b"qid,item,score\nq,d,",
    "scores.tsv": b"qid\titem\tscore\nq\td\t",
}
MEASURES = """
import sys
from semirank.readers import read
try:
    read(sys.argv[1])
except ValueError as error:
    print(error)
status = open("/proc/self/status").read()  # getrusage would count what the parent had before the fork
print(status.partition("VmHWM:")[2].split()[0])
"""


def bomb(path: Path, start: bytes, n_bytes: int) -> Path:
    with gzip.open(path, "wb", compresslevel=1) as stream:
        stream.write(start)
        for _ in range(n_bytes // 2**20):
            stream.write(b"0" * 2**20)
    return path


@pytest.mark.parametrize("name", STARTS)
def test_a_line_without_end_is_refused_by_every_reader(tmp_path: Path, name: str):
    path = bomb(tmp_path / f"{name}.gz", STARTS[name], LONGEST_LINE + 2**21)
    with pytest.raises(ValueError, match=f"{name}.*(more than|larger than)"):
        (read_ranking if name.startswith("scores") else read)(path)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
@pytest.mark.parametrize("name", ["table.csv", "labels.qrels", "items.letor"])
def test_two_gigabytes_in_two_megabytes_take_little_memory(tmp_path: Path, name: str):
    path = bomb(tmp_path / f"{name}.gz", STARTS[name], 2**31)
    done = subprocess.run([sys.executable, "-c", MEASURES, path], capture_output=True, text=True)
    *message, peak = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert name in " ".join(message)
    assert int(peak) < 450_000  # kilobytes; the interpreter and its libraries are 150,000 of them


@pytest.mark.parametrize(
    ("reader", "start"), [(read_qrels, b"q 0 d 1\n"), (read_run, b"q Q0 d 1 0.5 x\n")], ids=["qrels", "run"]
)
def test_a_line_that_is_too_long_is_named(reader, start):
    stream = io.BytesIO(start + b"0" * (LONGEST_LINE + 1))
    with pytest.raises(ValueError, match="<stream>:2: the line has more than"):
        reader(stream)


def test_a_long_line_that_is_not_too_long_is_read(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("label,f,item\n1,2," + "a" * 100_000 + "\n0,1,b\n")
    assert len(read(path).item_ids[0]) == 100_000


def test_a_parquet_file_that_unpacks_to_far_more_than_its_length_is_refused(tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = pyarrow.table({"label": [1.0] * 50_000, "f": [0.0] * 50_000})
    parquet.write_table(table, tmp_path / "a.parquet")
    assert len(read(tmp_path / "a.parquet")) == 50_000
    monkeypatch.setenv("SEMIRANK_MAX_BYTES", "100000")
    with pytest.raises(ValueError, match=r"unpacks to 800000 bytes.*SEMIRANK_MAX_BYTES"):
        read(tmp_path / "a.parquet")


def test_scores_between_commas_are_read_back(tmp_path):
    from semirank import RankingDataset
    from semirank.readers import write_ranking

    names = ["a,b", 'say "x"', "plain", " led", "two\nlines"]
    data = RankingDataset([[0.0]] * 5, [1, 0, 1, 0, 1], qid=["q,1"] * 5, item_ids=names)
    write_ranking(data, [0.1, 0.2, 0.3, 0.4, 0.5], tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_text().startswith('qid,item,score\n"q,1","two\nlines",0.5\n')
    assert read_ranking(tmp_path / "x.csv").for_dataset(data).tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]
    write_ranking(data.take([2]), [0.3], tmp_path / "x.tsv")
    assert (tmp_path / "x.tsv").read_text() == "qid\titem\tscore\nq,1\tplain\t0.3\n"


def archive_of_zeros(path: Path, member: str) -> Path:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open(member, "w") as stream,
    ):
        for _ in range(300):
            stream.write(bytes(2**20))
    return path


@pytest.mark.parametrize(
    ("name", "member"),
    [("book.xlsx", "xl/workbook.xml"), ("review.asreview", "results.db"), ("vectors.npz", "X.npy")],
)
def test_archives_that_unpack_to_far_more_are_refused(tmp_path: Path, name: str, member: str):
    path = archive_of_zeros(tmp_path / name, member)
    with pytest.raises(ValueError, match=rf"{name}: unpacks to more than 268435456 bytes"):
        read(path)

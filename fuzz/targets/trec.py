"""Qrels, runs and tables of scores, beside plain splitting of lines: names, numbers and row counts."""

import csv
import io
import math

from semirank.readers.scores import read_scores
from semirank.readers.trec import read_qrels, read_run

INSTRUMENTED = ("semirank.readers",)
SEEDS = [
    b"Rq1 Q0 d1 1 0.5 tag\nq1 Q0 d2 2 0.25 tag\n",
    b"Qq1 0 a 2\nq1 0 b -1\n\nq2 0 a 1e3\r\n",
    b"Sqid\titem\tscore\n7\ta\t0.9\n7\tb\t-0\n",
    b'Cqid,item,score\n7,"a,b",0.9\n"8",b,1\n',
]
PLACES = {"R": (0, 2, 4, 6), "Q": (0, 2, 3, 4)}


class Named(io.BytesIO):
    """Bytes with the name of a file."""

    def __init__(self, data: bytes, name: str) -> None:
        super().__init__(data)
        self.name = name


def check(data: bytes) -> None:
    """Read bytes after a letter that says how; where that works, compare with plain splitting."""
    kind, rest = data[:1].decode("latin-1"), data[1:]
    readers = {"R": read_run, "S": read_scores, "C": read_scores}
    try:
        if kind == "Q":
            found = read_qrels(io.BytesIO(rest), unlabelled=None)
            rows = list(
                zip(
                    *(found.restore(each).tolist() for each in (found.qid, found.item_ids, found.y)),
                    strict=True,
                )
            )
        elif kind in readers:
            scores = readers[kind](Named(rest, "scores.csv" if kind == "C" else "scores.tsv"))
            rows = list(
                zip(scores.qid.tolist(), scores.item_ids.tolist(), scores.scores.tolist(), strict=True)
            )
        else:
            return
    except ValueError as error:
        assert "scores" in str(error) or "<stream>" in str(error)
        return
    assert rows == plain_rows(kind, rest)
    assert len({row[:2] for row in rows}) == len(rows)
    assert all(math.isfinite(row[2]) for row in rows)


def plain_rows(kind: str, data: bytes) -> list[tuple[str, str, float]]:
    """Split lines and cells as simply as can be."""
    if kind == "C":
        cells = [row for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")) if row][1:]
    else:
        lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
        mark = None if kind in "RQ" else b"\t"
        cells = [
            [cell.decode() for cell in line.rstrip(b"\r\n").split(mark)] for line in lines if line.strip()
        ]
        cells = cells[1:] if kind == "S" else cells
    one, two, three = PLACES[kind][:3] if kind in PLACES else (0, 1, 2)
    return [(row[one], row[two], float(row[three])) for row in cells]

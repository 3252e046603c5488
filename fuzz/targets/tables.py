"""CSV, TSV and semicolons, beside Python's csv and float: labels, numbers and row counts."""

import csv
import io
import math
import warnings

from semirank.readers.table import read_table

INSTRUMENTED = ("semirank.readers", "semirank.features.columns", "semirank.features.cells")
SEEDS = [
    b"label,qid,f1,f2\n1,a,0.5,2\n0,a,,-1e-3\n,b,7,NA\n",
    b'relevance\tid\ttitle\n1\tx\t"heart, ""attack"""\n0\ty\tengine\n',
    b"y;color;when\n1;red;2020-01-31\n0;blue;2021-02-28\n\n1;red;\n",
    'included,text\n1,über größe\n0,"two\nlines"\n'.encode(),
]
GAPS = ("", "na", "nan", "null", "none")


def check(data: bytes) -> None:
    """Read bytes, and where that works compare the labels with the cells that csv finds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            options = {"label": "label", "text_features": False, "unlabelled": None, "encoding": "utf-8"}
            found = read_table(io.BytesIO(data), **options)
        except ValueError as error:
            assert str(error).startswith(("<stream>", "encoding"))
            return
    text = data.decode("utf-8-sig")
    header = text.splitlines()[0] if text else ""
    delimiter = next((mark for mark in ",\t;" if mark in _bare(header)), ",")
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    cells = [row[rows[0].index("label")] for row in rows[1:]]
    assert len(found) == len(cells)
    for label, cell in zip(found.restore(found.y).tolist(), cells, strict=True):
        word = cell.strip().lower()
        expected = math.nan if word in GAPS else {"true": 1.0, "false": 0.0}.get(word)
        expected = float(cell) if expected is None else expected
        assert label == expected or (math.isnan(label) and math.isnan(expected))


def _bare(header: str) -> str:
    parts = header.split('"')
    return "".join(parts[::2]) if len(parts) % 2 else header

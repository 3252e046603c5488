"""RIS and BibTeX, beside counting of lines, and read again after writing: records and their titles."""

import io
import re
import warnings

from semirank.readers.bibtex import read_bibtex, write_bibtex
from semirank.readers.records import Records, fold_line, spell_cell
from semirank.readers.ris import read_ris, write_ris

INSTRUMENTED = ("semirank.readers", "rispy", "bibtexparser")
SEEDS = [
    b"RTY  - JOUR\nTI  - Heart failure\nAB  - A trial.\nAU  - Smith, J.\nN1  - ASReview_relevant\nER  - \n\n",
    b"RTY  - JOUR\nT1  - One\nZZ  - odd\nER  - \nTY  - BOOK\nID  - 7\nTI  - Two\nER  - \n",
    b'B@article{smith1994,\n title = {Enalapril {v.} captopril},\n year = 1994,\n included = "1"\n}\n',
    b"B@string{j = {Lancet}}\n@misc{a, title = j # { 2}}\n@misc{b, title={\\'etude}}\n",
]
READERS = {"R": (read_ris, write_ris), "B": (read_bibtex, write_bibtex)}
STARTS = {"R": re.compile(r"^\ufeff?TY  -", re.MULTILINE), "B": re.compile(r"@")}


def check(data: bytes) -> None:
    """Read bytes after a letter that says how; where that works, write them and read them again."""
    kind = data[:1].decode("latin-1")
    if kind not in READERS:
        return
    read, write = READERS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            columns = read(io.BytesIO(data[1:]), "utf-8")
        except ValueError as error:
            assert str(error).startswith("<stream>"), error
            return
        lengths = {len(cells) for cells in columns.values()}
        assert len(lengths) == 1
        (n_records,) = lengths
        text = "\n".join(data[1:].decode().splitlines())
        assert 0 < n_records <= len(STARTS[kind].findall(text))
        written = io.BytesIO()
        write(written, Records("<stream>", columns, range(1, n_records + 1)))
        again = read(io.BytesIO(written.getvalue()), "utf-8")
    assert len(again["title"]) == n_records, "writing has changed how many records there are"
    if kind == "R":
        assert [_plain(cell) for cell in again["title"]] == [_plain(cell) for cell in columns["title"]]


def _plain(cell: object) -> str:
    return fold_line(spell_cell(cell)).strip()

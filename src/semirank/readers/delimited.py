"""CSV and its kin: rows of cells, read in chunks, each row with the line it starts on."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import BinaryIO, TextIO

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.files import Source, name_of, open_input
from semirank.readers.cells import check_filled, leave_out, parse_cells, parse_numbers
from semirank.readers.encodings import choose_encoding
from semirank.readers.lines import lines_of
from semirank.spelling import option

CHUNK = 500  # so few that the rows are gone before the garbage collector looks at them
_UNDECODED = re.compile("[\udc80-\udcff]")  # how "surrogateescape" marks bytes that are no text
_QUOTED = re.compile(r'"[^"]*"')


class DelimitedFile:
    """A stream of delimited text: the names of its columns, then its rows in chunks.

    Cells may be quoted (``"``), and a quoted cell may hold line ends. Blank lines are skipped; a row with
    more or fewer cells than the header, a quote that is not closed and bytes that are no text raise a
    ValueError with the line.
    """

    def __init__(self, text: TextIO, name: str, delimiter: str | None = None) -> None:
        self.name = name
        lines = _checked_lines(text, name)
        first = next(lines, "")
        self._delimiter = _guess_delimiter(first) if delimiter is None else delimiter
        self._reader = csv.reader(chain([first], lines), delimiter=self._delimiter, strict=True)
        self.columns = self._header()

    def chunks(self) -> Iterator["Lines"]:
        """Yield the rows, some thousands at a time."""
        rows = self.rows()
        while chunk := list(islice(rows, CHUNK)):
            numbers, cells = zip(*chunk, strict=True)
            yield Lines(self.name, numbers, dict(zip(self.columns, zip(*cells, strict=True), strict=True)))

    def _header(self) -> list[str]:
        line, columns = next(self._parsed(), (0, []))
        if not columns:
            raise ValueError(f"{self.name}: is empty. A table starts with the names of its columns.")
        if all(map(_is_number, columns)):
            raise ValueError(
                f"{self.name}:{line}: the first row must name the columns, but it holds numbers: "
                f"{', '.join(columns[:3])}."
            )
        return columns

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line that a row starts on, and its cells."""
        width = len(self.columns)
        for line, row in self._parsed():
            if len(row) != width:
                raise ValueError(
                    f"{self.name}:{line}: row has {len(row)} cells, the header {width} (separated by "
                    f"{self._delimiter!r})."
                )
            yield line, row

    def _parsed(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line that a row starts on, and the row."""
        line = self._reader.line_num + 1
        try:
            for row in self._reader:
                if row:
                    yield line, row
                line = self._reader.line_num + 1
        except csv.Error as error:
            raise ValueError(
                f"{self.name}:{line}: {error}. Check the quotes of the row that starts here."
            ) from error


class Lines:
    """Some rows of a delimited file, column by column."""

    def __init__(self, name: str, lines: Sequence[int], cells: dict[str, Sequence[str]]) -> None:
        self._name = name
        self.rows = lines
        self._cells = cells

    def __len__(self) -> int:
        return len(self.rows)

    def numbers(self, column: str, advice: str) -> Floats:
        """Return a column of numbers, NaN where a cell is empty."""
        return parse_numbers(
            self._cells[column], lambda row, fault: self._error(column, row, f"{fault}; {advice}")
        )

    def cells(self, column: str) -> AnyArray:
        """Return a column as numbers or words."""
        return parse_cells(
            self._cells[column], lambda row, fault: self._error(column, row, f"{fault}; {leave_out(column)}")
        )

    def names(self, column: str) -> AnyArray:
        """Return a column of names, none of them empty."""
        check_filled(self._cells[column], lambda row, fault: self._error(column, row, fault))
        return np.array(self._cells[column], dtype=object)

    def texts(self, column: str) -> list[str]:
        """Return a column of texts."""
        return list(self._cells[column])

    def _error(self, column: str, row: int, fault: str) -> ValueError:
        return ValueError(f"{self._name}:{self.rows[row]}: column {column!r}: {fault}.")


@contextmanager
def open_text(stream: BinaryIO, encoding: str = "utf-8") -> Iterator[TextIO]:
    """Decode a stream, line ends as they are; the stream stays open, as it belongs to the caller."""
    if encoding.lower() in ("utf-8", "utf8"):
        encoding = "utf-8-sig"
    try:
        text = io.TextIOWrapper(stream, encoding, errors="surrogateescape", newline="")
    except LookupError as error:
        raise ValueError(f"{option('encoding')}: {error}.") from error
    try:
        yield text
    finally:
        text.detach()


def read_text(source: Source, encoding: str) -> str:
    """Read a whole text, line ends as they are; bytes that the encoding does not have are an error."""
    with open_input(source) as stream, open_text(stream, choose_encoding(source, encoding)) as text:
        return "".join(_checked_lines(text, name_of(source)))


def _checked_lines(text: TextIO, name: str) -> Iterator[str]:
    number = 0
    try:
        for line in lines_of(text.readline, name):
            number += 1
            if not line.isascii() and _UNDECODED.search(line):
                raise UnicodeError
            yield line
    except UnicodeError as error:
        encoding = text.encoding.removesuffix("-sig")
        raise ValueError(
            f"{name}:{number}: is not {encoding} text. Say {option('encoding', ...)}, for example cp1252."
        ) from error


def _guess_delimiter(header: str) -> str:
    """Take the first of comma, tab and semicolon that the header has outside quotes."""
    bare = _QUOTED.sub("", header)
    return next((mark for mark in ",\t;" if mark in bare), ",")


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def quoted(cells: Iterable[str], delimiter: str) -> list[str]:
    """Put a cell into quotes where it needs them; Python's csv forgets a lone carriage return."""
    special = re.compile(f'["\r\n{re.escape(delimiter)}]')
    return ['"' + cell.replace('"', '""') + '"' if special.search(cell) else cell for cell in cells]

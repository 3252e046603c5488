"""One door for records: the ending of a file's name tells how they are read and written."""

import csv
import io
import os
from typing import Any, BinaryIO

from semirank.files import Source, ending_of, name_of, open_input, open_output
from semirank.readers.asreview import read_asreview
from semirank.readers.bibtex import read_bibtex, write_bibtex
from semirank.readers.delimited import DelimitedFile, open_text
from semirank.readers.encodings import AUTO, choose_encoding
from semirank.readers.frames import as_frame, import_arrow, read_parquet_columns
from semirank.readers.records import Records, spell_cell
from semirank.readers.ris import read_ris, write_ris
from semirank.readers.workbook import read_workbook, write_workbook

ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".ris": "ris",
    ".bib": "bibtex",
    ".bibtex": "bibtex",
    ".asreview": "asreview",
}
"""Formats of records by the ending of a file's name."""


def format_of_records(name: str) -> str | None:
    """Tell the format of records by the ending of a file's name; None if it tells none."""
    return ENDINGS.get(ending_of(name))


def read_records(
    source: Any, *, format: str | None = None, delimiter: str | None = None, encoding: str = AUTO
) -> Records:
    """Read records with all their columns.

    Parameters
    ----------
    source : path, "-", binary file or data frame
        A file may be compressed.
    format : {"csv", "tsv", "parquet", "xlsx", "ris", "bibtex", "asreview"}, optional
        Taken from the ending of the name if not given; "csv" if that is unknown.
    delimiter : str, optional
        Of CSV and TSV; see `read_table`.
    encoding : str
        Of text; "auto" tells UTF-8, UTF-16 and Windows-1252 apart.

    Raises
    ------
    ValueError
        With file and place, where that is not such a file, or a damaged one.
    """
    frame = as_frame(source)
    if frame is not None:
        columns = {name: frame[name].to_list() for name in frame.columns}
        return Records("data frame", columns, range(1, len(frame) + 1))
    name = name_of(source)
    format = format or format_of_records(name) or "csv"
    if format in ("csv", "tsv"):
        return _read_delimited(source, name, delimiter or ("\t" if format == "tsv" else None), encoding)
    if format == "parquet":
        with open_input(source) as stream:
            columns = read_parquet_columns(stream, name)
        return _numbered(name, columns)
    if format == "xlsx":
        return _numbered(name, read_workbook(source))
    if format == "asreview":
        return _numbered(name, read_asreview(source))
    if format in ("ris", "bibtex"):
        return _numbered(name, (read_ris if format == "ris" else read_bibtex)(source, encoding))
    known = ", ".join(dict.fromkeys(ENDINGS.values()))
    raise ValueError(f"There is no format {format!r} of records. Known: {known}.")


def _numbered(name: str, columns: dict[str, list[Any]]) -> Records:
    n_records = len(next(iter(columns.values()), ()))
    return Records(name, columns, range(1, n_records + 1))


def _read_delimited(source: Source, name: str, delimiter: str | None, encoding: str) -> Records:
    encoding = choose_encoding(source, encoding)
    with open_input(source) as stream, open_text(stream, encoding) as text:
        file = DelimitedFile(text, name, delimiter)
        columns: dict[str, list[Any]] = {column: [] for column in file.columns}
        rows: list[int] = []
        for chunk in file.chunks():
            rows += chunk.rows
            for column, cells in columns.items():
                cells += chunk.texts(column)
    return Records(name, columns, rows)


_WRITTEN = "The ending tells the format: .csv .tsv .xlsx .parquet .ris .bib."


def format_to_write(target: str | os.PathLike[str]) -> str:
    """Return the format that the ending of a file's name asks for; refuse an ending that tells none."""
    format = format_of_records(str(target)) or ("csv" if not ending_of(str(target)) else None)
    if format is None:
        raise ValueError(f"{target}: records cannot be written so. {_WRITTEN}")
    return format


def write_records(records: Records, target: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write records with all their columns in the format that the ending tells; "-" is CSV.

    Parameters
    ----------
    records : Records
        What to write.
    target : path or "-"
        A file appears only when it is complete; a known ending compresses it.
    format : {"csv", "tsv", "parquet", "xlsx", "ris", "bibtex"}, optional
        Taken from the ending of the name if not given; "csv" if it has none.
    """
    format = format or format_to_write(target)
    writers = {"parquet": _write_parquet, "xlsx": write_workbook, "ris": write_ris, "bibtex": write_bibtex}
    if format not in ("csv", "tsv", *writers):
        raise ValueError(f"{target}: records cannot be written as {format}. {_WRITTEN}")
    with open_output(target) as stream:
        if format in writers:
            writers[format](stream, records)
        else:
            _write_delimited(stream, records, "\t" if format == "tsv" else ",")


def _write_delimited(stream: BinaryIO, records: Records, delimiter: str) -> None:
    text = io.TextIOWrapper(stream, "utf-8", newline="")
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(records.columns)
    for cells in zip(*records.columns.values(), strict=True):
        writer.writerow(map(spell_cell, cells))
    text.flush()
    text.detach()


def _write_parquet(stream: BinaryIO, records: Records) -> None:
    pyarrow, parquet = import_arrow(records.name)
    columns = {name: _one_type(cells) for name, cells in records.columns.items()}
    parquet.write_table(pyarrow.table(columns), stream)


def _one_type(cells: list[Any]) -> list[Any]:
    """Return cells that Arrow takes for a column: as they are if of one type, otherwise as text."""
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) <= 1 or kinds <= {int, float}:
        return cells
    return [None if cell is None else spell_cell(cell) for cell in cells]

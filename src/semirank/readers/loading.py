"""From a table of any format to what its columns hold, part by part."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray
from semirank.features.table import join_texts
from semirank.files import ending_of, name_of, open_input
from semirank.readers.cells import Chunk, is_number, join_cells
from semirank.readers.delimited import DelimitedFile, open_text
from semirank.readers.encodings import AUTO, choose_encoding
from semirank.readers.frames import Rows, as_frame, read_parquet
from semirank.readers.record_files import ENDINGS, read_records
from semirank.readers.ris import decision_in
from semirank.readers.roles import DECISIONS_OF_RAYYAN, Roles, find_roles
from semirank.spelling import option

DELIMITERS = {"csv": None, "tsv": "\t"} | dict.fromkeys(("parquet", "xlsx", "ris", "bibtex", "asreview"))


class TableContent(NamedTuple):
    """What a table holds, by role; None for what it does not have."""

    columns: dict[str, AnyArray]
    labels: AnyArray
    qid: AnyArray | None
    item_ids: AnyArray | None
    texts: AnyArray | None


def load_cells(
    source: Any, *, format: str | None, delimiter: str | None, encoding: str, **options: Any
) -> tuple[str, Roles, TableContent]:
    """Read a table: its name for messages, the roles of its columns, and what the columns hold.

    The options are those of `find_roles`.
    """
    frame = as_frame(source)
    if frame is not None:
        name = "data frame"
        roles = _choose(name, options, frame.columns)
        return name, roles, _collect(name, [Rows(frame, name, len(frame))], roles)
    if not isinstance(source, (str, os.PathLike)) and not hasattr(source, "read"):
        raise ValueError(f"A table is a path, a binary file or a data frame; got {type(source).__name__}.")
    name = name_of(source)
    format = check_layout(format or format_of_table(name), delimiter)
    if format in ("xlsx", "ris", "bibtex", "asreview"):
        records = read_records(source, format=format, encoding=encoding)
        roles = _choose(name, options, list(records.columns))
        if format != "xlsx":  # nobody means the year or the pages of a reference as a feature
            roles = replace(roles, beside_text=())
        return name, roles, _collect(name, [records.lines()], roles)
    encoding = choose_encoding(source, encoding) if format != "parquet" else encoding
    with open_input(source) as stream:
        if format == "parquet":
            roles, rows = read_parquet(stream, name, partial(_choose, name, options))
            return name, roles, _collect(name, [rows], roles)
        with open_text(stream, encoding) as lines:
            file = DelimitedFile(lines, name, delimiter or DELIMITERS[format])
            roles = _choose(name, options, file.columns)
            return name, roles, _collect(name, file.chunks(), roles)


def load_roles(
    source: Any, *, format: str, delimiter: str | None = None, encoding: str = AUTO, **options: Any
) -> tuple[Sequence[str], Roles]:
    """Tell which columns a table has, and which part each plays; of delimited text the header is enough."""
    name = name_of(source)
    if format not in ("csv", "tsv"):
        columns: Sequence[str] = list(read_records(source, format=format, encoding=encoding).columns)
        return columns, _choose(name, options, columns)
    with open_input(source) as stream, open_text(stream, choose_encoding(source, encoding)) as lines:
        columns = DelimitedFile(lines, name, delimiter or DELIMITERS[format]).columns
    return columns, _choose(name, options, columns)


def format_of_table(name: str) -> str:
    """Tell the format of a table by the ending of its name, csv if that is unknown."""
    return ENDINGS.get(ending_of(name), "csv")


def check_layout(format: str, delimiter: str | None) -> str:
    """Return the format; refuse one that is unknown, and delimiters that cannot be."""
    if format not in DELIMITERS:
        raise ValueError(f"{option('format')} must be one of {', '.join(DELIMITERS)}; got {format!r}.")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise ValueError(f"delimiter must be one character, no quote and no line end; got {delimiter!r}.")
    return format


def _choose(name: str, options: dict[str, Any], columns: Sequence[str]) -> Roles:
    try:
        return find_roles(columns, **options)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error


def _collect(name: str, chunks: Iterable[Chunk], roles: Roles) -> TableContent:
    parts = [_read_chunk(chunk, roles) for chunk in chunks if len(chunk)]
    if not parts:
        raise ValueError(f"{name}: has columns, but no rows.")
    columns = {column: join_cells([part.columns[column] for part in parts]) for column in roles.features}
    labels = join_cells([part.labels for part in parts])
    rest: Any = zip(*((part.qid, part.item_ids, part.texts) for part in parts), strict=True)
    return TableContent(
        columns, labels, *(None if part[0] is None else np.concatenate(part) for part in rest)
    )


def _read_chunk(chunk: Chunk, roles: Roles) -> TableContent:
    return TableContent(
        {column: chunk.cells(column) for column in roles.features},
        np.full(len(chunk), np.nan) if roles.label is None else _labels(chunk, roles.label),
        None if roles.qid is None else chunk.names(roles.qid),
        None if roles.item is None else chunk.names(roles.item),
        join_texts([chunk.texts(column) for column in roles.text]) if roles.text else None,
    )


def _labels(chunk: Chunk, column: str) -> AnyArray:
    """Return labels as numbers, or as words where none of them is a number."""
    cells = chunk.cells(column)
    if column.strip().lower() == DECISIONS_OF_RAYYAN:
        decided = [decision_in(note) for note in chunk.texts(column)]
        return np.array([np.nan if each is None else each for each in decided], dtype=np.float64)
    words = cells.dtype.kind == "O" and not any(is_number(cell) for cell in cells if cell is not None)
    advice = "a label is a number, and an empty cell where there is none"
    return cells if words else chunk.numbers(column, advice)

"""Excel workbooks: the first sheet with something in it is a table."""

import io
import warnings
from collections.abc import Iterator
from typing import Any, BinaryIO

from semirank.dataset import DataWarning
from semirank.files import Source, name_of, open_archive, open_input
from semirank.readers.records import Records, spell_cell

LONGEST_CELL = 32_767  # characters, Excel's own limit


def read_workbook(source: Source) -> dict[str, list[Any]]:
    """Read the columns of the first sheet that is not empty; its first row names them."""
    name = name_of(source)
    openpyxl = import_openpyxl(name)
    with open_input(source) as stream:
        content = io.BytesIO(stream.read())
    open_archive(content, name, "Excel workbook (.xlsx)")
    try:
        book = openpyxl.load_workbook(content, read_only=True, data_only=True)
        rows = next((found for sheet in book.worksheets if (found := list(_rows(sheet)))), [])
    except Exception as error:  # zip, XML and openpyxl's own
        raise ValueError(f"{name}: is no Excel workbook (.xlsx), or damaged ({error}).") from error
    if not rows:
        raise ValueError(f"{name}: is empty. The first row of a sheet names its columns.")
    header = [spell_cell(cell).strip() for cell in rows[0]]
    while header and not header[-1]:
        header.pop()
    for number, column in enumerate(header, start=1):
        if not column:
            raise ValueError(f"{name}: column {number} has no name in the first row.")
    width = len(header)
    for number, row in enumerate(rows[1:], start=2):
        if any(cell is not None for cell in row[width:]):
            raise ValueError(f"{name}: row {number} has more cells than the first row names.")
    cells = ([*row[:width], *[None] * (width - len(row))] for row in rows[1:])
    columns = [list(column) for column in zip(*cells, strict=True)] or [[] for _ in header]
    if len(set(header)) < width:
        twice = next(column for column in header if header.count(column) > 1)
        raise ValueError(f"{name}: the column {twice!r} is there twice. Rename one of them.")
    return dict(zip(header, columns, strict=True))


def _rows(sheet: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a sheet that are not blank."""
    return (row for row in sheet.iter_rows(values_only=True) if any(cell is not None for cell in row))


def write_workbook(stream: BinaryIO, records: Records) -> None:
    """Write records as the one sheet of a workbook; text stays text, also where it looks like a formula."""
    openpyxl = import_openpyxl(records.name)
    from openpyxl.cell import WriteOnlyCell

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("semirank")
    sheet.freeze_panes = "A2"

    def text_cell(text: str) -> Any:
        clean = openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("", text)
        cell = WriteOnlyCell(sheet, clean[:LONGEST_CELL])
        cell.data_type = "s"
        return cell

    cut = 0
    sheet.append([text_cell(column) for column in records.columns])
    for cells in zip(*records.columns.values(), strict=True):
        row = [cell if _is_plain(cell) else spell_cell(cell) for cell in cells]
        cut += sum(isinstance(cell, str) and len(cell) > LONGEST_CELL for cell in row)
        sheet.append([text_cell(cell) if isinstance(cell, str) else cell for cell in row])
    if cut:
        warnings.warn(
            f"{cut} cells were cut to the {LONGEST_CELL:,} characters that Excel allows; CSV keeps all.",
            DataWarning,
            stacklevel=3,
        )
    book.save(stream)


def _is_plain(cell: Any) -> bool:
    """Tell whether a cell is a number that a workbook takes as it is."""
    return isinstance(cell, (bool, int, float)) and cell == cell and abs(cell) < 1e15


def import_openpyxl(name: str) -> Any:
    """Return openpyxl, or say how to install it."""
    try:
        import openpyxl
    except ImportError as error:
        raise ValueError(f"{name}: Excel needs openpyxl. Install it: pip install 'semirank[refs]'") from error
    return openpyxl

"""Records as they were read: every column of every item, for lists that people read and fill in."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from semirank.core.arrays import Integers
from semirank.readers.delimited import Lines


@dataclass(frozen=True, eq=False)
class Records:
    r"""Items with all their columns, in the order of the file.

    Attributes
    ----------
    name : str
        Where they come from, for messages.
    columns : dict of str to list
        The cells of each column as the format has them: text, numbers, dates, lists of names; None or ""
        where there is nothing.
    rows : sequence of int
        The line (CSV, TSV), row or number of each record in its file, from 1.

    Examples
    --------
    >>> import io
    >>> from semirank.readers.record_files import read_records
    >>> records = read_records(io.BytesIO(b"id,title,year\n1,Cats,1999\n2,Dogs,\n"))
    >>> records.columns["title"], records.rows, len(records)
    (['Cats', 'Dogs'], [2, 3], 2)
    >>> records.take([1]).columns
    {'id': ['2'], 'title': ['Dogs'], 'year': ['']}
    """

    name: str
    columns: dict[str, list[Any]]
    rows: Sequence[int]

    def __len__(self) -> int:
        return len(self.rows)

    def take(self, rows: Sequence[int] | Integers) -> "Records":
        """Return some records, by their places in these, in this order."""
        columns = {name: [cells[row] for row in rows] for name, cells in self.columns.items()}
        return replace(self, columns=columns, rows=[self.rows[row] for row in rows])

    def with_columns(self, first: dict[str, list[Any]], last: dict[str, list[Any]]) -> "Records":
        """Return these records with columns before and behind; one of the same name is replaced there."""
        kept = {name: cells for name, cells in self.columns.items() if name not in {**first, **last}}
        return replace(self, columns={**first, **kept, **last})

    def replaced(self, column: str, cells: list[Any]) -> "Records":
        """Return these records with other cells in a column, which may be a new one."""
        return replace(self, columns={**self.columns, column: cells})

    def each(self) -> Iterator[dict[str, Any]]:
        """Yield each record, with the columns that it has something in."""
        for cells in zip(*self.columns.values(), strict=True):
            record = dict(zip(self.columns, cells, strict=True))
            yield {name: cell for name, cell in record.items() if spell_cell(cell) != ""}

    def lines(self) -> Lines:
        """Return the cells as text, as the readers of tables take them."""
        return Lines(
            self.name, self.rows, {name: list(map(spell_cell, c)) for name, c in self.columns.items()}
        )


def spell_cell(cell: Any) -> str:
    """Write a cell as text: whole numbers without a point, dates as ISO has them, names joined by "; ".

    Examples
    --------
    >>> [spell_cell(cell) for cell in (None, 3.0, 0.5, True, ["Smith, J.", "Doe, A."], "as it is")]
    ['', '3', '0.5', 'true', 'Smith, J.; Doe, A.', 'as it is']
    """
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, (bool, np.bool_)):
        return str(bool(cell)).lower()
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2**53:
        return str(int(cell))
    if isinstance(cell, (list, tuple)):
        return "; ".join(map(spell_cell, cell))
    return cell.isoformat() if hasattr(cell, "isoformat") else str(cell)


def columns_of(records: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Return records as columns, None where one has no such field; where some have no id, none has."""
    names = dict.fromkeys(name for record in records for name in record)
    columns = {name: [record.get(name) for record in records] for name in names}
    if "id" in columns and not all(columns["id"]):
        columns = {("record_number" if name == "id" else name): cells for name, cells in columns.items()}
    return columns


def fold_line(text: str) -> str:
    r"""Put a text on one line, single blanks between its words.

    Examples
    --------
    >>> fold_line("A title\nER  - \r\n and more")
    'A title ER - and more'
    """
    return " ".join(text.split())

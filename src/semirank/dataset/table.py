"""A table as it was read: named columns of numbers, dates or words, before anybody made features of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import narwhals as nw
import numpy as np

from semirank.core.arrays import AnyArray

ColumnKind = Literal["number", "category", "date", "text"]


@dataclass(frozen=True, eq=False)
class RawTable:
    """Columns of the same length.

    Attributes
    ----------
    columns : mapping of str to array
        Each float64 (NaN: missing), datetime64 (NaT: missing) or of objects: str, or None where a cell is
        empty.
    kinds : mapping of str to {"number", "category", "date", "text"}
        What a column is, where somebody has said so.

    Examples
    --------
    >>> import pandas as pd
    >>> table = as_table(pd.DataFrame({"age": [31, None], "town": ["Bonn", "Jena"]}))
    >>> table["town"], table["age"], len(table)
    (array(['Bonn', 'Jena'], dtype=object), array([31., nan]), 2)
    >>> table.take([1])["town"]
    array(['Jena'], dtype=object)
    """

    columns: Mapping[str, AnyArray]
    kinds: Mapping[str, ColumnKind] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def __getitem__(self, name: str) -> AnyArray:
        return self.columns[name]

    def take(self, rows: Any) -> "RawTable":
        """Return some rows, by number or by a mask."""
        return RawTable({name: column[rows] for name, column in self.columns.items()}, self.kinds)


def as_table(source: Any) -> RawTable | None:
    """Return a data frame of any kind, or a RawTable, as a RawTable; None for anything else."""
    if isinstance(source, RawTable):
        return source
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("The data frame is lazy: collect() it first.")
    if not isinstance(frame, nw.DataFrame):
        return None
    columns = {str(name): frame[name] for name in frame.columns}
    kinds: dict[str, ColumnKind] = {
        name: "category" for name, series in columns.items() if series.dtype in (nw.Categorical, nw.Enum)
    }
    return RawTable({name: as_cells(series) for name, series in columns.items()}, kinds)


def as_cells(series: "nw.Series[Any]") -> AnyArray:
    """Return a column of a data frame as numbers, dates or objects."""
    dtype = series.dtype
    if dtype.is_numeric() or dtype == nw.Boolean:
        return _floats(series)
    if dtype == nw.Date or (dtype == nw.Datetime and getattr(dtype, "time_zone", None) is None):
        return np.array(series.cast(nw.Datetime("us")).to_numpy(), dtype="datetime64[us]")
    cells = np.empty(len(series), dtype=object)
    cells[:] = [
        None if missing else _cell(series.name, value)
        for value, missing in zip(series.to_list(), series.is_null().to_list(), strict=True)
    ]
    return cells


def _floats(series: "nw.Series[Any]") -> AnyArray:
    if series.null_count() == 0:
        return series.to_numpy().astype(np.float64)
    cells = zip(series.to_list(), series.is_null().to_list(), strict=True)  # Arrow casts no large integers
    return np.array([np.nan if missing else value for value, missing in cells], dtype=np.float64)


def _cell(column: str, value: Any) -> str | None:
    if isinstance(value, (list, dict, set, tuple, np.ndarray)):
        raise ValueError(
            f"The column {column!r} holds a {type(value).__name__} in each cell: leave it out, or make "
            "columns of it."
        )
    return None if value != value else str(value)

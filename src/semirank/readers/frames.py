"""Data frames of any kind, and Parquet files, as tables."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import narwhals as nw

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset.table import as_cells
from semirank.features.tfidf import check_texts
from semirank.files import MOST_BYTES, most_bytes
from semirank.readers.cells import check_filled, check_finite, leave_out, parse_cells, parse_numbers
from semirank.readers.roles import Roles


class Rows:
    """The rows of a data frame, column by column."""

    def __init__(self, frame: "nw.DataFrame[Any]", name: str, n_rows: int) -> None:
        self._frame = frame
        self._name = name
        self._n_rows = n_rows

    def __len__(self) -> int:
        return self._n_rows

    def numbers(self, column: str, advice: str) -> Floats:
        """Return a column of numbers, NaN where a cell is empty."""
        series = self._frame[column]

        def complain(row: int, fault: str) -> ValueError:
            return self._error(column, row, f"{fault}; {advice}")

        if series.dtype.is_numeric() or series.dtype == nw.Boolean:
            numbers = as_cells(series)
            return check_finite(numbers, numbers, complain)
        return parse_numbers(_with_none(series), complain)

    def cells(self, column: str) -> AnyArray:
        """Return a column as numbers, dates or words."""
        cells = as_cells(self._frame[column])

        def complain(row: int, fault: str) -> ValueError:
            return self._error(column, row, f"{fault}; {leave_out(column)}")

        if cells.dtype.kind == "O":
            return parse_cells(_with_none(self._frame[column]), complain)
        return cells if cells.dtype.kind == "M" else check_finite(cells, cells, complain)

    def names(self, column: str) -> AnyArray:
        """Return a column of names, none of them empty."""
        series = self._frame[column]
        check_filled(_with_none(series), lambda row, fault: self._error(column, row, fault))
        return series.to_numpy()

    def texts(self, column: str) -> list[str]:
        """Return a column of texts, "" where a cell is empty."""
        try:
            return check_texts(self._frame[column])
        except ValueError as error:
            raise ValueError(f"{self._name}: column {column!r}: {error}") from error

    def _error(self, column: str, row: int, fault: str) -> ValueError:
        return ValueError(f"{self._name}, row {row}: column {column!r}: {fault}.")


def as_frame(source: Any) -> "nw.DataFrame[Any] | None":
    """Return a data frame of any kind as narwhals sees it, with str for column names; None if it is none."""
    frame = nw.from_native(source, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise ValueError("The data frame is lazy: collect() it first.")
    if not isinstance(frame, nw.DataFrame):
        return None
    return frame.rename({name: str(name) for name in frame.columns if not isinstance(name, str)})


def read_parquet(stream: BinaryIO, name: str, choose: Callable[[list[str]], Roles]) -> tuple[Roles, Rows]:
    """Read the columns of a Parquet file that `choose` picks from all its columns."""
    pyarrow, parquet = import_arrow(name)
    content = stream.read()
    with damage_named(name, pyarrow.ArrowException):
        file = parquet.ParquetFile(pyarrow.BufferReader(content))
        columns = list(file.schema_arrow.names)
    _check_size(file.metadata, len(content), name)
    roles = choose(columns)
    with damage_named(name, pyarrow.ArrowException):
        table = file.read(columns=roles.columns)
        table.validate(full=True)
    return roles, Rows(nw.from_native(table, eager_only=True), name, file.metadata.num_rows)


def read_parquet_columns(stream: BinaryIO, name: str) -> dict[str, list[Any]]:
    """Read all columns of a Parquet file, as Python's values."""
    pyarrow, parquet = import_arrow(name)
    with damage_named(name, pyarrow.ArrowException):
        table = parquet.read_table(pyarrow.BufferReader(stream.read()))
        table.validate(full=True)
        return {column: table[column].to_pylist() for column in table.column_names}


def _check_size(metadata: Any, packed: int, name: str) -> None:
    """Refuse a file that would unpack to far more than is usual; a cell takes eight bytes at least."""
    groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
    needed = max(8 * metadata.num_rows * metadata.num_columns, sum(each.total_byte_size for each in groups))
    if needed > most_bytes(packed):
        raise ValueError(
            f"{name}: unpacks to {needed} bytes, far more than is usual for its length. If that is right, "
            f"set {MOST_BYTES} to a larger number."
        )


def import_arrow(name: str) -> tuple[Any, Any]:
    """Return pyarrow and its Parquet module, or say how to install them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise ValueError(
            f"{name}: Parquet needs pyarrow. Install it: pip install 'semirank[arrow]'"
        ) from error
    return pyarrow, parquet


@contextmanager
def damage_named(name: str, arrow_error: type[Exception]) -> Iterator[None]:
    """Name the file in what Arrow says about a damaged one."""
    try:
        yield
    except (arrow_error, OSError, ValueError) as error:
        raise ValueError(f"{name}: is no Parquet file, or damaged ({error}).") from error


def _with_none(series: "nw.Series[Any]") -> list[Any]:
    return [
        None if missing else value
        for value, missing in zip(series.to_list(), series.is_null().to_list(), strict=True)
    ]

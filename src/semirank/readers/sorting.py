"""Data larger than memory, sorted so that the items of a list stand together."""

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from semirank.files import COMPRESSED, ending_of, open_input, open_output
from semirank.readers.frames import damage_named, import_arrow
from semirank.readers.parts import PARQUET, files_of
from semirank.readers.parts_letor import items_of
from semirank.readers.roles import USUAL_NAMES
from semirank.spelling import option

ROWS_A_GROUP = 100_000
MEMORY = "1GB"


def sort_by_list(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    target: str | os.PathLike[str],
    *,
    qid: str | None = None,
    memory: str = MEMORY,
) -> None:
    r"""Write data larger than memory to one file in which the items of a list stand together.

    Within a list, items stay in their order. Parquet is sorted by the column of lists, on disk where that is
    needed (DuckDB, extra ``duckdb``), and written with checksums; of LETOR text, lists stand in the order in
    which they first appear.

    Parameters
    ----------
    source : path, pattern, or sequence of paths
        Parquet or LETOR files, as in `open_parts`.
    target : path
        The file to write, of the same format; whole or absent.
    qid : str, optional
        The column of lists of Parquet. None: the one with a usual name.
    memory : str
        How much DuckDB may take, such as "4GB". What does not fit goes to the folder of the target for a
        while.

    See Also
    --------
    open_parts : asks for lists that stand together.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from semirank.readers import sort_by_list
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mixed, target = pathlib.Path(folder, "mixed.letor"), pathlib.Path(folder, "sorted.letor")
    ...     _ = mixed.write_text("1 qid:7 1:2\n0 qid:8 1:3\n0 qid:7 1:4\n")
    ...     sort_by_list(mixed, target)
    ...     print(target.read_text(), end="")
    1 qid:7 1:2
    0 qid:7 1:4
    0 qid:8 1:3
    """
    paths = files_of(source)
    kinds = {ending_of(path) in PARQUET for path in paths}
    if len(kinds) > 1 or (kinds == {True}) != (ending_of(os.fspath(target)) in PARQUET):
        raise ValueError(f"{target}: must be of the format of the files that are sorted: Parquet, or LETOR.")
    if kinds == {True}:
        _sort_parquet(paths, Path(target), qid, memory)
    else:
        _sort_letor(paths, target)


def _sort_parquet(paths: Sequence[str], target: Path, qid: str | None, memory: str) -> None:
    pyarrow, parquet = import_arrow(paths[0])
    with damage_named(paths[0], pyarrow.ArrowException):
        schema = parquet.read_schema(paths[0])
    column = _list_column(paths[0], schema.names, qid)
    options = {"write_page_checksum": True, "compression": "zstd"}
    with (
        TemporaryDirectory(prefix=".semirank-", dir=target.parent) as folder,
        _connected(folder, memory) as connection,
        open_output(target) as stream,
        parquet.ParquetWriter(stream, schema, **options) as writer,
    ):
        for batch in _sorted_batches(connection, paths, column):
            table = pyarrow.Table.from_batches([batch])
            writer.write_table(table.select(schema.names).cast(schema), row_group_size=ROWS_A_GROUP)


def _list_column(path: str, names: Sequence[str], qid: str | None) -> str:
    usual = [name for name in names if name.strip().lower() in USUAL_NAMES["qid"]]
    if qid is None and len(usual) != 1:
        raise ValueError(f"{path}: which column names the list? Say {option('qid', ...)} with its name.")
    if qid is not None and qid not in names:
        raise ValueError(f"{path}: has no column {qid!r}.")
    return usual[0] if qid is None else qid


def _connected(folder: str, memory: str) -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise ValueError(
            "To sort Parquet needs DuckDB. Install it: pip install 'semirank[duckdb]'"
        ) from error
    return duckdb.connect(config={"memory_limit": memory, "temp_directory": folder})


def _sorted_batches(connection: Any, paths: Sequence[str], column: str) -> Any:
    import duckdb

    name = '"' + column.replace('"', '""') + '"'
    rows = "read_parquet($paths, filename = 'from file', file_row_number = true)"
    order = f"""ORDER BY {name}, "from file", file_row_number"""
    query = f"""SELECT * EXCLUDE ("from file", file_row_number) FROM {rows} {order}"""
    try:
        found = connection.sql(query, params={"paths": list(paths)})
        yield from found.fetch_arrow_reader(ROWS_A_GROUP)
    except duckdb.Error as error:
        raise ValueError(f"{paths[0]}: cannot be sorted ({str(error).splitlines()[0]}).") from error


def _sort_letor(paths: Sequence[str], target: str | os.PathLike[str]) -> None:
    """Copy the lines of each list, wherever they stand; what comes before the first item comes first."""
    packed = next((path for path in paths if Path(path).suffix.lower() in COMPRESSED), None)
    if packed is not None:
        raise ValueError(f"{packed}: is compressed. Unpack it first, to be sorted.")
    runs: dict[bytes | None, list[list[Any]]] = {}  # by list: path, first byte, last byte
    for path in paths:
        run: list[Any] = [path, 0, 0]
        runs.setdefault(b"", []).append(run)
        own: bytes | None = b""
        for line in items_of(path):
            if line.qid != own:
                run[2] = line.start
                own, run = line.qid, [path, line.start, line.start]
                runs.setdefault(own, []).append(run)
        run[2] = os.stat(path).st_size
    with open_output(target) as stream:
        for path, start, stop in (run for of_list in runs.values() for run in of_list):
            _copy(path, start, stop, stream)


def _copy(path: str, start: int, stop: int, target: Any) -> None:
    if stop <= start:
        return
    with open_input(path) as source:
        source.seek(start)
        left = stop - start
        last = b""
        while left and (block := source.read(min(left, 1 << 20))):
            target.write(block)
            left, last = left - len(block), block
        if not last.endswith(b"\n"):
            target.write(b"\n")

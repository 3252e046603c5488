"""Parquet files in parts: only lists and labels are read to find where parts begin."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset
from semirank.dataset.parts import Part, Parts
from semirank.readers.frames import damage_named, import_arrow
from semirank.readers.parts import Lists, find_mark
from semirank.readers.roles import find_roles
from semirank.spelling import option

FLOAT_BYTES = 4


class Group(NamedTuple):
    """A row group, and the row number of its first row over all files."""

    path: str
    number: int
    first: int
    n_rows: int

    @property
    def name(self) -> str:
        """File and row group, for messages."""
        return f"{self.path}, row group {self.number}"


class Piece(NamedTuple):
    """Some rows of a row group."""

    path: str
    group: int
    start: int
    stop: int


@dataclass(frozen=True)
class Columns:
    """Which columns are read, the same in every file; `vector` is one that holds all features of an item."""

    label: str | None
    qid: str | None
    item: str | None
    features: tuple[str, ...]
    vector: str | None
    n_features: int
    text: tuple[str, ...] = ()

    @property
    def all(self) -> list[str]:
        """Every column."""
        names = (self.label, self.qid, self.item, *self.features, self.vector, *self.text)
        return [name for name in names if name is not None]


def parquet_parts(
    paths: Sequence[str],
    options: Mapping[str, Any],
    unlabelled: float | Literal["auto"] | None,
    part_bytes: int,
) -> Parts:
    """Open Parquet files in parts; see `semirank.open_parts`."""
    columns = find_columns(paths[0], _schema(paths[0]), options)
    rows_a_part = max(1, int(part_bytes // _bytes_of_a_row(paths[0], columns)))
    mark = -1.0 if unlabelled in ("auto", None) else float(unlabelled)
    groups: list[Group] = []
    blocks: list[Lists] = []
    n_negative = 0
    for group, ids, y in _look_at(paths, columns, rows_a_part):
        groups.append(group)
        blocks.append(Lists.of_rows(ids, y, mark, group.first))
        n_negative += int((y < 0).sum())
    if not blocks:
        raise ValueError(f"{paths[0]}: has columns, but no rows.")
    lists = Lists.join(blocks)
    _refuse_repeated(lists, groups)
    found = find_mark(unlabelled, int(lists.n_marked.sum()), n_negative)
    parts = tuple(_cut(lists, groups, columns, found, rows_a_part))
    return Parts(
        parts, columns.qid is None, columns.features or None, columns.n_features, texts=bool(columns.text)
    )


def _bytes_of_a_row(path: str, columns: Columns) -> float:
    """Return how long the features of an item are, or its texts on average."""
    if not columns.text:
        return FLOAT_BYTES * columns.n_features
    metadata = open_file(path).metadata
    groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    cells = [group.column(place) for group in groups for place in range(group.num_columns)]
    length = sum(each.total_uncompressed_size for each in cells if each.path_in_schema in columns.text)
    return max(length / max(metadata.num_rows, 1), 1.0)


def find_columns(path: str, schema: Any, options: Mapping[str, Any]) -> Columns:
    """Choose columns by a schema: features are numbers, or one column of vectors."""
    pyarrow, _ = import_arrow(path)
    vectors = [each for each in schema if pyarrow.types.is_fixed_size_list(each.type)]
    plain = [each.name for each in schema if each not in vectors]
    try:
        roles = find_roles(plain, **options)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    if roles.text:
        return Columns(roles.label, roles.qid, roles.item, (), None, 0, roles.text)
    vectors = [each for each in vectors if each.name not in options["drop"]]
    if len(vectors) > 1:
        names = ", ".join(repr(each.name) for each in vectors)
        raise ValueError(
            f"{path}: has several columns of vectors ({names}). Leave all but one out with "
            f"{option('drop', [vectors[-1].name])}."
        )
    features = () if vectors and options["features"] is None else roles.features
    vector = None if features or not vectors else vectors[0].name
    n_features = len(features) if vector is None else vectors[0].type.list_size
    if not n_features:
        raise ValueError(f"{path}: has no columns to rank by: numbers, or one column of vectors.")
    columns = Columns(roles.label, roles.qid, roles.item, features, vector, n_features)
    check_schema(path, schema, columns)
    return columns


def _schema(path: str) -> Any:
    pyarrow, parquet = import_arrow(path)
    with damage_named(path, pyarrow.ArrowException):
        return parquet.read_schema(path)


def check_schema(path: str, schema: Any, columns: Columns) -> None:
    """Refuse a file that lacks a column, or whose features are no numbers."""
    types = import_arrow(path)[0].types
    for name in columns.all:
        if name not in schema.names:
            raise ValueError(f"{path}: has no column {name!r}, which other files have.")
    for name in columns.features:
        kind = schema.field(name).type
        if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
            raise ValueError(
                f"{path}: the column {name!r} holds {kind}, no numbers. Leave it out: "
                f"{option('drop', [name])}."
            )
    if columns.vector is not None:
        kind = schema.field(columns.vector).type
        if not types.is_fixed_size_list(kind) or kind.list_size != columns.n_features:
            raise ValueError(
                f"{path}: the column {columns.vector!r} holds {kind}, not {columns.n_features} numbers."
            )


def _look_at(
    paths: Sequence[str], columns: Columns, rows_a_part: int
) -> Iterator[tuple[Group, AnyArray, Floats]]:
    """Yield each row group with the list and the label of its rows.

    Without lists, rows are cut by their number: as many as a part takes are a "list".
    """
    first = 0
    for path in paths:
        check_schema(path, _schema(path), columns)
        file = open_file(path)
        for number in range(file.num_row_groups):
            n_rows = file.metadata.row_group(number).num_rows
            if n_rows:
                table = read_group(
                    file, path, number, [name for name in (columns.qid, columns.label) if name]
                )
                group = Group(path, number, first, n_rows)
                ids = ids_of(table, columns, group.name, first, rows_a_part)
                yield group, ids, labels_of(table, columns, group.name)
            first += n_rows


def open_file(path: str) -> Any:
    """Open a Parquet file; one that is none is named."""
    pyarrow, parquet = import_arrow(path)
    with damage_named(path, pyarrow.ArrowException):
        return parquet.ParquetFile(path, page_checksum_verification=True)


def read_group(file: Any, path: str, number: int, columns: list[str]) -> Any:
    """Read columns of a row group; damage is told with its place."""
    pyarrow, _ = import_arrow(path)
    with damage_named(f"{path}, row group {number}", pyarrow.ArrowException):
        return file.read_row_group(number, columns=columns)


def ids_of(table: Any, columns: Columns, place: str, first: int, rows_a_part: int) -> AnyArray:
    """Return the list of each row; without lists, rows that a part takes together count as one."""
    if columns.qid is None:
        return np.arange(first, first + table.num_rows) // rows_a_part
    return names_of(table, columns.qid, place)


def names_of(table: Any, column: str, place: str) -> AnyArray:
    """Return names of lists or items, none of them empty."""
    if table[column].null_count:
        raise ValueError(f"{place}: the column {column!r} has empty cells.")
    return table[column].to_numpy()


def labels_of(table: Any, columns: Columns, place: str) -> Floats:
    """Return labels, NaN where there is none."""
    if columns.label is None:
        return np.full(table.num_rows, np.nan)
    pyarrow, _ = import_arrow(place)
    try:
        return table[columns.label].cast(pyarrow.float64()).to_numpy()
    except pyarrow.ArrowException as error:
        raise ValueError(f"{place}: the column {columns.label!r} holds no numbers ({error}).") from error


def _refuse_repeated(lists: Lists, groups: Sequence[Group]) -> None:
    twice = lists.repeated()
    if twice is not None:
        one, other = (groups[_group_at(groups, int(lists.starts[number]))] for number in twice)
        raise ValueError(
            f"List {lists.ids[twice[0]]} stands in {one.name}, and again in {other.name}: sort by "
            "list first (semirank convert --by-list)."
        )


def _group_at(groups: Sequence[Group], row: int) -> int:
    return bisect_right(groups, row, key=lambda group: group.first) - 1


def _cut(
    lists: Lists, groups: Sequence[Group], columns: Columns, mark: float | None, rows_a_part: int
) -> Iterator[Part]:
    n_rows = groups[-1].first + groups[-1].n_rows
    for number, (start, stop, n_labelled) in enumerate(lists.parts(n_rows, rows_a_part, mark)):
        pieces = _pieces(groups, start, stop)
        last = f" to {pieces[-1].path}, row group {pieces[-1].group}" if len(pieces) > 1 else ""
        name = f"{pieces[0].path}, row group {pieces[0].group}{last}"
        yield Part(number, name, stop - start, n_labelled, read_pieces, (pieces, columns, mark))


def _pieces(groups: Sequence[Group], start: int, stop: int) -> tuple[Piece, ...]:
    """Return the rows of a part, row group by row group."""
    among = groups[_group_at(groups, start) : _group_at(groups, stop - 1) + 1]
    return tuple(
        Piece(each.path, each.number, max(start - each.first, 0), min(stop - each.first, each.n_rows))
        for each in among
    )


def read_pieces(pieces: Sequence[Piece], columns: Columns, mark: float | None) -> RankingDataset:
    """Read the items of a part."""
    tables = [
        read_group(open_file(each.path), each.path, each.group, columns.all).slice(
            each.start, each.stop - each.start
        )
        for each in pieces
    ]
    first = pieces[0]
    pyarrow, _ = import_arrow(first.path)
    with damage_named(f"{first.path} and {pieces[-1].path}", pyarrow.ArrowException):
        table = pyarrow.concat_tables(tables, promote_options="permissive")
    return items_of(table, columns, mark, f"{first.path}, from row group {first.group}, row {first.start}")


def items_of(table: Any, columns: Columns, mark: float | None, place: str) -> RankingDataset:
    """Make items of the rows of a table."""
    y = labels_of(table, columns, place)
    y = np.where(y == mark, np.nan, y)
    qid, items = (
        None if name is None else names_of(table, name, place) for name in (columns.qid, columns.item)
    )
    try:
        X = features_of(table, columns)
        return RankingDataset(X, y, qid, items, columns.features or None, texts_of(table, columns))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from error


def texts_of(table: Any, columns: Columns) -> AnyArray | None:
    """Return texts, the columns joined by blank lines; None where items have features."""
    if not columns.text:
        return None
    cells = (table[name].to_pylist() for name in columns.text)
    texts = ["\n\n".join(str(each) for each in row if each) for row in zip(*cells, strict=True)]
    return np.array(texts, dtype=object)


def features_of(table: Any, columns: Columns) -> AnyArray:
    """Return features as numbers; of one column of vectors without a copy, where it is in one piece."""
    if columns.text:
        return np.empty((table.num_rows, 0))
    if columns.vector is not None:
        flat = table[columns.vector].combine_chunks().flatten()
        return flat.to_numpy(zero_copy_only=False).reshape(-1, columns.n_features)
    return np.column_stack([table[name].to_numpy() for name in columns.features])

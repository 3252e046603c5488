"""Dask data frames in parts: only lists and labels are computed to find where parts begin."""

import pickle
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset
from semirank.dataset.parts import Part, Parts
from semirank.readers.frames import import_arrow
from semirank.readers.parts import Lists, find_mark
from semirank.readers.parts_parquet import (
    FLOAT_BYTES,
    Columns,
    find_columns,
    ids_of,
    items_of,
    labels_of,
)

NAME = "Dask data frame"
ROWS_OF_TEXT = 10_000  # that a part has


class Piece(NamedTuple):
    """Some rows of a partition, which is pickled so that any process can compute it."""

    partition: bytes
    number: int
    start: int
    stop: int


def is_dask(source: Any) -> bool:
    """Tell a Dask data frame, without importing Dask for it."""
    return hasattr(source, "npartitions") and hasattr(source, "partitions") and hasattr(source, "dtypes")


def dask_parts(
    frame: Any,
    options: Mapping[str, Any],
    unlabelled: float | Literal["auto"] | None,
    part_bytes: int,
) -> Parts:
    """Open a Dask data frame in parts; see `semirank.open_parts`."""
    pyarrow, _ = import_arrow(NAME)
    schema = pyarrow.Schema.from_pandas(frame._meta, preserve_index=False)
    columns = find_columns(NAME, schema, options)
    rows_a_part = ROWS_OF_TEXT if columns.text else max(1, part_bytes // (FLOAT_BYTES * columns.n_features))
    mark = -1.0 if unlabelled in ("auto", None) else float(unlabelled)
    firsts: list[int] = []
    blocks: list[Lists] = []
    n_rows = n_negative = 0
    for ids, y in _look_at(frame, columns, rows_a_part):
        firsts.append(n_rows)
        if len(y):
            blocks.append(Lists.of_rows(ids, y, mark, n_rows))
        n_rows += len(y)
        n_negative += int((y < 0).sum())
    if not blocks:
        raise ValueError(f"{NAME}: has columns, but no rows.")
    lists = Lists.join(blocks)
    _refuse_repeated(lists, firsts)
    found = find_mark(unlabelled, int(lists.n_marked.sum()), n_negative)
    cut = _Cut(frame[columns.all], [*firsts, n_rows], columns, found)
    parts = tuple(cut.part(n, *each) for n, each in enumerate(lists.parts(n_rows, rows_a_part, found)))
    return Parts(
        parts, columns.qid is None, columns.features or None, columns.n_features, texts=bool(columns.text)
    )


def _look_at(frame: Any, columns: Columns, rows_a_part: int) -> Iterator[tuple[AnyArray, Floats]]:
    """Yield the list and the label of the rows of each partition."""
    names = [name for name in (columns.qid, columns.label) if name] or columns.all[:1]
    first = 0
    for number in range(frame.npartitions):
        table = _computed(frame[names].partitions[number], number)
        place = f"{NAME}, partition {number}"
        yield ids_of(table, columns, place, first, rows_a_part), labels_of(table, columns, place)
        first += table.num_rows


def _computed(partition: Any, number: int, **how: Any) -> Any:
    """Compute a partition as an Arrow table; what goes wrong is told with its number."""
    pyarrow, _ = import_arrow(NAME)
    try:
        return pyarrow.Table.from_pandas(partition.compute(**how), preserve_index=False)
    except Exception as error:  # of whatever the frame is made by
        raise ValueError(f"{NAME}, partition {number}: cannot be computed ({error}).") from error


def _refuse_repeated(lists: Lists, firsts: Sequence[int]) -> None:
    twice = lists.repeated()
    if twice is not None:
        one, other = (bisect_right(firsts, int(lists.starts[number])) - 1 for number in twice)
        raise ValueError(
            f"List {lists.ids[twice[0]]} stands in partition {one}, and again in partition {other}: sort by "
            "list first (set_index or sort_values of Dask)."
        )


class _Cut(NamedTuple):
    """A frame, where its partitions start, and how its rows become items."""

    frame: Any
    bounds: list[int]
    columns: Columns
    mark: float | None

    def part(self, number: int, start: int, stop: int, n_labelled: int) -> Part:
        """Return the part of some rows."""
        first, last = (bisect_right(self.bounds, row) - 1 for row in (start, stop - 1))
        pieces = tuple(
            Piece(
                pickle.dumps(self.frame.partitions[each]),
                each,
                max(start - self.bounds[each], 0),
                min(stop, self.bounds[each + 1]) - self.bounds[each],
            )
            for each in range(first, last + 1)
            if self.bounds[each] < self.bounds[each + 1]
        )
        name = f"{NAME}, partition {first}" + (f" to {last}" if last > first else "")
        return Part(number, name, stop - start, n_labelled, read_pieces, (pieces, self.columns, self.mark))


def read_pieces(pieces: Sequence[Piece], columns: Columns, mark: float | None) -> RankingDataset:
    """Compute the items of a part, in this thread."""
    pyarrow, _ = import_arrow(NAME)
    tables = [
        _computed(pickle.loads(each.partition), each.number, scheduler="synchronous").slice(
            each.start, each.stop - each.start
        )
        for each in pieces
    ]
    table = pyarrow.concat_tables(tables, promote_options="permissive")
    return items_of(table, columns, mark, f"{NAME}, from partition {pieces[0].number}")

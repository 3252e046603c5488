"""LETOR and SVMlight text in parts: every line is looked at once, to find where lists begin."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from semirank.dataset import RankingDataset
from semirank.dataset.parts import Part, Parts
from semirank.files import open_input
from semirank.readers.letor import read_letor
from semirank.readers.lines import lines_of
from semirank.readers.parts import Lists, find_mark

FLOAT_BYTES = 4
SPARSE = 0.25  # the share of named cells below which features are a sparse matrix, as in `read_letor`
_ITEM = re.compile(rb"\s*([^\s#]\S*)(?:\s+qid:(\S+))?")
_LAST = re.compile(rb"(\d+):\S+\s*$")


class Line(NamedTuple):
    """A line that is an item: where it starts, and what parts need to know of it."""

    path: str
    number: int
    start: int
    qid: bytes | None
    label: float
    highest: int
    n_cells: int


class Piece(NamedTuple):
    """Bytes of a file, the first of them on a line."""

    path: str
    line: int
    start: int
    stop: int | None


@dataclass
class Index:
    """What is known after all lines were looked at: lists in the order in which they stand."""

    mark: float
    rows_a_list: int | None = None  # without lists, so many rows stand for one
    ids: list[object] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    places: list[tuple[str, int, int]] = field(default_factory=list)  # path, line and byte of each list
    n_known: list[int] = field(default_factory=list)
    n_marked: list[int] = field(default_factory=list)
    n_items: int = 0
    n_negative: int = 0
    n_cells: int = 0
    highest: int = 0

    def add(self, line: Line) -> None:
        """Take one more line in."""
        name: object = line.qid if self.rows_a_list is None else self.n_items // self.rows_a_list
        if not self.ids or self.ids[-1] != name:
            self.ids.append(name)
            self.starts.append(self.n_items)
            self.places.append((line.path, line.number, line.start))
            self.n_known.append(0)
            self.n_marked.append(0)
        self.n_items += 1
        self.n_known[-1] += line.label == line.label
        self.n_marked[-1] += line.label == self.mark
        self.n_negative += line.label < 0
        self.n_cells += line.n_cells
        self.highest = max(self.highest, line.highest)

    def lists(self) -> Lists:
        """Return the lists as arrays."""
        ids = np.empty(len(self.ids), dtype=object)
        ids[:] = self.ids
        return Lists(ids, np.array(self.starts), np.array(self.n_known), np.array(self.n_marked))


def letor_parts(paths: Sequence[str], unlabelled: float | Literal["auto"] | None, part_bytes: int) -> Parts:
    """Open LETOR files in parts; see `semirank.open_parts`."""
    mark = -1.0 if unlabelled in ("auto", None) else float(unlabelled)
    index = _index(paths, Index(mark))
    if not index.n_items or not index.highest:
        raise ValueError(f"{paths[0]}: holds no item with features.")
    rows_a_part = max(1, part_bytes // (FLOAT_BYTES * index.highest))
    one_list = index.ids == [None]
    if one_list:
        index = _index(paths, Index(mark, rows_a_part))
    lists = index.lists()
    _refuse_repeated(index)
    found = find_mark(unlabelled, int(lists.n_marked.sum()), index.n_negative)
    sparse = index.n_cells < SPARSE * index.n_items * index.highest
    begins = np.flatnonzero(lists.cut(index.n_items, rows_a_part)).tolist()
    known = lists.n_known - (0 if found is None else lists.n_marked)
    parts = []
    for number, (first, behind) in enumerate(pairwise([*begins, len(lists.ids)])):
        pieces = tuple(_pieces(paths, index, first, behind))
        n_items = (index.starts[behind] if behind < len(lists.ids) else index.n_items) - index.starts[first]
        name = f"{pieces[0].path}:{pieces[0].line}"
        arguments = (pieces, found, index.highest, sparse)
        parts.append(Part(number, name, n_items, int(known[first:behind].sum()), read_pieces, arguments))
    return Parts(tuple(parts), one_list, None, index.highest, sparse)


def _index(paths: Sequence[str], index: Index) -> Index:
    for path in paths:
        for line in items_of(path):
            index.add(line)
    return index


def items_of(path: str) -> Iterator[Line]:
    """Look at every line of a file that is an item."""
    start = 0
    with open_input(path) as stream:
        for number, text in enumerate(lines_of(stream.readline, path), start=1):
            found = _ITEM.match(text)
            if found is not None:
                features = text.partition(b"#")[0]
                last = _LAST.search(features)
                highest = int(last.group(1)) if last is not None else 0
                n_cells = features.count(b":") - (found.group(2) is not None)
                yield Line(
                    path,
                    number,
                    start,
                    found.group(2),
                    _label(found.group(1), path, number),
                    highest,
                    n_cells,
                )
            start += len(text)


def _label(word: bytes, path: str, number: int) -> float:
    try:
        return float(word)
    except ValueError:
        raise ValueError(
            f"{path}:{number}: the label {word.decode(errors='replace')!r} is no number."
        ) from None


def _refuse_repeated(index: Index) -> None:
    seen: dict[object, int] = {}
    for number, name in enumerate(index.ids):
        if name in seen:
            one, other = (":".join(map(str, index.places[each][:2])) for each in (seen[name], number))
            told = name.decode(errors="replace") if isinstance(name, bytes) else "without qid"
            raise ValueError(
                f"List {told} stands in {one} and again in {other}: sort by list first "
                "(semirank convert --by-list)."
            )
        seen[name] = number


def _pieces(paths: Sequence[str], index: Index, first: int, behind: int) -> Iterator[Piece]:
    """Yield the bytes from one list to another, file by file."""
    path, line, start = index.places[first]
    end = index.places[behind] if behind < len(index.places) else (paths[-1], 0, None)
    among = paths[paths.index(path) : paths.index(end[0]) + 1]
    for number, each in enumerate(among):
        stop = end[2] if number == len(among) - 1 else None
        if stop != 0:
            yield Piece(each, line if number == 0 else 1, start if number == 0 else 0, stop)


def read_pieces(pieces: Sequence[Piece], mark: float | None, n_features: int, sparse: bool) -> RankingDataset:
    """Read the items of a part."""
    return read_letor(
        [_Bytes(each) for each in pieces], unlabelled=mark, n_features=n_features, sparse=sparse, n_jobs=1
    )


class _Bytes(io.BytesIO):
    """Bytes of a file, under a name that tells where they are from."""

    def __init__(self, piece: Piece) -> None:
        with open_input(piece.path) as stream:
            stream.seek(piece.start)
            super().__init__(stream.read() if piece.stop is None else stream.read(piece.stop - piece.start))
        self.name = piece.path if piece.line == 1 else f"{piece.path} (from line {piece.line})"

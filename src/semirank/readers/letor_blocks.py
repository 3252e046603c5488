"""LETOR text in blocks of whole lines, parsed side by side."""

import re
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import BinaryIO, TypeVar

import numpy as np

from semirank.core import letor as core
from semirank.core.arrays import AnyArray, Bytes, Floats, Integers
from semirank.files import LONGEST_LINE, Source, name_of, open_input

T = TypeVar("T")
R = TypeVar("R")

BLOCK_SIZE = 1 << 21
"""Bytes read at a time."""

_MARK = b"\xef\xbb\xbf"  # some editors start a file with this
_TOKEN = re.compile(rb"[^\s#]*")
_SHOWN = 40  # characters of a bad token
_FAULTS = {
    core.BAD_LABEL: "the label {token} is not a number. Start each line with a number, nan if unlabelled.",
    core.INFINITE_LABEL: "the label {token} is infinite. Write nan if the item is unlabelled.",
    core.BAD_QID: "'qid:' names no list. Write qid:ID without a blank after the colon.",
    core.MIXED_QID: "some lines name a list (qid:ID) and some do not. Give every line a qid, or none.",
    core.BAD_FEATURE: "{token} is not index:value. Put qid:ID right after the label, # before a comment.",
    core.LOW_INDEX: "a feature has index 0, but the first is 1. Pass zero_based=True if yours start at 0.",
    core.HIGH_INDEX: "{token} has an index above {highest}. Is it right, and n_features large enough?",
    core.REPEATED_INDEX: "a feature is named twice in this line. Keep one of the two values.",
    core.BAD_VALUE: "{token} has a value that is not a number. Write NULL where it is missing.",
    core.INFINITE_VALUE: "{token} has an infinite value. Write NULL where it is missing.",
    core.LONE_RETURN: "a carriage return stands inside the line. Convert the line ends to \\n.",
}


@dataclass(frozen=True)
class Block:
    """The items of some neighbouring lines.

    Attributes
    ----------
    labels : float64 array of shape (n_items,)
    stops : int64 array of shape (n_items,)
        Where the entries of each item end.
    columns : int32 array of shape (n_entries,)
        The column of each entry; of the first item alone when all items are `alike`.
    values : float64 array of shape (n_entries,)
    alike : bool
        All items have the same columns in the same order.
    list_starts : int64 array of shape (n_runs,)
        The items whose list is not that of the item before.
    list_names : list of n_runs str, or None when no item names its list
    ids : list of n_items str, or None when no item has a comment
    """

    labels: Floats
    stops: Integers
    columns: AnyArray
    values: Floats
    alike: bool
    list_starts: Integers
    list_names: list[str] | None
    ids: list[str] | None


@dataclass(frozen=True)
class _Parsed:
    block: Block
    n_lines: int
    first_line: int  # of the first item, counted from 1 as in an editor
    fault: tuple[int, str] | None  # the line and what is wrong with it


def read_blocks(sources: Iterable[Source], lowest: int, highest: int, n_threads: int) -> list[Block]:
    """Read files into blocks that hold at least one item each.

    Parameters
    ----------
    sources : iterable of Source
    lowest, highest : int
        The first and the last feature index allowed; `lowest` is column 0.
    n_threads : int
        How many blocks to parse at the same time, if the file has more than one.
    """
    parse = partial(_parse, lowest=lowest, highest=highest)
    blocks: list[Block] = []
    for source in sources:
        name, line, before = name_of(source), 0, len(blocks)
        with (
            open_input(source) as stream,
            closing(map_in_order(parse, _whole_lines(stream, name), n_threads)) as results,
        ):
            for parsed in results:
                _check(parsed, blocks, name, line)
                line += parsed.n_lines
                if len(parsed.block.labels):
                    blocks.append(parsed.block)
        if len(blocks) == before:
            raise ValueError(f"{name}: the file has no items. Is it the right one?")
    return blocks


def _check(parsed: _Parsed, before: list[Block], name: str, line: int) -> None:
    """Raise for the first bad line, also when it is bad only beside the blocks before."""
    fault = parsed.fault
    has_qid = {block.list_names is not None for block in (*before[:1], parsed.block) if len(block.labels)}
    if len(has_qid) == 2:
        fault = parsed.first_line, _FAULTS[core.MIXED_QID]
    if fault:
        raise ValueError(f"{name}:{line + fault[0]}: {fault[1]}")


def _whole_lines(stream: BinaryIO, name: str) -> Iterator[Bytes]:
    """Cut a stream into blocks of whole lines; the last gets a line end if it has none."""
    tail = stream.read(len(_MARK))
    if isinstance(tail, str):
        raise ValueError(
            f"{name}: the stream gives text instead of bytes. Open the file in binary mode, 'rb'."
        )
    tail = tail.removeprefix(_MARK)
    while block := stream.read(max(BLOCK_SIZE, len(tail))):
        text = tail + block
        stop = text.rfind(b"\n") + 1
        if stop:
            yield np.frombuffer(text, np.uint8, stop)
        tail = text[stop:]
        if len(tail) > LONGEST_LINE:
            raise ValueError(f"{name}: a line has more than {LONGEST_LINE} bytes. Is the file LETOR text?")
    if tail:
        yield np.frombuffer(tail + b"\n", np.uint8)


def map_in_order(function: Callable[[T], R], tasks: Iterable[T], n_threads: int) -> Generator[R]:
    """Call a function that releases the interpreter, for several tasks at a time if there are several."""
    tasks = iter(tasks)
    head = list(islice(tasks, 2))
    if len(head) < 2 or n_threads == 1:
        yield from map(function, chain(head, tasks))
        return
    pending: deque[Future[R]] = deque()
    with ThreadPoolExecutor(n_threads) as pool:
        for task in chain(head, tasks):
            pending.append(pool.submit(function, task))
            if len(pending) > n_threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _parse(text: Bytes, lowest: int, highest: int) -> _Parsed:
    n_lines, n_colons = core.count_marks(text)
    labels, values = np.empty(n_lines), np.empty(n_colons)
    spans = np.empty((n_lines, 6), np.int64)
    columns = np.empty(n_colons, np.int32)
    late = np.empty((1 + n_lines + n_colons, 2), np.int64)
    late[0] = 0
    n_items, fault, position = core.parse_lines(text, lowest, highest, labels, spans, columns, values, late)
    spans = spans[:n_items]
    faults = [(position, fault)] if fault != core.FINE else []
    faults += _read_late(text, late[1 : 1 + late[0, 0]], labels, values)
    block, repeated = _block(text, labels[:n_items], spans, columns, values)
    faults += [(int(spans[item, core.START]), core.REPEATED_INDEX) for item in repeated]
    return _Parsed(
        block,
        n_lines,
        first_line=_line(text, spans[0, core.START]) if n_items else 0,
        fault=_explain(text, *min(faults), highest) if faults else None,
    )


def _read_late(text: Bytes, late: Integers, labels: Floats, values: Floats) -> Iterator[tuple[int, int]]:
    """Read the numbers that need more than the core can do; give the positions of infinite ones."""
    for number, position in late.tolist():
        token = _token(text, position)
        value = float(token.rpartition(":")[2])
        if np.isinf(value):
            yield position, core.INFINITE_LABEL if number < 0 else core.INFINITE_VALUE
        if number < 0:
            labels[-1 - number] = value
        else:
            values[number] = value


def _block(
    text: Bytes, labels: Floats, spans: Integers, columns: AnyArray, values: Floats
) -> tuple[Block, list[int]]:
    """Put the parts together; also return the first item with a repeated feature, if there is one."""
    stops = spans[:, core.ENTRIES_STOP].copy()
    n_entries = int(stops[-1]) if len(stops) else 0
    alike, rising = core.compare_features(columns, spans)
    starts = core.list_starts(text, spans)
    block = Block(
        labels=labels,
        stops=stops,
        columns=columns[: stops[0]].copy() if alike and n_entries else columns[:n_entries],
        values=values[:n_entries],
        alike=alike,
        list_starts=starts,
        list_names=_texts(text, spans[starts], core.QID_START, core.QID_STOP),
        ids=_texts(text, spans, core.ID_START, core.ID_STOP),
    )
    return block, [] if rising else _repeated(stops, columns[:n_entries])


def _repeated(stops: Integers, columns: AnyArray) -> list[int]:
    """Find the first item that names a feature twice."""
    items = np.repeat(np.arange(len(stops)), np.diff(stops, prepend=0))
    order = np.lexsort((columns, items))
    same = (np.diff(columns[order]) == 0) & (np.diff(items) == 0)
    return items[1:][same][:1].tolist()


def _texts(text: Bytes, spans: Integers, start: int, stop: int) -> list[str] | None:
    """Decode a piece of text for each item, "" where there is none; None where no item has one."""
    starts, stops = spans[:, start], spans[:, stop]
    if not (starts >= 0).any():
        return None
    out = np.empty(int((stops - starts).sum()) + len(spans), np.uint8)
    core.join_spans(text, starts, stops, out)
    return out.tobytes().decode("utf-8", "backslashreplace").split("\n")[:-1]


def _explain(text: Bytes, position: int, fault: int, highest: int) -> tuple[int, str]:
    """Give the line of a fault and the words for it."""
    token = _token(text, position)
    if len(token) > _SHOWN:
        token = token[:_SHOWN] + "..."
    return _line(text, position), _FAULTS[fault].format(token=repr(token), highest=highest)


def _line(text: Bytes, position: int) -> int:
    return 1 + int(np.count_nonzero(text[:position] == ord("\n")))


def _token(text: Bytes, position: int) -> str:
    token = _TOKEN.match(text.data, position)
    return bytes(token[0]).decode("utf-8", "backslashreplace") if token else ""

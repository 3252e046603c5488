"""LETOR text to numbers, and to spans of the text where names stand."""

import numpy as np

from semirank.core.arrays import AnyArray, Bytes, Floats, Integers
from semirank.core.compiling import compiled
from semirank.core.numbers import (
    NO_NUMBER,
    UNDECIDED,
    Whole,
    byte_at,
    matches,
    read_digits,
    read_number,
)

(
    FINE,
    BAD_LABEL,
    INFINITE_LABEL,
    BAD_QID,
    MIXED_QID,
    BAD_FEATURE,
    LOW_INDEX,
    HIGH_INDEX,
    REPEATED_INDEX,
    BAD_VALUE,
    INFINITE_VALUE,
    LONE_RETURN,
) = range(12)
"""What can be wrong with a line."""

START, ENTRIES_STOP, QID_START, QID_STOP, ID_START, ID_STOP = range(6)
"""The columns of `spans`: where an item, its list and its id stand in the text, and where its entries end."""

_TAB, _NEWLINE, _RETURN, _BLANK, _HASH, _COLON, _EQUALS = b"\t\n\r #:="
_LONGEST_INDEX = 18
_NOTHING: Whole = np.int64(0)


@compiled()
def count_marks(text: Bytes) -> tuple[int, int]:
    """Count the line ends and the colons of a text: no fewer than its items and its entries."""
    lines = colons = 0
    for byte in text:
        lines += byte == _NEWLINE
        colons += byte == _COLON
    return lines, colons


@compiled()
def parse_lines(
    text: Bytes,
    lowest: int,
    highest: int,
    labels: Floats,
    spans: Integers,
    columns: AnyArray,
    values: Floats,
    late: Integers,
) -> tuple[int, int, int]:
    """Parse whole lines, up to the first that is malformed.

    Parameters
    ----------
    text : uint8 (n,), read-only
        Ends in a line end.
    lowest, highest : int64
        The first and the last feature index allowed; `lowest` becomes column 0.
    labels : float64 (n_lines,), out
    spans : int64 (n_lines, 6), out
        Positions in the text, see the names of the columns; a start of -1 means there is none.
    columns : int32 (n_colons,), out
    values : float64 (n_colons,), out
    late : int64 (1 + n_lines + n_colons, 2), out
        Undecided numbers: the entry, or ``-1 - item`` for a label, and the position of the token. Their
        count is in the first row, which must be 0 before.

    Returns
    -------
    n_items : int
    fault, position : int
        What is wrong, and where in the text.
    """
    item = entry = i = _NOTHING
    while i < len(text):
        i = _skip_blanks(text, i)
        is_item = text[i] != _HASH and text[i] != _NEWLINE
        fault = FINE
        if is_item:
            spans[item] = -1
            spans[item, START] = i
            fault, i = _read_head(text, i, item, labels, spans, late)
            if fault == FINE:
                fault, i, entry = _read_features(text, i, lowest, highest, entry, columns, values, late)
            spans[item, ENTRIES_STOP] = entry
        if fault == FINE and text[i] == _HASH:
            fault, i = _read_comment(text, i, spans[item])
        if fault != FINE:
            return item, fault, i
        item += is_item
        i += 1
    return item, FINE, i


@compiled()
def _read_head(
    text: Bytes, i: int, item: int, labels: Floats, spans: Integers, late: Integers
) -> tuple[int, int]:
    """Read the label and the list of an item; return the fault and where the next token starts."""
    value, stop, state = read_number(text, i)
    if state == NO_NUMBER or not _ends_token(text[stop]):
        return BAD_LABEL, i
    if np.isinf(value):
        return INFINITE_LABEL, i
    if state == UNDECIDED:
        _postpone(late, -1 - item, i)
    labels[item] = value
    i = _skip_blanks(text, stop)
    if matches(text, i, b"qid") and text[i + 3] == _COLON:
        stop = i + 4
        while not _ends_token(text[stop]):
            stop += 1
        if stop == i + 4:
            return BAD_QID, i
        spans[item, QID_START], spans[item, QID_STOP] = i + 4, stop
        i = _skip_blanks(text, stop)
    if (spans[item, QID_START] < 0) != (spans[0, QID_START] < 0):
        return MIXED_QID, spans[item, START]
    return FINE, i


@compiled()
def _read_features(
    text: Bytes,
    i: int,
    lowest: int,
    highest: int,
    entry: int,
    columns: AnyArray,
    values: Floats,
    late: Integers,
) -> tuple[int, int, int]:
    """Read ``index:value`` until the line or a comment ends it; return the fault, the place, the entries."""
    while byte_at(text, i) != _NEWLINE and byte_at(text, i) != _HASH:
        index, stop = read_digits(text, i, _NOTHING)
        if stop == i or byte_at(text, stop) != _COLON:
            return BAD_FEATURE, i, entry
        if index > highest or stop - i > _LONGEST_INDEX:
            return HIGH_INDEX, i, entry
        if index < lowest:
            return LOW_INDEX, i, entry
        value, stop, state = read_number(text, stop + 1)
        if state == NO_NUMBER or not _ends_token(byte_at(text, stop)):
            return BAD_VALUE, i, entry
        if np.isinf(value):
            return INFINITE_VALUE, i, entry
        if state == UNDECIDED:
            _postpone(late, entry, i)
        columns[entry] = index - lowest
        values[entry] = value
        entry += 1
        i = _skip_blanks(text, stop)
    return FINE, i, entry


@compiled()
def _read_comment(text: Bytes, i: int, span: Integers) -> tuple[int, int]:
    """Find the id in a comment; return the fault and the end of the line."""
    start = stop = i + 1
    returned = -1
    while text[i] != _NEWLINE:
        if text[i] == _RETURN:
            returned = i
        elif not _is_blank(text[i]):
            if returned >= 0:
                return LONE_RETURN, returned
            stop = i + 1
        i += 1
    start = min(_skip_blanks(text, start), stop)
    if matches(text, start, b"docid"):
        start, stop = _named_id(text, start, stop)
    span[ID_START], span[ID_STOP] = start, stop
    return FINE, i


@compiled()
def _named_id(text: Bytes, start: int, stop: int) -> tuple[int, int]:
    """Find X in ``docid = X ...``; where there is none, the whole comment is the id."""
    place = _skip_blanks(text, start + 5)
    if text[place] != _EQUALS:
        return start, stop
    first = _skip_blanks(text, place + 1)
    last = first
    while last < stop and not _is_blank(text[last]):
        last += 1
    return (first, last) if last > first else (start, stop)


@compiled()
def _postpone(late: Integers, number: int, position: int) -> None:
    late[0, 0] += 1
    late[late[0, 0], 0] = number
    late[late[0, 0], 1] = position


@compiled()
def _is_blank(byte: int) -> bool:
    return byte == _BLANK or (_TAB <= byte <= _RETURN and byte != _NEWLINE)


@compiled()
def _ends_token(byte: int) -> bool:
    return byte in (_BLANK, _HASH) or _TAB <= byte <= _RETURN


@compiled()
def _skip_blanks(text: Bytes, i: int) -> int:
    while _is_blank(byte_at(text, i)):
        i += 1
    return i


@compiled()
def compare_features(columns: AnyArray, spans: Integers) -> tuple[bool, bool]:
    """Tell whether all items name the same features in the same order, and whether that order rises."""
    alike = rising = True
    start = 0
    for item in range(len(spans)):
        stop = spans[item, ENTRIES_STOP]
        alike &= stop - start == spans[0, ENTRIES_STOP]
        for entry in range(start, stop):
            alike &= alike and columns[entry] == columns[entry - start]
            rising &= entry == start or columns[entry] > columns[entry - 1]
        start = stop
    return alike, rising


@compiled()
def list_starts(text: Bytes, spans: Integers) -> Integers:
    """Give the items whose list differs from that of the item before."""
    starts = np.empty(len(spans), np.int64)
    n_runs = 0
    for item in range(len(spans)):
        if item == 0 or not _same_list(text, spans[item - 1], spans[item]):
            starts[n_runs] = item
            n_runs += 1
    return starts[:n_runs].copy()


@compiled()
def _same_list(text: Bytes, one: Integers, other: Integers) -> bool:
    length = one[QID_STOP] - one[QID_START]
    if other[QID_STOP] - other[QID_START] != length:
        return False
    k = 0
    while k < length and text[one[QID_START] + k] == text[other[QID_START] + k]:
        k += 1
    return k == length


@compiled()
def join_spans(text: Bytes, starts: Integers, stops: Integers, out: Bytes) -> None:
    """Copy pieces of the text one after the other, with a line end after each."""
    at = 0
    for piece in range(len(starts)):
        for i in range(starts[piece], stops[piece]):
            out[at] = text[i]
            at += 1
        out[at] = _NEWLINE
        at += 1

"""Numbers to lines of LETOR text."""

import numpy as np
from numba import njit

from semirank.core.arrays import AnyArray, Bytes, Floats, Integers
from semirank.core.decimals import Whole
from semirank.core.numbers import write_integer, write_number

_NEWLINE, _BLANK, _COLON = b"\n :"
_NOTHING: Whole = np.int64(0)


@njit(cache=True, nogil=True)
def format_lines(
    labels: Floats,
    qids: Bytes,
    qid_starts: Integers,
    stops: Integers,
    columns: AnyArray,
    values: Floats,
    ends: Bytes,
    out: Bytes,
) -> int:
    """Write one line for each item; return the length.

    Parameters
    ----------
    labels : float64 (n_items,)
    qids : uint8, read-only
        The texts between label and features, each with a line end after it.
    qid_starts : int64 (n_items,)
        Where the text of each item starts in `qids`.
    stops : int64 (n_items,)
        Where the entries of each item end.
    columns : int32 (n_entries,), or of the first item alone when all are alike
    values : float64 (n_entries,)
    ends : uint8, read-only
        The text after the features of each item, with its line end.
    out : uint8, out
    """
    at = end = start = _NOTHING
    alike = len(columns) < len(values)
    for item in range(len(labels)):
        at = _write_value(labels[item], b"nan", out, at)
        at, _ = _copy_line(qids, qid_starts[item], out, at)
        for entry in range(start, stops[item]):
            out[at] = _BLANK
            at = write_integer(np.uint64(columns[entry - start if alike else entry] + 1), out, at + 1)
            out[at] = _COLON
            at = _write_value(values[entry], b"NULL", out, at + 1)
        start = stops[item]
        at, end = _copy_line(ends, end, out, at)
        out[at] = _NEWLINE
        at += 1
    return at


@njit(cache=True, nogil=True, inline="always")
def _write_value(value: float, missing: bytes, out: Bytes, at: int) -> int:
    """Write a number, or a word instead of NaN; return where it ends."""
    if not np.isnan(value):
        return write_number(value, out, at)
    for k in range(len(missing)):
        out[at + k] = missing[k]
    return at + len(missing)


@njit(cache=True, nogil=True)
def _copy_line(text: Bytes, i: int, out: Bytes, at: int) -> tuple[int, int]:
    """Copy up to a line end; return where the copy ends and where the next line starts."""
    while text[i] != _NEWLINE:
        out[at] = text[i]
        at += 1
        i += 1
    return at, i + 1

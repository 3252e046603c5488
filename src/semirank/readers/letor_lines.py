"""Datasets as lines of LETOR text."""

import re
import warnings
from collections.abc import Generator, Iterable, Iterator

import numpy as np
from scipy.sparse import csr_array, issparse

from semirank.core.arrays import AnyArray, Bytes, Floats, Integers
from semirank.core.letor_lines import format_lines
from semirank.core.numbers import LONGEST_NUMBER
from semirank.dataset import DataWarning, Features, RankingDataset
from semirank.readers.letor_blocks import map_in_order

DENSE_FROM = 0.25
"""The share of entries from which a matrix is read as dense, and written with its zeros."""

_BLOCK_ENTRIES = 1 << 17
_LONGEST_ENTRY = LONGEST_NUMBER + len(" 2147483646:")
_BAD_QID = re.compile(r"[ \t-\r#\ud800-\udfff]|\A\Z")
_PLAIN_ID = re.compile(r"[^ \t-\r\ud800-\udfff]+")
_BAD_ID = re.compile(r"[\n\r\ud800-\udfff]|\A[ \t-\r]|[ \t-\r]\Z")
_NAMED_ID = re.compile(r"docid[ \t-\r]*=[ \t-\r]*[^ \t-\r]", re.IGNORECASE)


def format_items(data: RankingDataset, decimals: int | None, n_threads: int) -> Generator[Bytes]:
    """Check that the data can be written, then give the text block by block, in the caller's order."""
    rows = data.restore(np.arange(data.n_items))
    labels = _label_numbers(data.y)[rows]
    qids, starts = _join(_qid_texts(data.list_ids.tolist()))
    qid_starts, qid_sizes = starts[:-1][data.list_of_item[rows]], np.diff(starts)[data.list_of_item[rows]]
    ends, end_starts = _join(_comments(data, rows))
    X = _rounded(data.X, decimals)
    full = np.count_nonzero(X.data if issparse(X) else X) >= DENSE_FROM * X.shape[0] * X.shape[1]
    if not full:
        X = _nonzero(X, rows)

    def format_block(start: int) -> Bytes:
        block = slice(start, start + step)
        stops, columns, values = _all_entries(X[rows[block]]) if full else _stored_entries(X[block])
        end = ends[end_starts[start] : end_starts[start + len(stops)]]
        size = len(stops) * LONGEST_NUMBER + qid_sizes[block].sum() + len(end) + len(values) * _LONGEST_ENTRY
        out = np.empty(size, dtype=np.uint8)
        return out[: format_lines(labels[block], qids, qid_starts[block], stops, columns, values, end, out)]

    n_entries = X.shape[0] * X.shape[1] if full else X.nnz
    step = max(1, _BLOCK_ENTRIES * data.n_items // max(n_entries, data.n_items))
    return map_in_order(format_block, range(0, data.n_items, step), n_threads)


def _label_numbers(y: Floats) -> Floats:
    """Replace NaN by the mark that is read back as such: -1, or NaN itself if labels are negative."""
    if (y == -1).any():
        warnings.warn(
            "The label -1 is read back as 'unlabelled', or refused, unless you pass unlabelled=None.",
            DataWarning,
            stacklevel=4,
        )
    return y if (y < 0).any() else np.where(np.isnan(y), -1.0, y)


def _qid_texts(list_ids: list[object]) -> Iterator[str]:
    seen: set[str] = set()
    for list_id in list_ids:
        text = str(list_id)
        if _BAD_QID.search(text):
            raise ValueError(f"The qid {text!r} cannot be written: it is empty, or has blanks or a #.")
        if text in seen:
            raise ValueError(f"Two lists have the qid {text!r} when it is written as text. Rename one.")
        seen.add(text)
        yield f" qid:{text}"


def _comments(data: RankingDataset, rows: Integers) -> Iterable[str]:
    if data.item_ids is None:
        return [""] * data.n_items
    return map(_comment, map(str, data.item_ids[rows].tolist()))


def _comment(item_id: str) -> str:
    """Give the comment from which the id is read back."""
    if _PLAIN_ID.fullmatch(item_id):
        return f" #docid = {item_id}"
    if _BAD_ID.search(item_id):
        raise ValueError(
            f"The item id {item_id!r} cannot be written: it has a line end, or a blank at its start or end."
        )
    if _NAMED_ID.match(item_id):
        raise ValueError(f"The item id {item_id!r} cannot be written: it would be read back as another.")
    return f" # {item_id}" if item_id else " #"


def _join(texts: Iterable[str]) -> tuple[Bytes, Integers]:
    """Encode texts with a line end after each; also give where each starts, and the length."""
    text = np.frombuffer(("\n".join(texts) + "\n").encode(), dtype=np.uint8)
    return text, np.concatenate([[0], np.flatnonzero(text == ord("\n")) + 1])


def _rounded(X: Features, decimals: int | None) -> Features:
    """Round to decimals, except numbers so large that they have fewer anyway."""
    if decimals is None:
        return X
    X = X.astype(np.float64)
    values = X.data if issparse(X) else X
    short = np.abs(values) < 2.0**53 / 10.0**decimals
    values[short] = np.round(values[short], decimals) + 0.0
    return X


def _nonzero(X: Features, rows: Integers) -> csr_array:
    """Bring the rows into order and drop zeros, except the last of the first row, which tells the width."""
    X = csr_array(X[rows])
    X.eliminate_zeros()
    place, last = X.indptr[1], X.shape[1] - 1
    if place and X.indices[place - 1] == last:
        return X
    indptr = np.concatenate([[0], X.indptr[1:] + 1])
    return csr_array((np.insert(X.data, place, 0), np.insert(X.indices, place, last), indptr), shape=X.shape)


def _all_entries(X: Features) -> tuple[Integers, AnyArray, Floats]:
    """Give where the entries of each row end, the columns of the first row, and the values."""
    n_rows, width = X.shape
    values = (X.toarray() if issparse(X) else X).ravel().astype(np.float64, copy=False)
    return np.arange(1, n_rows + 1) * width, np.arange(width, dtype=np.int32), values


def _stored_entries(X: csr_array) -> tuple[Integers, AnyArray, Floats]:
    """Give where the entries of each row end, and all columns and values."""
    return (
        X.indptr[1:].astype(np.int64),
        X.indices.astype(np.int32, copy=False),
        X.data.astype(np.float64, copy=False),
    )

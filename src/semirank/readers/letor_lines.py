"""Datasets as lines of LETOR text."""

import re
import warnings
from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np
from scipy.sparse import csr_array, issparse

from semirank.core.arrays import Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset
from semirank.spelling import option

DENSE_FROM = 0.25
"""The share of entries from which a matrix is read as dense, and written with its zeros."""

_ROWS = 1000  # written at a time
_BAD_QID = re.compile(r"[ \t-\r#\ud800-\udfff]|\A\Z")
_PLAIN_ID = re.compile(r"[^ \t-\r\ud800-\udfff]+")
_BAD_ID = re.compile(r"[\n\r\ud800-\udfff]|\A[ \t-\r]|[ \t-\r]\Z")
_NAMED_ID = re.compile(r"docid[ \t-\r]*=[ \t-\r]*[^ \t-\r]", re.IGNORECASE)


def format_items(data: RankingDataset, decimals: int | None) -> Iterator[bytes]:
    """Check that the data can be written, then give the text part by part, in the caller's order."""
    rows = data.restore(np.arange(data.n_items))
    labels = map(_spell, _label_numbers(data.y)[rows].tolist())
    qids = _qid_texts(data.list_ids.tolist())
    names = [qids[number] for number in data.list_of_item[rows].tolist()]
    ids = data.item_ids
    comments = [""] * data.n_items if ids is None else [_comment(str(each)) for each in ids[rows].tolist()]
    features = _feature_texts(_rounded(data.X, decimals), rows)
    lines = map("{} {} {}{}".format, labels, names, features, comments)
    return _joined(line.rstrip(" ") for line in lines)


def _label_numbers(y: Floats) -> Floats:
    """Replace NaN by the mark that is read back as such: -1, or NaN itself if labels are negative."""
    if (y == -1).any():
        warnings.warn(
            "The label -1 is read back as 'unlabelled', or refused, unless you say "
            f"{option('unlabelled', None)}.",
            DataWarning,
            stacklevel=4,
        )
    return y if (y < 0).any() else np.where(np.isnan(y), -1.0, y)


def _qid_texts(list_ids: list[object]) -> list[str]:
    texts = [str(list_id) for list_id in list_ids]
    seen: set[str] = set()
    for text in texts:
        if _BAD_QID.search(text):
            raise ValueError(f"The qid {text!r} cannot be written: it is empty, or has blanks or a #.")
        if text in seen:
            raise ValueError(f"Two lists have the qid {text!r} when it is written as text. Rename one.")
        seen.add(text)
    return [f"qid:{text}" for text in texts]


def _comment(item_id: str) -> str:
    """Give the comment from which the id is read back."""
    if _PLAIN_ID.fullmatch(item_id):
        return f"#docid = {item_id}"
    if _BAD_ID.search(item_id):
        raise ValueError(
            f"The item id {item_id!r} cannot be written: it has a line end, or a blank at its start or end."
        )
    if _NAMED_ID.match(item_id):
        raise ValueError(f"The item id {item_id!r} cannot be written: it would be read back as another.")
    return f"# {item_id}" if item_id else "#"


def _feature_texts(X: Features, rows: Integers) -> Iterator[str]:
    """Give the features of each row as ``index:value``, with a blank after each."""
    full = np.count_nonzero(X.data if issparse(X) else X) >= DENSE_FROM * X.shape[0] * X.shape[1]
    parts = [rows[start : start + _ROWS] for start in range(0, len(rows), _ROWS)]
    if full:
        template = "".join(f"{column}:%r " for column in range(1, X.shape[1] + 1))
        dense = (X[part].toarray() if issparse(X) else X[part] for part in parts)
        texts: Iterator[str] = (template % tuple(row) for part in dense for row in part.tolist())
    else:
        texts = _sparse_texts(_nonzero(X, rows))
    return (text.replace(".0 ", " ").replace(":nan ", ":NULL ") for text in texts)


def _sparse_texts(X: csr_array) -> Iterator[str]:
    for start, stop in pairwise(X.indptr.tolist()):
        columns, values = (X.indices[start:stop] + 1).tolist(), X.data[start:stop].tolist()
        yield "".join(map("%d:%r ".__mod__, zip(columns, values, strict=True)))


def _joined(lines: Iterator[str]) -> Iterator[bytes]:
    while part := list(islice(lines, _ROWS)):
        yield ("\n".join(part) + "\n").encode()


def _spell(number: float) -> str:
    return repr(number).removesuffix(".0")


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

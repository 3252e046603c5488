"""What may be given as features, labels and lists, and how it is understood."""

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, Literal

import narwhals as nw
import numpy as np
from scipy.sparse import coo_array, csr_array, issparse

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.spelling import option

Features = Any  # a float array or a csr_array; scipy carries no types
LARGEST_WHOLE = 2**53  # up to which a float64 tells whole numbers apart


class DataWarning(UserWarning):
    """The data can be read in more than one way, or part of it cannot be used."""


def mark_unlabelled(labels: Any, unlabelled: float | Literal["auto"] | None = "auto") -> tuple[Floats, int]:
    """Turn the mark that a file uses for "no label" into NaN; return the labels and how many were marked.

    With "auto", -1 is such a mark when every other label is at least 0. When other labels are
    negative too, -1 could be either, and the caller has to say which. None: no number is a mark.
    """
    y = np.array(labels, dtype=np.float64)
    if unlabelled == "auto":
        if (y == -1).any() and (y < 0).sum() > (y == -1).sum():
            raise ValueError(
                "The label -1 can mean 'unlabelled' or 'worse than 0', and other labels are negative too: "
                f"say {option('unlabelled', -1)} for the first, {option('unlabelled', None)} for the second."
            )
        unlabelled = -1.0
    elif unlabelled is None:
        return y, 0
    marked = y == unlabelled
    y[marked] = np.nan
    return y, int(marked.sum())


def check_features(X: Any) -> tuple[Features, tuple[str, ...] | None, AnyArray | None]:
    """Return X as a float array or CSR matrix, with the names of its columns and its `qid` column, if any."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _frame_features(frame)
    if issparse(X):
        X = check_sparse(X)
    else:
        X = _float_array("X", X)
        if X.ndim != 2:
            raise ValueError(
                f"X must have two dimensions, items and features; got shape {X.shape}. "
                "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one item."
            )
    if (place := first_place(X, np.isinf)) is not None:
        raise ValueError(f"X has an infinite value in row {place[0]}.")
    return X, None, None


def first_place(X: Features, is_bad: Callable[[AnyArray], Booleans]) -> tuple[int, int] | None:
    """Return the row and column of the first entry that is bad, None where all are good.

    What is finite must be good. Of a sparse matrix, entries that are not stored count as good.
    """
    values = X.data if issparse(X) else X
    with np.errstate(all="ignore"):
        if np.isfinite(values.sum()):  # one quick look at numbers of which none is infinite or missing
            return None
    bad = is_bad(values)
    if not bad.any():
        return None
    first = int(np.argmax(bad))
    if issparse(X):
        return int(np.searchsorted(X.indptr, first, side="right")) - 1, int(X.indices[first])
    row, column = np.unravel_index(first, X.shape)
    return int(row), int(column)


def check_sparse(X: Any, name: str = "X") -> csr_array:
    """Return a copy as CSR whose rows name each column at most once, in order: the gate for sparse input.

    The caller's arrays are only read, so they may be read-only or used by other threads. A matrix that does
    not hold together (compiled code would follow its indices out of bounds) raises a ValueError.
    """
    if len(X.shape) != 2:
        raise ValueError(f"{name} must have two dimensions; got shape {X.shape}.")
    if X.format != "csr":
        X = _to_csr(X, name)
    values = _float_array(name, X.data, copy=True)
    try:
        own = csr_array((values, np.array(X.indices), np.array(X.indptr)), shape=X.shape)
    except ValueError as error:
        raise ValueError(f"{name} is no CSR matrix: {error}.") from None
    _check_places(own, name)
    own.sum_duplicates()  # which looks first whether there are any
    return own


def _to_csr(X: Any, name: str) -> csr_array:
    """Convert a sparse matrix of another format, after a look at its indices, which conversion trusts."""
    try:
        if X.format in ("csc", "bsr"):
            shared = type(X)((X.data, X.indices, X.indptr), shape=X.shape)
            shared.check_format(full_check=True)
            return csr_array(shared)
        entries = X.tocoo()
        places = tuple(getattr(entries, "coords", (entries.row, entries.col)))
        return csr_array(coo_array((entries.data, places), shape=X.shape))
    except (ValueError, IndexError) as error:
        raise ValueError(f"{name} is no {X.format.upper()} matrix: {error}.") from None


def _check_places(X: csr_array, name: str) -> None:
    """Refuse rows that end before they start, and columns that are not there."""
    falling = np.flatnonzero(np.diff(X.indptr) < 0)
    if len(falling):
        raise ValueError(f"{name} is no CSR matrix: row {falling[0]} ends before it starts (indptr falls).")
    unsigned = X.indices.view(f"u{X.indices.itemsize}")  # a negative index is a huge one: one pass finds both
    if unsigned.max(initial=0) >= max(X.shape[1], 1) or (X.shape[1] == 0 and len(unsigned)):
        place = np.argmax((X.indices < 0) | (X.indices >= X.shape[1]))
        row = np.searchsorted(X.indptr, place, side="right") - 1
        raise ValueError(
            f"{name} is no CSR matrix: row {row} names column {X.indices[place]}; there are {X.shape[1]} "
            "columns, counted from 0."
        )


def refuse_beyond(X: Features, farthest: float, why: str) -> None:
    """Refuse features so large that a method would compute with what are no numbers."""
    values = X.data if issparse(X) else X
    if max(float(values.max(initial=0.0)), -float(values.min(initial=0.0))) > farthest:
        far = np.nonzero(np.abs(values) > farthest)[0][0]
        row = np.searchsorted(X.indptr, far, side="right") - 1 if issparse(X) else far
        raise ValueError(f"X has a value beyond {farthest:g} in row {row}: {why}. Scale the features.")


def check_labels(y: Any, n_items: int) -> Floats:
    """Return y as float64 with NaN for unlabelled; refuse what is no finite number."""
    if y is None:
        raise ValueError(
            "Ranking requires y to be passed, but the target y is None: give one label for each item, "
            "NaN where there is none."
        )
    series = nw.from_native(y, series_only=True, pass_through=True)
    y = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.shape != (n_items,):
        raise ValueError(f"y must have one label for each of {n_items} items; got shape {y.shape}.")
    _check_whole_labels(y)
    y = _float_array("y", y).astype(np.float64, copy=False)
    if np.isinf(y).any():
        raise ValueError(
            f"The label in row {np.flatnonzero(np.isinf(y))[0]} is infinite. Use NaN for 'unlabelled'."
        )
    return y


def _check_whole_labels(y: AnyArray) -> None:
    """Refuse whole numbers of which a float64 would make another: different labels could become equal."""
    if y.dtype.kind in "iu":
        wrong = (y > LARGEST_WHOLE) | (y < -LARGEST_WHOLE) if y.dtype.kind == "i" else y > LARGEST_WHOLE
    elif y.dtype.kind == "O":
        whole = [isinstance(each, Integral) and abs(int(each)) > LARGEST_WHOLE for each in y]
        wrong = np.array(whole, dtype=bool)
    else:
        return
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"The label in row {row}, {y[row]}, is beyond 2^53: such whole numbers are no longer told apart. "
            "Labels say which item is better; use their ranks, or smaller numbers."
        )


def check_qid(qid: Any, n_items: int) -> AnyArray:
    """Return the list of each item as an array without gaps; None means one list."""
    if qid is None:
        return np.zeros(n_items, dtype=np.int64)
    series = nw.from_native(qid, series_only=True, pass_through=True)
    qid = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else qid)
    if qid.shape != (n_items,):
        raise ValueError(f"qid must name the list of each of {n_items} items; got shape {qid.shape}.")
    if qid.dtype.kind not in "fO":
        return qid
    missing = np.asarray((qid != qid) | (qid == np.array(None)), dtype=bool)
    if missing.any():
        raise ValueError(f"qid is missing in row {np.argmax(missing)}: every item belongs to a list.")
    return qid


def _float_array(name: str, values: Any, copy: bool = False) -> AnyArray:
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers. Complex data not supported.")
    if array.dtype in (np.float32, np.float64):
        return array.copy() if copy else array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must hold numbers, NaN where there is none: {error}.") from None


def _frame_features(frame: "nw.DataFrame[Any]") -> tuple[Features, tuple[str, ...], AnyArray | None]:
    qid = frame["qid"].to_numpy() if "qid" in frame.columns else None
    names = [name for name in frame.columns if name != "qid"]
    columns = []
    for name in names:
        column = frame.get_column(name)
        if not (column.dtype.is_numeric() or column.dtype == nw.Boolean):
            raise ValueError(
                f"Column {name!r} is not numeric ({column.dtype}). Drop it, encode it, or give it as qid, "
                "item_ids or texts."
            )
        columns.append(column.cast(nw.Float64).to_numpy())
    X = np.column_stack(columns) if columns else np.empty((len(frame), 0))
    return check_features(X)[0], tuple(map(str, names)), qid


def check_per_item(name: str, values: Any, n_items: int) -> AnyArray | None:
    """Return one entry for each item as an array, or None."""
    if values is None:
        return None
    series = nw.from_native(values, series_only=True, pass_through=True)
    array = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else values)
    if array.shape != (n_items,):
        raise ValueError(f"{name} must have one entry for each of {n_items} items; got shape {array.shape}.")
    return array


def check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    """Return one name for each feature, or None."""
    if names is None:
        return None
    if len(names) != n_features:
        raise ValueError(f"feature_names must name {n_features} features; got {len(names)} names.")
    return tuple(map(str, names))


def group_lists(qid: AnyArray) -> tuple[Integers | None, Integers, AnyArray]:
    """Find the lists: the order that makes them contiguous (None if they are), their starts and their ids."""
    starts = np.flatnonzero(np.concatenate([[True], np.asarray(qid[1:] != qid[:-1], dtype=bool)]))
    number: dict[Any, int] = {}
    run_lists = np.array([number.setdefault(value, len(number)) for value in qid[starts].tolist()])
    sizes = np.diff(np.append(starts, len(qid)))
    order = None
    if len(number) < len(starts):
        order = np.argsort(np.repeat(run_lists, sizes), kind="stable")
    indptr = np.zeros(len(number) + 1, dtype=np.int64)
    np.cumsum(np.bincount(run_lists, weights=sizes).astype(np.int64), out=indptr[1:])
    first_runs = np.unique(run_lists, return_index=True)[1]
    return order, indptr, qid[starts[first_runs]]

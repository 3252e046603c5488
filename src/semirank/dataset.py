"""Items in lists, some of them labelled: the one kind of data that every room understands."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import narwhals as nw
import numpy as np
from scipy.sparse import csr_array, issparse

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers

Features = Any  # a float array or a csr_array; scipy carries no types


class DataWarning(UserWarning):
    """The data can be read in more than one way, or part of it cannot be used."""


@dataclass(frozen=True, init=False, repr=False, eq=False)
class RankingDataset:
    """Items, their features and labels, and the lists they belong to.

    Inside, the items of a list are neighbours: list ``i`` is
    ``X[indptr[i]:indptr[i + 1]]``. Lists stand in the order in which they first
    appear, and the items of a list keep their order. `restore` brings anything
    computed per item back to the order of the caller, and `arrange` is its inverse.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n_items, n_features)
        Features. Of a data frame, every column must be numeric; a column named
        ``qid`` is taken as `qid` when that is not given. Missing values (NaN) are
        kept until `fill_missing` is called; rankers refuse them.
    y : array of shape (n_items,)
        Labels, higher is better. **NaN (or None) means unlabelled.**
    qid : array of shape (n_items,), optional
        The list of each item: numbers, strings, any order. None: one list.
    item_ids : array of shape (n_items,), optional
        A name for each item, to find it again in the output.
    feature_names : sequence of str, optional
        Taken from the columns when X is a data frame.
    texts : array of str of shape (n_items,), optional
        What a reader of the ranking would see; no ranker uses it.

    Attributes
    ----------
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts.
    list_ids : array of shape (n_lists,)
        The `qid` of each list.
    order : int64 array of shape (n_items,)
        The caller's row of each item.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RankingDataset
    >>> data = RankingDataset([[1.0], [2.0], [3.0]], [1, np.nan, 0], qid=["b", "a", "b"])
    >>> data
    RankingDataset(2 lists, 3 items, 1 features, 2 labelled, 1 unlabelled)
    >>> data.y
    array([ 1.,  0., nan])
    >>> data.restore(data.y)
    array([ 1., nan,  0.])
    """

    X: Features
    y: Floats
    qid: AnyArray
    item_ids: AnyArray | None
    feature_names: tuple[str, ...] | None
    texts: AnyArray | None
    indptr: Integers
    list_ids: AnyArray
    order: Integers

    def __init__(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        item_ids: Any = None,
        feature_names: Sequence[str] | None = None,
        texts: Any = None,
    ) -> None:
        X, names, qid_column = check_features(X)
        n_items = X.shape[0]
        if n_items == 0:
            raise ValueError("The data has no items: X has 0 rows.")
        qid = check_qid(qid_column if qid is None else qid, n_items)
        order, indptr, list_ids = _group(qid)
        self._set(
            X=_take(X, order),
            y=_take(check_labels(y, n_items), order),
            qid=_take(qid, order),
            item_ids=_take(_check_per_item("item_ids", item_ids, n_items), order),
            feature_names=_check_names(names if feature_names is None else feature_names, X.shape[1]),
            texts=_take(_check_per_item("texts", texts, n_items), order),
            indptr=indptr,
            list_ids=list_ids,
            order=np.arange(n_items) if order is None else order,
        )

    def _set(self, **fields: Any) -> None:
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        labelled = int(self.labelled.sum())
        return (
            f"RankingDataset({self.n_lists} lists, {self.n_items} items, {self.n_features} features, "
            f"{labelled} labelled, {self.n_items - labelled} unlabelled)"
        )

    def __len__(self) -> int:
        return self.n_items

    @property
    def n_items(self) -> int:
        """Number of items in all lists."""
        return len(self.y)

    @property
    def n_lists(self) -> int:
        """Number of lists."""
        return len(self.indptr) - 1

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self.X.shape[1])

    @property
    def labelled(self) -> Booleans:
        """Which items have a label."""
        return ~np.isnan(self.y)

    @property
    def list_of_item(self) -> Integers:
        """The number of the list, from 0, that each item belongs to."""
        return np.repeat(np.arange(self.n_lists), np.diff(self.indptr))

    @property
    def labelled_per_list(self) -> Integers:
        """How many labels each list has."""
        return np.add.reduceat(self.labelled, self.indptr[:-1], dtype=np.int64)

    def restore(self, values: Any) -> AnyArray:
        """Put one value (or row) per item back into the order in which the caller gave the items."""
        values = np.asarray(values)
        restored = np.empty_like(values)
        restored[self.order] = values
        return restored

    def arrange(self, values: Any) -> AnyArray:
        """Put one value (or row) per item, given in the caller's order, into the order of the lists."""
        return np.asarray(values)[self.order]

    def replace(self, **changes: Any) -> Self:
        """Return a new dataset with some of X, y, item_ids, feature_names, texts exchanged, items as here."""
        fields: dict[str, Any] = {name: getattr(self, name) for name in _GIVEN}
        if "X" in changes:
            fields["feature_names"] = None
        return type(self)(**(fields | changes))

    def select(self, lists: Any) -> Self:
        """Return the given lists, by number or by a mask of length `n_lists`, in the order asked for."""
        lists = np.asarray(lists)
        if lists.dtype == np.bool_:
            if lists.shape != (self.n_lists,):
                raise ValueError(f"The mask must have one entry for each of {self.n_lists} lists.")
            lists = np.flatnonzero(lists)
        lists = np.arange(self.n_lists)[lists.astype(np.int64)]
        if lists.ndim != 1 or len(np.unique(lists)) != len(lists):
            raise ValueError("Each list can be selected once: give a sequence of distinct list numbers.")
        if len(lists) == 0:
            raise ValueError("No list was selected.")
        return self.take(np.concatenate([np.arange(*self.indptr[i : i + 2]) for i in lists]))

    def take(self, items: Any) -> Self:
        """Return the given items, by row number or mask, as a new dataset."""
        items = np.arange(self.n_items)[np.asarray(items)]
        fields = {name: _take(getattr(self, name), items) for name in _GIVEN if name != "feature_names"}
        return type(self)(**fields, feature_names=self.feature_names)

    def hide_labels(
        self,
        fraction: float | None = None,
        *,
        per_list: int | None = None,
        keep: int | None = None,
        by: Literal["item", "list"] = "item",
        keep_one: bool = True,
        keep_levels: bool = False,
        random_state: int | np.random.Generator | None = None,
    ) -> Self:
        """Return the same data with some labels replaced by NaN, to see how a ranker does without them.

        Give exactly one of `fraction`, `per_list` and `keep`.

        Parameters
        ----------
        fraction : float in [0, 1], optional
            Share of the labels of each list to hide, or with ``by="list"`` of the labelled lists.
        per_list : int, optional
            How many labels of each list to hide.
        keep : int, optional
            How many labels of each list to leave, or with ``by="list"`` how many lists.
        by : {"item", "list"}
            Hide single labels, or all labels of whole lists.
        keep_one : bool
            Never hide the last label of a list (or of the last labelled list).
        keep_levels : bool
            Also leave at least one item of each label level that a list has.
        random_state : int or Generator, optional
            Same seed, same labels hidden.

        Examples
        --------
        >>> import semirank
        >>> data = semirank.RankingDataset([[0.0]] * 6, [0, 1, 0, 1, 0, 1])
        >>> int(data.hide_labels(keep=2, keep_levels=True, random_state=0).labelled.sum())
        2
        """
        _check_one_given(fraction=fraction, per_list=per_list, keep=keep)
        if by not in ("item", "list"):
            raise ValueError(f"by must be 'item' or 'list'; got {by!r}.")
        keys = np.random.default_rng(random_state).random(self.n_items)
        if by == "item":
            protected = _protected(self, keys, keep_one, keep_levels)
            hidden = _hide_within(self, keys, protected, fraction, per_list, keep)
        else:
            if per_list is not None or keep_levels:
                raise ValueError("per_list and keep_levels need by='item'.")
            hidden = _hide_lists(self, keys, fraction, keep, keep_one)
        return self.replace(y=np.where(hidden, np.nan, self.y), feature_names=self.feature_names)

    def fill_missing(self, value: float | Literal["mean", "min", "list-min"] = 0.0) -> Self:
        """Return the data with missing features (NaN) filled.

        Parameters
        ----------
        value : float or {"mean", "min", "list-min"}
            A number, or the mean or smallest known value of the feature, or its smallest
            known value within the item's list. A feature that is never known becomes 0.
        """
        X = self.X.copy()
        values = X.data if issparse(X) else X
        missing = np.isnan(values)
        if isinstance(value, str):
            if issparse(X):
                raise ValueError(f"Sparse features can be filled with a number only; got {value!r}.")
            values[missing] = _column_fill(self, value)[missing]
        else:
            values[missing] = value
        return self.replace(X=X, feature_names=self.feature_names)


_GIVEN = ("X", "y", "qid", "item_ids", "feature_names", "texts")


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
                "say unlabelled=-1 for the first, unlabelled=None for the second."
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
        X = csr_array(X)
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        X.sum_duplicates()
        values = X.data
    else:
        X = values = _float_array("X", X)
        if X.ndim != 2:
            raise ValueError(
                f"X must have two dimensions, items and features; got shape {X.shape}. "
                "Reshape your data: X.reshape(-1, 1) for one feature, X.reshape(1, -1) for one item."
            )
    if np.isinf(values).any():
        rows = X.tocoo().row if issparse(X) else np.arange(X.shape[0]).repeat(X.shape[1])
        raise ValueError(f"X has an infinite value in row {rows[np.isinf(values).ravel()][0]}.")
    return X, None, None


def check_labels(y: Any, n_items: int) -> Floats:
    """Return y as float64 with NaN for unlabelled; refuse what is no finite number."""
    if y is None:
        raise ValueError("y is required: one label for each item, NaN where there is none.")
    series = nw.from_native(y, series_only=True, pass_through=True)
    y = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else y)
    if y.ndim == 2 and y.shape[1] == 1:
        y = y.ravel()
    if y.shape != (n_items,):
        raise ValueError(f"y must have one label for each of {n_items} items; got shape {y.shape}.")
    y = _float_array("y", y).astype(np.float64, copy=False)
    if np.isinf(y).any():
        raise ValueError(
            f"The label in row {np.flatnonzero(np.isinf(y))[0]} is infinite. Use NaN for 'unlabelled'."
        )
    return y


def check_qid(qid: Any, n_items: int) -> AnyArray:
    """Return the list of each item as an array without gaps; None means one list."""
    if qid is None:
        return np.zeros(n_items, dtype=np.int64)
    series = nw.from_native(qid, series_only=True, pass_through=True)
    qid = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else qid)
    if qid.shape != (n_items,):
        raise ValueError(f"qid must name the list of each of {n_items} items; got shape {qid.shape}.")
    if qid.dtype.kind == "f" or qid.dtype == object:
        missing = [i for i, value in enumerate(qid) if value is None or value != value]
        if missing:
            raise ValueError(f"qid is missing in row {missing[0]}: every item belongs to a list.")
    return qid


def _float_array(name: str, values: Any) -> AnyArray:
    array = np.asarray(values)
    if array.dtype.kind == "c":
        raise ValueError(f"{name} holds complex numbers. Complex data not supported.")
    if array.dtype in (np.float32, np.float64):
        return array
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name} must hold numbers, NaN where there is none: {error}.") from None


def _frame_features(frame: "nw.DataFrame[Any]") -> tuple[Features, tuple[str, ...], AnyArray | None]:
    qid = frame["qid"].to_numpy() if "qid" in frame.columns else None
    names = [name for name in frame.columns if name != "qid"]
    for name in names:
        if not (frame[name].dtype.is_numeric() or frame[name].dtype == nw.Boolean):
            raise ValueError(
                f"Column {name!r} is not numeric ({frame[name].dtype}). Drop it, encode it, or give it "
                "as qid, item_ids or texts."
            )
    columns = [frame[name].cast(nw.Float64).to_numpy() for name in names]
    X = np.column_stack(columns) if columns else np.empty((len(frame), 0))
    return check_features(X)[0], tuple(map(str, names)), qid


def _check_per_item(name: str, values: Any, n_items: int) -> AnyArray | None:
    if values is None:
        return None
    series = nw.from_native(values, series_only=True, pass_through=True)
    array = np.asarray(series.to_numpy() if isinstance(series, nw.Series) else values)
    if array.shape != (n_items,):
        raise ValueError(f"{name} must have one entry for each of {n_items} items; got shape {array.shape}.")
    return array


def _check_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...] | None:
    if names is None:
        return None
    if len(names) != n_features:
        raise ValueError(f"feature_names must name {n_features} features; got {len(names)} names.")
    return tuple(map(str, names))


def _group(qid: AnyArray) -> tuple[Integers | None, Integers, AnyArray]:
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


def _take(values: Any, items: Integers | None) -> Any:
    return values if values is None or items is None else values[items]


def _check_one_given(**options: Any) -> None:
    given = {name: value for name, value in options.items() if value is not None}
    if len(given) != 1:
        raise ValueError(f"Give exactly one of {', '.join(options)}; got {len(given)}.")
    [(name, value)] = given.items()
    if name == "fraction" and not 0 <= value <= 1:
        raise ValueError(f"fraction must be a number in [0, 1]; got {value!r}.")
    if name != "fraction" and (value != int(value) or value < 0):
        raise ValueError(f"{name} must be a whole number of at least 0; got {value!r}.")


def _protected(data: RankingDataset, keys: Floats, keep_one: bool, keep_levels: bool) -> Booleans:
    """Mark the labelled items that must keep their label: of each list (or level in it) the largest key."""
    protected = np.zeros(data.n_items, dtype=bool)
    if not (keep_one or keep_levels):
        return protected
    level = data.y if keep_levels else np.zeros(data.n_items)
    items = np.flatnonzero(data.labelled)
    items = items[np.lexsort((keys[items], level[items], data.list_of_item[items]))]
    group = np.column_stack([data.list_of_item[items], level[items]])
    last_of_group = np.ones(len(items), dtype=bool)
    last_of_group[:-1] = (group[1:] != group[:-1]).any(axis=1)
    protected[items[last_of_group]] = True
    return protected


def _hide_within(
    data: RankingDataset,
    keys: Floats,
    protected: Booleans,
    fraction: float | None,
    per_list: int | None,
    keep: int | None,
) -> Booleans:
    """Mark the labels to hide in each list, those with the smallest keys first and protected ones never."""
    available = data.labelled_per_list
    if fraction is not None:
        wanted = np.floor(fraction * available + 0.5).astype(np.int64)
    elif per_list is not None:
        wanted = np.full(data.n_lists, per_list)
    else:
        wanted = available - int(keep or 0)
    items = np.flatnonzero(data.labelled & ~protected)
    items = items[np.lexsort((keys[items], data.list_of_item[items]))]
    lists = data.list_of_item[items]
    place = np.arange(len(items)) - np.searchsorted(lists, lists)
    hidden = np.zeros(data.n_items, dtype=bool)
    hidden[items[place < wanted[lists]]] = True
    return hidden


def _hide_lists(
    data: RankingDataset, keys: Floats, fraction: float | None, keep: int | None, keep_one: bool
) -> Booleans:
    """Mark all labels of some of the labelled lists."""
    lists = np.flatnonzero(data.labelled_per_list > 0)
    wanted = len(lists) - int(keep) if keep is not None else int((fraction or 0) * len(lists) + 0.5)
    wanted = min(wanted, len(lists) - 1) if keep_one else wanted
    chosen = lists[np.argsort(keys[data.indptr[lists]])[: max(wanted, 0)]]
    return data.labelled & np.isin(data.list_of_item, chosen)


def _column_fill(data: RankingDataset, how: str) -> Floats:
    """Give for every cell the value that would fill it."""
    if how not in ("mean", "min", "list-min"):
        raise ValueError(f"value must be a number, 'mean', 'min' or 'list-min'; got {how!r}.")
    known = ~np.isnan(data.X)
    if how == "mean":
        counts = np.maximum(known.sum(axis=0), 1)
        return np.broadcast_to(np.nansum(data.X, axis=0) / counts, data.X.shape)
    low = np.where(known, data.X, np.inf)
    if how == "min":
        fill = np.broadcast_to(low.min(axis=0), data.X.shape)
    else:
        fill = np.minimum.reduceat(low, data.indptr[:-1], axis=0)[data.list_of_item]
    return np.where(np.isinf(fill), 0.0, fill)

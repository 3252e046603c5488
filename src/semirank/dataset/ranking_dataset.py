"""Items in lists, some of them labelled: the one kind of data that every room understands."""

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import fields as dataclass_fields
from functools import cached_property
from typing import Any, Literal, Self

import numpy as np
from scipy.sparse import issparse

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset.checks import (
    Features,
    check_features,
    check_labels,
    check_names,
    check_per_item,
    check_qid,
    group_lists,
)
from semirank.dataset.hiding import check_one_given, hide_lists, hide_within, protected_labels
from semirank.dataset.missing import column_fill
from semirank.dataset.table import RawTable
from semirank.display import bars, card, paragraph, table

_PER_ITEM = ("X", "y", "qid", "item_ids", "texts", "table")


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
    table : RawTable, optional
        The columns that X was made of, as they were read. `compare` and `AutoRanker` make features of them
        anew, and keep how; exchanging X drops them.

    Attributes
    ----------
    indptr : int64 array of shape (n_lists + 1,)
        Where each list starts.
    list_ids : array of shape (n_lists,)
        The `qid` of each list.
    order : int64 array of shape (n_items,)
        The caller's row of each item.

    See Also
    --------
    read : from a file.
    load : a named dataset.
    semirank.dataset.describe : what is in it.

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
    table: RawTable | None
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
        table: RawTable | None = None,
    ) -> None:
        X, names, qid_column = check_features(X)
        n_items = X.shape[0]
        if n_items == 0:
            raise ValueError("The data has no items: X has 0 rows.")
        qid = check_qid(qid_column if qid is None else qid, n_items)
        order, indptr, list_ids = group_lists(qid)
        self._set(
            X=_take(X, order),
            y=_take(check_labels(y, n_items).copy(), order),  # `labelled` is remembered
            qid=_take(qid, order),
            item_ids=_take(check_per_item("item_ids", item_ids, n_items), order),
            feature_names=check_names(names if feature_names is None else feature_names, X.shape[1]),
            texts=_take(check_per_item("texts", texts, n_items), order),
            table=_take(_check_table(table, n_items), order),
            indptr=indptr,
            list_ids=list_ids,
            order=np.arange(n_items) if order is None else order,
        )

    def _set(self, **fields: Any) -> Self:
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        return self

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is computed on demand: equal data are equal when they are pickled or hashed."""
        return {field.name: getattr(self, field.name) for field in dataclass_fields(self)}

    def __repr__(self) -> str:
        labelled = int(self.labelled.sum())
        return (
            f"RankingDataset({self.n_lists} lists, {self.n_items} items, {self.n_features} features, "
            f"{labelled} labelled, {self.n_items - labelled} unlabelled)"
        )

    def _repr_html_(self) -> str:
        from semirank.dataset.description import describe

        about = describe(self)
        counts = {
            "lists": about.lists,
            "items": about.items,
            "items per list": about.items_per_list,
            "features": f"{about.features}{', sparse' if about.sparse else ''}",
            "labelled": about.labelled,
            "unlabelled": about.unlabelled,
        }
        rows = [{"": name, " ": value} for name, value in counts.items()]
        labels = ((f"label {level}", count) for level, count in about.label_histogram.items())
        return card("RankingDataset", table(rows), bars(labels), *map(paragraph, about.warnings))

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

    @cached_property
    def labelled(self) -> Booleans:
        """Which items have a label."""
        return _frozen(~np.isnan(self.y))

    @cached_property
    def sizes(self) -> Integers:
        """How many items each list has."""
        return _frozen(np.diff(self.indptr))

    @cached_property
    def list_of_item(self) -> Integers:
        """The number of the list, from 0, that each item belongs to."""
        return _frozen(np.repeat(np.arange(self.n_lists), self.sizes))

    @cached_property
    def labelled_per_list(self) -> Integers:
        """How many labels each list has."""
        return _frozen(self.list_sums(self.labelled))

    @cached_property
    def labels_differ(self) -> Booleans:
        """Which lists have two labels that are not equal: the others show no order."""
        low = np.minimum.reduceat(np.where(self.labelled, self.y, np.inf), self.indptr[:-1])
        high = np.maximum.reduceat(np.where(self.labelled, self.y, -np.inf), self.indptr[:-1])
        return _frozen(low < high)

    @cached_property
    def share_items(self) -> bool:
        """Whether most items, known by their texts or else by their features, stand in more than one list.

        Rows of features are compared by nine digits of their product with a random vector.
        """
        if self.n_lists == 1:
            return False
        if self.texts is not None:
            what = self.texts.astype(str)
        elif self.n_features:
            digits, exponent = np.frexp(self.X @ np.random.default_rng(0).random(self.n_features))
            what = np.ldexp(np.round(digits, 9), exponent)
        else:
            return False
        item = np.unique(what, return_inverse=True)[1]
        places = np.unique(item * self.n_lists + self.list_of_item)
        return bool(np.mean(np.bincount(places // self.n_lists) > 1) > 0.5)

    def list_sums(self, values: Any) -> AnyArray:
        """Return the sum over each list of one value (or row) per item; of a mask, how many are true."""
        values = np.asarray(values)
        dtype = np.int64 if values.dtype == np.bool_ else None
        return np.add.reduceat(values, self.indptr[:-1], axis=0, dtype=dtype)

    def list_means(self, values: Any) -> AnyArray:
        """Return the mean over each list of one value (or row) per item."""
        sums = self.list_sums(values)
        return sums / self.sizes.reshape(-1, *[1] * (sums.ndim - 1))

    def centred(self, values: Any) -> AnyArray:
        """Return one value (or row) per item minus the mean of its list."""
        return values - self.list_means(values)[self.list_of_item]

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
        known = ("X", "y", "item_ids", "feature_names", "texts")
        if unknown := set(changes) - set(known):
            raise TypeError(f"replace takes {', '.join(known)}; got {', '.join(sorted(unknown))}.")
        if "X" in changes:
            X, names, _ = check_features(changes["X"])
            if X.shape[0] != self.n_items:
                raise ValueError(f"X must have one row for each of {self.n_items} items; got {X.shape[0]}.")
            given = changes.get("feature_names")
            changes |= {"X": X, "feature_names": names if given is None else given, "table": None}
        if "y" in changes:
            changes["y"] = check_labels(changes["y"], self.n_items).copy()
        for name in {"item_ids", "texts"} & set(changes):
            changes[name] = check_per_item(name, changes[name], self.n_items)
        if "feature_names" in changes:
            n_features = changes["X"].shape[1] if "X" in changes else self.n_features
            changes["feature_names"] = check_names(changes["feature_names"], n_features)
        fields = {field.name: getattr(self, field.name) for field in dataclass_fields(self)}
        return object.__new__(type(self))._set(**fields | {"order": np.arange(self.n_items)} | changes)

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
        if len(items) == 0:
            raise ValueError("No item was taken.")
        order, indptr, list_ids = group_lists(self.qid[items])
        rows = _take(items, order)
        return object.__new__(type(self))._set(
            **{name: _take(getattr(self, name), rows) for name in _PER_ITEM},
            feature_names=self.feature_names,
            indptr=indptr,
            list_ids=list_ids,
            order=np.arange(len(items)) if order is None else order,
        )

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
        check_one_given(fraction=fraction, per_list=per_list, keep=keep)
        if by not in ("item", "list"):
            raise ValueError(f"by must be 'item' or 'list'; got {by!r}.")
        keys = np.random.default_rng(random_state).random(self.n_items)
        if by == "item":
            protected = protected_labels(self, keys, keep_one, keep_levels)
            hidden = hide_within(self, keys, protected, fraction, per_list, keep)
        else:
            if per_list is not None or keep_levels:
                raise ValueError("per_list and keep_levels need by='item'.")
            hidden = hide_lists(self, keys, fraction, keep, keep_one)
        return self.replace(y=np.where(hidden, np.nan, self.y))

    def hidden_from(self, shown: "RankingDataset") -> Self:
        """Return the data with only those labels that `shown`, a copy with labels hidden, lacks."""
        return self.replace(y=np.where(shown.labelled, np.nan, self.y))

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
            values[missing] = column_fill(self, value)[missing]
        else:
            values[missing] = value
        return self.replace(X=X, feature_names=self.feature_names)


def _take(values: Any, items: Integers | None) -> Any:
    if values is None or items is None:
        return values
    return values.take(items) if isinstance(values, RawTable) else values[items]


def _check_table(table: RawTable | None, n_items: int) -> RawTable | None:
    if table is not None and len(table) != n_items:
        raise ValueError(f"table must have one row for each of {n_items} items; got {len(table)}.")
    return table


def _frozen(array: AnyArray) -> AnyArray:
    """Forbid to write to an array that is computed once and given to everybody."""
    array.flags.writeable = False
    return array

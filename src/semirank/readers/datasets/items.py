"""The items of a named dataset, before they become a ranking."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.sparse import issparse, vstack

from semirank.core.arrays import AnyArray, Booleans, Floats
from semirank.dataset import Features, RankingDataset
from semirank.features.tfidf import apply_transformer

EACH = "each"


@dataclass(frozen=True, eq=False, repr=False)
class Items:
    """What is known about the items of a dataset; each field has one entry for each item.

    Attributes
    ----------
    item_ids : array
        A name or number for each item.
    X : array or CSR matrix, or None
        Features; None for texts that have not been turned into numbers.
    part : array of str, or None
        The part of the dataset that each item belongs to, such as "train".
    classes : tuple of tuples of str, or None
        The classes of each item, in the order in which the source names them: one for most sets, any
        number for topics. None for sets that come as lists.
    texts : array of str, or None
        The text of each item.
    y, qid : arrays, or None
        Label and list of each item, for sets that come as lists.
    feature_names : tuple of str, or None
        The columns of X.

    Examples
    --------
    >>> from semirank.readers.datasets import load_items
    >>> digits = load_items("digits")
    >>> digits
    Items(1797 items, 64 features, 10 classes)
    >>> digits.class_names[:3], int(digits.is_a("3").sum())
    (('0', '1', '2'), 183)
    """

    item_ids: AnyArray
    X: Features | None = None
    part: AnyArray | None = None
    classes: tuple[tuple[str, ...], ...] | None = None
    texts: AnyArray | None = None
    y: Floats | None = None
    qid: AnyArray | None = None
    feature_names: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.item_ids)

    def __repr__(self) -> str:
        n_features = 0 if self.X is None else self.X.shape[1]
        return f"Items({len(self)} items, {n_features} features, {len(self.class_names)} classes)"

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """All classes that some item has, sorted."""
        return tuple(sorted({name for names in self.classes or () for name in names}))

    def is_a(self, *names: str) -> Booleans:
        """Tell which items have at least one of the classes."""
        unknown = set(names).difference(self.class_names)
        if unknown:
            raise ValueError(
                f"There is no class {sorted(unknown)[0]!r}. Classes: {', '.join(self.class_names)}."
            )
        wanted = set(names)
        return np.array([not wanted.isdisjoint(each) for each in self.classes or ()], dtype=bool)

    def of_part(self, part: str) -> Self:
        """Return the items as a part of a dataset.

        Items that are only numbered get the part in front of their number, so that no two parts share a
        name; labelled items that name no list become one list.
        """
        names = np.full(len(self), part)
        numbered = self.item_ids.dtype.kind == "i"
        return replace(
            self,
            part=names,
            item_ids=strings(f"{part}-{number}" for number in self.item_ids) if numbered else self.item_ids,
            qid=names if self.qid is None and self.y is not None else self.qid,
        )

    def take(self, rows: AnyArray) -> Self:
        """Return the items in the given rows."""
        chosen = {name: _rows(getattr(self, name), rows) for name in _PER_ITEM}
        return replace(self, **chosen)

    def with_text_features(self, transformer: Any) -> Self:
        """Return the items with X made of their texts by a transformer, which is fitted if it is not yet."""
        X = apply_transformer(transformer, self.texts)
        return replace(self, X=X, feature_names=tuple(transformer.get_feature_names_out()))

    def ranking(self, relevant: str | int | Iterable[str | int] | None) -> RankingDataset:
        """Return the lists: those of the source, or the items with a class ranked above the others.

        Parameters
        ----------
        relevant : str, several of them, or "each"
            One or several classes make one list in which their items have label 1 and all others
            0; "each" makes such a list for every class, over copies of the same items.
        """
        if self.classes is None:
            items = self
        elif isinstance(relevant, str) and relevant == EACH:
            items = self._labelled_by_each_class()
        else:
            items = self._labelled_by(relevant)
        return RankingDataset(
            items.X, items.y, items.qid, items.item_ids, feature_names=items.feature_names, texts=items.texts
        )

    def _labelled_by(self, relevant: str | int | Iterable[str | int] | None) -> Self:
        names = (relevant,) if isinstance(relevant, str | int) else tuple(relevant or ())
        if not names:
            raise ValueError(f"Say which class is relevant: one of {', '.join(self.class_names)}.")
        return replace(self, y=self.is_a(*map(str, names)).astype(np.float64))

    def _labelled_by_each_class(self) -> Self:
        names = np.array(self.class_names)
        return replace(
            self.take(np.tile(np.arange(len(self)), len(names))),
            y=np.concatenate([self.is_a(name) for name in names]).astype(np.float64),
            qid=np.repeat(names, len(self)),
        )


_PER_ITEM = tuple(field.name for field in fields(Items) if field.name != "feature_names")


def join(pieces: Sequence[Items]) -> Items:
    """Put the items of several files together, in order."""
    if len(pieces) == 1:
        return pieces[0]
    if len({None if piece.X is None else piece.X.shape[1] for piece in pieces}) > 1:
        raise ValueError("The parts have different columns: load one part at a time.")
    joined = {name: _stack([getattr(piece, name) for piece in pieces]) for name in _PER_ITEM}
    return replace(pieces[0], **joined)


def strings(values: Iterable[str]) -> AnyArray:
    """Return an array of str objects: one long text must not widen all the others."""
    return np.array(list(values), dtype=object)


def _rows(values: Any, rows: AnyArray) -> Any:
    if isinstance(values, tuple):
        return tuple(values[row] for row in rows)
    return None if values is None else values[rows]


def _stack(values: list[Any]) -> Any:
    if values[0] is None:
        return None
    if isinstance(values[0], tuple):
        return sum(values, ())
    return vstack(values, format="csr") if issparse(values[0]) else np.concatenate(values)

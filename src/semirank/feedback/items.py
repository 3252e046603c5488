"""The items of a loop: what is ranked, and by which names people and events know it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np

from semirank.core.arrays import AnyArray, Integers
from semirank.selection.auto_ranker import are_texts


@dataclass(frozen=True, eq=False)
class Items:
    """Items in a fixed order: row numbers never change, and new items are added at the end.

    Attributes
    ----------
    ids : sequence of str
        The name of each item; unique within a list.
    features : sequence of str, array or CSR matrix
        What a ranker learns from: one text, or one row of numbers, for each item.
    qid : sequence of str, optional
        The list of each item. None: one list, "".
    titles, dois : sequences of str, optional
        What copies are known by, and pasted references; empty where there is none.

    Examples
    --------
    >>> from semirank.feedback import Items
    >>> items = Items(["a", "b"], ["heart failure", "kidney disease"])
    >>> items.row("b"), len(items)
    (1, 2)
    """

    ids: Sequence[str]
    features: Any
    qid: Sequence[str] | None = None
    titles: Sequence[str] | None = None
    dois: Sequence[str] | None = None
    _hashes: dict[tuple[int, str], AnyArray] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        n_items = len(self.ids)
        n_rows = self.features.shape[0] if hasattr(self.features, "shape") else len(self.features)
        columns = {"features": n_rows} | {
            name: len(column)
            for name in ("qid", "titles", "dois")
            if (column := getattr(self, name)) is not None
        }
        for name, length in columns.items():
            if length != n_items:
                raise ValueError(f"{name} must have one entry for each of {n_items} items; got {length}.")
        if len(self._rows) != n_items:
            seen: set[tuple[str, str]] = set()
            twice = next(key for key in self._keys() if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            raise ValueError(f"Two items of a list have the id {twice[1]!r}; ids must differ.")

    def __len__(self) -> int:
        return len(self.ids)

    def row(self, item: str, qid: str | None = None) -> int:
        """Return the row number of an item; the list may be left out where only one has such an item."""
        if qid is not None or self.qid is None:
            row = self._rows.get((qid or "", item))
            rows = [] if row is None else [row]
        else:
            rows = [row for name in self.lists if (row := self._rows.get((name, item))) is not None]
        if len(rows) != 1:
            where = "" if qid is None else f" in the list {qid!r}"
            many = f"; {len(rows)} lists have it, say which" if rows else ""
            raise ValueError(f"There is no item {item!r}{where}{many}.")
        return rows[0]

    def list_of(self, row: int) -> str:
        """Return the name of the list of an item."""
        return "" if self.qid is None else self.qid[row]

    @cached_property
    def are_texts(self) -> bool:
        """Whether a ranker gets texts to learn from, so that a question can be typed."""
        return are_texts(self.features)

    @cached_property
    def lists(self) -> tuple[str, ...]:
        """The names of the lists, in the order in which they first appear."""
        return ("",) if self.qid is None else tuple(dict.fromkeys(self.qid))

    @cached_property
    def list_numbers(self) -> Integers:
        """The number of the list of each item."""
        if self.qid is None:
            return np.zeros(len(self), dtype=np.int64)
        number = {name: i for i, name in enumerate(self.lists)}
        return np.array([number[name] for name in self.qid], dtype=np.int64)

    def hashes(self, seed: int, purpose: str) -> AnyArray:
        """Return a number for each item that depends on its name, a seed and a purpose, and on nothing else.

        Sorted by these, items stand in a random order that anybody can compute again, and that adding items
        does not change. Each purpose has its own.
        """
        if (seed, purpose) not in self._hashes:
            key = blake2b(f"{seed}\0{purpose}".encode(), digest_size=32).digest()
            spelled = (f"{qid}\0{item}".encode() for qid, item in self._keys())
            digests = b"".join(blake2b(each, digest_size=8, key=key).digest() for each in spelled)
            self._hashes[seed, purpose] = np.frombuffer(digests, dtype="<u8")
        return self._hashes[seed, purpose]

    @cached_property
    def _rows(self) -> dict[tuple[str, str], int]:
        return {key: row for row, key in enumerate(self._keys())}

    def _keys(self) -> list[tuple[str, str]]:
        return list(zip(self.qid if self.qid is not None else [""] * len(self), self.ids, strict=True))

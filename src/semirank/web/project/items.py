"""The items of a project: pages of them, search, and what a ranker learns from."""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from semirank.core.arrays import AnyArray
from semirank.feedback.items import Items

BLOCK = 4096  # vectors that are stored together
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class ProjectItem:
    """An item as it is kept: its name and list, title and text, and all other columns that it came with."""

    id: str
    title: str = ""
    text: str = ""
    qid: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    row: int | None = None


class StoredItems:
    """The items in a project file; row numbers never change, and new items come at the end."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT count(*) FROM item").fetchone()[0])

    def add(self, items: Iterable[ProjectItem], vectors: AnyArray | None = None) -> int:
        """Add items at the end, inside the caller's transaction; return how many there are now."""
        start = len(self)
        for row, each in enumerate(items, start=start):
            values = (row, each.id, each.qid, each.title, each.text, json.dumps(each.meta))
            self._connection.execute("INSERT INTO item VALUES (?, ?, ?, ?, ?, ?)", values)
            words = (row, each.title, each.text)
            self._connection.execute("INSERT INTO item_words (rowid, title, text) VALUES (?, ?, ?)", words)
        if vectors is not None:
            self._add_vectors(start, vectors)
        return len(self)

    def _add_vectors(self, start: int, vectors: AnyArray) -> None:
        """Store vectors in blocks; the last block of those before is filled up first."""
        X = np.ascontiguousarray(vectors, dtype="<f4")
        if start % BLOCK:
            last = self._connection.execute("SELECT data FROM vector WHERE block = ?", (start // BLOCK,))
            X = np.vstack([np.frombuffer(last.fetchone()[0], "<f4").reshape(-1, X.shape[1]), X])
        first = start // BLOCK
        blocks = [
            (first + number, X.shape[1], X[number * BLOCK : (number + 1) * BLOCK].tobytes())
            for number in range(-(-len(X) // BLOCK))
        ]
        self._connection.executemany("INSERT OR REPLACE INTO vector VALUES (?, ?, ?)", blocks)

    def page(self, rows: Sequence[int]) -> list[ProjectItem]:
        """Return items by their rows, in this order."""
        marks = ", ".join("?" * len(rows))
        query = f"SELECT row, id, list, title, text, meta FROM item WHERE row IN ({marks})"
        found = {row[0]: _item(row) for row in self._connection.execute(query, [int(row) for row in rows])}
        return [found[int(row)] for row in rows]

    def all(self) -> Iterator[ProjectItem]:
        """Return all items, in the order of their rows."""
        rows = self._connection.execute("SELECT row, id, list, title, text, meta FROM item ORDER BY row")
        return map(_item, rows)

    def search(self, words: str, n: int = 50) -> list[int]:
        """Return the rows of items that hold all the words, the best first; quotes and signs mean nothing."""
        terms = _WORD.findall(words)
        if not terms:
            return []
        query = " AND ".join(f'"{term}"' for term in terms[:-1])
        query = f'{query} AND "{terms[-1]}"*' if query else f'"{terms[-1]}"*'
        found = self._connection.execute(
            "SELECT rowid FROM item_words WHERE item_words MATCH ? ORDER BY rank LIMIT ?", (query, n)
        )
        return [row[0] for row in found]

    def vectors(self) -> AnyArray | None:
        """Return the vectors of all items; None where they have none."""
        blocks = self._connection.execute("SELECT width, data FROM vector ORDER BY block").fetchall()
        parts = [np.frombuffer(data, "<f4").reshape(-1, width) for width, data in blocks]
        return np.vstack(parts).astype(np.float64) if parts else None

    def as_items(self) -> Items:
        """Return the items as the loop takes them: vectors where there are any, otherwise title and text."""
        vectors = self.vectors()
        ids, lists, titles, dois, texts = [], [], [], [], []
        for each in self.all():  # one at a time: all, beside the joined texts, are twice the memory
            ids.append(each.id)
            lists.append(each.qid)
            titles.append(each.title)
            dois.append(str(each.meta.get("doi") or ""))
            texts.append("" if vectors is not None else _joined(each))
        features = np.array(texts, dtype=object) if vectors is None else vectors
        return Items(ids, features, lists if len(set(lists)) > 1 else None, titles, dois)


def _joined(item: ProjectItem) -> str:
    return "\n\n".join(filter(None, (item.title, item.text)))


def _item(row: tuple[Any, ...]) -> ProjectItem:
    number, name, qid, title, text, meta = row
    return ProjectItem(name, title, text, qid, json.loads(meta), number)

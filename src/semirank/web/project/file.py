"""A project file: opened safely, written by appending, backed up, taken over from strangers."""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Self

from semirank.core.arrays import AnyArray
from semirank.feedback.engine import OrderRecord
from semirank.feedback.events import Event
from semirank.web.project.items import ProjectItem, StoredItems
from semirank.web.project.migrations import MIGRATIONS
from semirank.web.project.schema import APPLICATION_ID, COPIED, TABLES, TRIGGERS, VERSION

KEPT_BACKUPS = 5


class ProjectError(ValueError):
    """A file that is no project, or one that cannot be used; the message says what to do."""


class Project:
    """One SQLite file: items, events, digests of orders.

    Events are appended and never changed. When `append` has returned, they are on disk: a process that is
    killed the next moment loses none of them. One thread writes at a time; others wait.

    Parameters
    ----------
    path : path
        The file; see `create` and `open`.
    connection : sqlite3.Connection
        Opened by these.
    read_only : bool
        Whether nothing can be added: the file is of a newer version.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from semirank.feedback import Event
    >>> from semirank.web.project import Project, ProjectItem
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "cats.semirank"
    ...     with Project.create(path, [ProjectItem("a", "Cats"), ProjectItem("b", "Dogs")]) as project:
    ...         project.append([Event("1", "label", "a", value=1)])
    ...     with Project.open(path) as project:
    ...         [event.id for event in project.events()], len(project.items)
    [1]
    (['1'], 2)
    """

    def __init__(self, path: Path, connection: sqlite3.Connection, read_only: bool = False) -> None:
        self.path = path
        self.read_only = read_only
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        items: Iterable[ProjectItem],
        vectors: AnyArray | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> Self:
        """Make a new project; the file appears under its name only when all items are in it."""
        path = Path(path)
        if path.exists():
            raise ProjectError(f"{path}: is there already. Open it, or choose another name.")
        if not path.parent.is_dir():
            raise ProjectError(f"{path}: the folder {path.parent} does not exist.")
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        part.unlink(missing_ok=True)
        try:
            with closing(_connect(part)) as connection:
                _lay_out(connection)
                project = cls(part, connection)
                with project._writing():
                    project.items.add(items, vectors)
                    project._set(settings or {})
            os.replace(part, path)
        finally:
            part.unlink(missing_ok=True)
        return cls.open(path)

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Self:
        """Open a project; an older one is brought up to date, after a copy was made beside it."""
        path = Path(path)
        if not path.is_file():
            raise ProjectError(f"{path}: no such project.")
        unclean = path.with_name(f"{path.name}-wal").exists()
        connection = _connect(path)
        try:
            version = _check(connection, path, thorough=unclean)
            if version < VERSION:
                shutil.copy2(path, path.with_name(f"{path.name}.v{version}"))
                _migrate(connection, version)
            if version > VERSION:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, read_only=version > VERSION)

    def close(self) -> None:
        """Close the file; what was appended is there already."""
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    @property
    def items(self) -> StoredItems:
        """The items."""
        return StoredItems(self._connection)

    @property
    def settings(self) -> dict[str, Any]:
        """What was set when the project was made."""
        with self._lock:
            return {key: json.loads(value) for key, value in self._connection.execute("SELECT * FROM meta")}

    def append(self, events: Sequence[Event]) -> list[int]:
        """Add events, all or none of them; return their numbers. One with a known id keeps its number."""
        with self._writing():
            return [self._append(event) for event in events]

    def _append(self, event: Event) -> int:
        known = self._connection.execute("SELECT seq FROM event WHERE id = ?", (event.id,)).fetchone()
        if known:
            return int(known[0])
        values = (event.id, event.time, event.reviewer, event.kind, event.item, event.qid)
        more = (json.dumps(event.value), event.via, event.order, event.mode)
        found = self._connection.execute(
            "INSERT INTO event (id, time, reviewer, kind, item, list, value, via, order_no, mode) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*values, *more),
        )
        return int(found.lastrowid or 0)

    def events(self, after: int = 0) -> list[Event]:
        """Return the events behind a number, in their order."""
        names = ("id", "kind", "item", "qid", "value", "reviewer", "via", "order", "mode", "time")
        columns = "id, kind, item, list, value, reviewer, via, order_no, mode, time"
        query = f"SELECT {columns} FROM event WHERE seq > ? ORDER BY seq"
        with self._lock:
            rows = self._connection.execute(query, (after,)).fetchall()
        found = (dict(zip(names, row, strict=True)) for row in rows)
        return [Event(**each | {"value": json.loads(each["value"])}) for each in found]

    def add_items(self, items: Sequence[ProjectItem], event: Event, vectors: AnyArray | None = None) -> int:
        """Add items and the event that says so, both or neither; return how many items there are now."""
        with self._writing():
            n_items = self.items.add(items, vectors)
            self._append(event)
        return n_items

    def keep_order(self, record: OrderRecord) -> None:
        """Keep what proves an order later."""
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO order_digest VALUES (?, ?, ?)",
                (record.number, record.digest, json.dumps(record.first)),
            )

    def orders(self) -> list[OrderRecord]:
        """Return what is kept of the orders, in their order."""
        with self._lock:
            rows = self._connection.execute("SELECT * FROM order_digest ORDER BY number").fetchall()
        return [OrderRecord(number, digest, tuple(json.loads(first))) for number, digest, first in rows]

    def save_copy(self, target: str | os.PathLike[str]) -> None:
        """Write the whole project into one consistent file, which appears when it is complete."""
        target = Path(target)
        part = target.with_name(f".{target.name}.{os.getpid()}.part")
        part.unlink(missing_ok=True)
        try:
            with self._lock, closing(sqlite3.connect(part)) as copy:
                self._connection.backup(copy)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)

    def back_up(self, stamp: str) -> Path:
        """Write a copy beside the file, named by a date, and keep the five newest of them."""
        target = self.path.with_name(f"{self.path.name}.{stamp}.backup")
        self.save_copy(target)
        for old in sorted(self.path.parent.glob(f"{self.path.name}.*.backup"))[:-KEPT_BACKUPS]:
            old.unlink()
        return target

    @classmethod
    def take_over(cls, stranger: str | os.PathLike[str], path: str | os.PathLike[str]) -> Self:
        """Copy the rows of somebody else's project into a new file; nothing else of theirs survives."""
        with closing(sqlite3.connect(f"file:{Path(stranger).as_posix()}?mode=ro", uri=True)) as theirs:
            theirs.execute("PRAGMA trusted_schema = OFF")
            version = _check(theirs, Path(stranger), thorough=True)
            if version != VERSION:
                raise ProjectError(f"{stranger}: is of version {version}; open it once, or update semirank.")
            rows = {
                table: theirs.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall()
                for table, columns in COPIED.items()
            }
        project = cls.create(path, [])
        with project._writing():
            for table, columns in COPIED.items():
                put = f"INSERT OR REPLACE INTO {table} VALUES ({', '.join('?' * len(columns))})"
                project._connection.executemany(put, rows[table])
            project._connection.execute("INSERT INTO item_words (item_words) VALUES ('rebuild')")
        return project

    def _set(self, settings: Mapping[str, Any]) -> None:
        rows = [(key, json.dumps(value)) for key, value in settings.items()]
        self._connection.executemany("INSERT OR REPLACE INTO meta VALUES (?, ?)", rows)

    @contextmanager
    def _writing(self) -> Iterator[None]:
        if self.read_only:
            raise ProjectError(
                f"{self.path}: was made by a newer semirank, and can only be read by this one."
            )
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _lay_out(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {VERSION}")
    connection.executescript(TABLES + TRIGGERS)
    _journal(connection)


def _journal(connection: sqlite3.Connection) -> None:
    """Write ahead where the file system can, and wait for the disk with every commit."""
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")


def _check(connection: sqlite3.Connection, path: Path, *, thorough: bool) -> int:
    """Return the version of a project; refuse what is none, or is damaged."""
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if application != APPLICATION_ID:
            raise ProjectError(f"{path}: is no semirank project.")
        found = connection.execute("PRAGMA integrity_check").fetchone()[0] if thorough else "ok"
        if connection.execute("PRAGMA query_only").fetchone()[0] == 0 and version == VERSION:
            _journal(connection)
    except sqlite3.DatabaseError as error:
        raise ProjectError(f"{path}: is no semirank project, or damaged ({error}).") from error
    if found != "ok":
        raise ProjectError(f"{path}: is damaged ({found}). A backup may stand beside it.")
    return version


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Bring an older file up to date, one version after the other, each in one transaction."""
    for number in range(version, VERSION):
        connection.execute("BEGIN IMMEDIATE")
        try:
            MIGRATIONS[number](connection)
            connection.execute(f"PRAGMA user_version = {number + 1}")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")

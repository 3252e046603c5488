"""A project file: opened safely, written by appending, backed up, taken over from strangers."""

import json
import os
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
OF_THE_OWNER = ("invitations", "images")  # settings: who may come in, and a folder of that machine


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
        self._reader: sqlite3.Connection | None = None
        self._reading = threading.Lock()

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        items: Iterable[ProjectItem],
        vectors: AnyArray | None = None,
        settings: Mapping[str, Any] | None = None,
        events: Sequence[Event] = (),
    ) -> Self:
        """Make a new project; the file appears under its name only when all of this is in it."""
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
                    for event in events:
                        project._append(event)
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
                _copy(connection, path.with_name(f"{path.name}.v{version}"))
                _migrate(connection, version)
            if version > VERSION:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, read_only=version > VERSION)

    def close(self) -> None:
        """Close the file; what was appended is there already."""
        with self._reading, self._lock:
            if self._reader is not None:
                self._reader.close()
            self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    @property
    def items(self) -> StoredItems:
        """The items, as whoever writes sees them."""
        return StoredItems(self._connection)

    @contextmanager
    def reading(self) -> Iterator[StoredItems]:
        """Give the items to one thread at a time; whoever writes meanwhile is not waited for."""
        with self._reading:
            if self._reader is None:
                self._reader = _connect(self.path)
                self._reader.execute("PRAGMA query_only = ON")
            yield StoredItems(self._reader)

    @property
    def settings(self) -> dict[str, Any]:
        """What was set when the project was made, and since."""
        with self._lock:
            return {key: json.loads(value) for key, value in self._connection.execute("SELECT * FROM meta")}

    def set(self, settings: Mapping[str, Any]) -> None:
        """Change settings; others stay."""
        with self._writing():
            self._set(settings)

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
        return [event for _, event in self.numbered_events(after)]

    def numbered_events(self, after: int = 0) -> list[tuple[int, Event]]:
        """Return the events behind a number, in their order, each with its own."""
        names = ("id", "kind", "item", "qid", "value", "reviewer", "via", "order", "mode", "time")
        columns = "id, kind, item, list, value, reviewer, via, order_no, mode, time"
        query = f"SELECT seq, {columns} FROM event WHERE seq > ? ORDER BY seq"
        with self._lock:
            rows = self._connection.execute(query, (after,)).fetchall()
        found = ((row[0], dict(zip(names, row[1:], strict=True))) for row in rows)
        return [(seq, Event(**each | {"value": json.loads(each["value"])})) for seq, each in found]

    def add_items(
        self,
        items: Sequence[ProjectItem],
        event: Event,
        vectors: AnyArray | None = None,
        labels: Sequence[Event] = (),
    ) -> int:
        """Add items, the event that says so and their labels, or nothing; return how many there are now."""
        with self._writing():
            n_items = self.items.add(items, vectors)
            for each in (event, *labels):
                self._append(each)
        return n_items

    def keep_order(self, record: OrderRecord, reviewer: str = "") -> None:
        """Keep what proves an order later: one of all together (""), or of a blind reviewer."""
        with self._writing():
            self._connection.execute(
                "INSERT OR IGNORE INTO order_digest VALUES (?, ?, ?, ?)",
                (reviewer, record.number, record.digest, json.dumps(record.first)),
            )

    def orders(self, reviewer: str = "") -> list[OrderRecord]:
        """Return what is kept of the orders, in their order."""
        query = "SELECT number, digest, first FROM order_digest WHERE reviewer = ? ORDER BY number"
        with self._lock:
            rows = self._connection.execute(query, (reviewer,)).fetchall()
        return [OrderRecord(number, digest, tuple(json.loads(first))) for number, digest, first in rows]

    def ordered_for(self) -> list[str]:
        """Return for whom orders are kept: "" for all together, and blind reviewers."""
        with self._lock:
            found = self._connection.execute("SELECT DISTINCT reviewer FROM order_digest ORDER BY reviewer")
            return [name for (name,) in found]

    def save_copy(self, target: str | os.PathLike[str]) -> None:
        """Write the whole project into one consistent file, which appears when it is complete."""
        with self._lock:
            _copy(self._connection, Path(target))

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
            for key in OF_THE_OWNER:
                project._connection.execute("DELETE FROM meta WHERE key = ?", (key,))
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


def _copy(connection: sqlite3.Connection, target: Path) -> None:
    """Write all that is committed into another file, which appears when it is complete."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    part.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(part)) as copy:
            connection.backup(copy)
        os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


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

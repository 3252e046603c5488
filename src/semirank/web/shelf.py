"""All projects that this server knows: open ones, recent ones, and files on their way to become one."""

import json
import os
import re
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.feedback import Event, Items, find_copies
from semirank.web.demos import DEMOS
from semirank.web.matching import match, renamed
from semirank.web.people import OWNER, Person
from semirank.web.project import Lock, Project, ProjectError, ProjectItem
from semirank.web.session import IMPORTED, SYSTEM, Session
from semirank.web.uploads import Upload, UploadError, safe_name

MOST_RECENT = 20
RECENT = ".recent.json"


class Shelf:
    """The projects of a server.

    Parameters
    ----------
    folder : path
        Where new projects are put.
    users : bool
        Whether projects may have several reviewers.
    """

    def __init__(self, folder: Path, *, users: bool = False) -> None:
        self.folder = folder
        self.users = users
        self._lock = threading.RLock()
        self._open: dict[str, Session] = {}
        self._uploads: dict[str, Upload] = {}
        self._temporary = tempfile.TemporaryDirectory(prefix="semirank-")
        self.uploads_folder = Path(self._temporary.name)

    def close(self) -> None:
        """Close everything that is open."""
        with self._lock:
            for session in self._open.values():
                session.close()
            self._open.clear()
        self._temporary.cleanup()

    # projects

    def session(self, key: str) -> Session | None:
        """Return an open project, or open one that is known; None: there is none of this key."""
        with self._lock:
            if key not in self._open:
                path = self._known().get(key)
                if path is None:
                    return None
                return self.open(path)
            return self._open[key]

    def open(self, path: Path) -> Session:
        """Open a project file, and remember it."""
        path = path.resolve()
        with self._lock:
            for session in self._open.values():
                if session.project.path == path:
                    return session
            lock = Lock(path)
            try:
                key = self._remember(path)
                session = Session(Project.open(path), key, users=self.users, lock=lock)
            except BaseException:
                lock.release()
                raise
            self._open[key] = session
            return session

    def sessions(self) -> list[Session]:
        """Return the projects that are open."""
        with self._lock:
            return [*self._open.values()]

    def recent(self) -> list[dict[str, Any]]:
        """Return the projects that are still there, those changed last first."""
        found = []
        for key, path in self._known().items():
            with suppress(ProjectError, OSError, ValueError, sqlite3.Error):
                session = self._open.get(key)
                found.append({"key": key, **_summary(path, None if session is None else session.project)})
        return sorted(found, key=lambda each: each["changed"], reverse=True)

    def _known(self) -> dict[str, Path]:
        known = {}
        with suppress(OSError, ValueError):
            known = {key: Path(path) for key, path in json.loads((self.folder / RECENT).read_text()).items()}
        return {key: path for key, path in known.items() if path.is_file()}

    def _remember(self, path: Path) -> str:
        known = self._known()
        key = next((key for key, each in known.items() if each == path), None)
        if key is None:
            key = _new_key(path.stem, known)
            known = dict([*known.items(), (key, path)][-MOST_RECENT:])
            self.folder.mkdir(parents=True, exist_ok=True)
            part = self.folder / f"{RECENT}.{os.getpid()}.part"
            part.write_text(json.dumps({key: str(path) for key, path in known.items()}))
            os.replace(part, self.folder / RECENT)
        return key

    def new_path(self, name: str) -> Path:
        """Return a path for a new project that nothing stands at yet."""
        self.folder.mkdir(parents=True, exist_ok=True)
        stem = safe_name(name).split(".")[0] or "project"
        names = (stem if n == 1 else f"{stem}-{n}" for n in range(1, 10_000))
        return next(p for each in names if not (p := self.folder / f"{each}.semirank").exists())

    # demos and imports

    def demo(self, name: str) -> Session:
        """Open a demo; it is made when it is first asked for."""
        path = self.folder / f"demo-{name}.semirank"
        with self._lock:
            if not path.exists():
                self.folder.mkdir(parents=True, exist_ok=True)
                items, vectors, settings = DEMOS[name].make()
                make(path, items, vectors, {"name": DEMOS[name].title, **settings}).close()
            return self.open(path)

    def put(self, upload: Upload) -> Upload:
        """Keep a file that is on its way."""
        upload.folder = self.uploads_folder / f"{upload.id}-images"
        with self._lock:
            self._uploads[upload.id] = upload
        return upload

    def upload(self, name: str) -> Upload | None:
        """Return a file that is on its way."""
        return self._uploads.get(name)

    def forget(self, upload: Upload) -> None:
        """Let go of a file that has become a project, or part of one; one of the user's own stays."""
        with self._lock:
            self._uploads.pop(upload.id, None)
        for path in (upload.path, *upload.beside):
            if path.is_relative_to(self.uploads_folder):
                path.unlink(missing_ok=True)
        if upload.folder is not None:
            shutil.rmtree(upload.folder, ignore_errors=True)

    def join(self, upload: Upload, other: Upload) -> None:
        """Read one file together with another, which is no upload of its own any more."""
        with self._lock:
            self._uploads.pop(other.id, None)
        upload.into, upload.beside = other.into, {**other.beside, other.path: other.name}

    def import_(
        self,
        upload: Upload,
        roles: Mapping[str, str],
        *,
        name: str | None = None,
        scale: dict[str, Any] | None = None,
        target: dict[str, Any] | None = None,
    ) -> Session:
        """Make a project of a file, and open it."""
        path = self.new_path(name or upload.name) if upload.target is None else upload.target
        if upload.format == "project":
            Project.take_over(upload.path, path).close()
            return self.open(path)
        items, labels = upload.items(roles), upload.labels(roles)
        events = [*_label_events(items, labels), *_settings_events(labels, scale, target)]
        settings: dict[str, Any] = {"name": name or safe_name(upload.name).split(".")[0], "kind": upload.kind}
        if upload.images is not None:
            settings["images"] = str(upload.images.resolve())
        with _images_beside(path, upload) as folder:
            make(path, items, upload.vectors, settings | folder, events).close()
        return self.open(path)

    def add_to(self, session: Session, upload: Upload, roles: Mapping[str, str], person: Person) -> None:
        """Add a file to a project: new items, and labels of known items without a verdict that one sees."""
        items, labels = upload.items(roles), upload.labels(roles)
        self._check_addition(session, upload, labels)
        with session.lock:  # no verdict comes between looking for verdicts and adding labels
            found = match(session.view_of(person).state, items, labels)
            kept = renamed([items[row] for row in found.new], session.items)
            vectors = None if upload.vectors is None else upload.vectors[found.new]
            session.grow(kept, _label_events(kept, labels[found.new], f"import-{upload.id}"), vectors)
            rows = [*found.labels]
            known = [ProjectItem(session.items.ids[row], qid=session.items.list_of(row)) for row in rows]
            values = np.array([found.labels[row] for row in rows])
            session.add(_label_events(known, values, f"import-{upload.id}-known"), person)

    def additions(self, upload: Upload, person: Person) -> dict[str, int] | None:
        """Count what a file would add to its project; None for one that becomes a project."""
        session = None if upload.into is None or upload.state != "ready" else self.session(upload.into)
        if session is None:
            return None
        items, labels = upload.items(upload.roles), upload.labels(upload.roles)
        with session.lock:
            return match(session.view_of(person).state, items, labels).counts()

    def _check_addition(self, session: Session, upload: Upload, labels: Floats) -> None:
        """Refuse what does not fit to a project."""
        width = None if upload.vectors is None else upload.vectors.shape[1]
        if session.items.are_texts != (width is None):
            raise UploadError("Texts can be added to texts, and vectors to vectors of the same length.")
        if width is not None and width != session.items.features.shape[1]:
            raise UploadError(f"Vectors here have {session.items.features.shape[1]} numbers.")
        scale = {float(grade) for grade in session.scale["names"]}
        missing = [each for each in np.unique(labels[~np.isnan(labels)]).tolist() if each not in scale]
        if missing:
            raise UploadError(
                f"The file has the label {missing[0]:g}, which is not on the scale of the project. Leave the "
                "column of labels out, or correct it."
            )


@contextmanager
def _images_beside(path: Path, upload: Upload) -> Iterator[dict[str, str]]:
    """Move images that were unpacked beside the project, and name the folder; or back into nothing."""
    if upload.folder is None or not upload.folder.is_dir():
        yield {}
        return
    folders = (path.with_suffix(f".images{n or ''}") for n in count())
    folder = next(each for each in folders if not each.exists())
    try:
        shutil.move(upload.folder, folder)
        yield {"images": folder.name}
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def make(
    path: Path,
    items: Sequence[ProjectItem],
    vectors: Any,
    settings: Mapping[str, Any],
    events: Sequence[Event] = (),
) -> Project:
    """Make a project file with what came along: labels first, then exact copies as groups."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    everything = [*_group_events(items), *events]
    stamped = [
        Event(**{**event.to_dict(), "time": now, "reviewer": event.reviewer or SYSTEM})
        for event in everything
    ]
    fixed = {"n_items": len(items), "created": now, **settings}
    return Project.create(path, items, vectors, fixed, stamped)


def _label_events(items: Sequence[ProjectItem], labels: Any, prefix: str = "import") -> list[Event]:
    return [
        Event(f"{prefix}-{row}", "label", item.id, item.qid, _whole(label), OWNER, mode=IMPORTED)
        for row, (item, label) in enumerate(zip(items, labels.tolist(), strict=True))
        if label == label
    ]


def _whole(label: float) -> float:
    return int(label) if label.is_integer() else label


def _settings_events(labels: Any, scale: dict[str, Any] | None, target: dict[str, Any] | None) -> list[Event]:
    """Return the scale and the target that were chosen; labels that are grades need a scale."""
    grades = np.unique(labels[~np.isnan(labels)]).tolist()
    events = []
    if scale is not None:
        missing = [each for each in grades if each not in {float(name) for name in scale["names"]}]
        if missing:
            raise UploadError(f"The file has the label {missing[0]:g}, which is not on the scale.")
    elif not set(grades) <= {0.0, 1.0}:
        if len(grades) > 20:
            raise UploadError(f"The column of labels has {len(grades)} different numbers; grades are few.")
        scale = {"names": {f"{each:g}": f"{each:g}" for each in grades}, "relevant": _least_relevant(grades)}
    if scale is not None:
        events.append(Event("import-scale", "scale", value=scale, reviewer=OWNER, mode=IMPORTED))
    if target is not None:
        events.append(Event("import-target", "target", value=target, reviewer=OWNER, mode=IMPORTED))
    return events


def _least_relevant(grades: Sequence[float]) -> float:
    return min((each for each in grades if each > 0), default=1.0)


def _group_events(items: Sequence[ProjectItem]) -> list[Event]:
    titles = ["" if each.title == each.id else each.title for each in items]
    dois = [str(each.meta.get("doi") or "") for each in items]
    ids = [str(row) for row in range(len(items))]
    known = Items(ids, titles, [each.qid for each in items], titles, dois)
    return [
        Event(
            f"group-{group[0]}", "group", items[group[0]].id, items[group[0]].qid,
            value=[items[row].id for row in group[1:]],
        )
        for group in find_copies(known).exact
    ]  # fmt: skip


def _new_key(stem: str, known: Mapping[str, Path]) -> str:
    slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")[:60] or "project"
    return next(key for n in range(1, 10_000) if (key := slug if n == 1 else f"{slug}-{n}") not in known)


def _summary(path: Path, project: Project | None) -> dict[str, Any]:
    """Say a few things of a project without opening it for work."""
    with nullcontext(project) if project is not None else Project.open(path) as known:
        settings, n_items, verdicts = known.settings, len(known.items), _verdicts(known.events())
    changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return {
        "name": str(settings.get("name") or path.stem),
        "kind": settings.get("kind", "texts"),
        "n_items": n_items,
        "n_read": len(verdicts),
        "n_found": sum(value is not None and value > 0 for value in verdicts.values()),
        "changed": changed,
    }


def _verdicts(events: Sequence[Event]) -> dict[tuple[str | None, str | None], float | None]:
    """Return the last verdict on each item that was read, as far as it stands."""
    undone: set[str] = set()
    for event in events:
        if event.kind in ("undo", "redo"):
            (undone.add if event.kind == "undo" else undone.discard)(event.value)
    standing = (e for e in events if e.id not in undone and e.via not in undone)
    read: dict[tuple[str | None, str | None], float | None] = {}
    for event in standing:
        if event.kind in ("label", "adjudicate", "unsure"):
            read[event.qid, event.item] = event.value
        elif event.kind == "later":
            read.pop((event.qid, event.item), None)
    return read

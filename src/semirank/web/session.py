"""One project at work: events go to disk, an engine follows them, browsers are told."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sklearn.preprocessing import normalize

from semirank.core.arrays import Integers
from semirank.features import TfIdf
from semirank.feedback import Event, Items, RefusedError, State, find_copies
from semirank.registry import ranker_class
from semirank.web.checking import Checks
from semirank.web.jobs import Job, Jobs
from semirank.web.layout import Layouts
from semirank.web.listeners import Listeners
from semirank.web.people import Invitation, Person
from semirank.web.project import Lock, Project, ProjectError, ProjectItem
from semirank.web.views import Published, View

LEASE = 300.0  # seconds that an item which was handed out is kept for one reviewer
FOR_THE_OWNER = ("target", "scale", "ranker", "adjudicate", "audit", "stop")
GIVEN_TO_COPIES = ("label", "unsure", "later")
IMPORTED = "import"  # the mode of labels that came with the data
SYSTEM = ""  # who groups copies


@dataclass(frozen=True)
class Taken:
    """What became of an event: its number, rows of copies that got the same verdict, what was undone."""

    event: Event
    seq: int | None = None
    also: tuple[int, ...] = ()
    undid: Event | None = None
    refused: str | None = None


class Session:
    """A project, the state that follows from its events, and the thread that ranks.

    Parameters
    ----------
    project : Project
        The open file.
    key : str
        Its name in addresses.
    users : bool
        Whether there may be several reviewers.
    lock : Lock, optional
        Held on the file for as long as the session is open.
    """

    items: Items
    shared: View

    def __init__(self, project: Project, key: str, *, users: bool = False, lock: Lock | None = None) -> None:
        self.project = project
        self.key = key
        self.users = users
        self._file_lock = lock
        self.lock = threading.RLock()
        self.listeners = Listeners()
        self.jobs = Jobs(lambda job: self.listeners.tell("job", job))
        self.last_event = 0.0
        self.checks = Checks(self)
        self._backed_up = ""
        self._leases: dict[str, tuple[float, set[int]]] = {}
        self._wake, self._closed = threading.Event(), threading.Event()
        self._load()
        self._thread = threading.Thread(target=self._work, name=f"engine {key}", daemon=True)
        self._thread.start()

    def _load(self) -> None:
        """Read items and events, and fold them."""
        self.settings = self.project.settings
        self.items = self.project.items.as_items()
        self._vectors: Any = None
        self._unit: Any = None
        self.layouts = Layouts(self.items, self.jobs)
        self.shared = View(self.items, self._n_first)
        self._views: OrderedDict[str, View] = OrderedDict()
        self._seqs: dict[str, int] = {}
        events = self.project.numbered_events()
        try:
            self.shared.add(event for _, event in events)
        except RefusedError as error:
            raise ProjectError(f"{self.project.path}: an event of it cannot be ({error})") from error
        self._seqs = {event.id: seq for seq, event in events}
        self.last_seq = events[-1][0] if events else 0
        self._wake.set()

    @property
    def _n_first(self) -> int:
        """How many items there were before any import event."""
        return int(self.settings.get("n_items", len(self.items)))

    @property
    def state(self) -> State:
        """What follows from all events; read it under `lock`."""
        return self.shared.state

    @property
    def name(self) -> str:
        """What the project is called."""
        return str(self.settings.get("name") or self.project.path.stem)

    @property
    def kind(self) -> str:
        """Texts, vectors or images."""
        return str(self.settings.get("kind") or ("texts" if self.items.are_texts else "vectors"))

    @property
    def is_closed(self) -> bool:
        """Whether the session has ended."""
        return self._closed.is_set()

    def close(self) -> None:
        """End the thread and close the file; what was acknowledged is there already."""
        self._closed.set()
        self._wake.set()
        self.jobs.close()
        self._thread.join()
        self.project.close()
        if self._file_lock is not None:
            self._file_lock.release()

    def change(self, settings: dict[str, Any]) -> None:
        """Change settings, for good."""
        with self.lock:
            self.project.set(settings)
            self.settings = self.project.settings

    def number_of(self, event: Event) -> int:
        """Return the number of an event."""
        return self._seqs[event.id]

    def tags(self, state: State) -> list[str]:
        """Return all tags in use, in alphabetical order."""
        return sorted({tag for event in state.standing("tag") for tag in event.value})

    @property
    def vectors(self) -> Any:
        """What likeness is measured by: the vectors of the items, or the words of their texts."""
        if self._vectors is None:
            features = self.items.features
            self._vectors = TfIdf().fit_transform(features) if self.items.are_texts else features
        return self._vectors

    @property
    def unit_vectors(self) -> Any:
        """The same with length 1, so that products are cosines."""
        if self._unit is None:
            self._unit = normalize(self.vectors)
        return self._unit

    def evidence(self, view: View, qid: str | None) -> Any:
        """Return how much is probably left; computed once for each state."""
        from semirank.web.evidence import about

        key = (self.last_seq, view.published.order.number, qid)
        if key not in view.evidence:
            found = about(view, qid, self.project.orders(view.reviewer or ""))
            view.evidence = {each: value for each, value in view.evidence.items() if each[:2] == key[:2]}
            view.evidence[key] = found
        return view.evidence[key]

    def conflicts(self) -> list[int]:
        """Return the rows on which reviewers disagree and nobody has decided."""
        found = (row for row in self.rows_with(self.state, "label"))
        return [row for row in found if self.state.taught(row).source in ("majority", "any relevant")]

    def rows_with(self, state: State, kind: str) -> list[int]:
        """Return the rows that an event of a kind stands about, in order."""
        rows = (state.row_of(event) for event in state.standing(kind))
        return sorted({row for row in rows if row is not None})

    def invite(self, invitations: Sequence[Invitation]) -> None:
        """Keep these invitations, and no others."""
        self.change({"invitations": [each.to_dict() for each in invitations]})

    def invitations(self) -> list[Invitation]:
        """Return the invitations that hold."""
        return [Invitation(**each) for each in self.settings.get("invitations", ())]

    # who sees what

    def is_blind(self, person: Person) -> bool:
        """Tell whether somebody must not know of the others' verdicts."""
        double = self.settings.get("double", "none")
        if not self.users or double == "none":
            return False
        return double == "all" or bool(len(self.pilot_left(person)))

    def pilot_left(self, person: Person) -> Integers:
        """Return the rows that everybody reads first and this person has not."""
        with self.lock:
            n = min(int(self.settings.get("double_n", 0)), self.state.n_items)
            rows = np.argsort(self.items.hashes(0, "pilot")[: self.state.n_items], kind="stable")[:n]
            rows = np.unique(self.state.groups[rows])
            return rows[~self.state.read_by(person.name)[rows]]

    def view_of(self, person: Person) -> View:
        """Return what a person may see; a view of one's own is made when it is first asked for."""
        if not self.is_blind(person):
            return self.shared
        with self.lock:
            if person.name not in self._views:
                view = View(self.items, self._n_first, person.name)
                view.add(self.state.events)
                self._views[person.name] = view
                self._wake.set()
            return self._views[person.name]

    def hidden_from(self, person: Person) -> Integers:
        """Return the rows that are not handed out: those that others hold, or that come after a pilot."""
        if self.is_blind(person):
            if self.settings.get("double") != "first":
                return np.zeros(0, dtype=np.int64)
            return np.setdiff1d(np.arange(self.state.n_items), self.pilot_left(person))
        now = time.monotonic()
        held = [rows for name, (end, rows) in self._leases.items() if name != person.name and end > now]
        return np.array(sorted(set().union(*held)), dtype=np.int64)

    def lease(self, person: Person, rows: Sequence[int]) -> None:
        """Keep rows for a person, instead of those kept before."""
        if self.users and not self.is_blind(person):
            self._leases[person.name] = (time.monotonic() + LEASE, set(map(int, rows)))

    # events

    def add(self, events: Sequence[Event], person: Person) -> list[Taken]:
        """Take events of a person, write them to disk, and say what became of each.

        When this has returned, what has a number is on disk.
        """
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self.lock:
            if self.project.read_only:
                raise ProjectError(f"{self.project.path}: was made by a newer semirank, and is only read.")
            taken: list[Taken] = []
            new: list[Event] = []
            for event in events:
                one, made = self._take(replace(event, reviewer=person.name, time=now), person)
                taken.append(one)
                new += made
            self._write(new)
        return [self._numbered(each) for each in taken]

    def _numbered(self, taken: Taken) -> Taken:
        return taken if taken.refused else replace(taken, seq=self._seqs[taken.event.id])

    def _take(self, event: Event, person: Person) -> tuple[Taken, list[Event]]:
        """Fold an event and the copies of its verdict; return what is to be written."""
        if event.id in self._seqs:
            return self._known(event), []
        try:
            self._check(event, person)
            event = self._meant(event)
            self.shared.take(event)
        except RefusedError as refusal:
            return Taken(event, refused=str(refusal)), []
        made = [event, *self._copies(event)]
        for copy in made[1:]:
            self.shared.take(copy)
        for each in made:
            self._seqs[each.id] = 0  # until it is written
        rows = (self.state.row_of(copy) for copy in made[1:])
        return Taken(event, also=tuple(r for r in rows if r is not None), undid=self._undone(event)), made

    def _known(self, event: Event) -> Taken:
        """Answer again for an event that was taken before."""
        known = self.state.event(event.id)
        if known is None or (known.reviewer, known.kind) != (event.reviewer, event.kind):
            return Taken(event, refused=f"Another event has the id {event.id!r}.")
        copies = (self.state.row_of(each) for each in self.state.copies_of(event.id))
        return Taken(known, also=tuple(r for r in copies if r is not None), undid=self._undone(known))

    def _undone(self, event: Event) -> Event | None:
        return self.state.event(event.value) if event.kind in ("undo", "redo") else None

    def _write(self, events: list[Event]) -> None:
        """Put events on disk and tell everybody; if that fails, nothing has happened."""
        if not events:
            return
        try:
            numbers = self.project.append(events)
        except BaseException:
            self._load()
            raise
        self._seqs.update(zip((event.id for event in events), numbers, strict=True))
        self.last_seq = max(self.last_seq, *numbers)
        self.last_event = time.monotonic()
        for view in self._views.values():
            view.add(events)
        self._wake.set()
        self._back_up_daily()
        for event, seq in zip(events, numbers, strict=True):
            self.listeners.tell_event(event, seq, self.state.row_of(event))

    def _check(self, event: Event, person: Person) -> None:
        """Refuse what a person may not do, and what a ranker or a scale cannot be."""
        if person.role == "reader":
            raise RefusedError("A reader can only look.")
        if event.kind in FOR_THE_OWNER and person.role != "owner":
            raise RefusedError(f"Only the owner of the project can do this ({event.kind}).")
        if event.kind == "ranker" and isinstance(event.value, dict):
            try:
                ranker_class(str(event.value.get("name")))(**event.value.get("settings") or {})
            except (ValueError, TypeError) as error:
                raise RefusedError(f"There is no such ranker: {error}") from None
        if event.kind == "scale" and isinstance(event.value, dict):
            self._check_scale(event.value)
        if (
            event.kind == "label"
            and isinstance(event.value, (int, float))
            and not self._on_scale(event.value)
        ):
            raise RefusedError(f"The scale has no grade {event.value!r}: {', '.join(self.scale['names'])}.")

    def _check_scale(self, scale: dict[str, Any]) -> None:
        names = scale.get("names")
        if not isinstance(names, dict) or not all(_is_grade(grade) for grade in names):
            raise RefusedError("The names of a scale go with grades that are numbers.")
        used = np.unique(self.state.y[~np.isnan(self.state.y)])
        lost = [value for value in used.tolist() if value not in {float(grade) for grade in names}]
        if lost:
            raise RefusedError(f"The grade {lost[0]:g} is in use; names may change, grades in use may not.")

    def _on_scale(self, value: float) -> bool:
        return float(value) in {float(grade) for grade in self.scale["names"]}

    @property
    def scale(self) -> dict[str, Any]:
        """The scale that stands."""
        event = self.state.last("scale")
        return {"names": {"0": "not", "1": "relevant"}, "relevant": 1} if event is None else event.value

    def _meant(self, event: Event) -> Event:
        """Say which event is undone or redone, where the browser leaves it open."""
        if event.kind not in ("undo", "redo") or event.value is not None:
            return event
        if event.kind == "undo":
            # never the labels that came with data: they were no step of the reviewer's
            found = self.state.last_undoable(event.reviewer, besides=IMPORTED)
        else:
            found = self.state.last_redoable(event.reviewer)
        if found is None:
            raise RefusedError(f"There is nothing to {event.kind}.")
        return replace(event, value=found.id)

    def _copies(self, event: Event) -> list[Event]:
        """Return the same verdict for each copy of an item."""
        row = self.state.row_of(event)
        if event.kind not in GIVEN_TO_COPIES or row is None or event.via is not None:
            return []
        return [
            replace(event, id=f"{event.id}/{other}", item=self.items.ids[other], via=event.id)
            for other in self.state.copies(row)
        ]

    def group_near(self) -> None:
        """Group items that are nearly the same, in the background."""
        self.jobs.start("near copies", self._group_near, "Looking for items that are nearly the same.")

    def _group_near(self, job: Job) -> int:
        groups = find_copies(self.items, self.vectors).near
        job.check()
        lists = self.items.qid
        events = [
            Event(
                f"near-{group[0]}-{self.last_seq}", "group", self.items.ids[group[0]],
                None if lists is None else lists[group[0]],
                value=[self.items.ids[row] for row in group[1:]],
            )
            for group in groups
        ]  # fmt: skip
        self.add(events, Person(SYSTEM))
        return len(groups)

    def _back_up_daily(self) -> None:
        """Write a copy beside the file once a day; the last five are kept."""
        today = datetime.now(UTC).date().isoformat()
        if self._backed_up != today:
            self._backed_up = today
            self.jobs.start("backup", lambda job: self.project.back_up(today).name, "Daily backup.")

    def grow(self, items: Sequence[ProjectItem], events: Sequence[Event], vectors: Any = None) -> None:
        """Add items and the labels that they came with, all or nothing, and go on with them."""
        if not items:
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        with self.lock:
            total = len(self.items) + len(items)
            came = Event(f"import-{total}-{self.last_seq}", "import", value=total, reviewer=SYSTEM, time=now)
            self.project.add_items(items, came, vectors, [replace(each, time=now) for each in events])
            self._load()
        self.listeners.tell_order(None)

    # the engine

    def _work(self) -> None:
        """Wait for events, fold all that came, rank, publish, tell, prepare; until the session is closed."""
        while True:
            self._wake.wait()
            self._wake.clear()
            if self._closed.is_set():
                return
            with self.lock:
                views = [*self._views.values()]
                if not views or self.settings.get("double") != "all":
                    views.append(self.shared)
            for view in views:
                self._rank(view)
            for view in views:
                if not self._wake.is_set():
                    view.prepare()

    def _rank(self, view: View) -> None:
        try:
            record = view.rank()
            if record is None:
                return
            if not self.project.read_only:
                self.project.keep_order(record, view.reviewer or "")
            self.listeners.tell_order(view.reviewer)
            if view is self.shared:
                self.checks.start_if_due()
        except Exception:
            logging.getLogger("semirank").exception("The order could not be computed.")
            if not self._closed.is_set():
                self.listeners.tell_order(view.reviewer)

    def wait_for_order(self, person: Person, seconds: float = 60.0) -> Published:
        """Wait until the order is as new as the events; for exports and tests."""
        view, end = self.view_of(person), time.monotonic() + seconds
        while time.monotonic() < end:
            if view.published.order.number >= view.state.number:
                break
            self._wake.set()
            time.sleep(0.005)
        return view.published


def _is_grade(name: str) -> bool:
    with suppress(ValueError):
        return abs(float(name)) < float("inf")
    return False

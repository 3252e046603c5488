"""What follows from the events: a fold, and nothing else is true."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.feedback.events import (
    ABOUT_ITEMS,
    CHANGES_ORDER,
    UNDOABLE,
    VERDICTS,
    Event,
    RefusedError,
    check_event,
)
from semirank.feedback.items import Items
from semirank.feedback.labels import NOTHING, Taught, combine


class Question(NamedTuple):
    """What somebody looks for, in words, and in which list."""

    text: str
    qid: str


class AuditStart(NamedTuple):
    """What an audit begins with: the rows that were unread, copies once, and how many relevant were known."""

    id: str
    unread: Integers
    n_found: int


class State:
    """What stands after the events so far.

    Events are applied one by one, and the state after the same events is the same, however they came. Only an
    event that may follow those before it is taken; `apply` refuses others, and changes nothing then.

    Parameters
    ----------
    items : Items
        What events are about.
    events : iterable of Event
        What has happened so far.
    n_items : int, optional
        How many of the items are there at the beginning, before any ``import`` event. None: all.

    Attributes
    ----------
    events : list of Event
        Those that were applied, in order.
    number : int
        How many of them can change the order of the items: the number of the order that follows from them.
    n_items : int
        Items that are there now; the others have not been imported yet.
    y : float64 array of shape (n_items,)
        The label that each item teaches (`labels.combine`), NaN where it teaches nothing. A copy.

    See Also
    --------
    Event : what it is made of.
    Engine : turns it into an order.

    Notes
    -----
    An event costs the same however many came before it, but for ``audit``, which looks at every item.

    Examples
    --------
    >>> from semirank.feedback import Event, Items, State
    >>> state = State(Items(["a", "b", "c"], ["heart", "kidney", "liver"]))
    >>> state.apply(Event("1", "label", "a", value=1, reviewer="ann"))
    True
    >>> state.apply(Event("2", "label", "b", value=0, reviewer="ann"))
    True
    >>> state.y
    array([ 1.,  0., nan])
    >>> state.apply(Event("3", "undo", value="2", reviewer="ann"))
    True
    >>> state.y, state.number
    (array([ 1., nan, nan]), 3)
    """

    def __init__(self, items: Items, events: Iterable[Event] = (), n_items: int | None = None) -> None:
        self.items = items
        self.events: list[Event] = []
        self.number = 0
        self.n_items = len(items) if n_items is None else n_items
        self._by_id: dict[str, Event] = {}
        self._rows: dict[str, int] = {}  # of events about items
        self._place: dict[str, int] = {}
        self._undone: set[str] = set()
        self._copies: dict[str, list[str]] = defaultdict(list)  # of a verdict: events via it
        self._about: dict[int, list[Event]] = defaultdict(list)
        self._of_kind: dict[str, list[Event]] = defaultdict(list)
        self._by_reviewer: dict[str, list[Event]] = defaultdict(list)
        self._taught: dict[int, Taught] = {}
        self._standing: dict[str, dict[int, Event]] = defaultdict(dict)  # verdicts, by reviewer and row
        self._y = np.full(len(items), np.nan)
        self._counted = np.full(len(items), np.nan)  # the label, where reviewers agree
        self._read_at = np.full(len(items), -1)  # the place of the event that first read it
        self._audits: dict[str, AuditStart] = {}
        self._group = np.arange(len(items))
        self._members_of: dict[int, list[int]] = {}  # of groups of more than one
        for event in events:
            self.apply(event)

    def apply(self, event: Event) -> bool:
        """Take an event; return whether it was new: one with a known id is taken once.

        Raises
        ------
        RefusedError
            The event cannot follow those before it; nothing has changed.
        """
        if event.id in self._by_id:
            if self._by_id[event.id] != event:
                raise RefusedError(f"Another event has the id {event.id!r}.")
            return False
        check_event(event)
        row = self._row_of(event)
        concerned = self._check_undo(event) if event.kind in ("undo", "redo") else []
        self._check_others(event, row)
        if row is not None:
            self._rows[event.id] = row
            self._about[row].append(event)
        self._keep(event)
        self._follow(event, concerned)
        return True

    @property
    def y(self) -> Floats:
        """The label that each item teaches; NaN: none."""
        return self._y[: self.n_items].copy()

    def labels_of(self, reviewer: str) -> Floats:
        """Return the labels of one reviewer, NaN where there is none: what a blind one's order is made of."""
        labels = np.full(self.n_items, np.nan)
        for row, verdict in self._standing[reviewer].items():
            if verdict.kind == "label":
                labels[row] = verdict.value
        return labels

    def event(self, name: str) -> Event | None:
        """Return the event of this id, undone or not."""
        return self._by_id.get(name)

    def copies_of(self, name: str) -> list[Event]:
        """Return the events that came with an event: the same verdict for its copies."""
        return [self._by_id[each] for each in self._copies.get(name, ())]

    def stands(self, event: Event) -> bool:
        """Tell whether an event is not undone."""
        return event.id not in self._undone

    def taught(self, row: int) -> Taught:
        """Return the label that an item teaches, and by whose word."""
        return self._taught.get(row, NOTHING)

    def verdict(self, row: int, reviewer: str) -> Event | None:
        """Return a reviewer's verdict on an item that stands: the last one that is not undone."""
        return self._standing[reviewer].get(row)

    def verdicts(self, row: int) -> dict[str, Event]:
        """Return the verdict of each reviewer on an item, as far as it stands."""
        return {
            each.reviewer: each for each in self.history(row) if each.kind in VERDICTS and self.stands(each)
        }

    def notes(self, row: int) -> dict[str, str]:
        """Return the note of each reviewer on an item."""
        notes = {e.reviewer: e.value for e in self.history(row) if e.kind == "note" and self.stands(e)}
        return {reviewer: note for reviewer, note in notes.items() if note}

    def tags(self, row: int) -> tuple[str, ...]:
        """Return the tags of an item."""
        given = [each for each in self.history(row) if each.kind == "tag" and self.stands(each)]
        return tuple(given[-1].value) if given else ()

    def history(self, row: int) -> list[Event]:
        """Return all events about an item, undone or not, oldest first."""
        return self._about.get(row, [])

    def row_of(self, event: Event) -> int | None:
        """Return the row number of the item that an event is about."""
        return self._rows.get(event.id)

    def standing(self, kind: str) -> list[Event]:
        """Return the events of a kind that stand, oldest first."""
        return [each for each in self._of_kind[kind] if self.stands(each)]

    def last(self, kind: str) -> Event | None:
        """Return the last event of a kind that stands: the target, scale, ranker or stop that holds."""
        return next((each for each in reversed(self._of_kind[kind]) if self.stands(each)), None)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions that stand; each ranks like a relevant item of its list."""
        standing = (each for each in self._of_kind["seed"] if self.stands(each))
        return tuple(Question(each.value, each.qid or self.items.lists[0]) for each in standing)

    @property
    def groups(self) -> Integers:
        """For each item the row of the first of its copies; itself where it has none."""
        return self._group[: self.n_items].copy()

    @property
    def n_distinct(self) -> int:
        """How many items there are, copies counted once."""
        return self.n_items - sum(len(members) - 1 for members in self._members_of.values())

    @property
    def read(self) -> Booleans:
        """Whether somebody has read each item; an item whose copy was read counts as itself."""
        return self._read_at[: self.n_items] >= 0

    def copies(self, row: int) -> list[int]:
        """Return the rows of the other copies of an item."""
        return [other for other in self._members_of.get(int(self._group[row]), ()) if other != row]

    def read_by(self, reviewer: str) -> Booleans:
        """Whether a reviewer has read each item."""
        read = np.zeros(self.n_items, dtype=bool)
        read[[row for row, each in self._standing[reviewer].items() if each.kind != "later"]] = True
        return read

    def put_off(self, reviewer: str) -> list[int]:
        """Return the rows that a reviewer wants to read later, those put off first at the front."""
        later = [(self._place[e.id], row) for row, e in self._standing[reviewer].items() if e.kind == "later"]
        return [row for _, row in sorted(later)]

    @property
    def audit(self) -> AuditStart | None:
        """What the audit that stands began with; None: there is none."""
        event = self.last("audit")
        return None if event is None else self._audits[event.id]

    def reading(self, qid: str | None = None) -> tuple[Integers, Floats]:
        """Return the rows that were read, in reading order, copies once, with a label each, for `stopping`.

        The label is NaN where reviewers are unsure or disagree, or copies differ: `stopping` counts such an
        item in the way that is worse for the claim.
        """
        read = np.flatnonzero(self._read_at[: self.n_items] >= 0)
        if qid is not None:
            read = read[self.items.list_numbers[read] == self.items.lists.index(qid)]
        groups, members = np.unique(self._group[read], return_inverse=True)
        first = np.full(len(groups), len(self.events))
        low, high = np.full(len(groups), np.inf), np.full(len(groups), -np.inf)
        np.minimum.at(first, members, self._read_at[read])
        with np.errstate(invalid="ignore"):
            np.minimum.at(low, members, self._counted[read])
            np.maximum.at(high, members, self._counted[read])
        order = np.argsort(first, kind="stable")
        labels = np.where(low == high, low, np.nan)  # NaN where one of the copies is, or they differ
        return groups[order], self._relevance(labels[order])

    def last_undoable(self, reviewer: str, *, besides: str | None = None) -> Event | None:
        """Return what ``undo`` takes back next for a reviewer; events of one mode may be passed over."""
        events = (e for e in reversed(self._by_reviewer[reviewer]) if e.kind in UNDOABLE and e.via is None)
        return next((e for e in events if self.stands(e) and (besides is None or e.mode != besides)), None)

    def last_redoable(self, reviewer: str) -> Event | None:
        """Return what ``redo`` brings back next for a reviewer: nothing once something new was done."""
        for event in reversed(self._by_reviewer[reviewer]):
            if event.kind in UNDOABLE:
                return None
            if event.kind == "undo" and event.value in self._undone:
                return self._by_id[event.value]
        return None

    def _row_of(self, event: Event) -> int | None:
        if event.kind not in ABOUT_ITEMS:
            return None
        try:
            row = self.items.row(str(event.item), event.qid)
        except ValueError as problem:
            raise RefusedError(str(problem)) from None
        if row >= self.n_items:
            raise RefusedError(f"The item {event.item!r} has not been imported yet.")
        return row

    def _check_undo(self, event: Event) -> list[str]:
        """Return the ids of the events that an undo or redo concerns: one, and its copies."""
        known = self._by_id.get(event.value)
        if known is None or known.kind not in UNDOABLE:
            raise RefusedError(f"There is no event {event.value!r} that can be undone.")
        if known.reviewer != event.reviewer:
            raise RefusedError(
                f"The event {event.value!r} is {known.reviewer!r}'s, not {event.reviewer!r}'s."
            )
        if known.via is not None:
            raise RefusedError(f"The event {event.value!r} is undone with {known.via!r}, which it came with.")
        if (known.id in self._undone) == (event.kind == "undo"):
            state = "is undone already" if event.kind == "undo" else "is not undone"
            raise RefusedError(f"The event {event.value!r} {state}.")
        return [known.id, *self._copies[known.id]]

    def _check_others(self, event: Event, row: int | None) -> None:
        if event.via is not None:
            first = self._by_id.get(event.via)
            if first is None or first.reviewer != event.reviewer or first.via is not None:
                raise RefusedError(f"There is no event {event.via!r} of {event.reviewer!r} to come with.")
            if not self.stands(first):
                raise RefusedError(f"The event {event.via!r} is undone, so none can come with it.")
        if event.kind == "import" and not self.n_items <= event.value <= len(self.items):
            raise RefusedError(f"An import leads from {self.n_items} to {len(self.items)} items at most.")
        if event.kind == "group" and row is not None:
            self._members(event, row)
        if event.kind == "seed":
            self._check_question(event)

    def _check_question(self, event: Event) -> None:
        if not self.items.are_texts:
            raise RefusedError(
                "A question needs items that are texts; here, label an item that you look for."
            )
        if event.qid not in (None, *self.items.lists) or (event.qid is None and len(self.items.lists) > 1):
            raise RefusedError(
                "A question must name one of the lists: " + ", ".join(self.items.lists[:5]) + "."
            )

    def _keep(self, event: Event) -> None:
        self._place[event.id] = len(self.events)
        self.events.append(event)
        self._by_id[event.id] = event
        self._of_kind[event.kind].append(event)
        self._by_reviewer[event.reviewer].append(event)
        self.number += event.kind in CHANGES_ORDER
        if event.via is not None:
            self._copies[event.via].append(event.id)

    def _follow(self, event: Event, concerned: list[str]) -> None:
        """Draw the conclusions from an event that was just kept."""
        if event.kind == "undo":
            self._undone.update(concerned)
        elif event.kind == "redo":
            self._undone.difference_update(concerned)
        elif event.kind == "import":
            self.n_items = event.value
        elif event.kind == "audit":
            self._audits[event.id] = self._start_audit(event.id)
        changed = [self._by_id[each] for each in concerned] or [event]
        for row in {self._rows[each.id] for each in changed if each.id in self._rows}:
            self._teach(row)
        if any(each.kind in ("group", "ungroup") for each in changed):
            self._regroup()

    def _teach(self, row: int) -> None:
        decisions = [each for each in self.history(row) if each.kind == "adjudicate" and self.stands(each)]
        verdicts = self.verdicts(row)
        for reviewer in {each.reviewer for each in self.history(row)}:
            self._standing[reviewer].pop(row, None)
        for reviewer, verdict in verdicts.items():
            self._standing[reviewer][row] = verdict
        taught = combine(verdicts, decisions[-1] if decisions else None)
        self._taught[row] = taught
        self._y[row] = taught.label
        self._counted[row] = taught.label if taught.certain else np.nan
        self._read_at[row] = self._first_read(row) if taught.read else -1

    def _regroup(self) -> None:
        """Join items by the groups that stand, in order; one that was taken out stands alone."""
        self._group = np.arange(len(self.items))
        for event in (e for e in self.events if e.kind in ("group", "ungroup") and self.stands(e)):
            row = self._rows[event.id]
            if event.kind == "group":
                joined = np.unique(self._group[self._members(event, row)])
                self._group[np.isin(self._group, joined)] = joined[0]
            else:
                others = np.flatnonzero(self._group == self._group[row])
                others = others[others != row]
                self._group[others] = others.min(initial=len(self._group))
                self._group[row] = row
        self._members_of = defaultdict(list)
        sizes = np.bincount(self._group, minlength=len(self._group))
        for member in np.flatnonzero(sizes[self._group] > 1).tolist():
            self._members_of[int(self._group[member])].append(member)

    def _members(self, event: Event, row: int) -> Integers:
        try:
            return np.array([row, *(self.items.row(item, event.qid) for item in event.value)])
        except ValueError as problem:
            raise RefusedError(str(problem)) from None

    def _start_audit(self, name: str) -> AuditStart:
        rows, labels = self.reading()
        first = np.unique(self.groups)
        unread = first[~np.isin(first, rows)]
        return AuditStart(name, unread, int((labels > 0).sum()))

    def _first_read(self, row: int) -> int:
        kinds = ("label", "unsure", "adjudicate")
        return next(self._place[e.id] for e in self.history(row) if e.kind in kinds and self.stands(e))

    def _relevance(self, labels: Floats) -> Floats:
        """Return 1 for relevant labels by the scale that stands, 0 for others, NaN for undecided ones."""
        scale = self.last("scale")
        relevant = labels > 0 if scale is None else labels >= scale.value["relevant"]
        return np.where(np.isnan(labels), np.nan, relevant.astype(np.float64))

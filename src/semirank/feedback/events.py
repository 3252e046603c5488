"""What happened: events, which are appended and never changed."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, Self, get_args

Kind = Literal[
    "label",
    "unsure",
    "later",
    "adjudicate",
    "note",
    "tag",
    "group",
    "ungroup",
    "seed",
    "audit",
    "target",
    "scale",
    "ranker",
    "stop",
    "undo",
    "redo",
    "import",
    "shown",
    "reserve",
    "check",
]
KINDS: tuple[str, ...] = get_args(Kind)
VERDICTS = ("label", "unsure", "later")
ABOUT_ITEMS = (*VERDICTS, "adjudicate", "note", "tag", "group", "ungroup")
UNDOABLE = (*ABOUT_ITEMS, "seed", "audit", "target", "scale", "ranker", "stop")
CHANGES_ORDER = (*VERDICTS, "adjudicate", "group", "ungroup", "seed", "ranker", "undo", "redo", "import")


class RefusedError(ValueError):
    """An event that cannot follow those before it; the message says why."""


@dataclass(frozen=True)
class Event:
    """One thing that somebody did.

    Attributes
    ----------
    id : str
        Made by whoever did it, unique for ever: a log takes an id once, so that sending again does no harm.
    kind : str
        See the table.
    item, qid : str, optional
        The item that it is about, and its list (None: where only one list has such an item).
    value : JSON value, optional
        See the table.
    reviewer : str
        Who.
    via : str, optional
        For the copies of an item that get its verdict: the id of the event that the verdict was given to.
        Undone with it.
    order, mode : optional
        The number of the order in which the item was shown, and the mode of the queue.
    time : str
        When, for people; nothing is computed from it.

    Notes
    -----
    ============ ======= ========================================================= ==================
    kind         item    value                                                     meaning
    ============ ======= ========================================================= ==================
    label        yes     number                                                    verdict: above 0 is relevant, or a grade
    unsure       yes                                                               verdict: read, undecided, teaches nothing
    later        yes                                                               verdict: not read, comes back at the end
    adjudicate   yes     number                                                    the label, whatever reviewers said
    note         yes     str                                                       replaces the reviewer's note; "" takes it away
    tag          yes     list of str                                               replaces the item's tags
    group        yes     list of item ids                                          these are copies of the item
    ungroup      yes                                                               the item is no copy
    seed                 str                                                       a question, which ranks like a relevant item
    audit                                                                          a random sample of what is unread begins
    target               {"recall": r, "confidence": c}                            what is to be reached
    scale                {"names": {"0": "no", ...}, "relevant": smallest grade}   which grades there are, which are relevant
    ranker               {"name": registry name, "settings": {...}}, or null       what ranks from now on; null: the default
    stop                 JSON                                                      reading has ended, with its numbers
    undo                 id                                                        takes an event of the same reviewer back
    redo                 id                                                        takes the undo of that event back
    import               int                                                       so many items are there from now on
    shown                JSON                                                      kept, and nothing follows from them
    reserve              JSON                                                      likewise
    check                JSON                                                      likewise
    ============ ======= ========================================================= ==================
    """  # noqa: E501

    id: str
    kind: str
    item: str | None = None
    qid: str | None = None
    value: Any = None
    reviewer: str = ""
    via: str | None = None
    order: int | None = None
    mode: str | None = None
    time: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can say it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_dict` returned; names that it does not know are an error."""
        unknown = set(values) - {field.name for field in fields(cls)}
        if unknown:
            raise RefusedError(f"An event has no {sorted(unknown)[0]!r}.")
        return cls(**values)


def check_event(event: Event) -> None:
    """Refuse an event that is wrong by itself, whatever came before it."""
    if not event.id or not isinstance(event.id, str):
        raise RefusedError("An event needs an id of its own.")
    if event.kind not in KINDS:
        raise RefusedError(f"There is no event {event.kind!r}. Known: {', '.join(KINDS)}.")
    if event.kind in ABOUT_ITEMS and event.item is None:
        raise RefusedError(f"A {event.kind} event must name an item.")
    wanted, holds = _VALUES.get(event.kind, ("", _anything))
    if not holds(event.value):
        raise RefusedError(f"The value of a {event.kind} event must be {wanted}; got {event.value!r}.")


def _anything(value: object) -> bool:
    return True


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_some_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _are_texts(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(each, str) for each in value)


def _is_target(value: object) -> bool:
    names = ("recall", "confidence")
    return isinstance(value, dict) and all(_is_number(value.get(n)) and 0 < value[n] < 1 for n in names)


def _is_scale(value: object) -> bool:
    return (
        isinstance(value, dict) and isinstance(value.get("names"), dict) and _is_number(value.get("relevant"))
    )


def _is_ranker(value: object) -> bool:
    return value is None or (isinstance(value, dict) and isinstance(value.get("name"), str))


_VALUES = {
    "label": ("a finite number", _is_number),
    "adjudicate": ("a finite number", _is_number),
    "note": ("a text", _is_text),
    "tag": ("a list of texts", _are_texts),
    "group": ("a list of item ids", _are_texts),
    "seed": ("a text that is not empty", _is_some_text),
    "target": ('{"recall": r, "confidence": c}, both between 0 and 1', _is_target),
    "scale": ('{"names": {grade: name}, "relevant": the smallest relevant grade}', _is_scale),
    "ranker": ('{"name": name, "settings": {...}} or null', _is_ranker),
    "undo": ("the id of an event", _is_some_text),
    "redo": ("the id of an event", _is_some_text),
    "import": ("a number of items", _is_count),
}

"""Which column of a table plays which part: as the caller says, or by its usual name."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal

from semirank.spelling import option

ColumnChoice = str | Literal[False] | None
"""A column, False for none, None for the one with a usual name."""

USUAL_NAMES: Mapping[str, tuple[str, ...]] = {
    "label": (
        "label",
        "relevance",
        "rel",
        "y",
        "included",
        "label_included",
        "included_label",
        "included_final",
        "final_included",
        "included_flag",
        "include",
        "asreview_label",
        "asreview_included",
    ),
    "qid": ("qid", "query_id", "list"),
    "item": ("item", "docid", "item_id", "record_id", "id"),
    "text": ("text", "title", "primary_title", "abstract", "abstract note", "notes_abstract"),
    "score": ("score",),
}
_TITLE, _ABSTRACT = USUAL_NAMES["text"][1:3], USUAL_NAMES["text"][3:]
_NAMELESS = re.compile(r"|Unnamed: \d+|__index_level_\d+__")  # what pandas calls or stores its row numbers as
_ONE_COLUMN = ("label", "qid", "item")
_OF_READING_LIST = ("rank", "score", "why", "row")  # what we put beside the columns of the data
_OF_RAYYAN, DECISIONS_OF_RAYYAN = {"key", "title", "abstract", "notes"}, "notes"


@dataclass(frozen=True)
class Roles:
    """The columns of a table by the part they play; what is named nowhere is not read."""

    label: str | None
    qid: str | None
    item: str | None
    text: tuple[str, ...]
    features: tuple[str, ...]
    beside_text: tuple[str, ...] = ()  # what is not read, because items are ranked by their texts

    @property
    def columns(self) -> list[str]:
        """Every column that is read."""
        one = (self.label, self.qid, self.item)
        return [name for name in (*one, *self.text, *self.features) if name is not None]


def find_roles(
    columns: Sequence[str],
    *,
    label: ColumnChoice = None,
    qid: ColumnChoice = None,
    item: ColumnChoice = None,
    text: ColumnChoice | Sequence[str] = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
) -> Roles:
    """Give every part of a ranking dataset its columns; raise a ValueError where there is any doubt.

    See `semirank.readers.table.read_table` for the rules.
    """
    _check_sequence(features=features, drop=drop)
    _check_distinct(columns)
    options: dict[str, Any] = {"label": label, "qid": qid, "item": item, "text": _as_tuple(text)}
    _check_named(columns, options, features, drop)
    if {"rank", "score"} <= set(columns):
        drop = (*drop, *(name for name in _OF_READING_LIST if name in _without(columns, features or ())))
    free = _without(columns, drop, features or (), *map(_as_tuple, options.values()))
    chosen = {role: _choose(role, options[role], free) for role in _ONE_COLUMN}
    if chosen["label"] is None and label is None and set(map(str.lower, free)) >= _OF_RAYYAN:
        chosen["label"] = next(name for name in free if name.lower() == DECISIONS_OF_RAYYAN)
    if chosen["label"] is None and label is None:
        raise ValueError(
            f"no column has a usual name for the label ({', '.join(USUAL_NAMES['label'])}). Say "
            f"{option('label', ...)} with one of the columns {_listed(columns)}, or "
            f"{option('label', False)} if there are no labels."
        )
    texts = _choose_text(options["text"], free)
    beside: list[str] = []
    if features is None:
        rest = _without(columns, drop, texts, filter(None, chosen.values()))
        features = () if texts else _rest_as_features(rest, options)
        beside = _without(rest, *(_usual(rest, names) for names in USUAL_NAMES.values())) if texts else []
    return Roles(**chosen, text=texts, features=tuple(features), beside_text=tuple(beside))


def _usual(columns: Iterable[str], names: Sequence[str]) -> list[str]:
    """Find the columns that bear one of the usual names, in upper or lower case."""
    return [column for column in columns if column.strip().lower() in names]


def _choose(role: str, asked: ColumnChoice, free: Sequence[str]) -> str | None:
    if asked is not None:
        return asked or None
    found = _usual(free, USUAL_NAMES[role])
    if len(found) > 1:
        raise _doubt(role, found)
    return found[0] if found else None


def _choose_text(asked: Any, free: Sequence[str]) -> tuple[str, ...]:
    """Take the column of texts, or that of titles and that of abstracts."""
    if asked is not None:
        return asked or ()
    title, abstract = _usual(free, _TITLE), _usual(free, _ABSTRACT)
    found = _usual(free, USUAL_NAMES["text"])
    if len(found) > 1 and not len(title) == len(abstract) == len(found) - 1 == 1:
        raise _doubt("text", found)
    return (*title, *abstract) or tuple(found)


def _rest_as_features(rest: Sequence[str], options: Mapping[str, Any]) -> tuple[str, ...]:
    """Take what is left as features, but nothing that looks like a label, a name or a score."""
    features = list(rest)
    for role, names in USUAL_NAMES.items():
        likely = _usual(rest, names)
        if options.get(role) is False:
            features = _without(features, likely)
        elif likely:
            raise ValueError(
                f"the column {likely[0]!r} has a usual name for a {role}. To use it as a feature, list all "
                f"features ({option('features', ...)}); to leave it out, say {_drop(likely[0])}."
            )
    for name in filter(_NAMELESS.fullmatch, features):
        raise ValueError(
            f"the column {name!r} has no name of its own (the row numbers of a data frame?). Leave it out "
            f"with {_drop(name)}, or rename it."
        )
    return tuple(features)


def _drop(name: str) -> str:
    """Write how a column is left out."""
    return option("drop", [name])


def _doubt(role: str, found: Sequence[str]) -> ValueError:
    return ValueError(
        f"the columns {_listed(found)} could all be the {role}: say {option(role, found[0])}, or leave the "
        f"others out with {_drop(found[-1])}."
    )


def _check_named(
    columns: Sequence[str], options: Mapping[str, Any], features: Sequence[str] | None, drop: Sequence[str]
) -> None:
    """Refuse columns that are not there, or that are asked to play two parts."""
    parts = {**options, "features": features, "drop": drop}
    used: dict[str, str] = {}
    for part, names in parts.items():
        for name in _as_tuple(names) or ():
            if name not in columns:
                raise ValueError(
                    f"{option(part)}: there is no column {name!r}. The columns are {_listed(columns)}."
                )
            if name in used:
                both = f"{option(used[name])} and in {option(part)}"
                raise ValueError(f"the column {name!r} cannot be used twice, in {both}.")
            used[name] = part


def _check_distinct(columns: Sequence[str]) -> None:
    twice = [name for name, count in Counter(columns).items() if count > 1]
    if twice:
        raise ValueError(f"the column {twice[0]!r} is there twice. Rename one of them.")


def _check_sequence(**options: Any) -> None:
    for name, columns in options.items():
        if isinstance(columns, str):
            raise ValueError(f"{name} must be a list of columns; write {option(name, [columns])}.")


def _as_tuple(names: Any) -> Any:
    """Return one or several names as a tuple; None stays None, False stays False."""
    if names is None or names is False:
        return names
    return (names,) if isinstance(names, str) else tuple(names)


def _without(columns: Iterable[str], *left_out: Any) -> list[str]:
    gone = set(chain.from_iterable(names for names in left_out if names))
    return [name for name in columns if name not in gone]


def _listed(columns: Sequence[str]) -> str:
    shown = ", ".join(map(repr, columns[:20]))
    return shown if len(columns) <= 20 else f"{shown} and {len(columns) - 20} more"

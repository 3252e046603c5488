"""RIS: the exchange format of reference managers, with decisions in its notes."""

import re
from typing import Any, BinaryIO

from semirank.files import Source, name_of
from semirank.readers.delimited import read_text
from semirank.readers.records import Records, columns_of, fold_line, spell_cell

DECISION = "included"  # the column that holds 1, 0 or nothing
_START = re.compile(r"^TY  - ", re.MULTILINE)
_OWN = re.compile(r"(?:asreview|semirank)_(relevant|irrelevant|not_seen)", re.IGNORECASE)
_RAYYAN = re.compile(r"RAYYAN-INCLUSION:\s*\{([^}]*)\}", re.IGNORECASE)
_TITLES, _ABSTRACTS = ("title", "primary_title"), ("abstract", "notes_abstract")
_RENAMED = {"label": "lb"}  # the tag LB, which is no label of ours
_BACK = {ours: theirs for theirs, ours in _RENAMED.items()}


def read_ris(source: Source, encoding: str) -> dict[str, list[Any]]:
    """Read the columns of a RIS file: rispy's names, one title, one abstract, and decisions from notes.

    The column ``included`` holds what notes say: ``ASReview_relevant``, ``semirank_irrelevant`` and their
    like, or Rayyan's inclusion.
    """
    rispy = import_rispy(name_of(source))
    content = read_text(source, encoding)
    n_starts = len(_START.findall(content))
    if not n_starts:
        raise ValueError(f"{name_of(source)}: holds no record. A RIS record starts with 'TY  - '.")
    try:
        entries = [entry for entry in rispy.loads(content) if entry]  # an end without a start is none
    except Exception as error:  # rispy raises its own, OSError and IndexError for what is no RIS
        raise ValueError(f"{name_of(source)}: is no RIS file, or damaged ({error}).") from error
    if len(entries) > n_starts:  # newer rispy takes "TY odd" for a start
        raise ValueError(f"{name_of(source)}: is no RIS file, or damaged (a record starts without 'TY  - ').")
    if len(entries) < n_starts:
        raise ValueError(f"{name_of(source)}: is cut off: the last record has no end ('ER  - ').")
    return columns_of([_flat(entry) for entry in entries])


def _flat(entry: dict[str, Any]) -> dict[str, Any]:
    """Return a record with one title and one abstract; tags that rispy does not know go by themselves."""
    unknown = entry.pop("unknown_tag", {})
    record = {_RENAMED.get(name, name): cell for name, cell in entry.items()} | dict(unknown)
    title = next((record[name] for name in _TITLES if record.get(name)), "")
    abstract = next((record[name] for name in _ABSTRACTS if record.get(name)), "")
    rest = {name: cell for name, cell in record.items() if name not in (*_TITLES, *_ABSTRACTS)}
    return {"title": title, "abstract": abstract, **rest, DECISION: decision_in(rest.get("notes", ()))}


def decision_in(notes: Any) -> int | None:
    """Return what notes say: 1 relevant, 0 irrelevant, None nothing or both.

    Examples
    --------
    >>> decision_in(["ASReview_relevant"]), decision_in('RAYYAN-INCLUSION: {"Ann"=>"Excluded"} | other')
    (1, 0)
    """
    words = "\n".join(notes) if isinstance(notes, (list, tuple)) else str(notes or "")
    said = {match.lower() for match in _OWN.findall(words)}
    for inside in _RAYYAN.findall(words):
        said |= {"relevant" for _ in re.findall(r'"Included"', inside, re.IGNORECASE)}
        said |= {"irrelevant" for _ in re.findall(r'"Excluded"', inside, re.IGNORECASE)}
    found = said & {"relevant", "irrelevant"}
    return int("relevant" in found) if len(found) == 1 else None


def import_rispy(name: str) -> Any:
    """Return rispy, or say how to install it."""
    try:
        import rispy
    except ImportError as error:
        raise ValueError(f"{name}: RIS needs rispy. Install it: pip install 'semirank[refs]'") from error
    return rispy


def write_ris(stream: BinaryIO, records: Records) -> None:
    """Write records as RIS, each value on one line; what RIS has no tag for goes into the notes."""
    rispy = import_rispy(records.name)
    fields = set(rispy.TAG_KEY_MAPPING.values()) - {"end_of_reference", "unknown_tag"}
    listed = {rispy.TAG_KEY_MAPPING[tag] for tag in rispy.LIST_TYPE_TAGS}
    entries = [_entry(record, fields, listed) for record in records.each()]
    stream.write(rispy.dumps(entries).encode())


def _entry(record: dict[str, Any], fields: set[str], listed: set[str]) -> dict[str, Any]:
    """Return what rispy writes of a record, its decision as a note."""
    entry: dict[str, Any] = {"type_of_reference": "JOUR", "notes": []}
    decision = record.pop(DECISION, None)
    for column, cell in record.items():
        field = _BACK.get(column, column)
        parts = cell if isinstance(cell, (list, tuple)) else [cell]
        values = [fold_line(spell_cell(part)) for part in parts]
        if field in listed:
            entry.setdefault(field, []).extend(values)
        elif field in fields:
            entry[field] = "; ".join(values)
        else:
            entry["notes"].append(f"{column}: {'; '.join(values)}")
    notes = [note for note in entry["notes"] if not _OWN.fullmatch(note)]
    if decision is not None:
        notes.append(f"semirank_{'relevant' if float(decision) > 0 else 'irrelevant'}")
    return {field: value for field, value in {**entry, "notes": notes}.items() if value}

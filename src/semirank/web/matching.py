"""A file that is added to a project: which of its items are known, and what its labels say of these."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from semirank.core.arrays import Floats
from semirank.feedback import Items, State
from semirank.feedback.duplicates import fold_doi, fold_title
from semirank.web.project import ProjectItem

NEW = -1  # the row of an item that only the file has


@dataclass
class Match:
    """What a file adds to a project.

    Attributes
    ----------
    new : list of int
        The places in the file of items that the project does not have.
    labels : dict of int to float
        Labels of the file for known items that nobody has judged, by their rows.
    n_known : int
        How many items of the file are known.
    n_conflicts : int
        How many labels say something else than the verdict that there is, which stays.
    """

    new: list[int] = field(default_factory=list)
    labels: dict[int, float] = field(default_factory=dict)
    n_known: int = 0
    n_conflicts: int = 0

    def counts(self) -> dict[str, int]:
        """Return it in numbers."""
        return {
            "n_new": len(self.new),
            "n_known": self.n_known,
            "n_labelled": len(self.labels),
            "n_conflicts": self.n_conflicts,
        }


def match(state: State, items: Sequence[ProjectItem], labels: Floats) -> Match:
    """Find the items of a file in a project, by list and DOI or title, or id where they have neither."""
    rows = _rows(state.items)
    found = Match()
    for place, (item, label) in enumerate(zip(items, labels.tolist(), strict=True)):
        keys = _keys(item.qid, item.id, item.title, str(item.meta.get("doi") or ""))
        row = next((rows[key] for key in keys if key in rows), None)
        if row is None:
            found.new.append(place)
            rows |= dict.fromkeys(keys, NEW)
            continue
        found.n_known += 1
        if label == label and row != NEW:
            _hear(found, state, row, label)
    return found


def _hear(found: Match, state: State, row: int, label: float) -> None:
    """Take the label of a known item, unless a verdict or an earlier label of the file is there."""
    if row in found.labels:
        found.n_conflicts += found.labels[row] != label
    elif state.read[row]:
        found.n_conflicts += bool(state.y[row] != label)
    else:
        found.labels[row] = label


def _rows(known: Items) -> dict[tuple[str, str, str], int]:
    lists = known.qid or [""] * len(known)
    rows: dict[tuple[str, str, str], int] = {}
    named = zip(lists, known.ids, known.titles or (), known.dois or (), strict=True)
    for row, (qid, name, title, doi) in enumerate(named):
        for key in _keys(qid, name, title, doi):
            rows.setdefault(key, row)
    return rows


def _keys(qid: str, name: str, title: str, doi: str) -> list[tuple[str, str, str]]:
    """Return what an item is known by: its DOI or title, and its id where it has neither."""
    keys = [(qid, "doi", fold_doi(doi)), (qid, "title", fold_title(title) if title != name else "")]
    return [key for key in keys if key[2]] or [(qid, "id", name)]


def renamed(items: Sequence[ProjectItem], known: Items) -> list[ProjectItem]:
    """Return items under names that no other item of their list has."""
    taken = set(zip(known.qid or [""] * len(known), known.ids, strict=True))
    found = []
    for item in items:
        names = (item.id if n == 1 else f"{item.id}-{n}" for n in count(1))
        found.append(replace(item, id=next(name for name in names if (item.qid, name) not in taken)))
        taken.add((item.qid, found[-1].id))
    return found

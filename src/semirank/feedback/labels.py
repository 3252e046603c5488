"""Which label teaches, where several reviewers have read an item."""

from collections import Counter
from collections.abc import Mapping
from typing import Literal, NamedTuple

from semirank.feedback.events import Event

Source = Literal["nobody", "undecided", "adjudicated", "unanimous", "majority", "any relevant"]


class Taught(NamedTuple):
    """The label that an item teaches, and by whose word.

    Attributes
    ----------
    label : float
        NaN: it teaches nothing.
    source : str
        "nobody": no verdict, or to be read later; "undecided": read, and nobody is sure; "adjudicated";
        "unanimous"; "majority"; "any relevant": reviewers disagree with no majority, and the highest label is
        taken, so that nothing relevant is lost.
    """

    label: float
    source: Source

    @property
    def read(self) -> bool:
        """Whether somebody has read the item."""
        return self.source != "nobody"

    @property
    def certain(self) -> bool:
        """Whether the label can be counted: reviewers agree, or somebody has decided."""
        return self.source in ("adjudicated", "unanimous")


NOTHING = Taught(float("nan"), "nobody")


def combine(verdicts: Mapping[str, Event], adjudicated: Event | None = None) -> Taught:
    """Decide which label an item teaches: adjudicated, unanimous, majority, any relevant.

    Parameters
    ----------
    verdicts : mapping of str to Event
        The verdict of each reviewer that stands. One who is unsure, or wants to read it later, has no vote.
    adjudicated : Event, optional
        The decision that stands.

    Examples
    --------
    >>> from semirank.feedback import Event
    >>> combine({"ann": Event("1", "label", "a", value=1), "bob": Event("2", "label", "a", value=0)})
    Taught(label=1.0, source='any relevant')
    """
    if adjudicated is not None:
        return Taught(float(adjudicated.value), "adjudicated")
    votes = [float(each.value) for each in verdicts.values() if each.kind == "label"]
    if not votes:
        unsure = any(each.kind == "unsure" for each in verdicts.values())
        return Taught(float("nan"), "undecided") if unsure else NOTHING
    label, count = Counter(votes).most_common(1)[0]
    if count == len(votes):
        return Taught(label, "unanimous")
    if 2 * count > len(votes):
        return Taught(label, "majority")
    return Taught(max(votes), "any relevant")

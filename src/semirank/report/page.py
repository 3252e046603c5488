"""A page as plain values, before it becomes HTML or Markdown."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from semirank.results.tables import as_csv

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Text:
    """A paragraph; `kind` says whether it is what the reader came for, or a warning."""

    words: str
    kind: str = "plain"


@dataclass(frozen=True)
class Name:
    """A ranker in a cell of a table.

    Attributes
    ----------
    words : str
        What it is called.
    typed : str
        The name that is typed to have it.
    exact : str
        How Python writes it.
    """

    words: str
    typed: str
    exact: str

    def __str__(self) -> str:
        return self.words if self.words == self.typed else f"{self.words} ({self.typed})"


@dataclass(frozen=True)
class Table:
    """Rows of the same columns; None is an empty cell. What is `folded` is shown when asked for."""

    caption: str
    rows: Rows
    folded: bool = False


@dataclass(frozen=True)
class Picture:
    """A picture, what it shows in words, and the numbers behind it.

    Attributes
    ----------
    caption : str
        What the picture shows, for readers who do not see it too.
    draw : callable
        Fills an empty matplotlib figure.
    rows : sequence of mappings
        The numbers, to be downloaded.
    size : (float, float)
        In inches.
    """

    caption: str
    draw: Callable[[Any], None]
    rows: Rows
    size: tuple[float, float] = (8, 4)

    @property
    def csv(self) -> str:
        """The numbers as CSV."""
        return as_csv(self.rows)


@dataclass(frozen=True)
class Code:
    """Text to be read as it is, such as settings; `shown` without being asked for."""

    caption: str
    text: str
    shown: bool = False


@dataclass(frozen=True)
class Answer:
    """What the reader came for, on the first screen.

    Attributes
    ----------
    sentence : str
        What to do.
    warnings : sequence of str
        What makes that less certain than it looks.
    figure : str
        The number that matters; "": there is none.
    about : sequence of str
        Its interval, and what it means.
    command : str or None
        What to type.
    picture : Picture or None
        The number beside what it has to be compared with.
    """

    sentence: str
    warnings: Sequence[str] = ()
    figure: str = ""
    about: Sequence[str] = ()
    command: str | None = None
    picture: Picture | None = None


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    blocks: Sequence[Text | Table | Picture | Code]


@dataclass(frozen=True)
class Page:
    """A title, a line below it, what the reader came for, and sections."""

    title: str
    subtitle: str
    sections: Sequence[Section] = field(default_factory=tuple)
    answer: Answer | None = None

"""A page as plain values, before it becomes HTML or Markdown."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def rows_csv(rows: Rows) -> str:
    """Write rows of the same columns as CSV."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


@dataclass(frozen=True)
class Text:
    """A paragraph; `kind` says whether it is what the reader came for, or a warning."""

    words: str
    kind: str = "plain"


@dataclass(frozen=True)
class Table:
    """Rows of the same columns; None is an empty cell."""

    caption: str
    rows: Rows


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
        return rows_csv(self.rows)


@dataclass(frozen=True)
class Code:
    """Text to be read as it is, such as settings; `shown` without being asked for."""

    caption: str
    text: str
    shown: bool = False


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it."""

    heading: str
    blocks: Sequence[Text | Table | Picture | Code]


@dataclass(frozen=True)
class Page:
    """A title, a line below it, and sections."""

    title: str
    subtitle: str
    sections: Sequence[Section] = field(default_factory=tuple)

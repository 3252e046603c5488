"""What an experiment gives: sections of text, tables and pictures, written to one page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from semirank.files import open_output
from semirank.report.tables import markdown, provenance

Rows = Sequence[Mapping[str, Any]]
Draw = Callable[[Any], None]


@dataclass
class ExperimentPage:
    """A page that grows while the experiment runs.

    Attributes
    ----------
    name : str
        The name of the experiment, and of the file.
    title : str
        The heading of the page.
    settings : dict
        Seeds and sizes, for the line that says how to make the page again.
    """

    name: str
    title: str
    settings: dict[str, Any] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)
    figures: dict[str, tuple[Draw, tuple[float, float]]] = field(default_factory=dict)

    def text(self, paragraph: str) -> None:
        """Add a paragraph."""
        self.parts.append(paragraph)

    def table(self, caption: str, rows: Rows) -> None:
        """Add a table under a heading."""
        self.parts.append(f"## {caption}\n\n{markdown(rows)}")

    def figure(self, caption: str, draw: Draw, size: tuple[float, float] = (8, 4)) -> None:
        """Add a picture under a heading; `draw` gets an empty matplotlib figure."""
        file = f"{self.name}-{len(self.figures) + 1}.svg"
        self.figures[file] = (draw, size)
        self.parts.append(f"## {caption}\n\n![{caption}]({file})")

    def page(self) -> str:
        """Return the page as Markdown."""
        how = f"`semirank reproduce {self.name}`. {provenance(**self.settings)}"
        return "\n\n".join([f"# {self.title}", how, *self.parts]) + "\n"

    def write(self, folder: Path) -> list[Path]:
        """Write the page and its pictures into a folder; return the files."""
        from semirank.report.plots import write_figure

        written = [folder / file for file in self.figures]
        for path, (draw, size) in zip(written, self.figures.values(), strict=True):
            write_figure(path, draw, size)
        page = folder / f"{self.name}.md"
        with open_output(page) as stream:
            stream.write(self.page().encode())
        return [page, *written]

"""A page as Markdown, with its pictures in files beside it."""

from collections.abc import Callable

from semirank.report.page import Code, Page, Picture, Table, Text
from semirank.report.tables import markdown


def render_markdown(page: Page, picture_file: Callable[[Picture], str]) -> str:
    """Write a page as Markdown; `picture_file` says under which name a picture stands."""
    parts = [f"# {page.title}", page.subtitle]
    for section in page.sections:
        parts += [f"## {section.heading}", *(_block(block, picture_file) for block in section.blocks)]
    return "\n\n".join(parts) + "\n"


def pictures(page: Page) -> list[Picture]:
    """Return the pictures of a page in their order."""
    return [block for section in page.sections for block in section.blocks if isinstance(block, Picture)]


def _block(block: Text | Table | Picture | Code, picture_file: Callable[[Picture], str]) -> str:
    match block:
        case Text(words, kind):
            return f"**{words}**" if kind == "answer" else words
        case Table(caption, rows):
            cells = [{name: _plain(value) for name, value in row.items()} for row in rows]
            return f"### {caption}\n\n{markdown(cells)}"
        case Code(caption, text):
            return f"### {caption}\n\n```\n{text}\n```"
        case Picture(caption):
            return f"![{caption}]({picture_file(block)})"


def _plain(value: object) -> object:
    return value.replace("|", "\\|").replace("\n", " ") if isinstance(value, str) else value

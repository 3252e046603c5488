"""A page as Markdown, with its pictures in files beside it."""

from collections.abc import Callable

from semirank.report.page import Answer, Code, Name, Page, Picture, Table, Text
from semirank.report.tables import markdown


def render_markdown(page: Page, picture_file: Callable[[Picture], str]) -> str:
    """Write a page as Markdown; `picture_file` says under which name a picture stands."""
    parts = [f"# {page.title}", page.subtitle]
    if page.answer is not None:
        parts += _answer(page.answer, picture_file)
    for section in page.sections:
        parts += [f"## {section.heading}", *(_block(block, picture_file) for block in section.blocks)]
    return "\n\n".join(parts) + "\n"


def pictures(page: Page) -> list[Picture]:
    """Return the pictures of a page in their order."""
    first = [] if page.answer is None or page.answer.picture is None else [page.answer.picture]
    return first + [
        block for section in page.sections for block in section.blocks if isinstance(block, Picture)
    ]


def _answer(answer: Answer, picture_file: Callable[[Picture], str]) -> list[str]:
    parts = [f"**{answer.sentence}**"]
    if answer.figure:
        parts.append(f"**{answer.figure}**: {'. '.join(answer.about)}")
    if answer.command is not None:
        parts.append(f"```\n{answer.command}\n```")
    parts += [f"> {warning}" for warning in answer.warnings]
    return parts if answer.picture is None else [*parts, _block(answer.picture, picture_file)]


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
    text = str(value) if isinstance(value, Name) else value
    return text.replace("|", "\\|").replace("\n", " ") if isinstance(text, str) else text

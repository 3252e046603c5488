"""A page as one HTML file that needs nothing else: no network, no script, light and dark, any width."""

import base64
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from semirank.report.page import Answer, Code, Name, Page, Picture, Section, Table, Text
from semirank.report.plots import picture_svg

INK = "#010203"  # no picture uses this colour for anything but lines and letters that follow the page
PHONE = 3.7  # inches


def render_html(page: Page) -> str:
    """Write a page as HTML."""
    anchors = [f"part-{number}" for number in range(1, len(page.sections) + 1)]
    links = "".join(
        f'<li><a href="#{anchor}">{escape(section.heading)}</a></li>'
        for anchor, section in zip(anchors, page.sections, strict=True)
    )
    body = "".join(_section(*each) for each in zip(anchors, page.sections, strict=True))
    style = files("semirank.report").joinpath("page.css").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(page.title)}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#content">Skip to the content</a>\n'
        f"<header><h1>{escape(page.title)}</h1><p>{escape(page.subtitle)}</p></header>\n"
        f'<main id="content" tabindex="-1">\n{"" if page.answer is None else _answer(page.answer)}'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n'
        f"{body}</main>\n</body>\n</html>\n"
    )


def _answer(answer: Answer) -> str:
    """Put what to do on the first screen: sentence, number, command, and a picture beside them."""
    figure = f'<p class="figure">{escape(answer.figure)}</p>\n' if answer.figure else ""
    about = "".join(f'<p class="about">{escape(words)}</p>\n' for words in answer.about)
    command = (
        f"<p>To rank with it:</p>\n<pre class=copy>{escape(answer.command)}</pre>\n" if answer.command else ""
    )
    warnings = "".join(f'<p class="warning">{escape(words)}</p>\n' for words in answer.warnings)
    picture = "" if answer.picture is None else _picture(answer.picture, "answer")
    return (
        f'<section class="answer" aria-label="What to do">\n<h2>{escape(answer.sentence)}</h2>\n'
        f"<div><div>\n{figure}{about}{command}</div>\n{picture}</div>\n{warnings}</section>\n"
    )


def _section(anchor: str, section: Section) -> str:
    blocks = "\n".join(_block(block, f"{anchor}-{number}") for number, block in enumerate(section.blocks, 1))
    heading = f'<h2 id="{anchor}">{escape(section.heading)}</h2>'
    return f'<section aria-labelledby="{anchor}">\n{heading}\n{blocks}\n</section>\n'


def _block(block: Text | Table | Picture | Code, anchor: str) -> str:
    match block:
        case Text(words, kind):
            return f'<p class="{kind}">{escape(words)}</p>'
        case Table(caption, rows, folded):
            table = _table(caption, rows)
            return f"<details><summary>{escape(caption)}</summary>{table}</details>" if folded else table
        case Code(caption, text, shown):
            opened = " open" if shown else ""
            return f"<details{opened}><summary>{escape(caption)}</summary><pre>{escape(text)}</pre></details>"
        case Picture():
            return _picture(block, anchor)


def _table(caption: str, rows: Sequence[Any]) -> str:
    """Write a table; on a phone each row becomes a block of names and values."""
    columns = [column for column in rows[0] if any(row[column] is not None for row in rows)]
    head = "".join(f'<th scope="col">{escape(str(column))}</th>' for column in columns)
    body = "".join(f"<tr>{''.join(_cell(column, row[column]) for column in columns)}</tr>\n" for row in rows)
    return (
        f'<div class="wide" role="region" aria-label="{escape(caption)}" tabindex="0"><table>'
        f"<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>"
    )


def _cell(column: str, value: Any) -> str:
    name = f'data-column="{escape(str(column))}"'
    if value is None:
        return f"<td {name} class=empty></td>"
    if isinstance(value, Name):
        typed = "" if value.words == value.typed else f" <code>{escape(value.typed)}</code>"
        return f'<td {name} class=name title="{escape(value.exact)}">{escape(value.words)}{typed}</td>'
    number = isinstance(value, (int, float)) or re.fullmatch(
        r"[+-]?[\d.]+(e-?\d+)?( to [+-]?[\d.]+)?( ?(%|s|MB))?", str(value)
    )
    return f"<td {name}{' class=number' if number else ''}>{escape(str(value))}</td>"


def _picture(picture: Picture, anchor: str) -> str:
    data = base64.b64encode(picture.csv.encode()).decode()
    link = f'<a download="{anchor}.csv" href="data:text/csv;base64,{data}">numbers (CSV)</a>'
    width, height = picture.size
    sizes = {"desk": (width, height), "phone": (PHONE, max(height, 2.6) + 0.3)}
    drawn = "".join(
        f'<div class={screen} role="img" aria-label="{escape(picture.caption)}">'
        f"{_inline(picture_svg(picture.draw, size, ink=INK), f'{anchor}-{screen}')}</div>"
        for screen, size in sizes.items()
    )
    return f"<figure>{drawn}<figcaption>{escape(picture.caption)} {link}</figcaption></figure>"


def _inline(svg: str, anchor: str) -> str:
    """Make a picture part of the page: its own names, the page's ink, as wide as there is room."""
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{anchor}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{anchor}-", svg)
    return re.sub(r'^<svg ([^>]*?)height="[^"]*"', r"<svg \1", svg, count=1).replace(
        "<svg ", '<svg aria-hidden="true" ', 1
    )

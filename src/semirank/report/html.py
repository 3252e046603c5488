"""A page as one HTML file that needs nothing else: no network, no script, light and dark, any width."""

import base64
import re
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

from semirank.report.page import Code, Page, Picture, Section, Table, Text
from semirank.report.plots import picture_svg

INK = "#010203"  # no picture uses this colour for anything but lines and letters that follow the page


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
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n'
        f'<main id="content" tabindex="-1">\n{body}</main>\n</body>\n</html>\n'
    )


def _section(anchor: str, section: Section) -> str:
    blocks = "\n".join(_block(block, f"{anchor}-{number}") for number, block in enumerate(section.blocks, 1))
    heading = f'<h2 id="{anchor}">{escape(section.heading)}</h2>'
    return f'<section aria-labelledby="{anchor}">\n{heading}\n{blocks}\n</section>\n'


def _block(block: Text | Table | Picture | Code, anchor: str) -> str:
    match block:
        case Text(words, kind):
            return f'<p class="{kind}">{escape(words)}</p>'
        case Table(caption, rows):
            return _table(caption, rows)
        case Code(caption, text, shown):
            opened = " open" if shown else ""
            return f"<details{opened}><summary>{escape(caption)}</summary><pre>{escape(text)}</pre></details>"
        case Picture():
            return _picture(block, anchor)


def _table(caption: str, rows: Sequence[Any]) -> str:
    columns = list(rows[0])
    head = "".join(f'<th scope="col">{escape(str(column))}</th>' for column in columns)
    body = "".join(f"<tr>{''.join(_cell(row[column]) for column in columns)}</tr>\n" for row in rows)
    return (
        f'<div class="wide" role="region" aria-label="{escape(caption)}" tabindex="0"><table>'
        f"<caption>{escape(caption)}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody></table></div>"
    )


def _cell(value: Any) -> str:
    if value is None:
        return "<td></td>"
    number = isinstance(value, (int, float)) or re.fullmatch(r"[+-]?[\d.]+(e-?\d+)?( ?(%|s|MB))?", str(value))
    return f"<td{' class=number' if number else ''}>{escape(str(value))}</td>"


def _picture(picture: Picture, anchor: str) -> str:
    svg = _inline(picture_svg(picture.draw, picture.size, ink=INK), anchor)
    data = base64.b64encode(picture.csv.encode()).decode()
    link = f'<a download="{anchor}.csv" href="data:text/csv;base64,{data}">numbers (CSV)</a>'
    return (
        f'<figure><div role="img" aria-label="{escape(picture.caption)}" tabindex="0">{svg}</div>'
        f"<figcaption>{escape(picture.caption)} {link}</figcaption></figure>"
    )


def _inline(svg: str, anchor: str) -> str:
    """Make a picture part of the page: its own names, the page's ink, as wide as there is room."""
    svg = svg[svg.index("<svg") :].replace(INK, "currentColor")
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{anchor}-', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\g<1>{anchor}-", svg)
    return re.sub(r'^<svg ([^>]*?)height="[^"]*"', r"<svg \1", svg, count=1).replace(
        "<svg ", '<svg aria-hidden="true" ', 1
    )

"""Reports as files: what the name ends in says what is written."""

import os
from pathlib import Path

from semirank.files import open_output
from semirank.report.comparison_page import comparison_page
from semirank.report.html import render_html
from semirank.report.markdown import pictures, render_markdown
from semirank.report.page import Page
from semirank.report.plots import write_figure
from semirank.results.comparison import Comparison


def write_report(comparison: Comparison, path: str | os.PathLike[str]) -> list[Path]:
    """Write a comparison as ``.html`` (one file), ``.md`` (with pictures beside it) or ``.json``.

    Each file is written whole or not at all. Returns the files, the report itself first.
    """
    path = Path(path)
    match path.suffix.lower():
        case ".json":
            return [_write(path, comparison.to_json() + "\n")]
        case ".html" | ".htm":
            return [_write(path, render_html(comparison_page(comparison)))]
        case ".md":
            return _write_markdown(path, comparison_page(comparison))
    raise ValueError(f"{path}: a report ends in .html, .md or .json.")


def _write_markdown(path: Path, page: Page) -> list[Path]:
    names = {id(picture): f"{path.stem}-{number}.svg" for number, picture in enumerate(pictures(page), 1)}
    beside = [path.with_name(name) for name in names.values()]
    for picture, target in zip(pictures(page), beside, strict=True):
        write_figure(target, picture.draw, picture.size)
    return [_write(path, render_markdown(page, lambda picture: names[id(picture)])), *beside]


def _write(path: Path, text: str) -> Path:
    with open_output(path) as stream:
        stream.write(text.encode())
    return path

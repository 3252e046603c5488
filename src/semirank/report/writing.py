"""Reports as files: what the name ends in says what is written."""

import os
from pathlib import Path

from semirank.feedback.simulation import Simulation
from semirank.files import open_output
from semirank.report.comparison_page import comparison_page
from semirank.report.html import render_html
from semirank.report.markdown import pictures, render_markdown
from semirank.report.page import Page
from semirank.report.plots import write_figure
from semirank.report.simulation_page import simulation_page
from semirank.results.comparison import Comparison
from semirank.results.tables import as_csv


def write_report(comparison: Comparison, path: str | os.PathLike[str]) -> list[Path]:
    """Write a comparison as ``.html`` (one file), ``.md`` (with pictures), ``.json``, ``.csv`` or ``.tex``.

    Each file is written whole or not at all. Returns the files, the report itself first.
    """
    path = Path(path)
    match path.suffix.lower():
        case ".json":
            return [_write(path, comparison.to_json() + "\n")]
        case ".csv":
            return [_write(path, comparison.to_csv())]
        case ".tex":
            return [_write(path, comparison.to_latex(comparison.name))]
        case ".html" | ".htm":
            return [_write(path, render_html(comparison_page(comparison)))]
        case ".md":
            return _write_markdown(path, comparison_page(comparison))
    raise ValueError(f"{path}: a report ends in .html, .md, .json, .csv or .tex.")


def write_simulation(simulation: Simulation, path: str | os.PathLike[str]) -> list[Path]:
    """Write a simulation as ``.html`` (one file), ``.md`` (with pictures beside it), ``.json`` or ``.csv``.

    The CSV has one row a run, with its measures. Each file is written whole or not at all.
    """
    path = Path(path)
    match path.suffix.lower():
        case ".json":
            return [_write(path, simulation.to_json() + "\n")]
        case ".csv":
            return [_write(path, _runs_csv(simulation))]
        case ".html" | ".htm":
            return [_write(path, render_html(simulation_page(simulation)))]
        case ".md":
            return _write_markdown(path, simulation_page(simulation))
    raise ValueError(f"{path}: a report ends in .html, .md, .json or .csv.")


def _runs_csv(simulation: Simulation) -> str:
    rows = [
        {"ranker": run.ranker, "list": run.qid, "run": run.number, "items": run.n_items, **run.measures()}
        for run in simulation.runs
    ]
    return as_csv(rows)


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

"""Pictures as SVG files; matplotlib is imported only here."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib
from cycler import cycler
from matplotlib.figure import Figure

from semirank.files import open_output

STYLE: Any = {
    "svg.hashsalt": "semirank",  # the same picture gives the same file
    "svg.fonttype": "none",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.prop_cycle": cycler(color=["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"]),
    "font.size": 9,
    "figure.constrained_layout.use": True,
}


def picture_svg(draw: Callable[[Any], None], size: tuple[float, float] = (8, 4), ink: str = "black") -> str:
    """Let `draw` fill an empty figure of the given size in inches; lines and letters are drawn in `ink`."""
    inked = dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), ink
    )
    stream = io.BytesIO()
    with matplotlib.rc_context(STYLE | inked):
        figure = Figure(figsize=size)
        draw(figure)
        figure.savefig(stream, format="svg", metadata={"Date": None}, transparent=True)
    return stream.getvalue().decode()


def write_figure(path: Path, draw: Callable[[Any], None], size: tuple[float, float] = (8, 4)) -> None:
    """Let `draw` fill an empty figure of the given size in inches, and write it whole or not at all."""
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=size)
        draw(figure)
        with open_output(path) as stream:
            figure.savefig(stream, format="svg", metadata={"Date": None})

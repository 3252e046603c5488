"""``semirank export``: a model for programs without semirank."""

from pathlib import Path
from typing import Annotated

import typer

import semirank
from semirank.cli.options import Speaking


def export(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="A model of `semirank fit`.")],
    speaking: Speaking,
    out: Annotated[Path, typer.Option("--output", "-o", help="The file to write: .onnx.")],
) -> None:
    """Write a fitted model as ONNX: linear and boosted rankers, trees, and mixtures of these.

    The file takes X, float64 of shape (n_items, n_features), and gives scores; any ONNX runtime runs it.
    Needs ``pip install "semirank[onnx]"``.
    """
    if out.suffix.lower() != ".onnx":
        raise typer.BadParameter(f"{out}: a model is exported to a file that ends in .onnx.")
    ranker = semirank.load_model(model)
    semirank.export_onnx(ranker, out)
    speaking.say(f"{ranker.in_words()}, {ranker.n_features_in_} features -> {out}")

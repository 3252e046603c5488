"""``semirank datasets``: public data by name."""

from typing import Annotated

import typer

import semirank
from semirank.cli.options import Speaking, expand

LEAST = (
    "address",
    "parts",
    "relevant",
    "terms",
    "labels",
    "lists",
)  # columns that a narrow terminal leaves out

datasets = typer.Typer(help="Named public datasets: list them, fetch them.", no_args_is_help=True)


@datasets.command("list")
@expand
def list_them(speaking: Speaking) -> None:
    """List the named datasets with what they hold and their terms of use."""
    rows = [entry.row() for entry in semirank.readers.datasets.available().values()]
    speaking.show(rows, least=LEAST)


@datasets.command()
@expand
def fetch(
    speaking: Speaking,
    name: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Names from `semirank datasets list`.")
    ],
) -> None:
    """Download datasets into the cache, check them, and say where they are."""
    for each in name:
        with speaking.progress(each) as progress:
            paths = semirank.readers.datasets.fetch(each, progress=progress)
        speaking.show([{"dataset": each, "file": str(path)} for path in paths])

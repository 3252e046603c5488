"""``semirank convert``: the same data in another format."""

from pathlib import Path
from typing import Annotated

import typer

import semirank
from semirank.cli.options import Reading, Speaking


def convert(
    reading: Reading,
    speaking: Speaking,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The file to write.")],
    to: Annotated[str | None, typer.Option(help="letor, csv, tsv, parquet or qrels.")] = None,
) -> None:
    """Write the data to TARGET in the format that its ending tells (.letor .csv .tsv .parquet .qrels)."""
    data = reading.open(text_features=None)
    speaking.say(repr(data))
    semirank.readers.write(data, target, format=to)

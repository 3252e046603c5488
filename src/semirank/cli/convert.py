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
    to: Annotated[
        str | None, typer.Option(help="letor, csv, tsv, parquet, qrels, xlsx, ris or bibtex.")
    ] = None,
    by_list: Annotated[
        bool,
        typer.Option(
            "--by-list",
            help="Sort Parquet or LETOR files, larger than memory or not, so that lists stand together.",
        ),
    ] = False,
) -> None:
    """Write the data to TARGET in the format that its ending tells.

    .letor .csv .tsv .parquet .qrels hold labels and features; .xlsx .ris .bib hold records with all their
    columns, and so does whatever references (.ris .bib .asreview .xlsx) are converted to.
    """
    readers = semirank.readers
    if by_list:
        readers.sort_by_list(reading.data, target, qid=reading.qid)
        return
    given = reading.format or ("named" if reading.is_named else readers.format_of(reading.data))
    if {given, to or readers.format_of(str(target))} & {"xlsx", "ris", "bibtex", "asreview"}:
        records = reading.records()
        if records is None:
            raise ValueError(f"{reading.data}: has no records to write as {target}.")
        speaking.say(f"{len(records)} records")
        readers.write_records(records, target, format=to)
        return
    data = reading.open(text_features=None)
    speaking.say(repr(data))
    semirank.readers.write(data, target, format=to)

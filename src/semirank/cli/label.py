"""``semirank label``: decisions into the data."""

from pathlib import Path
from typing import Annotated

import typer

import semirank
from semirank.cli.options import Out, Speaking


def label(
    data: Annotated[
        Path, typer.Argument(metavar="DATA", help="A file of records: CSV, TSV, XLSX, Parquet, RIS, BibTeX.")
    ],
    decisions: Annotated[
        Path,
        typer.Argument(
            metavar="DECISIONS",
            help="A reading list of `semirank rank` whose labels were filled in, or any file of records with "
            "names of items and labels.",
        ),
    ],
    speaking: Speaking,
    column: Annotated[str | None, typer.Option("--label", help="Column that holds the labels.")] = None,
    item: Annotated[str | None, typer.Option(help="Column that names the item.")] = None,
    qid: Annotated[str | None, typer.Option(help="Column that names the list.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Take decisions that are other than labels in DATA.")
    ] = False,
    ignore_unknown: Annotated[
        bool, typer.Option("--ignore-unknown", help="Leave out decisions on items that DATA does not have.")
    ] = False,
    encoding: Annotated[str, typer.Option(help="Of text files; auto tells the usual ones apart.")] = "auto",
    out: Out = None,
) -> None:
    """Put decisions into the data, so that the next `semirank rank` learns from them.

    DATA itself is written anew, as a whole or not at all, unless -o names another file. Empty labels decide
    nothing; a decision that contradicts another or a label in DATA stops it, and nothing is changed.
    """
    readers = semirank.readers
    merged = readers.merge_decisions(
        readers.read_records(data, encoding=encoding),
        readers.read_records(decisions, encoding=encoding),
        label=column,
        item=item,
        qid=qid,
        replace=replace,
        ignore_unknown=ignore_unknown,
    )
    target = data if out is None else out
    readers.write_records(merged.records, target)
    changed = f", {merged.n_changed} changed" if merged.n_changed else ""
    unknown = f", {merged.n_unknown} of unknown items left out" if merged.n_unknown else ""
    speaking.say(f"{merged.n_new} new labels, {merged.n_same} known already{changed}{unknown} -> {target}")

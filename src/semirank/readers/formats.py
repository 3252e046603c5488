"""One door for all files: the ending tells the format. Named datasets come through it too."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from semirank.dataset import RankingDataset
from semirank.files import STDIO, Source, ending_of, name_of, open_input
from semirank.readers.arrays import read_arrays
from semirank.readers.datasets import available, load
from semirank.readers.images import read_images
from semirank.readers.letor import read_letor, write_letor
from semirank.readers.reading_list import scores_in
from semirank.readers.record_files import read_records
from semirank.readers.scores import COLUMNS, Scores, read_scores, write_scores
from semirank.readers.table import read_table, write_table
from semirank.readers.trec import read_qrels, read_run, write_qrels, write_run
from semirank.spelling import option

FORMATS = {
    "letor": (".letor", ".txt", ".dat", ".svm", ".svmlight", ".libsvm"),
    "csv": (".csv",),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "xlsx": (".xlsx", ".xlsm"),
    "ris": (".ris",),
    "bibtex": (".bib", ".bibtex"),
    "asreview": (".asreview",),
    "arrays": (".npy", ".npz", ".safetensors"),
    "images": (),
    "qrels": (".qrels", ".qrel"),
}
RUN_ENDINGS = (".run", ".trec")
RECORDS = ("csv", "tsv", "parquet", "xlsx", "ris", "bibtex", "asreview")
"""Formats with one record an item, in columns."""


def format_of(name: str) -> str:
    """Tell the format of a data file by its ending."""
    if Path(name).is_dir():
        return "images"
    ending = ending_of(name)
    for format_name, endings in FORMATS.items():
        if ending in endings:
            return format_name
    if ending:
        said = f"Say {option('format', ...)}, one of {', '.join(FORMATS)}."
        raise ValueError(f"{name}: the ending {ending!r} tells no format. {said}")
    raise ValueError(
        f"{name}: is neither a file whose ending tells its format ({', '.join(FORMATS)}) nor a named dataset "
        f"({', '.join(available())})."
    )


def read(
    source: Source,
    *,
    format: str | None = None,
    columns: Mapping[str, Any] | None = None,
    named: Mapping[str, Any] | None = None,
    unlabelled: float | Literal["auto"] | None = "auto",
) -> RankingDataset:
    """Read a dataset from a file or by name.

    Parameters
    ----------
    source : path, "-" or name
        A file, standard input, or the name of a dataset that `semirank.load` knows. A file of that name
        in the current folder comes first.
    format : {"letor", "csv", "tsv", "parquet", "xlsx", "ris", "bibtex", "asreview", "arrays", "images", \
            "qrels"}, optional
        Taken from the ending if not given (a folder: images); needed for standard input.
    columns : mapping, optional
        For tables: the columns for label, qid, item and text (see `read_table`); None means find it. For
        arrays and images: those of the table beside them.
    named : mapping, optional
        For named datasets: options of `load`.
    unlabelled : float, "auto" or None
        The label that means "unlabelled"; see `read_letor`.

    See Also
    --------
    write : the way back.
    read_table : more to say about columns.
    load : a named dataset.
    open_parts : more than fits into memory.

    Examples
    --------
    >>> import semirank
    >>> semirank.read("digits", named={"relevant": "3"})
    RankingDataset(1 lists, 1797 items, 64 features, 1797 labelled, 0 unlabelled)
    """
    columns = {key: value for key, value in (columns or {}).items() if value is not None}
    named = {key: value for key, value in (named or {}).items() if value is not None}
    name = str(source)
    if format is None and name in available() and not Path(name).exists():
        return load(name, **named)
    if format is None and source == STDIO:
        said = f"say {option('format', ...)}, one of {', '.join(FORMATS)}."
        raise ValueError(f"The ending of a name tells the format, and standard input has none: {said}")
    match format or format_of(name):
        case "letor":
            return read_letor(source, unlabelled=unlabelled)
        case "qrels":
            return read_qrels(source, unlabelled=unlabelled)
        case "arrays" | "images" as kind:
            if source == STDIO or hasattr(source, "read"):
                raise ValueError(f"{name_of(source)}: {kind} are read from a path.")
            reader = read_arrays if kind == "arrays" else read_images
            return reader(str(source), unlabelled=unlabelled, **columns)
        case kind if kind in RECORDS:
            return read_table(source, format=kind, unlabelled=unlabelled, **columns)
    raise ValueError(f"There is no format {format!r}. Known: {', '.join(FORMATS)}.")


def write(data: RankingDataset, target: str | os.PathLike[str], *, format: str | None = None) -> None:
    """Write a dataset to a file in the format that its ending tells; the file appears only when complete.

    See Also
    --------
    read : the way back.
    semirank.readers.write_ranking : scores of items.
    """
    match format or format_of(str(target)):
        case "letor":
            write_letor(data, target)
        case "qrels":
            write_qrels(data, target)
        case "csv" | "tsv" | "parquet" as kind:
            write_table(data, target, format=kind)
        case unknown:
            raise ValueError(f"There is no format {unknown!r}. Known: {', '.join(FORMATS)}.")


def is_run(name: str) -> bool:
    """Tell whether a name ends as that of a TREC run does."""
    return ending_of(name) in RUN_ENDINGS


def read_ranking(source: Source) -> Scores:
    """Read scores: a TREC run (.run, .trec), a table of ``qid item score``, or a reading list."""
    if is_run(name_of(source)):
        return read_run(source)
    if source == STDIO or not isinstance(source, (str, os.PathLike)) or _starts_as_scores(source):
        return read_scores(source)
    return scores_in(read_records(source))


def _starts_as_scores(path: str | os.PathLike[str]) -> bool:
    with open_input(path) as stream:
        return stream.readline().decode(errors="replace").split() == list(COLUMNS)


def write_ranking(
    data: RankingDataset, scores: Any, target: str | os.PathLike[str], *, top: int | None = None
) -> None:
    """Write scores, given in the caller's order, as a TREC run (.run, .trec) or as a table."""
    writer = write_run if is_run(str(target)) else write_scores
    writer(data, scores, target, top=top)

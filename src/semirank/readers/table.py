"""Tables: CSV, TSV, Parquet and data frames, with named columns for list, item, label and text."""

import os
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, hstack, issparse

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import DataWarning, Features, RankingDataset, mark_unlabelled
from semirank.dataset.table import ColumnKind, RawTable
from semirank.features import TableFeatures, TfIdf
from semirank.features.cells import as_levels, known_words
from semirank.features.tfidf import apply_transformer, check_texts
from semirank.files import open_output
from semirank.readers.delimited import quoted
from semirank.readers.encodings import AUTO
from semirank.readers.frames import import_arrow
from semirank.readers.loading import DELIMITERS, TableContent, check_layout, format_of_table, load_cells
from semirank.readers.roles import ColumnChoice, Roles
from semirank.readers.scores import check_scores, spell
from semirank.spelling import option

TEXT_PREFIX = "text:"  # what the name of a feature that was made from text starts with
_CHUNK = 20_000
_YES = ("yes", "y", "relevant", "positive", "include", "included", "good", "spam")  # to make an example of


def read_table(
    source: Any,
    *,
    label: ColumnChoice = None,
    qid: ColumnChoice = None,
    item: ColumnChoice = None,
    text: ColumnChoice | Sequence[str] = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    kinds: Mapping[str, ColumnKind] | None = None,
    relevant: str | None = None,
    unlabelled: float | Literal["auto"] | None = "auto",
    text_features: Any = None,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str = AUTO,
) -> RankingDataset:
    r"""Read a table with one row for each item.

    Each of `label`, `qid`, `item` and `text` is a column, or **None** to find it by its usual
    names (in upper or lower case), or **False** for a table without it: columns of the usual names
    are then left out. Two candidates for one of them raise an error that names both.

    Parameters
    ----------
    source : path, "-", binary file or data frame
        A file may be compressed; a data frame may be of any kind that narwhals knows.
    label : str, False or None
        Column of labels: numbers, or true and false; an empty cell (or NA, NaN, null, None) means
        unlabelled. Usual names: label, relevance, rel, y, included, label_included and other
        spellings of reviewers' tools. False: every item is unlabelled.
    qid : str, False or None
        Column that names the list. Usual names: qid, query_id, list. Without it, there is one list.
    item : str, False or None
        Column that names the item. Usual names: item, docid, item_id, record_id, id.
    text : str, list of str, False or None
        One or several columns of text, joined by blank lines. Usual names: text, or title and abstract.
    features : list of str, optional
        Columns to use as features. If not given: **all other columns when the table has no text, and none
        of them when it has** (a year or a record number beside an abstract is seldom meant as a feature).
        Numbers become features as they are, an empty cell NaN; where some columns hold words or dates, what
        `semirank.features.TableFeatures` makes of all of them.
    drop : list of str
        Columns to leave out altogether.
    kinds : mapping of str to {"number", "category", "date", "text"}, optional
        What columns are, where that should not be guessed from their cells.
    relevant : str, optional
        Labels are words, and this one means relevant (1), any other irrelevant (0).
    unlabelled : float, "auto" or None
        The label that means "unlabelled"; by default -1, where no other label is below 0.
    text_features : transformer, False or None
        What turns texts into features, which stand behind those of `features`. A fitted one is used as it
        is, which is how new items get the features of old ones; any other is fitted here, on all texts.
        None: ``TfIdf()``. False: texts, and columns of words, are kept, but no features made.
    format : {"csv", "tsv", "parquet", "xlsx", "ris", "bibtex", "asreview"}, optional
        Taken from the ending of the name if not given; "csv" if that is unknown.
    delimiter : str, optional
        What stands between two cells. If not given, a tab for TSV, and for CSV the first of comma, tab and
        semicolon that occurs in the header.
    encoding : str
        Of CSV, TSV, RIS and BibTeX. "auto": UTF-8 or UTF-16 where the bytes are that, otherwise Windows-1252,
        with a warning.

    Returns
    -------
    RankingDataset
        With `texts` if there are any, and with the `table` as it was where features were made of words,
        so that a ranker can keep how. Names read from CSV and TSV are str.

    Raises
    ------
    ValueError
        With file and line (or row): another number of cells than in the header, a cell that is no number
        where there should be one, an empty name; columns that are missing, double or in doubt.

    See Also
    --------
    write_table : the way back.
    semirank.features.TableFeatures : what becomes of columns.

    Notes
    -----
    CSV is read in chunks, and only the columns that are needed are kept. A quoted cell may hold line ends
    and up to ``csv.field_size_limit()`` characters; blank lines are skipped.

    Examples
    --------
    >>> import io
    >>> from semirank.readers.table import read_table
    >>> table = b"id,title,abstract,year,included\n1,Cats,On cats.,1999,1\n2,Dogs and cats,,2001,\n"
    >>> data = read_table(io.BytesIO(table), drop=["year"])
    >>> data
    RankingDataset(1 lists, 2 items, 1 features, 1 labelled, 1 unlabelled)
    >>> data.feature_names, data.texts[0]
    (('text:cats',), 'Cats\n\nOn cats.')
    """
    name, roles, cells = load_cells(
        source,
        label=label,
        qid=qid,
        item=item,
        text=text,
        features=features,
        drop=drop,
        format=format,
        delimiter=delimiter,
        encoding=encoding,
    )
    if roles.beside_text:
        warnings.warn(
            f"{name}: ranked by text alone; not read: {', '.join(map(repr, roles.beside_text))}. To use "
            f"some, say {option('features', ...)} (to leave them out in silence, {option('drop', ...)}).",
            DataWarning,
            stacklevel=2,
        )
    try:
        labels = mark_unlabelled(read_labels(cells.labels, roles.label, relevant), unlabelled)[0]
        table = _as_table(cells, roles, kinds or {})
        X, names = _make_features(cells, roles, table, text_features)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    return RankingDataset(X, labels, cells.qid, cells.item_ids, names, cells.texts, table)


def read_labels(labels: AnyArray, column: str | None, relevant: str | None) -> Floats:
    """Return labels as numbers; words need to be told which of them is relevant.

    Examples
    --------
    >>> read_labels(np.array(["yes", None, "no"], dtype=object), "sold", "yes")
    array([ 1., nan,  0.])
    """
    if relevant is None and labels.dtype.kind == "f":
        return labels
    words = as_levels(known_words(labels))
    counts = Counter(word for word in words if word is not None)
    wanted = as_levels([relevant])[0]
    if wanted not in counts:
        shown = ", ".join(f"{word!r} ({count})" for word, count in counts.most_common(10))
        more = f" and {len(counts) - 10} more" if len(counts) > 10 else ""
        example = next((word for word in counts if word.lower() in _YES), min(counts, key=counts.__getitem__))
        fault = "holds words" if relevant is None else f"has no label {relevant!r}"
        raise ValueError(
            f"the column {column!r} {fault}: {shown}{more}. Say which one is relevant, for example "
            f"{option('relevant', example)}; the others then are not, and empty cells stay "
            "unlabelled."
        )
    return np.array([np.nan if word is None else float(word == wanted) for word in words])


def write_table(
    data: RankingDataset,
    target: str | os.PathLike[str],
    *,
    scores: Any = None,
    format: str | None = None,
    delimiter: str | None = None,
) -> None:
    """Write the data as a table, in the caller's order and with exact numbers.

    The columns are qid, item (if the items have names), label, score (if given), text (if there are
    texts) and the features by name; f1, f2, ... if they have none. Features that `read_table` has made
    from text are not written, as they can be made again. Missing numbers are empty cells.

    Parameters
    ----------
    data : RankingDataset
        What to write.
    target : path or "-"
        A file appears only when it is complete; a known ending compresses it.
    scores : array of shape (n_items,), optional
        In the caller's order.
    format : {"csv", "tsv", "parquet"}, optional
        Taken from the ending of the name if not given; "csv" if that is unknown.
    delimiter : str, optional
        What stands between two cells: by default a tab in TSV, a comma in CSV.

    See Also
    --------
    read_table : the way back.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from semirank import RankingDataset
    >>> from semirank.readers.table import write_table
    >>> data = RankingDataset([[0.5], [0.25]], [1, float("nan")], qid=["a", "a"], feature_names=["bm25"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "ranked.csv"
    ...     write_table(data, path, scores=[0.9, 0.1])
    ...     print(path.read_text())
    qid,label,score,bm25
    a,1.0,0.9,0.5
    a,,0.1,0.25
    <BLANKLINE>
    """
    format = check_layout(format or format_of_table(str(target)), delimiter)
    if format not in ("csv", "tsv", "parquet"):
        raise ValueError(f"{target}: features are written as csv, tsv or parquet, not as {format}.")
    columns = _leading_columns(data, scores)
    features = _written_features(data)
    header = [*columns, *features]
    if len(set(header)) < len(header):
        twice = next(name for name in header if header.count(name) > 1)
        raise ValueError(f"The column {twice!r} would be there twice. Rename the feature.")
    X = data.X[np.argsort(data.order)][:, list(features.values())]
    if format == "parquet":
        _write_parquet(target, columns, header, X)
    else:
        _write_delimited(target, delimiter or DELIMITERS[format] or ",", columns, header, X)


def _as_table(cells: TableContent, roles: Roles, kinds: Mapping[str, ColumnKind]) -> RawTable | None:
    """Return the columns as a table, unless they are numbers, or texts, and nothing else."""
    if unknown := [name for name in kinds if name not in cells.columns]:
        raise ValueError(
            f"{option('kinds')}: {unknown[0]!r} is none of the columns that are used as features."
        )
    plain = all(column.dtype.kind == "f" for column in cells.columns.values()) and not kinds
    if not cells.columns or (plain and cells.texts is None):
        return None
    if cells.texts is None:
        return RawTable(cells.columns, kinds)
    text = " + ".join(roles.text)
    return RawTable({**cells.columns, text: cells.texts}, {**kinds, text: "text"})


def _make_features(
    cells: TableContent, roles: Roles, table: RawTable | None, text_features: Any
) -> tuple[Features, tuple[str, ...]]:
    numbers = [column for column in cells.columns.values() if column.dtype.kind == "f"]
    if len(numbers) < len(cells.columns) or (table is not None and cells.texts is None):
        return _encoded(table, len(cells.labels), text_features)
    X = np.column_stack(numbers) if numbers else np.empty((len(cells.labels), 0))
    if cells.texts is None or text_features is False:
        return X, roles.features
    transformer = TfIdf() if text_features is None else text_features
    made = apply_transformer(transformer, cells.texts)
    names = (*roles.features, *(f"{TEXT_PREFIX}{term}" for term in transformer.get_feature_names_out()))
    if not roles.features:
        return made, names
    if issparse(made):
        return hstack([csr_array(X), made], format="csr"), names
    return np.hstack([X, made]), names


def _encoded(table: RawTable | None, n_items: int, text_features: Any) -> tuple[Features, tuple[str, ...]]:
    if text_features is False or table is None:
        return np.empty((n_items, 0)), ()
    features = TableFeatures().fit(table)
    made = features.transform(table)
    if features.is_partial:
        warnings.warn(features.summary, DataWarning, stacklevel=4)
    if not features.texts_:
        return made, tuple(features.get_feature_names_out())
    words = TfIdf() if text_features is None else text_features
    made = apply_transformer(words, made)
    return made, tuple(f"{TEXT_PREFIX}{term}" for term in words.get_feature_names_out())


def _leading_columns(data: RankingDataset, scores: Any) -> dict[str, AnyArray]:
    """Give the columns before the features, in the caller's order."""
    columns = {"qid": _names("qid", data.qid)}
    if data.item_ids is not None:
        columns["item"] = _names("item", data.item_ids)
    columns["label"] = data.y
    if scores is not None:
        columns["score"] = check_scores(data, scores)
    if data.texts is not None:
        columns["text"] = np.array(check_texts(data.texts), dtype=object)
    return {name: data.restore(column) for name, column in columns.items()}


def _names(column: str, names: AnyArray) -> AnyArray:
    """Return numbers as they are and other names as str; refuse an empty one, which no reader takes."""
    if names.dtype.kind in "iu":
        return names
    names = spell(names)
    if not all(names):
        raise ValueError(f"An empty {column} cannot be written: every item needs one.")
    return names


def _written_features(data: RankingDataset) -> dict[str, int]:
    """Give the name and number of each feature, except those made from the texts of the data."""
    names = data.feature_names or [f"f{number}" for number in range(1, data.n_features + 1)]
    if len(set(names)) < len(names):
        raise ValueError("Two features have the same name. Rename one of them.")
    made_again = TEXT_PREFIX if data.texts is not None else ()
    return {name: number for number, name in enumerate(names) if not name.startswith(made_again)}


def _write_delimited(
    target: str | os.PathLike[str],
    delimiter: str,
    columns: dict[str, AnyArray],
    header: list[str],
    X: Features,
) -> None:
    with open_output(target) as stream:
        stream.write((delimiter.join(quoted(header, delimiter)) + "\n").encode())
        for start in range(0, X.shape[0], _CHUNK):
            rows = slice(start, start + _CHUNK)
            cells = [_spelled(column[rows], delimiter) for column in columns.values()]
            cells += [_spelled(column, delimiter) for column in _dense(X[rows]).T]
            lines = map(delimiter.join, zip(*cells, strict=True))
            stream.write(("\n".join(lines) + "\n").encode())


def _write_parquet(
    target: str | os.PathLike[str], columns: dict[str, AnyArray], header: list[str], X: Features
) -> None:
    pyarrow, parquet = import_arrow(str(target))
    arrays = [pyarrow.array(column, from_pandas=True) for column in (*columns.values(), *_dense(X).T)]
    with open_output(target) as stream:
        parquet.write_table(pyarrow.table(arrays, names=header), stream)


def _dense(X: Features) -> AnyArray:
    return X.toarray() if issparse(X) else X


def _spelled(column: AnyArray, delimiter: str) -> list[str]:
    """Write a column as cells: numbers exactly, NaN as an empty cell, other things in quotes if need be."""
    if column.dtype.kind == "f":
        return ["" if number != number else repr(number) for number in column.tolist()]
    return quoted(map(str, column.tolist()), delimiter)

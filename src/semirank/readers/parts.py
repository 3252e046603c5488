"""Data beyond memory: one door to parts of whole lists."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Literal

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset.parts import Parts
from semirank.files import ending_of
from semirank.readers.roles import ColumnChoice
from semirank.spelling import option

PART_BYTES = 64 << 20
PARQUET = (".parquet", ".pq")


def open_parts(
    source: Any,
    *,
    label: ColumnChoice = None,
    qid: ColumnChoice = None,
    item: ColumnChoice = None,
    text: str | Sequence[str] | None = None,
    features: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    unlabelled: float | Literal["auto"] | None = "auto",
    part_bytes: int = PART_BYTES,
) -> Parts:
    r"""Open data that may be larger than memory, in parts of whole lists.

    Of Parquet and of a Dask data frame only lists and labels are read now, of LETOR every line is looked at
    once. A list that crosses row groups or files belongs to the part where it starts.

    Parameters
    ----------
    source : path, pattern, sequence of paths, or Dask data frame
        A file, a folder, or a pattern such as ``"letor/*.parquet"``; files are taken in the order of their
        names. Parquet, or LETOR / SVMlight text; if that is compressed, it is unpacked anew for each part.
    label, qid, item : str or False, optional
        Columns of Parquet, as in `read_table`. Without a column of lists all items are one, which is cut.
    text : str or sequence of str, optional
        Columns of Parquet with text, joined by blank lines: items are texts then, for `TextRanker`.
    features, drop : sequences of str
        The columns to rank by, or those to leave out. By default every other column, which must be numbers,
        or one column of vectors (a list of fixed size).
    unlabelled : float, "auto" or None
        The label that means "unlabelled"; "auto" is -1 where no other label is negative.
    part_bytes : int
        How many bytes of features a part is to hold, as single-precision numbers; a longer list is longer.

    Returns
    -------
    Parts

    Raises
    ------
    ValueError
        A file cannot be read, or has other columns; a list stands in two places.

    See Also
    --------
    RankRLS.fit_parts : learns from them.
    RankRLS.rank_parts : ranks them.
    read : what fits into memory.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from semirank import RankRLS, open_parts
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = "1 qid:1 1:0.5 2:1\n0 qid:1 1:0.1 2:0\n0 qid:2 1:0.3 2:1\n1 qid:2 1:0.9 2:0\n"
    ...     _ = pathlib.Path(folder, "train.letor").write_text(text)
    ...     parts = open_parts(folder, part_bytes=16)
    ...     parts, RankRLS().fit_parts(parts).coef_.round(3)
    (Parts(2 parts, 4 items, 2 features, 4 labelled), array([0.664, 0.044]))
    """
    from semirank.readers.parts_dask import dask_parts, is_dask
    from semirank.readers.parts_letor import letor_parts
    from semirank.readers.parts_parquet import parquet_parts

    columns = {
        "label": label,
        "qid": qid,
        "item": item,
        "text": False if text is None else text,
        "features": features,
        "drop": drop,
    }
    if is_dask(source):
        return dask_parts(source, columns, unlabelled, part_bytes)
    paths = files_of(source)
    endings = {ending_of(path) in PARQUET for path in paths}
    if len(endings) > 1:
        raise ValueError(f"{source}: holds Parquet and other files. Give a pattern, such as '*.parquet'.")
    if endings == {True}:
        return parquet_parts(paths, columns, unlabelled, part_bytes)
    return letor_parts(paths, unlabelled, part_bytes)


def files_of(source: Any) -> list[str]:
    """Return the files that a path, a folder, a pattern or a sequence means."""
    if not isinstance(source, (str, os.PathLike)):
        return [os.fspath(path) for path in source]
    name = os.fspath(source)
    if Path(name).is_dir():
        found = [
            str(path) for path in sorted(Path(name).iterdir()) if path.is_file() and path.name[0] not in "._"
        ]
    else:
        found = sorted(glob(name, recursive=True)) if has_magic(name) else [name]
    if not found:
        raise ValueError(f"{source}: there is no such file.")
    return found


@dataclass(frozen=True)
class Lists:
    """Lists in the order in which they stand: where each starts, and what is known of its labels.

    Attributes
    ----------
    ids : array of shape (n_lists,)
    starts : int64 array of shape (n_lists,)
        Row number of the first item, over all files.
    n_known, n_marked : int64 arrays of shape (n_lists,)
        Labels that are numbers, and how many of them are -1 (or the mark that the caller named).
    """

    ids: AnyArray
    starts: Integers
    n_known: Integers
    n_marked: Integers

    @classmethod
    def of_rows(cls, ids: AnyArray, y: Floats, mark: float, first: int) -> "Lists":
        """Find the lists of rows that stand together, the first of them at a row number."""
        new = np.append(True, ids[1:] != ids[:-1])
        starts = np.flatnonzero(new)
        counts = (np.add.reduceat(each, starts, dtype=np.int64) for each in (~np.isnan(y), y == mark))
        return cls(ids[starts], starts + first, *counts)

    @classmethod
    def join(cls, blocks: Sequence["Lists"]) -> "Lists":
        """Join lists of blocks; one that crosses from a block to the next becomes one again."""
        ids = np.concatenate([block.ids for block in blocks])
        first = np.append(True, ids[1:] != ids[:-1])
        places = np.flatnonzero(first)
        starts = np.concatenate([block.starts for block in blocks])[places]
        known, marked = (
            np.add.reduceat(np.concatenate([getattr(block, name) for block in blocks]), places)
            for name in ("n_known", "n_marked")
        )
        return cls(ids[places], starts, known, marked)

    def repeated(self) -> tuple[int, int] | None:
        """Return the numbers of two lists with one id, if there are any."""
        _, inverse, counts = np.unique(self.ids, return_inverse=True, return_counts=True)
        if (counts == 1).all():
            return None
        twice = np.flatnonzero(inverse == np.argmax(counts > 1))
        return int(twice[0]), int(twice[1])

    def cut(self, n_rows: int, rows_a_part: int) -> Booleans:
        """Tell which lists begin a part: one that would end beyond so many rows from the part's beginning."""
        ends = np.append(self.starts[1:], n_rows)
        begins = np.zeros(len(self.starts), dtype=bool)
        place = 0
        while place < len(begins):
            begins[place] = True
            beyond = int(np.searchsorted(ends, self.starts[place] + rows_a_part, side="right"))
            place = max(beyond, place + 1)
        return begins

    def parts(self, n_rows: int, rows_a_part: int, mark: float | None) -> Iterator[tuple[int, int, int]]:
        """Yield the first row of each part, the one behind its last, and how many labels it has."""
        begins = np.flatnonzero(self.cut(n_rows, rows_a_part))
        known = self.n_known - (0 if mark is None else self.n_marked)
        bounds = np.append(self.starts[begins], n_rows).tolist()
        yield from zip(bounds[:-1], bounds[1:], np.add.reduceat(known, begins).tolist(), strict=True)


def find_mark(unlabelled: float | Literal["auto"] | None, n_marked: int, n_negative: int) -> float | None:
    """Return the label that means "unlabelled" in all files, as `mark_unlabelled` finds it in one."""
    if unlabelled != "auto":
        return unlabelled
    if n_marked and n_negative > n_marked:
        raise ValueError(
            "The label -1 can mean 'unlabelled' or 'worse than 0', and other labels are negative too: "
            f"say {option('unlabelled', -1)} for the first, {option('unlabelled', None)} for the second."
        )
    return -1.0 if n_marked else None

"""Scores by name: a list, an item and its score on every line, best first."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.files import Source, ending_of, name_of, open_input, open_output
from semirank.readers.delimited import DelimitedFile, open_text, quoted
from semirank.readers.lines import Once, read_cells, read_number
from semirank.spelling import option

COLUMNS = ("qid", "item", "score")


@dataclass(frozen=True, eq=False, repr=False)
class Scores:
    """Scores of items that are known by the names of their list and themselves.

    Attributes
    ----------
    qid, item_ids : arrays of str of shape (n_items,)
        The list and the item of each score.
    scores : float64 array of shape (n_items,)
        Higher is better, comparable within a list only.
    name : str
        Where the scores come from, for messages.

    Examples
    --------
    >>> from semirank import RankingDataset
    >>> from semirank.readers.scores import Scores
    >>> data = RankingDataset([[0.0]] * 3, [1, 0, 1], qid=[7, 7, 8], item_ids=["a", "b", "a"])
    >>> scores = Scores.of([("8", "a", 0.5), ("7", "b", 0.1), ("7", "a", 0.9)])
    >>> scores.for_dataset(data)
    array([0.9, 0.1, 0.5])
    """

    qid: AnyArray
    item_ids: AnyArray
    scores: Floats
    name: str = "scores"

    @classmethod
    def of(cls, rows: Iterable[tuple[str, str, float]], name: str = "scores") -> "Scores":
        """Make scores of rows of list, item and score."""
        qid, item_ids, scores = tuple(zip(*rows, strict=True)) or ((), (), ())
        return cls(np.array(qid, object), np.array(item_ids, object), np.array(scores, float), name)

    def __repr__(self) -> str:
        return f"Scores({len(set(self.qid))} lists, {len(self)} items)"

    def __len__(self) -> int:
        return len(self.scores)

    def for_dataset(
        self,
        data: RankingDataset,
        *,
        missing: Literal["error", "last", "unretrieved"] = "error",
        unknown: Literal["error", "ignore"] = "error",
    ) -> Floats:
        """Return one score for each item of the data, in the caller's order, matched by name.

        Names are compared as they are spelled in files: the list 7 is the list "7". Items of data
        without `item_ids` go by the caller's row number, from 0.

        Parameters
        ----------
        data : RankingDataset
            The items to find scores for.
        missing : {"error", "last", "unretrieved"}
            What to do when an item has no score: refuse, put all such items at the end of their list,
            tied with each other, or give them -inf, which says so.
        unknown : {"error", "ignore"}
            What to do when a score names an item that the data do not have.
        """
        if missing not in ("error", "last", "unretrieved") or unknown not in ("error", "ignore"):
            raise ValueError("missing must be 'error', 'last' or 'unretrieved', unknown 'error' or 'ignore'.")
        rows = _by_name(zip(self.qid, self.item_ids, strict=True), self.name)
        keys = _by_name(zip(*item_names(data), strict=True), "The data")
        found = np.array([rows.get(key, -1) for key in keys])
        self._check_match(rows, keys, found, missing, unknown)
        scores = np.append(self.scores, np.nan)[found]
        if missing == "unretrieved":
            return data.restore(np.where(found < 0, -np.inf, scores))
        return data.restore(_put_last(data, scores, found < 0))

    def _check_match(
        self, rows: "_Names", keys: "_Names", found: Integers, missing: str, unknown: str
    ) -> None:
        absent = np.flatnonzero(found < 0)
        if missing == "error" and len(absent):
            list_name, item = list(keys)[absent[0]]
            raise ValueError(
                f"{self.name}: {len(absent)} items of the data have no score, the first is {item!r} of list "
                f"{list_name!r}. Score every item, or say {option('missing', 'last')}."
            )
        if unknown == "error" and len(rows) > len(found) - len(absent):
            list_name, item = next(key for key in rows if key not in keys)
            raise ValueError(
                f"{self.name}: the data have no item {item!r} in list {list_name!r}. Check that the scores "
                f"belong to these data, or say {option('unknown', 'ignore')}."
            )


_Names = dict[tuple[str, str], int]


class Ranked(NamedTuple):
    """Items in the order of their ranks, list by list."""

    qid: AnyArray
    item_ids: AnyArray
    ranks: Integers
    scores: Floats


def read_scores(source: Source) -> Scores:
    """Read a table of scores: tabs between the cells, commas in a .csv, the first line ``qid item score``.

    Parameters
    ----------
    source : path, "-" or binary file
        Compressed or not, by the ending of the name.

    Raises
    ------
    ValueError
        With file and line: another number of cells, a score that is no finite number, an item of a
        list that is there twice, another first line.
    """
    lines = _between_commas(source) if _has_commas(name_of(source)) else read_cells(source, COLUMNS, b"\t")
    header = next(lines, ("", None))[1]
    if header != list(COLUMNS):
        raise ValueError(
            f"{name_of(source)}: must start with the line 'qid item score', separated by tabs (in a .csv, by "
            "commas). "
            "A TREC run is read with read_run."
        )
    once, rows = Once(), []
    for place, (list_name, item, score) in lines:
        once.add(place, list_name, item)
        rows.append((list_name, item, read_number(place, "score", score)))
    if not rows:
        raise ValueError(f"{name_of(source)}: holds no scores, only the first line.")
    return Scores.of(rows, name_of(source))


def write_scores(
    data: RankingDataset, scores: Any, target: str | os.PathLike[str], *, top: int | None = None
) -> None:
    """Write the scores of the data as a table that `read_scores` reads, the best item of a list first.

    Lists come in the order in which they appear first, items by descending score, equal scores by
    descending name (as in a TREC run). Scores are written exactly.

    Parameters
    ----------
    data : RankingDataset
        The items. Without `item_ids` they go by the caller's row number, from 0.
    scores : array of shape (n_items,)
        In the caller's order.
    target : path or "-"
        A file appears only when it is complete. Between the cells are tabs, in a .csv commas.
    top : int, optional
        Write only so many items of each list.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from semirank import RankingDataset
    >>> from semirank.readers.scores import write_scores
    >>> data = RankingDataset([[0.0]] * 3, [1, 0, 1], qid=[7, 7, 8], item_ids=["a", "b", "a"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "scores.tsv"
    ...     write_scores(data, [0.1, 0.9, 0.5], path)
    ...     print(path.read_text().expandtabs(5))
    qid  item score
    7    b    0.9
    7    a    0.1
    8    a    0.5
    <BLANKLINE>
    """
    ranked = rank_items(data, scores, top)
    delimiter = "," if _has_commas(str(target)) else "\t"
    check_names(ranked, _has_text if delimiter == "," else _fits_between_tabs)
    with open_output(target) as stream:
        stream.write(delimiter.join(COLUMNS).encode() + b"\n")
        for list_name, item, _, score in zip(*map(np.ndarray.tolist, ranked), strict=True):
            cells = [list_name, item, repr(score)]
            cells = quoted(cells, ",") if delimiter == "," else cells
            stream.write((delimiter.join(cells) + "\n").encode())


def rank_items(data: RankingDataset, scores: Any, top: int | None = None) -> Ranked:
    """Order the items of each list by score; `scores` are in the caller's order.

    Equal scores are ordered by descending name, which is the rule of trec_eval.
    """
    scores = check_scores(data, scores)
    lists, items = item_names(data)
    name_rank = np.unique(items, return_inverse=True)[1]
    order = np.lexsort((-name_rank, -scores, data.list_of_item))
    ranks = np.arange(data.n_items) - data.indptr[data.list_of_item] + 1
    if top is not None:
        if top < 1:
            raise ValueError(f"top must be a whole number of at least 1; got {top!r}.")
        order, ranks = order[ranks <= top], ranks[ranks <= top]
    return Ranked(lists[order], items[order], ranks, scores[order])


def item_names(data: RankingDataset) -> tuple[AnyArray, AnyArray]:
    """Spell the list and the item of each row of the data; items without a name go by the caller's row."""
    return spell(data.qid), spell(data.order if data.item_ids is None else data.item_ids)


def spell(names: AnyArray) -> AnyArray:
    """Write names as they stand in files: whole numbers without a point, None as an empty name."""
    spelled = np.empty(len(names), dtype=object)
    spelled[:] = [name if isinstance(name, str) else _spell_one(name) for name in names.tolist()]
    return spelled


def check_scores(data: RankingDataset, scores: Any) -> Floats:
    """Return scores given in the caller's order as float64 in the order of the lists; all must be finite."""
    scores = np.asarray(scores, dtype=np.float64)
    if scores.shape != (data.n_items,):
        raise ValueError(
            f"There must be one score for each of {data.n_items} items; got shape {scores.shape}."
        )
    if not np.isfinite(scores).all():
        row = np.flatnonzero(~np.isfinite(scores))[0]
        raise ValueError(f"The score in row {row} is {scores[row]}: scores must be finite numbers.")
    return data.arrange(scores)


def check_names(ranked: Ranked, fits: Callable[[str], bool]) -> None:
    """Refuse names that would not be the same when the file is read again."""
    _by_name(zip(ranked.qid, ranked.item_ids, strict=True), "The data")
    for kind, names in (("list", ranked.qid), ("item", ranked.item_ids)):
        for name in names:
            if not fits(name):
                raise ValueError(
                    f"The {kind} {name!r} cannot be written: it is empty or holds characters that end a cell."
                )


def _has_commas(name: str) -> bool:
    return ending_of(name) == ".csv"


def _between_commas(source: Source) -> Iterator[tuple[str, list[str]]]:
    name = name_of(source)
    with open_input(source) as stream, open_text(stream) as text:
        table = DelimitedFile(text, name, ",")
        yield f"{name}:1", table.columns
        for line, cells in table.rows():
            yield f"{name}:{line}", cells


def _has_text(name: str) -> bool:
    return bool(name.strip())


def _fits_between_tabs(name: str) -> bool:
    return _has_text(name) and not any(mark in name for mark in "\t\n\r")


def _spell_one(name: Any) -> str:
    if name is None or name != name:
        return ""
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def _by_name(keys: Iterable[tuple[str, str]], owner: str) -> _Names:
    """Give every name its row; refuse one that is there twice."""
    numbers: _Names = {}
    for row, key in enumerate(keys):
        if numbers.setdefault(key, row) != row:
            raise ValueError(
                f"{owner}: item {key[1]!r} of list {key[0]!r} is there twice; names must differ."
            )
    return numbers


def _put_last(data: RankingDataset, scores: Floats, absent: Booleans) -> Floats:
    """Give the items without a score one that is below all others of their list."""
    lowest = np.minimum.reduceat(np.where(absent, np.inf, scores), data.indptr[:-1])
    lowest = np.where(np.isinf(lowest), 0.0, lowest)
    below = np.minimum(lowest - 1.0, np.nextafter(lowest, -np.inf))
    return np.where(absent, below[data.list_of_item], scores)

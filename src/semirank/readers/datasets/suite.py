"""Everyday tables and texts, as a user would bring them: raw columns, words for categories, empty cells."""

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.files import open_input
from semirank.readers.datasets.entry import Counts, Entry
from semirank.readers.datasets.items import Items, strings
from semirank.readers.fetch import RemoteFile

MOST_LEVELS = 20
LABEL, TEXT = "label", "text"
_BINARY = {  # name: (items, relevant ones)
    "credit-approval": (690, 307),
    "hypothyroid": (3772, 291),
    "anneal": (898, 214),
    "breast-w": (699, 241),
    "colic": (368, 136),
    "heart": (270, 120),
    "hepatitis": (155, 32),
    "kr-vs-kp": (3196, 1527),
    "page-blocks": (5473, 560),
    "soybean": (683, 274),
    "tic-tac-toe": (958, 332),
    "vowel": (990, 360),
    "vote": (435, 168),
    "ecoli": (336, 116),
    "cylinder-bands": (540, 228),
    "dermatology": (366, 184),
    "cmc": (1473, 333),
    "glass": (214, 51),
    "nursery": (12960, 328),
    "spectf": (269, 214),
    "authorship": (841, 317),
    "banknote": (1372, 610),
    "titanic": (891, 342),
}
_REAL = {
    "ailerons": 4000,
    "bank32nh": 4000,
    "elevators": 4000,
    "house8L": 4000,
    "housing": 506,
    "autompg": 398,
    "stock": 950,
    "puma32H": 4000,
    "pol": 4000,
    "bodyfat": 252,
}
_TEXTS = {
    "movie-reviews": (1000, 500),
    "product-complaints": (4000, 712),
    "mpqa-phrases": (4000, 1123),
    "first-names": (4000, 2650),
    "problem-reports": (4000, 924),
}
TABLES, GRADED, TEXTS = tuple(_BINARY), tuple(_REAL), tuple(_TEXTS)
"""The names of the tables with labels 0 and 1, of those with real-valued labels, and of the texts."""


def read_columns(path: Path) -> dict[str, AnyArray]:
    """Read the columns of a table: numbers, NaN for an empty cell, or words, None for an empty cell."""
    with open_input(path) as stream:
        rows = csv.reader(io.TextIOWrapper(stream, encoding="utf-8", newline=""))
        header, *body = rows
    return {name: _column(cells) for name, cells in zip(header, zip(*body, strict=True), strict=True)}


def _column(cells: Sequence[str]) -> AnyArray:
    try:
        return np.array([float(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array([cell or None for cell in cells], dtype=object)


def read_everyday(path: Path) -> Items:
    """Read texts as they are, and other columns as numbers, categories one column for each level."""
    columns = read_columns(path)
    y = columns.pop(LABEL)
    ids = np.arange(1, len(y) + 1)
    if list(columns) == [TEXT]:
        return Items(item_ids=ids, texts=strings(text or "" for text in columns[TEXT]), y=y)
    X, names = one_hot(columns)
    return Items(item_ids=ids, X=X, y=y, feature_names=names)


def one_hot(columns: Mapping[str, AnyArray]) -> tuple[Floats, tuple[str, ...]]:
    """Return columns of numbers as they are, and one of 0 and 1 for each level of the others.

    Of a category the 20 most frequent levels that two items share are kept; an empty cell is no level.

    Examples
    --------
    >>> colours = np.array(["red", "red", None, "blue"], dtype=object)
    >>> X, names = one_hot({"size": np.array([1, 2, np.nan, 1e6]), "colour": colours})
    >>> names
    ('size', 'colour=red')
    >>> X[:, 1]
    array([1., 1., 0., 0.])
    """
    made: dict[str, Floats] = {}
    for name, cells in columns.items():
        if cells.dtype.kind == "f":
            made[name] = cells
        else:
            known = Counter(filter(None, cells)).most_common(MOST_LEVELS)
            levels = sorted(level for level, count in known if count > 1)
            made |= {f"{name}={level}": (cells == level).astype(np.float64) for level in levels}
    return np.column_stack(list(made.values())), tuple(made)


ENTRIES = (
    Entry(
        name="suite",
        summary="everyday tables and texts, each part a set of its own; load one part at a time",
        labels="0 or 1; real-valued from ailerons to bodyfat",
        address="https://github.com/renatopp/arff-datasets",
        terms="those of the sources",
        parts={
            **{name: Counts(items, 1, relevant) for name, (items, relevant) in _BINARY.items()},
            **{name: Counts(items, 1) for name, items in _REAL.items()},
            **{name: Counts(items, 1, relevant) for name, (items, relevant) in _TEXTS.items()},
        },
        read=read_everyday,
        files=tuple(RemoteFile(f"suite/{name}.csv", part=name) for name in (*_BINARY, *_REAL, *_TEXTS)),
        by_hand=(
            "They were shuffled, sampled and joined to binary questions, and no address is known where they "
            "lie in that form."
        ),
    ),
)


def load_columns(part: str) -> dict[str, AnyArray]:
    """Return the columns of a part as they are, `label` among them."""
    [entry] = ENTRIES
    [(_, [path])] = entry.paths(entry.choose_parts(part, None))
    return read_columns(path)

"""Everyday sets and earlier ones as problems with few labels: what is shown, what is ranked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset
from semirank.dataset.table import RawTable
from semirank.experiments.auto_tasks import hidden, show, side_by_side
from semirank.readers.datasets import load, load_items, suite

TABLES, GRADES, TEXTS = "tables", "grades", "texts"
TOPICS, VECTORS, LISTS = "topical texts", "vectors and images", "lists"
MOST_ITEMS = 2_000
SAMPLE_SEED = 0  # of the items and lists that are taken from a large set: the same in every draw
FEWEST_LEFT = 10  # relevant and irrelevant items that must remain to be ranked
_SIDES = ("1+1", "5+5", "10+40", "50+50")
BUDGETS = {
    TABLES: _SIDES,
    TEXTS: _SIDES,
    TOPICS: _SIDES,
    VECTORS: _SIDES,
    GRADES: ("10", "50", "100"),
    LISTS: ("2", "5", "10", "20"),
}
_DIGITS = {"3": ("3",), "8": ("8",), "0-4": tuple("01234")}


class Case(NamedTuple):
    """A problem with few labels.

    Attributes
    ----------
    items : array or RawTable
        What AutoRanker is given: texts, tables and numbers as they are.
    X : array
        What the features of peers are made of.
    y, qid : arrays
        Labels, NaN where none is shown, and lists (None: one list).
    truth : float64 array of shape (n_items,)
        The labels of the items that are ranked, NaN elsewhere.
    """

    items: Any
    X: Any
    y: Floats
    qid: AnyArray | None
    truth: Floats


@dataclass(frozen=True)
class EverydaySet:
    """A set of items with all labels; those with lists have a part for labels and a part to be ranked.

    Attributes
    ----------
    name, kind : str
        What it is called, and of which kind it is.
    read : callable
        Returns what AutoRanker and what peers are given, and labels; or two datasets of lists.
    """

    name: str
    kind: str
    read: Callable[[], tuple[Any, ...]]

    @property
    def budgets(self) -> tuple[str, ...]:
        """How many labels or labelled lists are shown."""
        return BUDGETS[self.kind]


def draw_case(name: str, budget: str, seed: Sequence[int], most: int = MOST_ITEMS) -> Case | None:
    """Show labels drawn at random; None where too few items would be left to rank."""
    kind, rng = SETS[name].kind, np.random.default_rng(seed)
    if kind == LISTS:
        known, unknown = read_set(name, most)
        lists = rng.choice(np.flatnonzero(known.labels_differ), int(budget), replace=False)
        X, y, qid, ranked = side_by_side(known.select(lists), unknown)
        return Case(X, X, y, qid, ranked)
    items, X, truth = read_set(name, most)
    shown = show_some(truth, budget, rng)
    return None if shown is None else Case(items, X, shown, None, hidden(truth, shown))


def show_some(truth: Floats, budget: str, rng: np.random.Generator) -> Floats | None:
    """Show so many labels, or so many of each side; None where fewer than ten of a side would be left."""
    if "+" not in budget:
        shown = rng.permutation(len(truth)) < int(budget)
        while np.ptp(truth[shown]) == 0:  # nobody stops labelling there
            shown = rng.permutation(len(truth)) < int(budget)
        return np.where(shown, truth, np.nan)
    counts = dict(zip((1.0, 0.0), map(int, budget.split("+")), strict=True))
    if any((truth == level).sum() < count + FEWEST_LEFT for level, count in counts.items()):
        return None
    return show(truth, counts, rng)


@lru_cache(maxsize=2)
def read_set(name: str, most: int = MOST_ITEMS) -> tuple[Any, ...]:
    """Return a set as `EverydaySet.read` does, with at most so many items to be ranked."""
    found = SETS[name].read()
    rng = np.random.default_rng(SAMPLE_SEED)
    if SETS[name].kind == LISTS:
        return found[0], _fewer_lists(found[1], most, rng)
    rows = np.sort(rng.permutation(len(found[-1]))[:most])
    return tuple(each.take(rows) if isinstance(each, RawTable) else each[rows] for each in found)


def _fewer_lists(data: RankingDataset, most: int, rng: np.random.Generator) -> RankingDataset:
    order = rng.permutation(data.n_lists)
    sizes = np.cumsum(np.diff(data.indptr)[order])
    return data.select(np.sort(order[sizes <= most]))


def _table(part: str) -> tuple[Any, Floats, Floats]:
    """Read an everyday table; peers get the median of a column of numbers for its empty cells."""
    columns = suite.load_columns(part)
    y = columns.pop(suite.LABEL)
    X, _ = suite.one_hot(columns)
    words = any(cells.dtype.kind != "f" for cells in columns.values())
    return (
        RawTable(columns) if words else X,
        np.where(np.isnan(X), np.nan_to_num(np.nanmedian(X, axis=0)), X),
        y,
    )


def _texts(name: str, part: str) -> tuple[Any, Any, Any]:
    items = load_items(name, part=part, text_features=False)
    return items.texts, items.texts, items.y


def _classes(name: str, relevant: tuple[str, ...]) -> tuple[Any, Any, Floats]:
    items = load_items(name, text_features=False)
    X = items.texts if items.X is None else np.asarray(items.X, dtype=np.float64)
    return X, X, items.is_a(*relevant).astype(np.float64)


def _fold(name: str, fold: int) -> tuple[RankingDataset, RankingDataset]:
    return load(name, fold=fold, part="train"), load(name, fold=fold, part="test")


def _all_sets() -> list[EverydaySet]:
    groups = (
        ("newsgroups-rec", "rec.autos"),
        ("newsgroups-rec", "rec.sport.hockey"),
        ("newsgroups", "sci.med"),
    )
    reviews = ("Cohen_ACEInhibitors", "Cohen_Triptans", "Nagtegaal_2019")
    return [
        *(EverydaySet(part, TABLES, partial(_table, part)) for part in suite.TABLES),
        *(EverydaySet(part, GRADES, partial(_table, part)) for part in suite.GRADED),
        *(EverydaySet(part, TEXTS, partial(_texts, "suite", part)) for part in suite.TEXTS),
        *(EverydaySet(group, TOPICS, partial(_classes, name, (group,))) for name, group in groups),
        *(EverydaySet(part, TOPICS, partial(_texts, "systematic-reviews", part)) for part in reviews),
        *(
            EverydaySet(f"{name} {title}", VECTORS, partial(_classes, name, digits))
            for name in ("optdigits", "usps", "mnist")
            for title, digits in _DIGITS.items()
        ),
        *(
            EverydaySet(f"{name} fold {fold}", LISTS, partial(_fold, name, fold))
            for name in ("ohsumed-letor", "mq2008")
            for fold in (1, 3, 5)
        ),
    ]


SETS = {each.name: each for each in _all_sets()}

"""Tasks with few labels from every named dataset: what is shown, what is ranked, what is measured."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset
from semirank.features import TfIdf
from semirank.readers.datasets import available, load, load_items

TOPICS = ("earn", "acq", "money-fx", "crude", "grain", "trade", "interest", "ship", "money-supply", "sugar")
FOLDS = 5
REVIEWS = tuple(available()["systematic-reviews"].parts)
DISEASES = ("C04", "C10", "C14", "C20", "C23")  # the five classes of ohsumed-text with most abstracts


class Problem(NamedTuple):
    """Items, the labels that are shown, and those that rankings are measured on.

    Attributes
    ----------
    X, y, qid : arrays
        What a ranker is given; y is NaN where no label is shown.
    truth : float64 array of shape (n_items,)
        The labels of the items that are ranked, NaN elsewhere.
    """

    X: Any
    y: Floats
    qid: AnyArray | None
    truth: Floats


@dataclass(frozen=True)
class AutoTask:
    """Problems of one kind.

    Attributes
    ----------
    title : str
        What is shown and ranked.
    kind : {"texts", "features", "grades", "lists"}
        Which supervised rankers are its rivals.
    make : callable
        Makes the problem of a draw from its number and a seed.
    metrics : tuple of str
        What is measured.
    marks : mapping
        What is to be reached, in per cent.
    times : int
        Problems for each trial: topics, folds, digits.
    once : bool
        Whether every trial would be the same.
    batches : int
        How often five items from the top of a ranking get their label before it is measured again.
    """

    title: str
    kind: str
    make: Callable[[int, int], Problem]
    metrics: tuple[str, ...]
    marks: Mapping[str, float] = field(default_factory=dict)
    times: int = 1
    once: bool = False
    batches: int = 0

    def n_draws(self, trials: int) -> int:
        """Return the number of problems."""
        return self.times * (1 if self.once else trials)


def show(truth: Floats, counts: Mapping[float, int], rng: np.random.Generator) -> Floats:
    """Show so many labels of each level, drawn at random."""
    y = np.full(len(truth), np.nan)
    for level, count in counts.items():
        y[rng.choice(np.flatnonzero(truth == level), count, replace=False)] = level
    return y


def hidden(truth: Floats, y: Floats) -> Floats:
    """Return the labels that are not shown."""
    return np.where(np.isnan(y), truth, np.nan)


def reuters(draw: int, seed: int) -> Problem:
    """Label nine relevant and 81 irrelevant documents of a topic; half of the others are ranked."""
    X, topics = _reuters()
    rng = np.random.default_rng((seed, draw))
    truth = (topics == TOPICS[draw % len(TOPICS)]).astype(float)
    y = show(truth, {1.0: 9, 0.0: 81}, rng)
    rest = rng.permutation(np.flatnonzero(np.isnan(y)))
    ranked = np.full(len(y), np.nan)
    ranked[rest[: len(rest) // 2]] = truth[rest[: len(rest) // 2]]
    return Problem(X, y, None, ranked)


@lru_cache(maxsize=1)
def _reuters() -> tuple[Any, AnyArray]:
    items = load_items("reuters21578", text_features=TfIdf(min_df=3))
    first = np.array([names[0] if names else "" for names in items.classes or ()])
    chosen = np.flatnonzero(np.isin(first, TOPICS))
    return items.take(chosen).X, first[chosen]


def newsgroups(draw: int, seed: int) -> Problem:
    """Label five relevant and fifteen irrelevant messages of one of four groups."""
    items = _items("newsgroups-rec")
    names = items.class_names
    truth = items.is_a(names[draw % len(names)]).astype(float)
    y = show(truth, {1.0: 5, 0.0: 15}, np.random.default_rng((seed, draw)))
    return Problem(items.X, y, None, hidden(truth, y))


def ohsumed_text(draw: int, seed: int) -> Problem:
    """Label nine relevant and 81 irrelevant abstracts of a class."""
    items = _items("ohsumed-text")
    truth = items.is_a(DISEASES[draw % len(DISEASES)]).astype(float)
    y = show(truth, {1.0: 9, 0.0: 81}, np.random.default_rng((seed, draw)))
    return Problem(items.X, y, None, hidden(truth, y))


def reviews(draw: int, seed: int) -> Problem:
    """Label one relevant and one irrelevant record of a review."""
    items = _items("systematic-reviews", REVIEWS[draw % len(REVIEWS)])
    y = show(items.y, {1.0: 1, 0.0: 1}, np.random.default_rng((seed, draw)))
    return Problem(items.X, y, None, hidden(items.y, y))


@lru_cache(maxsize=len(REVIEWS))
def _items(name: str, part: str | None = None) -> Any:
    return load_items(name, part=part)


def optdigits(draw: int, seed: int) -> Problem:
    """Label 1 % of the training digits, 0 to 4 relevant and 5 to 9 not; the test digits are ranked."""
    items = _items("optdigits")
    truth = items.is_a(*"01234").astype(float)
    rng, train = np.random.default_rng((seed, draw)), items.part == "train"
    y = np.full(len(truth), np.nan)
    for level in (0.0, 1.0):
        rows = rng.permutation(np.flatnonzero(train & (truth == level)))
        y[rows[: round(0.01 * len(rows))]] = level
    return Problem(np.asarray(items.X, dtype=float), y, None, np.where(train, np.nan, truth))


def mnist(draw: int, seed: int) -> Problem:
    """Label fifty digits from 0 to 4 as relevant and fifty from 5 to 9 as not."""
    items = _items("mnist")
    truth = items.is_a(*"01234").astype(float)
    y = show(truth, {1.0: 50, 0.0: 50}, np.random.default_rng((seed, draw)))
    return Problem(np.asarray(items.X, dtype=float), y, None, hidden(truth, y))


def usps(draw: int, seed: int) -> Problem:
    """Label one image of a digit from 1 to 6, the query."""
    items = _items("usps")
    chosen = np.flatnonzero(items.is_a(*"123456"))
    truth = items.is_a(str(1 + draw % 6))[chosen].astype(float)
    y = show(truth, {1.0: 1}, np.random.default_rng((seed, draw)))
    return Problem(np.asarray(items.X)[chosen], y, None, hidden(truth, y))


def letor(name: str, size: int | None) -> Callable[[int, int], Problem]:
    """Return the problems of a LETOR set: some lists of the training parts are labelled (None: all)."""

    def make(draw: int, seed: int) -> Problem:
        train, test = _fold(name, 1 + draw % FOLDS)
        lists = np.flatnonzero(train.labels_differ)
        if size is not None:
            lists = np.random.default_rng((seed, draw)).choice(lists, size, replace=False)
        return side_by_side(train.select(lists), test)

    return make


@lru_cache(maxsize=FOLDS)
def _fold(name: str, fold: int) -> tuple[RankingDataset, RankingDataset]:
    return load(name, fold=fold, part="train"), load(name, fold=fold, part="test")


def lambdarank(draw: int, seed: int) -> Problem:
    """Label twenty lists of LightGBM's example; its test lists are ranked."""
    train, test = (_dense(load("lightgbm-lambdarank", part=part)) for part in ("train", "test"))
    lists = np.random.default_rng((seed, draw)).choice(np.flatnonzero(train.labels_differ), 20, replace=False)
    return side_by_side(train.select(lists), test)


def nbest(draw: int, seed: int) -> Problem:
    """Label ten lists of translations; those of other sentences are ranked."""
    data = load("moses-nbest")
    sentences = np.array([str(name).partition(".")[0] for name in data.list_ids])
    rng = np.random.default_rng((seed, draw))
    known = np.isin(
        sentences, rng.choice(np.unique(sentences), len(np.unique(sentences)) // 2, replace=False)
    )
    lists = rng.choice(np.flatnonzero(known), 10, replace=False)
    return side_by_side(data.select(lists), data.select(~known))


def casp(draw: int, seed: int) -> Problem:
    """Label two hundred protein models with their likeness to the native fold; 5,000 others are ranked."""
    return _one_list(load("casp"), 200, 5_000, (seed, draw))


def effort(draw: int, seed: int) -> Problem:
    """Label a hundred translations with the effort of correcting them; all others are ranked."""
    return _one_list(load("wmt12-qe"), 100, None, (seed, draw))


def _one_list(data: RankingDataset, n_labels: int, n_others: int | None, seed: tuple[int, int]) -> Problem:
    rows = np.random.default_rng(seed).permutation(data.n_items)
    rows = rows[: None if n_others is None else n_labels + n_others]
    shown = np.arange(len(rows)) < n_labels
    X, truth = data.X[rows], data.y[rows]
    spread = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    return Problem(X, np.where(shown, truth, np.nan), None, np.where(shown, np.nan, truth))


def side_by_side(few: RankingDataset, test: RankingDataset) -> Problem:
    """Put labelled lists and lists to be ranked into one problem."""
    unknown, known = np.full(test.n_items, np.nan), np.full(few.n_items, np.nan)
    return Problem(
        np.vstack([few.X, test.X]),
        np.append(few.y, unknown),
        np.append(few.list_of_item, few.n_lists + test.list_of_item),
        np.append(known, test.y),
    )


def _dense(data: RankingDataset) -> RankingDataset:
    return data.replace(X=data.X.toarray()) if hasattr(data.X, "toarray") else data


TASKS: dict[str, AutoTask] = {
    "reuters": AutoTask(
        "Reuters, 9 + 81 labels, ten topics",
        "texts",
        reuters,
        ("AUC", "AP@500", "P@50"),
        {"AUC": 98.7, "AP@500": 70.0, "P@50": 92.0},
        times=len(TOPICS),
    ),
    "reviews": AutoTask(
        "Systematic reviews, 1 + 1 labels, then 20 more from the top",
        "texts",
        reviews,
        ("recall", "recall, 20 more"),
        {"recall": 48.0, "recall, 20 more": 61.0},
        times=len(REVIEWS),
        batches=4,
    ),
    "newsgroups": AutoTask("Newsgroups rec.*, 5 + 15 labels", "texts", newsgroups, ("AUC", "P@100"), times=4),
    "ohsumed-text": AutoTask(
        "Ohsumed abstracts, 9 + 81 labels", "texts", ohsumed_text, ("AUC", "AP@500"), times=len(DISEASES)
    ),
    "optdigits": AutoTask(
        "OPTDIGITS 0-4 against 5-9, 1 % labels", "features", optdigits, ("AUC",), {"AUC": 97.5}
    ),
    "mnist": AutoTask("MNIST 0-4 against 5-9, 50 + 50 labels", "features", mnist, ("AUC",)),
    "usps": AutoTask("USPS, one image as query", "features", usps, ("AUC", "P@100"), {"AUC": 98.0}, times=6),
    "ohsumed-5": AutoTask(
        "OHSUMED, 5 labelled lists", "lists", letor("ohsumed-letor", 5), ("AP",), {"AP": 43.3}, times=FOLDS
    ),
    "ohsumed-all": AutoTask(
        "OHSUMED, all training lists",
        "lists",
        letor("ohsumed-letor", None),
        ("AP",),
        {"AP": 44.7},
        times=FOLDS,
        once=True,
    ),
    "mq2008-10": AutoTask(
        "MQ2008, 10 labelled lists", "lists", letor("mq2008", 10), ("AP",), {"AP": 45.4}, times=FOLDS
    ),
    "mq2008-all": AutoTask(
        "MQ2008, all training lists",
        "lists",
        letor("mq2008", None),
        ("AP",),
        {"AP": 47.8},
        times=FOLDS,
        once=True,
    ),
    "lambdarank": AutoTask(
        "LightGBM's example, 20 labelled lists", "lists", lambdarank, ("nDCG@10",), times=2
    ),
    "nbest": AutoTask("Moses n-best, 10 labelled lists", "lists", nbest, ("nDCG@10",), times=2),
    "casp": AutoTask("CASP, 200 labels", "grades", casp, ("AUC",), times=2),
    "effort": AutoTask("WMT12 effort, 100 labels", "grades", effort, ("AUC",), times=2),
}

"""How scores of several rankers are made comparable, and how much each of them counts."""

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from scipy.optimize import nnls
from sklearn.base import clone

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.limits import Between
from semirank.rankers._base import Ranker
from semirank.rankers.cross_validation import deal_labels

FADING, EARLY = "fading", "early"
HELD_OUT = "held-out"
_NUMBER = Between(0, np.inf, closed="left")
NEGLIGIBLE = 1e-10  # a spread this small beside the scores is rounding


class Weights:
    """One weight for each ranker, "held-out" or None."""

    def __contains__(self, value: object) -> bool:
        if value is None or (isinstance(value, str) and value == HELD_OUT):
            return True
        if not isinstance(value, (list, tuple, np.ndarray)) or len(value) == 0:
            return False
        return all(map(_is_weight, value)) and any(_is_word(weight) or weight > 0 for weight in value)

    def __str__(self) -> str:
        return (
            "'held-out', None, or numbers of 0 or more (not all 0), 'fading' and 'early', one for each ranker"
        )

    def parse(self, text: str) -> Any:
        """Read weights with commas between them, or one of the words."""
        if text in (HELD_OUT, "None", "none"):
            return HELD_OUT if text == HELD_OUT else None
        return [part if part in (FADING, EARLY) else float(part) for part in text.split(",")]


def _is_word(weight: object) -> bool:
    return isinstance(weight, str) and weight in (FADING, EARLY)


def _is_weight(weight: object) -> bool:
    return _is_word(weight) or weight in _NUMBER


def weight_in_lists(weight: float | str, n_relevant: Integers) -> Floats:
    """Return the weight in each list: a number everywhere, or one that falls with its relevant labels."""
    if weight == EARLY:
        return np.maximum(0.0, (8.0 - n_relevant) / 4.0)
    if weight == FADING:
        return np.asarray(6.0 / (3.0 + n_relevant), dtype=np.float64)
    return np.full(len(n_relevant), float(weight))


def centres_and_spreads(columns: Floats, indptr: Integers) -> tuple[Floats, Floats]:
    """Return mean and standard deviation of each column in each list; no spread where it is rounding."""
    sizes = np.diff(indptr)
    centres = np.add.reduceat(columns, indptr[:-1]) / sizes[:, None]
    deviations = columns - np.repeat(centres, sizes, axis=0)
    spreads = np.sqrt(np.add.reduceat(deviations**2, indptr[:-1]) / sizes[:, None])
    largest = np.maximum.reduceat(np.abs(columns), indptr[:-1])
    return centres, np.where(spreads > NEGLIGIBLE * largest, spreads, 0.0)


def inverse(spreads: Floats) -> Floats:
    """Return 1 / spread, and 0 where there is no spread."""
    return np.divide(1.0, spreads, out=np.zeros_like(spreads), where=spreads > 0)


def standardised(columns: Floats, data: RankingDataset) -> Floats:
    """Return the columns with mean 0 and standard deviation 1 in each list, 0 where all are the same."""
    centres, spreads = centres_and_spreads(columns, data.indptr)
    lists = data.list_of_item
    return (columns - centres[lists]) * inverse(spreads)[lists]


def held_out_weights(members: Sequence[Ranker], data: RankingDataset, n_folds: int) -> Floats | None:
    """Return weights of 0 or more, with sum 1, under which held-out labels come out best; None: no way.

    They minimise the squared error of the labels by the standardised scores of rankers that were fitted
    without them, both relative to the mean over the held-out items of a list.
    """
    try:
        folds = deal_labels(data, n_folds)
    except ValueError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rankers complain about the labels that were taken from them
        equations = list(_equations([clone(ranker) for ranker in members], data, folds))
    weights, _ = nnls(np.vstack([rows for rows, _ in equations]), np.concatenate([y for _, y in equations]))
    return np.asarray(weights / weights.sum()) if weights.sum() > 0 else None


def _equations(
    rankers: list[Ranker], data: RankingDataset, folds: list[Booleans]
) -> Iterator[tuple[Floats, Floats]]:
    """Yield standardised scores and label of held-out items, relative to their list, all lists alike."""
    labelled = np.flatnonzero(data.labelled)
    for turn, held_out in enumerate(folds):
        y = data.y.copy()
        y[labelled[held_out]] = np.nan
        fits = [ranker._refit if turn else ranker.fit for ranker in rankers]
        columns = np.column_stack([fit(data.X, y, data.qid).scores_ for fit in fits])
        scores = standardised(columns, data)
        for items in _by_list(labelled[held_out], data):
            share = 1.0 / np.sqrt(len(items))
            yield (
                share * (scores[items] - scores[items].mean(axis=0)),
                share * (data.y[items] - data.y[items].mean()),
            )


def _by_list(items: Integers, data: RankingDataset) -> list[Integers]:
    lists = data.list_of_item[items]
    return np.split(items, np.flatnonzero(np.diff(lists)) + 1)

"""How much items and pairs of items count."""

from typing import Any, NamedTuple

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.dataset.checks import check_per_item


class PairWeights(NamedTuple):
    """Pairs of items of one list, the one better than the other.

    A pair that is given twice counts with the sum of its weights.

    Attributes
    ----------
    better, worse : int arrays of shape (n_pairs,)
        Row numbers of the two items of each pair; the label of the first is the higher one.
    weights : float array of shape (n_pairs,)
        How much each pair counts: finite, not negative, not all 0.

    See Also
    --------
    RankRLS : takes them in `fit`.
    RankBoost : so does this.
    ImportanceWeighting : makes them.

    Examples
    --------
    >>> from semirank.rankers.pairs import PairWeights
    >>> PairWeights(better=[1, 2], worse=[0, 0], weights=[3.0, 0.5])
    PairWeights(better=[1, 2], worse=[0, 0], weights=[3.0, 0.5])
    """

    better: Integers
    worse: Integers
    weights: Floats


def check_weights(sample_weight: Any, data: RankingDataset) -> Floats:
    """Return the weight of each item in the order of the lists; 1 where none is given."""
    given = check_per_item("sample_weight", sample_weight, data.n_items)
    if given is None:
        return np.ones(data.n_items)
    weights = np.asarray(given, dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(weights) | (weights < 0))
    if len(wrong):
        raise ValueError(
            f"sample_weight must be finite and not negative; got {weights[wrong[0]]} in row {wrong[0]}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every item, so that there is nothing to learn from.")
    return data.arrange(weights)


def check_pairs(pairs: Any, data: RankingDataset) -> PairWeights:
    """Return pairs that were given by row numbers of the caller as pairs of rows of `data`."""
    better, worse, weights = pairs
    rows = [_check_rows(name, given, data) for name, given in (("better", better), ("worse", worse))]
    weights = np.asarray(weights, dtype=np.float64)
    if not rows[0].shape == rows[1].shape == weights.shape:
        raise ValueError(
            "pairs must have one entry of better, worse and weights for each pair; got "
            f"{len(rows[0])} better, {len(rows[1])} worse and weights of shape {weights.shape}."
        )
    _check_pair_weights(weights)
    places = np.empty(data.n_items, dtype=np.int64)
    places[data.order] = np.arange(data.n_items)
    checked = PairWeights(places[rows[0]], places[rows[1]], weights)
    _check_order(checked, data)
    return checked


def _check_rows(name: str, given: Any, data: RankingDataset) -> Integers:
    rows = np.asarray(given)
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and len(rows)):
        raise ValueError(
            f"pairs.{name} must be whole row numbers, one for each pair; got {rows.dtype} of shape "
            f"{rows.shape}."
        )
    _refuse(
        (rows < 0) | (rows >= data.n_items), f"{name} must be a row number in [0, {data.n_items - 1}]", rows
    )
    return rows.astype(np.int64)


def _check_pair_weights(weights: Floats) -> None:
    _refuse(~np.isfinite(weights) | (weights < 0), "weights must be finite and not negative", weights)
    if not weights.any():
        raise ValueError("pairs have no weight above 0, so that there is nothing to learn from.")


def _check_order(pairs: PairWeights, data: RankingDataset) -> None:
    lists, better, worse = data.list_of_item, pairs.better, pairs.worse
    rows = np.column_stack([data.order[better], data.order[worse]])
    _refuse(lists[better] != lists[worse], "both rows must be of one list", rows)
    # written so that a label that is NaN is refused too
    _refuse(~(data.y[better] > data.y[worse]), "the first row must have the higher label of the two", rows)


def _refuse(wrong: Booleans, rule: str, values: Any) -> None:
    if wrong.any():
        first = int(np.argmax(wrong))
        raise ValueError(f"pairs: {rule}; pair {first} has {values[first]}.")

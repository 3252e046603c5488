"""How many rounds are enough: asked of lists that were held out."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from semirank.core.agreement import count_pairs
from semirank.core.arrays import Booleans, Floats, Integers
from semirank.core.ranks import number_levels, sort_lists
from semirank.dataset import RankingDataset
from semirank.spelling import option


def choose_held_out(data: RankingDataset, fraction: float, random_state: Any) -> Booleans:
    """Mark the items of some lists, drawn from those whose labels differ; at least one list is left."""
    lists = np.flatnonzero(data.labels_differ)
    if len(lists) < 2:
        raise ValueError(
            f"Early stopping holds lists out and needs two or more whose labels differ; got {len(lists)}. "
            f"Say {option('qid', ...)}, or {option('patience', None)}."
        )
    wanted = min(max(round(fraction * len(lists)), 1), len(lists) - 1)
    held_out = np.zeros(data.n_lists, dtype=bool)
    held_out[np.random.default_rng(random_state).choice(lists, wanted, replace=False)] = True
    return held_out[data.list_of_item]


def watch(stages: Iterable[Floats], data: RankingDataset, patience: int) -> Floats:
    """Return the loss of the scores of each stage, up to `patience` stages after the best.

    The loss is the share of pairs of one list that stand in the wrong order, those with equal scores
    counting half: a mean over lists. All items of the data have labels, and those of a list differ.
    """
    levels = number_levels(*sort_lists(data.y, data.indptr), data.indptr)
    losses: list[float] = []
    for scores in stages:
        losses.append(_misordered(levels, scores, data.indptr))
        if len(losses) - int(np.argmin(losses)) > patience:
            break
    return np.array(losses)


def _misordered(levels: Integers, scores: Floats, indptr: Integers) -> float:
    order, tied = sort_lists(scores, indptr)
    right, wrong, same_score, _ = count_pairs(levels[order], tied, indptr).T
    return float(np.mean((wrong + 0.5 * same_score) / (right + wrong + same_score)))

"""RankRLS with lists left out: the shortcut against training again, in scores and in time."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.experiments.rankrls import Progress, Rows
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import GRID
from semirank.readers.datasets import load


def hold_out_shortcut(
    n_lists: Sequence[int] = (25, 50, 100, 200),
    kernel: str = "rbf",
    retrained: int = 3,
    seed: int = 0,
    progress: Progress | None = None,
) -> Rows:
    """Compare leave-list-out for fifteen ridges with training again, on lists of MQ2008.

    Seconds are processor time. Training again is timed on the first lists, with one ridge, and multiplied by
    lists and ridges.
    """
    data = load("mq2008")
    lists = np.flatnonzero(data.labels_differ)
    lists = lists[np.random.default_rng(seed).permutation(len(lists))]
    _compare(data.select(lists[:5]), kernel, 1)  # compiles
    rows = []
    for count in n_lists:
        rows.append(_compare(data.select(lists[:count]), kernel, min(retrained, count)))
        if progress is not None:
            progress(len(rows), len(n_lists))
    return rows


def _compare(data: RankingDataset, kernel: str, retrained: int) -> dict[str, Any]:
    ranker = RankRLS(kernel).fit(data.X, data.y, data.qid)
    ranker.set_params(gamma=ranker.gamma_)
    ridges = np.append(GRID[1:], ranker.ridge)
    held_out, shortcut = _timed(lambda: ranker.leave_list_out(ridges)[-1])
    differences, seconds = [], []
    for each in range(retrained):
        scores, taken = _timed(partial(_train_without, data, each, ranker))
        found = held_out[data.list_of_item == each]
        differences.append(np.abs(found - scores).max() / np.abs(scores).max())
        seconds.append(taken)
    again = float(np.mean(seconds)) * data.n_lists * len(ridges)
    return {
        "lists": data.n_lists,
        "items": data.n_items,
        "leave_list_out (s)": shortcut,
        "training again (s)": again,
        "ratio": again / shortcut,
        "largest difference": f"{max(differences):.0e}",
    }


def _train_without(data: RankingDataset, each: int, ranker: RankRLS) -> Floats:
    """Train again without the labels of a list; return its scores relative to their mean."""
    inside = data.list_of_item == each
    again = RankRLS(**ranker.get_params()).fit(data.X, np.where(inside, np.nan, data.y), data.qid)
    return again.scores_[inside] - again.scores_[inside].mean()


def _timed(run: Callable[[], Floats]) -> tuple[Floats, float]:
    start = time.process_time()
    return run(), time.process_time() - start

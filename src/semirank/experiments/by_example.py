"""Queries by example: some items of a class are shown, the others are to be found."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.manifold import ManifoldRanking

Progress = Callable[[int, int | None], None]
Asked = Sequence[tuple[Any, Integers]]
Method = Callable[[Asked], Floats]

PAPER: dict[str, Any] = {"alpha": 0.99, "degree_correction": 0.0, "combine": "positive"}
"""Manifold ranking as it is printed (Zhou et al., 2003)."""


def by_graph(X: Any, **options: Any) -> Method:
    """Return a method that ranks by diffusion over one graph, which is built when it is first asked."""
    ranker: list[ManifoldRanking] = []

    def scores(asked: Asked) -> Floats:
        if not ranker:
            ranker.append(ManifoldRanking(**options).fit_graph(X))
        return ranker[0].score_queries([rows for _, rows in asked])

    return scores


def by_distance(X: Floats, asked: Asked) -> Floats:
    """Rank by the distance to the nearest item of the query."""
    labels = (np.where(np.isin(np.arange(len(X)), rows), 1.0, np.nan) for _, rows in asked)
    return np.array([DistanceRanking().fit(X, y).scores_ for y in labels])


def measure_methods(
    methods: Mapping[str, Method], queries: Mapping[int, Asked], classes: AnyArray, progress: Progress | None
) -> dict[int, dict[str, dict[str, Floats]]]:
    """Return ROC score and precision at 100 of each method for each query, by size of the query."""
    measured: dict[int, dict[str, dict[str, Floats]]] = {size: {} for size in queries}
    done, total = 0, len(methods) * len(queries)
    for name, method in methods.items():
        for size, asked in queries.items():
            measured[size][name] = _measure(method(asked), asked, classes)
            done += 1
            if progress is not None:
                progress(done, total)
    return measured


def _measure(scores: Floats, asked: Asked, classes: AnyArray) -> dict[str, Floats]:
    truth = np.array([classes == wanted for wanted, _ in asked], dtype=float)
    for row, (_, rows) in zip(truth, asked, strict=True):
        row[rows] = np.nan
    qid = np.repeat(np.arange(len(asked)), len(classes))
    found = metrics.measure(["AUC", "P@100"], truth.ravel(), scores.ravel(), qid)
    return {"roc": found["AUC"], "precision": found["P@100"]}

"""Toy problem of manifold ranking (Zhou et al., 2003): two moons, one query."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path
from scipy.stats import spearmanr

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.experiments.by_example import PAPER
from semirank.experiments.result import ExperimentPage
from semirank.graphs import connected_graph, normalised
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.manifold import ManifoldRanking
from semirank.readers.datasets import load

Progress = Callable[[int, int | None], None]
SIGMA = 0.1


def moons(seed: int = 0, progress: Progress | None = None) -> ExperimentPage:
    """Figures 1 and 2: one query on two moons, the connected graph, the iteration at t = 5 to 100."""
    data = load("moons", size=200, noise=0.06, random_state=seed)
    X, upper = data.X, data.y > 0
    query = int(np.lexsort((X[:, 0], -data.y))[0])  # the left end of the upper moon
    graph = connected_graph(X, sigma=SIGMA)
    rankings = _rankings(X, query, graph)
    truth = np.where(np.arange(len(X)) == query, np.nan, data.y)
    ways = _ways(X, upper)
    rows = [
        {
            "ranking": name,
            "AUC": float(metrics.auc(truth, scores)[0]),
            "along the query's moon": _falls(scores[upper], ways[upper]),
            "along the other moon": _falls(scores[~upper], ways[~upper]),
        }
        for name, scores in rankings.items()
    ]
    result = ExperimentPage("moons", "Two moons: ranking along the manifold", {"seed": seed, "sigma": SIGMA})
    result.table("The query's moon above the other, and scores that fall along each moon", rows)
    result.text(
        "AUC: the share of pairs of an item of the query's moon and one of the other that stand in this "
        "order. Along a moon: Spearman's correlation of the scores with the nearness to the moon's left end, "
        "where in the upper moon the query lies; after five steps no score has reached the other moon. The "
        "paper's Figure 2 shows that scores fall along both moons, and that the query's moon comes first. By "
        "the distance they fall along each moon too, but the moons are mixed. The paper rejects shortest "
        "paths on the graph, because one long edge between the moons decides over them: by them, much of the "
        "other moon comes before the far end of the query's own."
    )
    result.figure(
        "The connected graph and the scores",
        lambda figure: _draw(figure, X, query, graph, rankings),
        (9, 6),
    )
    return result


def _rankings(X: Floats, query: int, graph: csr_array) -> dict[str, Floats]:
    """Return the scores after some steps of the iteration, in closed form, and by two kinds of distance."""
    start = (np.arange(len(X)) == query).astype(float)
    S, f, found = normalised(graph), start, {}
    for t in range(1, 101):
        f = 0.99 * (S @ f) + 0.01 * start
        if t in (5, 10, 50, 100):
            found[f"t = {t}"] = f.copy()
    y = np.where(start > 0, 1.0, np.nan)
    found["distance"] = DistanceRanking().fit(X, y).scores_
    found["closed form"] = ManifoldRanking(graph, **PAPER).fit(X, y).scores_
    rows, columns = graph.nonzero()
    lengths = np.linalg.norm(X[rows] - X[columns], axis=1)
    edges = csr_array((lengths, (rows, columns)), shape=graph.shape)
    found["shortest paths (rejected in the paper)"] = -shortest_path(edges, indices=query)
    return found


def _falls(scores: Floats, ways: Floats) -> float | None:
    """Return how well scores follow the nearness, None where all are equal."""
    return float(spearmanr(scores, -ways).statistic) if np.ptp(scores) > 0 else None


def _ways(X: Floats, upper: Any) -> Floats:
    """Return how far along its moon each item lies, from the moon's left end, as an angle."""
    of_upper = np.pi - np.arctan2(X[:, 1], X[:, 0])
    of_lower = np.arctan2(0.5 - X[:, 1], 1.0 - X[:, 0])
    ways = np.where(upper, of_upper, of_lower)
    return (ways + np.pi / 2) % (2 * np.pi) - np.pi / 2


def _draw(figure: Any, X: Floats, query: int, graph: Any, rankings: Mapping[str, Floats]) -> None:
    axes = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    rows, columns = graph.nonzero()
    ends = np.stack([X[rows], X[columns], np.full((len(rows), 2), np.nan)], axis=1)[rows < columns]
    axes[0].plot(*ends.reshape(-1, 2).T, color="0.7", linewidth=0.5)  # NaN lifts the pen between edges
    axes[0].set_title("connected graph")
    axes[0].scatter(X[:, 0], X[:, 1], s=4, color="black")
    for axis, (name, scores) in zip(axes[1:], list(rankings.items())[:5], strict=True):
        ranks = np.argsort(np.argsort(scores))
        axis.scatter(X[:, 0], X[:, 1], s=2 + 40 * (ranks / len(X)) ** 3, c=ranks, cmap="viridis")
        axis.set_title(name)
    for axis in axes:
        axis.plot(*X[query], marker="x", color="#d55e00", markersize=9)
        axis.set_axis_off()

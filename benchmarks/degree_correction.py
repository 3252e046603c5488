"""Draw what the degree correction does: the degree of the items at each rank, on newsgroups.

    python benchmarks/degree_correction.py docs/methods/degree-correction.svg

The collection is found or fetched as `semirank reproduce newsgroups` does. Ten texts of each group are
queries, one by one.
"""

import sys
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np

from semirank import ManifoldRanking, metrics
from semirank.features import TfIdf
from semirank.readers.datasets import load_items
from semirank.report.plots import write_figure

GRAPHS: dict[str, dict[str, Any]] = {
    "all inner products (the paper's graph)": {"graph": "inner", "solver": "closed"},
    "10 neighbours (the default)": {"distance": "cosine"},
}
CORRECTIONS = {0.0: "c = 0, the paper's form", 0.5: "c = 1/2, the default"}
PER_GROUP = 10
BINS = np.unique(np.geomspace(1, 3000, 25).astype(int))


def main(path: str) -> None:
    """Rank by each graph and correction, and draw."""
    items = load_items("newsgroups-rec", text_features=TfIdf(min_df=6))
    groups = np.array([names[0] for names in items.classes])
    filled = np.diff(items.X.indptr) > 0
    rng = np.random.default_rng(0)
    queries = np.concatenate(
        [
            rng.choice(np.flatnonzero((groups == group) & filled), PER_GROUP, replace=False)
            for group in np.unique(groups)
        ]
    )
    found = {
        (name, c): rank(items.X, groups, queries, degree_correction=c, **options)
        for (name, options), c in product(GRAPHS.items(), CORRECTIONS)
    }
    write_figure(Path(path), lambda figure: draw(figure, found), (8, 3.2))


def rank(X: Any, groups: np.ndarray, queries: np.ndarray, **options: Any) -> tuple[np.ndarray, float]:
    """Return the mean degree at each rank, relative to that of all items, and the mean AUC."""
    ranker = ManifoldRanking(alpha=0.99, **options).fit_graph(X)
    degrees = np.asarray(ranker.graph_.sum(axis=1)).ravel()
    at_rank, aucs = [], []
    for query, scores in zip(queries, ranker.score_queries(queries), strict=True):
        others = np.delete(np.arange(len(scores)), query)
        at_rank.append(degrees[others[np.argsort(-scores[others])]])
        aucs.append(metrics.auc((groups == groups[query])[others], scores[others])[0])
    return np.mean(at_rank, axis=0) / degrees.mean(), float(np.mean(aucs))


def draw(figure: Any, found: dict[tuple[str, float], tuple[np.ndarray, float]]) -> None:
    """Draw a panel for each graph, a curve for each correction."""
    for axis, name in zip(figure.subplots(1, 2), GRAPHS, strict=True):
        for c, label in CORRECTIONS.items():
            curve, auc = found[name, c]
            means = [curve[first - 1 : last - 1].mean() for first, last in pairwise(BINS)]
            axis.plot(
                np.sqrt(BINS[:-1] * BINS[1:]), means, marker=".", label=f"{label}: AUC {100 * auc:.0f} %"
            )
        axis.axhline(1.0, color="grey", linewidth=0.8)
        axis.set(xscale="log", xlabel="rank", ylabel="mean degree, all items = 1", title=name)
        axis.set_ylim(bottom=0.0)
        axis.legend(fontsize=8)


if __name__ == "__main__":
    main(*sys.argv[1:])

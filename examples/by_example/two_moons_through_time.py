"""
Two moons through time
======================

One point is known to be relevant. By distance, the other moon comes before the far end of its own. Over a
graph of the points the score travels along the moon, step by step.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import rankdata

from semirank import DistanceRanking, ManifoldRanking, load, metrics
from semirank.graphs import connected_graph, normalised

# %%
# Two hundred points, and one label: the left end of the upper moon. NaN means that nobody has looked.

moons = load("moons", size=200, noise=0.06, random_state=0)
query = int(np.lexsort((moons.X[:, 0], -moons.y))[0])
y = np.full(len(moons), np.nan)
y[query] = 1

graph = connected_graph(moons.X, sigma=0.1)
by_distance = DistanceRanking().fit(moons.X, y).scores_
over_graph = ManifoldRanking(graph, combine="positive").fit(moons.X, y).scores_

# %%
# How well is the query's moon above the other? AUC is the share of pairs in the right order.

truth = np.where(np.arange(len(moons)) == query, np.nan, moons.y)


def draw(axis, scores, title):
    """Draw the better points larger and brighter."""
    ranks = rankdata(scores, method="min") / len(scores)
    axis.scatter(*moons.X.T, s=3 + 45 * ranks**3, c=ranks, cmap="viridis")
    axis.plot(*moons.X[query], marker="X", color="#d55e00", markersize=12)
    axis.set_title(f"{title}: AUC {metrics.auc(truth, scores)[0]:.2f}")
    axis.set_axis_off()


figure, axes = plt.subplots(2, 1, figsize=(5.5, 5.6))
draw(axes[0], by_distance, "by distance")
draw(axes[1], over_graph, "over the graph")

# %%
# **Step by step.** Manifold ranking is the limit of a simple iteration: every point takes a share of its
# neighbours' scores, and the query is fed anew. ``S`` is the graph, normalised.

S, f = normalised(graph), (y == 1).astype(float)
after = {}
for t in range(1, 101):
    f = 0.99 * (S @ f) + 0.01 * (y == 1)
    if t in (5, 10, 50, 100):
        after[f"t = {t}"] = f.copy()
after["converged"] = over_graph

figure, axes = plt.subplots(2, 3, figsize=(10, 6))
axes[0, 0].scatter(*moons.X.T, s=6, color="0.4")
rows, columns = graph.nonzero()
for i, j in zip(rows[rows < columns], columns[rows < columns], strict=True):
    axes[0, 0].plot(*moons.X[[i, j]].T, color="0.8", linewidth=0.5, zorder=0)
axes[0, 0].set_title("the graph")
axes[0, 0].set_axis_off()
for axis, (title, scores) in zip(axes.ravel()[1:], after.items(), strict=True):
    draw(axis, scores, title)
plt.show()

# %%
# After five steps the score has not reached the end of its own moon; in the limit it has, and the other moon
# comes last.

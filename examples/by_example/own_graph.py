"""
A graph of your own
===================

Streets, links, citations: where you know what is next to what, bring the graph itself. Here a river has two
bridges, and one place is known to be good.
"""

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse import coo_array

from semirank import DistanceRanking, ManifoldRanking

# %%
# A town: crossings on a grid, streets between neighbours, none over the river except at two bridges.

width, height, river = 24, 15, 12
places = np.array([(x, y) for x in range(width) for y in range(height)], dtype=float)
number = {tuple(place): i for i, place in enumerate(places)}
streets = []
for x, y in places:
    for other in ((x + 1, y), (x, y + 1)):
        crosses = x < river <= other[0]
        if other in number and (not crosses or y in (1, 2)):
            streets.append((number[x, y], number[other]))
rows, columns = np.array(streets).T
W = coo_array((np.ones(len(rows)), (rows, columns)), shape=(len(places), len(places))).tocsr()
W = W + W.T  # a graph is symmetric

# %%
# One good place, close to the river. As the crow flies the other bank is near; along the streets it is not.

y = np.full(len(places), np.nan)
good = number[11.0, 11.0]
y[good] = 1
scores = {
    "as the crow flies": DistanceRanking().fit(places, y).scores_,
    "along the streets": ManifoldRanking(graph=W, alpha=0.99).fit(places, y).scores_,
}
here = places[:, 0] < river
for name, values in scores.items():
    first = np.argsort(-values)[:50]
    print(f"{name}: {here[first].sum()} of the first 50 are on this side")

figure, axes = plt.subplots(1, 2, figsize=(10, 3.6))
for axis, (name, values) in zip(axes, scores.items(), strict=True):
    ranks = np.argsort(np.argsort(values)) / len(values)
    axis.axvspan(river - 0.8, river - 0.2, color="#a6cee3", zorder=0)
    for i, j in streets:
        bridge = here[i] != here[j]
        axis.plot(
            *places[[i, j]].T, color="black" if bridge else "0.8", linewidth=3 if bridge else 0.8, zorder=1
        )
    axis.scatter(*places.T, c=ranks, s=6 + 50 * ranks**3, cmap="viridis", zorder=2)
    axis.plot(*places[good], marker="X", color="#d55e00", markersize=12, zorder=3)
    axis.set_title(name)
    axis.set_aspect("equal")
    axis.set_axis_off()
plt.show()

# %%
# The features of the items (here their coordinates) play no part in the second ranking: all it knows is the
# graph. Rows and columns of the matrix stand in the order of the items.

"""
When unlabelled items harm
==========================

The same method on two sets of points. On the first its assumption holds, on the second it does not, and the
comparison says so.
"""

import matplotlib.pyplot as plt
import numpy as np

import semirank

# %%
# **Moons:** relevant points form a cloud of their own. **Stripes:** two clouds, and what is relevant runs
# across both of them; points that lie close together are *not* equally good.

moons = semirank.load("moons", size=300, noise=0.1, random_state=0)
rng = np.random.default_rng(0)
centres = np.where(rng.random(300) < 0.5, -3.0, 3.0)
points = np.column_stack([centres + 0.6 * rng.normal(size=300), 0.5 * rng.normal(size=300)])
stripes = semirank.RankingDataset(points, (points[:, 1] > 0).astype(float))
worlds = {"moons": moons, "stripes": stripes}

# %%
# Six labels are shown. Manifold ranking is measured beside itself on labels alone, and beside logistic
# regression.

figure, axes = plt.subplots(2, 2, figsize=(10, 6), width_ratios=[1, 1])
for row, (name, data) in zip(axes, worlds.items(), strict=True):
    found = semirank.compare(
        data, ["manifold-ranking", "logistic-ranker"], metric="AUC", keep=6, n_repeats=20, budget=False
    )
    contrast = found.result("manifold-ranking").contrast_best
    print(f"{name}: {found.verdict}, by {contrast.difference:+.2f} AUC against {contrast.baseline}")
    colours = np.where(data.y > 0, "#0072b2", "#d55e00")
    row[0].scatter(*data.X.T, c=colours, s=10)
    row[0].set_title(f"{name}: blue is relevant")
    row[0].set_aspect("equal")
    row[0].set_axis_off()
    found.plot("rankers", ax=row[1])
    row[1].set_title(f"unlabelled items: {found.verdict}")
plt.show()

# %%
# `AutoRanker` asks the same question before it uses unlabelled items.

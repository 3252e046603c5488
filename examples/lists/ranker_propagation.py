"""
Ranker propagation
==================

What makes an item good may turn from list to list, and the shape of a list can tell how. Lists without labels
then take the rankers of lists that look like them.
"""

import matplotlib.pyplot as plt
import numpy as np

from semirank import RankerPropagation, RankRLSCV, metrics

# %%
# Forty lists of fifty items that spread along a direction of their own; better items lie farther along it.
# Half of the lists have labels.

rng = np.random.default_rng(0)
angles = rng.uniform(0, 0.85 * np.pi, size=40)
directions = np.column_stack([np.cos(angles), np.sin(angles)])
along = 3 * rng.normal(size=(40, 50))
X = (along[:, :, None] * directions[:, None] + rng.normal(size=(40, 50, 2))).reshape(-1, 2)
qid = np.repeat(np.arange(40), 50)
truth = along.ravel()
y = np.where(qid < 20, truth, np.nan)
new = qid >= 20

# %%
# One ranker for all lists, or one for each.

one = RankRLSCV().fit(X, y, qid)
each = RankerPropagation(n_neighbors=5).fit(X, y, qid)
for name, ranker in {"one ranker": one, "ranker propagation": each}.items():
    wrong = metrics.disagreement(truth[new], ranker.scores_[new], qid[new])
    print(f"{name}: {100 * wrong.mean():.1f} % of the pairs in lists without labels are in the wrong order")


def angle_of(coefs):
    """Return the direction of weights in degrees."""
    return np.degrees(np.arctan2(coefs[..., 1], coefs[..., 0]))


figure, axes = plt.subplots(1, 2, figsize=(10, 4))
for number in (21, 26, 33):
    mine = qid == number
    axes[0].scatter(*X[mine].T, s=12)
    axes[0].annotate("", 6 * directions[number], (0, 0), arrowprops={"arrowstyle": "->", "lw": 2})
axes[0].set_title("three lists, and what is better in each")
axes[0].set_aspect("equal")
axes[0].set_axis_off()
axes[1].plot([0, 160], [0, 160], color="0.8", linewidth=4, label="truth")
axes[1].scatter(np.degrees(angles[20:]), angle_of(each.coefs_[20:]), label="ranker propagation")
axes[1].axhline(angle_of(one.coef_), color="#d55e00", label="one ranker for all")
axes[1].set(xlabel="true direction of a list, degrees", ylabel="direction that was found")
axes[1].set_title("lists without labels")
axes[1].legend()
plt.show()

"""
Importance weighting under shift
================================

Most labelled lists are of one kind, the lists to be ranked of another. Pairs that look like those of the list
at hand should count more.
"""

import matplotlib.pyplot as plt
import numpy as np

from semirank import ImportanceWeighting, RankBoost, metrics

# %%
# Thirty lists of fifteen items. Twenty vary in the second feature, ten in the third, and what counts for the
# first kind counts *against* the second. Six lists of the rare kind have no labels.

rng = np.random.default_rng(2)
qid = np.repeat(np.arange(30), 15)
rare, new = qid >= 20, qid >= 24
X = rng.normal(size=(450, 3)) * np.where(rare[:, None], [1.0, 0.1, 1.0], [1.0, 1.0, 0.1])
truth = np.where(rare, -X[:, 0], X[:, 0]) > 0.5
y = np.where(new, np.nan, truth)

# %%
# One ranker for all lists, and one for each list without labels, taught by weighted pairs.

scores = {
    "one ranker for all": RankBoost(5).fit(X, y, qid).scores_,
    "importance weighting": ImportanceWeighting(RankBoost(5)).fit(X, y, qid).scores_,
}
aucs = {name: metrics.auc(truth[new], each[new], qid[new]) for name, each in scores.items()}
for name, values in aucs.items():
    print(f"{name}: mean AUC {np.nanmean(values):.2f} on the lists without labels")

figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), width_ratios=[1, 1.3])
for kind, marker, name in ((~rare, ".", "usual lists"), (rare, "x", "rare lists")):
    axes[0].scatter(X[kind, 1], X[kind, 2], marker=marker, s=22, label=name)
axes[0].set(xlabel="second feature", ylabel="third feature", title="the kind of a list shows in its items")
axes[0].legend(loc="upper right")
for i, (name, values) in enumerate(aucs.items()):
    axes[1].bar(np.arange(len(values)) + 0.4 * (i - 0.5), values, width=0.38, label=name)
axes[1].axhline(0.5, color="0.5", linewidth=0.8)
axes[1].set(xlabel="list without labels", ylabel="AUC", xticks=range(len(aucs[name])), ylim=(0, 1.25))
axes[1].set_yticks([0, 0.5, 1])
axes[1].legend(loc="upper left", ncols=2)
plt.show()

# %%
# Where all lists are of one kind the weights only throw pairs away: see *where each assumption holds* among
# the `results <../../results/assumptions.html>`_.

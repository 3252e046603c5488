"""
Why scores are corrected for degree
===================================

At alpha near 1 well-connected items float to the top of every list, whatever the label. The degree
correction takes that out.
"""

from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from semirank import ManifoldRanking, metrics

X, digit = load_digits(return_X_y=True)
queries = np.concatenate([np.flatnonzero(digit == d)[:4] for d in range(10)])

# %%
# Two graphs: inner products of all pairs of images, as in the paper, and ten neighbours of each. For forty
# queries we look at the degree of the item at each rank, relative to the mean of all.


def rank(graph, correction):
    """Return the mean degree at each rank, and the mean AUC."""
    ranker = ManifoldRanking(graph, alpha=0.99, degree_correction=correction).fit_graph(X)
    degrees = np.asarray(ranker.graph_.sum(axis=1)).ravel()
    at_rank, aucs = [], []
    for query, scores in zip(queries, ranker.score_queries(queries), strict=True):
        others = np.delete(np.arange(len(X)), query)
        at_rank.append(degrees[others[np.argsort(-scores[others])]])
        aucs.append(metrics.auc((digit == digit[query])[others], scores[others])[0])
    return np.mean(at_rank, axis=0) / degrees.mean(), np.mean(aucs)


bins = np.unique(np.geomspace(1, len(X) - 1, 25).astype(int))
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True)
for axis, (graph, title) in zip(
    axes, {"inner": "all inner products", "knn": "ten neighbours"}.items(), strict=True
):
    for correction, name in {0.0: "c = 0, the paper's form", 0.5: "c = 1/2, the default"}.items():
        degrees, auc = rank(graph, correction)
        means = [degrees[first - 1 : last - 1].mean() for first, last in pairwise(bins)]
        axis.plot(np.sqrt(bins[:-1] * bins[1:]), means, marker=".", label=f"{name}: AUC {auc:.2f}")
    axis.axhline(1, color="0.6", linewidth=0.8)
    axis.set(xscale="log", xlabel="rank", title=title)
    axis.legend()
axes[0].set_ylabel("degree of the item, all items = 1")
plt.show()

# %%
# A line that falls from left to right says: the top of every list holds the same well-connected items. The
# page of `manifold ranking <../../methods/manifold-ranking.html>`_ has the same picture for texts.

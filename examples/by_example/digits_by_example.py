"""
Find digits by one example
==========================

One image of an eight is the query. The first 99 answers by distance and over the graph, wrong ones in red.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from semirank import ManifoldRanking

X, digit = load_digits(return_X_y=True)
query = int(np.flatnonzero(digit == 8)[0])

# %%
# **By distance:** the nearest images. **Over the graph:** the graph of ten neighbours is built once, and
# answers any number of queries.

nearest = np.argsort(np.linalg.norm(X - X[query], axis=1))[1:100]
ranker = ManifoldRanking().fit_graph(X)
best, scores = ranker.rank_queries([query], top=99)

answers = {"by distance": nearest, "over the graph": best[0]}
for name, items in answers.items():
    print(f"{name}: {(digit[items] == 8).sum()} of 99 are eights")

# %%
# Rank runs along the rows. The query stands above.


def tile(items):
    """Put the images of items side by side, eleven a row, the wrong ones in red."""
    rows = []
    for start in range(0, len(items), 11):
        row = []
        for item in items[start : start + 11]:
            ink = X[item].reshape(8, 8) / 16
            colour = np.array([0.1, 0.1, 0.1]) if digit[item] == 8 else np.array([0.84, 0.15, 0.05])
            image = 1 - ink[..., None] * (1 - colour)
            row.append(np.pad(image, ((1, 1), (1, 1), (0, 0)), constant_values=1))
        rows.append(np.hstack(row))
    return np.vstack(rows)


figure, axes = plt.subplots(1, 3, figsize=(10, 4.6), width_ratios=[1, 5, 5])
axes[0].imshow(tile([query]))
axes[0].set_title("query")
for axis, (name, items) in zip(axes[1:], answers.items(), strict=True):
    axis.imshow(tile(items))
    axis.set_title(f"{name}: {(digit[items] == 8).sum()} of 99")
for axis in axes:
    axis.set_axis_off()
plt.show()

# %%
# And for every image as the query, in the mean over the images of each digit:

everything = np.arange(len(X))
found, _ = ranker.rank_queries(everything, top=99)
squared = (X**2).sum(axis=1)
order = np.argsort(squared[:, None] - 2 * X @ X.T + squared, axis=1)[:, 1:100]
right = {
    "by distance": (digit[order] == digit[:, None]).mean(axis=1),
    "over the graph": (digit[found] == digit[:, None]).mean(axis=1),
}
for name, share in right.items():
    print(f"{name}: {share.mean():.1%} of the first 99 are right")

figure, axis = plt.subplots(figsize=(8, 3))
for i, (name, share) in enumerate(right.items()):
    means = [share[digit == d].mean() for d in range(10)]
    axis.bar(np.arange(10) + 0.4 * (i - 0.5), means, width=0.4, label=name)
axis.set(xticks=range(10), xlabel="digit of the query", ylabel="right among the first 99", ylim=(0, 1))
axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
plt.show()

"""
Why does it stand there?
========================

Scores over a graph are sums: every labelled item has added, or taken away, an exact amount.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from semirank import ManifoldRanking

X, digit = load_digits(return_X_y=True)
rng = np.random.default_rng(3)

# %%
# Eights are looked for. Four eights and eight other digits have labels.

y = np.full(len(X), np.nan)
y[rng.choice(np.flatnonzero(digit == 8), 4, replace=False)] = 1
y[rng.choice(np.flatnonzero(digit != 8), 8, replace=False)] = 0
ranker = ManifoldRanking().fit(X, y)

# %%
# Two unlabelled items: the best eight, and an eight far down the list.

order = np.argsort(-ranker.scores_)
eights = [item for item in order if digit[item] == 8 and np.isnan(y[item])]
for item in (eights[0], eights[-1]):
    items, amounts = ranker.explain(item)
    place = int(np.flatnonzero(order == item)[0]) + 1
    print(f"rank {place}: score {ranker.scores_[item]:.4f}, sum of the contributions {amounts.sum():.4f}")

# %%
# Bars to the right speak for the item, bars to the left against it.


def picture(axis, item):
    """Draw one image."""
    axis.imshow(X[item].reshape(8, 8), cmap="gray_r")
    axis.set_axis_off()


figure = plt.figure(figsize=(10, 5))
parts = figure.subfigures(1, 2)
for part, item in zip(parts, (eights[0], eights[-1]), strict=True):
    items, amounts = ranker.explain(item)
    strongest = np.argsort(-np.abs(amounts))[:6]
    axes = part.subplot_mosaic([["item", "bars"]], width_ratios=[1, 2.2])
    picture(axes["item"], item)
    place = int(np.flatnonzero(order == item)[0]) + 1
    axes["item"].set_title(f"rank {place}")
    colours = ["#009e73" if amounts[k] > 0 else "#d55e00" for k in strongest]
    axes["bars"].barh(range(len(strongest)), amounts[strongest], color=colours)
    names = [f"a {digit[items[k]]}, {'relevant' if y[items[k]] else 'not'}" for k in strongest]
    axes["bars"].set_yticks(range(len(strongest)), names)
    axes["bars"].invert_yaxis()
    axes["bars"].axvline(0, color="0.4", linewidth=0.8)
    axes["bars"].set_xticks([0])
    axes["bars"].set_title("what each label has added")
plt.show()

# %%
# `explain_pair(a, b)` splits the difference of two scores in the same way, and rankers of texts split a score
# among words.

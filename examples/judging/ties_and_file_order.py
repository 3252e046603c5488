"""
Ties must not reward the order of a file
========================================

A ranker that says nothing gives every item the same score. Whoever sorts then keeps the order of the file,
and if relevant items come first there, "nothing" looks good.
"""

import matplotlib.pyplot as plt
import numpy as np

from semirank import metrics

# %%
# A hundred lists of thirty items, six of them relevant. The file has most relevant items early, as files of
# judged search results often do.

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(100), 30)
y = np.zeros((100, 30))
for row in y:
    chances = np.exp(-np.arange(30) / 6)
    row[rng.choice(30, 6, replace=False, p=chances / chances.sum())] = 1
y = y.ravel()

# %%
# A score that says nothing, and a coarse one with five values:

nothing = np.zeros(len(y))
coarse = np.round(np.clip(y + rng.normal(size=len(y)), 0, 4))


def as_the_file_has_it(scores):
    """Break ties by the place in the file, as a stable sort does."""
    return scores - 1e-6 * np.tile(np.arange(30), 100)


rows = {
    "says nothing": (nothing, as_the_file_has_it(nothing)),
    "five values": (coarse, as_the_file_has_it(coarse)),
}
found = {
    name: [metrics.average_precision(y, scores, qid).mean() for scores in pair] for name, pair in rows.items()
}
for name, (expected, by_file) in found.items():
    print(f"{name}: AP {expected:.3f} over every order of the ties, {by_file:.3f} in the order of the file")

# %%
# The default of every metric here is the first: the expectation over all orders of tied items, in closed
# form.

figure, axis = plt.subplots(figsize=(7, 3))
for i, label in enumerate(("expectation over ties (the default)", "order of the file")):
    axis.barh(np.arange(2) + 0.36 * (i - 0.5), [pair[i] for pair in found.values()], height=0.34, label=label)
axis.set_yticks(range(2), found)
axis.set(xlabel="mean average precision", xlim=(0, 1))
axis.invert_yaxis()
axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=2)
plt.show()

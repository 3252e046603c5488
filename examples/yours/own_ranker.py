"""
A ranker of your own
====================

A class with `fit` and `predict`. `check_ranker` runs the promises that all of semirank's rankers keep, and it
takes part in comparisons as it is.
"""

import matplotlib.pyplot as plt
import numpy as np

import semirank
from semirank.checks import check_ranker, checks_of
from semirank.limits import Between

# %%
# Rank by the direction from the middle of all items to the mean of the relevant ones. It says what it assumes
# about unlabelled items; so `compare` will put it beside itself on labels alone.


class CentredRanking(semirank.Ranker):
    """Rank by the direction from the middle of all items to the relevant ones."""

    assumption = "the middle of all items is irrelevant"
    takes_sparse = False
    limits = {"power": Between(0)}  # noqa: RUF012

    def __init__(self, power=0.0):
        self.power = power

    def fit(self, X, y, qid=None):
        """Learn the direction."""
        data = self._check(X, y, qid)
        middle = data.X.mean(axis=0)
        best = data.X[data.y > 0].mean(axis=0) if (data.y > 0).any() else middle
        self.coef_ = (best - middle) * np.abs(best - middle) ** self.power
        return self._store(data, data.X @ self.coef_)

    def predict(self, X, qid=None):
        """Score new items along it."""
        data = self._check_new(X, qid)
        return data.restore(data.X @ self.coef_)


# %%
# The promises, from "inputs are not modified" to "a saved model gives the same bits":

check_ranker(CentredRanking())
print(len(list(checks_of(CentredRanking()))), "checks passed")

# %%
# And a comparison, on digits with a handful of labels:

digits = semirank.load("digits", relevant="6")
found = semirank.compare(
    digits,
    [CentredRanking(), "logistic-ranker", "distance-ranking"],
    metric="AUC",
    keep=6,
    n_repeats=15,
    budget=False,
)
found.plot("rankers")
plt.show()
for result in found.finished:
    print(f"{result.place}. {result.name}: AUC {result.mean:.3f}")
print("What unlabelled items did for it:", found.result("CentredRanking").contrast.verdict)

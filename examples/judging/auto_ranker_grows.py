"""
AutoRanker from two labels on
=============================

It does not know the data either. It mixes rankers of several kinds, lets held-out labels move the weights,
and says how sure it is.
"""

import matplotlib.pyplot as plt
import numpy as np

import semirank

# %%
# Four hundred images of digits, of which 0 to 4 are relevant; more and more labels, drawn at random.

truth = semirank.load("digits", relevant=list("01234")).take(np.arange(400))
rivals = {
    "AutoRanker": semirank.AutoRanker(),
    "logistic regression": semirank.LogisticRanker(),
    "graph": semirank.ManifoldRanking(),
    "distance": semirank.DistanceRanking(),
}
budgets = (4, 10, 50)
values = {name: [] for name in rivals}
for keep in budgets:
    draws = [truth.hide_labels(keep=keep, keep_levels=True, random_state=seed) for seed in range(2)]
    for name, ranker in rivals.items():
        fitted = [ranker.fit(few.X, few.y).scores_ for few in draws]
        hidden = [np.where(few.labelled, np.nan, truth.y) for few in draws]
        values[name].append(
            np.mean(
                [semirank.metrics.average_precision(y, s)[0] for y, s in zip(hidden, fitted, strict=True)]
            )
        )
    auto = rivals["AutoRanker"]
    print(f"{keep:3} labels: {auto.choice_['reason']}")

# %%
# "few labels" says that nothing could be proven; the usual mix is then taken, by experience.

figure, axis = plt.subplots(figsize=(8, 4))
for name, curve in values.items():
    axis.plot(budgets, curve, marker="o", label=name, linewidth=2.5 if name == "AutoRanker" else 1.2)
axis.set(xscale="log", xlabel="labels", ylabel="average precision of the hidden items", ylim=(0.5, 1.02))
axis.set_xticks(budgets, budgets)
axis.minorticks_off()
axis.legend(loc="lower right")
plt.show()

# %%
# The last verdict in words:

print(auto.verdict_)

"""
Boosted trees beside RankRLS
============================

The model in production is boosted trees. With how many judged queries is it the better one?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import GradientBoostingRegressor

from semirank import EstimatorRanker, RankRLSCV, metrics

# %%
# Search results that are made up: ten features, a grade that follows some of them, partly in steps that only
# trees can follow. Sixty queries are kept to measure on.

rng = np.random.default_rng(0)


def results(n_queries):
    """Draw queries with 25 documents each."""
    X = rng.normal(size=(25 * n_queries, 10))
    quality = X[:, 0] + 0.5 * X[:, 1] + 1.5 * ((X[:, 2] > 0) & (X[:, 3] > 0)) + rng.normal(size=len(X))
    return X, np.digitize(quality, [0.8, 1.8, 2.8]).astype(float), np.repeat(np.arange(n_queries), 25)


new_items, new_grades, new_queries = results(60)

# %%
# `EstimatorRanker` puts any estimator into the same grammar; `LGBMRanker`, `XGBRanker` and `CatBoostRanker`
# are told their groups.

rankers = {
    "boosted trees": EstimatorRanker(GradientBoostingRegressor(n_estimators=60, random_state=0)),
    "RankRLSCV": RankRLSCV(),
}
budgets = (2, 5, 10, 20, 50, 100, 200)
values = {name: [] for name in rankers}
for n_queries in budgets:
    draws = [results(n_queries) for _ in range(3)]
    for name, ranker in rankers.items():
        scores = [ranker.fit(*draw).predict(new_items, new_queries) for draw in draws]
        values[name].append(
            np.mean([metrics.ndcg(new_grades, each, new_queries, cutoff=10).mean() for each in scores])
        )
for name, curve in values.items():
    print(name, np.round(curve, 3))

figure, axis = plt.subplots(figsize=(8, 4))
for name, curve in values.items():
    axis.plot(budgets, curve, marker="o", label=name)
axis.set(xscale="log", xlabel="judged queries", ylabel="nDCG@10 on other queries")
axis.set_xticks(budgets, budgets)
axis.minorticks_off()
axis.legend(loc="lower right")
plt.show()

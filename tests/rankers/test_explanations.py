"""Scores split among labelled items: they add up, and name the items that matter."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from semirank import DistanceRanking, ForestRanker

nan = np.nan


def items(seed=0, n=60, lists=1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.where(rng.random(n) < 0.5, (X[:, 0] + X[:, 1] > 0).astype(float), nan)
    return X, y, rng.integers(0, lists, n)


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("sparse", [False, True])
def test_distance_owes_its_score_to_the_nearest_relevant_item(distance, sparse):
    X, y, qid = items(lists=3)
    ranker = DistanceRanking(distance).fit(csr_array(X) if sparse else X, y, qid)
    for item in range(len(y)):
        found = ranker.explain(item)
        assert found.amounts.tolist() == [ranker.scores_[item]]
        (nearest,) = found.items
        assert y[nearest] > 0
        assert qid[nearest] == qid[item]
        unit = X / np.linalg.norm(X, axis=1, keepdims=True)
        if distance == "cosine":
            expected = unit[item] @ unit[nearest]
        else:
            expected = -np.linalg.norm(X[item] - X[nearest])
        assert ranker.scores_[item] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("min_leaf", [1, 4])
def test_a_forest_splits_its_score_among_items_of_the_same_leaves(min_leaf):
    X, y, qid = items(lists=2)
    weights = np.random.default_rng(1).random(len(y)) + 0.1
    ranker = ForestRanker(30, min_leaf, random_state=0).fit(X, y, qid, sample_weight=weights)
    for item in range(0, len(y), 7):
        found = ranker.explain(item)
        assert found.amounts.sum() == pytest.approx(ranker.scores_[item], abs=1e-9)
        assert set(found.items[:-1]) == set(np.flatnonzero(~np.isnan(y)))
        assert found.items[-1] == -1
    if min_leaf == 1:  # items with a label end in leaves of their own level
        own = int(np.flatnonzero(~np.isnan(y))[0])
        found = ranker.explain(own)
        mean = np.average(y[~np.isnan(y)], weights=weights[~np.isnan(y)])
        same = y[found.items] == y[own]
        assert found.amounts[:-1][same[:-1]].sum() == pytest.approx(y[own] - mean)
        assert not found.amounts[:-1][~same[:-1]].any()

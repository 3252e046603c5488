"""A forest beside scikit-learn's own, and its model file."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix
from sklearn.ensemble import ExtraTreesRegressor

import semirank
from semirank import ForestRanker
from semirank.core.trees import sum_leaves

nan = np.nan


def items(n=120, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    y = np.where(rng.random(n) < 0.6, np.sign(X[:, 0] * X[:, 1]) + X[:, 2], nan)
    return X, y


@pytest.mark.parametrize("n_trees", [1, 17])
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_scores_are_those_of_scikit_learns_forest(n_trees, make):
    X, y = items()
    ranker = ForestRanker(n_trees, min_leaf=2, max_features=0.5, random_state=3).fit(make(X), y)
    seed = int(np.random.default_rng(3).integers(2**31))
    forest = ExtraTreesRegressor(n_trees, min_samples_leaf=2, max_features=0.5, random_state=seed)
    known = ~np.isnan(y)
    forest.fit(X[known] if make is np.asarray else csr_matrix(X[known]), y[known])
    np.testing.assert_array_equal(ranker.scores_, forest.predict(X))
    np.testing.assert_array_equal(ranker.feature_importances_, forest.feature_importances_)


def walk(x, node, features, thresholds, children, values):
    """Answer one question after the other."""
    if features[node] < 0:
        return values[node]
    after = children[node][0] if np.float32(x[features[node]]) <= thresholds[node] else children[node][1]
    return walk(x, after, features, thresholds, children, values)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 4), st.integers(1, 30))
def test_every_item_walks_to_its_leaf(seed, n_trees, n_items):
    X, y = items(40, 3, seed)
    y[:2] = 0.0, 1.0
    ranker = ForestRanker(n_trees, 1, random_state=seed).fit(X, y)
    nodes = ranker.features_, ranker.thresholds_, ranker.children_, ranker.values_
    new = np.random.default_rng(seed).normal(size=(n_items, 3)).astype(np.float32)
    expected = [sum(walk(x, root, *nodes) for root in ranker.roots_) for x in new]
    np.testing.assert_allclose(sum_leaves(new, ranker.roots_, *nodes), expected, rtol=1e-12)


def test_blocks_and_threads_make_no_difference(monkeypatch):
    X, y = items()
    whole = ForestRanker(10, random_state=0).fit(X, y)
    monkeypatch.setattr("semirank.rankers.forest.BLOCK_CELLS", 50)
    parts = ForestRanker(10, random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(parts.scores_, whole.scores_)


def test_it_sees_that_features_matter_together():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(600, 2))
    truth = (X[:, 0] * X[:, 1] > 0).astype(float)
    y = np.where(np.arange(600) < 300, truth, nan)
    new = np.isnan(y)
    [forest], [line] = (
        semirank.metrics.auc(truth[new], ranker.fit(X, y).scores_[new])
        for ranker in (ForestRanker(random_state=0), semirank.RankRLSCV())
    )
    assert forest > 0.95
    assert line < 0.6


def test_huge_values_of_new_items():
    X, y = items()
    ranker = ForestRanker(5, random_state=0).fit(X, y)
    assert np.isfinite(ranker.predict(np.full((1, 6), 1e300))).all()


def test_one_class_is_refused():
    with pytest.raises(ValueError, match="one class"):
        ForestRanker().fit([[0.0], [1.0], [2.0]], [1, 1, nan])


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("features_", lambda a: a + 6, "below n_features; it has a value out of range"),
        ("features_", lambda a: a - 1, "below n_features; it has a value out of range"),
        ("children_", np.zeros_like, "after their node"),
        ("children_", lambda a: a + 10_000, "below n_nodes"),
        ("children_", lambda a: a[:-1], "shape"),
        ("roots_", lambda a: a - 1, "below n_nodes; it has a value out of range"),
        ("roots_", lambda a: a + 10_000, "below n_nodes; it has a value out of range"),
        ("roots_", lambda a: a[:-1], "shape"),
        ("values_", lambda a: a + np.inf, "infinite value"),
        ("thresholds_", lambda a: a.astype(np.float32), "shape"),
    ],
)
def test_a_model_file_that_leads_astray_is_refused(tmp_path, name, change, message):
    ranker = ForestRanker(5, random_state=0).fit(*items())
    setattr(ranker, name, change(getattr(ranker, name)))
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match=message):
        semirank.load_model(tmp_path / "model")


def test_an_item_that_weighs_nothing_has_no_label():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80).astype(float)
    weights = rng.choice([0.0, 1.0, 2.5], 80)
    weighted = ForestRanker(20, random_state=0).fit(X, y, sample_weight=weights)
    hidden = np.where(weights > 0, y, np.nan)
    again = ForestRanker(20, random_state=0).fit(X, hidden, sample_weight=np.where(weights > 0, weights, 7.0))
    np.testing.assert_array_equal(weighted.scores_, again.scores_)
    once, twice = (ForestRanker(20, random_state=0).fit(X, y, sample_weight=np.full(80, w)) for w in (1, 2))
    np.testing.assert_allclose(once.scores_, twice.scores_)
    assert abs(weighted.scores_ - once.scores_).max() > 0.01

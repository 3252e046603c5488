import numpy as np
import pytest
from sklearn.decomposition import KernelPCA
from sklearn.metrics.pairwise import rbf_kernel

import semirank
from semirank import FeatureGeneration, RankBoost, RankRLS

nan = np.nan


def lists(n_lists=6, n_items=20, labelled=4, seed=0):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_lists), n_items)
    X = rng.normal(size=(len(qid), 4))
    y = np.digitize(X[:, 0] + 0.5 * X[:, 1], [-0.5, 0.7]).astype(float)
    return X, np.where(qid < labelled, y, nan), qid, y


def widths(X):
    distances = np.linalg.norm(X[:, None] - X, axis=2)[np.triu_indices(len(X), 1)]
    return 0.5 / np.median(distances) ** 2


def by_definition(ranker, X, y, qid, n_components):
    """Each list in turn: scikit-learn's kernel PCA of the list, beside the features, then the ranker."""
    known = ~np.isnan(y)
    scores = ranker.fit(X[known], y[known], qid[known]).predict(X)
    for each in np.unique(qid[~known]):
        mine = qid == each
        peer = KernelPCA(n_components, kernel="rbf", gamma=widths(X[mine])).fit(X[mine])
        new = peer.transform(X)
        scale = X[known].std(axis=0).mean() / new[known].std(axis=0)
        Z = np.hstack([X, (new - new[known].mean(axis=0)) * scale])
        scores[mine] = ranker.fit(Z[known], y[known], qid[known]).predict(Z[mine])
    return scores


def test_equals_its_definition_with_a_linear_ranker():
    X, y, qid, _ = lists()
    ranker = FeatureGeneration(RankRLS(), n_components=3).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_, by_definition(RankRLS(), X, y, qid, 3), atol=1e-8)
    assert all(figures["n_components"] == 3 for figures in ranker.figures_.values())


@pytest.mark.parametrize("n_bins", [255, None])
def test_equals_its_definition_with_boosting(n_bins):
    X, y, qid, _ = lists()
    ranker = FeatureGeneration(RankBoost(20, n_bins), n_components=3).fit(X, y, qid)
    expected = by_definition(RankBoost(20, n_bins), X, y, qid, 3)
    np.testing.assert_allclose(ranker.scores_, expected, atol=1e-8)


@pytest.mark.parametrize("make", [lambda: RankBoost(20), lambda: RankBoost(20, step="exact"), RankRLS])
def test_figures_tell_how_much_is_learned_from_new_features_and_how_well(make):
    X, y, qid, _ = lists()
    ranker = FeatureGeneration(make(), n_components=3).fit(X, y, qid)
    known = ~np.isnan(y)
    for each in (4, 5):
        mine = qid == each
        new = KernelPCA(3, kernel="rbf", gamma=widths(X[mine])).fit(X[mine]).transform(X)
        scale = X[known].std(axis=0).mean() / new[known].std(axis=0)
        Z = np.hstack([X, (new - new[known].mean(axis=0)) * scale])
        peer = make().fit(Z[known], y[known], qid[known])
        sizes = np.abs(peer.coef_ if isinstance(peer, RankRLS) else peer.feature_importances_)
        right = []
        for q in range(4):
            pairs = list(zip(peer.scores_[qid[known] == q], y[qid == q], strict=True))
            right.append(np.mean([(s > t) + 0.5 * (s == t) for s, a in pairs for t, b in pairs if a > b]))
        assert ranker.figures_[each]["new_weight"] == pytest.approx(sizes[4:].sum() / sizes.sum(), abs=1e-6)
        assert ranker.figures_[each]["training_accuracy"] == pytest.approx(np.mean(right))


def test_predict_does_for_a_new_list_what_fit_does():
    X, y, qid, _ = lists()
    known = qid < 4
    ranker = FeatureGeneration(RankRLS()).fit(X[known], y[known], qid[known])
    whole = FeatureGeneration(RankRLS()).fit(X, y, qid)
    np.testing.assert_allclose(ranker.predict(X[~known], qid[~known]), whole.scores_[~known])


def test_all_lists_labelled_gives_the_ranker_itself():
    X, _, qid, truth = lists()
    expected = RankBoost(10).fit(X, truth, qid).scores_
    np.testing.assert_array_equal(FeatureGeneration(RankBoost(10)).fit(X, truth, qid).scores_, expected)


def test_none_labelled_is_refused():
    X, y, qid, _ = lists(labelled=0)
    with pytest.raises(ValueError, match="needs at least one label"):
        FeatureGeneration().fit(X, y, qid)


@pytest.mark.parametrize("items", [[[1.0, 2.0, 3.0, 4.0]], [[1.0, 2.0, 3.0, 4.0]] * 5])
def test_a_list_without_directions_is_ranked_as_it_is(items):
    X, y, qid, _ = lists()
    ranker = FeatureGeneration(RankRLS()).fit(X, y, qid)
    np.testing.assert_allclose(ranker.predict(items), RankRLS().fit(X, y, qid).predict(items))


def test_helps_where_relevance_lies_along_a_curve_that_the_list_shows():
    """Items lie on a ring, relevance is the distance from its centre: no feature alone tells it."""
    rng = np.random.default_rng(0)
    radius, angle = rng.random(600) + 0.5, 2 * np.pi * rng.random(600)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    qid, truth = np.repeat(np.arange(20), 30), (radius > 1.0).astype(float)
    y = np.where(qid < 5, truth, nan)
    hidden = np.where(qid < 5, nan, truth)
    plain, better = (
        np.nanmean(semirank.metrics.auc(hidden, ranker.fit(X, y, qid).scores_, qid))
        for ranker in (RankRLS(), FeatureGeneration(RankRLS()))
    )
    assert plain < 0.6
    assert better > 0.95


def test_rankers_that_adapt_may_stand_in_each_other():
    X, y, qid, _ = lists()
    inner = FeatureGeneration(RankRLS(), n_components=2)
    scores = FeatureGeneration(inner, "linear", n_components=1).fit(X, y, qid).scores_
    assert np.isfinite(scores).all()
    known = qid < 4
    np.testing.assert_allclose(scores[known], RankRLS().fit(X, y, qid).scores_[known])
    assert rbf_kernel(scores[~known, None]).min() < 1  # the others are told apart

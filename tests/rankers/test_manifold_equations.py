"""Equations 5, 6 and 12 of Ranking on data manifolds, new items and the choice of parameters, as defined."""

import numpy as np
import pytest
from tests.oracles import diffused, personalised_pagerank

from semirank import ManifoldRanking, ManifoldRankingCV, PersonalizedPageRank
from semirank.graphs import knn_graph
from semirank.rankers.manifold_cv import _choose

nan = np.nan
EXACT = {"tol": 1e-12}
SOLVERS = ["auto", "closed", "iterate", "cg", "chebyshev", "push"]


def points(n=40, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def two_classes(n=40, n_positive=3, n_negative=7):
    """Label unequal numbers of both classes with +1 and -1."""
    y = np.full(n, nan)
    y[:n_positive], y[n_positive : n_positive + n_negative] = 1, -1
    return y


@pytest.mark.parametrize("k", [0.0, 0.5, 1.0])
def test_equation_12_with_labels_of_plus_and_minus_one(k):
    X, y = points(), two_classes()
    W = knn_graph(X, 10).toarray()
    walk = PersonalizedPageRank(k, alpha=0.9, combine="labels", **EXACT).fit(X, y)
    expected = personalised_pagerank(W, np.nan_to_num(y), 0.9, k)
    np.testing.assert_allclose(walk.scores_, expected, rtol=1e-8, atol=1e-10)
    shares = PersonalizedPageRank(k, alpha=0.9, **EXACT).fit(X, y).scores_
    assert not np.allclose(shares / np.linalg.norm(shares), expected / np.linalg.norm(expected), atol=0.01)


@pytest.mark.parametrize("solver", SOLVERS)
def test_labels_are_seeds_as_they_are(solver):
    X, y = points(), np.where(np.arange(40) < 6, np.array([2, -1, 0, 0.5, -3, nan] + 34 * [nan]), nan)
    W = knn_graph(X, 10).toarray()
    ranker = ManifoldRanking(combine="labels", degree_correction=0.0, solver=solver, **EXACT).fit(X, y)
    np.testing.assert_allclose(ranker.scores_, diffused(W, np.nan_to_num(y), 0.99), rtol=1e-7, atol=1e-9)


def test_labels_of_one_class_only_are_seeds_too():
    X, y = points(), np.where(np.arange(40) == 3, -1.0, nan)
    ranker = ManifoldRanking(combine="labels", **EXACT).fit(X, y)
    positive = ManifoldRanking(combine="labels", **EXACT).fit(X, -y)
    np.testing.assert_allclose(ranker.scores_, -positive.scores_)
    assert ranker.explain(5).amounts.sum() == pytest.approx(ranker.scores_[5])


@pytest.mark.parametrize("solver", SOLVERS)
def test_with_alpha_0_labels_stay_where_they_are(solver):
    X, y = points(), two_classes()
    options = {"alpha": 0.0, "solver": solver, "combine": "labels", **EXACT}
    ranker = ManifoldRanking(degree_correction=0.0, **options).fit(X, y)
    np.testing.assert_allclose(ranker.scores_, np.nan_to_num(y), atol=1e-15)
    assert (ranker.predict(X + 0.1) == 0).all()
    found, scores = ranker.rank_queries([2], top=5)
    assert (found == -1).all()
    assert np.isnan(scores).all()


def ring(n=30, seed=0):
    """Return a graph with an odd cycle, so that S has no eigenvalue -1 and equation 5 converges."""
    W = knn_graph(points(n, 2, seed), 4, sigma=0.5, join=True).toarray()
    assert min(np.linalg.eigvalsh(W / np.sqrt(np.outer(W.sum(0), W.sum(0))))) > -0.99
    return W


def test_without_a_query_scores_are_where_equation_5_settles():
    W = ring()
    S = W / np.sqrt(np.outer(W.sum(axis=0), W.sum(axis=0)))
    f = np.ones(len(W))
    for _ in range(5000):
        f = S @ f
        f /= np.linalg.norm(f)
    ranker = ManifoldRanking(W, join=True).fit_graph(np.zeros((len(W), 1)))
    np.testing.assert_allclose(ranker.stationary_scores(), f, rtol=1e-6)


def test_without_a_query_a_walk_is_where_its_own_steps_settle():
    W = ring()
    P = W / W.sum(axis=1, keepdims=True)
    values, vectors = np.linalg.eig(P.T)
    stationary = np.real(vectors[:, np.argmin(np.abs(values - 1))])
    ranker = PersonalizedPageRank(graph=W).fit_graph(np.zeros((len(W), 1)))
    np.testing.assert_allclose(ranker.stationary_scores(), stationary / stationary.sum(), rtol=1e-7)
    manifold = ManifoldRanking(W).fit_graph(np.zeros((len(W), 1))).stationary_scores()
    np.testing.assert_array_equal(np.argsort(ranker.stationary_scores()), np.argsort(manifold))


def test_without_a_query_each_list_is_ranked_for_itself_in_the_callers_order():
    X, qid = points(), np.arange(40) % 2
    scores = ManifoldRanking(n_neighbors=4).fit_graph(X, qid).stationary_scores()
    for each in (0, 1):
        alone = ManifoldRanking(n_neighbors=4).fit_graph(X[qid == each]).stationary_scores()
        np.testing.assert_allclose(scores[qid == each], alone)
        assert np.square(alone).sum() == pytest.approx(1)
        degrees = knn_graph(X[qid == each], 4).sum(axis=1)
        np.testing.assert_array_equal(np.argsort(alone), np.argsort(degrees))


def test_jumping_to_random_items_changes_the_order_by_degree():
    """Theorem 2 is false where the walk jumps, as the docstring says: the order is no longer by degree."""
    differs = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        W = np.triu(rng.random((12, 12)) * (rng.random((12, 12)) < 0.4), 1)
        W = W + W.T + 1e-3 * (1 - np.eye(12))
        P = 0.85 * W / W.sum(axis=1, keepdims=True) + 0.15 / 12
        values, vectors = np.linalg.eig(P.T)
        jumping = np.abs(np.real(vectors[:, np.argmin(np.abs(values - 1))]))
        stationary = PersonalizedPageRank(graph=W).fit_graph(np.zeros((12, 1))).stationary_scores()
        differs += (np.argsort(jumping) != np.argsort(stationary)).any()
    assert differs > 5


def test_the_example_of_a_width_that_edges_do_not_tell():
    """Twelve points on a line have edges of one length: a new point is weighed by sigma all the same."""
    X, y = np.arange(12.0)[:, None], np.where(np.arange(12) == 2, 1.0, nan)
    options = {"sigma": 0.2, "n_neighbors": 10, "combine": "positive", "degree_correction": 0.0}
    ranker = ManifoldRanking("connected", **options, **EXACT).fit(X, y)
    d = np.abs(X[:, 0] - 6.4)
    near = np.argsort(d, kind="stable")[:10]
    w = np.exp((1 - d[near] ** 2) / (2 * 0.2**2))
    degrees = np.where((near == 0) | (near == 11), 1, 2)
    f = diffused(np.eye(12, k=1) + np.eye(12, k=-1), np.nan_to_num(y), 0.99)
    expected = 0.99 * w @ (f[near] / np.sqrt(degrees)) / np.sqrt(w.sum())
    assert expected == pytest.approx(1127.52, abs=0.01)
    assert ranker.predict([[6.4]])[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("ranker", [ManifoldRanking(alpha=0.7), PersonalizedPageRank(alpha=0.7)])
def test_a_point_that_is_no_item_plants_what_one_sweep_would_bring_from_it(ranker):
    X, query = points(30), points(1, seed=1)
    ranker.set_params(sigma=1.3, n_neighbors=5, tol=1e-12).fit_graph(X)
    W = ranker.graph_.toarray()
    D = W.sum(axis=1)
    d2 = ((X - query) ** 2).sum(axis=1)
    near = np.argsort(d2)[:5]
    shortest = min(((X[i] - X[j]) ** 2).sum() for i, j in np.argwhere(W))
    w = np.zeros(30)
    w[near] = np.exp((shortest - d2[near]) / (2 * 1.3**2))
    seed = 0.7 * w / np.sqrt(w.sum() * D)
    if isinstance(ranker, ManifoldRanking):
        expected = D**-0.5 * diffused(W, seed, 0.7)
    else:
        expected = D**0.5 * diffused(W, D**-0.5 * seed, 0.7)
    np.testing.assert_allclose(ranker.score_queries(query)[0], expected, rtol=1e-8)


@pytest.mark.parametrize("graph", [{"distance": "cosine"}, {"graph": "inner"}])
def test_a_new_item_is_weighed_by_its_cosine(graph):
    X, new = np.abs(points(25)), np.abs(points(1, seed=2))
    y = np.where(np.arange(25) < 2, 1.0, nan)
    ranker = ManifoldRanking(n_neighbors=6, combine="positive", alpha=0.8, **{**graph, **EXACT}).fit(X, y)
    cosines = (X @ new[0]) / np.linalg.norm(X, axis=1) / np.linalg.norm(new)
    w = np.where(np.argsort(np.argsort(-cosines)) < 6, cosines, 0)
    D = ranker.graph_.toarray().sum(axis=1)
    f = diffused(ranker.graph_.toarray(), np.nan_to_num(y), 0.8)
    expected = 0.8 * w @ (f / np.sqrt(D)) / w.sum()
    assert ranker.predict(new)[0] == pytest.approx(expected, rel=1e-8)


def test_a_setting_that_is_better_by_less_than_chance_is_not_taken():
    usual = {"n_neighbors": 10, "sigma": "median", "alpha": 0.99, "degree_correction": 0.5}
    params = [{**usual, "alpha": 0.5}, usual, {**usual, "alpha": 0.9}]
    gains = np.array([0.3, -0.25, 0.3, -0.25])
    scores = np.array([0.6 + gains, np.full(4, 0.6), np.full(4, 0.1)])
    assert scores[0].mean() > scores[1].mean()
    assert _choose(params, scores) == 1
    assert _choose(params, np.array([0.6 + np.abs(gains), *scores[1:]])) == 0
    assert _choose(params, scores[:, :1]) == 1


def test_cv_keeps_the_default_where_two_labels_cannot_tell():
    X = points(60)
    y = np.where(np.arange(60) == 0, 1.0, nan)
    cv = ManifoldRankingCV(random_state=0).fit(X, y)
    assert {name: ManifoldRanking().get_params()[name] for name in cv.best_params_} == cv.best_params_

"""Manifold ranking and personalised PageRank against their dense closed forms."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from tests.oracles import diffused, personalised_pagerank

import semirank
from semirank import DistanceRanking, ManifoldRanking, ManifoldRankingCV, PersonalizedPageRank
from semirank.dataset import DataWarning
from semirank.graphs import (
    check_graph,
    connected_graph,
    full_graph,
    inner_graph,
    join_components,
    knn_graph,
)
from semirank.rankers._base import Contributions

nan = np.nan
EXACT = {"tol": 1e-12}


def points(n=40, d=3, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def labels(n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.full(n, nan)
    chosen = rng.permutation(n)
    y[chosen[:3]], y[chosen[3:6]] = [1, 2, 0.5], [0, 0, -1]
    return y


def weights(d, power):
    return np.where(d > 0, d, 1) ** power


def sides(y):
    positive, negative = np.where(y > 0, y, 0), np.where(y <= 0, 1 - y, 0)
    return positive / positive.sum(), negative / negative.sum()


@pytest.mark.parametrize("solver", ["auto", "closed", "iterate", "cg", "chebyshev", "push"])
@pytest.mark.parametrize("c", [0.0, 0.5, 1.0])
def test_positive_labels_equal_the_closed_form(solver, c):
    X, y = points(), labels()
    W = knn_graph(X, 10).toarray()
    ranker = ManifoldRanking(alpha=0.9, degree_correction=c, solver=solver, combine="positive", **EXACT).fit(
        X, y
    )
    expected = W.sum(axis=1) ** -c * diffused(W, np.where(y > 0, y, 0), 0.9)
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("name", "options", "build"),
    [
        ("knn", {"n_neighbors": 5, "sigma": "local"}, lambda X: knn_graph(X, 5, sigma="local")),
        ("knn", {"distance": "cosine"}, lambda X: knn_graph(X, 10, distance="cosine")),
        ("connected", {"sigma": 0.7}, lambda X: connected_graph(X, sigma=0.7)),
        ("full", {"sigma": 1.25}, lambda X: full_graph(X, sigma=1.25)),
        ("inner", {}, lambda X: inner_graph(np.abs(X))),
    ],
)
def test_every_graph_and_both_signs(name, options, build):
    X, y = np.abs(points()), labels()
    W = build(X).toarray()
    positive, negative = (diffused(W, side, 0.99) / np.sqrt(W.sum(axis=1)) for side in sides(y))
    difference = ManifoldRanking(graph=name, combine="difference", **options, **EXACT).fit(X, y)
    np.testing.assert_allclose(difference.scores_, positive - negative, rtol=1e-7, atol=1e-9)
    ratio = ManifoldRanking(graph=name, combine="ratio", **options, **EXACT).fit(X, y)
    floor = 0.01 * np.mean([positive, negative])
    np.testing.assert_allclose(ratio.scores_, np.log((positive + floor) / (negative + floor)), atol=1e-7)


def test_log_is_the_logarithm_of_what_reaches_an_item_from_the_relevant_ones():
    X, y = points(), labels()
    reached = ManifoldRanking(combine="positive", **EXACT).fit(X, y).scores_
    ranker = ManifoldRanking(combine="log", **EXACT).fit(X, y)
    np.testing.assert_allclose(ranker.scores_, np.log1p(reached / (0.01 * reached.mean())), rtol=1e-7)
    items, amounts = ranker.explain(5)
    assert amounts.sum() == pytest.approx(ranker.scores_[5])
    parts = dict(zip(items.tolist(), amounts.tolist(), strict=True))
    given = ManifoldRanking(combine="positive", **EXACT).fit(X, y).explain(5)
    for item, amount in zip(*given, strict=True):  # the logarithm is divided by shares of what arrives
        assert parts[item] / ranker.scores_[5] == pytest.approx(amount / reached[5])


@pytest.mark.parametrize("combine", ["ratio", "log"])
def test_logarithms_are_taken_in_each_list_for_itself(combine):
    X, y = points(), labels()
    qid = np.where(np.arange(len(y)) % 3 == 0, "a", "b")
    ranker = ManifoldRanking(combine=combine, **EXACT).fit(X, y, qid)
    for each in ("a", "b"):
        rows = qid == each
        alone = ManifoldRanking(combine=combine, **EXACT).fit(X[rows], y[rows], qid[rows])
        np.testing.assert_allclose(alone.scores_, ranker.scores_[rows], rtol=1e-9)
        np.testing.assert_allclose(
            ranker.predict(X[rows], qid[rows])[:2], ranker.predict(X[rows][:2], qid[rows][:2])
        )


@pytest.mark.parametrize("k", [0.0, 0.5, 1.0])
def test_pagerank_equals_its_closed_form(k):
    X, y = points(), labels()
    W = knn_graph(X, 10).toarray()
    ranker = PersonalizedPageRank(k, alpha=0.85, combine="positive", **EXACT).fit(X, y)
    np.testing.assert_allclose(
        ranker.scores_, personalised_pagerank(W, np.where(y > 0, y, 0), 0.85, k), rtol=1e-9
    )


def test_pagerank_with_power_one_half_is_manifold_ranking_times_the_root_of_the_degree():
    X, y = points(), labels()
    manifold = ManifoldRanking(degree_correction=0.0, **EXACT).fit(X, y)
    walk = PersonalizedPageRank(0.5, **EXACT).fit(X, y)
    degrees = knn_graph(X, 10).sum(axis=1)
    np.testing.assert_allclose(walk.scores_, np.sqrt(degrees) * manifold.scores_, rtol=1e-8, atol=1e-9)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 1000), n_lists=st.integers(1, 4))
def test_a_users_own_graph_in_the_users_own_order(seed, n_lists):
    rng = np.random.default_rng(seed)
    qid = rng.integers(0, n_lists, 30)
    W = rng.random((30, 30)) * (rng.random((30, 30)) < 0.3) * (qid[:, None] == qid)
    W = np.triu(W, 1) + np.triu(W, 1).T
    y = np.where(rng.random(30) < 0.4, 1.0, nan)
    y[0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        ranker = ManifoldRanking(csr_array(W), combine="positive", degree_correction=0, **EXACT)
        ranker.fit(np.zeros((30, 1)), y, qid)
    np.testing.assert_allclose(ranker.scores_, diffused(W, np.nan_to_num(y), 0.99), rtol=1e-8, atol=1e-10)


def test_explanations_add_up_and_name_the_labelled_items():
    X, y = points(), labels()
    for ranker in (
        ManifoldRanking(**EXACT),
        PersonalizedPageRank(**EXACT),
        ManifoldRanking(combine="positive", **EXACT),
    ):
        ranker.fit(X, y)
        for item in range(0, 40, 7):
            items, amounts = ranker.explain(item)
            assert sorted(items) == np.flatnonzero(~np.isnan(y)).tolist()
            assert amounts.sum() == pytest.approx(ranker.scores_[item], rel=1e-8, abs=1e-10)
    one = ManifoldRanking(**EXACT).fit(X, np.where(np.arange(40) == 4, 1, nan))
    assert one.explain(9).amounts.tolist() == pytest.approx([one.scores_[9]])


def test_a_contribution_is_what_the_score_loses_without_the_label():
    X, y = points(), labels()
    whole = ManifoldRanking(combine="positive", **EXACT).fit(X, y)
    items, amounts = whole.explain(11)
    for item, amount in zip(items, amounts, strict=True):
        without = y.copy()
        without[item] = nan
        rest = ManifoldRanking(combine="positive", **EXACT).fit(X, without)
        assert whole.scores_[11] - rest.scores_[11] == pytest.approx(amount, abs=1e-9)


def test_explain_refuses_what_it_cannot_split():
    with pytest.raises(ValueError, match=r"row number in \[0, 39\]"):
        ManifoldRanking().fit(points(), labels()).explain(40)


def test_rerank_equals_a_new_fit_to_the_last_bit():
    X, y = points(400), labels(400)
    more = y.copy()
    more[np.flatnonzero(np.isnan(y))[5]] = 1
    again = ManifoldRanking(combine="positive").fit(X, more)
    ranker = ManifoldRanking(combine="positive").fit(X, y).rerank(more)
    np.testing.assert_array_equal(ranker.scores_, again.scores_)


def test_a_new_item_gets_what_an_unlabelled_item_in_its_place_has():
    X = np.array([[0.0], [1.0], [2.0], [3.0], [4.0], [10.0]])
    y = [1, nan, nan, nan, nan, 0]
    for sigma in (1.5, "median", "local"):
        for c in (0.0, 0.5):
            ranker = ManifoldRanking(n_neighbors=2, sigma=sigma, degree_correction=c, **EXACT).fit(X, y)
            W = knn_graph(X, 2, sigma=sigma).toarray()
            row = W[3]  # item 3 has exactly its two nearest as neighbours: leave it out and put it back
            f = ranker.diffused_[:, 0]
            assert np.count_nonzero(row) >= 2
            expected = 0.99 * (row / np.sqrt(row.sum() * W.sum(axis=1))) @ f * row.sum() ** -c
            assert ranker.scores_[3] == pytest.approx(expected)


@pytest.mark.parametrize("options", [{}, {"sigma": 20.0}, {"sigma": "local"}, {"distance": "cosine"}])
def test_new_items_are_ranked_nearly_as_well_as_fitted_ones(options):
    digits = semirank.load("digits", relevant="8")
    few = digits.hide_labels(keep=20, keep_levels=True, random_state=0)
    new = (np.arange(len(digits)) % 2 == 0) & ~few.labelled
    ranker = ManifoldRanking(**options).fit(few.X[~new], few.y[~new])
    [inductive] = semirank.metrics.auc(digits.y[new], ranker.predict(digits.X[new]))
    old = ~new & ~few.labelled
    [transductive] = semirank.metrics.auc(digits.y[old], ranker.scores_[old[~new]])
    assert inductive > transductive - 0.03


@pytest.mark.parametrize("options", [{"sigma": 0.7}, {"sigma": "median"}, {"distance": "cosine"}])
def test_weights_of_new_edges_are_those_of_the_graph(options):
    X = points(60)
    qid = np.arange(60) % 2
    ranker = ManifoldRanking(n_neighbors=30, **options).fit(X, labels(60), qid)
    data = semirank.RankingDataset(X, labels(60), qid)
    attached = ranker._attach(data.X, data.list_of_item).toarray()
    graph = ranker.graph_.toarray()
    both = (attached > 0) & (graph > 0)
    assert both.sum() > 700
    np.testing.assert_allclose(attached[both], graph[both], rtol=1e-13)


def by_formula(ranker, X, sigma, point, k):
    """Score a new point by its k nearest, all weights being exp(-d^2 / 2 sigma^2) times that of the graph."""
    nearest = np.argsort(np.abs(X[:, 0] - point), kind="stable")[:k]
    edge = ranker.graph_.tocoo()
    shortest = np.abs(X[edge.row, 0] - X[edge.col, 0]).min()
    factor = np.exp(shortest**2 / (2 * sigma**2))
    w = factor * np.exp(-((X[nearest, 0] - point) ** 2) / (2 * sigma**2))
    f, d = ranker.diffused_[nearest, 0], ranker.graph_.sum(axis=1)[nearest]
    return ranker.alpha * (w / np.sqrt(d)) @ f / np.sqrt(w.sum()) * w.sum() ** -ranker.degree_correction


@pytest.mark.parametrize("sigma", [0.2, 0.3, 3.0])
@pytest.mark.parametrize("graph", ["knn", "connected"])
@pytest.mark.parametrize("c", [0.0, 0.5])
def test_a_new_item_is_weighed_with_the_width_that_was_asked_for(sigma, graph, c):
    """Edges of equal length say nothing about the width: it has to be remembered."""
    X = np.arange(12.0)[:, None]
    y = np.where(np.arange(12) == 5, 1.0, nan)
    options = {"n_neighbors": 2, "sigma": sigma, "degree_correction": c, "combine": "positive"}
    ranker = ManifoldRanking(graph, **options, **EXACT).fit(X, y)
    expected = by_formula(ranker, X, sigma, 6.4, 2)
    assert ranker.predict([[6.4]])[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_joined_components_do_not_change_the_width_of_new_edges(seed):
    X = np.sort(np.random.default_rng(seed).random((20, 1)) * 30, axis=0)
    y = np.where(np.arange(20) % 7 == 0, 1.0, nan)
    options = {"n_neighbors": 1, "sigma": 1.5, "join": True, "degree_correction": 0.0, "combine": "positive"}
    ranker = ManifoldRanking(**options, **EXACT).fit(X, y)
    new = X[4, 0] + 0.3
    expected = by_formula(ranker, X, 1.5, new, 1)
    assert ranker.predict([[new]])[0] == pytest.approx(expected, rel=1e-9)


def test_local_widths_of_new_edges_are_the_radii_of_the_graph():
    """Duplicates have the radius 0, which stands for the smallest positive one of their list."""
    X = np.concatenate([np.zeros((4, 2)), points(20, 2)])
    ranker = ManifoldRanking(n_neighbors=3, sigma="local").fit(X, np.where(np.arange(24) == 0, 1, nan))
    distances = np.sort(np.linalg.norm(X[:, None] - X, axis=2), axis=1)[:, 3]
    radii = np.where(distances > 0, distances, distances[distances > 0].min())
    np.testing.assert_allclose(ranker.widths_, radii)
    new = np.array([[0.01, 0.02]])
    weights = ranker._attach(new, np.zeros(1, dtype=int)).toarray()[0]
    d = np.linalg.norm(X - new, axis=1)
    near = np.flatnonzero(weights)
    np.testing.assert_allclose(weights[near], np.exp(-(d[near] ** 2) / (np.sort(d)[2] * radii[near])))


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize(
    "options",
    [{"sigma": 0.3}, {"sigma": "local"}, {"graph": "connected"}, {"graph": "inner"}, {"join": True}],
)
def test_a_saved_model_keeps_the_width(options, tmp_path):
    X = np.arange(12.0)[:, None]
    y, qid = np.where(np.arange(12) % 6 == 1, 1.0, nan), np.repeat(["a", "b"], 6)
    ranker = ManifoldRanking(n_neighbors=2, **{"graph": "knn", **options}).fit(X, y, qid)
    ranker.save(tmp_path / "model")
    loaded = semirank.load_model(tmp_path / "model")
    new, lists = [[2.4], [8.3], [4.1]], ["a", "b", "a"]
    np.testing.assert_array_equal(loaded.predict(new, lists), ranker.predict(new, lists))


def test_a_new_item_nearer_than_any_two_fitted_ones_has_a_finite_score():
    X = np.arange(12.0)[:, None]
    y = np.where(np.arange(12) == 5, 1.0, nan)
    for c in (0.0, 0.5, 1.0):
        ranker = ManifoldRanking(sigma=0.01, degree_correction=c).fit(X, y)
        assert np.isfinite(ranker.predict([[5.0], [5.1], [5.5]])).all()


@pytest.mark.parametrize("combine", ["positive", "difference"])
def test_weights_are_the_confidences_of_the_labels(combine):
    X, y = points(), labels()
    confidence = np.random.default_rng(2).random(40) + 0.1
    confidence[np.flatnonzero(y > 0)[0]] = 0.0
    positive, negative = np.where(y > 0, y, 0) * confidence, np.where(y <= 0, 1 - y, 0) * confidence
    s = positive if combine == "positive" else positive / positive.sum() - negative / negative.sum()
    W = knn_graph(X, 10).toarray()
    manifold = ManifoldRanking(alpha=0.9, combine=combine, **EXACT).fit(X, y, sample_weight=confidence)
    np.testing.assert_allclose(manifold.scores_, W.sum(axis=1) ** -0.5 * diffused(W, s, 0.9), rtol=1e-8)
    walk = PersonalizedPageRank(alpha=0.9, combine=combine, **EXACT).fit(X, y, sample_weight=confidence)
    np.testing.assert_allclose(walk.scores_, personalised_pagerank(W, s, 0.9, 0.0), rtol=1e-8)


def test_weights_follow_their_items_into_the_lists_and_the_explanation(tmp_path):
    X, y, qid = points(), labels(), np.arange(40) % 2
    confidence = np.random.default_rng(2).random(40) + 0.1
    ranker = ManifoldRanking(combine="positive", **EXACT).fit(X, y, qid, sample_weight=confidence)
    given = ManifoldRanking(combine="positive", **EXACT).fit(X, np.where(y > 0, y * confidence, y), qid)
    np.testing.assert_allclose(ranker.scores_, given.scores_, rtol=1e-9)
    ranker.save(tmp_path / "model")
    for each in (ranker, semirank.load_model(tmp_path / "model")):
        assert isinstance(each.explain(7), Contributions)
        assert each.explain(7).amounts.sum() == pytest.approx(ranker.scores_[7], rel=1e-8)


def test_labels_that_all_weigh_nothing_are_refused():
    with pytest.raises(ValueError, match="no relevant item to start from"):
        ManifoldRanking().fit(points(), labels(), sample_weight=np.where(labels() > 0, 0.0, 1.0))
    with pytest.raises(ValueError, match="sample_weight must be finite and not negative"):
        ManifoldRanking().fit(points(), labels(), sample_weight=np.full(40, -1.0))


def untidy(n=40):
    """Return a symmetric graph whose columns are not sorted, with duplicate entries and stored zeros."""
    i = np.arange(n - 1)
    rows = np.concatenate([i + 1, i, i + 1, i, [0]])
    columns = np.concatenate([i, i + 1, i, i + 1, [5]])
    values = np.concatenate([np.ones(4 * (n - 1)), [0.0]])
    order = np.lexsort((-columns, rows))
    indptr = np.searchsorted(rows[order], np.arange(n + 1))
    return csr_array((values[order], columns[order], indptr), shape=(n, n))


@pytest.mark.parametrize("use", ["graph", "features", "check_graph", "join"])
def test_a_sparse_matrix_of_the_caller_is_not_touched(use):
    given = untidy()
    before = given.data.copy(), given.indices.copy(), given.indptr.copy()
    if use == "graph":
        ManifoldRanking(given).fit(points(), labels())
    elif use == "features":
        for ranker in (ManifoldRanking(), ManifoldRanking(distance="cosine"), DistanceRanking("cosine")):
            ranker.fit(given, labels()).predict(given)
    elif use == "check_graph":
        check_graph(given)
    else:
        join_components(given, points())
    for now, then in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(now, then)


def test_the_graph_is_named_in_words():
    assert ManifoldRanking(n_neighbors=5).in_words() == "manifold ranking, 5 neighbours"
    assert ManifoldRanking(graph="full").in_words() == "manifold ranking, full graph"
    assert ManifoldRanking(graph=np.ones((2, 2))).in_words() == "manifold ranking, given graph"


def test_queries_by_item_by_set_and_by_vector():
    X = points(200, seed=3)
    ranker = ManifoldRanking(**EXACT).fit_graph(X)
    scores = ranker.score_queries([5, [0, 8]])
    for row, items in zip(scores, ([5], [0, 8]), strict=True):
        y = np.full(200, nan)
        y[items] = 1
        np.testing.assert_allclose(
            row, ManifoldRanking(combine="positive", **EXACT).fit(X, y).scores_, rtol=1e-7
        )
    found, values = ranker.rank_queries([5, [0, 8]], top=20)
    for i, own in enumerate(([5], [0, 8])):
        order = [item for item in np.argsort(-scores[i]) if item not in own][:20]
        assert found[i].tolist() == order
        np.testing.assert_allclose(values[i], scores[i][order], rtol=1e-7)
    near, _ = ranker.rank_queries(X[[5]] + 1e-9, top=1)
    assert near[0, 0] == 5


def test_push_finds_the_same_best_items():
    X = points(3000, d=2, seed=4)
    exact, _ = ManifoldRanking(solver="cg", tol=1e-10).fit_graph(X).rank_queries([3, 77], top=50)
    local, _ = ManifoldRanking(solver="push").fit_graph(X).rank_queries([3, 77], top=50)
    agreement = [len(set(a) & set(b)) / 50 for a, b in zip(exact, local, strict=True)]
    assert min(agreement) >= 0.96


@pytest.mark.parametrize("degree_power", [0.0, 1.5])
def test_push_scores_a_set_as_solving_does(degree_power):
    X = points(300, d=2, seed=4)
    query = [[3, 77, 150]]  # of different degrees: one planted too high would change the order
    (exact, expected), (local, scores) = (
        PersonalizedPageRank(degree_power, solver=solver, tol=1e-10).fit_graph(X).rank_queries(query, top=8)
        for solver in ("cg", "push")
    )
    np.testing.assert_array_equal(local, exact)
    np.testing.assert_allclose(scores, expected, rtol=0.05)


def test_queries_in_several_lists_stay_in_their_list():
    X, qid = points(40), np.repeat(["a", "b"], 20)
    found, _ = ManifoldRanking().fit_graph(X, qid).rank_queries([25], top=30)
    assert set(found[0][found[0] >= 0]) == set(range(20, 40)) - {25}
    assert (found[0] == -1).sum() == 11
    with pytest.raises(ValueError, match="several lists"):
        ManifoldRanking().fit_graph(X, qid).rank_queries(X[:1])


@pytest.mark.parametrize("query", [[40], [-1], [[0, 40]], [[-1, 3]], [[]], ["x"], [1.5]])
def test_queries_that_do_not_exist(query):
    with pytest.raises(ValueError, match="A query is a row number from 0 to 39"):
        ManifoldRanking().fit_graph(points()).rank_queries(query)


def test_unreachable_items_are_counted_and_can_be_joined():
    X = np.concatenate([points(20), points(20) + 100])
    y = np.where(np.arange(40) == 0, 1, nan)
    with pytest.warns(DataWarning, match="20 of 40 items cannot be reached"):
        ranker = ManifoldRanking().fit(X, y)
    assert ranker.n_unreached_ == 20
    assert (ranker.scores_[20:] == 0).all()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        joined = ManifoldRanking(join=True, sigma=50.0).fit(X, y)
    assert (joined.scores_ > 0).all()


def test_a_solver_that_did_not_settle_is_said():
    with pytest.warns(ConvergenceWarning, match="1 of 1 lists did not settle within 3 "):
        ranker = ManifoldRanking(solver="iterate", max_iter=3).fit(points(), labels())
    assert ranker.residual_[0] > 1e-6


@pytest.mark.parametrize(
    ("options", "y", "message"),
    [
        ({}, np.zeros(40), "no relevant item to start from.*largest is 0"),
        ({"graph": np.ones((3, 3))}, labels(), "square matrix of the 40 items"),
        ({"graph": -np.ones((40, 40))}, labels(), "negative"),
        ({"graph": np.triu(np.ones((40, 40)), 1)}, labels(), "symmetric"),
        ({"graph": "full", "sigma": "local"}, labels(), "not 'local'"),
        ({"alpha": 1.0}, labels(), r"alpha must be a number in \[0, 1\); got 1.0"),
        ({"sigma": 0}, labels(), "sigma must be"),
        ({"combine": "labels"}, np.zeros(40), "at least one label must be other than 0"),
    ],
)
def test_bad_input(options, y, message):
    with pytest.raises(ValueError, match=message):
        ManifoldRanking(**options).fit(points(), y)


def test_one_point_and_duplicates():
    assert ManifoldRanking().fit([[1.0]], [1]).scores_.tolist() == [1.0]
    same = ManifoldRanking(n_neighbors=2).fit(np.zeros((5, 2)), [1, nan, nan, nan, nan])
    assert np.isfinite(same.scores_).all()


def test_a_fitted_own_graph_refuses_new_items():
    ranker = ManifoldRanking(graph=knn_graph(points(), 5)).fit(points(), labels())
    with pytest.raises(ValueError, match="graph of its own"):
        ranker.predict(points(2))


def test_cv_leaves_out_by_definition():
    """The AUC of a left-out item is that of a ranker fitted without its label."""
    X, y = points(60, seed=5), labels(60, seed=5)
    cv = ManifoldRankingCV((5,), ("median",), (0.9,), (0.5,), random_state=0).fit(X, y)
    found = []
    for item in np.flatnonzero(y > 0):
        without = y.copy()
        without[item] = nan
        scores = ManifoldRanking(n_neighbors=5, alpha=0.9).fit(X, without).scores_
        found.append(np.mean(scores[np.isnan(y)] < scores[item]))
    assert cv.best_score_ == pytest.approx(np.mean(found), abs=1e-3)
    assert sorted(cv.cv_results_["split_test_score"][0]) == pytest.approx(sorted(found), abs=1e-2)
    assert cv.best_params_ == {"n_neighbors": 5, "sigma": "median", "alpha": 0.9, "degree_correction": 0.5}


def test_cv_finds_the_setting_that_is_plainly_better():
    """Where degree is pure noise and labels are many, the plain form at alpha near 1 must not be chosen."""
    digits = semirank.load("digits", relevant="3")
    few = digits.hide_labels(keep=60, keep_levels=True, random_state=0)
    cv = ManifoldRankingCV(alphas=(0.1, 0.99), random_state=0, combine="positive").fit(few.X, few.y)
    results = cv.cv_results_
    assert cv.best_params_ != results["params"][int(np.argmin(results["mean_test_score"]))]
    assert cv.best_params_ == results["params"][cv.best_index_]
    best = int(np.argmax(results["mean_test_score"]))
    scores = results["split_test_score"][best]
    error = scores.std(ddof=1) / np.sqrt(len(scores))
    assert cv.best_score_ >= results["mean_test_score"][best] - error


@pytest.mark.parametrize(
    "options", [{"alphas": ()}, {"alphas": (0.5, 1.5)}, {"n_neighbors": (0,)}, {"sigmas": ("wide",)}]
)
def test_cv_refuses_a_grid_outside_the_limits(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        ManifoldRankingCV(**options).fit(points(), labels())


@pytest.mark.parametrize("sparse", [False, True])
def test_a_saved_model_finds_directions_with_the_same_bits(sparse, tmp_path):
    X = points(120, 6)
    X = csr_array(np.where(np.abs(X) < 0.3, 0, X)) if sparse else X
    ranker = ManifoldRanking(distance="cosine", combine="ratio").fit(X, labels(120))
    ranker.save(tmp_path / "model")
    np.testing.assert_array_equal(semirank.load_model(tmp_path / "model").predict(X), ranker.predict(X))

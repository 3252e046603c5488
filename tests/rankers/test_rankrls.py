"""RankRLS against its definition: every pair written out, every left-out list trained again."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, csr_matrix, random_array
from sklearn.metrics.pairwise import cosine_similarity, polynomial_kernel, rbf_kernel
from tests.rankers import oracle_rankrls as oracle

from semirank import RankingDataset, storage
from semirank.rankers.losses.squared import ListSquared
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.solvers import least_squares
from semirank.rankers.solvers.conjugate_gradients import IterativeRidge
from semirank.rankers.solvers.ridge import Dual, Primal

nan = np.nan
GAMMA = 0.1
SHAPES = {"short lists": (7, 6, 9), "long lists": (3, 20, 5), "many features": (4, 6, 30)}
KERNELS = ["linear", "rbf", "precomputed", "components"]


def lists(n_lists, n_items, n_features, seed=0, labelled=0.7):
    """Make lists in mixed order; one of them has no label and one a single one."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features))
    y = rng.integers(0, 3, len(qid)) + X[:, 0]
    y[rng.random(len(qid)) > labelled] = nan
    y[qid == n_lists - 1] = nan
    if n_lists > 3:
        y[np.flatnonzero(qid == n_lists - 2)[1:]] = nan
    return X, y, qid


def fit(kernel, ridge, X, y, qid=None):
    """Fit with a kernel; "components" spans all labelled items, which is the rbf kernel again."""
    if kernel == "components":
        return RankRLS("rbf", gamma=GAMMA, ridge=ridge, n_components=1000).fit(X, y, qid)
    X = rbf_kernel(X, gamma=GAMMA) if kernel == "precomputed" else X
    return RankRLS(kernel, gamma=GAMMA, ridge=ridge).fit(X, y, qid)


def features_by(kernel, X):
    return oracle.features_of(X, "linear" if kernel == "linear" else "rbf", GAMMA)


def without_equal_lists(y, qid):
    """Hide the labels of lists in which all are equal."""
    ordered = [each for each in set(qid.tolist()) if len(set(y[(qid == each) & ~np.isnan(y)])) > 1]
    return np.where(np.isin(qid, ordered), y, nan)


def assert_near(found, expected, tolerance):
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("ridge", [10.0, 1e-3])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_scores_minimise_the_sum_over_pairs(shape, kernel, ridge):
    X, y, qid = lists(*SHAPES[shape])
    Phi = features_by(kernel, X)
    ranker = fit(kernel, ridge, X, y, qid)
    assert_near(ranker.scores_, Phi @ oracle.train(Phi, y, qid, ridge), 1e-7)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_scores_are_those_of_theorem_1(kernel):
    X, y, qid = lists(5, 8, 4)
    Phi = features_by(kernel, X)
    K = Phi @ Phi.T
    assert_near(fit(kernel, 0.5, X, y, qid).scores_, K @ oracle.train_dual(K, y, qid, 0.5), 1e-9)


@given(
    sizes=st.lists(st.integers(1, 6), min_size=1, max_size=6),
    seed=st.integers(0, 999),
    ridge=st.sampled_from([0.01, 1.0, 100.0]),
)
@settings(max_examples=60, deadline=None)
def test_any_lists_by_definition(sizes, seed, ridge):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X, y = rng.normal(size=(len(qid), 3)), rng.integers(0, 3, len(qid)).astype(float)
    y[rng.random(len(qid)) < 0.3] = nan
    assume(any(y[i] != y[j] for i, j, _ in oracle.pairs_of(y, qid)))
    expected = X @ oracle.train(X, without_equal_lists(y, qid), qid, ridge)
    np.testing.assert_allclose(RankRLS(ridge=ridge).fit(X, y, qid).scores_, expected, rtol=1e-7, atol=1e-10)


@pytest.mark.parametrize("ridge", [10.0, 1e-3])
def test_all_forms_agree(ridge):
    X, y, qid = lists(5, 12, 7)
    order = np.argsort(qid, kind="stable")
    X, y, qid = X[order], y[order], qid[order]
    loss = ListSquared.of(RankingDataset(X, y, qid))
    X = X[loss.rows]
    dual = Dual(lambda: X @ X.T, loss)
    forms = [Primal(X, loss), Primal(csr_array(X), loss), IterativeRidge(X, loss)]
    forms += [IterativeRidge(csr_array(X), loss), Primal(X.astype(np.float32), loss)]
    for form in forms:
        tolerance = 1e-4 if form.features.dtype == np.float32 else 1e-7
        assert form.spread() == pytest.approx(dual.spread(), rel=tolerance)
        assert_near(form.weights(ridge), X.T @ dual.weights(ridge), tolerance)
        assert_near(form.label_weights(ridge, X[0]), dual.label_weights(ridge, X @ X[0]), tolerance)
        for k in range(loss.n_lists):
            found, expected = (f.without_lists(np.array([k]), np.array([ridge, 1.0])) for f in (form, dual))
            assert_near(*(r.residuals - r.residuals.mean(1)[:, None] for r in (found, expected)), tolerance)
            weights = X.T @ dual.weights_at(expected.coordinates)
            assert_near(form.weights_at(found.coordinates), weights, tolerance)


def test_the_spread_is_the_mean_squared_distance_of_two_labelled_items():
    X, y, qid = lists(4, 6, 3)
    weights = {each: 0.0 for each in qid.tolist()}
    for i, j, weight in oracle.pairs_of(y, qid):
        weights[qid[i]] += weight * ((X[i] - X[j]) ** 2).sum()
    expected = np.mean([value for value in weights.values() if value])
    problem = RankRLS().fit(X, y, qid)._fitted()
    assert problem.form.spread() == pytest.approx(expected)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_leave_list_out_is_training_again(shape, kernel):
    X, y, qid = lists(*SHAPES[shape], seed=1)
    Phi = features_by(kernel, X)
    ridges = [10.0, 1e-3, 1e-8]
    found = fit(kernel, 1.0, X, y, qid).leave_list_out(ridges)
    assert found.shape == (3, len(y))
    for scores, ridge in zip(found, ridges, strict=True):
        assert_near(scores, oracle.leave_list_out(Phi, y, qid, ridge), 1e-7 if ridge >= 1e-3 else 1e-6)


def test_leave_list_out_by_conjugate_gradients(monkeypatch):
    monkeypatch.setattr(least_squares, "LARGEST_DIRECT", 3)
    X, y, qid = lists(5, 8, 6)
    ranker = RankRLS(ridge=0.1).fit(csr_array(X), y, qid)
    assert isinstance(ranker._fitted().form, IterativeRidge)
    assert_near(ranker.scores_, X @ oracle.train(X, y, qid, 0.1), 1e-7)
    assert_near(ranker.leave_list_out()[0], oracle.leave_list_out(X, y, qid, 0.1), 1e-7)
    with pytest.raises(ValueError, match="n_components"):
        RankRLS().fit(X, y).leave_items_out()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", [(25, 4), (8, 20)])
def test_leave_items_out_is_training_again(shape, kernel):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    y[::4] = nan
    Phi = features_by(kernel, X)
    ridges = [1.0, 1e-3]
    for scores, ridge in zip(fit(kernel, 1.0, X, y).leave_items_out(ridges), ridges, strict=True):
        assert_near(scores, oracle.leave_items_out(Phi, y, ridge), 1e-7)


def test_two_labels_left_out_leave_nothing():
    assert (RankRLS().fit([[0.0], [1.0]], [0, 1]).leave_items_out() == 0.0).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_score_is_the_sum_of_what_each_label_contributes(kernel):
    X, y, qid = lists(4, 7, 3)
    ranker = fit(kernel, 0.3, X, y, qid)
    Phi = features_by(kernel, X)
    for item in (0, 13):
        items, contributions = ranker.explain(item)
        assert contributions.sum() == pytest.approx(ranker.scores_[item], rel=1e-9, abs=1e-12)
        for j, contribution in zip(items, contributions, strict=True):
            inside = (qid == qid[j]) & ~np.isnan(y)
            only_j = np.where(np.isnan(y), nan, 0.0)
            only_j[j] = y[j] - y[inside].mean()
            alone = (Phi @ oracle.train(Phi, only_j, qid, 0.3))[item]
            assert contribution == pytest.approx(alone, rel=1e-6, abs=1e-12)


def test_lists_with_fewer_than_two_labels_teach_nothing():
    X, y, qid = lists(6, 5, 3)
    more = np.vstack([X, X[:4] + 1.0])
    labels = np.append(y, [5.0, nan, nan, nan])
    names = np.append(qid, [90, 90, 91, 91])
    expected = RankRLS().fit(X, y, qid).coef_
    np.testing.assert_allclose(RankRLS().fit(more, labels, names).coef_, expected, rtol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS)
def test_lists_with_equal_labels_teach_nothing_and_are_not_left_out(kernel):
    X, y, qid = lists(6, 5, 3)
    y[qid == 0] = 2.0
    ranker = fit(kernel, 0.5, X, y, qid)
    hidden = fit(kernel, 0.5, X, np.where(qid == 0, nan, y), qid)
    np.testing.assert_allclose(ranker.scores_, hidden.scores_, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ranker.leave_list_out(), hidden.leave_list_out(), rtol=1e-9, atol=1e-12)


def test_few_components_are_the_kernel_that_they_span():
    X, y, qid = lists(5, 10, 4)
    ranker = RankRLS("rbf", gamma=GAMMA, n_components=6).fit(X, y, qid)
    near = rbf_kernel(X, ranker.items_, gamma=GAMMA)
    spanned = near @ np.linalg.solve(rbf_kernel(ranker.items_, gamma=GAMMA), near.T)
    assert ranker.items_.shape == (6, 4)
    assert_near(ranker.scores_, RankRLS("precomputed").fit((spanned + spanned.T) / 2, y, qid).scores_, 1e-6)


def test_components_of_a_linear_kernel_give_weights_of_features():
    X, y, qid = lists(5, 10, 4)
    full, spanned = RankRLS().fit(X, y, qid), RankRLS(n_components=4).fit(X, y, qid)
    assert_near(spanned.coef_, full.coef_, 1e-9)


def test_text_with_twenty_thousand_terms_stays_sparse(monkeypatch):
    rng = np.random.default_rng(0)
    rows, terms = np.repeat(np.arange(400), 30), rng.integers(0, 20_000, 400 * 30)
    X = csr_array((rng.random(400 * 30), (rows, terms)), shape=(400, 20_000))
    y, qid = rng.integers(0, 2, 400).astype(float), np.repeat(np.arange(20), 20)
    expected = RankRLS().fit(X.toarray(), y, qid).scores_
    dense = csr_array.toarray

    def refuse_large(self, *given, **named):
        assert self.shape[1] <= 400, "features were made dense"
        return dense(self, *given, **named)

    monkeypatch.setattr(csr_array, "toarray", refuse_large)
    np.testing.assert_allclose(RankRLS().fit(X, y, qid).scores_, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(RankRLS().fit(csr_matrix(X), y, qid).scores_, expected, rtol=1e-9, atol=1e-12)


def test_new_items_of_a_precomputed_kernel():
    X, y, qid = lists(4, 6, 3)
    new = np.random.default_rng(5).normal(size=(3, 3))
    by_matrix = fit("precomputed", 1.0, X, y, qid).predict(rbf_kernel(new, X, gamma=GAMMA))
    np.testing.assert_allclose(by_matrix, fit("rbf", 1.0, X, y, qid).predict(new), rtol=1e-9)


def test_a_kernel_matrix_that_is_none():
    X, y, qid = lists(4, 6, 3)
    K = X @ X.T
    with pytest.raises(ValueError, match="square"):
        RankRLS("precomputed").fit(K[:, :-1], y, qid)
    with pytest.raises(ValueError, match=r"dense square matrix.*got a sparse matrix"):
        RankRLS("precomputed").fit(csr_array(K), y, qid)
    crooked = K.copy()
    crooked[0, 1] += 1.0
    with pytest.raises(ValueError, match="not symmetric"):
        RankRLS("precomputed").fit(crooked, y, qid)
    indefinite = K - 2.0 * np.outer(X[:, 0], X[:, 0]) * (1 - np.eye(len(K)))
    with pytest.raises(ValueError, match="not positive semidefinite"):
        RankRLS("precomputed", ridge=1e-6).fit(indefinite, y, qid)
    with pytest.raises(ValueError, match="not positive semidefinite"):
        RankRLS("precomputed", ridge=1e6).fit(indefinite, y, qid).leave_list_out()


@pytest.mark.parametrize("y", [[1, nan, nan, 1], [1, 1, 0, 0], [1, 1, 1, nan]])
def test_labels_that_show_no_order_are_refused(y):
    with pytest.raises(ValueError, match=r"no list has two.*Label more items"):
        RankRLS().fit([[0.0], [1.0], [2.0], [3.0]], y, qid=[0, 0, 1, 1])


def test_what_cannot_be_left_out():
    X, y, qid = lists(4, 6, 3)
    one, several = RankRLS().fit(X, y), RankRLS().fit(X, y, qid)
    with pytest.raises(ValueError, match=r"two lists.*leave_items_out"):
        one.leave_list_out()
    with pytest.raises(ValueError, match=r"one list.*leave_list_out"):
        several.leave_items_out()
    for ridges in ([0.0], [1.0, -1.0], [nan], [], [[1.0]]):
        with pytest.raises(ValueError, match="ridges must be positive"):
            several.leave_list_out(ridges)


def test_too_many_items_for_a_kernel_matrix(monkeypatch):
    monkeypatch.setattr(least_squares, "MOST_ITEMS", 10)
    with pytest.raises(ValueError, match="Give n_components"):
        RankRLS("rbf").fit(*lists(5, 10, 3))


def test_explain_refuses_a_row_that_is_not_there():
    ranker = RankRLS().fit(*lists(4, 6, 3))
    for item in (-1, 24):
        with pytest.raises(ValueError, match=r"item must be a row number in \[0, 23\]"):
            ranker.explain(item)


@pytest.mark.parametrize("kernel", KERNELS)
def test_model_files(kernel, tmp_path):
    X, y, qid = lists(4, 6, 3)
    ranker = fit(kernel, 1.0, X, y, qid)
    ranker.save(tmp_path / "model")
    again = storage.load(tmp_path / "model", {"RankRLS": RankRLS})
    new = X if kernel != "precomputed" else rbf_kernel(X, gamma=GAMMA)
    np.testing.assert_array_equal(again.predict(new), ranker.predict(new))
    for ask in (lambda r: r.explain(0).amounts, lambda r: r.leave_list_out([0.1, 1.0])):
        np.testing.assert_array_equal(ask(again), ask(ranker))
    weights = "coef_" if kernel == "linear" else "dual_coef_"
    setattr(ranker, weights, getattr(ranker, weights)[:-1])
    ranker.save(tmp_path / "broken")
    with pytest.raises(ValueError, match=r"(coef_|items_|dual_coef_) must be .*; it has shape"):
        storage.load(tmp_path / "broken", {"RankRLS": RankRLS})


@pytest.mark.parametrize(
    ("kernel", "peer"),
    [
        ("polynomial", lambda X: polynomial_kernel(X, gamma=GAMMA, coef0=1.0, degree=2)),
        ("cosine", cosine_similarity),
    ],
)
def test_other_kernels_are_their_matrix(kernel, peer):
    X, y, qid = lists(5, 8, 3)
    expected = RankRLS("precomputed").fit(peer(X), y, qid)
    for features in (X, csr_array(X)):
        ranker = RankRLS(kernel, gamma=GAMMA, degree=2).fit(features, y, qid)
        assert_near(ranker.scores_, expected.scores_, 1e-8)
        assert_near(ranker.leave_list_out(), expected.leave_list_out(), 1e-8)


@pytest.mark.parametrize(("n_items", "n_features"), [(2_000, 20_000), (20_000, 2_000)])
def test_sparse_features_make_no_dense_matrix(n_items, n_features):
    """A matrix of all items, or of all features, would be dense, and most of the work."""
    rng = np.random.default_rng(0)
    X = random_array((n_items, n_features), density=20 / n_features, format="csr", rng=rng)
    y, qid = rng.integers(0, 2, n_items).astype(float), np.arange(n_items) // 50
    RankRLS().fit(X[:100], y[:100], qid[:100])  # compiles
    tracemalloc.start()
    ranker = RankRLS().fit(X, y, qid)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * 2_000**2 / 2
    gradient = (
        X.T @ (ranker._fitted().loss.laplacian(X @ ranker.coef_ - ranker._fitted().loss.y)) + ranker.coef_
    )
    assert abs(gradient).max() < 1e-8 * abs(ranker.coef_).max()


@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_sparse_features_with_a_tiny_ridge(make):
    """Where conjugate gradients take long, the closed form is there."""
    X, y, qid = lists(5, 12, 7)
    X = X * 10.0 ** np.arange(-3, 4)
    expected = X @ oracle.train(X, y, qid, 1e-7)
    assert_near(RankRLS(ridge=1e-7).fit(make(X), y, qid).scores_, expected, 1e-6)

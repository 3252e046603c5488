"""Propagated rankers against their definition, and lists whose shape tells how to rank them."""

import numpy as np
import pytest
from joblib import parallel_config
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

import semirank
from semirank import RankBoost, RankerPropagation, RankRLS, RankRLSCV, RankSVM, list_kernel
from semirank.dataset import DataWarning
from semirank.features import GramSchmidt

nan = np.nan


def turning_lists(seed=0, n_lists=40, n_items=25, labelled=20, noise=0.3, n_features=3):
    """Lists that spread along a direction which turns from list to list; items are better along it."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(0, 0.9 * np.pi, n_lists)
    directions = np.column_stack([np.cos(angles), np.sin(angles), *np.zeros((n_features - 2, n_lists))])
    X = (
        rng.normal(size=(n_lists, n_items, n_features))
        + 2.0 * rng.normal(size=(n_lists, n_items, 1)) * directions[:, None]
    )
    truth = np.einsum("lij,lj->li", X, directions) + noise * rng.normal(size=(n_lists, n_items))
    qid = np.repeat(np.arange(n_lists), n_items)
    y = np.where(qid < labelled, truth.ravel(), nan)
    return X.reshape(-1, n_features), y, qid, truth.ravel()


def own_rankers(X, y, qid, ridge):
    """The direction of RankRLS on each list that has labels."""
    coefs = [RankRLS(ridge=ridge).fit(X[qid == v], y[qid == v]).coef_ for v in np.unique(qid[~np.isnan(y)])]
    return np.array(coefs) / np.linalg.norm(coefs, axis=1, keepdims=True)


def test_features_with_large_negative_weights_are_kept():
    X, y, qid, _ = turning_lists(n_features=6)
    X[:, [0, 4]], y = X[:, [4, 0]], y - 3 * X[:, 3]
    ranker = RankerPropagation(RankRLS(ridge=0.1), 5, n_features=2).fit(X, y, qid)
    Z = X / X[qid < 20].std(axis=0)
    mean = own_rankers(Z, y, qid, 0.1).mean(axis=0)
    assert mean[3] == mean.min() < -0.5
    assert ranker.features_.tolist() == sorted(np.argsort(-np.abs(mean))[:2])


@pytest.mark.parametrize("similarity", ["matching", "psd"])
def test_rankers_are_propagated_as_defined(similarity):
    X, y, qid, _ = turning_lists()
    ranker = RankerPropagation(RankRLS(ridge=2.0), 5, similarity).fit(X, y, qid)
    Z = X / X[qid < 20].std(axis=0)
    K = list_kernel([Z[qid == v] for v in range(40)], similarity, n_neighbors=5).toarray()
    L = np.diag(K.sum(axis=1)) - K
    known = own_rankers(Z, y, qid, 2.0)
    coefs = np.vstack([known, -np.linalg.solve(L[20:, 20:], L[20:, :20] @ known)])
    np.testing.assert_allclose(ranker.coefs_, coefs, atol=1e-9)
    np.testing.assert_allclose(ranker.scores_[qid >= 20], (Z * coefs[qid]).sum(axis=1)[qid >= 20], atol=1e-9)
    np.testing.assert_array_equal(ranker.taught_, np.arange(40) < 20)


def test_lists_with_labels_are_ranked_by_the_ranker_as_it_is():
    X, y, qid, _ = turning_lists()
    scores = RankerPropagation(RankRLS(ridge=2.0)).fit(X, y, qid).scores_
    pooled = RankRLS(ridge=2.0).fit(X[qid < 20], y[qid < 20], qid[qid < 20])
    np.testing.assert_array_equal(scores[qid < 20], pooled.scores_)


def test_new_lists_get_the_weighted_mean_of_their_nearest():
    X, y, qid, _ = turning_lists()
    ranker = RankerPropagation(RankRLS(), 4).fit(X, y, qid)
    new = turning_lists(1, n_lists=2)[0]
    Z, fitted = new / ranker.scale_, X / ranker.scale_
    K = list_kernel([Z[:25], *(fitted[qid == v] for v in range(40))])[0, 1:]
    near = np.argsort(-K)[:4]
    expected = Z[:25] @ (K[near] @ ranker.coefs_[near] / K[near].sum())
    np.testing.assert_allclose(ranker.predict(new[:25]), expected, atol=1e-10)
    together = ranker.predict(new, np.repeat([0, 1], 25))
    np.testing.assert_allclose(together[:25], expected, atol=1e-10)


def test_it_follows_what_turns_from_list_to_list():
    wrong = []
    for seed in range(3):
        X, y, qid, truth = turning_lists(seed, n_items=60)
        new, _, new_qid, new_truth = turning_lists(seed + 100, n_items=60)
        rows = qid >= 20
        for ranker in (RankRLSCV(), RankerPropagation(n_neighbors=5)):
            known = semirank.metrics.disagreement(truth[rows], ranker.fit(X, y, qid).scores_[rows], qid[rows])
            later = semirank.metrics.disagreement(new_truth, ranker.predict(new, new_qid), new_qid)
            wrong.append([known.mean(), later.mean()])
    pooled, propagated = np.mean(wrong[::2], axis=0), np.mean(wrong[1::2], axis=0)
    assert (propagated < 0.5 * pooled).all()


def test_a_graph_of_all_lists_gives_nearly_the_mean_ranker():
    X, y, qid, _ = turning_lists()
    spreads = []
    for k in (5, 39):
        ranker = RankerPropagation(RankRLS(), k).fit(X, y, qid)
        own, propagated = ranker.coefs_[:20], ranker.coefs_[20:]
        spreads.append(((propagated - ranker.mean_coef_) ** 2).sum(axis=1).mean() / own.var(axis=0).sum())
    assert spreads[1] < 0.2 < spreads[0]


def test_the_ridge_is_chosen_on_all_lists_together():
    X, y, qid, _ = turning_lists()
    Z = X / X[qid < 20].std(axis=0)
    ridge = RankRLSCV().fit(Z, y, qid).ridge_
    chosen = RankerPropagation().fit(X, y, qid)
    np.testing.assert_allclose(chosen.coefs_, RankerPropagation(RankRLS(ridge=ridge)).fit(X, y, qid).coefs_)
    np.testing.assert_array_equal(chosen.coefs_, RankerPropagation(RankRLSCV()).fit(X, y, qid).coefs_)


def test_features_are_chosen_by_the_mean_ranker():
    rng = np.random.default_rng(0)
    X, y, qid, _ = turning_lists(n_features=9)
    X = X[:, [5, 0, 6, 1, 7, 2, 8, 3, 4]]
    y[qid < 20] += X[qid < 20, 1]  # the mean direction alone would not show it
    ranker = RankerPropagation(RankRLS(ridge=0.1), 5, n_features=2).fit(X, y, qid)
    np.testing.assert_array_equal(ranker.features_, [1, 3])
    assert ranker.coefs_.shape == (40, 2)
    only = RankerPropagation(RankRLS(ridge=0.1), 5).fit(X[:, [1, 3]], y, qid)
    np.testing.assert_allclose(ranker.coefs_, only.coefs_, atol=1e-10)
    noise = X.copy()
    noise[:, [0, 2, 4, 5, 6, 7, 8]] = rng.normal(size=(len(X), 7))
    np.testing.assert_allclose(ranker.predict(noise, qid), ranker.predict(X, qid))


def test_other_kernels_through_gram_schmidt_features():
    X, y, qid, _ = turning_lists()
    ranker = RankerPropagation(RankRLS(), 5, n_components=12, gamma=0.3).fit(X, y, qid)
    Z = X / X[qid < 20].std(axis=0)
    mapped = GramSchmidt("rbf", 0.3, 12).fit(Z).transform(Z)
    expected = RankerPropagation(RankRLS(), 5, scale=False).fit(mapped, y, qid)
    np.testing.assert_allclose(ranker.coefs_, expected.coefs_, atol=1e-7)
    np.testing.assert_allclose(ranker.scores_[qid >= 20], expected.scores_[qid >= 20], atol=1e-7)


def test_bent_preferences_need_a_kernel():
    """Items near a centre that moves from list to list are the best."""
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(40), 30)
    X = rng.normal(size=(1200, 2))
    truth = -((X - 0.2) ** 2).sum(axis=1)
    y = np.where(qid < 20, truth, nan)
    rows = qid >= 20
    wrong = [
        semirank.metrics.disagreement(
            truth[rows], RankerPropagation(n_components=k).fit(X, y, qid).scores_[rows], qid[rows]
        ).mean()
        for k in (None, 20)
    ]
    assert wrong[1] < 0.1 < 0.3 < wrong[0]


@pytest.mark.parametrize("base", [RankSVM(), Ridge(), RankRLS(ridge=5.0)])
def test_any_linear_ranker_will_do(base):
    X, y, qid, truth = turning_lists()
    ranker = RankerPropagation(base, 5).fit(X, y, qid)
    rows = qid >= 20
    assert semirank.metrics.disagreement(truth[rows], ranker.scores_[rows], qid[rows]).mean() < 0.25
    np.testing.assert_allclose(np.linalg.norm(ranker.coefs_[:20], axis=1), 1.0)


@pytest.mark.parametrize("base", [RankRLS("rbf"), RankRLSCV("rbf"), RankBoost(5)])
def test_rankers_without_weights_of_features_are_refused(base):
    X, y, qid, _ = turning_lists(n_lists=6, labelled=3)
    with pytest.raises(ValueError, match=r"has no weight for each feature \(coef_\).*n_components"):
        RankerPropagation(base).fit(X, y, qid)


def test_known_rankers_may_move():
    X, y, qid, _ = turning_lists()
    hard, soft = (RankerPropagation(RankRLS(), 5, softness=each).fit(X, y, qid).coefs_ for each in (0.0, 1.0))
    assert np.abs(soft[:20] - hard[:20]).max() > 0.01
    spread = [each[:20].var(axis=0).sum() for each in (hard, soft)]
    assert spread[1] < spread[0]


def test_sparse_features():
    X, y, qid, _ = turning_lists()
    X[np.abs(X) < 0.3] = 0.0
    dense, sparse = (RankerPropagation(RankRLS(), 5).fit(each, y, qid) for each in (X, csr_array(X)))
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-8)


def test_lists_with_one_kind_of_label_have_no_ranker_of_their_own():
    X, y, qid, _ = turning_lists()
    y[qid == 3] = 1.0
    y[(qid == 4) & (np.arange(len(y)) % 25 > 0)] = nan
    ranker = RankerPropagation(RankRLS(), 5).fit(X, y, qid)
    np.testing.assert_array_equal(np.flatnonzero(~ranker.taught_[:20]), [3, 4])
    without = y.copy()
    without[(qid == 3) | (qid == 4)] = nan
    same = RankerPropagation(RankRLS(), 5, scale=False).fit(X, without, qid)
    np.testing.assert_allclose(
        RankerPropagation(RankRLS(), 5, scale=False).fit(X, y, qid).coefs_, same.coefs_, atol=1e-12
    )


def test_odd_lists_have_the_mean_ranker():
    X, y, qid, _ = turning_lists()
    odd = np.vstack([np.ones((1, 3)), np.full((4, 3), 0.1), X[:2]])
    names = np.append(qid, [100, *[101] * 4, *[102] * 2])
    ranker = RankerPropagation(RankRLS(), 5).fit(np.vstack([X, odd]), np.append(y, [nan] * 7), names)
    np.testing.assert_array_equal(ranker.reached_[-3:], [False, False, True])
    np.testing.assert_allclose(ranker.coefs_[-3:-1], [ranker.mean_coef_] * 2)
    np.testing.assert_allclose(ranker.predict(odd[:1]), odd[:1] / ranker.scale_ @ ranker.mean_coef_)
    assert np.isfinite(ranker.scores_).all()


def test_lists_that_no_ranker_reaches_are_counted():
    rng = np.random.default_rng(0)
    shapes = np.repeat([[1.0, 0.0], [0.0, 1.0]], 4, axis=0)
    X = (rng.normal(size=(8, 10, 1)) * shapes[:, None]).reshape(-1, 2)
    qid = np.repeat([f"list {v}" for v in range(8)], 10)
    y = np.where(np.repeat(np.arange(8) < 2, 10), X[:, 0], nan)
    with pytest.warns(DataWarning, match="4 of 6 lists without labels are not joined.*The first is 'list 4'"):
        ranker = RankerPropagation(RankRLS(), 2, scale=False).fit(X, y, qid)
    np.testing.assert_array_equal(ranker.reached_, np.arange(8) < 4)


class Fastidious(RankRLS):
    """Fits many lists at once, but no single list of more than 25 items."""

    def fit(self, X, y, qid=None):
        if qid is None and len(y) > 25:
            raise ValueError("too many items")
        return super().fit(X, y, qid)


def test_a_list_that_cannot_be_fitted_is_named():
    X, y, qid, _ = turning_lists()
    qid = np.where(qid == 7, 6, qid)
    with pytest.warns(DataWarning, match="1 lists with labels teach nothing.*The first is 6: too many items"):
        ranker = RankerPropagation(Fastidious(), 5).fit(X, y, qid)
    assert ranker.taught_.sum() == 18
    with pytest.raises(ValueError, match="No list has a Fastidious of its own: too many items"):
        RankerPropagation(Fastidious()).fit(X[:52], y[:52], np.repeat(["a", "b"], 26))


class Faulty(RankRLS):
    """Has a typing error that single lists run into."""

    def fit(self, X, y, qid=None):
        return super().fit(X, y, qid) if qid is not None else self.a_typing_error


def test_a_fault_of_the_program_is_not_taken_for_a_list_that_cannot_be_fitted():
    X, y, qid, _ = turning_lists()
    with pytest.raises(AttributeError, match="a_typing_error"):
        RankerPropagation(Faulty(), 5).fit(X, y, qid)


def test_labels_are_needed():
    X, y, qid, _ = turning_lists()
    with pytest.raises(ValueError, match="needs at least one label"):
        RankerPropagation().fit(X, np.full(len(y), nan), qid)
    with pytest.raises(ValueError, match="different labels"):
        RankerPropagation().fit(X, np.where(qid < 5, qid, nan), qid)


def test_progress_and_jobs():
    X, y, qid, _ = turning_lists(n_lists=8, labelled=4)
    reports = []
    one = RankerPropagation().fit(X, y, qid, progress=lambda *report: reports.append(report))
    with parallel_config("threading"):
        two = RankerPropagation(n_jobs=2).fit(X, y, qid)
    np.testing.assert_array_equal(two.scores_, one.scores_)
    assert reports == [(8, 8)]

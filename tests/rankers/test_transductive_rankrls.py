"""Transductive RankRLS against theorem 2 and against training again for every unknown label."""

import numpy as np
import pytest
from sklearn.metrics.pairwise import rbf_kernel
from tests.rankers import oracle_rankrls as oracle

from semirank import metrics, storage
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.solvers import least_squares, transduction
from semirank.rankers.transductive_rankrls import TransductiveRankRLS

nan = np.nan
GAMMA = 0.2
PULLS = [0.01, 1.0, 100.0]


def some_lists(n_lists=6, n_items=5, n_features=4, partly=False, seed=0):
    """Make lists in mixed order of which the last two have no label."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features))
    y = X[:, 0] + 0.5 * rng.normal(size=len(qid))
    y[qid >= n_lists - 2] = nan
    if partly:
        y[rng.random(len(qid)) < 0.3] = nan
        y[np.flatnonzero(qid == 0)[1:]] = nan
    return X, y, qid


def fit(kernel, X, y, qid, **settings):
    X = rbf_kernel(X, gamma=GAMMA) if kernel == "precomputed" else X
    return TransductiveRankRLS(kernel, gamma=GAMMA, **settings).fit(X, y, qid)


def features(kernel, X):
    return oracle.features_of(X, "linear" if kernel == "linear" else "rbf", GAMMA)


def assert_near(found, expected, tolerance=1e-7):
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("partly", [False, True])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "precomputed"])
@pytest.mark.parametrize("shape", [(6, 5, 4), (5, 4, 7), (4, 6, 25)])
def test_labels_are_those_found_by_training_again(shape, kernel, partly):
    X, y, qid = some_lists(*shape, partly=partly)
    Phi = features(kernel, X)
    lists_of_their_own = 2 * qid + np.isnan(y)
    expected = oracle.transductive_labels(Phi, y, lists_of_their_own, 0.3, PULLS)
    for labels, pull in zip(expected, PULLS, strict=True):
        assert_near(fit(kernel, X, y, qid, ridge=0.3, pull=pull).labels_, labels)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_labels_are_those_of_theorem_2(kernel):
    X, y, qid = some_lists()
    Phi = features(kernel, X)
    for pull in PULLS:
        expected = oracle.theorem_2(Phi @ Phi.T, y, qid, 0.3, pull)
        assert_near(fit(kernel, X, y, qid, ridge=0.3, pull=pull).labels_, expected)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_conjugate_gradients_find_what_many_pulls_at_once_find(kernel, monkeypatch):
    X, y, qid = some_lists(partly=True)
    path = fit(kernel, X, y, qid, ridge=0.3).impute(PULLS)
    monkeypatch.setattr(transduction, "LARGEST_DIRECT", 0)
    for labels, pull in zip(path, PULLS, strict=True):
        assert_near(fit(kernel, X, y, qid, ridge=0.3, pull=pull).labels_, labels)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_new_items_are_scored_by_all_labels(kernel):
    X, y, qid = some_lists(partly=True)
    ranker = fit(kernel, X, y, qid, ridge=0.3, pull=0.1)
    Phi = features(kernel, X)
    expected = Phi @ oracle.train(Phi, ranker.labels_, 2 * qid + np.isnan(y), 0.3)
    assert_near(ranker.predict(X), expected)
    bare = qid >= 4
    np.testing.assert_array_equal(ranker.scores_[bare], ranker.labels_[bare])
    np.testing.assert_allclose(ranker.scores_[~bare], ranker.predict(X)[~bare], rtol=1e-12)
    known = ~np.isnan(y)
    np.testing.assert_array_equal(ranker.labels_[known], y[known])


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_a_strong_pull_is_rankrls(kernel):
    X, y, qid = some_lists(partly=True)
    supervised = RankRLS(kernel, gamma=GAMMA, ridge=0.3).fit(X, y, qid)
    strong = fit(kernel, X, y, qid, ridge=0.3, pull=1e9)
    assert_near(strong.scores_, supervised.scores_)
    assert_near(strong.predict(X + 1.0), supervised.predict(X + 1.0))


def test_the_default_pull_follows_the_length_of_the_lists():
    X, y, qid = some_lists()
    assert fit("linear", X, y, qid).pull_ == pytest.approx(10 * 2 / 5)


def test_items_alone_in_their_list_get_the_reference():
    X, y, qid = some_lists()
    X, y, qid = np.vstack([X, X[:2]]), np.append(y, [nan, 3.0]), np.append(qid, [90, 91])
    with_single = fit("linear", X, y, qid)
    without = fit("linear", X[:-2], y[:-2], qid[:-2])
    assert_near(with_single.labels_[:-2], without.labels_)
    assert with_single.labels_[-2] == pytest.approx(RankRLS().fit(X, y, qid).scores_[-2])
    all_labelled = np.where(np.isnan(y), 0.0, y)
    all_labelled[-2] = nan
    single = fit("linear", X, all_labelled, qid)
    np.testing.assert_array_equal(single.scores_, RankRLS().fit(X, all_labelled, qid).scores_)
    np.testing.assert_array_equal(single.impute([1.0, 2.0]), [single.labels_, single.labels_])


def test_known_lists_with_equal_labels_are_as_if_they_were_not_there():
    X, y, qid = some_lists()
    y[qid == 0] = 1.0
    rest = qid != 0
    assert_near(fit("linear", X, y, qid).labels_[rest], fit("linear", X[rest], y[rest], qid[rest]).labels_)


def test_unlabelled_lists_whose_reference_is_constant_still_count():
    X, y, qid = some_lists()
    X[qid == 5] = 1.0
    expected = oracle.transductive_labels(X, y, qid, 0.3, [0.1])[0]
    assert_near(fit("linear", X, y, qid, ridge=0.3, pull=0.1).labels_, expected)


def test_labels_along_the_directions_that_all_items_share_are_found():
    """Two strong directions, the label being one of them: few labels in many features cannot see it."""
    gains = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        hidden, qid = rng.normal(size=(43 * 6, 2)), np.repeat(np.arange(43), 6)
        directions = 3.0 * np.linalg.qr(rng.normal(size=(60, 2)))[0].T
        X = hidden @ directions + rng.normal(size=(len(qid), 60))
        y = np.where(qid < 3, hidden[:, 0] + 0.3 * rng.normal(size=len(qid)), nan)
        new = qid >= 3
        unit = RankRLS().fit(X, y, qid)._fitted().form.spread()
        supervised = [RankRLS(ridge=r * unit).fit(X, y, qid) for r in (0.03, 0.1, 0.3, 1.0, 3.0)]
        ranker = TransductiveRankRLS(ridge=0.3 * unit, pull=1e-3 * 2 / 6).fit(X, y, qid)
        errors = [metrics.disagreement(hidden[new, 0], r.scores_[new], qid[new]).mean() for r in supervised]
        error = metrics.disagreement(hidden[new, 0], ranker.scores_[new], qid[new]).mean()
        gains.append(np.array(errors) - error)
    assert (np.mean(gains, axis=0) > 0.01).all()


def test_too_large_for_a_matrix(monkeypatch):
    monkeypatch.setattr(least_squares, "LARGEST_DIRECT", 3)
    X, y, qid = some_lists()
    with pytest.raises(ValueError, match="Reduce the features"):
        fit("linear", X, y, qid)


def test_a_ridge_below_rounding_errors():
    X, y, qid = some_lists()
    X[qid > 0, 0] = 0.0
    with pytest.raises(ValueError, match="ridge is too small"):
        fit("linear", X, y, qid, ridge=1e-18)


def test_pulls_must_be_positive():
    ranker = fit("linear", *some_lists())
    with pytest.raises(ValueError, match="pulls must be positive"):
        ranker.impute([0.0])


def test_model_files(tmp_path):
    X, y, qid = some_lists()
    ranker = fit("linear", X, y, qid)
    ranker.save(tmp_path / "model")
    kinds = {"TransductiveRankRLS": TransductiveRankRLS}
    again = storage.load(tmp_path / "model", kinds)
    np.testing.assert_array_equal(again.predict(X), ranker.predict(X))
    np.testing.assert_array_equal(again.impute([1.0]), ranker.impute([1.0]))
    ranker.labels_ = ranker.labels_[:-1]
    ranker.save(tmp_path / "broken")
    with pytest.raises(ValueError, match="labels_ must be"):
        storage.load(tmp_path / "broken", kinds)

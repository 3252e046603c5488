"""Unions of lists that are left out together, and the cost as it is printed, by training again."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import rbf_kernel
from tests.rankers import oracle_rankrls as oracle

from semirank import RankRLS, RankRLSCV, TransductiveRankRLS, load_model
from semirank.rankers.solvers import least_squares
from semirank.rankers.solvers.conjugate_gradients import IterativeRidge

nan = np.nan
GAMMA = 0.2
RIDGES = [10.0, 0.1, 1e-3]
SHAPES = [(7, 6, 9), (5, 12, 4), (6, 5, 40)]
KERNELS = ["linear", "rbf", "precomputed"]


def some_lists(n_lists, n_items, n_features, seed=0, unlabelled=2):
    """Make lists in mixed order; some have no label, others are partly labelled."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), n_features))
    y = X[:, 0] + 0.5 * rng.normal(size=len(qid))
    y[qid >= n_lists - unlabelled] = nan
    y[rng.random(len(qid)) < 0.2] = nan
    return X, y, qid


def features(kernel, X):
    return oracle.features_of(X, "linear" if kernel == "linear" else "rbf", GAMMA)


def matrix(kernel, X):
    return rbf_kernel(X, gamma=GAMMA) if kernel == "precomputed" else X


def assert_near(found, expected, tolerance=1e-7):
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", SHAPES)
def test_lists_of_a_fold_are_left_out_together(shape, kernel):
    X, y, qid = some_lists(*shape)
    folds = np.array(["a", "b", "c"])[qid % 3]
    ranker = RankRLS(kernel, gamma=GAMMA).fit(matrix(kernel, X), y, qid)
    found = ranker.leave_list_out(RIDGES, folds)
    for scores, ridge in zip(found, RIDGES, strict=True):
        assert_near(scores, oracle.leave_list_out(features(kernel, X), y, qid, ridge, folds), 1e-6)
    assert not np.allclose(found, ranker.leave_list_out(RIDGES))
    np.testing.assert_array_equal(ranker.leave_list_out(RIDGES, qid), ranker.leave_list_out(RIDGES))


def test_folds_of_weighted_items_of_given_pairs_and_without_a_matrix(monkeypatch):
    X, y, qid = some_lists(6, 7, 5, unlabelled=0)
    folds = qid % 3
    twice = np.random.default_rng(1).integers(1, 3, len(y)).astype(float)
    many = np.repeat(np.arange(len(y)), twice.astype(int))
    weighted = RankRLS().fit(X, y, qid, sample_weight=twice).leave_list_out([0.5], folds)[0]
    repeated = RankRLS().fit(X[many], y[many], qid[many]).leave_list_out([0.5], folds[many])[0]
    for each in range(6):
        differences = weighted[many] - repeated
        assert np.ptp(differences[qid[many] == each]) < 1e-9
    pairs = [(*sorted((i, j), key=lambda item: -y[item]), v) for i, j, v in oracle.pairs_of(y, qid)]
    given = RankRLS().fit(X, y, qid, pairs=tuple(np.array(part) for part in zip(*pairs, strict=True)))
    assert_near(
        given.leave_list_out([0.5], folds)[0], oracle.leave_list_out(X, y, qid, 0.5, folds), tolerance=1e-7
    )
    monkeypatch.setattr(least_squares, "LARGEST_DIRECT", 3)
    iterated = RankRLS(ridge=0.5).fit(csr_array(X), y, qid)
    assert isinstance(iterated._fitted().form, IterativeRidge)
    assert_near(iterated.leave_list_out(folds=folds)[0], oracle.leave_list_out(X, y, qid, 0.5, folds))


def test_folds_that_cannot_be_left_out():
    X, y, qid = some_lists(4, 6, 3)
    ranker = RankRLS().fit(X, y, qid)
    with pytest.raises(ValueError, match="in different folds"):
        ranker.leave_list_out(folds=np.zeros(len(y)))
    torn = np.where(np.arange(len(y)) == np.flatnonzero(qid == 2)[3], 9, qid)
    one, other = np.flatnonzero(qid == 2)[[0, 3]]
    with pytest.raises(ValueError, match=rf"items {one} and {other} are in one list and in different folds"):
        ranker.leave_list_out(folds=torn)
    with pytest.raises(ValueError, match="folds must have one entry for each of 24 items"):
        ranker.leave_list_out(folds=[1, 2])


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", [(6, 5, 4), (5, 4, 30), (6, 6, 3)])
def test_folds_that_mix_lists_with_and_without_labels(shape, kernel):
    X, y, qid = some_lists(*shape)
    folds = np.array([2, 0, 1])[qid % 3]
    parts = 2 * qid + np.isnan(y)
    expected = oracle.transductive_labels(features(kernel, X), y, parts, 0.3, [0.01, 1.0], folds)
    ranker = TransductiveRankRLS(kernel, gamma=GAMMA, ridge=0.3).fit(matrix(kernel, X), y, qid, folds=folds)
    for labels, imputed in zip(expected, ranker.impute([0.01, 1.0]), strict=True):
        assert_near(imputed, labels)


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_folds_of_theorem_2(kernel, tmp_path):
    X, y, qid = some_lists(6, 5, 4)
    y = np.where(qid < 4, np.nan_to_num(y), nan)
    folds = np.array([0, 1, 1, 2, 0, 2])[qid]
    Phi = features(kernel, X)
    ranker = TransductiveRankRLS(kernel, gamma=GAMMA, ridge=0.3, pull=0.05).fit(X, y, qid, folds=folds)
    expected = oracle.theorem_2(Phi @ Phi.T, y, qid, 0.3, 0.05, folds)
    assert_near(ranker.labels_, expected)
    assert not np.allclose(expected, oracle.theorem_2(Phi @ Phi.T, y, qid, 0.3, 0.05))
    ranker.save(tmp_path / "model")
    np.testing.assert_array_equal(load_model(tmp_path / "model").impute([1.0]), ranker.impute([1.0]))
    ranker.folds_ = ranker.folds_[:-1]
    ranker.save(tmp_path / "broken")
    with pytest.raises(ValueError, match=r"folds_ must be None or int64 array of shape \(n_lists,\)"):
        load_model(tmp_path / "broken")


def with_a_tied_list(unlabelled=0):
    X, y, qid = some_lists(6, 6, 4, unlabelled=unlabelled)
    y[qid == 1] = 3.0
    y[np.flatnonzero(qid == 2)[1:]] = nan
    return X, y, qid


@pytest.mark.parametrize("kernel", KERNELS)
def test_tied_lists_teach_as_equation_7_is_printed(kernel):
    X, y, qid = with_a_tied_list()
    Phi = features(kernel, X)
    ranker = RankRLS(kernel, gamma=GAMMA, ridge=0.4, tied_lists=True).fit(matrix(kernel, X), y, qid)
    assert_near(ranker.scores_, Phi @ oracle.train(Phi, y, qid, 0.4))
    K = Phi @ Phi.T
    assert_near(ranker.scores_, K @ oracle.train_dual(K, y, qid, 0.4))
    assert_near(ranker.leave_list_out()[0], oracle.leave_list_out(Phi, y, qid, 0.4), 1e-6)
    usual = RankRLS(kernel, gamma=GAMMA, ridge=0.4).fit(matrix(kernel, X), y, qid)
    assert_near(usual.scores_, Phi @ oracle.train(Phi, np.where(qid == 1, nan, y), qid, 0.4))
    tied = qid == 1
    assert np.ptp(ranker.scores_[tied]) < np.ptp(usual.scores_[tied])


def test_tied_lists_count_in_the_choice_of_the_ridge_and_in_transduction():
    X, y, qid = with_a_tied_list()
    ranker = RankRLSCV(ridges=RIDGES, tied_lists=True).fit(X, y, qid)
    assert ranker.cv_results_["split_test_score"].shape == (3, 5)
    X, y, qid = with_a_tied_list(unlabelled=2)
    parts = 2 * qid + np.isnan(y)
    found = TransductiveRankRLS(ridge=0.3, pull=0.1, tied_lists=True).fit(X, y, qid).labels_
    assert_near(found, oracle.transductive_labels(X, y, parts, 0.3, [0.1])[0])


def test_tied_lists_alone_show_no_order():
    with pytest.raises(ValueError, match="no list has two"):
        RankRLS(tied_lists=True).fit([[0.0], [1.0], [2.0], [3.0]], [1, 1, 0, 0], qid=[0, 0, 1, 1])

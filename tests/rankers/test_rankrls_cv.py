"""The choice of the ridge against training again, ridge by ridge and list by list."""

import numpy as np
import pytest
from tests.rankers import oracle_rankrls as oracle

from semirank import metrics, storage
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import MetricName, RankRLSCV, Ridges

nan = np.nan
RIDGES = [0.01, 1.0, 10.0, 1000.0]


def noisy_lists(n_lists=8, n_items=7, seed=3):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), n_items))
    X = rng.normal(size=(len(qid), 5))
    y = np.digitize(X[:, 0] + rng.normal(size=len(qid)), [0.0, 1.0]).astype(float)
    return X, y, qid


def pair_errors(y, scores, qid):
    """Sum the weighted squared errors of the pairs of each list."""
    errors = dict.fromkeys(qid.tolist(), 0.0)
    for i, j, weight in oracle.pairs_of(y, qid):
        errors[qid[i]] += weight * ((y[i] - y[j]) - (scores[i] - scores[j])) ** 2
    return list(errors.values())


def largest_within_one_standard_error(errors):
    best = errors[errors.mean(axis=1).argmin()]
    within = [
        ridge
        for ridge, row in zip(RIDGES, errors, strict=True)
        if (row - best).mean() <= (row - best).std(ddof=1) / np.sqrt(len(best)) + 1e-12
    ]
    return max(within)


def test_squared_errors_and_the_largest_ridge_within_one_standard_error():
    X, y, qid = noisy_lists()
    ranker = RankRLSCV(ridges=RIDGES).fit(X, y, qid)
    expected = np.array([pair_errors(y, oracle.leave_list_out(X, y, qid, r), qid) for r in RIDGES])
    np.testing.assert_allclose(-ranker.cv_results_["split_test_score"], expected, rtol=1e-7)
    assert ranker.ridge_ == largest_within_one_standard_error(expected)
    np.testing.assert_allclose(ranker.scores_, RankRLS(ridge=ranker.ridge_).fit(X, y, qid).scores_)


@pytest.mark.parametrize(("metric", "sign"), [("nDCG@3", -1.0), ("disagreement", 1.0)])
def test_any_metric_can_choose(metric, sign):
    X, y, qid = noisy_lists()
    ranker = RankRLSCV(ridges=RIDGES, metric=metric).fit(X, y, qid)
    held_out = [oracle.leave_list_out(X, y, qid, ridge) for ridge in RIDGES]
    expected = np.array([metrics.parse(metric)(y, scores, qid) for scores in held_out])
    np.testing.assert_allclose(ranker.cv_results_["split_test_score"], -sign * expected, rtol=1e-7)
    assert ranker.ridge_ == largest_within_one_standard_error(sign * expected)


def test_one_list_leaves_items_out():
    X, y, _ = noisy_lists(1, 30)
    ranker = RankRLSCV(ridges=RIDGES).fit(X, y)
    others = (y.sum() - y) / (len(y) - 1)
    expected = [(y - others - oracle.leave_items_out(X, y, ridge)) ** 2 for ridge in RIDGES]
    np.testing.assert_allclose(-ranker.cv_results_["split_test_score"], expected, rtol=1e-7)
    by_auc = RankRLSCV(ridges=RIDGES, metric="AUC(rel=1)").fit(X, y)
    assert by_auc.cv_results_["split_test_score"].shape == (4, 1)


def test_lists_with_equal_labels_do_not_count_in_the_choice():
    X, y, qid = noisy_lists(12)
    y[qid >= 8] = 1.0
    ranker = RankRLSCV(ridges=RIDGES).fit(X, y, qid)
    assert ranker.cv_results_["split_test_score"].shape == (4, 8)
    assert ranker.ridge_ == RankRLSCV(ridges=RIDGES).fit(X, np.where(qid >= 8, nan, y), qid).ridge_


@pytest.mark.parametrize("kernel", ["linear", "cosine"])
def test_the_default_grid_follows_the_scale_of_the_features(kernel):
    X, y, qid = noisy_lists()
    small, large = (RankRLSCV(kernel).fit(factor * X, y, qid) for factor in (1.0, 1000.0))
    assert small.cv_results_["split_test_score"].shape == (15, 8)
    np.testing.assert_allclose(
        large.cv_results_["split_test_score"], small.cv_results_["split_test_score"], rtol=1e-6
    )
    np.testing.assert_allclose(large.scores_, small.scores_, rtol=1e-6, atol=1e-9)


def test_few_lists_or_items_get_a_ridge_without_a_choice():
    X, y, qid = noisy_lists(4)
    distances = []
    for each in range(4):
        inside = X[qid == each]
        distances.append(2 * inside.var(axis=0, ddof=1).sum())
    assert RankRLSCV().fit(X, y, qid).ridge_ == pytest.approx(2 * np.mean(distances))
    assert len(RankRLSCV(ridges=RIDGES).fit(X, y, qid).cv_results_["params"]) == 4
    for n_items in (2, 4):
        few = RankRLSCV().fit(X[:n_items], np.arange(n_items))
        assert few.ridge_ == pytest.approx(4 * X[:n_items].var(axis=0, ddof=1).sum())
        assert RankRLSCV(ridges=RIDGES).fit(X[:n_items], np.arange(n_items)).ridge_ in RIDGES


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_features_that_say_nothing(kernel):
    _, y, qid = noisy_lists()
    scores = RankRLSCV(kernel).fit(np.full((len(y), 2), 0.1), y, qid).scores_
    np.testing.assert_allclose(scores, 0.0, atol=1e-12)


def test_a_metric_that_no_list_defines():
    X, _, qid = noisy_lists()
    y = -np.random.default_rng(0).random(len(qid))
    with pytest.raises(ValueError, match="not defined for any list"):
        RankRLSCV(metric="AP").fit(X, y, qid)


def test_limits_read_text():
    assert Ridges().parse("1,10") == [1.0, 10.0]
    assert Ridges().parse("None") is None
    assert [1, 2] in Ridges()
    assert np.array([0.5]) in Ridges()
    for bad in ([], [0.0], [[1.0]], ["a"], [np.inf], (nan,)):
        assert bad not in Ridges()
    assert MetricName().parse("nDCG@10") in MetricName()
    assert "nDCG@" not in MetricName()


def test_model_files(tmp_path):
    ranker = RankRLSCV(ridges=RIDGES).fit(*noisy_lists())
    ranker.save(tmp_path / "model")
    again = storage.load(tmp_path / "model", {"RankRLSCV": RankRLSCV})
    np.testing.assert_array_equal(
        again.cv_results_["split_test_score"], ranker.cv_results_["split_test_score"]
    )
    ranker.cv_results_["params"].pop()
    ranker.save(tmp_path / "broken")
    with pytest.raises(ValueError, match="one entry for each setting"):
        storage.load(tmp_path / "broken", {"RankRLSCV": RankRLSCV})


def test_results_are_those_of_a_grid_search():
    """The words and their meaning are those of scikit-learn's GridSearchCV."""
    X, y, qid = noisy_lists()
    ranker = RankRLSCV(ridges=RIDGES).fit(X, y, qid)
    results = ranker.cv_results_
    assert results["params"] == [{"ridge": ridge} for ridge in sorted(RIDGES)]
    scores = results["split_test_score"]
    np.testing.assert_allclose(results["mean_test_score"], scores.mean(axis=1))
    np.testing.assert_allclose(results["std_test_score"], scores.std(axis=1))
    assert results["rank_test_score"][results["mean_test_score"].argmax()] == 1
    assert ranker.best_params_ == {"ridge": ranker.ridge_} == results["params"][ranker.best_index_]
    assert ranker.best_score_ == results["mean_test_score"][ranker.best_index_]

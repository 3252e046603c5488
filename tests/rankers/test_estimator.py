"""Estimators of other libraries as rankers: they get what they would get from a careful caller."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import HistGradientBoostingRegressor, RandomForestClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, SGDClassifier
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import semirank
from semirank import EstimatorRanker, RankBoost
from semirank.rankers.estimator import as_ranker

nan = np.nan


def mixed_lists(seed=0, n_items=60, levels=3):
    """Lists in mixed order, one of them ("none") without labels."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(["b", "none", "a"], n_items // 3))
    X = rng.normal(size=(n_items, 3))
    y = np.digitize(X[:, 0], np.linspace(-1, 1, levels - 1)).astype(float)
    y[(qid == "none") | (rng.random(n_items) < 0.3)] = nan
    return X, y, qid


def labelled_rows(y, qid):
    """The rows with a label, list after list, and how many each list has."""
    lists = [np.flatnonzero(~np.isnan(y) & (qid == name)) for name in dict.fromkeys(qid)]
    return np.concatenate(lists), [len(rows) for rows in lists if len(rows)]


class Witness(BaseEstimator):
    """Remembers what it was told; scores by the first feature."""

    def predict(self, X):
        return np.asarray(X)[:, 0]


class TakesNumbers(Witness):
    def fit(self, X, y, qid=None, sample_weight=None):
        self.told_ = X, y, qid, sample_weight
        return self


class TakesNames(Witness):
    def fit(self, X, y, group_id=None):
        self.told_ = X, y, group_id
        return self


class TakesSizes(Witness):
    def fit(self, X, y, group=None, sample_weight=None):
        self.told_ = X, y, group, sample_weight
        return self


@parametrize_with_checks([EstimatorRanker(Ridge())])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", [Ridge(), KNeighborsRegressor(3), HistGradientBoostingRegressor()])
def test_a_regressor_sees_the_labelled_items_only(estimator):
    X, y, qid = mixed_lists()
    rows, _ = labelled_rows(y, qid)
    expected = clone(estimator).fit(X[rows], y[rows])
    ranker = EstimatorRanker(estimator).fit(X, y, qid)
    np.testing.assert_array_equal(ranker.scores_, expected.predict(X))
    np.testing.assert_array_equal(ranker.predict(X[:5]), expected.predict(X[:5]))
    assert not hasattr(estimator, "n_features_in_")


def test_scores_of_classifiers():
    X, y, qid = mixed_lists(levels=2)
    ranker = EstimatorRanker(LogisticRegression()).fit(X, y, qid)
    np.testing.assert_array_equal(ranker.scores_, ranker.estimator_.decision_function(X))
    ranker = EstimatorRanker(RandomForestClassifier(10, random_state=0)).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_, ranker.estimator_.predict_proba(X)[:, 1])


def test_several_classes_are_ranked_by_the_expected_label():
    X, y, qid = mixed_lists(levels=3)
    ranker = EstimatorRanker(LogisticRegression()).fit(X, y, qid)
    expected = ranker.estimator_.predict_proba(X) @ [0.0, 1.0, 2.0]
    np.testing.assert_allclose(ranker.scores_, expected)
    hinge = EstimatorRanker(SGDClassifier(random_state=0)).fit(X, y, qid)
    np.testing.assert_array_equal(hinge.scores_, hinge.estimator_.predict(X))


def test_lists_are_told_in_the_words_of_the_peer():
    X, y, qid = mixed_lists()
    rows, sizes = labelled_rows(y, qid)
    for estimator in (TakesNumbers(), TakesNames(), TakesSizes()):
        told = EstimatorRanker(estimator).fit(X, y, qid).estimator_.told_
        np.testing.assert_array_equal(told[0], X[rows])
        np.testing.assert_array_equal(told[1], y[rows])
        lists = sizes if isinstance(estimator, TakesSizes) else np.repeat([0, 1], sizes)
        np.testing.assert_array_equal(told[2], lists)


def test_weights_go_where_they_are_understood():
    X, y = np.arange(5.0).reshape(-1, 1), [0, 1, 0, 1, nan]
    qid, weights = ["a", "a", "b", "b", "b"], [2.0, 0.0, 1.0, 2.0, 5.0]
    told = EstimatorRanker(TakesSizes()).fit(X, y, qid, sample_weight=weights).estimator_.told_
    np.testing.assert_array_equal(told[0].ravel(), [0, 2, 3])
    np.testing.assert_array_equal(told[2], [1, 2])
    np.testing.assert_array_equal(told[3], [2.0, 1.0, 2.0])
    told = EstimatorRanker(TakesNumbers()).fit(X, y, qid, sample_weight=weights).estimator_.told_
    np.testing.assert_array_equal(told[3], [2.0, 1.5])
    with pytest.raises(ValueError, match="TakesNames takes no sample_weight"):
        EstimatorRanker(TakesNames()).fit(X, y, qid, sample_weight=weights)
    with pytest.raises(ValueError, match="zero for every labelled item"):
        EstimatorRanker(Ridge()).fit(X, y, qid, sample_weight=[0, 0, 0, 0, 1])


def test_weights_of_a_regressor_are_replication():
    X, y, qid = mixed_lists()
    counts = np.random.default_rng(1).integers(0, 4, len(y))
    weighted = EstimatorRanker(LinearRegression()).fit(X, y, qid, sample_weight=counts)
    rows = np.repeat(np.arange(len(y)), counts)
    again = EstimatorRanker(LinearRegression()).fit(X[rows], y[rows], qid[rows])
    np.testing.assert_allclose(weighted.predict(X), again.predict(X), atol=1e-10)


@pytest.mark.parametrize("estimator", [Ridge(), LinearSVC()])
def test_sparse_features(estimator):
    X, y, qid = mixed_lists(levels=2)
    X[np.abs(X) < 0.5] = 0
    dense, sparse = (
        EstimatorRanker(estimator).fit(X, y, qid),
        EstimatorRanker(estimator).fit(csr_array(X), y, qid),
    )
    np.testing.assert_allclose(sparse.scores_, dense.scores_, atol=1e-3)
    assert sparse.predict(csr_array(X)).shape == y.shape


def test_a_pipeline_is_an_estimator():
    X, y, qid = mixed_lists()
    ranker = EstimatorRanker(make_pipeline(StandardScaler(), Ridge())).fit(X, y, qid)
    assert semirank.metrics.ndcg(X[:, 0] - X[:, 0].min(), ranker.scores_, qid).min() > 0.9


def test_what_cannot_be():
    X, y, qid = mixed_lists()
    with pytest.raises(
        ValueError, match=r"^estimator must be an estimator, with fit and predict or None; got 3"
    ):
        EstimatorRanker(3).fit(X, y, qid)
    with pytest.raises(ValueError, match="needs at least one label"):
        EstimatorRanker(Ridge()).fit(X, np.full(len(y), nan), qid)
    with pytest.raises(ValueError, match=r"Ridge is an object of another library.*estimator_"):
        EstimatorRanker(Ridge()).fit(X, y, qid).save("nowhere")


def test_as_ranker_wraps_only_what_is_none():
    ranker = RankBoost()
    assert as_ranker(ranker) is ranker
    wrapped = as_ranker(Ridge(2.0))
    assert isinstance(wrapped, EstimatorRanker)
    assert wrapped.get_params()["estimator__alpha"] == 2.0


def test_lightgbm():
    lightgbm = pytest.importorskip("lightgbm")
    X, y, qid = mixed_lists(n_items=300)
    settings = {"n_estimators": 10, "min_child_samples": 2, "verbose": -1, "n_jobs": 1}
    ranker = EstimatorRanker(lightgbm.LGBMRanker(**settings)).fit(X, y, qid)
    rows, sizes = labelled_rows(y, qid)
    expected = lightgbm.LGBMRanker(**settings).fit(X[rows], y[rows], group=sizes)
    np.testing.assert_array_equal(ranker.scores_, expected.predict(X))
    sparse = EstimatorRanker(lightgbm.LGBMRanker(**settings)).fit(csr_array(X), y, qid)
    np.testing.assert_allclose(sparse.scores_, ranker.scores_)
    for labels, shown in ((y / 2, r"0\.5"), (y - 1, "-1"), (np.where(y == 2, 31, y), "31")):
        with pytest.raises(ValueError, match=rf"whole numbers from 0 to 30; got {shown}\..*LGBMRegressor"):
            EstimatorRanker(lightgbm.LGBMRanker(**settings)).fit(X, labels, qid)


def test_xgboost():
    xgboost = pytest.importorskip("xgboost")
    X, y, qid = mixed_lists(n_items=300)
    ranker = EstimatorRanker(xgboost.XGBRanker(n_estimators=5, n_jobs=1))
    ranker.fit(X, y, qid, sample_weight=np.where(qid == "a", 2.0, 1.0))
    known = ~np.isnan(y)
    assert np.nanmean(semirank.metrics.auc(y[known] > 1, ranker.scores_[known], qid[known])) > 0.9


def test_scores_of_an_estimator_that_are_no_numbers_are_refused():
    X = csr_array(np.array([[1e30], [2e30], [-1e30], [3e30]], dtype=np.float32))
    with np.errstate(all="ignore"), pytest.raises(ValueError, match="Ridge gives scores that are not finite"):
        EstimatorRanker().fit(X, [1, 0, 1, 0])

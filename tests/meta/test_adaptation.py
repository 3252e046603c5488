from typing import ClassVar

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

import semirank
from semirank.dataset import DataWarning
from semirank.limits import OneOf
from semirank.meta.adaptation import JOBS, RANKER, Adapted, AdaptingRanker
from semirank.rankers.pairs import PairWeights

nan = np.nan


class Plain(AdaptingRanker):
    """Adapts to nothing: each list gets the ranker fitted on what teaches; some lists may fail."""

    limits: ClassVar = {"ranker": RANKER, "n_jobs": JOBS, "fails_above": OneOf(None, 5.0)}

    def __init__(self, ranker=None, n_jobs=None, fails_above=None):
        self.ranker = ranker
        self.n_jobs = n_jobs
        self.fails_above = fails_above

    def _prepare(self, teaching):
        return teaching.X.shape

    def _adapt(self, teaching, prepared, items):
        if self.fails_above is not None and items.max() > self.fails_above:
            raise ArithmeticError("too large")
        return Adapted(self._fit_for(items, teaching), {"taught": prepared[0]})


def lists(labelled=3, n_lists=6, seed=0):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(n_lists), 8))
    X = rng.normal(size=(len(qid), 3))
    y = np.where(qid < labelled, (X[:, 0] > 0).astype(float), nan)
    return X, y, qid


def test_a_ranker_that_adapts_to_nothing_gives_the_scores_of_its_ranker():
    X, y, qid = lists()
    base = semirank.RankRLS().fit(X, y, qid)
    ranker = Plain(semirank.RankRLS()).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_, base.scores_, atol=1e-12)
    np.testing.assert_allclose(ranker.predict(X, qid), base.predict(X, qid), atol=1e-12)
    assert ranker.figures_ == {each: {"taught": 24} for each in dict.fromkeys(qid[qid > 2].tolist())}


def test_several_lists_at_a_time_give_the_same_scores():
    X, y, qid = lists()
    one, two = (Plain(semirank.RankRLS(), n_jobs=n_jobs).fit(X, y, qid) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)


def test_a_list_that_fails_is_named_and_costs_no_other():
    X, y, qid = lists()
    X[np.flatnonzero(qid == 4)[2], 1] = 9.0
    with pytest.warns(DataWarning, match=r"could not adapt to 1 of 3 lists.*The first is 4: .*too large"):
        ranker = Plain(semirank.RankRLS(), fails_above=5.0).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_, semirank.RankRLS().fit(X, y, qid).scores_, atol=1e-12)
    assert ranker.failures_ == {4: "ArithmeticError: too large"}


def test_no_list_that_can_be_adapted_to_is_an_error():
    X, y, qid = lists()
    X[~np.isin(qid, [0, 1, 2]), 1] = 9.0
    with pytest.raises(ValueError, match=r"could not adapt to 3 of 3 lists\. The first is .*too large"):
        Plain(semirank.RankRLS(), fails_above=5.0).fit(X, y, qid)


@pytest.mark.parametrize("error", [TypeError, AttributeError, KeyError])
def test_a_fault_of_the_program_is_not_taken_for_a_list_that_fails(error):
    class Faulty(Plain):
        def _adapt(self, teaching, prepared, items):
            if items.max() > 5.0:
                raise error("a typing error")
            return super()._adapt(teaching, prepared, items)

    X, y, qid = lists()
    X[np.flatnonzero(qid == 4)[2], 1] = 9.0
    with pytest.raises(error, match="a typing error"):
        Faulty(semirank.RankRLS()).fit(X, y, qid)


def test_weights_reach_the_ranker():
    X, y, qid = lists()
    rows = np.flatnonzero(qid == 1)
    better, worse = rows[y[rows] == 1][0], rows[y[rows] == 0][0]
    pairs = PairWeights([better], [worse], [2.0])
    expected = semirank.RankBoost(5).fit(X, y, qid, pairs=pairs)
    ranker = Plain(semirank.RankBoost(5)).fit(X, y, qid, pairs=pairs)
    np.testing.assert_array_equal(ranker.scores_, expected.scores_)

    weights = np.random.default_rng(1).random(len(y))
    expected = semirank.RankBoost(5).fit(X, y, qid, sample_weight=weights)
    ranker = Plain(semirank.RankBoost(5)).fit(X, y, qid, sample_weight=weights)
    np.testing.assert_array_equal(ranker.scores_, expected.scores_)


def test_a_ranker_that_takes_no_weights_says_so():
    X, y, qid = lists()
    with pytest.raises(ValueError, match=r"DistanceRanking\.fit does not take sample_weight"):
        Plain(semirank.DistanceRanking()).fit(X, y, qid, sample_weight=np.ones(len(y)))


def test_any_estimator_may_be_the_ranker():
    X, y, qid = lists()
    known = qid < 3
    expected = Ridge().fit(X[known], y[known]).predict(X)
    np.testing.assert_allclose(Plain(Ridge()).fit(X, y, qid).scores_, expected)


def test_sparse_lists():
    X, y, qid = lists()
    np.testing.assert_allclose(
        Plain(semirank.RankRLS()).fit(csr_array(X), y, qid).scores_,
        Plain(semirank.RankRLS()).fit(X, y, qid).scores_,
    )


def test_progress_counts_lists():
    seen = []
    Plain(semirank.RankRLS()).fit(*lists(), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_lists_with_other_features_are_refused():
    ranker = Plain(semirank.RankRLS()).fit(*lists())
    with pytest.raises(ValueError, match="expecting 3 features"):
        ranker.predict(np.zeros((2, 4)))

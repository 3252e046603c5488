"""A ranker for each list: what copies say that were fitted by hand."""

import numpy as np
import pytest

from semirank import EachList, LogisticRanker, ManifoldRanking, RankRLS

nan = np.nan


def three_lists(seed=0):
    """Lists in mixed order, named by letters; "c" has no labels."""
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(["a", "b", "c"], [12, 9, 7]))
    X = rng.normal(size=(len(qid), 3))
    y = np.where(qid == "c", nan, np.where(qid == "a", X[:, 0], -X[:, 0]) > 0)
    return X, y, qid


def test_each_list_is_ranked_by_its_own_copy_and_others_by_the_mean_of_all():
    X, y, qid = three_lists()
    ranker = EachList(RankRLS()).fit(X, y, qid)
    own = {name: RankRLS().fit(X[qid == name], y[qid == name]) for name in "ab"}
    assert sorted(ranker.list_ids_.tolist()) == ["a", "b"]
    new, names = np.random.default_rng(1).normal(size=(8, 3)), np.array(list("abcdabcd"))
    found = ranker.predict(new, names)
    for name in "ab":
        np.testing.assert_allclose(ranker.scores_[qid == name], own[name].scores_, rtol=1e-9)
        np.testing.assert_allclose(found[names == name], own[name].predict(new[names == name]), rtol=1e-9)
    means = [(own["a"].predict(items) + own["b"].predict(items)) / 2 for items in (X, new)]
    np.testing.assert_allclose(ranker.scores_[qid == "c"], means[0][qid == "c"], rtol=1e-9)
    np.testing.assert_allclose(found[names > "b"], means[1][names > "b"], rtol=1e-9)


def test_a_list_that_cannot_be_learned_from_is_ranked_by_the_others():
    X, y, qid = three_lists()
    y[qid == "b"] = 1.0  # of one class
    ranker = EachList(LogisticRanker()).fit(X, y, qid)
    assert ranker.list_ids_.tolist() == ["a"]
    alone = LogisticRanker().fit(X[qid == "a"], y[qid == "a"])
    np.testing.assert_allclose(ranker.scores_[qid == "b"], alone.predict(X[qid == "b"]), rtol=1e-9)
    with pytest.raises(ValueError, match="No list could be ranked by itself"):
        EachList().fit(X, np.where(np.isnan(y), nan, 1.0), qid)


def test_it_is_what_its_ranker_is():
    graph, plain = EachList(ManifoldRanking()), EachList()
    assert (graph.assumption, plain.assumption) == (ManifoldRanking().assumption, None)
    assert plain.supervised() is plain
    alone = graph.supervised()
    assert isinstance(alone, EachList)
    assert type(alone.ranker) is type(ManifoldRanking().supervised())
    assert (plain.takes_sparse, plain.ignores_unlabelled) == (True, LogisticRanker().ignores_unlabelled)

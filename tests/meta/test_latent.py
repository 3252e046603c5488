"""A ranker of latent features equals the steps by hand."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import Ridge

import semirank
from semirank import Blend, LatentRanker, LogisticRanker, ManifoldRanking, RankBoost
from semirank.features import LSA
from semirank.rankers.assumptions import MANIFOLD, SHARED_WORDS
from semirank.rankers.estimator import as_ranker

nan = np.nan


def items(n=80, d=40, seed=0):
    rng = np.random.default_rng(seed)
    X = csr_array(rng.random((n, d)) * (rng.random((n, d)) < 0.3))
    y = np.where(np.arange(n) < 20, np.arange(n) % 3 == 0, nan)
    return X, y


@pytest.mark.parametrize("ranker", [None, LogisticRanker(1.0), ManifoldRanking(distance="cosine"), Ridge()])
def test_equals_the_steps_by_hand(ranker):
    X, y = items()
    latent = LatentRanker(ranker, n_components=10).fit(X, y)
    lsa = LSA(10).fit(X)
    by_hand = as_ranker(ranker or LogisticRanker()).fit(lsa.transform(X), y)
    np.testing.assert_array_equal(latent.scores_, by_hand.scores_)
    new = items(seed=1)[0]
    np.testing.assert_array_equal(latent.predict(new), by_hand.predict(lsa.transform(new)))


def test_lists_in_mixed_order():
    X, _ = items()
    rng = np.random.default_rng(3)
    qid, y = rng.integers(0, 3, 80), np.where(rng.random(80) < 0.5, rng.integers(0, 2, 80), nan)
    latent = LatentRanker(n_components=10).fit(X, y, qid)
    by_hand = LogisticRanker().fit(LSA(10).fit(X[np.argsort(qid, kind="stable")]).transform(X), y, qid)
    np.testing.assert_allclose(latent.scores_, by_hand.scores_, atol=1e-9)


def test_rerank_keeps_the_features(monkeypatch):
    X, y = items()
    latent = LatentRanker(Blend([LogisticRanker(), ManifoldRanking(tol=1e-12)]), 10).fit(X, y)
    more = y.copy()
    more[30:40] = np.arange(10) % 2
    expected = LatentRanker(latent.ranker, 10).fit(X, more).scores_
    monkeypatch.setattr(LSA, "fit", lambda *given: pytest.fail("analysed again"))
    np.testing.assert_allclose(latent.rerank(more).scores_, expected, atol=1e-9)


def test_a_loaded_model_predicts_and_says_what_it_cannot(tmp_path):
    X, y = items()
    latent = LatentRanker(n_components=10).fit(X, y)
    latent.save(tmp_path / "model")
    again = semirank.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), latent.predict(X))
    with pytest.raises(ValueError, match="fit again"):
        again.rerank(y)


def test_explain_where_the_ranker_can():
    X, y = items()
    graph = LatentRanker(ManifoldRanking(distance="cosine", tol=1e-12), 10).fit(X, y)
    assert graph.explain(50).amounts.sum() == pytest.approx(graph.scores_[50])
    words = LatentRanker(n_components=10).fit(X, y)
    assert words.explain(50).amounts.sum() == pytest.approx(words.scores_[50], abs=1e-5)
    with pytest.raises(ValueError, match="RankBoost cannot split its scores"):
        LatentRanker(RankBoost(3), n_components=10).fit(X, y).explain(50)


def test_it_assumes_what_its_ranker_assumes_or_shared_words():
    words = LatentRanker()
    assert (words.assumption, repr(words.supervised())) == (SHARED_WORDS, "LogisticRanker()")
    assert LatentRanker(ManifoldRanking()).assumption == MANIFOLD

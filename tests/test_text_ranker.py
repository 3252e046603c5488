"""Texts, features and a ranker in one model."""

import numpy as np
import pytest
from sklearn.base import clone

import semirank
from semirank import DistanceRanking, LogisticRanker, TextRanker
from semirank.features import LSA, TfIdf

nan = np.nan
TEXTS = [
    "red apple pie",
    "green apple tart",
    "fast red car",
    "slow old car",
    "apple and pear",
    "car and truck",
]
Y = [1, nan, 0, nan, nan, nan]


def test_equals_the_steps_by_hand():
    ranker = TextRanker(LogisticRanker(), TfIdf(min_df=1)).fit(TEXTS, Y)
    X = TfIdf(min_df=1).fit_transform(TEXTS)
    np.testing.assert_array_equal(ranker.scores_, LogisticRanker().fit(X, Y).scores_)
    reduced = TextRanker(LogisticRanker(), TfIdf(min_df=1), n_components=3).fit(TEXTS, Y)
    np.testing.assert_array_equal(reduced.scores_, LogisticRanker().fit(LSA(3).fit_transform(X), Y).scores_)


@pytest.mark.parametrize("n_components", [None, 2])
def test_new_texts_and_saved_models(tmp_path, n_components):
    ranker = TextRanker(DistanceRanking("cosine"), n_components=n_components).fit(TEXTS, Y)
    new = ["an apple", "a car"]
    assert ranker.predict(new)[0] > ranker.predict(new)[1]
    ranker.save(tmp_path / "m")
    again = semirank.load_model(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(new), ranker.predict(new))
    np.testing.assert_array_equal(again.scores_, ranker.scores_)
    assert clone(ranker).get_params()["n_components"] == n_components


def test_lists_and_score():
    qid = ["a", "a", "a", "b", "b", "b"]
    ranker = TextRanker(DistanceRanking("cosine")).fit(TEXTS, [1, 0, 0, 0, 1, 0], qid)
    assert ranker.score(TEXTS, [1, 0, 0, 0, 1, 0], qid) == 1.0
    with pytest.raises(ValueError, match="score needs qid"):
        ranker.score(TEXTS, [1, 0, 0, 0, 1, 0])


def test_bad_input():
    with pytest.raises(ValueError, match="sequence of texts"):
        TextRanker(DistanceRanking()).fit(np.zeros((3, 2)), [1, 0, 0])
    with pytest.raises(ValueError, match="ranker must be a ranker"):
        TextRanker("distance").fit(TEXTS, Y)
    with pytest.raises(ValueError, match="n_components must be"):
        TextRanker(DistanceRanking(), n_components=0).fit(TEXTS, Y)

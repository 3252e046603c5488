"""Texts, features and a ranker in one model."""

import numpy as np
import pytest
from sklearn.base import clone

import semirank
from semirank import AutoRanker, DistanceRanking, LogisticRanker, ManifoldRanking, TextRanker
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


@pytest.mark.parametrize("ranker", [TextRanker(), TextRanker(ManifoldRanking()), AutoRanker()])
@pytest.mark.filterwarnings("ignore:.*cannot be reached")
def test_empty_texts_are_ranked_last_and_counted(ranker, tmp_path):
    texts = [*TEXTS, "", None, "  "]
    with pytest.warns(UserWarning, match="3 of 9 texts are empty: they are ranked last"):
        ranker.fit(texts, [*Y, nan, nan, nan])
    assert ranker.scores_[6:].max() < ranker.scores_[:6].min()
    assert np.isfinite(ranker.scores_).all()
    ranker.save(tmp_path / "m")
    with pytest.warns(UserWarning, match="1 of 2 texts are empty"):
        scores = semirank.load_model(tmp_path / "m").predict(["a slow car", ""])
    assert scores[1] == ranker.scores_[6] < scores[0]


def test_one_word_decides_whatever_the_stop_list_says():
    """The label says whether "not" is there; topics come and go."""
    rng = np.random.default_rng(0)
    negated = np.arange(80) % 2
    topics = rng.choice(["wheel", "engine", "apple", "pear"], (80, 3))
    texts = [" ".join(["not" if no else "so", *words]) for no, words in zip(negated, topics, strict=True)]
    auto = AutoRanker().fit(texts, np.where(np.arange(80) < 20, negated, nan))
    assert semirank.metrics.auc(negated[20:], auto.scores_[20:])[0] > 0.95


def test_very_long_and_very_short_texts_stand_beside_each_other():
    texts = ["apple " * 20_000, "car " * 20_000, "apple", "car", "an apple", "a car"]
    auto = AutoRanker().fit(texts, [1, 0, nan, nan, nan, nan])
    assert min(auto.scores_[[2, 4]]) > max(auto.scores_[[3, 5]])

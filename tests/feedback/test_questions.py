"""Typed questions: BM25 against a count by hand, and what the engine does with it."""

from math import log1p

import numpy as np
import pytest

from semirank.feedback import Engine, Event, Items, State
from semirank.feedback.questions import QuestionRanker

nan = np.nan
TEXTS = ["heart heart trial", "kidney trial of hearts and diets", "diet", "", "heart trial"]


def by_hand(text: list[str], question: list[str], texts: list[list[str]]) -> float:
    total, mean = 0.0, np.mean([len(other) for other in texts])
    for term in question:
        among = sum(term in other for other in texts)
        rarity, count = log1p((len(texts) - among + 0.5) / (among + 0.5)), text.count(term)
        total += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(text) / mean))
    return total


def test_scores_are_those_of_bm25():
    cut = [
        ["heart", "heart", "trial"],
        ["kidney", "trial", "hearts", "diets"],
        ["diet"],
        [],
        ["heart", "trial"],
    ]
    scores = QuestionRanker().fit(TEXTS, [nan, 0, nan, nan, 1]).scores_
    np.testing.assert_allclose(scores, [by_hand(text, ["heart", "trial"], cut) for text in cut])


def test_explanations_add_up():
    ranker = QuestionRanker().fit([*TEXTS, "kidney"], [nan, nan, nan, nan, 1, 1])
    for item in range(4):
        questions, amounts = ranker.explain(item)
        assert questions.tolist() == [4, 5]
        assert amounts.sum() == pytest.approx(ranker.scores_[item])
        words, parts = ranker.explain_words(item)
        assert parts.sum() == pytest.approx(ranker.scores_[item])
        assert set(words) <= {"heart", "trial", "kidney"}


def test_a_list_is_ranked_by_its_own_questions_or_by_all():
    texts, qid = ["heart", "kidney", "heart", "kidney", "heart", "kidney", "kidney"], list("aabbccb")
    scores = QuestionRanker().fit(texts, [nan, nan, nan, nan, 1, nan, 1], qid).scores_
    assert scores[2] == 0 < scores[3]  # b has asked for kidneys alone
    assert scores[4] > scores[5] == 0
    assert scores[0] > 0 < scores[1]  # a has no question


def test_a_question_ranks_until_there_is_a_relevant_label():
    texts = ["heart failure trial", "heart surgery", "kidney stones", "kidney failure trial"]
    state = State(Items(["a", "b", "c", "d"], texts), [Event("0", "seed", value="stones in kidneys")])
    engine = Engine(state.items)
    assert engine.rank(state).rows[0] == 2
    state.apply(Event("1", "label", "c", value=0))
    assert engine.rank(state).ranker == "QuestionRanker"
    state.apply(Event("2", "label", "d", value=1))
    after = engine.rank(state)
    assert after.ranker == "ScreeningRanker"
    np.testing.assert_array_equal(after.scores, Engine(state.items).rank(state).scores)
    state.apply(Event("3", "undo", value="2"))
    assert engine.rank(state).ranker == "QuestionRanker"

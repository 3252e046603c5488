"""Orders are functions of items, settings and events alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semirank import DistanceRanking, LogisticRanker, ScreeningRanker
from semirank.feedback import Engine, Event, Items, State, replay

WORDS = ["heart", "kidney", "liver", "trial", "review", "case", "child", "adult", "drug", "diet"]


def texts(n: int, seed: int = 0) -> list[str]:
    rng = np.random.default_rng(seed)
    return [" ".join(WORDS[k] for k in rng.choice(len(WORDS), 4)) for _ in range(n)]


ITEMS = Items([f"i{k}" for k in range(40)], texts(40))
EVENTS = [
    Event("0", "seed", value="heart trial"),
    *(Event(str(k), "label", f"i{k * 3}", value=k % 2) for k in range(1, 9)),
    Event("9", "undo", value="4"),
    Event("10", "ranker", value={"name": "text-ranker", "settings": {}}),
    Event("11", "undo", value="0"),
    Event("12", "label", "i1", value=1),
]


def test_an_order_does_not_depend_on_which_orders_came_before():
    state, often = State(ITEMS), Engine(ITEMS)
    for event in EVENTS:
        state.apply(event)
        order, alone = often.rank(state), Engine(ITEMS).rank(state)
        assert order.number == state.number
        assert order.record == alone.record
        np.testing.assert_array_equal(order.scores, alone.scores)


@pytest.mark.parametrize("items", [ITEMS, Items(ITEMS.ids, np.random.default_rng(0).normal(size=(40, 3)))])
def test_what_was_prepared_changes_no_order(items):
    state, engine = State(items), Engine(items)
    for event in EVENTS if items is ITEMS else EVENTS[1:10]:
        engine.preparation(state)()
        state.apply(event)
        np.testing.assert_array_equal(engine.rank(state).scores, Engine(items).rank(state).scores)


def test_the_first_relevant_label_finds_features_and_graph_made(monkeypatch):
    state, engine = State(ITEMS), Engine(ITEMS)
    engine.preparation(state)()
    monkeypatch.setattr(ScreeningRanker, "fit", None)
    state.apply(Event("1", "label", "i3", value=1))
    assert engine.rank(state).ranker == "ScreeningRanker"


@settings(max_examples=15, deadline=None)
@given(st.sets(st.integers(0, len(EVENTS)), max_size=6))
def test_events_may_be_folded_several_at_a_time(stops):
    state, engine = State(ITEMS), Engine(ITEMS)
    for place, event in enumerate(EVENTS):
        if place in stops:
            engine.rank(state)
        state.apply(event)
    assert engine.rank(state).record == Engine(ITEMS).rank(state).record


def test_replay_finds_the_same_orders_and_names_the_first_difference():
    state, engine = State(ITEMS), Engine(ITEMS)
    records = [engine.rank(state).record]
    for event in EVENTS:
        state.apply(event)
        records.append(engine.rank(state).record)
    again = replay(Engine(ITEMS), EVENTS, records)
    assert again.same
    assert again.n_orders == len(records)
    other = replay(Engine(ITEMS, seed=5), EVENTS, records)
    assert not other.same
    assert other.differences[0].number == 0
    assert abs(other.differences[0].correlation) < 0.9


def test_without_a_relevant_label_the_order_is_random_and_says_so():
    order = Engine(ITEMS).rank(State(ITEMS, [Event("1", "label", "i0", value=0)]))
    assert order.ranker == "random"
    assert "no relevant item" in order.problem
    assert sorted(order.rows.tolist()) == list(range(40))


def test_a_refusal_becomes_a_sentence_and_later_labels_are_ranked():
    engine = Engine(Items(["a", "b", "c"], np.eye(3)), LogisticRanker())
    state = State(engine.items, [Event("1", "label", "a", value=1)])
    order = engine.rank(state)
    assert order.ranker == "random"
    assert "all labels are of one class" in order.problem
    state.apply(Event("2", "label", "b", value=0))
    assert engine.rank(state).problem is None


def test_a_question_ranks_like_a_relevant_item():
    state = State(ITEMS, [Event("0", "seed", value="kidney diet")])
    order = Engine(ITEMS).rank(state)
    assert order.problem is None
    assert "kidney" in ITEMS.features[order.rows[0]]
    assert len(order.rows) == 40


def test_the_ranker_of_an_event_takes_over_and_its_undo_brings_back_the_first():
    state = State(ITEMS, [Event("1", "label", "i0", value=1), Event("2", "label", "i1", value=0)])
    engine = Engine(ITEMS)
    first = engine.rank(state)
    state.apply(Event("3", "ranker", value={"name": "text-ranker", "settings": {"n_components": 3}}))
    assert engine.rank(state).record.digest != first.record.digest
    state.apply(Event("4", "undo", value="3"))
    assert engine.rank(state).record.digest == first.record.digest


def test_vectors_and_grades_are_ranked_too():
    rng = np.random.default_rng(0)
    vectors = Items([str(k) for k in range(30)], rng.normal(size=(30, 3)))
    labels = [Event(str(k), "label", str(k), value=k % 2) for k in range(6)]
    assert Engine(vectors).rank(State(vectors, labels)).ranker == "ManifoldRanking"
    grades = [Event(str(k), "label", str(k), value=k % 4) for k in range(8)]
    assert Engine(vectors).rank(State(vectors, grades)).problem is None
    assert Engine(vectors, DistanceRanking()).rank(State(vectors, labels)).ranker == "DistanceRanking"


def test_items_must_have_ids_of_their_own():
    with pytest.raises(ValueError, match="Two items of a list have the id 'a'"):
        Items(["a", "b", "a"], ["x", "y", "z"])
    assert len(Items(["a", "a"], ["x", "y"], qid=["1", "2"])) == 2
    with pytest.raises(ValueError, match="titles must have one entry for each of 2 items; got 1"):
        Items(["a", "b"], ["x", "y"], titles=["t"])
    with pytest.raises(ValueError, match="2 lists have it"):
        Items(["a", "a"], ["x", "y"], qid=["1", "2"]).row("a")


def test_vectors_too_many_for_a_graph_are_ranked_by_distance():
    from semirank.feedback.engine import LARGE, default_ranker

    many = Items(range(LARGE + 1), np.broadcast_to(np.zeros(2), (LARGE + 1, 2)))
    assert type(default_ranker(many)).__name__ == "DistanceRanking"

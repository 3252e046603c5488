"""The fold of events, against a model that looks at all events again each time."""

import math

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from semirank.feedback import Event, Items, RefusedError, State, queue
from semirank.feedback.engine import Engine

IDS = ["a", "b", "c", "d"]
ITEMS = Items(IDS, np.arange(8.0).reshape(4, 2))
REVIEWERS = st.sampled_from(["ann", "bob"])
ROWS = st.sampled_from(IDS)


def standing(events: list[Event]) -> list[Event]:
    """Say which events are not undone, by reading all of them."""
    undone: set[str] = set()
    for event in events:
        if event.kind in ("undo", "redo"):
            concerned = {e.id for e in events if event.value in (e.id, e.via)}
            undone = undone | concerned if event.kind == "undo" else undone - concerned
    return [event for event in events if event.id not in undone]


def model_label(events: list[Event], item: str) -> float:
    """Say what an item teaches: adjudicated, unanimous, majority, any relevant."""
    about = [event for event in standing(events) if event.item == item]
    decided = [event.value for event in about if event.kind == "adjudicate"]
    if decided:
        return decided[-1]
    last = {event.reviewer: event for event in about if event.kind in ("label", "unsure", "later")}
    votes = [event.value for event in last.values() if event.kind == "label"]
    if not votes:
        return math.nan
    winners = [vote for vote in votes if votes.count(vote) * 2 > len(votes)]
    return winners[0] if winners else max(votes)


class Loop(RuleBasedStateMachine):
    """Any interleaving of what two reviewers may do."""

    def __init__(self):
        super().__init__()
        self.state = State(ITEMS)
        self.events: list[Event] = []

    def do(self, **given):
        event = Event(id=f"e{len(self.events)}", **given)
        assert self.state.apply(event)
        self.events.append(event)
        return event

    @rule(reviewer=REVIEWERS, item=ROWS, value=st.sampled_from([0, 1, 2]))
    def label(self, reviewer, item, value):
        self.do(kind="label", item=item, value=value, reviewer=reviewer)

    @rule(reviewer=REVIEWERS, item=ROWS, kind=st.sampled_from(["unsure", "later"]))
    def set_aside(self, reviewer, item, kind):
        self.do(kind=kind, item=item, reviewer=reviewer)

    @rule(item=ROWS, value=st.sampled_from([0, 1]))
    def adjudicate(self, item, value):
        self.do(kind="adjudicate", item=item, value=value, reviewer="ann")

    @rule(reviewer=REVIEWERS, first=ROWS, second=ROWS, value=st.sampled_from([0, 1]))
    def label_a_group(self, reviewer, first, second, value):
        label = self.do(kind="label", item=first, value=value, reviewer=reviewer)
        self.do(kind="label", item=second, value=value, reviewer=reviewer, via=label.id)

    @rule(reviewer=REVIEWERS)
    def undo(self, reviewer):
        last = self.state.last_undoable(reviewer)
        own = [e for e in standing(self.events) if e.reviewer == reviewer and not e.via]
        own = [e for e in own if e.kind not in ("undo", "redo")]
        assert last == (own[-1] if own else None)
        if last is not None:
            self.do(kind="undo", value=last.id, reviewer=reviewer)

    @rule(reviewer=REVIEWERS)
    def redo(self, reviewer):
        last = self.state.last_redoable(reviewer)
        if last is not None:
            self.do(kind="redo", value=last.id, reviewer=reviewer)

    @rule(reviewer=REVIEWERS)
    def undo_and_redo_change_nothing(self, reviewer):
        last = self.state.last_undoable(reviewer)
        if last is not None:
            before = self.state.y
            self.do(kind="undo", value=last.id, reviewer=reviewer)
            assert self.state.last_redoable(reviewer) == last
            self.do(kind="redo", value=last.id, reviewer=reviewer)
            np.testing.assert_array_equal(self.state.y, before)

    @rule(data=st.data())
    def send_again(self, data):
        if self.events:
            assert not self.state.apply(data.draw(st.sampled_from(self.events)))

    @invariant()
    def labels_are_those_of_the_model(self):
        expected = [model_label(self.events, item) for item in IDS]
        np.testing.assert_array_equal(self.state.y, expected)

    @invariant()
    def a_second_fold_is_the_same(self):
        again = State(ITEMS, (Event.from_dict(event.to_dict()) for event in self.events))
        np.testing.assert_array_equal(again.y, self.state.y)
        assert again.number == self.state.number
        np.testing.assert_array_equal(again.reading()[0], self.state.reading()[0])

    @invariant()
    def the_queue_never_offers_what_was_read_or_is_hidden(self):
        order = Engine(ITEMS, seed=3).rank(State(ITEMS))
        for mode in ("top", "uncertain", "random", "later", "second"):
            offered = queue(self.state, order, mode, reviewer="ann", hidden=[2])
            assert 2 not in offered
            assert not self.state.read_by("ann")[offered].any()
            if mode != "second":
                assert not self.state.read[offered].any()


TestLoop = Loop.TestCase
TestLoop.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def fold(*events: Event, **options) -> State:
    return State(ITEMS, events, **options)


def test_what_cannot_follow_is_refused_and_changes_nothing():
    state = fold(Event("1", "label", "a", value=1, reviewer="ann"))
    for event, words in (
        (Event("", "label", "a", value=1), "needs an id"),
        (Event("2", "praise", "a"), "no event 'praise'"),
        (Event("2", "label", None, value=1), "must name an item"),
        (Event("2", "label", "z", value=1), "no item 'z'"),
        (Event("2", "label", "a", value="yes"), "must be a finite number; got 'yes'"),
        (Event("2", "label", "a", value=math.inf), "finite"),
        (Event("1", "label", "a", value=0, reviewer="ann"), "Another event has the id '1'"),
        (Event("2", "undo", value="9", reviewer="ann"), "no event '9'"),
        (Event("2", "undo", value="1", reviewer="bob"), "'ann''s, not 'bob''s"),
        (Event("2", "redo", value="1", reviewer="ann"), "is not undone"),
        (Event("2", "label", "b", value=1, reviewer="bob", via="1"), "no event '1' of 'bob'"),
        (Event("2", "seed", value="heart"), "items that are texts"),
        (Event("2", "import", value=9), "from 4 to 4"),
        (Event("2", "target", value={"recall": 2}), "between 0 and 1"),
        (Event("2", "group", "a", value=["z"]), "no item 'z'"),
    ):
        with pytest.raises(RefusedError, match=words.replace("(", r"\(")):
            state.apply(event)
    assert len(state.events) == state.number == 1


def test_notes_and_tags_never_teach_and_are_replaced():
    state = fold(
        Event("1", "note", "a", value="look again", reviewer="ann"),
        Event("2", "tag", "a", value=["trial"]),
        Event("3", "tag", "a", value=["trial", "old"]),
    )
    assert state.notes(0) == {"ann": "look again"}
    assert state.tags(0) == ("trial", "old")
    assert np.isnan(state.y).all()
    assert state.number == 0
    state.apply(Event("4", "note", "a", value="", reviewer="ann"))
    assert state.notes(0) == {}


def test_copies_are_grouped_and_taken_out_again():
    state = fold(Event("1", "group", "a", value=["c", "d"]))
    assert state.groups.tolist() == [0, 1, 0, 0]
    state.apply(Event("2", "ungroup", "a"))
    assert state.groups.tolist() == [0, 1, 2, 2]
    state.apply(Event("3", "undo", value="2"))
    assert state.groups.tolist() == [0, 1, 0, 0]


def test_the_reading_order_counts_copies_once_and_doubts_as_undecided():
    state = fold(
        Event("1", "group", "a", value=["c"]),
        Event("2", "label", "b", value=0, reviewer="ann"),
        Event("3", "label", "a", value=1, reviewer="ann"),
        Event("4", "label", "c", value=1, reviewer="ann", via="3"),
        Event("5", "unsure", "d", reviewer="ann"),
    )
    rows, labels = state.reading()
    assert rows.tolist() == [1, 0, 3]
    np.testing.assert_array_equal(labels, [0, 1, np.nan])
    state.apply(Event("6", "label", "b", value=1, reviewer="bob"))
    np.testing.assert_array_equal(state.reading()[1], [np.nan, 1, np.nan])
    state.apply(Event("7", "adjudicate", "b", value=0))
    np.testing.assert_array_equal(state.reading()[1], [0, 1, np.nan])


def test_a_scale_says_which_grades_are_relevant():
    state = fold(
        Event("1", "label", "a", value=1),
        Event("2", "label", "b", value=3),
        Event("3", "scale", value={"names": {"0": "no", "3": "best"}, "relevant": 2}),
    )
    np.testing.assert_array_equal(state.reading()[1], [0, 1])


def test_items_are_there_when_they_were_imported():
    state = fold(n_items=2)
    with pytest.raises(RefusedError, match="not been imported"):
        state.apply(Event("1", "label", "d", value=1))
    state.apply(Event("2", "import", value=4))
    assert state.apply(Event("3", "label", "d", value=1))
    assert len(state.y) == 4

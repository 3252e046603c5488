"""What is read next, and that random orders are random."""

import numpy as np
import pytest
from scipy.stats import chisquare

from semirank.feedback import Engine, Event, Items, Order, OrderRecord, State, evidence, queue
from semirank.feedback.queue import audit_sample
from semirank.stopping import audit


def ordered(scores) -> Order:
    scores = np.asarray(scores, dtype=float)
    return Order(0, np.argsort(-scores), scores, "given", None, (), OrderRecord(0, "", ()))


def numbered(n: int, vectors=None) -> Items:
    return Items([f"i{k}" for k in range(n)], np.zeros((n, 1)) if vectors is None else vectors)


def test_top_follows_the_order_and_uncertain_the_cut_between_labels():
    state = State(numbered(5))
    order = ordered([5, 1, 4, 2, 3])
    assert queue(state, order).tolist() == [0, 2, 4, 3, 1]
    state.apply(Event("1", "label", "i0", value=1))
    state.apply(Event("2", "label", "i1", value=0))
    assert queue(state, order, "uncertain", 1).tolist() == [4]  # nearest to (5 + 1) / 2


def test_spread_takes_what_is_least_like_all_that_was_read():
    vectors = np.array([[1, 0, 0], [1, 0.1, 0], [0, 1, 0], [0, 1, 0.1], [0, 0, 1]], dtype=float)
    state = State(numbered(5, vectors), [Event("1", "label", "i0", value=1)])
    taken = queue(state, ordered([5, 4, 3, 2, 1]), "spread", 3, vectors=vectors)
    assert taken.tolist() == [2, 4, 1]


def test_later_comes_back_at_the_end_in_that_order():
    state = State(numbered(4), [Event("1", "later", "i2"), Event("2", "later", "i0")])
    assert queue(state, ordered([4, 3, 2, 1])).tolist() == [1, 3]
    assert queue(state, ordered([4, 3, 2, 1]), "later").tolist() == [2, 0]
    state.apply(Event("3", "label", "i2", value=0))
    assert queue(state, ordered([4, 3, 2, 1]), "later").tolist() == [0]


def test_second_opinions_come_in_an_order_that_no_verdict_changes():
    orders = []
    for value in (0, 1):
        events = [Event(str(k), "label", f"i{k}", value=value, reviewer="ann") for k in range(6)]
        orders.append(
            queue(State(numbered(9), events), ordered(np.arange(9) * value), "second", reviewer="bob")
        )
    assert orders[0].tolist() == orders[1].tolist()
    assert sorted(orders[0].tolist()) == list(range(6))


def test_a_blind_reviewer_never_sees_an_effect_of_the_other():
    texts = [f"{a} {b}" for a in ("heart", "kidney", "liver") for b in ("trial", "review", "case")]
    items = Items([f"i{k}" for k in range(9)], texts)
    own = [
        Event("1", "label", "i0", value=1, reviewer="bob"),
        Event("2", "label", "i8", value=0, reviewer="bob"),
    ]
    other = [Event(f"o{k}", "label", f"i{k}", value=1, reviewer="ann") for k in (4, 5, 7)]
    alone, blind = State(items, own), State(items, [*other, *own])
    orders = [Engine(items, reviewer="bob").rank(state).rows.tolist() for state in (alone, blind)]
    assert orders[0] == orders[1]


def test_lists_are_taken_in_turn():
    items = Items(["a", "b", "c", "d"], np.array([[1.0], [2.0], [3.0], [4.0]]), qid=["x", "x", "y", "y"])
    state = State(items, [])
    rows = Engine(items).rank(state).rows
    assert {items.qid[row] for row in rows[:2]} == {"x", "y"}
    assert set(queue(state, Engine(items).rank(state), qid="y").tolist()) == {2, 3}


def test_audit_shows_its_sample_and_counts_what_was_read_otherwise():
    state = State(numbered(30), [Event("1", "label", "i3", value=1), Event("2", "audit")])
    sample = audit_sample(state)
    assert 3 not in sample
    assert len(sample) == 29
    state.apply(Event("3", "label", f"i{sample[1]}", value=1))  # read from the top: not shown again
    assert queue(state, ordered(np.zeros(30)), "audit", 2).tolist() == [sample[0], sample[2]]
    assert evidence(state).audit.n_drawn == 0  # a gap: nothing is known yet
    state.apply(Event("4", "label", f"i{sample[0]}", value=0))
    found = evidence(state).audit
    assert (found.n_drawn, found.n_relevant) == (2, 1)
    expected = audit([0, 1], 29, 1)
    assert (found.recall, found.most_missing) == (expected.recall, expected.most_missing)
    state.apply(Event("5", "audit"))
    assert len(audit_sample(state)) == 27
    state.apply(Event("6", "undo", value="5"))
    assert len(audit_sample(state)) == 29


def test_the_sample_is_uniform_over_seeds():
    state = State(numbered(20), [Event("1", "audit")])
    counts = np.zeros(20)
    for seed in range(2000):
        counts[audit_sample(state, seed)[0]] += 1
    assert chisquare(counts).pvalue > 1e-4


def test_random_orders_stay_when_items_are_added():
    few, many = numbered(20), numbered(30)
    first = np.argsort(many.hashes(0, "random"))
    assert [row for row in first if row < 20] == np.argsort(few.hashes(0, "random")).tolist()


def test_bad_modes_and_lists_are_refused():
    state = State(numbered(3))
    with pytest.raises(ValueError, match="mode must be one of top"):
        queue(state, ordered([1, 2, 3]), "best")
    with pytest.raises(ValueError, match="no list 'x'"):
        queue(state, ordered([1, 2, 3]), qid="x")


def test_evidence_is_that_of_the_reading_order():
    events = [Event(str(k), "label", f"i{k}", value=int(k < 3)) for k in range(20)]
    found = evidence(State(numbered(40), events))
    assert (found.n_found, found.n_read, found.n_items, found.since_last) == (3, 20, 40, 17)
    assert found.bound.n_read == 20
    assert found.audit is None
    assert found.audit_price is not None

"""Splits: nothing held out is ever shown, both sides tell better from worse, and the choice is explained."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import semirank
from semirank import RankingDataset
from semirank.selection.draws import draw_folds, draw_order, most_folds
from semirank.selection.protocols import choose_protocol, plan_splits

nan = np.nan
labels = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.5]), min_size=1, max_size=30).map(np.array)


def dataset(y, qid=None, seed=0):
    X = np.random.default_rng(seed).normal(size=(len(y), 3))
    return RankingDataset(X, y, qid)


def lists_of(*parts):
    return dataset(np.concatenate(parts), np.repeat(np.arange(len(parts)), list(map(len, parts))))


@given(labels)
def test_most_folds_is_the_largest_number_that_works(y):
    def works(k):
        best, worst = np.sort(y)[-k:], np.sort(y)[:k]
        return 2 * k <= len(y) and best.min() > worst.max()

    assert most_folds(y) == max([k for k in range(1, len(y) + 1) if works(k)], default=0)


@given(labels, st.integers(0, 5))
def test_every_fold_and_every_rest_has_two_levels(y, seed):
    k = most_folds(y)
    if k < 2:
        return
    folds = draw_folds(y, k, np.random.default_rng(seed))
    for fold in range(k):
        assert len(np.unique(y[folds == fold])) >= 2
        assert len(np.unique(y[folds != fold])) >= 2
    sizes = np.bincount(folds)
    assert sizes.max() - sizes.min() <= 1


@given(labels, st.integers(0, 5))
def test_two_labels_are_enough_for_a_better_and_a_worse_one(y, seed):
    order = draw_order(y, np.random.default_rng(seed))
    assert sorted(order) == list(range(len(y)))
    if len(np.unique(y)) > 1:
        assert y[order[0]] != y[order[1]]


def test_the_order_is_not_always_the_same_best_item():
    y = np.arange(20.0)
    firsts = {frozenset(draw_order(y, np.random.default_rng(seed))[:2]) for seed in range(20)}
    assert len(firsts) > 10


@pytest.mark.parametrize("keep", [None, 2])
@pytest.mark.parametrize("protocol", ["lists", "items"])
def test_what_is_measured_was_never_shown(protocol, keep):
    data = lists_of(*[np.array([1, 0, 1, 0, 0, nan, 2])] * 8)
    plan = plan_splits(data, protocol, keep=keep)
    for split in plan.splits:
        assert not (split.shown & split.measured).any()
        assert data.labelled[split.shown | split.measured].all()
        assert np.array_equal(~np.isnan(split.visible(data)), split.shown)
        held = np.isnan(split.visible(data)) | (split.visible(data) == data.y)
        assert held.all()
        if protocol == "lists":
            assert not set(data.list_of_item[split.shown]) & set(data.list_of_item[split.measured])
            shown = np.unique(data.list_of_item[split.shown])
            assert keep is None or len(shown) == keep
        elif keep is not None:
            assert np.bincount(data.list_of_item[split.shown], minlength=8).tolist() == [keep] * 8
    assert plan.unit == "list"


@pytest.mark.parametrize("protocol", ["lists", "items"])
def test_each_label_is_held_out_once_a_repeat(protocol):
    data = lists_of(*[np.array([1, 0, 1, 0, 0, 1, nan])] * 7)
    plan = plan_splits(data, protocol, n_folds=3, n_repeats=2)
    for repeat in range(2):
        parts = [split.measured for split in plan.splits if split.repeat == repeat]
        assert np.array_equal(np.sum(parts, axis=0), data.labelled.astype(int))


def test_lists_bear_as_many_folds_as_they_can():
    data = lists_of(np.array([1, 1, 0, 0, 0]), np.array([1.0] * 6 + [0.0] * 6), np.array([1, 0, 0, 0.0]))
    plan = plan_splits(data, "items", n_repeats=1)
    assert plan.n_folds == 5
    held = [np.unique(data.list_of_item[split.measured]).tolist() for split in plan.splits]
    assert sum(0 in lists for lists in held) == 2
    assert all(1 in lists and 2 not in lists for lists in held)
    assert plan.lists.tolist() == [0, 1]
    assert plan.n_skipped == 1


def test_lists_without_a_relevant_item_teach_but_are_not_measured():
    data = lists_of(*[np.array([1, 0, 0])] * 3, *[np.array([0.0, 0, 0])] * 2)
    plan = plan_splits(data, "lists", metric="AP")
    assert plan.lists.tolist() == [0, 1, 2]
    assert plan.n_skipped == 2
    assert all(split.shown[9:].all() for split in plan.splits)


def test_same_seed_same_splits_and_other_repeats_do_not_change_them():
    data = lists_of(*[np.array([1, 0, 1, 0, 0, nan])] * 3)
    few, many = (plan_splits(data, "items", n_repeats=n).splits for n in (2, 5))
    assert all(np.array_equal(a.shown, b.shown) for a, b in zip(few, many[: len(few)], strict=True))
    other = plan_splits(data, "items", n_repeats=2, random_state=1).splits
    assert any(not np.array_equal(a.shown, b.shown) for a, b in zip(few, other, strict=True))


@pytest.mark.parametrize("protocol", ["lists", "items"])
def test_thinner_labels_are_part_of_thicker_ones(protocol):
    data = lists_of(*[np.array([1, 0, 1, 0, 0, 1, 0, 0, 2])] * 6)
    split = plan_splits(data, protocol).splits[0]
    before = np.zeros(data.n_items, dtype=bool)
    for size in (1, 2, 3, 5, 100):
        thinner = split.thin(data, protocol, size)
        assert (before <= thinner.shown).all()
        assert np.array_equal(thinner.measured, split.measured)
        before = thinner.shown
    assert np.array_equal(before, split.shown)


def test_the_choice_follows_the_items_that_remain():
    one = lists_of(np.array([1, 0, nan, nan]))
    assert choose_protocol(one).name == "items"
    full = lists_of(*[np.array([1, 0, 0])] * 4)
    assert choose_protocol(full) == ("lists", "all labelled", 0, 0, None)
    inside = lists_of(*[np.array([1, 0, nan, nan])] * 4)
    assert choose_protocol(inside).name == "items"
    outside = lists_of(*[np.array([1, 0, nan])] * 2, *[np.full(3, nan)] * 4)
    assert choose_protocol(outside) == ("lists", "outside", 2, 12, None)
    assert choose_protocol(semirank.load("digits")).name == "items"


def test_lists_of_the_same_texts_are_seen():
    texts = ["a", "b", "c", "d"] * 2
    data = RankingDataset(np.zeros((8, 0)), [1, 0, 0, 1, 0, 1, 0, 1], qid=[0] * 4 + [1] * 4, texts=texts)
    assert choose_protocol(data).name == "items"
    other = data.replace(texts=list("abcdefgh"))
    assert choose_protocol(other).name == "lists"


def test_where_one_way_fails_the_other_is_taken_and_said():
    data = lists_of(*[np.array([1, 0, nan, nan, nan])] * 7)
    plan = plan_splits(data)
    assert plan.protocol == "lists"
    assert "Holding out labels within a list takes two better and two worse" in plan.chosen.instead_of


def test_units():
    y = np.array([1, 0, 1, 0, 0, nan])
    assert plan_splits(lists_of(*[y] * 6), "items").unit == "list"
    assert plan_splits(lists_of(*[y] * 5), "items").unit == "fold"
    assert plan_splits(lists_of(*[y] * 5), "lists").unit == "fold"
    assert plan_splits(lists_of(*[y] * 5), "items", keep=2).unit == "draw"


def test_only_relevant_labels_can_be_measured_when_the_rest_counts_as_irrelevant():
    data = lists_of(np.array([1, 1, 1, nan, nan, nan, nan]))
    with pytest.raises(ValueError, match="Every label is 1: nothing tells better from worse"):
        plan_splits(data)
    plan = plan_splits(data, unlabelled="irrelevant")
    assert plan.n_folds == 3
    assert {int(split.measured.sum()) for split in plan.splits} == {1}


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([nan, nan, nan, nan], "No item has a label"),
        ([1, nan, nan, nan], "Only one item has a label"),
        ([0, 0, 0, nan], "Every label is 0"),
        (
            [1, 0, 0, nan],
            r"two better and two worse labels in it; no list has them \(labels of a list: 3 at most",
        ),
        ([-1, -2, -1, -2], r"nDCG@10 is undefined on the held-out labels of every list"),
    ],
)
def test_too_little_to_measure_is_said(y, message):
    with pytest.raises(ValueError, match=message):
        plan_splits(lists_of(np.array(y, dtype=float)))


def test_options_outside_their_limits():
    data = lists_of(np.array([1, 0, 1, 0.0]))
    with pytest.raises(ValueError, match="protocol must be 'auto', 'lists' or 'items'; got 'folds'"):
        plan_splits(data, "folds")
    with pytest.raises(ValueError, match="n_folds must be a whole number of at least 2; got 1"):
        plan_splits(data, n_folds=1)
    with pytest.raises(ValueError, match="keep must be a whole number of at least 1; got 0"):
        plan_splits(data, keep=0)

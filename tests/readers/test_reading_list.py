"""Reading lists, and decisions that come back from them."""

import numpy as np
import pytest

from semirank import RankingDataset
from semirank.readers import Records, merge_decisions, order_items, rank_items, reading_list

nan = np.nan


def records(name="data", **columns):
    cells = {key: list(value) for key, value in columns.items()}
    return Records(name, cells, range(1, len(next(iter(cells.values()))) + 1))


def test_every_column_comes_along_best_first_and_only_what_is_unlabelled():
    data = RankingDataset(np.zeros((4, 1)), [1, nan, nan, 0], item_ids=["a", "b", "c", "d"])
    titles = records(id=["a", "b", "c", "d"], title=["A", "B", "C", "D"], label=[1, "", "", 0])
    listed = reading_list(titles, data, [4.0, 1.0, 3.0, 2.0])
    assert listed.columns == {
        "rank": [1, 2],
        "score": [3.0, 1.0],
        "id": ["c", "b"],
        "title": ["C", "B"],
        "label": ["", ""],
    }
    everything = reading_list(titles, data, [4.0, 1.0, 3.0, 2.0], everything=True, top=3)
    assert everything.columns["id"] == ["a", "c", "d"]


def test_an_older_reading_list_is_ranked_anew():
    data = RankingDataset(np.zeros((2, 1)), [nan, nan])
    old = records(rank=[1, 2], score=[9.0, 8.0], title=["A", "B"], label=["", ""])
    assert reading_list(old, data, [0.0, 1.0]).columns == {
        "rank": [1, 2],
        "score": [1.0, 0.0],
        "row": [2, 1],
        "title": ["B", "A"],
        "label": ["", ""],
    }


def test_the_order_is_that_of_a_run_also_when_lists_are_mixed():
    rng = np.random.default_rng(0)
    qid, scores = rng.integers(0, 3, 30), rng.integers(0, 4, 30).astype(float)
    data = RankingDataset(np.zeros((30, 1)), np.full(30, nan), qid, item_ids=[f"i{n}" for n in range(30)])
    rows, ranks = order_items(data, scores)
    ranked = rank_items(data, scores)
    assert [f"i{row}" for row in rows] == ranked.item_ids.tolist()
    np.testing.assert_array_equal(ranks, ranked.ranks)


def test_decisions_are_merged_by_name_whatever_their_order():
    data = records(id=["a", "b", "c"], title=["A", "B", "C"], label=["1", "", ""])
    merged = merge_decisions(data, records("list", id=["c", "b", "a"], label=["0", None, 1.0]))
    assert merged.records.columns["label"] == [1, "", 0]
    assert (merged.n_new, merged.n_same, merged.n_changed, merged.n_unknown) == (1, 1, 0, 0)
    assert data.columns["label"] == ["1", "", ""]


def test_items_without_names_are_matched_by_row_and_lists_count():
    data = records(title=["A", "B"], label=["", ""])
    merged = merge_decisions(data, records(row=["2"], title=["B"], label=["1"]))
    assert merged.records.columns["label"] == ["", 1]
    data = records(qid=["x", "y"], item=["a", "a"], label=["", ""])
    merged = merge_decisions(data, records(qid=["y"], item=["a"], label=["2"]))
    assert merged.records.columns["label"] == ["", 2]


def test_words_stay_words_and_a_missing_column_is_made():
    data = records(id=["a", "b"], decision=["yes", ""])
    merged = merge_decisions(data, records(id=["b"], decision=["no"]), label="decision")
    assert merged.records.columns["decision"] == ["yes", "no"]
    merged = merge_decisions(records(id=["a"], title=["A"]), records(id=["a"], included=["1"]))
    assert merged.records.columns["included"] == [1]


@pytest.mark.parametrize(
    ("decisions", "options", "message"),
    [
        ({"id": ["z"], "label": [1]}, {}, r"list:1: data has no item 'z'.*ignore_unknown=True"),
        ({"id": ["a"], "label": [0]}, {}, r"list:1: item 'a' is decided as 0, but data says 1.*replace=True"),
        ({"id": ["b", "b"], "label": [0, 1]}, {}, r"list:2: item 'b' is decided as 1 here and as 0 in row 1"),
        ({"id": ["b"], "title": ["x"]}, {}, r"no column of labels.*label="),
        ({"title": ["x"], "label": [1]}, {}, r"no column that names the items.*item="),
    ],
)
def test_what_cannot_be_merged_is_told_and_changes_nothing(decisions, options, message):
    data = records(id=["a", "b"], label=[1, ""])
    with pytest.raises(ValueError, match=message):
        merge_decisions(data, records("list", **decisions), **options)


def test_what_was_asked_for_is_replaced_or_left_out():
    data = records(id=["a", "b"], label=[1, ""])
    decisions = records("list", id=["a", "z"], label=[0, 1])
    merged = merge_decisions(data, decisions, replace=True, ignore_unknown=True)
    assert merged.records.columns["label"] == [0, ""]
    assert (merged.n_changed, merged.n_unknown) == (1, 1)


def test_two_records_with_one_name_are_refused():
    with pytest.raises(ValueError, match="data:2: the item 'a' is there a second time; the first is 1"):
        merge_decisions(records(id=["a", "a"], label=["", ""]), records(id=["a"], label=["1"]))

"""RankingDataset: any input in, contiguous lists inside, the caller's order back out."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix

from semirank.dataset import RankingDataset, mark_unlabelled

nan = np.nan
labels = st.one_of(st.just(nan), st.integers(0, 3).map(float))
list_names = st.one_of(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30),
    st.lists(st.sampled_from(["a", "b", "list 7", ""]), min_size=1, max_size=30),
)


def sample(n_items: int = 12, n_lists: int = 3) -> RankingDataset:
    rng = np.random.default_rng(0)
    return RankingDataset(
        rng.normal(size=(n_items, 2)),
        np.arange(n_items) % 3,
        qid=np.arange(n_items) % n_lists,
        item_ids=[f"i{i}" for i in range(n_items)],
    )


@given(qid=list_names, data=st.data())
def test_lists_are_contiguous_and_the_callers_order_comes_back(qid, data):
    y = np.array(data.draw(st.lists(labels, min_size=len(qid), max_size=len(qid))))
    X = np.arange(len(qid), dtype=float)[:, None]
    dataset = RankingDataset(X, y, qid)
    for i, name in enumerate(dataset.list_ids):
        rows = slice(dataset.indptr[i], dataset.indptr[i + 1])
        expected = [row for row, value in enumerate(qid) if value == name]
        assert dataset.X[rows, 0].tolist() == expected
        assert set(dataset.qid[rows].tolist()) == {name}
    assert dataset.list_ids.tolist() == list(dict.fromkeys(qid))
    np.testing.assert_array_equal(dataset.restore(dataset.y), y)
    np.testing.assert_array_equal(dataset.arrange(y), dataset.y)
    np.testing.assert_array_equal(dataset.restore(dataset.X), X)


@pytest.mark.parametrize("make", [csr_array, csr_matrix, coo_array])
def test_sparse_input_becomes_csr_with_the_same_values(make):
    dense = np.array([[0, 1.0], [2, 0], [0, 0]])
    data = RankingDataset(make(dense), [1, nan, 0], qid=[1, 2, 1])
    assert isinstance(data.X, csr_array)
    np.testing.assert_array_equal(data.X.toarray(), dense[[0, 2, 1]])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_give_names_and_the_qid_column(frame):
    data = RankingDataset(
        frame({"a": [1, 2, 3], "qid": ["x", "y", "x"], "b": [True, False, True]}), [0, 1, 2]
    )
    assert data.feature_names == ("a", "b")
    assert data.list_ids.tolist() == ["x", "y"]
    np.testing.assert_array_equal(data.X, [[1, 1], [3, 1], [2, 0]])


def test_frames_whose_columns_are_numbers():
    data = RankingDataset(pd.DataFrame([[1.0, 2.0], [3.0, 4.0]]), [0, 1])
    np.testing.assert_array_equal(data.X, [[1, 2], [3, 4]])


def test_a_frame_column_that_is_no_number_is_named():
    with pytest.raises(ValueError, match="Column 'colour' is not numeric"):
        RankingDataset(pd.DataFrame({"a": [1.0], "colour": ["red"]}), [1])


def test_missing_values_of_series_are_unlabelled():
    for y in (
        pd.Series([1, None, 0]),
        pl.Series([1, None, 0]),
        [1, None, 0],
        pd.Series([1, pd.NA, 0], dtype="Int64"),
    ):
        np.testing.assert_array_equal(RankingDataset(np.eye(3), y).y, [1, nan, 0])


@pytest.mark.parametrize(
    ("X", "y", "qid", "message"),
    [
        (np.empty((0, 2)), [], None, "no items"),
        ([[1.0]], [np.inf], None, "row 0 is infinite"),
        ([[np.inf]], [1], None, "infinite value in row 0"),
        (csr_array([[0, 0], [0, np.inf]]), [1, 1], None, "infinite value in row 1"),
        ([[1.0], [2.0]], [1], None, "one label for each of 2 items"),
        ([[1.0]], None, None, "requires y"),
        ([[1.0], [2.0]], [1, 0], [1], "list of each of 2 items"),
        ([[1.0], [2.0]], [1, 0], ["a", None], "qid is missing in row 1"),
        ([[1.0], [2.0]], [1, 0], [1.0, nan], "qid is missing in row 1"),
        ([1.0, 2.0], [1, 0], None, "two dimensions"),
        ([["a"]], [1], None, "X must hold numbers"),
        ([[1.0]], ["good"], None, "y must hold numbers"),
        ([[1j]], [1], None, "complex"),
    ],
)
def test_bad_input_is_refused_with_its_place(X, y, qid, message):
    with pytest.raises(ValueError, match=message):
        RankingDataset(X, y, qid)


def test_repr_counts_lists_items_and_labels():
    data = RankingDataset(np.eye(3), [1, nan, nan], qid=[1, 1, 2])
    assert repr(data) == "RankingDataset(2 lists, 3 items, 3 features, 1 labelled, 2 unlabelled)"


def test_frozen():
    with pytest.raises(AttributeError):
        sample().y = np.zeros(12)


def test_select_by_number_and_by_mask():
    data = sample()
    chosen = data.select([2, 0])
    assert chosen.list_ids.tolist() == [2, 0]
    np.testing.assert_array_equal(chosen.X[:4], data.X[data.indptr[2] :])
    assert data.select([False, True, False]).item_ids.tolist() == ["i1", "i4", "i7", "i10"]
    for wrong in ([0, 0], [], [True]):
        with pytest.raises(ValueError, match=r"once|No list|mask"):
            data.select(wrong)
    with pytest.raises(IndexError):
        data.select([3])


def test_replace_keeps_what_is_not_named():
    data = sample()
    changed = data.replace(y=np.zeros(12))
    assert changed.item_ids.tolist() == data.item_ids.tolist()
    assert data.replace(X=np.zeros((12, 5))).n_features == 5


@given(
    qid=st.lists(st.integers(0, 3), min_size=1, max_size=40),
    seed=st.integers(0, 99),
    how=st.one_of(
        st.fixed_dictionaries({"fraction": st.floats(0, 1)}),
        st.fixed_dictionaries({"per_list": st.integers(0, 10)}),
        st.fixed_dictionaries({"keep": st.integers(0, 10)}),
    ),
    keep_one=st.booleans(),
    keep_levels=st.booleans(),
    data=st.data(),
)
def test_hide_labels_hides_the_asked_number_and_never_the_protected(
    qid, seed, how, keep_one, keep_levels, data
):
    y = np.array(data.draw(st.lists(labels, min_size=len(qid), max_size=len(qid))))
    before = RankingDataset(np.zeros((len(qid), 1)), y, qid)
    after = before.hide_labels(**how, keep_one=keep_one, keep_levels=keep_levels, random_state=seed)
    shown = after.labelled
    np.testing.assert_array_equal(after.y[shown], before.y[shown])
    for i in range(before.n_lists):
        rows = slice(before.indptr[i], before.indptr[i + 1])
        had = int(before.labelled[rows].sum())
        levels = set(before.y[rows][before.labelled[rows]])
        floor = len(levels) if keep_levels else min(had, int(keep_one))
        wish = {
            "fraction": lambda x, n=had: int(x * n + 0.5),
            "per_list": int,
            "keep": lambda x, n=had: n - x,
        }
        [(name, amount)] = how.items()
        hidden = min(max(wish[name](amount), 0), had - floor)
        assert int(shown[rows].sum()) == had - hidden
        if keep_levels:
            assert set(after.y[rows][shown[rows]]) == levels


def test_hide_labels_by_whole_lists():
    data = sample()
    after = data.hide_labels(keep=1, by="list", random_state=1)
    assert sorted(after.labelled_per_list.tolist()) == [0, 0, 4]
    assert data.hide_labels(1.0, by="list", random_state=1).labelled_per_list.max() == 4
    assert not data.hide_labels(1.0, by="list", keep_one=False).labelled.any()


def test_hide_labels_is_seeded_and_leaves_the_original_alone():
    data = sample()
    once, again = (data.hide_labels(0.5, random_state=7) for _ in range(2))
    np.testing.assert_array_equal(once.y, again.y)
    other = data.hide_labels(0.5, random_state=8)
    assert not np.array_equal(once.y, other.y, equal_nan=True)
    assert data.labelled.all()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fraction": 0.5, "keep": 1},
        {"fraction": 1.5},
        {"keep": -1},
        {"per_list": 0.5},
        {"keep": 1, "by": "query"},
        {"per_list": 1, "by": "list"},
    ],
)
def test_hide_labels_refuses_nonsense(options):
    with pytest.raises(ValueError, match=r"exactly one|must be|need by"):
        sample().hide_labels(**options)


def test_fill_missing():
    X = np.array([[nan, 1.0], [4.0, nan], [2.0, nan], [nan, nan]])
    data = RankingDataset(X, [1, 0, 1, 0], qid=[1, 1, 2, 2])
    np.testing.assert_array_equal(data.fill_missing(-1).X, np.where(np.isnan(X), -1, X))
    np.testing.assert_array_equal(data.fill_missing("mean").X, [[3, 1], [4, 1], [2, 1], [3, 1]])
    np.testing.assert_array_equal(data.fill_missing("min").X, [[2, 1], [4, 1], [2, 1], [2, 1]])
    np.testing.assert_array_equal(data.fill_missing("list-min").X, [[4, 1], [4, 1], [2, 0], [2, 0]])
    assert np.isnan(data.X).any()
    with pytest.raises(ValueError, match="'mean', 'min' or 'list-min'"):
        data.fill_missing("median")


def test_minus_one_is_unlabelled_only_when_that_is_clear():
    y, marked = mark_unlabelled([-1, 0, 2])
    assert marked == 1
    np.testing.assert_array_equal(y, [nan, 0, 2])
    with pytest.raises(ValueError, match=r"unlabelled=-1.*unlabelled=None"):
        mark_unlabelled([-2, -1, 0])
    np.testing.assert_array_equal(mark_unlabelled([-2, -1, 0], -1)[0], [-2, nan, 0])
    np.testing.assert_array_equal(mark_unlabelled([-2, -1, 0], None)[0], [-2, -1, 0])
    np.testing.assert_array_equal(mark_unlabelled([-3.5, 0])[0], [-3.5, 0])

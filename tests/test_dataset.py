"""RankingDataset: any input in, contiguous lists inside, the caller's order back out."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csc_array, csr_array, csr_matrix

import semirank
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


# sparse input


def untidy(dtype=float) -> csr_array:
    """Give a CSR matrix whose first row is out of order and whose second names a column twice."""
    X = csr_array((np.array([1, 2, 3, 4], dtype), [2, 0, 1, 1], [0, 2, 4, 4]), shape=(3, 3))
    assert not X.has_canonical_format
    return X


@pytest.mark.parametrize("make", [csr_array, csr_matrix])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
def test_the_callers_sparse_matrix_is_not_rewritten(make, dtype):
    X = make(untidy(dtype))
    before = [part.copy() for part in (X.data, X.indices, X.indptr)]
    data = RankingDataset(X, [1, 0, nan])
    np.testing.assert_array_equal(data.X.toarray(), [[2, 0, 1], [0, 7, 0], [0, 0, 0]])
    assert data.X.has_canonical_format
    for part, old in zip((X.data, X.indices, X.indptr), before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_a_flag_that_says_sorted_is_not_believed():
    X = untidy()
    X.has_canonical_format = True
    np.testing.assert_array_equal(RankingDataset(X, [1, 0, nan]).X.indices, [0, 2, 1])


@pytest.mark.parametrize("tidy", [True, False])
def test_read_only_sparse_arrays_are_read(tidy):
    X = csr_array([[0, 1.0], [2, 0], [0, 0]]) if tidy else untidy()
    for part in (X.data, X.indices, X.indptr):
        part.flags.writeable = False
    data = RankingDataset(X, [1, 0, nan])
    np.testing.assert_array_equal(data.X.toarray(), X.toarray())
    assert semirank.LogisticRanker().fit(X, [1, 0, nan]).scores_.shape == (3,)


def test_memory_mapped_sparse_arrays_are_read(tmp_path):
    X = untidy()
    for name in ("data", "indices", "indptr"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
    parts = [np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")]
    mapped = csr_array(tuple(parts), shape=X.shape)
    for ranker in (semirank.RankRLS(), semirank.ManifoldRanking(n_neighbors=1), semirank.RankBoost(2)):
        plain = ranker.fit(X, [1, 0, 2]).scores_.copy()
        np.testing.assert_array_equal(ranker.fit(mapped, [1, 0, 2]).scores_, plain)


@pytest.mark.parametrize("make", [csr_array, csc_array])
@pytest.mark.parametrize("column", [-1, 3, 10**6])
def test_an_index_out_of_range_is_an_error_not_a_crash(make, column):
    X = make((np.ones(3), np.array([0, column, 1]), np.array([0, 1, 3, 3])), shape=(3, 3))
    with pytest.raises(ValueError, match=rf"row 1 names column {column}" if make is csr_array else "ind"):
        RankingDataset(X, [1, 0, nan])


def test_a_falling_indptr_is_an_error():
    X = csr_array((np.ones(3), np.array([0, 1, 2]), np.array([0, 2, 1, 3])), shape=(3, 3))
    with pytest.raises(ValueError, match="row 1 ends before it starts"):
        RankingDataset(X, [1, 0, nan])


def test_the_place_of_a_bad_value_is_told_without_making_the_matrix_dense():
    X = csr_array(([1.0, nan], ([0, 10**6], [0, 10**6])), shape=(2 * 10**6, 2 * 10**6))
    y = np.zeros(X.shape[0])
    with pytest.raises(ValueError, match="NaN in row 1000000, feature 1000000"):
        semirank.RankRLS().fit(X, y)
    X.data[1] = np.inf
    with pytest.raises(ValueError, match="infinite value in row 1000000"):
        RankingDataset(X, y)


# arithmetic within lists


@given(qid=st.lists(st.integers(0, 4), min_size=1, max_size=30), data=st.data())
def test_list_arithmetic_is_that_of_each_list(qid, data):
    y = np.array(data.draw(st.lists(labels, min_size=len(qid), max_size=len(qid))))
    dataset = RankingDataset(np.arange(len(qid), dtype=float)[:, None], y, qid)
    parts = [slice(*dataset.indptr[i : i + 2]) for i in range(dataset.n_lists)]
    values = np.random.default_rng(0).normal(size=(len(qid), 2))
    assert dataset.sizes.tolist() == [len(dataset.y[part]) for part in parts]
    assert dataset.labelled_per_list.tolist() == [int((~np.isnan(dataset.y[part])).sum()) for part in parts]
    known = [dataset.y[part][~np.isnan(dataset.y[part])] for part in parts]
    assert dataset.labels_differ.tolist() == [len(set(each)) > 1 for each in known]
    for given_values in (values, values[:, 0]):
        np.testing.assert_allclose(
            dataset.list_sums(given_values), [given_values[part].sum(axis=0) for part in parts]
        )
        np.testing.assert_allclose(
            dataset.list_means(given_values), [given_values[part].mean(axis=0) for part in parts]
        )
        centred = [given_values[part] - given_values[part].mean(axis=0) for part in parts]
        np.testing.assert_allclose(dataset.centred(given_values), np.concatenate(centred), atol=1e-12)


def test_lists_share_items_by_text_or_else_by_features():
    X = [[1.0, 2.0], [3.0, 4.0]]
    assert RankingDataset([*X, *X], np.zeros(4), [1, 1, 2, 2]).share_items
    assert not RankingDataset([*X, [5.0, 6.0], [7.0, 8.0]], np.zeros(4), [1, 1, 2, 2]).share_items
    assert not RankingDataset([*X, *X], np.zeros(4), [1, 1, 2, 2], texts=list("abcd")).share_items
    assert RankingDataset(
        np.arange(8.0).reshape(4, 2), np.zeros(4), [1, 1, 2, 2], texts=list("abab")
    ).share_items
    assert not RankingDataset(np.empty((4, 0)), np.zeros(4), [1, 1, 2, 2]).share_items
    assert not RankingDataset([*X, *X], np.zeros(4)).share_items


def test_features_are_not_scanned_again(monkeypatch):
    data = sample()

    def scan(*_):
        raise AssertionError("X was scanned")

    monkeypatch.setattr("semirank.dataset.checks.first_place", scan)
    assert data.take([0, 5, 7]).n_items == 3
    assert data.select([2, 0]).list_ids.tolist() == [2, 0]
    assert data.replace(y=np.zeros(12), texts=["a"] * 12, item_ids=None).texts is not None
    assert data.hide_labels(0.5, random_state=0).X is data.X
    with pytest.raises(AssertionError, match="scanned"):
        data.replace(X=np.zeros((12, 1)))


def test_replace_checks_what_is_new():
    data = sample()
    with pytest.raises(ValueError, match="one row for each of 12 items; got 3"):
        data.replace(X=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="infinite"):
        data.replace(y=np.full(12, np.inf))
    with pytest.raises(ValueError, match="feature_names must name 2 features"):
        data.replace(feature_names=["a"])
    with pytest.raises(TypeError, match=r"replace takes X, y, .*; got qid"):
        data.replace(qid=np.zeros(12))


def test_data_do_not_change_with_the_callers_labels():
    y = np.array([1.0, 0.0])
    data = RankingDataset([[1.0], [2.0]], y)
    y[0] = nan
    assert data.y.tolist() == [1.0, 0.0]


def test_what_was_computed_on_demand_is_not_pickled():
    fresh, used = sample(), sample()
    assert used.labelled_per_list.sum() + used.list_of_item.sum() > 0
    assert joblib.hash(fresh) == joblib.hash(used)
    assert pickle.loads(pickle.dumps(used)).labelled.all()


@pytest.mark.parametrize("name", ["labelled", "sizes", "list_of_item", "labelled_per_list", "labels_differ"])
def test_what_is_computed_once_cannot_be_overwritten(name):
    with pytest.raises(ValueError, match="read-only"):
        getattr(sample(), name)[0] = 0


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_whole_labels_that_floats_do_not_tell_apart_are_refused(kind):
    large = np.array([2**53, 2**53 - 1], dtype=kind)
    np.testing.assert_array_equal(RankingDataset([[0.0], [1.0]], large).y, [2.0**53, 2.0**53 - 1])
    with pytest.raises(ValueError, match=r"label in row 1, 9007199254740993, is beyond 2\^53"):
        RankingDataset([[0.0], [1.0]], np.array([1, 2**53 + 1], dtype=kind))

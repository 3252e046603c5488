"""Data in parts: whole lists, the same ranker as in memory, one whole file of scores for each part."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

import semirank
from semirank import RankRLS, open_parts
from semirank.readers import read_ranking
from semirank.registry import ranker_class, ranker_names


def make_lists(n_lists, seed=0, n_features=3):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_lists), rng.integers(1, 9, n_lists))
    X = rng.normal(size=(len(qid), n_features)).astype(np.float32)
    y = np.where(rng.random(len(qid)) < 0.5, np.nan, rng.integers(0, 3, len(qid)).astype(float))
    return X, y, qid


def write_parquet(path, X, y, qid, *, rows_a_group=7, vector=False):
    columns = {"label": pa.array(y, from_pandas=True), "item": [f"d{row}" for row in range(len(y))]}
    if qid is not None:
        columns["qid"] = qid
    if vector:
        columns["embedding"] = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), X.shape[1])
    else:
        columns |= {f"f{number}": X[:, number] for number in range(X.shape[1])}
    parquet.write_table(pa.table(columns), path, row_group_size=rows_a_group)


def write_letor(path, X, y, qid):
    rows = zip(X.tolist(), np.nan_to_num(y, nan=-1.0).tolist(), qid.tolist(), strict=True)
    lines = (
        f"{label:g} qid:{name} "
        + " ".join(f"{k}:{x!r}" for k, x in enumerate(row, start=1))
        + f" # docid = d{k}"
        for k, (row, label, name) in enumerate(rows)
    )
    path.write_text("\n".join(lines) + "\n")


def joined(parts):
    data = [part.read() for part in parts]
    columns = ("X", "y", "qid", "item_ids")
    return [np.concatenate([each.restore(getattr(each, name)) for each in data]) for name in columns]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    n_lists=st.integers(1, 12),
    seed=st.integers(0, 99),
    rows_a_group=st.integers(1, 20),
    rows_a_part=st.integers(1, 30),
    vector=st.booleans(),
)
def test_parts_of_parquet_are_whole_lists_in_their_order(
    tmp_path, n_lists, seed, rows_a_group, rows_a_part, vector
):
    X, y, qid = make_lists(n_lists, seed)
    write_parquet(tmp_path / "a.parquet", X, y, qid, rows_a_group=rows_a_group, vector=vector)
    parts = open_parts(tmp_path / "a.parquet", part_bytes=12 * rows_a_part)
    found = joined(parts)
    np.testing.assert_array_equal(found[0], X)
    np.testing.assert_array_equal(found[1], y)
    np.testing.assert_array_equal(found[2], qid)
    assert [part.n_items for part in parts] == [part.read().n_items for part in parts]
    assert [part.n_labelled for part in parts] == [int(part.read().labelled.sum()) for part in parts]
    lists = [set(part.read().qid.tolist()) for part in parts]
    assert sum(map(len, lists)) == n_lists  # no list in two parts
    assert all(part.n_items <= rows_a_part or len(each) == 1 for part, each in zip(parts, lists, strict=True))


def test_a_list_may_cross_files(tmp_path):
    X, y, qid = make_lists(9, 3)
    cut = int(np.flatnonzero(np.diff(qid) == 0)[3]) + 1  # inside a list
    for name, rows in (("a", slice(0, cut)), ("b", slice(cut, None))):
        write_parquet(tmp_path / f"{name}.parquet", X[rows], y[rows], qid[rows])
    parts = open_parts(str(tmp_path / "*.parquet"), part_bytes=12 * 5)
    np.testing.assert_array_equal(joined(parts)[2], qid)
    assert sum(len(np.unique(part.read().qid)) for part in parts) == 9


@pytest.mark.parametrize("ending", ["letor", "letor.gz"])
def test_parts_of_letor_text_hold_what_the_file_does(tmp_path, ending):
    X, y, qid = make_lists(15, 5)
    write_letor(tmp_path / "train.letor", X, y, qid)
    if ending == "letor.gz":
        import gzip

        (tmp_path / "train.letor.gz").write_bytes(gzip.compress((tmp_path / "train.letor").read_bytes()))
    parts = open_parts(tmp_path / f"train.{ending}", part_bytes=12 * 10)
    whole = semirank.read_letor(tmp_path / "train.letor")
    assert len(parts) > 3
    for found, name in zip(joined(parts), ("X", "y", "qid", "item_ids"), strict=True):
        np.testing.assert_array_equal(found, whole.restore(getattr(whole, name)))


def fixed(name):
    given = {"ranker": RankRLS()} if name == "labelled-only" else {}
    ranker = ranker_class(name)(**given)
    return ranker.set_params(random_state=0) if "random_state" in ranker.get_params() else ranker


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize(
    "name", [name for name in ranker_names() if hasattr(ranker_class(name), "fit_parts")]
)
def test_every_ranker_of_labels_alone_learns_the_same_from_parts(tmp_path, name):
    ranker = fixed(name)
    assert hasattr(ranker, "fit_parts") == (ranker.ignores_unlabelled or ranker.learns_by_sums)
    if not ranker.ignores_unlabelled:
        return  # sums: see rankers/test_sums.py
    X, y, qid = make_lists(25, 1)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    whole = fixed(name).fit(X, y, qid)
    ranker.fit_parts(open_parts(tmp_path / "a.parquet", part_bytes=12 * 20))
    new = np.random.default_rng(9).normal(size=(30, 3))
    lists = np.repeat(np.arange(100, 103), 10)
    np.testing.assert_allclose(ranker.predict(new, lists), whole.predict(new, lists), rtol=1e-10, atol=1e-10)
    assert len(ranker.scores_) == int((~np.isnan(y)).sum())


def test_scores_of_parts_are_those_of_predict_and_a_second_call_goes_on(tmp_path, monkeypatch):
    X, y, qid = make_lists(30, 2)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    parts = open_parts(tmp_path / "a.parquet", part_bytes=12 * 16)
    ranker = RankRLS().fit_parts(parts)
    ranker.rank_parts(parts, tmp_path / "scores")
    files = sorted((tmp_path / "scores").glob("part-*.tsv"))
    assert len(files) == len(parts) > 3
    found = [read_ranking(path) for path in files]
    np.testing.assert_array_equal(np.concatenate([each.scores for each in found]), ranker.predict(X, qid))
    assert found[0].item_ids.tolist() == parts.parts[0].read().item_ids.tolist()
    files[1].unlink()
    looked: list[tuple[int, int]] = []
    ranker.rank_parts(parts, tmp_path / "scores", progress=lambda done, total: looked.append((done, total)))
    assert looked == [(1, 1)]
    assert files[1].exists()


def test_scores_of_another_model_are_not_mixed_with_those_of_this_one(tmp_path):
    X, y, qid = make_lists(10, 2)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    parts = open_parts(tmp_path / "a.parquet")
    RankRLS().fit_parts(parts).rank_parts(parts, tmp_path / "scores")
    with pytest.raises(ValueError, match="holds scores of another model"):
        RankRLS(ridge=7.0).fit_parts(parts).rank_parts(parts, tmp_path / "scores")


def test_a_model_of_parts_is_an_ordinary_model(tmp_path):
    X, y, qid = make_lists(20, 4)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    ranker = RankRLS().fit_parts(open_parts(tmp_path / "a.parquet"))
    ranker.save(tmp_path / "model.safetensors")
    again = semirank.load_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict(X, qid), ranker.predict(X, qid))
    assert again.feature_names_in_.tolist() == ["f0", "f1", "f2"]


def test_without_lists_the_one_list_is_cut(tmp_path):
    X, y, _ = make_lists(20, 6)
    write_parquet(tmp_path / "a.parquet", X, y, None, vector=True)
    parts = open_parts(tmp_path / "a.parquet", part_bytes=12 * 10)
    assert (parts.one_list, len(parts)) == (True, -(-len(y) // 10))
    ranker, whole = RankRLS().fit_parts(parts), RankRLS().fit(X, y)
    np.testing.assert_allclose(ranker.predict(X), whole.scores_, atol=1e-10)
    ranker.rank_parts(parts, tmp_path / "scores")
    graph = semirank.ManifoldRanking().fit(X, y)
    with pytest.raises(ValueError, match="ranks the items of a list together"):
        graph.rank_parts(parts, tmp_path / "other")


def test_a_list_in_two_places_is_refused_with_both(tmp_path):
    X, y, qid = make_lists(6, 0)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    write_parquet(tmp_path / "b.parquet", X, y, np.where(qid == 0, 3, qid + 100))
    with pytest.raises(
        ValueError, match=r"List 3 stands in .*a\.parquet, row group \d+, and again in .*b\.parquet"
    ):
        open_parts(tmp_path)
    write_letor(tmp_path / "c.letor", X, y, qid)
    (tmp_path / "d.letor").write_text("1 qid:2 1:3\n")
    with pytest.raises(ValueError, match=r"List 2 stands in .*c\.letor:\d+ and again in .*d\.letor:1"):
        open_parts([tmp_path / "c.letor", tmp_path / "d.letor"])


def test_bad_parts_are_named(tmp_path):
    X, y, qid = make_lists(12, 0)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    content = (tmp_path / "a.parquet").read_bytes()
    (tmp_path / "short.parquet").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match=r"short\.parquet: is no Parquet file, or damaged"):
        open_parts(tmp_path / "short.parquet")
    write_parquet(tmp_path / "other.parquet", X[:, :2], y, qid)
    with pytest.raises(ValueError, match=r"other\.parquet: has no column 'f2', which other files have"):
        open_parts([tmp_path / "a.parquet", tmp_path / "other.parquet"])
    X[np.flatnonzero(~np.isnan(y))[0]] = np.nan
    write_parquet(tmp_path / "nan.parquet", X, y, qid)
    with pytest.raises(
        ValueError, match=r"nan\.parquet, row group .*: item \d+ of the part has no value of the feature 'f0'"
    ):
        RankRLS().fit_parts(open_parts(tmp_path / "nan.parquet"))
    with pytest.raises(ValueError, match="no such file"):
        open_parts(str(tmp_path / "*.none"))


def test_labels_beyond_the_budget_are_refused_before_reading(tmp_path):
    X, y, qid = make_lists(12, 0)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    with pytest.raises(ValueError, match=r"the budget is 100\. Raise it \(budget=\.\.\.\)"):
        semirank.LogisticRanker().fit_parts(open_parts(tmp_path / "a.parquet"), budget=100)


def test_rankers_that_need_all_items_at_once_have_no_fit_parts():
    assert not hasattr(semirank.ManifoldRanking(), "fit_parts")
    assert not hasattr(semirank.SemiRankBoost(n_bins=None), "fit_parts")
    assert not hasattr(semirank.TransductiveSVM(), "fit_parts")


def test_a_scheduler_that_cannot_be_reached_is_told(tmp_path):
    pytest.importorskip("distributed")
    X, y, qid = make_lists(5, 7)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    with pytest.raises(TypeError, match=r"on must be a distributed\.Client or an address; got int"):
        RankRLS().fit_parts(open_parts(tmp_path / "a.parquet"), on=7)


def damage(path, row_group):
    """Overwrite the first values of a row group, of which the footer says nothing."""
    place = parquet.ParquetFile(path).metadata.row_group(row_group).column(3).data_page_offset
    content = bytearray(path.read_bytes())
    content[place : place + 24] = b"\xff" * 24
    path.write_bytes(content)


@pytest.mark.parametrize(
    "ranker", [RankRLS(), semirank.RankBoost(3), semirank.RayleighRanker(n_components=5)]
)
def test_a_part_that_is_damaged_inside_is_named_or_left_out(tmp_path, ranker):
    X, y, qid = make_lists(40, 3)
    write_parquet(tmp_path / "a.parquet", X, y, qid, rows_a_group=30)
    parts = open_parts(tmp_path / "a.parquet", part_bytes=12 * 30)
    damage(tmp_path / "a.parquet", 3)
    with pytest.raises(ValueError, match=r"a\.parquet, row group 3: is no Parquet file, or damaged"):
        ranker.fit_parts(parts, budget=0)
    with pytest.warns(semirank.dataset.DataWarning, match=r"\d of \d+ parts are left out.*row group 3"):
        ranker.fit_parts(parts, budget=0, on_bad_part="skip")
    bad = {number for number, part in enumerate(parts) if not readable(part)}
    assert len(ranker.skipped_) == len(bad) > 0
    good = np.isin(qid, np.concatenate([part.read().qid for part in parts if readable(part)]))
    whole = type(ranker)(**ranker.get_params()).fit(X[good], y[good], qid[good])
    np.testing.assert_allclose(ranker.predict(X), whole.predict(X), atol=1e-8)
    ranker.save(tmp_path / "model")
    assert semirank.load_model(tmp_path / "model").skipped_ == ranker.skipped_
    with pytest.warns(semirank.dataset.DataWarning, match="parts are left out"):
        ranker.rank_parts(parts, tmp_path / "scores", on_bad_part="skip")
    assert len(list((tmp_path / "scores").glob("*.tsv"))) == len(parts) - len(bad)
    assert not hasattr(ranker.fit(X, y, qid), "skipped_")
    with pytest.raises(ValueError, match="on_bad_part must be 'raise' or 'skip'"):
        ranker.fit_parts(parts, on_bad_part="hide")


def readable(part):
    try:
        return part.read() is not None
    except ValueError:
        return False


def test_files_may_differ_in_precision_and_an_empty_one_adds_nothing(tmp_path):
    X, y, qid = make_lists(12, 3)
    cut = int(np.flatnonzero(np.diff(qid) == 0)[10]) + 1  # inside a list
    write_parquet(tmp_path / "a.parquet", X[:cut], y[:cut], qid[:cut])
    write_parquet(tmp_path / "b.parquet", X[:0], y[:0], qid[:0])
    write_parquet(tmp_path / "c.parquet", X[cut:].astype(np.float64), y[cut:], qid[cut:].astype(np.int32))
    found = joined(open_parts(tmp_path, part_bytes=12 * 30))
    for each, expected in zip(found, (X, y, qid), strict=False):
        np.testing.assert_array_equal(each, expected)
    words = pa.table({"label": [1.0], "qid": [99], "item": ["d"], "f0": ["a"], "f1": [1.0], "f2": [1.0]})
    parquet.write_table(words, tmp_path / "d.parquet")
    with pytest.raises(ValueError, match=r"d\.parquet: the column 'f0' holds string, no numbers"):
        open_parts(tmp_path)


FULL = """
import resource, signal
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
from semirank import load_model, open_parts
model, parts = load_model("m"), open_parts("a.parquet", part_bytes=12 * 60)
resource.setrlimit(resource.RLIMIT_FSIZE, (1500, 1500))
model.rank_parts(parts, "scores")
"""


def test_a_full_disk_leaves_whole_files_and_the_next_call_goes_on(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    X, y, qid = make_lists(60, 3)
    write_parquet(tmp_path / "a.parquet", X, y, qid)
    parts = open_parts("a.parquet", part_bytes=12 * 60)
    ranker = RankRLS().fit_parts(parts)
    ranker.save(tmp_path / "m")
    run = subprocess.run([sys.executable, "-c", FULL], cwd=tmp_path, capture_output=True, text=True)
    assert run.returncode == 1
    assert "OSError" in run.stderr.splitlines()[-1]
    left = list((tmp_path / "scores").glob("*part*")) + list((tmp_path / "scores").glob(".*"))
    assert all(path.suffix == ".tsv" for path in left)
    ranker.rank_parts(parts, "scores")
    assert len(list((tmp_path / "scores").glob("*.tsv"))) == len(parts) > len(left)

"""Tables: roles of columns, cells, texts, real reviews, and what is written comes back."""

import csv
import io
import lzma
import re
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline

from semirank import RankingDataset
from semirank.dataset import DataWarning
from semirank.features import TfIdf
from semirank.readers.table import read_table, write_table


def read(table: str, /, **options: Any) -> RankingDataset:
    return read_table(io.BytesIO(table.encode()), **options)


# --- real tables


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize(
    ("name", "n_items", "n_included"), [("Cohen_ADHD", 851, 20), ("Nagtegaal_2019", 2019, 101)]
)
def test_real_reviews_are_read_without_options(
    real_data: Path, name: str, n_items: int, n_included: int
) -> None:
    path = real_data / "systematic-reviews" / f"{name}.csv.xz"
    data = read_table(path)
    assert (data.n_lists, data.n_items, data.y.sum()) == (1, n_items, n_included)
    assert data.item_ids is not None
    assert data.item_ids[[0, -1]].tolist() == ["1", str(n_items)]
    with lzma.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for row, text in zip(rows, data.texts, strict=True):
        assert text.startswith(row["title"])
        assert text.endswith(row["abstract"])
    assert all(feature.startswith("text:") for feature in data.feature_names)
    np.testing.assert_allclose(np.sqrt(data.X.power(2).sum(axis=1))[:20], 1)


def test_real_numbers_are_read_exactly(real_data: Path) -> None:
    path = real_data / "casp" / "CASP.csv.xz"
    data = read_table(path, label="RMSD")
    with lzma.open(path) as lines:
        expected = np.loadtxt(lines, delimiter=",", skiprows=1)
    assert expected.shape == (45730, 10)
    np.testing.assert_array_equal(data.y, expected[:, 0])
    np.testing.assert_array_equal(data.X, expected[:, 1:])
    assert data.feature_names == tuple(f"F{number}" for number in range(1, 10))


# --- roles


def test_columns_are_found_by_their_usual_names_in_any_case() -> None:
    data = read("Relevance,QID,f,DocID\n1,b,0.5,x\n,a,0.25,y\n0,b,2,z\n")
    np.testing.assert_array_equal(data.restore(data.y), [1, np.nan, 0])
    assert data.restore(data.qid).tolist() == ["b", "a", "b"]
    assert data.restore(data.item_ids).tolist() == ["x", "y", "z"]
    assert data.feature_names == ("f",)
    assert data.restore(data.X).ravel().tolist() == [0.5, 0.25, 2]


@pytest.mark.parametrize(
    "name",
    [
        "label",
        "relevance",
        "rel",
        "y",
        "included",
        "label_included",
        "included_label",
        "included_final",
        "final_included",
        "included_flag",
        "include",
    ],
)
def test_usual_names_of_labels(name: str) -> None:
    assert read(f"f,{name}\n1,0\n2,1\n").y.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("columns", "texts"),
    [
        ("text", ["a"]),
        ("title,abstract", ["a\n\nb"]),
        ("abstract,title", ["b\n\na"]),
        ("Primary_Title,Notes_Abstract", ["a\n\nb"]),
        ("abstract", ["a"]),
    ],
)
def test_usual_names_of_texts(columns: str, texts: list[str]) -> None:
    cells = ",".join("ab"[: columns.count(",") + 1])
    assert read(f"{columns},label\n{cells},1\n", text_features=False).texts.tolist() == texts


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_columns_can_be_named() -> None:
    table = "topic,quality,doc,headline,body,label,n\nt,3,d,Cats,sleep,9,5\n"
    data = read(
        table,
        label="quality",
        qid="topic",
        item="doc",
        text=["headline", "body"],
        features=["n", "label"],
        text_features=False,
    )
    assert (data.y[0], data.qid[0], data.item_ids[0], data.texts[0]) == (3, "t", "d", "Cats\n\nsleep")
    assert data.feature_names == ("n", "label")
    assert data.X.tolist() == [[5, 9]]
    assert read(table, label="n", text="body", text_features=False).texts.tolist() == ["sleep"]


def test_false_means_none_even_where_there_is_a_column_of_such_a_name() -> None:
    table = "label,qid,id,title,f\n1,a,x,Cats,0.5\n"
    data = read(table, label=False, qid=False, item=False, text=False)
    assert np.isnan(data.y).all()
    assert (data.qid.tolist(), data.item_ids, data.texts, data.feature_names) == ([0], None, None, ("f",))
    without = read("f\n0.5\n", label=False)
    assert without.X.tolist() == data.X.tolist()


def test_a_table_of_judgements_needs_no_features() -> None:
    assert read("qid,item,label\n1,a,0\n").X.shape == (1, 0)


@pytest.mark.parametrize(
    ("header", "options", "message"),
    [
        ("a,b", {}, r"no column has a usual name for the label.*columns 'a', 'b', or label=False"),
        ("label,rel", {}, "columns 'label', 'rel' could all be the label: say label='label'"),
        ("label,Label", {}, "'label', 'Label' could all be the label"),
        ("label,qid,list", {}, "columns 'qid', 'list' could all be the qid: say qid='qid'"),
        ("label,id,item", {}, "columns 'id', 'item' could all be the item"),
        ("label,text,title", {}, "columns 'text', 'title' could all be the text"),
        ("label,title,primary_title", {}, "columns 'title', 'primary_title' could all be the text"),
        ("y,f", {"label": "z"}, "label: there is no column 'z'. The columns are 'y', 'f'"),
        ("y,f", {"text": ["f", "g"]}, "text: there is no column 'g'"),
        ("y,f", {"features": ["g"]}, "features: there is no column 'g'"),
        ("y,f", {"drop": ["g"]}, "drop: there is no column 'g'"),
        ("y,f", {"features": "f"}, r"features must be a list of columns; write features=\['f'\]"),
        ("y,f", {"drop": "f"}, r"drop must be a list of columns; write drop=\['f'\]"),
        ("y,f", {"label": "y", "features": ["y"]}, "'y' cannot be used twice, in label and in features"),
        ("y,f", {"features": ["f", "f"]}, "'f' cannot be used twice, in features and in features"),
        ("y,rel", {"label": "rel"}, r"the column 'y' has a usual name for a label.*drop=\['y'\]"),
        ("y,score", {}, r"the column 'score' has a usual name for a score.*drop=\['score'\]"),
        (",y", {}, r"the column '' has no name of its own.*drop=\[''\]"),
        ("y,__index_level_0__", {}, "no name of its own"),
        ("y,f,f", {}, "the column 'f' is there twice"),
    ],
)
def test_doubt_is_an_error_that_says_what_to_do(header: str, options: dict[str, Any], message: str) -> None:
    row = ",".join("1" * (header.count(",") + 1))
    with pytest.raises(ValueError, match=f"<stream>: .*{message}"):
        read(f"{header}\n{row}\n", **options)


def test_dropping_or_naming_ends_the_doubt() -> None:
    table = ",y,rel,score,f\n0,1,2,3,4\n"
    assert read(table, drop=["", "rel", "score"]).X.tolist() == [[4]]
    named = read(table, label="rel", features=["f", "score"])
    assert (named.y.tolist(), named.X.tolist()) == ([2], [[4, 3]])


def test_many_columns_are_not_all_listed() -> None:
    with pytest.raises(ValueError, match="'c19' and 80 more"):
        read(",".join(f"c{number}" for number in range(100)) + "\n")


# --- texts


TEXTS = "included,title,abstract,year\n1,Cats,cats sleep,1999\n,Dogs,dogs sleep,\n0,Cats and dogs,,2003\n"


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_numbers_beside_texts_are_features_only_when_named() -> None:
    assert read(TEXTS).feature_names == ("text:cats", "text:dogs", "text:sleep")
    data = read(TEXTS, features=["year"])
    assert data.feature_names == ("year", "text:cats", "text:dogs", "text:sleep")
    assert issparse(data.X)
    expected = TfIdf().fit_transform(["Cats cats sleep", "Dogs dogs sleep", "Cats and dogs"]).toarray()
    np.testing.assert_array_equal(data.X.toarray()[:, 0], [1999, np.nan, 2003])
    np.testing.assert_allclose(data.X.toarray()[:, 1:], expected)
    assert read(TEXTS, text_features=False).X.shape == (3, 0)


def test_what_is_not_read_beside_texts_is_said() -> None:
    with pytest.warns(DataWarning, match=r"ranked by text alone; not read: 'year'.*features="):
        read(TEXTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(TEXTS, drop=["year"])
        read(TEXTS, features=[])


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_a_fitted_transformer_gives_new_items_the_old_features() -> None:
    tfidf = TfIdf(min_df=1)
    old = read(TEXTS, text_features=tfidf)
    new = read("title,abstract\nBirds,cats sleep\n", label=False, text_features=tfidf)
    assert new.feature_names == old.feature_names
    np.testing.assert_array_equal(new.X.toarray(), tfidf.transform(["Birds cats sleep"]).toarray())


def test_any_transformer_of_texts_will_do() -> None:
    lsa = make_pipeline(TfIdf(), TruncatedSVD(2, random_state=0))
    data = read(TEXTS, features=["year"], text_features=lsa)
    assert data.X.shape == (3, 3)
    assert data.feature_names == ("year", "text:truncatedsvd0", "text:truncatedsvd1")


def test_texts_without_terms_are_named_with_their_file() -> None:
    with pytest.raises(ValueError, match="<stream>: No term is left"):
        read("label,text\n1,\n0,\n")


# --- words, dates and commas


def test_a_table_of_all_kinds_becomes_features_and_stays_as_it_was() -> None:
    content = "label;town;price;built\n1;Bonn;1,5;1970-01-02\n0;Jena;2,25;3 Jan 1970\n;Bonn;;4.1.1970\n"
    with pytest.warns(DataWarning, match="`price`: read with decimal commas"):
        data = read(content)
    assert data.feature_names == (
        *("town=Bonn", "price", "price: missing"),
        *("built", "built: month", "built: weekday"),
    )
    np.testing.assert_allclose(data.X[:, 0], [1, 0, 1])
    np.testing.assert_allclose(data.X[:, 1], [1.5, 2.25, 1.875])
    np.testing.assert_allclose(data.X[:, 3], [1, 2, 3])
    assert data.table is not None
    assert data.table["town"].tolist() == ["Bonn", "Jena", "Bonn"]
    assert read(content, text_features=False).X.shape == (3, 0)


def test_a_column_is_one_kind_even_where_its_parts_look_different() -> None:
    rows = [f"1,{number}" for number in range(700)] + [f"0,x{number % 3}" for number in range(700)]
    data = read("label,code\n" + "\n".join(rows), text_features=False)
    assert data.table is not None
    assert data.table["code"].tolist() == [row.partition(",")[2] for row in rows]


def test_labels_that_are_words_need_to_be_told_which_is_relevant() -> None:
    content = "sold,f\nyes,1\nno,2\n,3\nno,4\n"
    with pytest.raises(ValueError, match=r"holds words: 'no' \(2\), 'yes' \(1\).*relevant='yes'"):
        read(content, label="sold")
    np.testing.assert_array_equal(read(content, label="sold", relevant="yes").y, [1, 0, np.nan, 0])
    with pytest.raises(ValueError, match="'sold' has no label 'oui'"):
        read(content, label="sold", relevant="oui")
    numbers = read("y,f\n1,1\n2,1\n3,1\n", relevant="2")
    assert numbers.y.tolist() == [0, 1, 0]


def test_kinds_of_columns_can_be_said() -> None:
    content = "y,zip,f\n1,1,2\n0,2,2\n,1,3\n"
    assert read(content, kinds={"zip": "category"}).feature_names == ("zip=1", "f")
    with pytest.raises(ValueError, match="'zap' is none of the columns"):
        read(content, kinds={"zap": "category"})


# --- delimited text


@pytest.mark.parametrize(
    "content",
    [
        b"label,f\n1,0.5\n0,2\n",
        b"\xef\xbb\xbflabel,f\r\n1,0.5\r\n0,2\r\n",
        b"label,f\r1,0.5\r0,2\r",
        b"\nlabel,f\n\n1,0.5\n\n\n0,2\n\n",
        b"label;f\n1;0.5\n0;2",
        b"label\tf\n1\t0.5\n0\t2\n",
        b'"label","f"\n"1","0.5"\n"0", 2 \n',
        b"label,f\ntrue,.5\nFALSE,2e0\n",
    ],
)
def test_spellings_of_one_table(content: bytes) -> None:
    data = read_table(io.BytesIO(content))
    assert (data.y.tolist(), data.X.tolist(), data.feature_names) == ([1, 0], [[0.5], [2]], ("f",))


def test_delimiter_and_encoding_can_be_said() -> None:
    assert read("label|f,1\n1|2\n", delimiter="|").feature_names == ("f,1",)
    latin = "label,text\n1,caf\xe9 caf\xe9\n0,caf\xe9\n".encode("latin-1")
    assert read_table(io.BytesIO(latin), encoding="latin-1").feature_names == ("text:caf\xe9",)
    wide = "label,f\n1,2\n".encode("utf-16")
    assert read_table(io.BytesIO(wide), encoding="utf-16").X.tolist() == [[2]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ""}, "delimiter must be one character"),
        ({"delimiter": "\n"}, "delimiter must be one character"),
        (
            {"format": "pdf"},
            "format must be one of csv, tsv, .*, asreview; got 'pdf'",
        ),
        ({"encoding": "utf-99"}, "encoding: unknown encoding: utf-99"),
    ],
)
def test_impossible_layouts_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read("label,f\n1,2\n", **options)


@pytest.mark.parametrize("cell", ["", "  ", "NA", "NaN", "nan", "null", "None"])
def test_empty_cells_are_missing(cell: str) -> None:
    data = read(f"label,f\n{cell},{cell}\n1,2\n")
    np.testing.assert_array_equal(data.y, [np.nan, 1])
    np.testing.assert_array_equal(data.X, [[np.nan], [2]])


MULTILINE = 'id,label,text,f\na,1,"two\nlines",0\n'


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "<stream>: is empty. A table starts with the names of its columns"),
        ("\n\n", "<stream>: is empty"),
        ("label,f\n", "<stream>: has columns, but no rows"),
        ("\n1,2\n3,4\n", "<stream>:2: the first row must name the columns, but it holds numbers: 1, 2"),
        ("label,f\n1,2\n3\n", "<stream>:3: row has 1 cells, the header 2"),
        ("label,f\n1,2,\n", "<stream>:2: row has 3 cells, the header 2"),
        (MULTILINE + "b,1,x\n", "<stream>:4: row has 3 cells, the header 4"),
        (
            MULTILINE + "b,maybe,x,1\n",
            "<stream>:4: column 'label': 'maybe' is not a finite number; a label is",
        ),
        (MULTILINE + ",1,x,1\n", "<stream>:4: column 'id': the cell is empty, but every item needs one"),
        ("label,qid\n1,a\n1,\n", "<stream>:3: column 'qid': the cell is empty"),
        ("label,f\n,\n1,-inf\n", "<stream>:3: column 'f': '-inf' is not a finite number"),
        ("label,f\n1,inf\n", "<stream>:2: column 'f': 'inf' is not a finite number"),
        ("label,f\n1,1_000\n", "<stream>:2: column 'f': '1_000' is not a finite number"),
        ("label,f\n1,1e999\n", "<stream>:2: column 'f': '1e999' is not a finite number"),
        ("label,f\n1,2\n" + "x" * 99 + ",2\n", "<stream>:3: column 'label': 'x{56}... is not"),
        ('label,f\n1,2\n1,"2\n', "<stream>:3: unexpected end of data. Check the quotes"),
        ('label,f\n1,"2"3\n', "<stream>:2: ',' expected after '\"'"),
        ('label,f\n1,"' + "x" * 200_000, "<stream>:2: field larger than field limit"),
        ("label,f\n-1,1\n-2,1\n", "<stream>: The label -1 can mean 'unlabelled' or 'worse than 0'"),
    ],
)
def test_a_bad_row_is_named(content: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read(content, text_features=False, features=["f"] if content.startswith("id") else None)


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_bytes_that_are_no_text_are_named(encoding: str) -> None:
    content = b"label,text\n1,good\n0,caf\xe9\n"
    with pytest.raises(ValueError, match=f"<stream>:3: is not {encoding} text. Say encoding"):
        read_table(io.BytesIO(content), encoding=encoding)


def test_places_are_right_far_down() -> None:
    rows = ["1,2"] * 3000
    assert read("label,f\n" + "\n".join(rows)).X.shape == (3000, 1)
    rows[2345] = "1,inf"
    with pytest.raises(ValueError, match=r"<stream>:2347: column 'f': 'inf' is not.*drop=\['f'\]"):
        read("label,f\n" + "\n".join(rows))


def test_minus_one_is_a_mark_unless_told_otherwise() -> None:
    assert np.isnan(read("label\n-1\n1\n").y).tolist() == [True, False]
    assert read("label\n-1\n1\n", unlabelled=None).y.tolist() == [-1, 1]
    assert np.isnan(read("label\n9\n1\n", unlabelled=9).y).tolist() == [True, False]


def test_files_streams_and_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"label\tf,g\n1\t2\n"
    (tmp_path / "a.tsv").write_bytes(content)
    assert read_table(tmp_path / "a.tsv").feature_names == ("f,g",)
    stream = io.BytesIO(content)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    assert read_table("-", format="tsv").feature_names == ("f,g",)
    assert not stream.closed
    with pytest.raises(FileNotFoundError, match=r"none\.csv: no such file"):
        read_table(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="a path, a binary file or a data frame; got dict"):
        read_table({"label": [1]})


# --- data frames and Parquet

FRAME: dict[str, list[Any]] = {
    "qid": [2, 1, 2],
    "id": ["x", "y", "z"],
    "label": [1, None, 0],
    "title": ["Cats", None, "Dogs"],
    "f": [0.5, 1.5, None],
    "g": [True, False, True],
}


@pytest.fixture(params=["pandas", "polars", "arrow", "parquet"])
def frame(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    match request.param:
        case "pandas":
            return pd.DataFrame(FRAME)
        case "polars":
            return pl.DataFrame(FRAME)
        case "arrow":
            return pa.table(FRAME)
    pq.write_table(pa.table(FRAME), tmp_path / "a.parquet")
    return tmp_path / "a.parquet"


def test_any_frame_gives_the_same_data(frame: Any) -> None:
    data = read_table(frame, features=["f", "g"], text_features=False)
    np.testing.assert_array_equal(data.restore(data.y), [1, np.nan, 0])
    assert data.restore(data.qid).tolist() == [2, 1, 2]
    assert data.restore(data.item_ids).tolist() == ["x", "y", "z"]
    assert data.restore(data.texts).tolist() == ["Cats", "", "Dogs"]
    np.testing.assert_array_equal(data.restore(data.X), [[0.5, 1], [1.5, 0], [np.nan, 1]])


@pytest.mark.parametrize("column", ["id", "title"])
def test_words_are_kept_as_a_table_of_any_frame(frame: Any, column: str) -> None:
    data = read_table(frame, features=[column, "f"], qid=False, item=False, text=False, text_features=False)
    assert data.table is not None
    assert data.table[column].tolist() == FRAME[column]
    np.testing.assert_array_equal(data.table["f"], [0.5, 1.5, np.nan])


def test_an_empty_name_is_named_with_its_row(frame: Any) -> None:
    with pytest.raises(ValueError, match=", row 1: column 'title': the cell is empty"):
        read_table(frame, item="title", text=False, features=[])


def test_a_frame_may_hold_numbers_as_text() -> None:
    data = read_table(pd.DataFrame({"y": ["1", None, "NA"], "f": ["0.5", 2, True]}, dtype=object))
    np.testing.assert_array_equal(data.y, [1, np.nan, np.nan])
    assert data.X.ravel().tolist() == [0.5, 2, 1]


def test_frames_of_other_kinds_of_names_and_cells() -> None:
    data = read_table(pd.DataFrame(np.eye(2), columns=["y", 7]))
    assert data.feature_names == ("7",)
    with pytest.raises(ValueError, match="unique column names"):
        read_table(pd.DataFrame([[1, 2, 3]], columns=["a", "a", "y"]))
    with pytest.raises(ValueError, match="lazy: collect"):
        read_table(pl.LazyFrame(FRAME))
    with pytest.raises(ValueError, match="data frame, row 1: column 'f': inf is not a finite"):
        read_table(pl.DataFrame({"y": [0, 1], "f": [0.0, np.inf]}))
    with pytest.raises(ValueError, match=r"data frame: column 'text': Text 0 must be a str.*got list"):
        read_table(pl.DataFrame({"y": [0], "text": [["a"]]}))
    with pytest.raises(ValueError, match="data frame: has columns, but no rows"):
        read_table(pl.DataFrame({"y": []}))


def test_parquet_reads_only_what_it_needs_even_nothing(tmp_path: Path) -> None:
    pq.write_table(pa.table({"label": [1, 2], "other": [["a"], ["b"]]}), tmp_path / "a.parquet")
    assert read_table(tmp_path / "a.parquet", features=[]).y.tolist() == [1, 2]
    nothing = read_table(tmp_path / "a.parquet", features=[], label=False)
    assert (nothing.n_items, nothing.n_features) == (2, 0)


def test_without_pyarrow_the_install_command_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(
        ValueError, match=r"a\.parquet: Parquet needs pyarrow.*pip install 'semirank\[arrow\]'"
    ):
        read_table(tmp_path / "a.parquet")
    with pytest.raises(ValueError, match=r"b\.parquet: Parquet needs pyarrow"):
        write_table(RankingDataset([[1.0]], [1]), tmp_path / "b.parquet")


# --- writing

anything = st.text(st.characters(codec="utf-8"), max_size=6)
names = anything.filter(bool)
numbers = st.floats(allow_infinity=False)


@st.composite
def datasets(draw: st.DrawFn) -> RankingDataset:
    n_items, n_features = draw(st.integers(1, 8)), draw(st.integers(0, 3))

    def per_item(values: st.SearchStrategy[Any]) -> Any:
        return draw(st.lists(values, min_size=n_items, max_size=n_items))

    X = np.array(per_item(st.lists(numbers, min_size=n_features, max_size=n_features)))
    reserved = ("qid", "item", "label", "score", "text")
    feature = anything.filter(lambda name: name not in reserved and not name.startswith("text:"))
    return RankingDataset(
        csr_array(X.reshape(n_items, n_features)) if draw(st.booleans()) else X.reshape(n_items, n_features),
        per_item(numbers),
        np.array(per_item(names), dtype=object),
        np.array(per_item(names), dtype=object) if draw(st.booleans()) else None,
        draw(st.lists(feature, min_size=n_features, max_size=n_features, unique=True)),
        np.array(per_item(anything), dtype=object) if draw(st.booleans()) else None,
    )


def dense(data: RankingDataset) -> Any:
    return data.X.toarray() if issparse(data.X) else data.X


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=datasets())
def test_what_is_written_comes_back(tmp_path: Path, ending: str, data: RankingDataset) -> None:
    path = tmp_path / f"table{ending}"
    write_table(data, path)
    again = read_table(
        path,
        label="label",
        qid="qid",
        item=False if data.item_ids is None else "item",
        text=False if data.texts is None else "text",
        features=data.feature_names,
        unlabelled=None,
        text_features=False,
    )
    assert again.feature_names == data.feature_names
    np.testing.assert_array_equal(again.order, data.order)
    for name in ("y", "qid", "item_ids", "texts"):
        np.testing.assert_array_equal(getattr(again, name), getattr(data, name))
    np.testing.assert_array_equal(dense(again), dense(data))


def test_features_made_from_text_are_made_again(tmp_path: Path) -> None:
    data = read(TEXTS, features=["year"])
    write_table(data, tmp_path / "a.csv", scores=[0.25, 1, 0])
    lines = (tmp_path / "a.csv").read_text().splitlines()
    assert lines[0] == "qid,label,score,text,year"
    assert lines[-1] == "0,0.0,0.0,Cats and dogs,2003.0"
    again = read_table(tmp_path / "a.csv", features=["year"])
    assert again.feature_names == data.feature_names
    np.testing.assert_array_equal(again.X.toarray(), data.X.toarray())


def test_columns_are_written_in_the_order_of_the_caller(tmp_path: Path) -> None:
    data = RankingDataset(np.eye(3), [1, np.nan, 0], qid=[2, 1, 2], item_ids=[10, 11, 12])
    write_table(data, tmp_path / "a.tsv", scores=[0.1, 0.2, 0.3])
    assert (tmp_path / "a.tsv").read_text().splitlines() == [
        "qid\titem\tlabel\tscore\tf1\tf2\tf3",
        "2\t10\t1.0\t0.1\t1.0\t0.0\t0.0",
        "1\t11\t\t0.2\t0.0\t1.0\t0.0",
        "2\t12\t0.0\t0.3\t0.0\t0.0\t1.0",
    ]
    write_table(data, tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    assert table["item"].to_pylist() == [10, 11, 12]
    assert table["label"].to_pylist() == [1, None, 0]


def test_long_tables_are_written_in_pieces(tmp_path: Path) -> None:
    values = np.random.default_rng(0).normal(size=(20_001, 1))
    data = RankingDataset(values, np.zeros(20_001), qid=np.arange(20_001) % 7)
    write_table(data, tmp_path / "a.csv")
    again = read_table(tmp_path / "a.csv")
    np.testing.assert_array_equal(again.restore(again.X), values)


@pytest.mark.parametrize(
    ("fields", "options", "message"),
    [
        ({"feature_names": ["label"]}, {}, "The column 'label' would be there twice"),
        ({"X": [[1.0, 2.0]], "feature_names": ["a", "a"]}, {}, "Two features have the same name"),
        ({"qid": [""]}, {}, "An empty qid cannot be written"),
        ({"item_ids": np.array([None])}, {}, "An empty item cannot be written"),
        ({}, {"scores": [np.inf]}, "scores must be finite"),
        ({}, {"scores": [1, 2]}, "one score for each of 1 items"),
        ({}, {"delimiter": "::"}, "delimiter must be one character"),
    ],
)
def test_what_cannot_be_read_again_is_not_written(
    tmp_path: Path, fields: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    data = RankingDataset(**({"X": [[1.0]], "y": [1]} | fields))
    with pytest.raises(ValueError, match=message):
        write_table(data, tmp_path / "a.csv", **options)
    assert list(tmp_path.iterdir()) == []


# --- any bytes at all


def spoiled(valid: bytes, max_size: int = 60) -> Any:
    """Any bytes, or a valid file with a piece exchanged."""
    cuts = st.tuples(st.integers(0, len(valid)), st.integers(0, 4), st.binary(max_size=4))
    return st.binary(max_size=max_size) | cuts.map(
        lambda cut: valid[: cut[0]] + cut[2] + valid[cut[0] + cut[1] :]
    )


def read_or_complaint(content: bytes, **options: Any) -> RankingDataset | str:
    try:
        return read_table(io.BytesIO(content), **options)
    except ValueError as error:
        return str(error)


VALID = b'qid,id,label,f\n1,"a, ""b""",1,0.5\r\n1,b,,-2e-3\n2,"c\nd",0,NA\n'


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
@settings(max_examples=300, deadline=None)
@given(spoiled(VALID))
def test_any_bytes_are_a_table_read_whole_or_refused(content: bytes) -> None:
    outcome = read_or_complaint(content)
    if isinstance(outcome, str):
        assert "<stream>" in outcome
    elif b'"' in content:
        assert 1 <= outcome.n_items <= 4
    else:
        assert outcome.n_items == sum(map(bool, re.split(rb"\r\n|\r|\n", content))) - 1


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
@settings(max_examples=150, deadline=None)
@given(spoiled(b"label,text\n1,cats and dogs\n,cats\n0,dogs\n"))
def test_any_bytes_are_texts_read_whole_or_refused(content: bytes) -> None:
    outcome = read_or_complaint(content)
    if isinstance(outcome, str):
        assert "<stream>" in outcome
    elif b'"' not in content:
        assert outcome.n_items == sum(map(bool, re.split(rb"\r\n|\r|\n", content))) - 1


def parquet_bytes() -> bytes:
    stream = io.BytesIO()
    pq.write_table(pa.table({"label": [1.0, 0.0, None], "id": ["a", "b", "c"], "f": [1, 2, 3]}), stream)
    return stream.getvalue()


@settings(max_examples=150, deadline=None)
@given(spoiled(parquet_bytes()))
def test_any_bytes_are_parquet_read_whole_or_refused(content: bytes) -> None:
    outcome = read_or_complaint(content, format="parquet")
    if isinstance(outcome, str):
        assert "<stream>" in outcome
    else:
        assert outcome.n_items == 3

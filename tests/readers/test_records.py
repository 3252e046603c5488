"""Records in every format: what is read, what is written, and that nothing changes on the way."""

import io
import json
import sqlite3
import warnings
import zipfile
from contextlib import closing

import numpy as np
import openpyxl
import pytest
import rispy
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

import semirank
from semirank.dataset import DataWarning
from semirank.readers import Records, read_records, write_records

RIS = """TY  - JOUR
TI  - Cats and dogs
AU  - Smith, J.
AU  - Doe, A.
AB  - On cats,
 and on dogs.
PY  - 1999
LB  - 17
N1  - ASReview_relevant
N1  - a remark
XX  - strange
ER  - 

TY  - JOUR
T1  - Birds
N2  - On birds.
N1  - RAYYAN-INCLUSION: {"Ann"=>"Excluded"} | RAYYAN-LABELS: later
ER  - 

TY  - JOUR
TI  - Fish
ER  - 
"""
AS_TEXT = {"text_features": False}
BIBTEX = """@article{smith99, title={The {BIG} cat}, author={J. Smith and A. Doe}, year=1999,
  abstract={On cats.}, included=1}
@book{doe01, title={K\\"onig}, abstract={Of kings.}}
"""


@pytest.fixture
def ris(tmp_path):
    path = tmp_path / "refs.ris"
    path.write_text(RIS)
    return path


def test_ris_has_one_title_one_abstract_and_decisions_from_notes(ris):
    found = read_records(ris).columns
    assert found["title"] == ["Cats and dogs", "Birds", "Fish"]
    assert found["abstract"] == ["On cats, and on dogs.", "On birds.", ""]
    assert found["included"] == [1, 0, None]
    assert found["authors"][0] == ["Smith, J.", "Doe, A."]
    assert (found["lb"][0], found["XX"][0]) == ("17", ["strange"])
    data = semirank.read(ris, columns=AS_TEXT)
    np.testing.assert_array_equal(data.y, [1, 0, np.nan])


def test_ris_survives_being_written(ris, tmp_path):
    records = read_records(ris)
    write_records(records.replaced("included", [1, None, 0]), tmp_path / "new.ris")
    again = read_records(tmp_path / "new.ris")
    assert again.columns["included"] == [1, 0, 0]  # Rayyan's own note stays what it was
    for name in ("title", "abstract", "authors", "year", "lb"):
        assert again.columns[name] == records.columns[name]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_no_text_makes_a_second_ris_record(texts):
    hostile = [*texts, "A title\nER  - \n\nTY  - JOUR\nTI  - another"]
    records = Records("r", {"title": hostile, "abstract": hostile, "other": hostile}, range(len(hostile)))
    stream = io.BytesIO()
    semirank.readers.ris.write_ris(stream, records)
    written = rispy.loads(stream.getvalue().decode())
    assert len(written) == len(hostile)
    assert [entry.get("title", "") for entry in written] == [" ".join(text.split()) for text in hostile]


def test_bibtex_there_and_back(tmp_path):
    (tmp_path / "refs.bib").write_text(BIBTEX)
    records = read_records(tmp_path / "refs.bib")
    assert records.columns["item"] == ["smith99", "doe01"]
    assert records.columns["title"][1] == "König"
    assert records.columns["included"] == ["1", None]
    write_records(records, tmp_path / "new.bib")
    again = read_records(tmp_path / "new.bib")
    assert {name: again.columns[name] for name in records.columns} == records.columns
    np.testing.assert_array_equal(semirank.read(tmp_path / "new.bib", columns=AS_TEXT).y, [1, np.nan])


def test_workbooks_keep_numbers_and_never_run_formulas(tmp_path):
    cells = {
        "title": ["=1+1", "+cmd", "bell\x07", "plain"],
        "n": [1, 2.5, None, True],
        "label": [1, 0, None, None],
    }
    write_records(Records("r", cells, range(4)), tmp_path / "book.xlsx")
    sheet = openpyxl.load_workbook(tmp_path / "book.xlsx").active
    assert [cell.data_type for cell in sheet["A"]] == ["s"] * 5
    again = read_records(tmp_path / "book.xlsx")
    assert again.columns == {**cells, "title": ["=1+1", "+cmd", "bell", "plain"]}


def test_a_cell_beyond_what_excel_takes_is_cut_and_told(tmp_path):
    records = Records("r", {"title": ["x" * 40_000]}, range(1))
    with pytest.warns(DataWarning, match="1 cells were cut"):
        write_records(records, tmp_path / "book.xlsx")
    assert len(read_records(tmp_path / "book.xlsx").columns["title"][0]) == 32_767


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "xlsx", "csv.gz"])
def test_tables_come_back_as_they_were(tmp_path, ending):
    cells = {"id": ["1", "2"], "title": ['a "quoted"\nline', "tab\tand, comma"], "text": ["ä€", ""]}
    write_records(Records("r", cells, range(2)), tmp_path / f"t.{ending}")
    again = read_records(tmp_path / f"t.{ending}").columns
    assert {name: [cell or "" for cell in column] for name, column in again.items()} == cells


def test_projects_of_asreview(tmp_path):
    with sqlite3.connect(tmp_path / "results.db") as database:
        database.execute(
            "CREATE TABLE record (record_id INTEGER, title TEXT, abstract TEXT, authors JSON, keywords JSON, "
            "year INTEGER, doi TEXT, url TEXT, included INTEGER)"
        )
        database.execute("CREATE TABLE results (record_id INTEGER, label INTEGER, note TEXT)")
        for number, included in ((0, None), (1, 1), (2, 0)):
            authors = json.dumps(["Smith, J."])
            row = (number, f"title {number}", "abstract", authors, "[]", 1999, None, None, included)
            database.execute("INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        database.execute("INSERT INTO results VALUES (0, 1, 'seen'), (2, 1, NULL)")
    database.close()
    with zipfile.ZipFile(tmp_path / "p.asreview", "w") as archive:
        archive.write(tmp_path / "results.db", "results.db")
        archive.writestr("project.json", "{}")
    found = read_records(tmp_path / "p.asreview").columns
    assert found["included"] == [1, 1, 1]
    assert (found["note"][0], found["authors"][0]) == ("seen", ["Smith, J."])
    data = semirank.read(tmp_path / "p.asreview")
    assert data.n_items == 3
    assert data.texts[0] == "title 0\n\nabstract"


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_rayyan_and_asreview_columns_are_known(tmp_path):
    (tmp_path / "rayyan.csv").write_text(
        'key,title,abstract,notes\n1,Cats,On cats,"RAYYAN-INCLUSION: {""Ann""=>""Included""}"\n'
        "2,Dogs,On dogs,\n"
        '3,Birds,On birds,"RAYYAN-INCLUSION: {""Ann""=>""Included"", ""Bob""=>""Excluded""}"\n'
    )
    np.testing.assert_array_equal(
        semirank.read(tmp_path / "rayyan.csv", columns=AS_TEXT).y, [1, np.nan, np.nan]
    )
    (tmp_path / "lab.csv").write_text("record_id,title,asreview_label\n1,Cats,1\n2,Cats too,\n")
    np.testing.assert_array_equal(semirank.read(tmp_path / "lab.csv").y, [1, np.nan])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_encodings_are_told_by_the_bytes(tmp_path, encoding):
    text = "title,label\nCafé \u2013 naïve,1\nÜber Österreich,0\n"
    (tmp_path / "t.csv").write_bytes(text.encode(encoding))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        records = read_records(tmp_path / "t.csv")
    assert records.columns["title"] == ["Café \u2013 naïve", "Über Österreich"]
    said = [str(each.message) for each in caught if issubclass(each.category, DataWarning)]
    assert len(said) == (0 if "8" in encoding else 1)
    assert all("encoding=" in each for each in said)


def test_an_encoding_that_was_said_is_taken(tmp_path):
    (tmp_path / "t.csv").write_bytes("title,label\n\u041f\u0440\u0438,1\n".encode("koi8-r"))
    assert read_records(tmp_path / "t.csv", encoding="koi8-r").columns["title"] == ["\u041f\u0440\u0438"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.ris", b"nothing here", "holds no record"),
        ("x.bib", b"nothing here", "holds no entry"),
        ("x.bib", b"@article{a, title={x}}\n@article{a, title={y}}", r"x\.bib:2: .*'a' is there twice"),
        ("x.xlsx", b"nothing here", "is no Excel workbook"),
        ("x.asreview", b"nothing here", "is no ASReview project"),
        ("x.ris", b"TY  odd\nER  - \nTY  - BOOK\nTI  - Two\nER  - \n", "is no RIS file, or damaged"),
        ("x.npy", b"nothing here", "is no NumPy file"),
        ("x.safetensors", b"nothing here", "is no safetensors file"),
    ],
)
def test_what_is_no_such_file_is_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        semirank.read(tmp_path / name)


def test_titles_that_are_missing_are_empty_texts(tmp_path):
    (tmp_path / "x.ris").write_text("TY  - JOUR\nPY  - 1999\nER  - \n\nTY  - JOUR\nTI  - Cats\nER  - \n")
    assert semirank.read(tmp_path / "x.ris", columns=AS_TEXT).texts.tolist() == ["", "Cats"]


def test_vectors_with_a_table_beside_them(tmp_path):
    X = np.arange(6.0).reshape(3, 2)
    np.save(tmp_path / "v.npy", X)
    assert np.isnan(semirank.read(tmp_path / "v.npy").y).all()
    (tmp_path / "v.csv").write_text("item,title,label\na,Cats,1\nb,Dogs,\nc,Birds,0\n")
    data = semirank.read(tmp_path / "v.npy")
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, [1, np.nan, 0])
    assert data.item_ids.tolist() == ["a", "b", "c"]
    np.savez(tmp_path / "w.npz", vectors=X, y=[1, -1, 0], item_ids=["a", "b", "c"])
    np.testing.assert_array_equal(semirank.read(tmp_path / "w.npz").y, [1, np.nan, 0])
    save_file({"embeddings": X.astype(np.float32), "y": np.array([1, -1, 0])}, tmp_path / "t.safetensors")
    np.testing.assert_array_equal(semirank.read(tmp_path / "t.safetensors").X, X)
    np.testing.assert_array_equal(semirank.read(tmp_path / "t.safetensors").y, [1, np.nan, 0])
    (tmp_path / "v.csv").write_text("item,label\na,1\n")
    with pytest.raises(ValueError, match=r"has 1 rows, but .* has 3 vectors"):
        semirank.read(tmp_path / "v.npy")


def test_arrays_of_objects_are_refused(tmp_path):
    np.save(tmp_path / "v.npy", np.array([[{}]], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="no NumPy file of numbers"):
        semirank.read(tmp_path / "v.npy")


def test_a_folder_of_images_is_ranked_by_likeness(tmp_path):
    from PIL import Image

    rng = np.random.default_rng(0)
    for number in range(8):
        picture = np.zeros((32, 48))
        picture[:, :24] = 1.0 if number % 2 else 0.0
        picture[16:, :] += 0.0 if number % 2 else 1.0
        noisy = np.clip(255 * (0.8 * picture + 0.1 * rng.random(picture.shape)), 0, 255)
        Image.fromarray(noisy.astype(np.uint8)).save(tmp_path / f"{number}.png")
    (tmp_path / "labels.csv").write_text("item,label\n1.png,1\n0.png,0\n")
    with pytest.warns(DataWarning, match="crude"):
        data = semirank.read(tmp_path)
    scores = semirank.ManifoldRanking(n_neighbors=3, combine="ratio").fit(data.X, data.y).scores_
    assert set(np.argsort(-scores)[:4]) == {1, 3, 5, 7}
    (tmp_path / "labels.csv").write_text("item,label\nnowhere.png,1\n")
    with pytest.raises(ValueError, match=r"no image 'nowhere\.png'"), pytest.warns(DataWarning):
        semirank.read(tmp_path)


def test_an_end_without_a_record_is_no_record(tmp_path):
    (tmp_path / "r.ris").write_text("TY  - JOUR\nTI  - Cats\nER  - \nER  - \n")
    assert read_records(tmp_path / "r.ris").columns["title"] == ["Cats"]


def test_a_record_that_is_cut_off_is_not_left_out_in_silence(tmp_path):
    (tmp_path / "r.ris").write_text("TY  - JOUR\nTI  - Cats\nER  - \nTY  - JOUR\nTI  - Do")
    with pytest.raises(ValueError, match=r"r\.ris: is cut off: the last record has no end"):
        read_records(tmp_path / "r.ris")


@pytest.mark.parametrize("name", ["r.ris", "r.bib"])
def test_bytes_that_are_no_text_are_refused_with_their_line(tmp_path, name):
    (tmp_path / name).write_bytes(b"TY  - JOUR\nTI  - \xd8One\nER  - \n")
    with pytest.raises(ValueError, match=rf"{name}:2: is not utf-8 text.*encoding="):
        read_records(tmp_path / name, encoding="utf-8")


def test_columns_keep_apart_whose_names_bibtex_cannot_write(tmp_path):
    cells = {"item": ["a"], "my note": ["one"], "my/note": ["two"]}
    write_records(Records("r", cells, range(1)), tmp_path / "r.bib")
    again = read_records(tmp_path / "r.bib").columns
    assert (again["my_note"], again["my_note_2"]) == (["one"], ["two"])


def project_with(folder, *statements):
    with closing(sqlite3.connect(folder / "results.db")) as database:
        for statement in statements:
            database.execute(statement)
        database.commit()
    with zipfile.ZipFile(folder / "p.asreview", "w") as archive:
        archive.write(folder / "results.db", "results.db")
    return folder / "p.asreview"


def test_projects_without_what_they_need_are_refused(tmp_path):
    path = project_with(tmp_path, "CREATE TABLE record (title)", "INSERT INTO record VALUES ('a')")
    with pytest.raises(ValueError, match=r"p\.asreview: its tables have no record_id"):
        read_records(path)
    with zipfile.ZipFile(path, "w"):
        pass
    with pytest.raises(ValueError, match=r"p\.asreview: holds no records"):
        read_records(path)


def test_vectors_that_are_none_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "v.npz", "w") as archive:
        archive.writestr("X.npy", b"no array")
    with pytest.raises(ValueError, match=r"v\.npz: (is no NumPy file|vectors are)"):
        semirank.read(tmp_path / "v.npz")
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000, 1000000000), }"
    (tmp_path / "v.npy").write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header)
    with pytest.raises(ValueError, match=r"v\.npy: is no NumPy file of numbers, or damaged"):
        semirank.read(tmp_path / "v.npy")


def test_items_keep_their_names_where_a_bibtex_key_cannot_say_them(tmp_path):
    cells = {
        "item": ["10.1/a", "b, {c}", "10.1/a"],
        "title": ["}{", "plain", "\\"],
        "entry_type": ["a b", None, "book"],
    }
    write_records(Records("r", cells, range(3)), tmp_path / "r.bib")
    again = read_records(tmp_path / "r.bib").columns
    assert again["item"] == cells["item"]
    assert again["entry_type"] == ["misc", "misc", "book"]

"""Everything comes in and out again, in the formats that others read."""

import csv
import io
import json

import numpy as np
import openpyxl
import pytest
import rispy
from tests.web.conftest import TEXTS

from semirank.feedback import State
from semirank.readers import read_qrels, read_records
from semirank.web.exports.files import FORMATS
from semirank.web.project import Project, ProjectItem

NASTY = "=HYPERLINK(1)\nER  - \nTY  - JOUR"


def file_of(browser, format, **params):
    answer = browser.http.get(f"/api/p/{browser.key}/export/{format}", params=params)
    assert answer.status_code == 200, answer.text
    assert "attachment" in answer.headers["content-disposition"]
    return answer.content


@pytest.fixture
def judged(house, browser):
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 0)
    browser.do("unsure", "i2")
    browser.do("note", "i0", 'good, "very" good')
    browser.do("tag", "i0", ["rct"])
    house.settled()
    return browser


def test_every_format_comes_out(judged):
    for format in FORMATS:
        assert file_of(judged, format)


def test_csv_has_all_columns_and_the_order(judged):
    rows = list(csv.DictReader(io.StringIO(file_of(judged, "csv").decode())))
    assert [int(row["rank"]) for row in rows] == list(range(1, 21))
    by_id = {row["id"]: row for row in rows}
    assert by_id["i0"]["verdict"] == "relevant"
    assert (by_id["i0"]["included"], by_id["i0"]["who"]) == ("1", "owner")
    assert by_id["i0"]["note"] == 'good, "very" good'
    assert by_id["i0"]["tags"] == "rct"
    assert by_id["i2"]["verdict"] == "unsure"
    assert by_id["i5"]["verdict"] == ""
    assert by_id["i4"]["why"]
    assert (by_id["i7"]["title"], by_id["i7"]["abstract"]) == TEXTS[7]
    scores = [float(row["score"]) for row in rows]
    assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    ("which", "ids"), [("relevant", ["i0"]), ("read", ["i0", "i1", "i2"]), ("unread", None), ("all", None)]
)
def test_some_items_in_the_order_of_the_file(judged, which, ids):
    rows = list(csv.DictReader(io.StringIO(file_of(judged, "csv", items=which, order="file").decode())))
    wanted = ids or [f"i{row}" for row in range(3 if which == "unread" else 0, 20)]
    assert [row["id"] for row in rows] == wanted


def test_what_comes_out_comes_in_again(judged, tmp_path):
    for format, ending in (
        ("csv", "csv"),
        ("xlsx", "xlsx"),
        ("parquet", "parquet"),
        ("ris", "ris"),
        ("bib", "bib"),
    ):
        path = tmp_path / f"out.{ending}"
        path.write_bytes(file_of(judged, format, order="file"))
        records = read_records(path)
        assert records.lines().texts("title") == [title for title, _ in TEXTS], format
        told = judged.put(path.name, path.read_bytes())
        assert (told["labels"]["relevant"], told["labels"]["irrelevant"]) == (1, 1), format
        assert told["n_rows"] == 20


def test_judgments_as_trec_reads_them(judged, tmp_path):
    path = tmp_path / "out.qrels"
    path.write_bytes(file_of(judged, "qrels"))
    data = read_qrels(path)
    assert dict(zip(data.item_ids, data.y, strict=True)) == {"i0": 1, "i1": 0}
    run = [line.split() for line in file_of(judged, "run").decode().splitlines()]
    assert [line[3] for line in run] == [str(n) for n in range(1, 21)]


def test_formulas_and_false_records_do_no_harm(house):
    house.project([ProjectItem("a", NASTY, "+1 @x"), ProjectItem("b", "plain", "-")], name="p")
    browser = house.browser()
    sheet = list(csv.reader(io.StringIO(file_of(browser, "spreadsheet", order="file").decode("utf-8-sig"))))
    title, abstract = (sheet[0].index(name) for name in ("title", "abstract"))
    assert sheet[1][title] == "'" + NASTY
    assert sheet[1][abstract] == "'+1 @x"
    assert all(not cell.startswith(("=", "+", "@", "\t", "\r")) for row in sheet for cell in row)
    exact = list(csv.reader(io.StringIO(file_of(browser, "csv", order="file").decode())))
    assert exact[1][exact[0].index("title")] == NASTY
    book = openpyxl.load_workbook(io.BytesIO(file_of(browser, "xlsx", order="file")))
    cells = [cell for row in book.active.iter_rows() for cell in row]
    assert not [cell for cell in cells if cell.data_type == "f"]
    assert len(rispy.loads(file_of(browser, "ris").decode())) == 2


def test_the_whole_project_in_one_file(judged, house, tmp_path):
    path = tmp_path / "copy.semirank"
    path.write_bytes(judged.http.get("/api/p/p/backup").content)
    with Project.open(path) as copy, house.shelf.session("p").lock:
        ours = house.shelf.session("p")
        assert copy.events() == ours.project.events()
        theirs = State(copy.items.as_items(), copy.events())
        assert np.array_equal(theirs.y, ours.state.y, equal_nan=True)


def test_counts_for_a_flow_diagram_and_the_methods_sentence(judged):
    counts = judged.get("/export/prisma")
    assert (counts["identified"], counts["screened"], counts["included"]) == (20, 3, 1)
    assert (counts["excluded"], counts["unsure"], counts["not_screened"]) == (1, 1, 17)
    answer = judged.http.get("/api/p/p/export/stop")
    assert "3 of 20 items were read" in answer.text
    assert "Callaghan" in answer.text


def test_csv_is_understood_and_roles_can_be_changed(house, browser):
    body = (
        "pmid,Title,Abstract,label_included,doi,year\n"
        "7,Hearts,On hearts.,1,10.1/a,1999\n8,Kidneys,,0,10.1/b,2001\n9,hearts!,On hearts.,,10.1/A,2002\n"
    )
    told = browser.put("reviews.csv", body.encode())
    roles = {column["name"]: column["role"] for column in told["columns"]}
    assert list(roles.values()) == ["meta", "title", "text", "label", "doi", "meta"]
    assert told["labels"] == {"relevant": 1, "irrelevant": 1, "unlabelled": 1, "grades": {"0": 1, "1": 1}}
    assert (told["n_rows"], told["n_without_text"], told["n_duplicates"]) == (3, 1, 1)
    assert told["encoding"] == "utf-8"
    roles = {"roles": {"pmid": "id", "label_included": "leave out"}}
    again = browser.http.post(f"/api/imports/{told['id']}/roles", json=roles)
    assert again.json()["labels"]["unlabelled"] == 3
    target = {"recall": 0.9, "confidence": 0.9}
    info = browser.make(told, name="My review", roles={"label_included": "label"}, target=target)
    assert (info["name"], info["target"]["recall"]) == ("My review", 0.9)
    assert info["counts"] == {"n_items": 2, "n_read": 2, "n_found": 1, "n_unsure": 0, "n_later": 0}
    item = browser.get("/items/0")
    assert (item["id"], item["copies"], item["link"]) == ("7", [2], "https://doi.org/10.1/a")
    assert "nothing to undo" in browser.do("undo")["refused"]  # labels of the file stay
    assert house.shelf.session(info["key"]).project.path.name == "My_review.semirank"


def test_grades_and_lists_of_a_file(browser):
    body = "qid,docid,title,rel\na,1,x,0\na,2,y,3\nb,1,z,\n"
    told = browser.put("judged.csv", body.encode())
    assert (told["n_lists"], told["labels"]["grades"]) == (2, {"0": 1, "3": 1})
    info = browser.make(told)
    assert info["scale"]["names"] == {"0": "0", "3": "3"}
    assert [each["n_read"] for each in info["lists"]] == [2, 0]


def test_vectors_of_a_file(browser, tmp_path):
    stream = io.BytesIO()
    np.save(stream, np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32))
    told = browser.put("vectors.npy", stream.getvalue())
    assert (told["kind"], told["n_rows"]) == ("vectors", 30)
    assert browser.make(told)["kind"] == "vectors"
    table = "id,f1,f2\n" + "\n".join(f"r{n},{n / 7},{n % 3}" for n in range(20))
    told = browser.put("numbers.csv", table.encode())
    assert told["kind"] == "vectors"
    assert browser.make(told)["n_items"] == 20


def test_three_demos_without_a_network(house):
    browser = house.browser()
    demos = browser.http.get("/api/projects").json()["demos"]
    assert [demo["name"] for demo in demos] == ["abstracts", "digits", "moons"]
    sizes = {}
    for demo in demos:
        info = browser.http.post("/api/projects", json={"demo": demo["name"]}).json()
        sizes[info["kind"]] = info["n_items"]
    assert sizes == {"texts": 160, "images": 1797, "vectors": 400}
    answer = browser.http.get("/api/p/demo-digits/items/0/image?w=64")
    assert answer.headers["content-type"] == "image/png"
    recent = browser.http.get("/api/projects").json()["recent"]
    assert {each["key"] for each in recent} == {"demo-abstracts", "demo-digits", "demo-moons"}


def test_json_is_json(judged):
    records = json.loads(file_of(judged, "json"))
    assert len(records) == 20
    assert {record["id"] for record in records if record.get("verdict") == "relevant"} == {"i0"}


def test_images_come_with_a_table_or_without(house, tmp_path):
    from PIL import Image

    from semirank.web.uploads import Upload

    folder = tmp_path / "pictures"
    folder.mkdir()
    for n in range(3):
        Image.new("RGB", (20, 20), (80 * n, 0, 0)).save(folder / f"{n}.png")
    (tmp_path / "t.csv").write_text("image,title,label\n2.png,two,1\n0.png,zero,\n")
    for source, names in ((folder, ["0.png", "1.png", "2.png"]), (tmp_path / "t.csv", ["2.png", "0.png"])):
        upload = house.shelf.put(Upload(source, source.name, images=folder))
        upload.read()
        assert upload.state == "ready", upload.error
        session = house.shelf.import_(upload, upload.roles, name=source.stem)
        browser = house.browser(session.key)
        assert browser.get("")["kind"] == "images"
        assert [each["meta"]["image"] for each in browser.get("/items", sort="file")["items"]] == names
        assert browser.http.get(f"/api/p/{session.key}/items/1/image").status_code == 200
    (tmp_path / "t.csv").write_text("image\n../secret.png\n")
    upload = Upload(tmp_path / "t.csv", "t.csv", images=folder)
    upload.read()
    assert "there is no image '../secret.png'" in upload.error


def test_a_file_that_has_become_a_project_is_kept_nowhere_else(house):
    browser = house.browser()
    upload = browser.put("t.csv", b"title,abstract\na b,c\nd,e\n")
    house.app.state.first = {"import": upload["id"]}
    assert browser.http.get("/api/session").json()["import"] == upload["id"]
    key = browser.make(upload)["key"]
    assert not list(house.shelf.uploads_folder.iterdir())
    assert house.shelf.upload(upload["id"]) is None
    first = browser.http.get("/api/session").json()
    assert (first["open"], first["import"]) == (key, None)

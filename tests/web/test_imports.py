"""Files that become projects: judged lists, and zips of images, also hostile ones."""

import contextlib
import io
import zipfile

import numpy as np
import pytest
from PIL import Image

from semirank.web import pictures, unpacking
from semirank.web.server import Options, _first
from semirank.web.shelf import Shelf
from semirank.web.uploads import UploadError

RUN = "q1 Q0 a 1 3.5 bm25\nq1 Q0 b 2 2.5 bm25\nq1 Q0 c 3 1.5 bm25\nq2 Q0 a 1 9 bm25\nq2 Q0 d 2 8 bm25\n"
QRELS = "q1 0 b 2\nq1 0 e 0\nq2 0 d 1\n"
DOCUMENTS = "id,title,text\na,Alpha,about apples\nb,Beta,about bees\nc,Gamma,about cats\nd,Delta,about dogs\n"


@pytest.fixture
def start(house):
    return house.browser()


def put(browser, *files):
    told = None
    for name, body in files:
        told = browser.put(name, body if isinstance(body, bytes) else body.encode(), **_beside(told))
    return told


def _beside(told):
    return {} if told is None else {"beside": told["id"]}


def rows_of(browser):
    items = browser.get("/items", sort="file", n=100)["items"]
    return [(each["qid"], each["id"], (each["verdict"] or {}).get("value")) for each in items]


JUDGED = [
    ("q1", "a", None),
    ("q1", "b", 2),
    ("q1", "c", None),
    ("q1", "e", 0),
    ("q2", "a", None),
    ("q2", "d", 1),
]


@pytest.mark.parametrize(
    "files", [[("bm25.run", RUN), ("x.qrels", QRELS)], [("x.qrels", QRELS), ("b.run", RUN)]]
)
def test_a_run_and_its_qrels_become_lists_with_grades(house, start, files):
    told = put(start, *files)
    assert (told["state"], told["format"], told["kind"]) == ("ready", "qrels + run", "vectors")
    assert (told["n_rows"], told["n_lists"], told["labels"]["grades"]) == (6, 2, {"0": 1, "1": 1, "2": 1})
    assert "ids only" in told["warnings"][0]
    info = start.make(told)
    assert rows_of(start) == JUDGED
    assert info["scale"]["names"] == {"0": "0", "1": "1", "2": "2"}
    house.settled(info["key"])
    assert start.get("")["order"]["ranker"] == "Blend"
    assert not list(house.shelf.uploads_folder.iterdir())


def test_documents_give_the_texts_of_a_run(house, start):
    told = put(start, ("bm25.run", RUN), ("x.qrels", QRELS), ("docs.csv", DOCUMENTS))
    assert (told["kind"], told["name"]) == ("texts", "bm25.run")
    assert told["warnings"] == ["1 of 6 items are not in the table."]
    start.make(told)
    assert rows_of(start) == JUDGED
    assert start.get("/items/1")["text"] == "about bees"
    assert start.get("/items/1")["title"] == "Beta"


def test_a_run_alone_is_unjudged_and_qrels_alone_say_what_they_lack(start):
    told = put(start, ("bm25.run", RUN))
    assert (told["state"], told["labels"]["unlabelled"]) == ("ready", 5)
    told = put(start, ("x.qrels", QRELS))
    assert told["state"] == "failed"
    assert "nothing to rank by" in told["error"]["error"]
    told = put(start, ("x.qrels", QRELS), ("docs.csv", DOCUMENTS))
    assert (told["kind"], told["n_rows"]) == ("texts", 3)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([("a.csv", DOCUMENTS), ("b.csv", DOCUMENTS)], "one of each"),
        ([("a.run", RUN), ("b.run", RUN)], "one of each"),
        (
            [("a.run", RUN), ("docs.csv", "name,text\na,b\n")],
            "docs.csv: has no column that names the documents",
        ),
        ([("a.run", "q1 Q0 a 1\n")], "a.run:1"),
    ],
)
def test_files_that_do_not_belong_together(start, files, said):
    told = put(start, *files)
    assert told["state"] == "failed"
    assert said in told["error"]["error"]


def test_serve_takes_a_run_with_qrels_and_documents(tmp_path):
    for name, body in (("x.run", RUN), ("x.qrels", QRELS), ("docs.csv", DOCUMENTS)):
        (tmp_path / name).write_text(body)
    shelf = Shelf(tmp_path / "projects")
    beside = (tmp_path / "x.qrels", tmp_path / "docs.csv")
    first = _first(Options(data=tmp_path / "x.run", beside=beside), shelf)
    upload = shelf.upload(first["import"])
    assert (upload.format, len(upload.records)) == ("documents + qrels + run", 6)
    shelf.import_(upload, upload.roles)
    shelf.forget(upload)
    assert {each.name for each in tmp_path.iterdir()} >= {"x.run", "x.qrels", "docs.csv", "x.semirank"}
    shelf.close()


# zips of images


def image(colour=(200, 30, 30), size=(40, 20), format="PNG", **more):
    stream = io.BytesIO()
    Image.new("RGB", size, colour).save(stream, format, **more)
    return stream.getvalue()


def zipped(members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, body in members.items():
            packed.writestr(name, body)
    return stream.getvalue()


def test_a_zip_of_images_becomes_a_project(house, start):
    photo = image((0, 0, 250), (3000, 1500), "JPEG", comment=b"<script>alert(1)</script>")
    body = zipped({"cats/b.jpg": photo, "cats/a.png": image(), "c.gif": image((0, 200, 0), format="GIF")})
    told = start.put("pets.zip", body)
    assert (told["kind"], told["n_rows"]) == ("images", 3)
    assert "crude" in told["warnings"][0]
    info = start.make(told, name="Pets")
    assert [each["id"] for each in start.get("/items", sort="file")["items"]] == [
        "c.gif", "cats/a.png", "cats/b.jpg",
    ]  # fmt: skip
    answer = start.http.get(f"/api/p/{info['key']}/items/2/image?w=200")
    with Image.open(io.BytesIO(answer.content)) as shown:
        assert (shown.format, shown.size) == ("PNG", (200, 100))
        assert np.abs(np.array(shown)[50, 100].astype(int) - (0, 0, 250)).max() < 12
    folder = house.folder / "Pets.images"
    assert sorted(each.name for each in folder.iterdir()) == ["000001.jpg", "000002.jpg", "000003.jpg"]
    assert not any(b"script" in each.read_bytes() for each in folder.iterdir())
    with Image.open(folder / "000003.jpg") as kept:
        assert kept.size == (1600, 800)
    assert not list(house.shelf.uploads_folder.iterdir())


def test_pictures_of_a_zip_go_along_when_project_and_folder_are_moved(house, start, tmp_path):
    info = start.make(start.put("pets.zip", zipped({"a.png": image(), "b.png": image((0, 0, 9))})))
    session = house.shelf.session(info["key"])
    house.shelf.close()
    there = tmp_path / "elsewhere"
    there.mkdir()
    for each in ("pets.semirank", "pets.images"):
        (house.folder / each).rename(there / each)
    session = house.shelf.open(there / "pets.semirank")
    assert pictures.picture(session, 0, 64) is not None


def test_an_upright_picture(tmp_path):
    turned = Image.Exif()
    turned[0x0112] = 6
    (tmp_path / "a.jpg").write_bytes(image(size=(40, 20), format="JPEG", exif=turned))
    assert pictures.draw(tmp_path / "a.jpg", 100).size == (20, 40)


@pytest.mark.parametrize("name", ["../../outside.png", "/etc/outside.png", "a/../../outside.png"])
def test_a_name_that_leads_out_of_a_zip_is_refused(house, start, name):
    told = start.put("evil.zip", zipped({"a.png": image(), name: image()}))
    assert told["state"] == "failed"
    assert "leads out of the zip" in told["error"]["error"]
    assert not list(house.folder.parent.rglob("outside*"))
    assert not list(house.shelf.uploads_folder.glob("*-images/*"))


def test_a_bomb_is_not_unpacked(start):
    told = start.put("bomb.zip", zipped({"a.png": image(), "b.png": bytes(40_000_000)}))
    assert told["state"] == "failed"
    assert "unpacks to 40,000," in told["error"]["error"]


def test_bounds_of_a_zip_hold_for_all_files_together(start, monkeypatch):
    monkeypatch.setattr(unpacking, "MOST_BYTES", 150)
    told = start.put("two.zip", zipped({"a.png": image(), "b.png": image((1, 2, 3), (60, 60))}))
    assert "bytes; 150 are allowed" in told["error"]["error"]


def test_what_is_no_image_is_left_out_and_named(house, start, monkeypatch):
    monkeypatch.setattr(pictures, "MOST_PIXELS", 5_000)
    svg = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    members = {
        "good.png": image(), "vector.svg": svg, "page.html": b"<script>", "svg.png": svg, "empty.png": b"",
        "huge.png": image(size=(100, 51)), "__MACOSX/good.png": b"x", "cut.jpg": image(format="JPEG")[:200],
    }  # fmt: skip
    told = start.put("mixed.zip", zipped(members))
    assert (told["state"], told["n_rows"]) == ("ready", 1)
    assert "7 files of the zip are no images" in told["warnings"][1]
    info = start.make(told)
    assert len(list((house.folder / "mixed.images").iterdir())) == 1
    assert start.http.get(f"/api/p/{info['key']}/items/0/image").headers["content-type"] == "image/png"


def test_a_zip_without_a_readable_image_a_locked_one_and_a_damaged_one(start):
    told = start.put("none.zip", zipped({"a.png": b"no image"}))
    assert "holds no image that can be read" in told["error"]["error"]
    body = bytearray(zipped({"a.png": image()}))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        body[body.index(mark) + at] |= 1
    assert "has a password" in start.put("locked.zip", bytes(body))["error"]["error"]
    assert start.put("cut.zip", zipped({"a.png": image()})[:-30])["state"] == "failed"


@pytest.mark.parametrize("format", pictures.FORMATS)
def test_damaged_images_are_refused_in_one_way(format):
    whole = bytearray(image(format=format))
    rng = np.random.default_rng(0)
    for _ in range(300):
        damaged = whole.copy()
        for at in rng.integers(0, len(whole), 3):
            damaged[at] = rng.integers(256)
        with contextlib.suppress(ValueError):
            pictures.draw(io.BytesIO(damaged[: rng.integers(len(whole))]), 50)


def test_a_zip_is_not_added_to_a_project(house, start, session):
    told = start.put("pets.zip", zipped({"a.png": image()}), into="p")
    assert "a project of their own" in told["error"]["error"]


def test_a_project_that_cannot_be_made_leaves_no_folder(house, start, monkeypatch):
    told = start.put("pets.zip", zipped({"a.png": image()}))
    upload = house.shelf.upload(told["id"])
    monkeypatch.setattr("semirank.web.shelf.make", lambda *given: (_ for _ in ()).throw(UploadError("no")))
    with pytest.raises(UploadError):
        house.shelf.import_(upload, upload.roles)
    assert not list(house.folder.glob("*.images*"))


def test_serve_takes_a_zip_of_images(tmp_path):
    path = tmp_path / "pets.zip"
    path.write_bytes(zipped({"a.png": image(), "b.png": image((0, 0, 9))}))
    shelf = Shelf(tmp_path / "projects")
    upload = shelf.upload(_first(Options(data=path), shelf)["import"])
    session = shelf.import_(upload, upload.roles)
    shelf.forget(upload)
    assert path.exists()
    assert pictures.picture(session, 1, 64) is not None
    shelf.close()

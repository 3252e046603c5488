"""Nothing reaches the app but its owner's browser; what comes in or goes out does no harm."""

import gzip
import io
import sqlite3
import time
import zipfile

import numpy as np
import pytest
from fastapi.testclient import TestClient
from PIL import Image

from semirank.web import uploads
from semirank.web.project import ProjectItem
from semirank.web.safety import MOST_FAILURES, policy_for
from semirank.web.server import Options, check
from semirank.web.uploads import safe_name

JSON = {"content-type": "application/json", "x-semirank": "1"}


def stranger(house, **headers):
    return TestClient(house.app, "http://127.0.0.1", headers=headers, follow_redirects=False)


def test_without_the_cookie_nothing_is_said(house, session):
    http = stranger(house)
    for path in (
        "/",
        "/api/session",
        "/api/projects",
        "/api/p/p",
        "/api/openapi.json",
        "/main.js",
        "/nothing",
    ):
        answer = http.get(path)
        assert answer.status_code == 401, path
        assert "study" not in answer.text
    assert http.post("/api/p/p/events", json=[], headers=JSON).status_code == 401


def test_the_token_becomes_a_cookie_and_leaves_the_address(house):
    http = stranger(house)
    answer = http.get("/", params={"token": house.access.token, "view": "map"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/?view=map")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("semirank_80=")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
    assert house.access.token not in cookie
    assert http.get("/api/session").status_code == 200


def test_wrong_tokens_are_worth_nothing_and_cannot_be_tried_for_ever(house):
    http = stranger(house)
    answers = [http.get("/", params={"token": f"wrong{n}"}).status_code for n in range(MOST_FAILURES + 2)]
    assert answers == [401] * MOST_FAILURES + [429] * 2
    assert "set-cookie" not in http.get("/", params={"token": ""}).headers


def test_a_foreign_name_for_this_server_is_refused(house, session, browser):
    for host in ("evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"):
        answer = browser.http.get("/api/p/p", headers={"host": host})
        assert answer.status_code == 400
    assert browser.http.get("/api/p/p", headers={"host": "localhost:8123"}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"x-semirank": ""},
        {"content-type": "text/plain"},
        {"content-type": "application/x-www-form-urlencoded"},
    ],
)
def test_no_other_site_can_make_the_browser_write(browser, headers):
    body = b'[{"id": "1", "kind": "label", "item": "i0", "value": 1}]'
    answer = browser.http.post("/api/p/p/events", content=body, headers={**JSON, **headers})
    assert answer.status_code == 403
    assert set(answer.json()) == {"error", "where", "what_to_do"}
    assert browser.counts() == (0, 0, 0, 0)
    good = {**JSON, "origin": "http://127.0.0.1", "sec-fetch-site": "same-origin"}
    assert browser.http.post("/api/p/p/events", content=body, headers=good).json()[0]["seq"] == 1


def test_other_sites_cannot_read_either(browser):
    for site in ("cross-site", "same-site"):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}
        assert browser.http.get("/api/p/p/items/0/image", headers=headers).status_code == 403
        navigate = {**headers, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
        assert browser.http.get("/api/p/p/export/csv", headers=navigate).status_code == 403


def test_reading_methods_do_not_write(browser):
    for path in ("/api/p/p/events", "/api/p/p/audit", "/api/p/p/stop", "/api/p/p/seeds", "/api/imports"):
        assert browser.http.get(path).status_code in (404, 405), path
    assert browser.http.request("OPTIONS", "/api/p/p/events").status_code in (403, 405)
    assert "access-control-allow-origin" not in browser.http.get("/api/session").headers


def test_every_answer_has_the_headers_that_keep_scripts_out(house, browser):
    for answer in (browser.http.get("/api/session"), stranger(house).get("/"), browser.http.get("/no/such")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'")
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_the_import_map_is_named_by_its_hash():
    # sha256("alert(1)") in base64, by openssl
    assert "'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='" in policy_for("alert(1)")


def test_html_and_scripts_stay_text(house):
    nasty = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    house.project(
        [ProjectItem("a", nasty, nasty, meta={"url": "javascript:alert(3)", "note": nasty})], name="p"
    )
    browser = house.browser()
    answer = browser.http.get("/api/p/p/items/0")
    assert answer.headers["content-type"] == "application/json"
    item = answer.json()
    assert (item["title"], item["text"], item["link"]) == (nasty, nasty, None)


@pytest.mark.parametrize(
    ("meta", "link"),
    [
        ({"doi": "10.1000/ABC"}, "https://doi.org/10.1000/abc"),
        ({"url": "https://example.org/a"}, "https://example.org/a"),
        ({"url": "data:text/html,x"}, None),
        ({"url": "file:///etc/passwd"}, None),
        ({"url": 'https://a.example/"onclick=x'}, "https://a.example/"),
    ],
)
def test_links_are_web_links(house, meta, link):
    house.project([ProjectItem("a", "t", meta=meta)], name="p")
    assert house.browser().get("/items/0")["link"] == link


def test_names_of_files_name_no_folder(browser, house, tmp_path):
    for name in (
        "../../evil.csv",
        "..\\..\\evil.csv",
        "/etc/cron.d/evil.csv",
        "a\x00b.csv",
        "." * 90 + "x.csv",
    ):
        told = browser.put(name, b"title\nx\n")
        path = house.shelf.upload(told["id"]).path
        assert path.parent == house.shelf.uploads_folder
        session = browser.make(told, name=name)
        assert house.shelf.session(session["key"]).project.path.parent == tmp_path
    assert safe_name("") == "data"


def test_packed_bombs_stop(browser, monkeypatch):
    monkeypatch.setenv("SEMIRANK_MAX_BYTES", "1000000")
    bomb = gzip.compress(b"title\n" + b"a" * 20_000_000)
    assert "bytes" in browser.put("bomb.csv.gz", bomb)["error"]["error"]
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bomb.csv", b"title\n" + b"a" * 20_000_000)
    assert browser.put("bomb.csv.zip", packed.getvalue())["state"] == "failed"
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("second.csv", b"title\nx\n")
    assert browser.put("two.csv.zip", packed.getvalue())["state"] == "failed"


def test_uploads_and_cells_have_a_limit(browser, monkeypatch, house):
    told = browser.put("long.csv", b"title\nx\n" + b"a" * (uploads.LONGEST_CELL + 1) + b"\n")
    assert "long.csv:3" in told["error"]["error"]
    monkeypatch.setattr("semirank.web.routes.imports.MOST_BYTES", 1000)
    headers = {"content-type": "application/octet-stream"}
    answer = browser.http.put("/api/imports?name=x.csv", content=b"a" * 2000, headers=headers)
    assert answer.status_code == 413
    assert not list(house.shelf.uploads_folder.glob("*x.csv"))


def test_broken_files_say_what_is_wrong(browser):
    broken = {
        "a.xlsx": b"PK nonsense", "b.ris": b"\x00\x01", "c.npy": b"\x93NUMPY", "d.asreview": b"no zip",
        "e.semirank": b"no database", "f.csv": b"", "g.parquet": b"PAR1", "h.bib": b"@", "i.csv": b"a,b\n1\n",
    }  # fmt: skip
    for name, body in broken.items():
        told = browser.put(name, body)
        if told["state"] == "ready":  # a project is looked at when it is taken over
            answer = browser.http.post("/api/projects", json={"import": told["id"]})
            assert answer.status_code in (409, 422), name
            told = {"error": answer.json()}
        assert told["error"]["error"], name
        assert str(told["error"]).count("Traceback") == 0


def test_encodings_are_told_apart(browser):
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        told = browser.put("a.csv", "title\nÉtude sur le cœur\n".encode(encoding))
        assert told["samples"][0]["title"] == "Étude sur le cœur", encoding


def foreign_project(path, statements):
    with sqlite3.connect(path) as raw:
        for statement in statements:
            raw.execute(statement)
    raw.close()


def test_of_a_strangers_project_rows_come_over_and_nothing_else(house, browser, tmp_path):
    browser.do("label", "i0", 1)
    given = tmp_path / "given.semirank"
    house.shelf.session("p").project.save_copy(given)
    foreign_project(
        given,
        [
            "CREATE TRIGGER evil AFTER INSERT ON event BEGIN DELETE FROM meta; END",
            "CREATE VIEW evil_view AS SELECT 1",
            """INSERT INTO meta VALUES ('invitations', '[{"id":"x"}]')""",
            "INSERT INTO meta VALUES ('images', '\"/etc\"')",
        ],
    )
    told = browser.make(browser.put("given.semirank", given.read_bytes()))
    assert told["counts"]["n_found"] == 1
    session = house.shelf.session(told["key"])
    assert not {"invitations", "images"} & set(session.settings)
    with sqlite3.connect(session.project.path) as raw:
        names = {name for (name,) in raw.execute("SELECT name FROM sqlite_master")}
    raw.close()
    assert not {"evil", "evil_view"} & names


def test_pictures_are_drawn_anew_and_only_from_their_folder(house, tmp_path):
    folder = tmp_path / "pictures"
    folder.mkdir()
    noise = np.random.default_rng(0).integers(0, 255, (40, 60, 3), dtype=np.uint8)
    Image.fromarray(noise).save(folder / "good.jpg", comment=b"<script>alert(1)</script>")
    (folder / "page.png").write_bytes(b"<html><script>alert(1)</script></html>")
    (folder / "drawing.svg").write_text("<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>")
    Image.fromarray(noise).save(tmp_path / "secret.png")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    names = ["good.jpg", "page.png", "drawing.svg", "link.png", "../secret.png", str(tmp_path / "secret.png")]
    house.project(
        [ProjectItem(n, n, meta={"image": n}) for n in names], name="p", kind="images", images=str(folder)
    )
    browser = house.browser()
    answers = [browser.http.get(f"/api/p/p/items/{row}/image?w=32") for row in range(len(names))]
    assert [answer.status_code for answer in answers] == [200, 404, 404, 404, 404, 404]
    assert answers[0].headers["content-type"] == "image/png"
    assert b"script" not in answers[0].content
    with Image.open(io.BytesIO(answers[0].content)) as drawn:
        assert drawn.format == "PNG"
        assert drawn.width <= 32


def test_listening_to_others_needs_people_and_https(tmp_path):
    check(Options())
    with pytest.raises(ValueError, match="--users"):
        check(Options(host="0.0.0.0"))
    with pytest.raises(ValueError, match="--certfile"):
        check(Options(host="0.0.0.0", users=True))
    check(Options(host="0.0.0.0", users=True, behind_proxy="reviews.example.org"))
    with pytest.raises(FileNotFoundError, match="no such file"):
        check(Options(data=tmp_path / "nothing.csv"))
    (tmp_path / "cert.pem").write_text("no certificate")
    with pytest.raises(ValueError, match="no certificate"):
        check(Options(host="0.0.0.0", users=True, certfile=tmp_path / "cert.pem"))


def test_errors_have_one_shape(browser):
    answers = [
        browser.http.get("/api/p/nothing"),
        browser.http.get("/api/p/p/items/99999"),
        browser.http.get("/api/p/p/items/-1"),
        browser.http.get("/api/p/p/items/word"),
        browser.http.get("/api/p/p/queue?mode=nonsense"),
        browser.http.post("/api/p/p/events", json={"no": "list"}),
        browser.http.post("/api/projects", json={"demo": "nothing"}),
        browser.http.get("/api/p/p/export/exe"),
        browser.http.delete("/api/p/p/jobs/none"),
    ]
    for answer in answers:
        assert 400 <= answer.status_code < 500
        assert set(answer.json()) == {"error", "where", "what_to_do"}
        assert answer.json()["error"]


def test_the_clock_of_wrong_tokens_runs_on(house, monkeypatch):
    for _ in range(MOST_FAILURES):
        house.access.note_failure()
    assert not house.access.may_try()
    now = time.monotonic()
    monkeypatch.setattr("semirank.web.safety.time.monotonic", lambda: now + 61)
    assert house.access.may_try()

"""The work page's promises: nothing is lost or counted twice, undo is unlimited, scores can be explained."""

import numpy as np
import pytest
from tests.web.conftest import ITEMS, TEXTS, wait_until

from semirank import ScreeningRanker
from semirank.feedback import Engine, replay
from semirank.web.project import Project, ProjectItem


def test_a_verdict_is_on_disk_when_it_is_acknowledged(house, session, browser):
    taken = browser.do("label", "i0", 1)
    with Project.open(session.project.path) as other:
        assert [(e.id, e.item, e.value) for e in other.events()] == [(taken["id"], "i0", 1)]
        assert taken["seq"] == 1


def test_an_id_counts_once_however_often_it_is_sent(browser):
    event = {"id": "once", "kind": "label", "item": "i0", "value": 1}
    answers = [browser.post("/events", [event, event])[0] for _ in range(3)]
    assert {answer["seq"] for answer in answers} == {1}
    assert browser.get("")["counts"]["n_read"] == 1
    other = {**event, "kind": "unsure", "value": None}
    assert "Another event" in browser.post("/events", [other])[0]["refused"]


def test_an_undo_that_is_sent_again_undoes_one_thing(browser):
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 1)
    undo = {"id": "u1", "kind": "undo"}
    first, again = browser.post("/events", [undo])[0], browser.post("/events", [undo])[0]
    assert first == again
    assert first["undid"]["row"] == 1
    assert browser.get("")["counts"]["n_found"] == 1


def test_undo_and_redo_go_back_and_forth_without_limit(browser):
    for row in range(4):
        browser.do("label", f"i{row}", row % 2)
    for row in (3, 2, 1, 0):
        assert browser.do("undo")["undid"]["row"] == row
    assert "nothing to undo" in browser.do("undo")["refused"]
    assert browser.get("")["counts"]["n_read"] == 0
    for row in (0, 1, 2, 3):
        assert browser.do("redo")["undid"]["row"] == row
    assert browser.counts() == (4, 2, 0, 0)


def test_copies_get_the_verdict_and_lose_it_together(house):
    house.project([*ITEMS, ProjectItem("copy", "Heart failure drugs: study 0")], name="p")
    browser = house.browser()
    assert browser.get("/items/0")["copies"] == [20]
    taken = browser.do("label", "i0", 1)
    assert taken["also"] == [20]
    assert browser.get("/items/20")["verdict"]["value"] == 1
    assert browser.get("")["counts"]["n_read"] == 1
    browser.do("undo")
    assert browser.get("/items/20")["verdict"] is None
    browser.do("ungroup", "copy")
    assert browser.do("label", "i0", 1)["also"] == []


def test_a_batch_with_a_wrong_event_takes_the_others(browser):
    events = [
        {"id": "1", "kind": "label", "item": "i0", "value": 1},
        {"id": "2", "kind": "label", "item": "nobody", "value": 1},
        {"id": "3", "kind": "label", "item": "i1", "value": 7},
        {"id": "4", "kind": "unsure", "item": "i2"},
    ]
    answers = browser.post("/events", events)
    assert ["refused" in answer for answer in answers] == [False, True, True, False]
    assert "no item 'nobody'" in answers[1]["refused"]
    assert "no grade 7" in answers[2]["refused"]
    assert [answer.get("seq") for answer in answers] == [1, None, None, 2]


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ({"name": "no-such-ranker"}, "no-such-ranker"),
        ({"name": "screening-ranker", "settings": {"nonsense": 1}}, "nonsense"),
    ],
)
def test_a_ranker_that_cannot_be_is_refused(browser, value, says):
    assert says in browser.do("ranker", value=value)["refused"]


def test_grades_in_use_stay_and_their_names_may_change(browser):
    assert "seq" in browser.do("scale", value={"names": {"0": "no", "1": "some", "2": "much"}, "relevant": 2})
    browser.do("label", "i0", 2)
    browser.do("label", "i1", 1)
    assert browser.get("")["counts"]["n_found"] == 1
    assert "in use" in browser.do("scale", value={"names": {"0": "no", "1": "yes"}, "relevant": 1})["refused"]
    assert "seq" in browser.do("scale", value={"names": {"0": "a", "1": "b", "2": "c"}, "relevant": 1})
    assert browser.get("")["counts"]["n_found"] == 2


def test_what_was_read_is_not_offered_and_later_comes_back(browser):
    browser.do("label", "i0", 1)
    browser.do("later", "i1")
    browser.do("unsure", "i2")
    assert not {0, 1, 2} & set(browser.rows(n=100))
    assert browser.rows(mode="later") == [1]
    assert browser.counts() == (2, 1, 1, 1)


def test_the_order_follows_the_labels_and_can_be_computed_again(house, session, browser):
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 0)
    order = house.settled().order
    assert order.number == 2
    assert {row % 4 for row in browser.rows(n=4)} == {0}  # the other texts about hearts
    events, records = session.project.events(), session.project.orders()
    assert records
    found = replay(Engine(session.items), events, records)
    assert found.same
    assert found.n_orders == len(records)


def test_every_score_is_explained_exactly(house, browser):
    for row in (0, 4, 8):
        browser.do("label", f"i{row}", 1)
    for row in (1, 2, 3):
        browser.do("label", f"i{row}", 0)
    house.settled()
    first, second = browser.get("/queue", n=2)["items"]
    why = browser.get(f"/why/{first['row']}", against=second["row"])
    assert why["score"] == pytest.approx(first["score"])
    for part, score in ((why, first["score"]), (why["against"], first["score"] - second["score"])):
        amounts = [each["amount"] for each in part["items"]]
        assert part["constant"] + part["rest_items"] + sum(amounts) == pytest.approx(score, abs=1e-9)
    assert {each["row"] for each in why["items"]} <= {0, 1, 2, 3, 4, 8}
    assert why["sentence"]


def test_what_if_leaves_everything_as_it_was(house, browser):
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 0)
    house.settled()
    before = browser.get("/queue", n=20)
    told = browser.get(f"/whatif/{before['items'][0]['row']}", value=1)
    assert told["place_then"] >= 1
    assert browser.get("/queue", n=20) == before
    browser.do("label", "i2", 0)
    fresh = Engine(house.shelf.session("p").items)
    assert np.array_equal(house.settled().order.scores, fresh.rank(house.shelf.session("p").state).scores)


def test_a_question_ranks_and_can_be_taken_back(house, browser):
    told = browser.post("/seeds", {"text": "stones in kidneys"})
    house.settled()
    assert browser.rows(n=1)[0] % 4 == 1
    assert [each["text"] for each in browser.get("")["questions"]] == ["stones in kidneys"]
    browser.do("undo", value=told["question"])
    assert browser.get("")["questions"] == []


def test_key_papers_are_found_by_id_and_title(browser):
    told = browser.post("/seeds", {"references": ["i3", "HEART failure drugs, study 1", "unheard of"]})
    assert [item["row"] for item in told["matched"]] == [3, 4]
    assert told["unknown"] == ["unheard of"]
    assert browser.get("")["counts"]["n_found"] == 2


def test_search_finds_words_and_neighbours_are_alike(browser):
    found = browser.get("/search", q="Kidney diet")
    wanted = [row for row, texts in enumerate(TEXTS) if "kidney stones diet" in "".join(texts)]
    assert sorted(item["row"] for item in found["items"]) == wanted
    assert found["total"] == len(wanted)
    assert browser.get("/search", q='"; DROP TABLE item --')["total"] == 0
    assert {item["row"] % 4 for item in browser.get("/neighbours/0", n=4)["items"]} == {0}


def test_pages_filters_and_log(house, browser):
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 0)
    browser.do("note", "i1", "odd design")
    browser.do("tag", "i2", ["rct", "old"])
    rows = {
        name: [item["row"] for item in browser.get("/items", **params)["items"]]
        for name, params in {
            "relevant": {"verdict": "relevant"},
            "not": {"verdict": "not"},
            "note": {"note": 1},
            "tag": {"tag": "rct"},
            "who": {"who": "owner", "sort": "file"},
            "last": {"sort": "time", "n": 2},
            "page": {"sort": "file", "offset": 18},
        }.items()
    }
    assert rows == {
        "relevant": [0], "not": [1], "note": [1], "tag": [2], "who": [0, 1], "last": [1, 0], "page": [18, 19],
    }  # fmt: skip
    assert browser.get("/items", verdict="none")["total"] == 18
    log = browser.get("/log", n=2)
    assert log["total"] == 4
    assert [entry["kind"] for entry in log["events"]] == ["tag", "note"]
    assert browser.get("")["tags"] == ["old", "rct"]
    assert [entry["kind"] for entry in browser.get("/items/1")["history"]] == ["label", "note"]


def test_evidence_has_method_and_assumption_and_stop_keeps_its_numbers(house, browser):
    for row in range(10):
        browser.do("label", f"i{row}", int(row in (0, 4)))
    told = browser.get("/evidence")
    assert (told["n_read"], told["n_found"], told["since_last"]) == (10, 2, 5)
    assert told["bound"]["assumption"]
    assert "Callaghan" in told["bound"]["citation"]
    assert told["curve"][-1] == [10, 2]
    assert told["wave"] == [1, 4, 6]
    assert str(told["audit_price"]) in told["audit_price_says"]
    audit = browser.post("/audit")
    assert browser.get("/evidence")["audit"]["n_unread"] == 10
    row = browser.rows(mode="audit")[0]
    browser.do("label", f"i{row}", 0, mode="audit")
    assert browser.get("/evidence")["audit"]["n_drawn"] == 1
    stop = browser.post("/stop")
    assert "2 found relevant" in stop["sentence"]
    assert browser.get("")["stop"]["value"]["n_read"] == 11
    browser.do("undo", value=stop["id"])
    browser.do("undo", value=audit["id"])
    assert browser.get("")["stop"] is None
    assert browser.get("/evidence")["audit"] is None


def test_lists_and_grades(house):
    items = [ProjectItem(f"d{n}", f"document {n}", f"words {n % 3}", qid=f"q{n % 2}") for n in range(12)]
    house.project(items, name="p")
    browser = house.browser()
    assert [each["qid"] for each in browser.get("")["lists"]] == ["q0", "q1"]
    assert {item["qid"] for item in browser.get("/queue", list="q1", n=20)["items"]} == {"q1"}
    browser.do("label", "d1", 1, qid="q1")
    per_list = browser.get("/evidence")["per_list"]
    assert [each["n_read"] for each in per_list] == [0, 1]
    assert browser.get("/evidence", list="q0")["n_read"] == 0
    assert house.browser().http.get("/api/p/p/evidence?list=no").status_code == 404


def test_vectors_rank_and_stand_on_the_map(house, monkeypatch):
    monkeypatch.setattr("semirank.web.worker.run", lambda job, work, *given, **_: work(*given))
    X = np.vstack([np.random.default_rng(0).normal(centre, 0.1, (12, 3)) for centre in (0, 5)])
    house.project([ProjectItem(f"v{n}") for n in range(24)], X)
    browser = house.browser()
    browser.do("label", "v0", 1)
    house.settled()
    assert set(browser.rows(n=11)) == set(range(1, 12))

    def laid_out():
        answer = browser.http.get("/api/p/p/map")
        return answer if answer.headers.get("x-semirank-layout") == "tsne" else None

    points = np.frombuffer(wait_until(laid_out).content, "<f4").reshape(-1, 2)
    to_own = np.linalg.norm(points[:12] - points[:12].mean(axis=0), axis=1)
    to_other = np.linalg.norm(points[:12] - points[12:].mean(axis=0), axis=1)
    assert (to_own < to_other).all()
    assert np.abs(points).max() <= 1
    told = browser.get("/map", points=1)
    assert told["verdicts"][:2] == ["relevant", None]
    assert len(told["scores"]) == 24


def test_items_come_in_the_middle_and_known_ones_are_matched(house, session, browser):
    browser.do("label", "i0", 1)
    house.settled()
    body = b"title,abstract,included\nHeart failure drugs study 0,again,1\nA new thing,about hearts,1\n"
    info = browser.make(browser.put("more.csv", body, into="p"))
    assert info["n_items"] == 21
    assert info["counts"]["n_found"] == 2
    assert browser.get("/items/20")["title"] == "A new thing"
    house.settled()
    events, records = session.project.events(), session.project.orders()
    assert replay(Engine(session.items), events, records, n_items=20).same


def test_the_browser_is_told_of_orders_events_and_jobs(house, session, browser):
    from semirank.web.listeners import Message
    from semirank.web.people import Person
    from semirank.web.routes.stream import told

    data = {"seq": 1, "kind": "label", "item": "i0", "row": 0, "reviewer": "owner"}
    names = [name for name, _ in told(session, Person(), Message("event", data, "owner"))]
    assert names == ["event", "counts"]
    assert [name for name, _ in told(session, Person(), Message("order", None, None))] == ["order"]
    assert told(session, Person(), Message("job", {"id": "1"})) == [("job", {"id": "1"})]


def test_a_disk_that_is_full_loses_nothing_and_says_so(house, session, browser, monkeypatch):
    browser.do("label", "i0", 1)
    with monkeypatch.context() as broken:
        broken.setattr(Project, "append", lambda self, events: (_ for _ in ()).throw(OSError("disk full")))
        answer = browser.http.post(
            "/api/p/p/events", json=[{"id": "x", "kind": "label", "item": "i1", "value": 1}]
        )
    assert answer.status_code == 507
    assert "disk full" in answer.json()["error"]
    assert browser.get("")["counts"]["n_read"] == 1
    assert "seq" in browser.post("/events", [{"id": "x", "kind": "label", "item": "i1", "value": 1}])[0]


def test_a_project_opens_again_as_it_was(house, session, browser):
    browser.do("label", "i0", 1)
    browser.do("later", "i5")
    before = browser.get("")
    house.settled()
    house.shelf._open.pop("p").close()
    after = browser.get("")
    changing = {"order": None, "jobs": None}
    assert {**before, **changing} == {**after, **changing}


def test_a_newer_file_is_only_read(house):
    house.project().close()
    house.shelf._open.clear()
    import sqlite3

    with sqlite3.connect(house.folder / "p.semirank") as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    browser = house.browser()
    assert browser.get("")["read_only"]
    answer = browser.http.post(
        "/api/p/p/events", json=[{"id": "1", "kind": "label", "item": "i0", "value": 1}]
    )
    assert answer.status_code == 409
    assert "newer" in answer.json()["error"]


def test_a_ranker_that_breaks_leaves_the_last_order(house, session, browser, monkeypatch):
    browser.do("label", "i0", 1)
    before = house.settled()
    monkeypatch.setattr(Engine, "rank", lambda self, state: 1 / 0)
    browser.do("label", "i1", 0)
    assert browser.get("/queue")["order"]["number"] == before.order.number
    monkeypatch.undo()
    browser.do("label", "i2", 0)
    assert house.settled().order.number == 3


def test_ten_verdicts_at_once_are_ten_events_and_fewer_orders(house, session, browser):
    events = [{"id": str(n), "kind": "label", "item": f"i{n}", "value": n % 2} for n in range(10)]
    browser.post("/events", events)
    house.settled()
    assert len(session.project.events()) == 10
    assert session.project.orders()[-1].number == 10
    assert len(session.project.orders()) <= 3


def test_events_are_json_that_a_log_can_keep(browser):
    browser.do("shown", value={"rows": [1, 2, 3]})
    browser.do("target", value={"recall": 0.9, "confidence": 0.9})
    assert "must be" in browser.do("target", value={"recall": 2})["refused"]
    assert browser.get("")["target"] == {"recall": 0.9, "confidence": 0.9}
    assert [entry["kind"] for entry in browser.get("/log")["events"]] == ["target", "shown"]


def test_near_copies_are_grouped_when_asked_for(house):
    text = "a long account of hearts and of what makes them fail in the end"
    items = [*ITEMS, ProjectItem("n1", "One title", text), ProjectItem("n2", "Another name", text)]
    session = house.project(items)
    session.group_near()
    wait_until(lambda: all(job.state == "done" for job in session.jobs.all() if job.kind == "near copies"))
    assert house.browser().get("/items/20")["copies"] == [21]


def test_every_tenth_item_can_be_one_that_differs(house, session, browser):
    for row in (0, 1, 2, 3):
        browser.do("label", f"i{row}", int(row == 0))
    house.settled()
    plain = browser.rows(n=16)
    spread = browser.rows(mode="spread", n=1)[0]
    assert browser.http.put("/api/p/p/settings", json={"spread_every": 10}).status_code == 200
    mixed = browser.rows(n=16)
    assert sorted(mixed) == sorted(plain)
    assert mixed[5] == spread  # the tenth of all: four were read


def test_a_copy_is_written_once_a_day(session, browser, tmp_path):
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 1)
    copies = wait_until(lambda: list(tmp_path.glob("p.semirank.*.backup")))
    assert len(copies) == 1


@pytest.mark.parametrize("value", ["\ud800", float("nan"), "x" * (1 << 21)])
def test_what_no_log_can_keep_is_refused(browser, value):
    import json

    body = json.dumps([{"id": "1", "kind": "shown", "value": [value]}])
    answer = browser.http.post(
        "/api/p/p/events", content=body.encode(), headers={"content-type": "application/json"}
    )
    assert answer.status_code == 422
    assert browser.get("/log")["total"] == 0


def test_one_server_at_a_time_works_on_a_project(house, session, tmp_path):
    from semirank.web.project import ProjectError
    from semirank.web.shelf import Shelf

    other = Shelf(tmp_path / "other")
    with pytest.raises(ProjectError, match="open in another semirank"):
        other.open(session.project.path)
    house.shelf._open.pop("p").close()
    assert other.open(tmp_path / "p.semirank").state.n_items == 20
    other.close()
    assert not list(tmp_path.glob(".*.lock"))


def test_features_and_graph_are_made_once_and_with_the_question(house, monkeypatch):
    made = []
    fit_graph = ScreeningRanker.fit_graph
    monkeypatch.setattr(ScreeningRanker, "fit_graph", lambda *given: made.append(1) or fit_graph(*given))
    monkeypatch.setattr(ScreeningRanker, "fit", None)
    session, browser = house.project(), house.browser()
    house.settled()
    session.shared.prepare()
    assert not made
    browser.post("/seeds", {"text": "kidney"})
    wait_until(lambda: session.shared.engine._prepared is not None)
    browser.do("label", "i1", 1)
    assert house.settled().order.ranker == "ScreeningRanker"
    assert made == [1]


def test_labels_of_known_items_are_taken_where_nobody_has_judged(house, browser):
    browser.do("label", "i0", 1)
    browser.do("unsure", "i1")
    browser.do("later", "i4")
    rows = [(0, 0), (1, 1), (2, 1), (3, ""), (4, 0), (2, 0)]
    cells = [f"{TEXTS[row][0].upper()},{label}" for row, label in rows]
    upload = browser.put("more.csv", "\n".join(["title,label", *cells, "quite new,1"]).encode(), into="p")
    assert upload["adds"] == {"n_new": 1, "n_known": 6, "n_labelled": 2, "n_conflicts": 3}
    browser.make(upload)
    items = browser.get("/items", sort="file", n=50)["items"]
    verdicts = {each["row"]: each["verdict"] for each in items if each["verdict"]}
    assert {row: (each["kind"], each["value"]) for row, each in verdicts.items()} == {
        0: ("label", 1), 1: ("unsure", None), 2: ("label", 1), 4: ("label", 0), 20: ("label", 1),
    }  # fmt: skip
    assert browser.do("undo")["undid"]["row"] == 4  # put off: the reviewer's own last step
    taken_back = [
        each for each in browser.get("/log")["events"] if each["mode"] == "import" and each["row"] != 20
    ]
    for event in taken_back:
        if event["kind"] == "label":
            assert "seq" in browser.do("undo", value=event["id"])
    assert browser.counts()[:2] == (3, 2)


def test_labels_off_the_scale_are_not_added(browser):
    upload = browser.put("more.csv", b"title,label\nquite new,3\n", into="p")
    answer = browser.http.post("/api/projects", json={"import": upload["id"]})
    assert answer.status_code == 422
    assert "the label 3, which is not on the scale" in answer.json()["error"]
    assert browser.get("")["n_items"] == 20

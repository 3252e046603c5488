"""Several reviewers: blind is blind, nobody reads the same by accident, conflicts are found and settled."""

import re

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from tests.web.conftest import ITEMS, House

from semirank.web.checking import Checked
from semirank.web.people import Person, hash_of
from semirank.web.replaying import replays


def invite(house, name="bob", role="reviewer", key="p"):
    owner = house.browser(key)
    told = owner.post("/invitations", {"name": name, "role": role})
    assert told["link"].startswith("http://127.0.0.1/?token=")
    return house.browser(key, told["link"].split("token=")[1]), told


@pytest.fixture
def pair(users_house):
    users_house.project()
    bob, _ = invite(users_house)
    return users_house, users_house.browser(), bob


def blind(owner, double="all", n=5):
    body = {"double": double, "double_n": n}
    assert owner.http.put("/api/p/p/settings", json=body).status_code == 200


def test_an_invitation_is_a_link_for_one_project_kept_as_a_hash(pair):
    house, owner, bob = pair
    session = house.shelf.session("p")
    assert bob.http.get("/api/session").json()["reviewer"] == "bob"
    secret = bob.http.cookies["semirank_80"]
    assert session.settings["invitations"][0]["hash"] == hash_of(secret)
    assert secret not in session.project.path.read_bytes().decode("latin-1")
    house.project(name="other")
    assert bob.http.get("/api/p/other").status_code == 404
    assert {each["key"] for each in bob.http.get("/api/projects").json()["recent"]} == {"p"}
    assert bob.http.post("/api/projects", json={"demo": "moons"}).status_code == 403
    assert bob.http.get("/api/p/p/invitations").status_code == 403
    assert bob.http.put("/api/p/p/settings", json={}).status_code == 403
    assert owner.http.post("/api/p/p/invitations", json={"name": "Bob"}).status_code == 409


def test_a_revoked_invitation_is_worth_nothing(pair):
    _, owner, bob = pair
    told = owner.get("/invitations")[0]
    assert owner.http.delete(f"/api/p/p/invitations/{told['id']}").json() == []
    assert bob.http.get("/api/session").status_code == 401
    assert owner.http.delete(f"/api/p/p/invitations/{told['id']}").status_code == 404


def test_without_users_nobody_is_invited(house, browser):
    assert browser.http.post("/api/p/p/invitations", json={"name": "bob"}).status_code == 409


def test_a_reader_only_looks_and_a_reviewer_does_not_decide(pair):
    house, owner, bob = pair
    eve, _ = invite(house, "eve", "reader")
    assert "only look" in eve.do("label", "i0", 1)["refused"]
    assert eve.get("")["read_only"]
    for kind, item, value in (("adjudicate", "i0", 1), ("target", None, {"recall": 0.9, "confidence": 0.9})):
        assert "Only the owner" in bob.do(kind, item, value)["refused"]
    assert bob.http.post("/api/p/p/stop", json={}).status_code == 403
    assert "is 'owner''s" in bob.do("undo", value=owner.do("label", "i0", 1)["id"])["refused"]


def test_nobody_is_handed_what_another_holds(pair):
    house, owner, bob = pair
    ours, theirs = owner.rows(n=6), bob.rows(n=6)
    assert len(ours) == len(theirs) == 6
    assert not set(ours) & set(theirs)
    assert owner.rows(n=6) == ours  # renewed
    house.shelf.session("p")._leases["bob"] = (0.0, set(theirs))  # run out
    assert set(theirs) & set(owner.rows(n=20))


def test_a_verdict_of_one_is_not_offered_to_the_other_but_as_a_second_opinion(pair):
    _, owner, bob = pair
    owner.do("label", "i0", 1)
    assert 0 not in bob.rows(n=20)
    assert bob.rows(mode="second") == [0]
    assert bob.get("/items/0")["by"] == [{"reviewer": "owner", "kind": "label", "value": 1}]


def test_conflicts_are_shown_and_settled(pair):
    _, owner, bob = pair
    labels = {"owner": [1, 1, 0, 0, 1, 0], "bob": [1, 0, 0, 1, 1, 0]}
    for row in range(6):
        owner.do("label", f"i{row}", labels["owner"][row])
        bob.do("label", f"i{row}", labels["bob"][row])
    found = owner.get("/conflicts")["items"]
    assert [item["row"] for item in found] == [1, 3]
    assert found[0]["by"] == [{"reviewer": "bob", "kind": "label", "value": 0}]
    told = owner.get("/agreement")
    assert told["n_conflicts"] == 2
    pair_found = told["pairs"][0]
    assert (pair_found["a"], pair_found["b"], pair_found["n"]) == ("bob", "owner", 6)
    assert pair_found["kappa"] == pytest.approx(cohen_kappa_score(labels["bob"], labels["owner"]))
    assert pair_found["table"] == [[2, 1], [1, 2]]
    owner.do("adjudicate", "i1", 0)
    owner.do("adjudicate", "i3", 0)
    assert owner.get("/agreement")["n_conflicts"] == 0
    assert owner.get("/items/1")["adjudicated"] == 0
    assert owner.counts()[:2] == (6, 2)


def test_a_pilot_is_read_by_all_and_blind_then_the_rest_is_shared(pair):
    _, owner, bob = pair
    blind(owner, "first", 4)
    pilot = set(owner.rows(n=20))
    assert len(pilot) == 4
    for row in pilot:
        owner.do("label", f"i{row}", 1)
    assert set(bob.rows(n=20)) == pilot
    assert bob.get("/items/" + str(min(pilot)))["by"] == []
    assert not owner.get("")["blind"]
    for row in pilot:
        bob.do("label", f"i{row}", 0)
    assert not bob.get("")["blind"]
    assert not pilot & set(bob.rows(n=20))
    assert bob.get("/items/" + str(min(pilot)))["by"]


READ = (
    "", "/queue?n=20", "/queue?mode=uncertain", "/queue?mode=second", "/items?n=50", "/log", "/evidence",
    "/items?verdict=conflict", "/items?who=owner", "/items/3", "/why/3", "/map?points=1", "/export/csv",
    "/export/prisma", "/ranker", "/search?q=heart", "/neighbours/3", "/agreement", "/conflicts",
)  # fmt: skip


def what_bob_sees(folder, verdicts, own):
    """Let the owner judge some items, and Bob others; return every answer that Bob gets."""
    folder.mkdir()
    house = House(folder, users=True)
    try:
        house.project()
        owner = house.browser()
        bob, _ = invite(house)
        blind(owner)
        for row, (kind, *value) in verdicts:
            if kind == "stop":
                owner.post("/stop")
            elif kind == "check":
                found = Checked("in use", "proven", f"row {row}", [])
                house.shelf.session("p").checks._conclude(found, np.array([1.0, 0.0]))
            else:
                assert "seq" in owner.do(kind, f"i{row}", *value)
        bob.get("")
        for row in own:
            bob._name, bob._ids = "bob", iter([row])
            house.settled(person=Person("bob", "reviewer", "p"))  # moves are told from order to order
            bob.do("label", f"i{row}", row % 2)
        house.settled(person=Person("bob", "reviewer", "p"))
        answers = [bob.http.get(f"/api/p/p{path}") for path in READ]
        return [(path, a.status_code, _without_clock(a.text)) for path, a in zip(READ, answers, strict=True)]
    finally:
        house.close()


def _without_clock(text):
    text = re.sub(r"20\d\d-\d\d-\d\dT[\d:.]+\+00:00", "TIME", text)
    return re.sub(r'"(last_seq|seq|labels_per_minute)":[^,}]+', "", text)


VERDICTS = st.sampled_from(
    [
        ("label", 1),
        ("label", 0),
        ("unsure",),
        ("later",),
        ("note", "x"),
        ("tag", ["t"]),
        ("stop",),
        ("check",),
    ]
)


@given(
    one=st.lists(st.tuples(st.integers(8, 19), VERDICTS), max_size=6),
    other=st.lists(st.tuples(st.integers(8, 19), VERDICTS), max_size=6),
    own=st.lists(st.integers(0, 7), unique=True, max_size=4),
)
@settings(max_examples=3, deadline=None, phases=(Phase.explicit, Phase.generate))  # a case takes seconds
def test_what_a_blind_reviewer_sees_never_depends_on_the_others_verdicts(tmp_path_factory, one, other, own):
    folder = tmp_path_factory.mktemp("blind")
    assert what_bob_sees(folder / "a", one, own) == what_bob_sees(folder / "b", other, own)


def test_blind_reviewers_read_everything_and_learn_of_the_other_when_both_have_spoken(pair):
    house, owner, bob = pair
    blind(owner)
    owner.do("label", "i0", 1)
    assert 0 in bob.rows(n=20)
    assert bob.get("/items/0")["by"] == []
    assert bob.counts() == (0, 0, 0, 0)
    assert bob.get("/log")["total"] == 0
    assert bob.http.get("/api/p/p/agreement").status_code == 403
    bob.do("label", "i0", 0)
    assert bob.get("/items/0")["by"] == [{"reviewer": "owner", "kind": "label", "value": 1}]
    assert [item["row"] for item in owner.get("/conflicts")["items"]] == [0]
    assert house.settled(person=Person("bob", "reviewer", "p")).order.number == 1


def test_the_orders_of_blind_reviewers_can_be_computed_again(pair):
    house, owner, bob = pair
    blind(owner)
    for row, (ours, theirs) in enumerate([(1, 0), (1, 1), (0, 1), (0, 0)]):
        owner.do("label", f"i{row}", ours)
        bob.do("label", f"i{row}", theirs)
        house.settled(person=Person("bob", "reviewer", "p"))
        house.settled()
    found = dict(replays(house.shelf.session("p").project))
    assert set(found) >= {"bob", "owner"}
    assert all(each.same and each.n_orders for each in found.values())


def test_nothing_of_the_others_is_told_over_the_stream_while_blind(pair):
    from semirank.web.listeners import Message
    from semirank.web.routes.stream import told

    house, owner, _ = pair
    blind(owner)
    session, bob = house.shelf.session("p"), Person("bob", "reviewer", "p")
    assert told(session, bob, Message("event", {"reviewer": "owner"}, "owner")) == []
    assert told(session, bob, Message("order", None, "owner")) == []
    assert [name for name, _ in told(session, bob, Message("event", {}, "bob"))] == ["event", "counts"]


def test_a_file_tells_a_blind_owner_nothing_of_the_others_verdicts(pair):
    _, owner, bob = pair
    blind(owner)
    bob.do("label", "i0", 1)
    body = f"title,label\n{ITEMS[0].title},0\n".encode()
    upload = owner.put("more.csv", body, into="p")
    assert upload["adds"] == {"n_new": 0, "n_known": 1, "n_labelled": 1, "n_conflicts": 0}
    owner.make(upload)
    assert [each["verdict"]["value"] for each in (bob.get("/items/0"), owner.get("/items/0"))] == [1, 0]

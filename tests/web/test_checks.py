"""Another ranker takes over where held-out labels prove it better; work in the background can be stopped."""

import time

import numpy as np
import pytest
from tests.web.conftest import wait_until

from semirank.web.checking import LEAST_IRRELEVANT, Checked, candidates_for
from semirank.web.jobs import CancelledError, Job
from semirank.web.project import ProjectItem
from semirank.web.worker import WorkerError, run

ROW = {"name": "text-ranker", "score": 0.9, "difference": 0.1}
BETTER = Checked("text-ranker", "proven", "text-ranker is better.", [ROW])


@pytest.fixture
def no_pause(monkeypatch):
    monkeypatch.setattr("semirank.web.checking.PAUSE", 0.0)


def test_a_better_ranker_takes_over_as_an_event(house, session, browser, no_pause):
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 0)
    session.checks._conclude(BETTER, session.state.y)
    house.settled()
    told = browser.get("/ranker")
    assert (told["ranker"], told["basis"]) == ("TextRanker", "proven here")
    assert told["leaderboard"][0] == {"name": "text-ranker", "score": 0.9, "difference": 0.1}
    assert told["checked_at"] == 2
    browser.do("ranker", value=None)  # back to the default
    house.settled()
    assert browser.get("/ranker")["ranker"] == "ScreeningRanker"


def test_it_is_offered_where_the_owner_wants_to_be_asked(house, session, browser):
    browser.http.put("/api/p/p/settings", json={"takeover": "ask"})
    browser.do("label", "i0", 1)
    browser.do("label", "i1", 0)
    session.checks._conclude(BETTER, session.state.y)
    told = browser.get("/ranker")
    assert told["ranker"] != "TextRanker"
    assert told["offered"]["name"] == "text-ranker"
    assert "seq" in browser.do("ranker", value=told["offered"])
    house.settled()
    assert browser.get("/ranker")["basis"] == "proven here"


def test_a_check_is_due_at_fifteen_relevant_labels_and_at_each_doubling(house, monkeypatch):
    session = house.project([ProjectItem(f"i{n}", f"text {n % 7} {n}") for n in range(80)])
    started = []
    monkeypatch.setattr(session.checks, "start", lambda: started.append(int((session.state.y > 0).sum())))
    browser = house.browser()
    for n in range(LEAST_IRRELEVANT):
        browser.do("label", f"i{79 - n}", 0)
    for n in range(35):
        browser.do("label", f"i{n}", 1)
        session.checks.start_if_due()
    assert started == [15, 30]


def test_a_check_waits_for_irrelevant_labels(house, monkeypatch):
    session = house.project([ProjectItem(f"i{n}", f"text {n % 7} {n}") for n in range(80)])
    monkeypatch.setattr(session.checks, "start", lambda: pytest.fail("there is too little to compare by"))
    browser = house.browser()
    for n in range(20 + LEAST_IRRELEVANT - 1):
        browser.do("label", f"i{n}", int(n < 20))
        session.checks.start_if_due()


@pytest.mark.slow
def test_a_worker_answers_fails_and_is_cancelled():
    assert run(Job("1", "x"), np.multiply, 3, 4) == 12
    with pytest.raises(WorkerError, match="shapes"):
        run(Job("1", "x"), np.add, np.zeros(2), np.zeros(3))
    job = Job("1", "x")
    job.cancelled.set()
    with pytest.raises(CancelledError):
        run(job, time.sleep, 60)
    with pytest.raises(WorkerError, match="too long"):
        run(Job("1", "x"), time.sleep, 60, seconds=0.1)


@pytest.mark.slow
def test_rankers_are_compared_in_a_process_of_their_own(house):
    session = house.shelf.demo("abstracts")
    browser = house.browser("demo-abstracts")
    with session.project.reading() as stored:
        texts = [(each.id, each.title + each.text) for each in stored.page(range(160))]
    relevant = [name for name, text in texts if "back pain" in text and "random" in text]
    others = [name for name, text in texts if "back pain" not in text]
    for name, value in [*((n, 1) for n in relevant[:18]), *((n, 0) for n in others[:30])]:
        browser.do("label", name, value)
    job = browser.http.post("/api/p/demo-abstracts/ranker/check", json={}).json()

    def finished():
        found = next(each for each in browser.get("/jobs") if each["id"] == job["id"])
        return found if found["state"] != "running" else None

    done = wait_until(finished, 120)
    assert done["state"] == "done", done["says"]
    told = browser.get("/ranker")
    assert told["verdict"]
    wanted = {name for name, _ in candidates_for(session.items, False)}
    assert {row["name"] for row in told["leaderboard"]} >= wanted

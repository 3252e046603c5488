"""A small project behind the real application."""

import time
from itertools import count

import pytest
from fastapi.testclient import TestClient

from semirank.web.app import make_app
from semirank.web.people import Person
from semirank.web.project import ProjectItem
from semirank.web.safety import Access
from semirank.web.server import find_invited
from semirank.web.shelf import Shelf, make

TOPICS = ("heart failure drugs", "kidney stones diet", "sleep and mood", "back pain exercise")
TEXTS = [
    (f"{topic} study {n}", f"we looked at {topic} in {n + 3} people; {TOPICS[(k + n) % 4]} was not measured")
    for n in range(5)
    for k, topic in enumerate(TOPICS)
]
ITEMS = [ProjectItem(f"i{row}", *texts, meta={"year": 2000 + row}) for row, texts in enumerate(TEXTS)]
HEADERS = {"x-semirank": "1"}


class Browser:
    """A browser that behaves: cookie, header, ids of its own."""

    def __init__(self, app, token, key):
        self.http = TestClient(app, "http://127.0.0.1", headers=HEADERS, follow_redirects=False)
        self.answer = self.http.get("/", params={"token": token})
        self.key = key
        self._ids = count()
        self._name = token[:8]

    def get(self, path, **params):
        found = self.http.get(f"/api/p/{self.key}{path}", params=params)
        assert found.status_code == 200, found.text
        return found.json()

    def post(self, path, body=None):
        found = self.http.post(f"/api/p/{self.key}{path}", json=body if body is not None else {})
        assert found.status_code == 200, found.text
        return found.json()

    def do(self, kind, item=None, value=None, **more):
        event = {"id": f"{self._name}-{next(self._ids)}", "kind": kind, "item": item, "value": value, **more}
        return self.post("/events", [event])[0]

    def put(self, name, body, **params):
        """Upload a file, and wait until it is understood."""
        kind = {"content-type": "application/octet-stream"}
        params = {"name": name, **params}
        answer = self.http.put("/api/imports", params=params, content=body, headers=kind)
        assert answer.status_code == 200, answer.text
        path = f"/api/imports/{answer.json()['id']}"
        wait_until(lambda: self.http.get(path).json()["state"] != "reading")
        return self.http.get(path).json()

    def make(self, upload, **more):
        """Make a project of an upload, and go there."""
        answer = self.http.post("/api/projects", json={"import": upload["id"], **more})
        assert answer.status_code == 200, answer.text
        self.key = answer.json()["key"]
        return answer.json()

    def counts(self):
        found = self.get("")["counts"]
        return tuple(found[f"n_{name}"] for name in ("read", "found", "unsure", "later"))

    def rows(self, **params):
        return [item["row"] for item in self.get("/queue", **params)["items"]]


class House:
    """A server without a network: shelf, access, application."""

    def __init__(self, folder, users=False):
        self.shelf = Shelf(folder, users=users)
        self.access = Access(80, invited=lambda secret: find_invited(self.shelf, secret))
        self.app = make_app(self.shelf, self.access)
        self.folder = folder

    def project(self, items=ITEMS, vectors=None, name="p", events=(), **settings):
        path = self.folder / f"{name}.semirank"
        about = {"name": name, "kind": "texts" if vectors is None else "vectors", **settings}
        make(path, items, vectors, about, events).close()
        return self.shelf.open(path)

    def browser(self, key="p", token=None):
        return Browser(self.app, token or self.access.token, key)

    def settled(self, key="p", person=None):
        """Wait until the order is as new as the events."""
        return self.shelf.session(key).wait_for_order(person or Person())

    def close(self):
        self.shelf.close()


@pytest.fixture
def house(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path / "cache"))
    house = House(tmp_path)
    yield house
    house.close()


@pytest.fixture
def users_house(tmp_path):
    house = House(tmp_path, users=True)
    yield house
    house.close()


@pytest.fixture
def session(house):
    return house.project()


@pytest.fixture
def browser(house, session):
    return house.browser()


def wait_until(holds, seconds=30):
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
    return found

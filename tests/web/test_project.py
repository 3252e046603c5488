"""The project file: nothing acknowledged is lost or changed; nothing of a strange schema survives."""

import sqlite3

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semirank.feedback import Event
from semirank.feedback.engine import OrderRecord
from semirank.web.project import Project, ProjectError, ProjectItem

ITEMS = [ProjectItem(f"i{n}", f"title {n}", f"text about {'cats' if n % 2 else 'dogs'}") for n in range(10)]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "p.semirank"


def label(number, item="i1", value=1):
    return Event(f"e{number}", "label", item, value=value, reviewer="ann", order=3, mode="top", time="now")


def test_what_is_put_in_comes_out(path):
    with Project.create(path, ITEMS, settings={"target": {"recall": 0.95}}) as project:
        assert project.append([label(1), label(2, "i2", 0)]) == [1, 2]
    with Project.open(path) as project:
        assert project.events() == [label(1), label(2, "i2", 0)]
        assert project.events(after=1) == [label(2, "i2", 0)]
        assert project.settings == {"target": {"recall": 0.95}}
        assert [each.title for each in project.items.page([3, 1])] == ["title 3", "title 1"]
        assert project.items.as_items().features[1] == "title 1\n\ntext about cats"


def test_an_id_is_taken_once_and_a_batch_wholly_or_not(path):
    with Project.create(path, ITEMS) as project:
        assert project.append([label(1), label(1)]) == [1, 1]
        with pytest.raises(TypeError):
            project.append([label(2), Event("e3", "label", "i1", value=object())])
        assert [event.id for event in project.events()] == ["e1"]


def test_events_and_items_cannot_be_changed_or_deleted(path):
    with Project.create(path, ITEMS) as project:
        project.append([label(1)])
    with sqlite3.connect(path) as raw:
        for statement in ("DELETE FROM event", "UPDATE event SET kind = 'x'", "DELETE FROM item"):
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                raw.execute(statement)
    raw.close()


def test_search_takes_words_and_no_syntax(path):
    with Project.create(path, ITEMS) as project:
        assert sorted(project.items.search("cats")) == [1, 3, 5, 7, 9]
        assert project.items.search("title cat dogs 4") == []
        assert project.items.search("about ca text") == []
        assert sorted(project.items.search("about ca")) == [1, 3, 5, 7, 9]
        for hostile in ('"', "cats OR", "NEAR(", "title:", "*", "a AND NOT b -c", "'; DROP TABLE item"):
            project.items.search(hostile)
        assert len(project.items) == 10


@given(sizes=st.lists(st.integers(1, 30), min_size=1, max_size=4))
@settings(max_examples=8, deadline=None)
def test_vectors_come_back_whatever_the_blocks(tmp_path_factory, sizes):
    import semirank.web.project.items as items

    block, items.BLOCK = items.BLOCK, 7
    try:
        path = tmp_path_factory.mktemp("v") / "p.semirank"
        X = np.random.default_rng(0).random((sum(sizes), 3)).astype(np.float32)
        every = [ProjectItem(str(n)) for n in range(len(X))]
        with Project.create(path, every[: sizes[0]], X[: sizes[0]]) as project:
            for number, (at, size) in enumerate(zip(np.cumsum(sizes)[:-1].tolist(), sizes[1:], strict=True)):
                project.add_items(
                    every[at : at + size],
                    Event(f"import {number}", "import", value=at + size),
                    X[at : at + size],
                )
            np.testing.assert_array_equal(project.items.vectors(), X)
    finally:
        items.BLOCK = block


def test_orders_copies_and_backups(path, tmp_path):
    with Project.create(path, ITEMS) as project:
        record = OrderRecord(1, "abc", ("i1", "i2"))
        project.keep_order(record)
        project.keep_order(record)
        project.append([label(1)])
        assert project.orders() == [record]
        project.save_copy(tmp_path / "copy.semirank")
        for day in range(7):
            project.back_up(f"2026-01-0{day}")
    assert len(list(tmp_path.glob("*.backup"))) == 5
    with Project.open(tmp_path / "copy.semirank") as copy:
        assert copy.events() == [label(1)]


def test_what_is_no_project_is_refused(tmp_path):
    other = tmp_path / "other.semirank"
    with sqlite3.connect(other) as raw:
        raw.execute("CREATE TABLE event (x)")
    raw.close()
    text = tmp_path / "text.semirank"
    text.write_text("hello")
    for wrong in (other, text, tmp_path / "nowhere.semirank"):
        with pytest.raises(ProjectError, match=wrong.name):
            Project.open(wrong)


def test_a_newer_file_can_be_read_and_not_written(path):
    Project.create(path, ITEMS).close()
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA user_version = 99")
    raw.close()
    with Project.open(path) as project:
        assert project.read_only
        assert len(project.items) == 10
        with pytest.raises(ProjectError, match="newer semirank"):
            project.append([label(1)])


def test_a_strangers_file_is_copied_row_by_row(path, tmp_path):
    with Project.create(path, ITEMS) as project:
        project.append([label(1)])
    with sqlite3.connect(path) as raw:
        raw.execute(
            "CREATE TRIGGER evil AFTER INSERT ON meta BEGIN INSERT INTO meta VALUES ('evil', '1'); END"
        )
        raw.execute("CREATE TABLE evil (x)")
    raw.close()
    with Project.take_over(path, tmp_path / "mine.semirank") as mine:
        assert mine.events() == [label(1)]
        assert sorted(mine.items.search("cats")) == [1, 3, 5, 7, 9]
    with sqlite3.connect(tmp_path / "mine.semirank") as raw:
        assert not raw.execute("SELECT 1 FROM sqlite_master WHERE name = 'evil'").fetchall()
    raw.close()


def test_an_old_project_is_brought_up_to_date_after_a_copy(path, tmp_path):
    with Project.create(path, ITEMS) as project:
        project.append([label(1)])
    with sqlite3.connect(path) as raw:
        raw.executescript(
            "DROP TABLE order_digest; PRAGMA user_version = 1;"
            "CREATE TABLE order_digest (number INTEGER PRIMARY KEY, digest TEXT, first TEXT NOT NULL);"
            """INSERT INTO order_digest VALUES (1, 'abc', '["i1"]');"""
        )
    raw.close()
    with Project.open(path) as project:
        assert project.orders() == [OrderRecord(1, "abc", ("i1",))]
        assert project.ordered_for() == [""]
        assert project.events() == [label(1)]
    with sqlite3.connect(tmp_path / "p.semirank.v1") as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (1,)
        assert raw.execute("SELECT count(*) FROM event").fetchone() == (1,)
    raw.close()

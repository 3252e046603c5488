"""``kill -9`` of the app at random moments: nothing acknowledged is lost, nothing counts twice.

``python -m fuzz.app_kills --kills 1000`` prints a table. A session that takes verdicts, groups, undos and
redos runs in a fork of this process and says each acknowledged event into a pipe; it is killed, the project
is opened again, and everything that was acknowledged must be there. Likewise the making of a project, the
adding of items, migration and backup: the old file or the whole new one.
"""

import argparse
import os
import random
import signal
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from semirank.feedback import Event, State
from semirank.web.people import Person
from semirank.web.project import Project, ProjectItem
from semirank.web.replaying import replays
from semirank.web.session import Session
from semirank.web.shelf import make

N_ITEMS = 60
MOST_SECONDS = 0.6
TOPICS = ("heart failure", "kidney stones", "back pain", "sleep", "asthma")
MANY = 3000
OFTEN = {"label": 12, "unsure": 1, "later": 1, "undo": 4, "redo": 2, "group": 2, "ungroup": 1}
FIRST_VERSION = """
DROP TABLE order_digest;
CREATE TABLE order_digest (number INTEGER PRIMARY KEY, digest TEXT NOT NULL, first TEXT NOT NULL);
PRAGMA user_version = 1;
"""


def items(n: int, start: int = 0) -> list[ProjectItem]:
    """Return texts, every tenth with a copy."""
    return [
        ProjectItem(f"i{row}", f"{TOPICS[row % 5]} study {row - row % 10 // 9}", f"about {TOPICS[row % 3]}")
        for row in range(start, start + n)
    ]


def killed(act: Callable[[int], None], seconds: float | None) -> bytes:
    """Run a function in a fork, kill it after so many seconds (None: never), and return what it has said."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            act(writing)
        finally:
            os._exit(0)
    os.close(writing)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    said = bytearray()
    while block := os.read(reading, 1 << 16):
        said += block
    os.close(reading)
    return bytes(said)


def somewhere(act: Callable[[int], None], whole: float, rng: random.Random) -> None:
    """Kill what takes so many seconds at a moment before its end, or shortly after."""
    killed(act, rng.uniform(0, 1.2 * whole))


def lasts(act: Callable[[int], None]) -> float:
    """Return how long something takes that is not killed."""
    began = time.perf_counter()
    killed(act, None)
    return time.perf_counter() - began


def work(path: Path, seed: int) -> Callable[[int], None]:
    """Return a session that acts at random, and says what was acknowledged."""

    def act(pipe: int) -> None:
        rng = random.Random(seed)
        session = Session(Project.open(path), "p")
        for number in range(1_000_000):
            taken = session.add([event(rng, f"{seed}-{number}")], Person())[0]
            if taken.refused is None:
                os.write(pipe, f"{taken.event.id} {taken.seq} {len(taken.also)}\n".encode())

    return act


def event(rng: random.Random, name: str) -> Event:
    """Return something that a reviewer may do."""
    item = f"i{rng.randrange(N_ITEMS)}"
    kind = rng.choices(tuple(OFTEN), tuple(OFTEN.values()))[0]
    if kind == "label":
        return Event(name, kind, item, value=rng.randrange(2))
    if kind == "group":
        return Event(name, kind, item, value=[f"i{rng.randrange(N_ITEMS)}"])
    return Event(name, kind, item if kind in ("unsure", "later", "ungroup") else None)


def check_work(path: Path, said: bytes) -> None:
    """Compare what was acknowledged with what is there."""
    with Project.open(path) as project:  # integrity_check, because the end was not clean
        numbered = project.numbered_events()
        ids = [each.id for _, each in numbered]
        assert len(set(ids)) == len(ids), "an event is there twice"
        seqs = {each.id: seq for seq, each in numbered}
        state = State(project.items.as_items(), [each for _, each in numbered])
        for line in said.decode().splitlines(keepends=True):
            if line.endswith("\n"):
                name, seq, n_also = line.split()
                assert seqs.get(name) == int(seq), f"{name} was acknowledged and is lost"
                assert len(state.copies_of(name)) == int(n_also), f"{name} lost copies of its verdict"
        for each in ids:
            known = state.event(each)
            assert known is not None
            assert known.via is None or state.event(known.via) is not None


def kill_work(folder: Path, rng: random.Random) -> str:
    """Kill a session at work; the project goes on from where the last one was killed."""
    path = folder / "work.semirank"
    if not path.exists():
        make(path, items(N_ITEMS), None, {}).close()
    said = killed(work(path, rng.randrange(2**40)), rng.uniform(0, MOST_SECONDS))
    check_work(path, said)
    n_said = said.count(b"\n")
    if rng.random() < 0.1:
        with Project.open(path) as project:
            for _, found in replays(project):
                assert found.same, f"order {found.differences[0]} is another one now"
        path.unlink()
    return "events" if n_said else "before any event"


def kill_making(folder: Path, rng: random.Random) -> str:
    """Kill the making of a project: it is there as a whole, or not at all."""
    labels = [Event(f"import-{row}", "label", f"i{row}", value=1) for row in range(0, MANY, 2)]
    every = items(MANY)

    def making(path: Path) -> Callable[[int], None]:
        return lambda pipe: make(path, every, None, {}, labels).close()

    name = rng.randrange(2**40)
    path = folder / f"made{name}.semirank"
    somewhere(making(path), lasts(making(folder / f"timed{name}.semirank")), rng)
    if not path.exists():
        return "not there"
    with Project.open(path) as project:
        assert len(project.items) == MANY
        assert sum(each.kind == "label" for each in project.events()) == MANY // 2
        with closing(sqlite3.connect(path)) as raw:
            assert raw.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    return "whole"


def kill_adding(folder: Path, rng: random.Random) -> str:
    """Kill the adding of items: all of them with the event that says so, or none."""
    name, more = rng.randrange(2**40), items(MANY, 100)
    path, timed = folder / f"adding{name}.semirank", folder / f"timed{name}.semirank"

    def adding(path: Path) -> Callable[[int], None]:
        make(path, items(100), None, {}).close()

        def act(pipe: int) -> None:
            with Project.open(path) as project:
                label = Event("label", "label", "i100", value=1)
                project.add_items(more, Event("came", "import", value=100 + MANY), None, [label])

        return act

    somewhere(adding(path), lasts(adding(timed)), rng)
    with Project.open(path) as project:
        kinds = [each.kind for each in project.events() if each.kind != "group"]
        assert (len(project.items), kinds) in ((100, []), (100 + MANY, ["import", "label"]))
        return "whole" if kinds else "not there"


def old_project(path: Path) -> None:
    """Write a project of the first version."""
    make(path, items(500), None, {}).close()
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript(FIRST_VERSION)
        raw.executemany("INSERT INTO order_digest VALUES (?, 'x', ?)", [(n, "[]" * 500) for n in range(2000)])
        raw.commit()


def kill_migration(folder: Path, rng: random.Random) -> str:
    """Kill the opening of an old project: it opens afterwards, with all that it had."""
    name = rng.randrange(2**40)
    path, timed = folder / f"old{name}.semirank", folder / f"timed{name}.semirank"
    old_project(path)
    old_project(timed)
    seconds = lasts(lambda pipe: Project.open(timed).close())
    somewhere(lambda pipe: Project.open(path).close(), seconds, rng)
    with closing(sqlite3.connect(path)) as raw:
        before = raw.execute("PRAGMA user_version").fetchone()[0]
    with Project.open(path) as project, closing(sqlite3.connect(path)) as raw:
        assert len(project.items) == 500
        assert raw.execute("SELECT count(*) FROM order_digest").fetchone() == (2000,)
        assert raw.execute("PRAGMA user_version").fetchone() == (2,)
    return f"was of version {before}"


def kill_backup(folder: Path, rng: random.Random) -> str:
    """Kill a backup: it is there as a whole, or not at all; the project is as it was."""
    path, stamp = folder / "backed.semirank", str(rng.randrange(2**40))
    if not path.exists():
        make(path, items(MANY), None, {}).close()

    def backing(stamp: str) -> Callable[[int], None]:
        def act(pipe: int) -> None:
            with Project.open(path) as project:
                project.back_up(stamp)

        return act

    somewhere(backing(stamp), lasts(backing("timed")), rng)
    with Project.open(path) as project:
        assert len(project.items) == MANY
    copy = path.with_name(f"{path.name}.{stamp}.backup")
    if not copy.exists():
        return "not there"
    with Project.open(copy) as project:
        assert len(project.items) == MANY
    return "whole"


KINDS = {
    "work": kill_work,
    "making": kill_making,
    "adding": kill_adding,
    "migration": kill_migration,
    "backup": kill_backup,
}


def main() -> None:
    """Kill, check, and print how often each case came up."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000, help="of a session at work")
    parser.add_argument("--others", type=int, default=50, help="of making, adding, migration and backup each")
    parser.add_argument("--seed", type=int, default=None)
    options = parser.parse_args()
    seed = random.randrange(2**32) if options.seed is None else options.seed
    print(f"seed {seed}")
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        for name, kill in KINDS.items():
            n = options.kills if name == "work" else options.others
            found = Counter(kill(Path(folder), rng) for _ in range(n))
            told = ", ".join(f"{what}: {count}" for what, count in sorted(found.items()))
            print(f"{name}: {n} kills; {told}")
            sys.stdout.flush()


if __name__ == "__main__":
    main()

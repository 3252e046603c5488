"""``kill -9`` at random moments of fit, rank, convert, compare and fetch: the old file or the whole new one.

``python -m fuzz.kills --kills 1000`` prints a table. Half of the kills come at any moment of a command, half
when it is about to give the file its name. A command runs in a fork of this process, which has everything
imported.
"""

import argparse
import contextlib
import hashlib
import http.server
import os
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from semirank import Comparison, RankingDataset, cli
from semirank.readers import write
from semirank.readers.fetch import download

OLD = b"what was there before"
CONTENT = np.random.default_rng(1).bytes(3_000_000)
SPREAD = 0.0001  # seconds between a command's last word and its end


class Command:
    """A command that writes one file, and whether what is there is one of its answers."""

    def __init__(self, name: str, target: Path, act: Callable[[], Any]) -> None:
        self.name, self.target, self._act = name, target, act
        with contextlib.suppress(SystemExit):
            act()  # compiled loops are loaded here, once for all forks
        self.target.write_bytes(OLD)
        began = time.perf_counter()
        assert self.run(None) == 0, f"{name} fails by itself"
        self.seconds, self.whole = time.perf_counter() - began, self._answer()

    def run(self, delay: float | None, at_rename: bool = False) -> int:
        """Run the command, and kill it so many seconds after its start, or after it is about to rename."""
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            self._inside(writing if at_rename else None)
        os.close(writing)
        if delay is not None:
            if at_rename:
                os.read(reading, 1)  # or nothing, where the command has ended
            time.sleep(delay)
            os.killpg(child, signal.SIGKILL) if _is_leader(child) else os.kill(child, signal.SIGKILL)
        os.close(reading)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    def _inside(self, told: int | None) -> None:
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in (1, 2):
            os.dup2(silent, stream)
        replace = os.replace

        def tell(*names: Any) -> None:
            if told is not None:
                os.write(told, b"x")
            replace(*names)

        os.replace = tell  # type: ignore[assignment]
        status = 1
        try:
            self._act()
            status = 0
        except SystemExit as end:
            status = int(end.code or 0)
        finally:
            os._exit(status)

    def state(self) -> str:
        """Say which file is there; raise AssertionError for anything else."""
        if self.target.read_bytes() == OLD:
            return "old"
        assert self._answer() == self.whole, f"{self.name}: neither the old file nor the new one"
        return "new"

    def _answer(self) -> Any:
        if self.target.suffix != ".json":
            return hashlib.sha256(self.target.read_bytes()).hexdigest()
        return [(each.name, each.values) for each in Comparison.from_json(self.target.read_text()).results]


def _is_leader(child: int) -> bool:
    try:
        return os.getpgid(child) == child
    except ProcessLookupError:
        return False


def commands(folder: Path) -> list[Command]:
    """Make small data, and the five commands that write something of it."""
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(400, 5)), np.repeat(np.arange(10), 40)
    y = np.where(rng.random(400) < 0.5, np.nan, (X[:, 0] + rng.normal(size=400) > 0).astype(float))
    data = str(folder / "data.csv")
    write(RankingDataset(X, y, qid), data)
    url = _serve()

    def typed(*words: str) -> Callable[[], Any]:
        def act() -> None:
            sys.argv = ["semirank", *words]
            cli.main()

        return act

    compare = ("compare", data, "-r", "rankrls", "-r", "logistic-ranker", "--no-budget", "--resume", "-q")
    model, scores, letor, report, fetched = (
        folder / name for name in ("model", "scores.tsv.gz", "data.letor", "report.json", "fetched")
    )
    return [
        Command("fit", model, typed("fit", data, "-q", "-r", "rankboost", "-o", str(model))),
        Command("rank", scores, typed("rank", data, "-q", "-r", "rankrls", "-o", str(scores))),
        Command("convert", letor, typed("convert", data, "-q", str(letor))),
        Command("compare", report, typed(*compare, "-o", str(report))),
        Command("fetch", fetched, lambda: download(url, fetched)),
    ]


def _serve() -> str:
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            try:
                self.wfile.write(CONTENT)
            except OSError:
                return

        def log_message(self, *words: Any) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/file"


def kill_often(folder: Path, n_kills: int, seed: int = 0) -> dict[str, Counter[str]]:
    """Kill each command in turn; return what was there afterwards, counted by command."""
    rng, found = np.random.default_rng(seed), {}
    for command in commands(folder):
        states = found[command.name] = Counter[str]()
        for number in range(max(1, n_kills // 5)):
            command.target.write_bytes(OLD)
            at_rename = number % 2 == 0
            delay = rng.exponential(SPREAD) if at_rename else rng.uniform(0, 1.1 * command.seconds)
            command.run(delay, at_rename)
            states[command.state()] += 1
        states["parts left at the end"] = len(list(folder.glob(f".{command.target.name}.*.part")))
        assert command.run(None) == 0, f"{command.name} does not go on after kills"
        assert command.state() == "new"
        assert not list(folder.glob(f".{command.target.name}.*.part")), "parts of killed runs stay"
    return found


def main() -> int:
    """Run the kills that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        found = kill_often(Path(folder), options.kills, options.seed)
    print("| command | old file | whole new file | anything else | parts that the next run removed |")
    print("|---|---|---|---|---|")
    for name, states in found.items():
        print(f"| {name} | {states['old']} | {states['new']} | 0 | {states['parts left at the end']} |")
    print(f"\n{time.perf_counter() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())

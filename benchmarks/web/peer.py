"""The app beside ASReview LAB: the same texts, the same reader at the same pace, in one run.

python -m benchmarks.web.peer --items 10000 --verdicts 150 --per-second 1

Both know one relevant and one irrelevant item. A reader takes what is offered, says what it is (relevant
where the word "topic" is in it), and asks for the next one. Measured over HTTP, without the browser's own
work: from the verdict to the next item in hand, how many verdicts the order of that item had not seen, the
start, and the memory of all processes. Needs pip install -e ".[peers,web]".
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import httpx
import numpy as np
from benchmarks.web.server import machine, serving, texts, told

from semirank.web.project import ProjectItem
from semirank.web.shelf import make

KNOWN = (1, 0)  # verdicts on the first items, before the reading


class Item(NamedTuple):
    """What a reader is offered, and how many verdicts its order has seen."""

    id: str
    text: str
    seen: int


class Reading(NamedTuple):
    """What a reader has lived through."""

    waits: list[float]
    behind: list[int]
    found: int


def read(offer: Callable[[], Item], judge: Callable[[Item, int], None], n: int, pause: float) -> Reading:
    """Give n verdicts at a steady pace; how far an order is behind counts once one has seen any."""
    waits, behind, found, item, due = [], [], 0, offer(), time.perf_counter()
    for number in range(n):
        verdict = int("topic" in item.text)
        found += verdict
        began = time.perf_counter()
        judge(item, verdict)
        item = offer()
        waits.append(time.perf_counter() - began)
        if item.seen:
            behind.append(number + 1 + len(KNOWN) - item.seen)
        due += pause
        time.sleep(max(0.0, due - time.perf_counter()))
    return Reading(waits, behind, found)


def memory_of(process: subprocess.Popen[str]) -> float:
    """Return what a process and its children have used at most, each by itself, in megabytes."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)], capture_output=True, text=True)
    total = 0.0
    for pid in [process.pid, *map(int, listed.stdout.split())]:
        with suppress(OSError):  # it may have ended
            found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
            total += int(found.group(1)) / 1024 if found else 0.0
    return total


def semirank(folder: Path, data: list[tuple[str, str]], n: int, pause: float) -> Reading:
    path = folder / "bench.semirank"
    make(path, [ProjectItem(str(row), *text) for row, text in enumerate(data)], None, {}).close()
    with serving(folder, str(path)) as (client, process, seconds):
        print(f"semirank: page after {seconds:.1f} s")
        key = client.get("/api/session").json()["open"]

        def offer() -> Item:
            answer = client.get(f"/api/p/{key}/queue?n=20").json()
            item, order = answer["items"][0], answer["order"]
            seen = order["number"] if order["ranker"] == "ScreeningRanker" else 0
            return Item(item["id"], item["title"] + item["text"], seen)

        def judge(item: Item, verdict: int) -> None:
            event = {"id": f"v{item.id}", "kind": "label", "item": item.id, "value": verdict}
            client.post(f"/api/p/{key}/events", json=[event]).raise_for_status()

        for row, known in enumerate(KNOWN):
            judge(Item(str(row), "", 0), known)
        reading = read(offer, judge, n, pause)
        print(f"semirank: memory {memory_of(process):.0f} MB")
    return reading


@contextmanager
def lab(folder: Path) -> Iterator[tuple[httpx.Client, subprocess.Popen[str], float]]:
    """Run `asreview lab`; give a client, the process, and the seconds until it answers."""
    began, port = time.perf_counter(), 5055
    command = [str(Path(sys.executable).parent / "asreview"), "lab", "--no-browser", "--skip-update-check"]
    environment = os.environ | {"ASREVIEW_LAB_PATH": str(folder), "ASREVIEW_PATH": str(folder)}
    process = subprocess.Popen(
        [*command, "--port", str(port)], env=environment, text=True, stdout=subprocess.DEVNULL
    )
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=600) as client:
            while True:
                with suppress(httpx.TransportError):
                    client.get("/api/projects").raise_for_status()
                    break
                time.sleep(0.02)
            yield client, process, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(30)


def asreview(folder: Path, data: list[tuple[str, str]], n: int, pause: float) -> Reading:
    table = folder / "bench.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([("title", "abstract"), *data])
    with lab(folder) as (client, process, seconds):
        print(f"ASReview LAB: answers after {seconds:.1f} s")
        with table.open("rb") as file:
            made = client.post("/api/projects/create", data={"mode": "oracle"}, files={"file": file})
        base = f"/api/projects/{made.raise_for_status().json()['id']}"

        def offer() -> Item:
            item = client.get(f"{base}/get_record").raise_for_status().json()["result"]
            seen = item["state"]["training_set"]
            return Item(str(item["record_id"]), item["title"] + item["abstract"], int(seen or 0))

        def judge(item: Item, verdict: int) -> None:
            form = {"record_id": item.id, "label": verdict, "retrain_model": "1"}
            client.post(f"{base}/record/{item.id}", data=form).raise_for_status()

        for row, known in enumerate(KNOWN):
            judge(Item(str(row), "", 0), known)
        client.put(f"{base}/review", data={"status": "review", "trigger_model": "1"}).raise_for_status()
        while not client.get(f"{base}/get_record").json()["result"]:
            time.sleep(0.05)
        reading = read(offer, judge, n, pause)
        print(f"ASReview LAB: memory {memory_of(process):.0f} MB")
    return reading


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--verdicts", type=int, default=150)
    parser.add_argument("--per-second", type=float, default=1.0)
    options = parser.parse_args()
    print(machine())
    data = texts(options.items)
    medians = {}
    for name, app in (("semirank", semirank), ("ASReview LAB", asreview)):
        with tempfile.TemporaryDirectory() as folder:
            reading = app(Path(folder), data, options.verdicts, 1 / options.per_second)
        told(f"{name}: verdict to the next item", reading.waits)
        medians[name] = np.median(reading.waits)
        late = f"median {np.median(reading.behind):g}, at most {max(reading.behind)}"
        print(f"{name}: found {reading.found}; verdicts that the order had not seen: {late}")
    print(f"medians, semirank / ASReview LAB: {medians['semirank'] / medians['ASReview LAB']:.2f}")


if __name__ == "__main__":
    main()

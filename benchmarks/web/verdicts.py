"""From a verdict to its acknowledgement, and to the order that has learned from it.

python -m benchmarks.web.verdicts --items 20000 --verdicts 1000 --per-second 2

A reader takes the first item of the queue, says what it is (relevant where the word "topic" is in it),
and waits until the next verdict is due. Acknowledged: the time of POST /events, engine at work. Order: until
the stream tells of an order that has the verdict's number or a later one.
"""

import argparse
import json
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
from benchmarks.web.server import machine, peak_memory, serving, texts, told

from semirank.web.project import ProjectItem
from semirank.web.shelf import make


class Orders:
    """When each order was told of, by its number."""

    def __init__(self, client: httpx.Client, key: str) -> None:
        self.times: dict[int, float] = {}
        self._client, self._key = client, key
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        path, event = f"/api/p/{self._key}/stream", ""
        with suppress(httpx.TransportError), self._client.stream("GET", path, timeout=None) as answer:
            for line in answer.iter_lines():
                if line.startswith("event:"):
                    event = line[6:].strip()
                elif line.startswith("data:") and event == "order":
                    self.times.setdefault(json.loads(line[5:])["number"], time.perf_counter())

    def after(self, number: int, began: float) -> float | None:
        """Return the seconds until an order came that has learned from this event."""
        came = [at for order, at in self.times.items() if order >= number]
        return min(came) - began if came else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--verdicts", type=int, default=1000)
    parser.add_argument("--per-second", type=float, default=2.0)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.semirank"
        made = [ProjectItem(str(row), *text) for row, text in enumerate(texts(options.items))]
        make(path, made, None, {}).close()
        with serving(Path(folder), str(path)) as (client, process, seconds):
            print(f"start: page after {seconds:.2f} s")
            key = client.get("/api/session").json()["open"]
            while client.get(f"/api/p/{key}").json()["order"]["ranker"] == "file order":
                time.sleep(0.05)
            read(client, key, options.verdicts, 1 / options.per_second)
            print(f"memory: peak {peak_memory(process):.0f} MB")


def read(client: httpx.Client, key: str, n: int, pause: float) -> None:
    listening = httpx.Client(base_url=client.base_url, cookies=client.cookies)
    orders = Orders(listening, key)
    client.post(f"/api/p/{key}/seeds", json={"text": "topic"})
    time.sleep(3)
    acknowledged, queued, began_at = [], [], []
    due = time.perf_counter()
    behind = []
    for number in range(n):
        began = time.perf_counter()
        told_next = client.get(f"/api/p/{key}/queue?n=20").json()
        queued.append(time.perf_counter() - began)
        item = told_next["items"][0]
        behind.append(number + 1 - told_next["order"]["number"])
        event = {
            "id": f"v{number}",
            "kind": "label",
            "item": item["id"],
            "value": int("topic" in item["text"]),
        }
        began = time.perf_counter()
        answer = client.post(f"/api/p/{key}/events", json=[event]).json()
        acknowledged.append(time.perf_counter() - began)
        assert "seq" in answer[0], answer
        began_at.append((number + 2, began))  # the question was the first event
        due += pause
        time.sleep(max(0.0, due - time.perf_counter()))
    time.sleep(3)
    told("POST /events acknowledged", acknowledged, 25)
    told("GET /queue, 20 items", queued)
    waits = [wait for number, began in began_at if (wait := orders.after(number, began)) is not None]
    first = sum(began < began_at[0][1] + waits[0] for _, began in began_at)  # given before there was an order
    print(f"order that has learned from the first verdict: after {waits[0]:.2f} s, {first} verdicts later")
    told("verdict to an order that has learned from it", waits[first:], 100)
    print(
        f"orders told: {len(orders.times)}; then verdicts behind at the next item: at most "
        f"{max(behind[first + 1 :])}"
    )


if __name__ == "__main__":
    main()

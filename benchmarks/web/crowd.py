"""Twenty reviewers at one verdict a second: nothing is lost, and nobody waits.

python -m benchmarks.web.crowd --reviewers 20 --minutes 10
"""

import argparse
import tempfile
import threading
import time
from pathlib import Path

import httpx
from benchmarks.web.server import machine, peak_memory, serving, texts, told

from semirank.web.project import Project, ProjectItem
from semirank.web.shelf import make


class Reviewer(threading.Thread):
    """Somebody who reads, one verdict a second."""

    def __init__(self, link: str, key: str, seconds: float) -> None:
        super().__init__(daemon=True)
        self.link, self.key, self.seconds = link, key, seconds
        self.times: list[float] = []
        self.acknowledged: list[str] = []

    def run(self) -> None:
        """Read until the time is over."""
        with httpx.Client(
            base_url=self.link.split("/?")[0], headers={"x-semirank": "1"}, timeout=60
        ) as client:
            client.get(self.link)
            due = end = time.perf_counter()
            end += self.seconds
            while due < end:
                item = client.get(f"/api/p/{self.key}/queue?n=20").json()["items"][0]
                name = f"{self.name}-{len(self.times)}"
                event = {
                    "id": name,
                    "kind": "label",
                    "item": item["id"],
                    "value": int("topic" in item["text"]),
                }
                began = time.perf_counter()
                answer = client.post(f"/api/p/{self.key}/events", json=[event]).json()[0]
                self.times.append(time.perf_counter() - began)
                if "seq" in answer:
                    self.acknowledged.append(name)
                due += 1.0
                time.sleep(max(0.0, due - time.perf_counter()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reviewers", type=int, default=20)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--items", type=int, default=20_000)
    options = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "crowd.semirank"
        made = [ProjectItem(str(row), *text) for row, text in enumerate(texts(options.items))]
        make(path, made, None, {}).close()
        with serving(Path(folder), str(path), "--users") as (client, process, _):
            key = client.get("/api/session").json()["open"]
            client.post(f"/api/p/{key}/seeds", json={"text": "topic"})
            links = [
                client.post(f"/api/p/{key}/invitations", json={"name": f"r{n}"}).json()["link"]
                for n in range(options.reviewers)
            ]
            crowd = [Reviewer(link, key, 60 * options.minutes) for link in links]
            for each in crowd:
                each.start()
                time.sleep(1 / len(crowd))  # people do not press keys together
            for each in crowd:
                each.join()
            told("POST /events acknowledged", [t for each in crowd for t in each.times], 100)
            print(f"memory: peak {peak_memory(process):.0f} MB")
        with Project.open(path) as project:
            there = {event.id for event in project.events()}
        sent = {name for each in crowd for name in each.acknowledged}
        print(f"acknowledged {len(sent)}, lost {len(sent - there)}")
        assert sent <= there


if __name__ == "__main__":
    main()

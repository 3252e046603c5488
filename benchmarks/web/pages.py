"""A page of fifty anywhere among a million vectors; start and memory of such a project.

python -m benchmarks.web.pages --items 1000000 --width 64
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from benchmarks.web.server import machine, peak_memory, serving, told

from semirank.web.project import Project, ProjectItem


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--width", type=int, default=64)
    parser.add_argument("--pages", type=int, default=300)
    options = parser.parse_args()
    print(machine())
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vectors.semirank"
        items = (ProjectItem(str(row), f"item {row}") for row in range(options.items))
        vectors = rng.normal(size=(options.items, options.width)).astype(np.float32)
        settings = {"kind": "vectors", "n_items": options.items}
        Project.create(path, items, vectors, settings).close()
        del vectors
        with serving(Path(folder), str(path)) as (client, process, seconds):
            print(f"start: page after {seconds:.1f} s   target 60 s")
            key = client.get("/api/session").json()["open"]
            began = time.perf_counter()
            event = {"id": "first", "kind": "label", "item": "5", "value": 1}
            client.post(f"/api/p/{key}/events", json=[event])
            while client.get(f"/api/p/{key}").json()["order"]["ranker"] in ("file order", "random"):
                time.sleep(0.2)
            print(f"first order from a label: {time.perf_counter() - began:.1f} s")
            for sort in ("file", "rank"):
                times = []
                for offset in rng.integers(0, options.items - 50, options.pages).tolist():
                    began = time.perf_counter()
                    answer = client.get(f"/api/p/{key}/items?sort={sort}&offset={offset}&n=50").json()
                    times.append(time.perf_counter() - began)
                    assert len(answer["items"]) == 50
                told(f"page of 50, sorted by {sort}", times, 30)
            acknowledged, ordered = [], []
            for number in range(20):
                event = {
                    "id": f"v{number}",
                    "kind": "label",
                    "item": str(7 * number + 11),
                    "value": number % 2,
                }
                began = time.perf_counter()
                client.post(f"/api/p/{key}/events", json=[event])
                acknowledged.append(time.perf_counter() - began)
                while client.get(f"/api/p/{key}/queue?n=1").json()["order"]["number"] < number + 2:
                    time.sleep(0.02)
                ordered.append(time.perf_counter() - began)
            told("POST /events acknowledged", acknowledged, 60)
            told("verdict to its order", ordered, 1000)
            print(f"memory: peak {peak_memory(process):.0f} MB   target 3,000")


if __name__ == "__main__":
    main()

"""Workers that are killed at random moments: same bits, and no fit that hangs.

python benchmarks/scale/kills.py FOLDER [TRIALS] [SECONDS] [RANKER ...]

Two workers of one thread, each restarted by its nanny. In every trial one of them gets SIGKILL at a moment
drawn from the time that a fit takes. A fit that finishes no part for a minute counts as hanging. Stops early,
and says so, when the time is over. Results go to FOLDER as JSON; those of rankers not named stay there.
"""

import json
import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

import numpy as np
from distributed import Client, LocalCluster
from processes import say_load, write_letor_like

from semirank import RankBoost, RankRLS, RayleighRanker, open_parts
from semirank.storage import digest_of

RANKERS = {
    "RankRLS": lambda: RankRLS(),
    "RankBoost": lambda: RankBoost(15),
    "RayleighRanker": lambda: RayleighRanker("linear", n_components=20, smoothness=0.0),
}
TIMEOUT = 60.0


def processes_of(client: Client) -> list[int]:
    """Wait for two workers that answer; nannies do not bring every one back that was killed."""
    end = time.perf_counter() + 10
    while time.perf_counter() < end:
        with suppress(OSError):  # one that has just died
            found = list(client.run(os.getpid).values())
            if len(found) == 2:
                return found
        time.sleep(0.2)
    return []


def trial(client: Client, name: str, parts: Any, moment: float, victim: int) -> tuple[str, float]:
    """Return the digest of the model, or what went wrong, and the seconds it took."""
    timer = Timer(moment, os.kill, (victim, signal.SIGKILL))
    start = time.perf_counter()
    timer.start()
    try:
        found = digest_of(RANKERS[name]().fit_parts(parts, budget=0, on=client, timeout=TIMEOUT))
    except ValueError as error:
        found = f"error: {error}"
    seconds = time.perf_counter() - start
    timer.join()
    return found, seconds


def time_of_fit(name: str, parts: Any, client: Client) -> float:
    start = time.perf_counter()
    RANKERS[name]().fit_parts(parts, budget=0, on=client)
    return time.perf_counter() - start


def trials(name: str, parts: Any, n_trials: int, seconds: float) -> dict[str, Any]:
    """Kill a worker in each of many fits; a cluster that does not recover is replaced by a new one."""
    rng, end = np.random.default_rng(0), time.perf_counter() + seconds
    expected = digest_of(RANKERS[name]().fit_parts(parts, budget=0))
    found: list[tuple[str, float]] = []
    n_clusters, usual = 0, 0.0
    while len(found) < n_trials and time.perf_counter() < end:
        n_clusters += 1
        cluster = LocalCluster(2, threads_per_worker=1, dashboard_address=None)
        with cluster, Client(cluster) as client:
            RANKERS[name]().fit_parts(parts, budget=0, on=client)
            usual = usual or time_of_fit(name, parts, client)
            while len(found) < n_trials and time.perf_counter() < end:
                workers = processes_of(client)
                if not workers:
                    break
                victim = workers[int(rng.integers(2))]
                found.append(trial(client, name, parts, rng.uniform(0, usual), victim))
    took = [each for _, each in found]
    return {
        "ranker": name,
        "trials": len(found),
        "same bits": sum(each == expected for each, _ in found),
        "ended with an error": sum(each.startswith("error") for each, _ in found),
        "clusters": n_clusters,
        "usual, s": round(usual, 2),
        "median with a kill, s": round(float(np.median(took)), 2),
        "longest, s": round(max(took), 2),
        "load": say_load().removeprefix("load average "),
        "errors": sorted({each for each, _ in found if each.startswith("error")}),
    }


def main(folder: str, n_trials: str = "50", seconds: str = "600", *names: str) -> None:
    chosen, target = names or tuple(RANKERS), Path(folder, "kills.json")
    rows = json.loads(target.read_text())["rows"] if names and target.exists() else []
    rows = [row for row in rows if row["ranker"] not in chosen]
    with tempfile.TemporaryDirectory() as place:
        write_letor_like(Path(place) / "a.parquet", 400_000, 20)
        parts = open_parts(Path(place) / "a.parquet", part_bytes=1 << 20)
        for name in chosen:
            rows.append(trials(name, parts, int(n_trials), float(seconds) / len(chosen)))
            print(rows[-1], file=sys.stderr, flush=True)
            found = {"rows": rows, "parts": len(parts), "asked": int(n_trials)}
            target.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Learning from sums over parts: equal to memory, and what it costs, streamed and on a cluster.

python benchmarks/scale/sums.py equality FOLDER      sums against fit, on LETOR data and made-up ones
python benchmarks/scale/sums.py cost FOLDER          4 GB of Parquet, with 1 GB of memory
python benchmarks/scale/sums.py rounds FOLDER        what one more round of boosting costs
python benchmarks/scale/sums.py POINT ...            one point of these

Times are processor seconds of all processes. Results go to FOLDER as JSON; `page.py` makes a page of them.
"""

import json
import os
import resource
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from processes import commands, letor_rows, measure, say_load, watched, write_letor_like
from pyarrow import parquet

from semirank import RankBoost, RankRLS, RankRLSCV, RayleighRanker, SemiRankBoost, load, open_parts
from semirank.dataset import RankingDataset
from semirank.dataset.parts import Part, Parts

ROWS, N_FEATURES = 20_000_000, 50
TENTH = ROWS // 10
N_ROUNDS = 10
RANKERS = {
    "RankRLS": lambda: RankRLS(),
    "RankRLSCV": lambda: RankRLSCV(),
    "RankBoost": lambda: RankBoost(N_ROUNDS),
    "SemiRankBoost": lambda: SemiRankBoost(N_ROUNDS),
    "RayleighRanker": lambda: RayleighRanker("linear", n_components=50),
}


def in_parts(X: np.ndarray, y: np.ndarray, qid: np.ndarray, n_parts: int) -> Parts:
    """Cut data in memory into parts of whole lists."""
    begins = np.flatnonzero(np.append(True, qid[1:] != qid[:-1]))
    bounds = [*begins[np.linspace(0, len(begins), n_parts + 1).astype(int)[:-1]].tolist(), len(y)]
    parts = []
    for number, (a, b) in enumerate(pairwise(bounds)):
        n_labelled = int((~np.isnan(y[a:b])).sum())
        parts.append(Part(number, "memory", b - a, n_labelled, RankingDataset, (X[a:b], y[a:b], qid[a:b])))
    return Parts(tuple(parts), False, None, X.shape[1])


def datasets() -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return a fold of LETOR with half of its labels hidden, and lists that were made up."""
    found = {}
    for name in ("mq2008", "ohsumed-letor"):
        data = load(name)
        few = data.hide_labels(0.5, random_state=0)
        found[name] = few.X, few.y, few.list_of_item
    X, y, qid = letor_rows(20_000, 20, 0)
    y = np.where(np.random.default_rng(0).random(len(y)) < 0.5, np.nan, y)
    found["made up"] = X, y.astype(np.float64), qid
    return found


def equality() -> dict[str, Any]:
    """Say how far scores by sums over 1, 6 and 41 parts are from those of fit, and from each other."""
    rows = []
    for name, (X, y, qid) in datasets().items():
        for ranker, make in RANKERS.items():
            whole = make().fit(X, y, qid)
            expected = whole.predict(X, qid)
            found = {n: make().fit_parts(in_parts(X, y, qid, n), budget=0) for n in (1, 6, 41)}
            scores = {n: each.predict(X, qid) for n, each in found.items()}
            size = np.abs(expected).max()
            row = {"data": name, "ranker": ranker}
            row |= {f"{n} parts": float(np.abs(s - expected).max() / size) for n, s in scores.items()}
            row["same bits for any parts"] = all(np.array_equal(scores[1], s) for s in scores.values())
            if isinstance(whole, RankBoost):
                same = (np.array_equal(whole.thresholds_, each.thresholds_) for each in found.values())
                row["same stumps"] = all(same)
            rows.append(row)
            print(row, file=sys.stderr, flush=True)
    return {"rows": rows, "load": say_load()}


def memory(ranker: str, path: str) -> dict[str, Any]:
    """Read a file into memory and fit."""
    with watched() as found:
        table = parquet.read_table(path)
        flat = table["x"].combine_chunks().flatten().to_numpy()
        X, y = flat.reshape(-1, N_FEATURES), table["label"].to_numpy()
        RANKERS[ranker]().fit(X, y, table["qid"].to_numpy())
    return found


def streamed(ranker: str, path: str) -> dict[str, Any]:
    """Learn from sums over parts."""
    with watched() as found:
        fitted = RANKERS[ranker]().fit_parts(open_parts(path), budget=0)
    return found | {"digest": digest(fitted)}


def clustered(ranker: str, path: str) -> dict[str, Any]:
    """Learn from the same sums on two workers of one thread, each with 1 GB."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(2, threads_per_worker=1, memory_limit="1GiB", dashboard_address=None)
    with cluster, Client(cluster) as client:
        client.run(import_all)
        before = client.run(used)
        with watched() as found:
            fitted = RANKERS[ranker]().fit_parts(open_parts(path), budget=0, on=client)
        after = client.run(used)
        of_workers = sum(after[each][0] - before[each][0] for each in before)
        idle = idle_rate(client)
        worker_mb = round(max(peak for _, peak in after.values()))
    return found | {
        "driver_cpu_s": found["cpu_s"],
        "cpu_s": round(found["cpu_s"] + of_workers, 2),
        "idle_cpu_s": round(idle * found["wall_s"], 2),
        "worker_mb": worker_mb,
        "digest": digest(fitted),
    }


def idle_rate(client: Any, seconds: float = 10.0) -> float:
    """Return what driver and workers take of a core while nothing is to be done."""
    before, of_driver = client.run(used), used()
    time.sleep(seconds)
    after = client.run(used)
    of_workers = sum(after[each][0] - before[each][0] for each in before)
    return (used()[0] - of_driver[0] + of_workers) / seconds


def import_all() -> None:
    """Import, and compile, what a fit needs, which is no part of what is measured."""
    X, y, qid = letor_rows(1_000, 5, 0)
    for name in ("RankRLS", "RankBoost"):
        RANKERS[name]().fit_parts(in_parts(X, y.astype(np.float64), qid, 2), budget=0)


def used() -> tuple[float, float]:
    """Return processor seconds and the peak of memory in MB of a worker."""
    found = resource.getrusage(resource.RUSAGE_SELF)
    return found.ru_utime + found.ru_stime, found.ru_maxrss / 1024


def digest(ranker: Any) -> str:
    from semirank.storage import digest_of

    return digest_of(ranker)[:16]


def cost() -> dict[str, Any]:
    """Measure 20 million rows of 50 features (4 GB), and a tenth of them in memory."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_letor_like(folder / "all.parquet", ROWS, N_FEATURES)
        write_letor_like(folder / "tenth.parquet", TENTH, N_FEATURES)
        rows = []
        for ranker in ("RankRLS", "RankBoost"):
            for point, path in (
                ("memory", folder / "tenth.parquet"),
                ("streamed", folder / "tenth.parquet"),
                ("streamed", folder / "all.parquet"),
                ("clustered", folder / "all.parquet"),
            ):
                found = measure(point, ranker, path, script=__file__)
                rows.append({"ranker": ranker, "how": point, "data": path.stem, **found})
        return {"rows": rows, "load": say_load(), "bytes": os.path.getsize(folder / "all.parquet")}


def rounds() -> dict[str, Any]:
    """Measure 10 and 40 rounds on a tenth of the rows."""
    with tempfile.TemporaryDirectory() as name:
        write_letor_like(Path(name) / "tenth.parquet", TENTH, N_FEATURES)
        few, many = (measure("boosted", n, Path(name) / "tenth.parquet", script=__file__) for n in (10, 40))
        return {
            "rows": [few, many],
            "a round, cpu_s": (many["cpu_s"] - few["cpu_s"]) / 30,
            "load": say_load(),
        }


def boosted(n_rounds: str, path: str) -> dict[str, Any]:
    """Learn so many rounds from sums over parts."""
    with watched() as found:
        RankBoost(int(n_rounds)).fit_parts(open_parts(path), budget=0)
    return {"rounds": int(n_rounds), **found}


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] in ("equality", "cost", "rounds"):
        found = {"equality": equality, "cost": cost, "rounds": rounds}[sys.argv[1]]()
        Path(sys.argv[2], f"{sys.argv[1]}.json").write_text(json.dumps(found, indent=1))
    else:
        commands(memory=memory, streamed=streamed, clustered=clustered, boosted=boosted)

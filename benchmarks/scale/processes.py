"""Processor time and memory of a process, and data to measure on."""

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import parquet

ROWS_A_GROUP = 50_000


def measure(command: str, *arguments: Any, script: str) -> dict[str, Any]:
    """Run one point of a benchmark in a process of its own; return what it prints."""
    run = subprocess.run(
        [sys.executable, script, command, *map(str, arguments)], capture_output=True, text=True
    )
    if run.returncode:
        raise RuntimeError(run.stderr)
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    print(command, *arguments, found, file=sys.stderr, flush=True)
    return found


@contextmanager
def watched() -> Iterator[dict[str, float]]:
    """Fill in processor seconds, and peaks of memory in MB: all, and without files mapped into it."""
    found: dict[str, float] = {"own_mb": 0.0}
    over = Event()

    def look() -> None:
        while not over.wait(0.1):
            found["own_mb"] = max(found["own_mb"], round(_own_memory()))

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    cpu, wall = _processor_time(), time.perf_counter()
    try:
        yield found
    finally:
        over.set()
        watcher.join()
        found["cpu_s"] = round(_processor_time() - cpu, 2)
        found["wall_s"] = round(time.perf_counter() - wall, 1)
        found["peak_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def _processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _own_memory() -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) / 1024
    return float("nan")


def say_load() -> str:
    """Say how busy the machine is with other work."""
    return "load average " + ", ".join(f"{each:.1f}" for each in os.getloadavg())


def letor_rows(n_rows: int, n_features: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make lists of a hundred items with five grades, as a search engine would have them."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_features), dtype=np.float32)
    weights = np.random.default_rng(0).normal(size=n_features).astype(np.float32)
    score = X @ weights + 0.5 * rng.normal(size=n_rows).astype(np.float32)
    y = np.clip(np.digitize(score, np.quantile(score[:10_000], [0.5, 0.75, 0.9, 0.97])), 0, 4)
    return X, y.astype(np.float32), np.repeat(np.arange(n_rows // 100), 100)


def write_letor_like(path: Path, n_rows: int, n_features: int, block: int = 500_000) -> None:
    """Write such rows as Parquet, features as one column of vectors."""
    writer = None
    for start in range(0, n_rows, block):
        X, y, qid = letor_rows(min(block, n_rows - start), n_features, start)
        vectors = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), n_features)
        table = pa.table({"qid": qid + start // 100, "label": y, "x": vectors})
        writer = writer or parquet.ParquetWriter(path, table.schema, compression="none")
        writer.write_table(table, row_group_size=ROWS_A_GROUP)
    assert writer is not None
    writer.close()


def commands(**known: Callable[..., dict[str, Any]]) -> None:
    """Run the point that the command line names, and print what it found."""
    name, *arguments = sys.argv[1:]
    print(json.dumps(known[name](*arguments)))

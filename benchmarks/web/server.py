"""The app as a process of its own, and a browser without a window: what the benchmarks have in common."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np

WORDS = 20_000


def texts(n: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return titles and abstracts with word frequencies as languages have; one in 50 is relevant."""
    rng = np.random.default_rng(seed)
    ranks = np.arange(1, WORDS + 1)
    vocabulary = np.array([f"w{rank:05d}" for rank in ranks])
    frequencies = (1 / ranks) / (1 / ranks).sum()
    made = []
    for row in range(n):
        drawn = vocabulary[rng.choice(WORDS, 150, p=frequencies)].tolist()
        if row % 50 == 0:
            drawn[::10] = ["topic"] * 15
        made.append((" ".join(drawn[:10]), " ".join(drawn)))
    return made


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[str], float]]:
    """Run `semirank serve`; give a client with the cookie, the process, and the seconds it took."""
    began = time.perf_counter()
    command = [sys.executable, "-m", "semirank", "serve", *words, "--no-browser", "--folder", str(folder)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        lines = iter(process.stderr.readline, "")
        address = next(
            found.group() for line in lines if (found := re.search(r"https?://\S+token=\S+", line))
        )
        client = httpx.Client(
            base_url=address.split("/?")[0], headers={"x-semirank": "1"}, timeout=600, follow_redirects=False
        )
        with client:
            until_up(client, address)
            yield client, process, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait(30)


def until_up(client: httpx.Client, address: str) -> None:
    while True:
        try:
            assert client.get(address).status_code == 303
            return
        except httpx.TransportError:
            time.sleep(0.01)


def peak_memory(process: subprocess.Popen[str]) -> float:
    """Return the most memory that a process has used so far, in megabytes."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found.group(1)) / 1024 if found else float("nan")


def told(name: str, seconds: Sequence[float], target: float | None = None) -> None:
    """Print quantiles in milliseconds."""
    p50, p95, p99 = 1000 * np.quantile(seconds, [0.5, 0.95, 0.99])
    wanted = "" if target is None else f"   target p95 < {target:g} ms"
    print(
        f"{name:<44} n={len(seconds):<5} p50 {p50:7.1f}  p95 {p95:7.1f}  p99 {p99:7.1f} ms{wanted}",
        flush=True,
    )


def machine() -> str:
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"

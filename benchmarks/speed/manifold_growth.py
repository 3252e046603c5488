"""Time and memory of manifold ranking as items grow: the graph, one query, the best 100, one more label.

python benchmarks/speed/manifold_growth.py [folder]   the table, and a picture in the folder
python benchmarks/speed/manifold_growth.py N_ITEMS    one point

Every point is a process of its own with one thread: processor time is then that of the work, whatever else
the machine does, and the peak of memory is that of the point. Items have 32 features.
"""

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from os import environ
from pathlib import Path
from typing import Any

import numpy as np
from manifold import K, overlapping_points

from semirank import ManifoldRanking
from semirank.graphs import Diffusion, knn_graph
from semirank.report.plots import write_figure
from semirank.report.tables import markdown

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
WORK = ("graph", "prepare", "one query, all scores", "one query, best 100", "rerank, one more label")
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    return work(), time.process_time() - start


def peak() -> float:
    """Return the most memory that the process has held, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def point(n_items: int) -> list[float]:
    """Return the megabytes of the data, the edges, the peaks, and the seconds of each kind of work."""
    work_on(overlapping_points(2_000, 32))  # compiles
    X = overlapping_points(n_items, 32)
    return [X.nbytes / 2**20, *work_on(X)]


def work_on(X: np.ndarray) -> list[float]:
    """Return the edges, the peak after the graph and at the end, and the seconds."""
    graph, building = timed(lambda: knn_graph(X, K))
    peak_of_build = peak()
    system, preparing = timed(lambda: Diffusion(graph))
    queries = np.random.default_rng(0).choice(len(X), 5, replace=False)
    labels = (np.arange(len(X))[:, None] == queries).astype(np.float64)
    solving = statistics.median(timed(lambda y=y: system.solve(y))[1] for y in labels.T)
    finding = statistics.median(timed(lambda q=q: system.top([q], [1.0], 101))[1] for q in queries)
    del labels
    ranker = ManifoldRanking(graph=graph).fit_graph(X)
    y = np.full(len(X), np.nan)
    y[queries[:4]] = 1.0
    ranker.rerank(y)
    y[queries[4]] = 1.0
    reranking = timed(lambda: ranker.rerank(y))[1]
    return [graph.nnz, peak_of_build, peak(), building, preparing, solving, finding, reranking]


def measure(n_items: int) -> dict[str, Any]:
    """Run a point in a process of its own."""
    command = [sys.executable, __file__, str(n_items)]
    run = subprocess.run(command, env={**environ, **ONE_THREAD}, capture_output=True, text=True, check=True)
    data, n_edges, building, all_peak, *seconds = map(float, run.stdout.split())
    memory = {"data, MB": round(data), "peak of the graph, MB": round(building), "peak, MB": round(all_peak)}
    times = {f"{name}, s": f"{value:.3g}" for name, value in zip(WORK, seconds, strict=True)}
    row = {"items": n_items, "edges": int(n_edges) // 2, **memory, **times}
    print(row, file=sys.stderr, flush=True)
    return row


def draw(figure: Any, rows: list[dict[str, Any]]) -> None:
    times, memory = figure.subplots(1, 2)
    sizes = [row["items"] for row in rows]
    for name in WORK:
        times.plot(sizes, [float(row[f"{name}, s"]) for row in rows], marker=".", label=name)
    for name in ("peak, MB", "peak of the graph, MB", "data, MB"):
        memory.plot(sizes, [row[name] for row in rows], marker=".", label=name.removesuffix(", MB"))
    times.set_ylabel("processor time in s")
    memory.set_ylabel("memory of the process in MB")
    for axis in (times, memory):
        axis.set(xscale="log", yscale="log", xlabel="items")
        axis.legend(fontsize=7)


def main(folder: str | None = None) -> None:
    rows = [measure(n_items) for n_items in SIZES]
    print(markdown(rows))
    if folder is not None:
        picture: Callable[[Any], None] = partial(draw, rows=rows)
        write_figure(Path(folder) / "manifold-growth-1.svg", picture, (8, 3.4))


if __name__ == "__main__":
    if len(sys.argv) == 2 and sys.argv[1].isdigit():
        print(*point(int(sys.argv[1])))
    else:
        main(*sys.argv[1:])

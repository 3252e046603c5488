"""Time and memory of RankRLS as labelled items grow, beside KernelRidge and Nystroem + Ridge.

python benchmarks/speed/kernel_growth.py [folder]        the table, and a picture in the folder
python benchmarks/speed/kernel_growth.py METHOD N_ITEMS  one point

Every point is a process of its own with one thread: processor time is then that of the work, whatever else
the machine does, and the peak of memory is that of the point, beside the data and what was there before. All
methods are fitted and score the items they were fitted to. The exact ones hold a kernel matrix; the others
span the same number of directions of its space.
"""

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from os import environ
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from semirank.rankers.rankrls import RankRLS
from semirank.report.plots import write_figure
from semirank.report.tables import markdown

GAMMA = 0.02
N_COMPONENTS = 300
EXACT = (500, 1_000, 2_000, 4_000, 8_000)
SPANNED = (1_000, 10_000, 100_000, 300_000, 1_000_000)
METHODS: dict[str, tuple[int, ...]] = {
    "RankRLS": EXACT,
    "KernelRidge": EXACT,
    f"RankRLS, {N_COMPONENTS} components": SPANNED,
    f"Nystroem ({N_COMPONENTS}) + Ridge": SPANNED,
}
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")


def lists(n_items: int, n_features: int = 20, length: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_items, n_features))
    return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=n_items), np.arange(n_items) // length


def score(method: str, X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> np.ndarray:
    """Fit, and score the items."""
    if method.startswith("RankRLS"):
        n_components = N_COMPONENTS if "components" in method else None
        return RankRLS("rbf", gamma=GAMMA, n_components=n_components).fit(X, y, qid).scores_
    if method == "KernelRidge":
        return KernelRidge(kernel="rbf", gamma=GAMMA).fit(X, y).predict(X)
    spanned = Nystroem(gamma=GAMMA, n_components=N_COMPONENTS, random_state=0)
    return make_pipeline(spanned, Ridge()).fit(X, y).predict(X)


def point(method: str, n_items: int) -> tuple[float, float]:
    """Return processor seconds, and megabytes at the peak beside what was there before."""
    X, y, qid = lists(n_items)
    score(method, X[:400], y[:400], qid[:400])  # compiles
    before = int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
    start = time.process_time()
    score(method, X, y, qid)
    taken = time.process_time() - start
    return taken, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - before) / 2**20


def measure(method: str, n_items: int) -> dict[str, Any]:
    """Run a point in a process of its own."""
    command = [sys.executable, __file__, method, str(n_items)]
    run = subprocess.run(command, env={**environ, **ONE_THREAD}, capture_output=True, text=True, check=True)
    seconds, megabytes = map(float, run.stdout.split())
    row = {"labelled items": n_items, "method": method, "seconds": seconds, "peak MB": round(megabytes)}
    print(row, file=sys.stderr, flush=True)
    return row


def draw(figure: Any, rows: list[dict[str, Any]]) -> None:
    for axis, value, label in zip(
        figure.subplots(1, 2),
        ("seconds", "peak MB"),
        ("processor time in s", "peak of memory in MB"),
        strict=True,
    ):
        for method in METHODS:
            mine = [row for row in rows if row["method"] == method]
            axis.plot(
                [row["labelled items"] for row in mine],
                [row[value] for row in mine],
                marker=".",
                label=method,
            )
        axis.set_xscale("log")
        axis.set_yscale("log")
        axis.set_xlabel("labelled items m")
        axis.set_ylabel(label)
    figure.axes[0].legend(fontsize=7)


def main(folder: str | None = None) -> None:
    rows = [measure(method, n_items) for method, sizes in METHODS.items() for n_items in sizes]
    rows.sort(key=lambda row: (row["labelled items"], list(METHODS).index(row["method"])))
    print(markdown(rows))
    if folder is not None:
        picture: Callable[[Any], None] = partial(draw, rows=rows)
        write_figure(Path(folder) / "kernel-speed-1.svg", picture, (8, 3.2))


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(*point(sys.argv[1], int(sys.argv[2])))
    else:
        main(*sys.argv[1:])

"""The similarity of lists: all pairs beside SciPy's assignment, the nearest, and growth to 10,000 lists.

python benchmarks/speed/lists.py                   print all parts
python benchmarks/speed/lists.py docs/results      and write them to a page with a picture

Lists have 60 items and 25 features, and shapes that turn and stretch from list to list. Times are seconds on
the clock and, in brackets, of the processor (all threads together), which other work disturbs less. SciPy's
assignments run in one thread: compare the times of the processor.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from scipy.linalg import expm
from scipy.optimize import linear_sum_assignment

from semirank import list_kernel
from semirank.graphs.harmonic import harmonic
from semirank.graphs.list_axes import list_axes
from semirank.report.plots import write_figure
from semirank.report.tables import markdown, provenance

THREADS, N_ITEMS, N_FEATURES, NEIGHBOURS, REPEATS = 2, 60, 25, 10, 3
SIZES = (300, 1_000, 3_000, 10_000)
LARGEST_OF_ALL_PAIRS = 3_000

Seconds = tuple[float, float]
Rows = list[dict[str, Any]]


def turning_lists(n_lists: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    turns = rng.normal(size=(3, N_FEATURES, N_FEATURES)) / np.sqrt(N_FEATURES)
    turns -= turns.transpose(0, 2, 1)
    lists = []
    for _ in range(n_lists):
        rotation = expm(0.5 * np.tensordot(rng.normal(size=3), turns, 1))
        lengths = np.exp(-np.arange(N_FEATURES) / 6 + 0.3 * rng.normal(size=N_FEATURES))
        lists.append(rng.normal(size=(N_ITEMS, N_FEATURES)) * lengths @ rotation)
    return lists


def by_scipy(lists: list[np.ndarray]) -> np.ndarray:
    """Compare all pairs with one product of matrices a list and SciPy's assignments."""
    axes = list_axes(lists)
    kernel = np.ones((len(axes), len(axes)))
    for i in range(len(axes)):
        gains = np.abs(axes[i + 1 :].reshape(-1, N_FEATURES) @ axes[i].T).reshape(
            -1, axes.shape[1], axes.shape[1]
        )
        values = [each[linear_sum_assignment(each, maximize=True)].sum() for each in gains]
        kernel[i, i + 1 :] = kernel[i + 1 :, i] = values
    return kernel


def timed(run: Callable[[], Any], repeats: int = REPEATS) -> tuple[Seconds, Any]:
    """Return the medians of clock and processor time, and the last answer."""
    times = []
    for _ in range(repeats):
        clock, processor = time.perf_counter(), time.process_time()
        answer = run()
        times.append((time.perf_counter() - clock, time.process_time() - processor))
    wall, processor = np.median(times, axis=0)
    return (float(wall), float(processor)), answer


def cell(seconds: Seconds) -> str:
    return f"{seconds[0]:.2f} ({seconds[1]:.2f})"


def pairs(n_lists: int = 1_000) -> Rows:
    """Compare all pairs, and find the nearest of each list; the answers of all must agree."""
    lists = turning_lists(n_lists)
    all_pairs, kernel = timed(lambda: list_kernel(lists))
    pruned, graph = timed(lambda: list_kernel(lists, n_neighbors=NEIGHBOURS))
    scipys, expected = timed(lambda: by_scipy(lists), 1)
    np.testing.assert_allclose(kernel, expected, rtol=1e-9)
    found = graph.tocoo()
    np.testing.assert_allclose(found.data, kernel[found.row, found.col], rtol=1e-9)
    weakest = np.sort(kernel - np.eye(n_lists), axis=1)[:, -NEIGHBOURS]
    rows, columns = np.nonzero((kernel - np.eye(n_lists)) > weakest[:, None] + 1e-12)
    assert (graph.toarray()[rows, columns] > 0).all()
    named = {"all pairs": all_pairs, f"{NEIGHBOURS} nearest, exact": pruned, "all pairs by SciPy": scipys}
    return [
        {
            "task": name,
            "seconds": cell(each),
            "beside all pairs": f"{each[0] / all_pairs[0]:.2f} ({each[1] / all_pairs[1]:.2f})",
        }
        for name, each in named.items()
    ]


def growth(sizes: tuple[int, ...] = SIZES) -> dict[str, dict[int, Seconds]]:
    """Time each task as the lists become more."""
    found: dict[str, dict[int, Seconds]] = {}
    lists = turning_lists(max(sizes))
    for n_lists in sizes:
        some, repeats = lists[:n_lists], 1 if n_lists > 2_000 else REPEATS
        tasks: dict[str, Callable[[], Any]] = {
            "axes of all lists": lambda some=some: list_axes(some),
            "psd, all pairs": lambda some=some: list_kernel(some, "psd"),
            "psd, 10 nearest": lambda some=some: list_kernel(some, "psd", n_neighbors=NEIGHBOURS),
            "matching, 10 nearest": lambda some=some: list_kernel(some, n_neighbors=NEIGHBOURS),
        }
        if n_lists <= LARGEST_OF_ALL_PAIRS:
            tasks["matching, all pairs"] = lambda some=some: list_kernel(some)
        for name, run in tasks.items():
            found.setdefault(name, {})[n_lists], graph = timed(run, repeats)
            if name == "matching, 10 nearest":
                seconds, _ = timed(lambda graph=graph: propagate(graph), repeats)
                found.setdefault("propagation over that graph", {})[n_lists] = seconds
    return found


def propagate(graph: Any) -> np.ndarray:
    """Continue the rankers of a tenth of the lists to all others."""
    known = np.arange(graph.shape[0]) % 10 == 0
    values = np.random.default_rng(0).normal(size=(known.sum(), N_FEATURES))
    return harmonic(graph, known, values).values


def draw(found: dict[str, dict[int, Seconds]], figure: Any) -> None:
    axes = figure.subplots()
    for name, times in found.items():
        axes.loglog(list(times), [seconds[1] for seconds in times.values()], marker="o", label=name)
    axes.set_xlabel("lists")
    axes.set_ylabel("seconds of the processor")
    axes.legend(frameon=False)


NOTE = "Seconds on the clock, and in brackets of the processor (all threads together)."


def page(beside: Rows, found: dict[str, dict[int, Seconds]]) -> str:
    made = provenance(threads=THREADS, items=N_ITEMS, features=N_FEATURES)
    by_size = [
        {"task": name} | {f"{n:,}": cell(times[n]) if n in times else None for n in SIZES}
        for name, times in found.items()
    ]
    parts = [
        "# Speed of the similarity of lists",
        f"`python benchmarks/speed/lists.py docs/results`. {made}",
        NOTE,
        f"## 1,000 lists, {N_FEATURES} axes\n\n{markdown(beside)}",
        f"## More lists\n\n{markdown(by_size)}",
        "![Processor time as the lists become more](lists-speed-1.svg)",
    ]
    return "\n\n".join(parts) + "\n"


def main() -> None:
    numba.set_num_threads(THREADS)
    for n_neighbors in (None, 2):  # compiles
        list_kernel(turning_lists(10), n_neighbors=n_neighbors)
    beside, found = pairs(), growth()
    print(page(beside, found))
    for folder in map(Path, sys.argv[1:]):
        (folder / "lists-speed.md").write_text(page(beside, found))
        write_figure(folder / "lists-speed-1.svg", lambda figure: draw(found, figure))


if __name__ == "__main__":
    main()

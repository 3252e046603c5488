"""What a round of RankBoost costs as the data grow: rows of a dense table, non-zeros of sparse texts.

python benchmarks/speed/boosting_growth.py           the tables
python benchmarks/speed/boosting_growth.py FOLDER    a page with them, a picture, and LightGBM beside

One thread and its processor time, so that other work on the machine does not count.
"""

import statistics
import sys
import time
import tracemalloc
from pathlib import Path
from typing import Any

import numba
import numpy as np
from boosting import graded_lists, peer
from scipy.sparse import random_array

from semirank.rankers.losses.exponential import OrderedExponential
from semirank.rankers.pairs import OrderedPairs
from semirank.rankers.solvers.boosting import boost
from semirank.rankers.solvers.columns import columns_of
from semirank.report.plots import write_figure
from semirank.report.tables import markdown, provenance

ROWS = (10_000, 50_000, 250_000, 1_000_000, 5_000_000)
TEXTS = (500, 5_000, 50_000, 500_000)
N_TERMS, WORDS = 20_000, 60


def a_round(X: Any, y: np.ndarray, lists: np.ndarray, n_rounds: int = 10) -> tuple[float, float]:
    """Return the median seconds of a round, and the peak of bytes held beside the data."""
    tracemalloc.start()
    pairs = OrderedPairs.ordered_by(y, lists, np.ones(len(y))).share("pairs")
    rounds = boost(OrderedExponential(pairs), columns_of(X, pairs.items, 255))
    next(rounds)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    times = [time.process_time()]
    for _ in range(n_rounds):
        next(rounds)
        times.append(time.process_time())
    return statistics.median(np.diff(times)), peak


def grow_rows() -> list[dict[str, Any]]:
    a_round(*graded_lists(1_000))  # compiles
    found = []
    for n_items in ROWS:
        X, y, qid = graded_lists(n_items)
        seconds, peak = a_round(X, y, qid)
        found.append(
            {
                "rows": n_items,
                "ms a round": 1e3 * seconds,
                "ns a cell": 1e9 * seconds / X.size,
                "peak in MB": round(peak / 1e6),
                "bytes a row beside one a cell": round((peak - X.size) / n_items),
            }
        )
    return found


def grow_texts() -> list[dict[str, Any]]:
    rng = np.random.default_rng(0)
    found = []
    for n_items in TEXTS:
        X = random_array((n_items, N_TERMS), density=WORDS / N_TERMS, format="csr", rng=rng)
        y, one_list = rng.integers(0, 2, n_items).astype(float), np.zeros(n_items, dtype=np.int64)
        seconds, _ = a_round(X, y, one_list)
        found.append(
            {
                "texts": n_items,
                "non-zeros": X.nnz,
                "ms a round": 1e3 * seconds,
                "ns a non-zero": 1e9 * seconds / X.nnz,
            }
        )
    return found


def draw(figure: Any, dense: list[dict[str, Any]], sparse: list[dict[str, Any]]) -> None:
    for axis, rows, size in zip(figure.subplots(1, 2), (dense, sparse), ("rows", "non-zeros"), strict=True):
        sizes, times = (np.array([row[name] for row in rows], float) for name in (size, "ms a round"))
        axis.loglog(sizes, times, marker="o", label="measured")
        axis.loglog(sizes, times[-1] * sizes / sizes[-1], "--", color="0.6", label="proportional")
        axis.set_xlabel(size)
    figure.axes[0].set_ylabel("ms a round")
    figure.axes[0].legend(fontsize=7)


PAGE = """# Speed of RankBoost

`python benchmarks/speed/boosting_growth.py docs/results`. {how}

All times are processor time of one thread, so that other work on the machine does not count.

## A table of 46 features, 500 lists, labels 0 to 4, 255 bins

{dense}

A cell is one byte, read once a round. Beside it memory holds some numbers for each row, and the values of
a feature while it is binned.

## Texts of {words} words out of {n_terms:,}

{sparse}

Only non-zeros are read.

![Time of a round](boosting-speed-1.svg)

## Beside LightGBM

50,000 items, 46 features, 500 lists, 300 rounds or two-leaf trees, fit and scores of all items; the median
of seven turns. `python benchmarks/speed/boosting.py` does the same by the clock, with two threads each.

{beside}
"""


def main(folder: str | None = None) -> None:
    numba.set_num_threads(1)
    dense, sparse = grow_rows(), grow_texts()
    print(markdown(dense), markdown(sparse), sep="\n\n")
    if folder is None:
        return
    page = PAGE.format(
        how=provenance(),
        dense=markdown(dense),
        sparse=markdown(sparse),
        beside=markdown(peer(1, time.process_time)),
        words=WORDS,
        n_terms=N_TERMS,
    )
    (Path(folder) / "boosting-speed.md").write_text(page)
    write_figure(Path(folder) / "boosting-speed-1.svg", lambda figure: draw(figure, dense, sparse), (8, 3.2))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Reading and writing LETOR text beside XGBoost and scikit-learn.

python benchmarks/speed/letor.py [n_items] [rounds]

All read the same file from a temporary folder; only we keep the comments and doubles, XGBoost makes single
precision of them. Wall and processor time are both shown: on a busy machine the second is steadier. The
values are compared. Memory is the peak of a process of its own, above what it needed before.
"""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.datasets import dump_svmlight_file, load_svmlight_file

from semirank.readers.letor import read_letor, write_letor

WIDTH = 46
PEAK = """
import io, re, sys
from pathlib import Path
from semirank.readers.letor import read_letor

def peak():
    return 1024 * int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1])

read_letor(io.BytesIO(b"1 qid:1 1:1 # a"))
before = peak()
data = read_letor(sys.argv[1], n_jobs=2)
print((peak() - before) / data.X.nbytes)
"""
Times = list[tuple[float, float]]


def write_file(path: Path, n_items: int, number: str) -> None:
    """Make a file like those of LETOR 4: sorted lists, some features that are 0, a comment on each line."""
    rng = np.random.default_rng(0)
    lists = np.sort(rng.integers(10, 10 + n_items // 100, n_items))
    line = f"%d qid:%d {' '.join(f'{i}:{number}' for i in range(1, WIDTH + 1))} #docid = GX%03d-%02d-%08d\n"
    with path.open("w") as file:
        for i in range(n_items):
            features = rng.random(WIDTH) * (rng.random(WIDTH) > 0.3)
            file.write(line % (i % 3, lists[i], *features.tolist(), i % 300, i % 100, i))


def timed(run: Callable[[], Any], times: Times) -> Any:
    wall, processor = time.perf_counter(), time.process_time()
    result = run()
    times.append((time.perf_counter() - wall, time.process_time() - processor))
    return result


def show(name: str, times: Times, ours: Times, megabytes: float) -> None:
    wall, processor = np.median(times, axis=0)
    ratio = np.median(times, axis=0) / np.median(ours, axis=0)
    print(
        f"{name:28s} {wall:7.3f} s {processor:7.3f} s of processor {megabytes / wall:6.0f} MB/s"
        f"  ratio {ratio[0]:5.1f} and {ratio[1]:5.1f}"
    )


def by_xgboost(path: Path) -> Callable[[], Any]:
    import xgboost

    return lambda: xgboost.DMatrix(f"{path}?format=libsvm", nthread=2)


def compare_reading(path: Path, rounds: int) -> None:
    megabytes = path.stat().st_size / 1e6
    ours, xgboost, sklearn = [], [], []
    run_xgboost = by_xgboost(path)
    read_letor(path), run_xgboost()
    for _ in range(rounds):
        data = timed(lambda: read_letor(path, n_jobs=2), ours)
        matrix = timed(run_xgboost, xgboost)
    X, y, qid = timed(lambda: load_svmlight_file(str(path), query_id=True), sklearn)
    np.testing.assert_array_equal(data.X, X.toarray())
    np.testing.assert_array_equal(data.y, y)
    np.testing.assert_array_equal(data.qid, qid)
    np.testing.assert_allclose(matrix.get_data().toarray()[:, -WIDTH:], data.X, rtol=1e-6)
    show("semirank", ours, ours, megabytes)
    show("XGBoost, 2 threads", xgboost, ours, megabytes)
    show("scikit-learn", sklearn, ours, megabytes)


def compare_writing(source: Path, rounds: int) -> None:
    data = read_letor(source).select(np.arange(200))
    ours, sklearn = [], []
    one, other = source.with_suffix(".one"), source.with_suffix(".other")
    write_letor(data, one)
    for _ in range(rounds):
        timed(lambda: write_letor(data, one), ours)
        timed(
            lambda: dump_svmlight_file(data.X, data.y, str(other), query_id=data.qid, zero_based=False),
            sklearn,
        )
    np.testing.assert_array_equal(read_letor(one).X, data.X)
    show("semirank, writing", ours, ours, one.stat().st_size / 1e6)
    show("scikit-learn, writing", sklearn, ours, other.stat().st_size / 1e6)


def show_memory(path: Path) -> None:
    ratio = subprocess.run(
        [sys.executable, "-c", PEAK, str(path)], check=True, capture_output=True, text=True
    ).stdout
    print(f"peak of memory: {float(ratio):.2f} times the matrix")


def main(n_items: int = 200_000, rounds: int = 5) -> None:
    warnings.filterwarnings("ignore", module="xgboost")
    with TemporaryDirectory() as folder:
        for number, what in (("%.6f", "six decimals"), ("%r", "all digits")):
            path = Path(folder, "data.txt")
            write_file(path, n_items, number)
            print(f"{n_items} items, {WIDTH} features, {what}, {path.stat().st_size / 1e6:.0f} MB")
            compare_reading(path, rounds)
            compare_writing(path, rounds)
            show_memory(path)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""RankBoost beside LightGBM's ranker with two-leaf trees, and what a round costs as the data grow.

python benchmarks/speed/boosting.py                all parts
python benchmarks/speed/boosting.py peer           one of them: peer, rows or sparse

Needs lightgbm (pip install -e ".[peers]").
"""

import statistics
import sys
import time
import tracemalloc
from collections.abc import Callable

import numba
import numpy as np
from scipy.sparse import random_array

from semirank import RankBoost, metrics
from semirank.rankers.boosting import Pairs, boost, columns_of

THREADS = 2


def graded_lists(n_items: int, n_features: int = 46, n_lists: int = 500) -> tuple:
    """Make lists with labels 0 to 4 that follow some of the features; a third is skewed, a third mostly 0."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_items, n_features)).astype(np.float32)
    np.exp(X[:, 1::3], out=X[:, 1::3])
    X[:, 2::3] *= rng.random((n_items, 1)) < 0.3
    value = X @ (rng.normal(size=n_features) * (rng.random(n_features) < 0.3)) + 2 * np.sin(2 * X[:, 0])
    value += value.std() * rng.normal(size=n_items)
    y = np.digitize(value, np.quantile(value, [0.6, 0.8, 0.9, 0.97])).astype(float)
    return X, y, np.repeat(np.arange(n_lists), n_items // n_lists)


def seconds(run: Callable[[], object]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def peer(n_rounds: int = 300, repeats: int = 5) -> None:
    from lightgbm import LGBMRanker

    X, y, qid = graded_lists(50_000)
    theirs = LGBMRanker(n_estimators=n_rounds, num_leaves=2, n_jobs=THREADS, verbose=-1)
    ours = RankBoost(n_rounds)
    RankBoost(1).fit(X, y, qid)  # compiles
    runs = {
        "LightGBM, two leaves": lambda: theirs.fit(X, y, group=np.bincount(qid)).predict(X),
        "RankBoost": lambda: ours.fit(X, y, qid).scores_,
    }
    times = [[seconds(run) for run in runs.values()] for _ in range(repeats)]
    medians = [statistics.median(each) for each in zip(*times, strict=True)]
    print("50,000 items, 46 features, 500 lists, 300 rounds")
    for name, median, scores in zip(runs, medians, (theirs.predict(X), ours.scores_), strict=True):
        top = np.nanmean(metrics.ndcg(y, scores, qid, cutoff=10))
        all_pairs = np.nanmean(metrics.auc(y > 0, scores, qid))
        print(f"  {name:22s} {median:7.3f} s   nDCG@10 {top:.4f}   AUC {all_pairs:.4f}")
    print(f"  ratio {medians[0] / medians[1]:.1f}")


def a_round(X: object, y: np.ndarray, lists: np.ndarray, n_rounds: int = 10) -> tuple[float, float]:
    """Return the median seconds of a round, and the peak of bytes held beside the data."""
    tracemalloc.start()
    pairs = Pairs.ordered_by(y, lists, np.ones(len(y)))
    pairs = pairs.share("pairs", np.array([0]), np.array([1.0]))
    rounds = boost(pairs, columns_of(X, pairs.items, 255))
    next(rounds)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return statistics.median(seconds(lambda: next(rounds)) for _ in range(n_rounds)), peak


def rows(sizes: tuple[int, ...] = (10_000, 50_000, 250_000, 1_000_000, 5_000_000)) -> None:
    print("46 features, 500 lists; memory is one byte a cell and")
    print("       rows   ms a round   ns a cell   bytes a row")
    a_round(*graded_lists(1_000))  # compiles
    for n_items in sizes:
        X, y, qid = graded_lists(n_items)
        time_of_round, peak = a_round(X, y, qid)
        beside = (peak - X.size) / n_items
        print(
            f"{n_items:11,d} {1e3 * time_of_round:12.2f} {1e9 * time_of_round / X.size:11.3f} {beside:13.0f}"
        )


def sparse(sizes: tuple[int, ...] = (500, 5_000, 50_000, 500_000)) -> None:
    rng = np.random.default_rng(0)
    print("20,000 terms, 60 a text, one list\n       rows     non-zeros   ms a round   ns a non-zero")
    for n_items in sizes:
        X = random_array((n_items, 20_000), density=60 / 20_000, format="csr", rng=rng)
        time_of_round, _ = a_round(X, rng.integers(0, 2, n_items).astype(float), np.zeros(n_items, dtype=int))
        print(f"{n_items:11,d} {X.nnz:13,d} {1e3 * time_of_round:12.3f} {1e9 * time_of_round / X.nnz:15.2f}")


if __name__ == "__main__":
    numba.set_num_threads(THREADS)
    parts = {"peer": peer, "rows": rows, "sparse": sparse}
    for name in sys.argv[1:] or parts:
        parts[name]()

"""RankSVM beside LIBLINEAR on the differences of all pairs: the same objective, the same minimum.

python benchmarks/speed/rank_svm.py [n_lists] [n_items ...]

Lists of n items with ten features and labels that are all different, so that a list has n (n - 1) / 2 pairs.
Medians of three fits; the peer's time includes building the differences, which are its data.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.svm import LinearSVC

from semirank import RankSVM

C = 1.0


def some_lists(n_lists: int, n_items: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_lists * n_items, 10))
    y = X @ rng.normal(size=10) + rng.normal(size=len(X))
    return X, y, np.repeat(np.arange(n_lists), n_items)


def ours(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> np.ndarray:
    return RankSVM(C).fit(X, y, qid).coef_


def peer(X: np.ndarray, y: np.ndarray, qid: np.ndarray) -> np.ndarray:
    pairs, weights = [], []
    for each in np.unique(qid):
        items = np.flatnonzero(qid == each)[np.argsort(-y[qid == each])]
        better, worse = np.triu_indices(len(items), 1)
        pairs.append(X[items[better]] - X[items[worse]])
        weights.append(np.full(len(better), 1.0 / len(better)))
    differences = np.concatenate(pairs)
    signs = np.where(np.arange(len(differences)) % 2, 1.0, -1.0)  # LIBLINEAR wants two classes
    model = LinearSVC(loss="squared_hinge", fit_intercept=False, dual=False, C=C, tol=1e-6)
    return model.fit(signs[:, None] * differences, signs, sample_weight=np.concatenate(weights)).coef_[0]


def median_time(run: Callable[[], Any], repeats: int = 3) -> tuple[Any, float]:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = run()
        times.append(time.perf_counter() - start)
    return value, float(np.median(times))


def main(n_lists: int = 50, *sizes: int) -> None:
    print("  items a list      pairs   RankSVM  LIBLINEAR   ratio   largest difference of weights")
    ours(*some_lists(2, 10))  # compiles
    for n_items in sizes or (30, 100, 300):
        data = some_lists(n_lists, n_items)
        found, seconds = median_time(lambda data=data: ours(*data))
        expected, theirs = median_time(lambda data=data: peer(*data))
        n_pairs = n_lists * n_items * (n_items - 1) // 2
        print(
            f"{n_items:14,d} {n_pairs:10,d} {seconds:7.3f} s {theirs:8.3f} s {theirs / seconds:6.1f} x"
            f" {np.abs(found - expected).max() / np.abs(expected).max():10.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

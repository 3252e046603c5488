"""What it costs to adapt to one list: feature generation and 100 rounds of boosting, beside two peers.

python benchmarks/speed/adaptation.py

The peers are one LightGBM lambdarank training of 100 trees on the same items, and the same adaptation
without anything kept from list to list: scikit-learn's kernel PCA, then a fit on all features from scratch.
The scores of the latter must be ours. All on one thread, so that processor time can be compared.
Needs lightgbm (pip install -e ".[peers]").
"""

import time
from collections.abc import Callable

import numba
import numpy as np
from lightgbm import LGBMRanker
from sklearn.decomposition import KernelPCA

from semirank import FeatureGeneration, RankBoost
from semirank.core.threads import one_blas_thread
from semirank.kernels import median_distance

N_LISTS, N_ITEMS, N_FEATURES = 100, 100, 45
REPEATS = 5
OURS = "one list of twenty, ours"


def lists(n_lists: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_lists), N_ITEMS)
    X = rng.normal(size=(len(qid), N_FEATURES))
    value = X[:, 0] + np.sin(2 * X[:, 1]) + 0.5 * rng.normal(size=len(qid))
    return X, np.digitize(value, [0.5, 1.5]).astype(float), qid


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - processor


def naive(X: np.ndarray, y: np.ndarray, qid: np.ndarray, items: np.ndarray, n_bins: int | None) -> np.ndarray:
    """Adapt to one list by the definition, from scratch."""
    axes = KernelPCA(5, kernel="rbf", gamma=0.5 / median_distance(items) ** 2).fit(items)
    taught, new = axes.transform(X), axes.transform(items)
    scale = X.std(axis=0).mean() / taught.std(axis=0)
    taught, new = (taught - taught.mean(axis=0)) * scale, (new - taught.mean(axis=0)) * scale
    return RankBoost(n_bins=n_bins).fit(np.hstack([X, taught]), y, qid).predict(np.hstack([items, new]))


def compare(n_bins: int | None) -> None:
    X, y, qid = lists(N_LISTS)
    new, _, new_qid = lists(20, seed=1)
    items = new[new_qid == 0]
    theirs, sizes = LGBMRanker(n_estimators=100, verbose=-1, n_jobs=1), np.bincount(qid)
    ours = FeatureGeneration(RankBoost(n_bins=n_bins)).fit(X, y, qid)
    np.testing.assert_allclose(ours.predict(items), naive(X, y, qid, items, n_bins), atol=1e-8)
    runs = {
        "LightGBM lambdarank, 100 trees": (lambda: theirs.fit(X, y, group=sizes), 1),
        "one list, from scratch": (lambda: naive(X, y, qid, items, n_bins), 1),
        OURS: (lambda: ours.predict(new, new_qid), 20),
    }
    times = {name: [] for name in runs}
    for _ in range(REPEATS):
        for name, (run, count) in runs.items():
            times[name].append([each / count for each in seconds(run)])
    report(times, f"{N_LISTS} lists of {N_ITEMS} items, {N_FEATURES} features, n_bins = {n_bins}")


def report(times: dict[str, list[list[float]]], heading: str) -> None:
    print(heading)
    medians = {name: np.median(found, axis=0) for name, found in times.items()}
    wall, processor = medians[OURS]
    for name, (mine, cpu) in medians.items():
        ratios = f"{mine / wall:.1f} times ours, {cpu / processor:.1f} in processor time"
        print(f"  {name:31s} {mine:7.4f} s, processor {cpu:7.4f} s: {ratios}")


if __name__ == "__main__":
    numba.set_num_threads(1)
    with one_blas_thread():
        compare(n_bins=255)
        compare(n_bins=None)

"""Where the time of a Rayleigh fit goes as items grow, beside Nystroem and ridge regression on the labels.

python benchmarks/speed/rayleigh.py [n_components] [n_items ...]

Processor time of each act of `fit`, its share, and the AUC on all items; with one thread
(OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 OMP_NUM_THREADS=1) it hardly depends on what else the machine
does. The peer sees the same items and labels; it has no graph, and predicts by as many kernel values.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import Ridge
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from semirank.rankers.rayleigh import RayleighRanker


def clustered(n_items: int, n_features: int = 32) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Make 50 clusters, a random half of them relevant, and show one label in a hundred."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(50, size=n_items)
    X = 0.3 * rng.normal(size=(n_items, n_features)) + 0.5 * rng.normal(size=(50, n_features))[cluster]
    truth = (rng.random(50) < 0.5)[cluster].astype(float)
    return X, truth, np.where(rng.random(n_items) < 0.01, truth, np.nan)


def timed(run: Callable[[], Any]) -> tuple[Any, float]:
    start = time.process_time()
    value = run()
    return value, time.process_time() - start


def ours(X: np.ndarray, y: np.ndarray, n_components: int) -> tuple[RayleighRanker, np.ndarray]:
    """Fit, one act after the other; return the seconds of coordinates, graph and solution."""
    ranker = RayleighRanker(n_components=n_components)
    data = ranker._check(X, y, None)
    features, first = timed(lambda: ranker._project(data))
    laplacian, second = timed(lambda: ranker._laplacian(data, features))
    _, third = timed(lambda: ranker._solve(data, features, laplacian))
    return ranker, np.array([first, second, third])


def peer(X: np.ndarray, y: np.ndarray, gamma: float, n_components: int) -> tuple[np.ndarray, float]:
    labelled = ~np.isnan(y)
    size = min(n_components, int(labelled.sum()))
    model = make_pipeline(Nystroem(gamma=gamma, n_components=size, random_state=0), Ridge(1e-3))
    return timed(lambda: model.fit(X[labelled], y[labelled]).predict(X))


def main(n_components: int = 300, *sizes: int) -> None:
    print(
        "    items   coordinates       graph    solution     fit   predict     AUC | Nystroem + Ridge   AUC"
    )
    for n_items in sizes or (10_000, 30_000, 100_000):
        X, truth, y = clustered(n_items)
        ours(X[:2000], y[:2000], 10)  # compiles
        ranker, acts = ours(X, y, n_components)
        _, predicting = timed(lambda r=ranker, new=X: r.predict(new))
        other, theirs = peer(X, y, ranker.projection_.gamma_ or 1.0, n_components)
        shares = "  ".join(
            f"{act:6.2f} s {share:4.0%}" for act, share in zip(acts, acts / acts.sum(), strict=True)
        )
        quality = roc_auc_score(truth, ranker.scores_), roc_auc_score(truth, other)
        print(
            f"{n_items:9,d}  {shares} {acts.sum():7.2f} s {predicting:5.2f} s  {quality[0]:.4f} | "
            f"{theirs:13.2f} s  {quality[1]:.4f}",
            flush=True,
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

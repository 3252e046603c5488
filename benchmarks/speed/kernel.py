"""RankRLS beside the matrix operations that it cannot do without, and beside scikit-learn's regressions.

python benchmarks/speed/kernel.py                  all parts
python benchmarks/speed/kernel.py fit              one of them: fit, hold_out, linear, pairs or text

Every repeat runs ours and the others in turn, so that a busy machine slows all of them. Wall and processor
time are both shown; with one thread (OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1) the second hardly depends on
what else the machine does.
"""

import statistics
import sys
import time
from collections.abc import Callable, Mapping

import numpy as np
from scipy.linalg import cho_factor, eigh
from scipy.sparse import random_array
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge

from semirank.rankers.pairs import PairWeights
from semirank.rankers.rankrls import RankRLS
from semirank.rankers.rankrls_cv import GRID

GAMMA = 0.02


def lists(n_items: int, n_features: int = 20, length: int = 20) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_items, n_features))
    return X, np.sin(X[:, 0]) + 0.3 * rng.normal(size=n_items), np.arange(n_items) // length


def seconds(run: Callable[[], object]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - processor


def compare(title: str, runs: Mapping[str, Callable[[], object]], repeats: int = 5) -> None:
    """Print median seconds, wall and processor, and the median over repeats of the ratio to the first run."""
    times = np.array([[seconds(run) for run in runs.values()] for _ in range(repeats)])
    print(title)
    for at, name in enumerate(runs):
        shown = [f"  {name:40s}"]
        for kind, unit in enumerate(("wall", "cpu")):
            ratio = statistics.median(times[:, at, kind] / times[:, 0, kind])
            shown.append(f"{statistics.median(times[:, at, kind]):8.3f} s {unit}  x {ratio:5.2f}  ")
        print(" ".join(shown), flush=True)


def fit(n_items: int = 4_000) -> None:
    X, y, qid = lists(n_items)
    definite = np.asfortranarray(X @ X.T + n_items * np.eye(n_items))
    ours, theirs = RankRLS("rbf", gamma=GAMMA), KernelRidge(kernel="rbf", gamma=GAMMA)
    RankRLS("rbf").fit(X[:40], y[:40], qid[:40])  # compiles
    compare(
        f"rbf kernel, {n_items:,} labelled items, one ridge",
        {
            "one Cholesky factor of that size": lambda: cho_factor(definite, lower=True, check_finite=False),
            "RankRLS": lambda: ours.fit(X, y, qid),
            "KernelRidge, fitted and predicted": lambda: theirs.fit(X, y).predict(X),
        },
    )


def hold_out(n_items: int = 4_000, repeats: int = 3) -> None:
    X, y, qid = lists(n_items)
    symmetric = X @ X.T + n_items * np.eye(n_items)
    ranker = RankRLS("rbf", gamma=GAMMA).fit(X, y, qid)

    def leave_list_out() -> None:
        ranker._problem = None
        ranker.leave_list_out(GRID)

    compare(
        f"rbf kernel, {n_items:,} labelled items in lists of 20, each left out, 15 ridges",
        {
            "one eigendecomposition of that size": lambda: eigh(symmetric, driver="evd", check_finite=False),
            "leave_list_out": leave_list_out,
        },
        repeats,
    )
    compare(
        "one of the lists trained again, one ridge",
        {"RankRLS": lambda: RankRLS("rbf", gamma=GAMMA).fit(X[20:], y[20:], qid[20:])},
        repeats,
    )


def linear(n_items: int = 1_000_000, n_features: int = 50) -> None:
    X, y, qid = lists(n_items, n_features, 100)
    ours = RankRLS()
    RankRLS().fit(X[:200], y[:200], qid[:200])  # compiles
    compare(
        f"linear kernel, {n_items:,} labelled items, {n_features} features",
        {
            "X.T @ X": lambda: X.T @ X,
            "RankRLS": lambda: ours.fit(X, y, qid),
            "Ridge, fitted and predicted": lambda: Ridge().fit(X, y).predict(X),
        },
    )


def pairs(n_items: int = 200_000, n_features: int = 50, length: int = 20) -> None:
    """Compare all pairs of each list, given one by one, with the plain ranker, which visits none."""
    X, y, qid = lists(n_items, n_features, length)
    first, second = (
        np.add.outer(np.arange(0, n_items, length), ends).ravel() for ends in np.triu_indices(length, 1)
    )
    turned = y[first] < y[second]
    better, worse = np.where(turned, second, first), np.where(turned, first, second)
    weights = np.full(len(first), 2.0 / (length * (length - 1)))
    given = PairWeights(better, worse, weights)
    plain, weighted = RankRLS().fit(X, y, qid), RankRLS().fit(X, y, qid, pairs=given)
    np.testing.assert_allclose(weighted.coef_, plain.coef_, rtol=1e-9)
    compare(
        f"linear kernel, {n_items:,} labelled items, {n_features} features, {len(first):,} pairs",
        {
            "RankRLS, all pairs of a list": lambda: plain.fit(X, y, qid),
            "RankRLS, the pairs one by one": lambda: weighted.fit(X, y, qid, pairs=given),
        },
        3,
    )


def text(n_features: int = 20_000) -> None:
    rng = np.random.default_rng(0)
    for n_items in (2_000, 20_000, 100_000):
        X = random_array((n_items, n_features), density=60 / n_features, format="csr", rng=rng)
        y, qid = rng.integers(0, 2, n_items).astype(float), np.arange(n_items) // 50
        compare(
            f"sparse, {n_items:,} labelled items, {n_features:,} features",
            {
                "Ridge, fitted and predicted": lambda X=X, y=y: Ridge().fit(X, y).predict(X),
                "RankRLS": lambda X=X, y=y, qid=qid: RankRLS().fit(X, y, qid),
            },
            3,
        )


if __name__ == "__main__":
    parts = {"fit": fit, "hold_out": hold_out, "linear": linear, "pairs": pairs, "text": text}
    for name in sys.argv[1:] or parts:
        parts[name]()

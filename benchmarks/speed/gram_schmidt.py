"""Gram-Schmidt features beside the kernel columns and matrix products they need, and beside Nystroem.

python benchmarks/speed/gram_schmidt.py [n_items] [n_components] [repeats]

The floor is what no algorithm that knew the pivots could do without: the kernel of all items with the pivots,
and a triangular solve. Wall and processor time are both shown: on a busy machine the second is steadier.
What is left of the kernel's trace (on a sample of items) says how good the features are.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.kernel_approximation import Nystroem

from semirank.features.gram_schmidt import GramSchmidt
from semirank.kernels import resolve

BLOCK_ROWS = 4096


def clustered(n_items: int, n_features: int = 32) -> np.ndarray:
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(50, n_features))
    return 0.3 * rng.normal(size=(n_items, n_features)) + centres[rng.integers(50, size=n_items)]


def floor(X: np.ndarray, kernel: Any, basis: np.ndarray, triangle: np.ndarray) -> np.ndarray:
    """Compute the coordinates for pivots that are known: kernel columns, and forward substitution."""
    features = np.empty((len(X), len(triangle)))
    for start in range(0, len(X), BLOCK_ROWS):
        block = kernel.block(X[start : start + BLOCK_ROWS], basis)
        solved = solve_triangular(triangle, block.T, lower=True, overwrite_b=True, check_finite=False)
        features[start : start + BLOCK_ROWS] = solved.T
    return features


def measured(run: Callable[[], Any]) -> tuple[float, float]:
    wall, processor = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - processor


def trace_left(features: np.ndarray) -> float:
    """Return the share of the trace of the rbf kernel, whose diagonal is 1, that the features miss."""
    return float(1.0 - np.einsum("ij,ij->i", features, features).mean())


def main(n_items: int = 1_000_000, n_components: int = 300, repeats: int = 3) -> None:
    X = clustered(n_items)
    print(f"{n_items:,d} items, {X.shape[1]} features, {n_components} components, rbf")
    print("width           floor   fit_transform   Nystroem   to floor   to Nystroem   trace left (Nystroem)")
    for width in (1.0, 1 / 3):
        kernel = resolve("rbf", None, X, width=width)
        ours = GramSchmidt("rbf", kernel.gamma, n_components).fit(X)
        theirs = Nystroem(gamma=kernel.gamma, n_components=n_components, random_state=0)
        runs: tuple[Callable[[], Any], ...] = (
            lambda k=kernel, t=ours: floor(X, k, t.basis_, t.triangle_),
            lambda t=ours: t.fit_transform(X),
            lambda t=theirs: t.fit_transform(X),
        )
        times = np.array([[measured(run) for run in runs] for _ in range(repeats)])
        sample = X[:: max(1, n_items // 20_000)]
        left = trace_left(ours.transform(sample)), trace_left(theirs.transform(sample))
        np.testing.assert_allclose(
            ours.transform(sample), floor(sample, kernel, ours.basis_, ours.triangle_), atol=1e-9
        )
        for kind, name in enumerate(("wall", "cpu")):
            least, fit, nystroem = (statistics.median(times[:, i, kind]) for i in range(3))
            print(
                f"{width:5.2f} {name:4s} {least:8.2f} s {fit:13.2f} s {nystroem:8.2f} s {fit / least:10.2f} "
                f"{fit / nystroem:13.2f}   {left[0]:.4f} ({left[1]:.4f})"
            )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

"""KLIEP beside the package densratio, on differences of items.

python benchmarks/speed/kliep.py [n_train] [n_test] [n_features] [n_centres] [repeats]

Both choose centres among the test rows, each its own, so the mean log-weight of the test rows that each
reaches is shown beside the greatest that its own centres allow. Every repeat runs all in turn, so that a busy
machine slows all of them.
"""

import statistics
import sys
import time
from collections.abc import Callable, Mapping

import densratio
import numpy as np

from semirank.density_ratio import KLIEP
from semirank.density_ratio.gaussian_basis import GaussianBasis
from semirank.density_ratio.likelihood import Likelihood


def differences(n_pairs: int, n_features: int, shift: float, seed: int) -> np.ndarray:
    """Return differences of items; those of the test list are smaller and shifted."""
    rng = np.random.default_rng(seed)
    spread = np.linspace(1.0, 0.1, n_features) * (1.0 - 0.3 * shift)
    better, worse = (rng.normal(size=(n_pairs, n_features)) * spread for _ in range(2))
    return better - worse + 0.5 * shift * spread


def optimum(train: np.ndarray, test: np.ndarray, centres: np.ndarray, width: float) -> float:
    """Return the greatest mean log-weight of test rows that some centres allow."""
    basis = GaussianBasis(centres)
    sums = basis.sums(train, [width], np.ones(len(train)))[0]
    likelihood = Likelihood.of(basis.distances(test), sums, len(train), width)
    return float(likelihood.solve(1e-7, 1000).likelihoods[-1])


def timed(runs: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Return the median seconds of each."""
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    return {name: statistics.median(each) for name, each in seconds.items()}


def main(
    n_train: int = 20_000, n_test: int = 2_000, n_features: int = 46, n_centres: int = 100, repeats: int = 7
) -> None:
    train, test = differences(n_train, n_features, 0.0, 0), differences(n_test, n_features, 1.0, 1)
    print(f"{n_train:,} training and {n_test:,} test pairs, {n_features} features, {n_centres} centres")
    search = KLIEP(n_centres=n_centres).fit(train, test)
    widths, width = search.cv_widths_.tolist(), search.width_
    np.random.seed(0)  # noqa: NPY002 (densratio draws its centres so)
    theirs = densratio.KLIEP(test, train, sigma=width, kernel_num=n_centres, verbose=False)
    ours = KLIEP(width, n_centres).fit(train, test)
    reached = {
        "KLIEP": (ours.likelihoods_[-1], optimum(train, test, ours.centres_, width)),
        "densratio": (
            np.log(theirs.compute_density_ratio(test)).mean(),
            optimum(train, test, theirs.kernel_info.centers, width),
        ),
    }
    seconds = timed(
        {
            "KLIEP": lambda: KLIEP(width, n_centres).fit(train, test),
            "densratio": lambda: densratio.KLIEP(
                test, train, sigma=width, kernel_num=n_centres, verbose=False
            ),
            "KLIEP, even": lambda: KLIEP(width, n_centres, even=True).fit(train, test),
            "KLIEP, 5 widths x 5 folds": lambda: KLIEP(n_centres=n_centres).fit(train, test),
            "densratio, the same widths": lambda: densratio.KLIEP(
                test, train, sigma=widths, kernel_num=n_centres, verbose=False
            ),
        },
        repeats,
    )
    print(f"width {width:.3f}, certificate {ours.certificate_:.1e}")
    for name, taken in seconds.items():
        likelihood = "   likelihood {:.4f} of {:.4f}".format(*reached[name]) if name in reached else ""
        print(f"  {name:28s} {taken:7.3f} s   x {taken / seconds['KLIEP']:5.2f}{likelihood}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

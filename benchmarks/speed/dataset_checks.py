"""What the checks of a `RankingDataset` cost beside one pass over the arrays of X and a copy of them.

``python benchmarks/speed/dataset_checks.py`` prints it: processor time of one thread, the least of five runs.
"""

import time
from collections.abc import Callable

import numpy as np
from scipy.sparse import csr_array

from semirank import RankingDataset

N_ITEMS, N_FEATURES, N_ENTRIES = 1_000_000, 50, 20


def least(act: Callable[[], object], n_runs: int = 5) -> float:
    times = []
    for _ in range(n_runs):
        began = time.process_time()
        act()
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    rng = np.random.default_rng(0)
    columns = np.sort(
        rng.random((N_ITEMS, N_FEATURES)).argpartition(N_ENTRIES, axis=1)[:, :N_ENTRIES], axis=1
    )
    X = csr_array(
        (
            rng.random(columns.size),
            columns.astype(np.int32).ravel(),
            np.arange(0, columns.size + 1, N_ENTRIES),
        ),
        shape=(N_ITEMS, N_FEATURES),
    )
    dense, y = rng.random((N_ITEMS, N_FEATURES)), rng.integers(0, 2, N_ITEMS).astype(float)
    one_pass = least(lambda: (X.data.sum(), X.indices.sum(), X.indptr.sum()))
    copy = least(X.copy)
    sparse = least(lambda: RankingDataset(X, y))
    print(f"one pass over the arrays {one_pass:.3f} s, a copy {copy:.3f} s, RankingDataset {sparse:.3f} s")
    print(f"sparse: {sparse / (one_pass + copy):.2f} times a pass and a copy")
    made, one_pass = least(lambda: RankingDataset(dense, y)), least(dense.sum)
    print(f"dense: RankingDataset {made:.3f} s, a pass {one_pass:.3f} s")


if __name__ == "__main__":
    main()

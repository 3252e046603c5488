"""Fits go on in forked and spawned processes and in many threads, whatever threads numba would have."""

import os
import subprocess
import sys

import pytest

FITS = """
import multiprocessing, os, sys
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from joblib import Parallel, delayed
from semirank import RankBoost, RankRLS, RankSVM
from semirank.metrics import ndcg

rng = np.random.default_rng(0)
qid = np.repeat(np.arange(1000), 40)  # enough work for several threads
X = rng.normal(size=(len(qid), 16))
y = (X[:, 0] + rng.normal(size=len(qid)) > 0).astype(float)


def fit(seed):
    boost = RankBoost(n_rounds=3).fit(X, y, qid)
    svm = RankSVM(max_iter=3).fit(X, y, qid)
    rls = RankRLS().fit(X, y, qid)
    value = ndcg(y, boost.scores_, qid)
    return [hash(each.tobytes()) for each in (boost.scores_, svm.scores_, rls.scores_, value)]


def run(way):
    if way in ("fork", "spawn"):
        with multiprocessing.get_context(way).Pool(2) as pool:
            return pool.map(fit, range(2))
    if way == "loky":
        return Parallel(n_jobs=2)(delayed(fit)(seed) for seed in range(2))
    if way == "threads":
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(fit, range(8)))
    if os.fork() == 0:
        os._exit(0 if fit(0) == expected else 1)
    return [expected] * (os.wait()[1] == 0) or ["the child died"]


if __name__ == "__main__":
    expected = fit(0)
    assert all(found == expected for found in run(sys.argv[1]))
    assert fit(0) == expected
"""


@pytest.mark.parametrize(
    ("way", "layer"),
    [
        pytest.param(way, layer, marks=pytest.mark.slow if slow else ())
        for way, layer, slow in (
            ("bare fork", "omp", False),
            ("fork", "omp", True),
            ("fork", "workqueue", True),
            ("threads", "workqueue", False),
            ("threads", "omp", True),
            ("spawn", "omp", True),
            ("spawn", "workqueue", True),
            ("loky", "omp", True),
            ("loky", "workqueue", True),
        )
    ],
)
def test_the_same_bits_after_a_fork_in_processes_and_in_many_threads(tmp_path, way, layer):
    script = tmp_path / "fits.py"
    script.write_text(FITS)
    settings = {"NUMBA_THREADING_LAYER": layer, "NUMBA_NUM_THREADS": "2", "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script, way],
        env=os.environ | settings,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr

"""RankBoost beside LightGBM's ranker with as many two-leaf trees: 50,000 items, 46 features, 500 lists.

python benchmarks/speed/boosting.py            seconds on the clock, two threads each
python benchmarks/speed/boosting.py alone      processor time of one thread each, for a busy machine

Needs lightgbm (pip install -e ".[peers]").
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import numba
import numpy as np

from semirank import RankBoost, metrics
from semirank.report.tables import markdown


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


def peer(n_threads: int = 2, clock: Callable[[], float] = time.perf_counter) -> list[dict[str, Any]]:
    """Let both learn and score by turns; return the median seconds of each, and how well they rank."""
    from lightgbm import LGBMRanker

    X, y, qid = graded_lists(50_000)
    theirs = LGBMRanker(n_estimators=300, num_leaves=2, n_jobs=n_threads, verbose=-1)
    ours = RankBoost(300)
    numba.set_num_threads(n_threads)
    RankBoost(1).fit(X, y, qid)  # compiles
    runs = {
        "RankBoost": lambda: ours.fit(X, y, qid).scores_,
        "LightGBM, two leaves": lambda: theirs.fit(X, y, group=np.bincount(qid)).predict(X),
    }
    times = [[_seconds(run, clock) for run in runs.values()] for _ in range(7)]
    medians = [statistics.median(each) for each in zip(*times, strict=True)]
    return [
        {
            "ranker": name,
            "seconds": median,
            "ratio": f"{median / medians[0]:.1f}",
            "nDCG@10": float(np.nanmean(metrics.ndcg(y, scores, qid, cutoff=10))),
            "AUC": float(np.nanmean(metrics.auc(y > 0, scores, qid))),
        }
        for name, median, scores in zip(runs, medians, (ours.scores_, theirs.predict(X)), strict=True)
    ]


def _seconds(run: Callable[[], object], clock: Callable[[], float]) -> float:
    start = clock()
    run()
    return clock() - start


if __name__ == "__main__":
    print(markdown(peer(1, time.process_time) if "alone" in sys.argv else peer()))

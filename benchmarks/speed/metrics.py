"""nDCG@10 and AP of many lists, from plain arrays, beside ranx, trec_eval and scikit-learn.

python benchmarks/speed/metrics.py [n_lists] [n_items] [rounds]

The peers that need objects of their own (ranx, trec_eval) get them ready-made: only their evaluation is
timed. Sorting alone is shown as the floor. Values of all are compared.
"""

import statistics
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np
from sklearn.metrics import average_precision_score, ndcg_score

from semirank import metrics
from semirank.core.ranks import sort_lists

NAMES = ["nDCG(gain=linear)@10", "AP"]
Means = tuple[float, float]


def lists(n_lists: int, n_items: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    y = rng.choice(5, size=(n_lists, n_items), p=[0.9, 0.04, 0.03, 0.02, 0.01])
    return y, 0.5 * y + rng.normal(size=y.shape)


def by_semirank(y: np.ndarray, scores: np.ndarray) -> Callable[[], Means]:
    qid = np.repeat(np.arange(len(y)), y.shape[1])
    y, scores = y.ravel().astype(float), scores.ravel()

    def run() -> Means:
        ndcg, ap = metrics.measure(NAMES, y, scores, qid).values()
        return np.nanmean(ndcg), np.nanmean(ap)

    return run


def by_sklearn(y: np.ndarray, scores: np.ndarray) -> Callable[[], Means]:
    def run() -> Means:
        ndcg = [ndcg_score(y[i : i + 1], scores[i : i + 1], k=10) for i in range(len(y))]
        ap = [average_precision_score(y[i] > 0, scores[i]) for i in range(len(y))]
        return np.mean(ndcg), np.mean(ap)

    return run


def as_dicts(y: np.ndarray, scores: np.ndarray) -> tuple[dict, dict]:
    items = [f"d{j}" for j in range(y.shape[1])]
    truth = {str(i): dict(zip(items, row.tolist(), strict=True)) for i, row in enumerate(y)}
    run = {str(i): dict(zip(items, row.tolist(), strict=True)) for i, row in enumerate(scores)}
    return truth, run


def by_trec_eval(y: np.ndarray, scores: np.ndarray) -> Callable[[], Means]:
    import pytrec_eval

    truth, ranking = as_dicts(y, scores)
    evaluator = pytrec_eval.RelevanceEvaluator(truth, {"ndcg_cut.10", "map"})

    def run() -> Means:
        values = evaluator.evaluate(ranking).values()
        return np.mean([v["ndcg_cut_10"] for v in values]), np.mean([v["map"] for v in values])

    return run


def by_ranx(y: np.ndarray, scores: np.ndarray) -> Callable[[], Means]:
    import ranx

    truth, ranking = as_dicts(y, scores)
    qrels, ready = ranx.Qrels.from_dict(truth), ranx.Run.from_dict(ranking)

    def run() -> Means:
        values = ranx.evaluate(qrels, ready, ["ndcg@10", "map"])
        return values["ndcg@10"], values["map"]

    return run


def sorting_alone(y: np.ndarray, scores: np.ndarray) -> Callable[[], None]:
    flat, indptr = scores.ravel(), np.arange(len(scores) + 1) * scores.shape[1]
    return lambda: sort_lists(flat, indptr) and None


def ready(y: np.ndarray, scores: np.ndarray) -> dict[str, Callable[[], object]]:
    """Give each competitor that can be imported, compiled and warm, after comparing its answer."""
    ours = by_semirank(y, scores)
    expected = ours()
    print(f"{len(y)} lists of {y.shape[1]} items: nDCG@10 {expected[0]:.6f}, AP {expected[1]:.6f}")
    runs: dict[str, Callable[[], object]] = {"semirank": ours, "sorting alone": sorting_alone(y, scores)}
    peers = {"ranx": by_ranx, "trec_eval": by_trec_eval, "scikit-learn loop": by_sklearn}
    for name, prepare in peers.items():
        try:
            peer = prepare(y, scores)
        except ImportError as error:
            print(f"{name}: not measured, {error}")
            continue
        np.testing.assert_allclose(peer(), expected, rtol=1e-6, err_msg=name)
        runs[name] = peer
    return runs


def main(n_lists: int = 1000, n_items: int = 1000, rounds: int = 7) -> None:
    warnings.simplefilter("ignore")
    runs = ready(*lists(n_lists, n_items))
    times: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):  # in turn, so that all meet the same load
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - start)
    own = statistics.median(times["semirank"])
    for name in runs:
        took = statistics.median(times[name])
        print(f"{name:18s} {1e3 * took:9.1f} ms {took / own:8.2f} times semirank's")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))

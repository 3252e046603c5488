"""From a label to a new order, and a whole simulated review, beside ASReview's own step on the same texts.

python benchmarks/speed/feedback.py [--abstracts 10000] [--labels 300] [--review Cohen_ACEInhibitors]
"""

import argparse
import os
import time
import warnings

import numpy as np
import pandas as pd
from asreview.learner import ActiveLearningCycle
from asreview.models.models import get_ai_config

from semirank import ScreeningRanker
from semirank.core.threads import count_workers
from semirank.feedback import Engine, Event, Items, Start, State, evidence, queue
from semirank.feedback.simulation import Reader
from semirank.readers.datasets import load_items

REVIEWS = ("Cohen_ACEInhibitors", "Cohen_BetaBlockers", "Cohen_Opiods", "Nagtegaal_2019", "Cohen_ADHD")


def abstracts(wanted: int) -> tuple[list[str], np.ndarray]:
    """Return so many different texts: records of reviews, then these with sentences of another one."""
    parts = [load_items("systematic-reviews", part=name, text_features=False) for name in REVIEWS]
    texts = [text for part in parts for text in part.texts]
    truth = np.concatenate([np.where(k == 0, part.y, 0.0) for k, part in enumerate(parts)])
    rng, first = np.random.default_rng(0), list(texts)
    while len(texts) < wanted:
        halves = [first[k].split(". ") for k in rng.integers(len(first), size=2)]
        texts.append(". ".join(halves[0][::2] + halves[1][1::2]))
    return texts[:wanted], np.append(truth, np.zeros(wanted))[:wanted]


def percentiles(seconds: list[float]) -> str:
    low, high = np.quantile(seconds, [0.5, 0.95]) * 1e3
    return f"median {low:.1f} ms, 95 % below {high:.1f} ms"


def ours(texts: list[str], truth: np.ndarray, n_labels: int) -> list[int]:
    items = Items([str(row) for row in range(len(texts))], texts)
    state, engine = State(items), Engine(items)
    start = time.perf_counter()
    state.apply(Event("first", "label", str(np.flatnonzero(truth > 0)[0]), value=1))
    order = engine.rank(state)
    print(f"semirank, {len(texts)} texts vectorised, graphed and ranked: {time.perf_counter() - start:.1f} s")
    times, looks, read = [], [], []
    for number in range(n_labels):
        row = int(queue(state, order, n=1)[0])
        read.append(row)
        start = time.perf_counter()
        state.apply(Event(str(number), "label", str(row), value=float(truth[row])))
        order = engine.rank(state)
        times.append(time.perf_counter() - start)
        if number % 50 == 49:
            start = time.perf_counter()
            evidence(state)
            looks.append(time.perf_counter() - start)
    print(f"semirank, label to new order: {percentiles(times)}")
    print(f"semirank, evidence: {percentiles(looks)}")
    return read


def theirs(texts: list[str], truth: np.ndarray, read: list[int]) -> None:
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    start = time.perf_counter()
    X = cycle.transform(pd.DataFrame({"title": texts, "abstract": ""}))
    print(f"ASReview, {len(texts)} texts vectorised: {time.perf_counter() - start:.1f} s")
    known, times = [int(np.flatnonzero(truth > 0)[0])], []
    for row in read:
        known.append(row)
        if (truth[known] > 0).all():
            continue
        start = time.perf_counter()
        cycle.fit(X[known], truth[known].astype(int))
        cycle.rank(X[np.setdiff1d(np.arange(len(texts)), known)])
        times.append(time.perf_counter() - start)
    print(f"ASReview, training step on the same labels: {percentiles(times)}")


def review(name: str) -> None:
    """Read a whole review, ranked anew after each label, in processor time.

    Ours makes features and graph, ranks, keeps events and queues; theirs makes features, fits and ranks: in
    its own order, and on the labels that ours has read, among them empty records, which slow it down.
    """
    records = load_items("systematic-reviews", part=name, text_features=False)
    reader = Reader(
        Items([str(k) for k in range(len(records.y))], records.texts), records.y, ScreeningRanker(), 0
    )
    known = reader.begin(Start(), 0).tolist()
    start = time.process_time()
    read = reader.read(1)
    ours = time.process_time() - start
    print(f"semirank, {name} read with {len(read)} labels: {ours:.1f} s of processor")
    for order, given in (("its own order", None), ("the same labels", read)):
        spent, n_labels = asreview_review(records.texts, records.y.astype(int), known, given)
        print(f"ASReview, {order}, {n_labels} labels: {spent:.1f} s of processor; ratio {ours / spent:.2f}")


def asreview_review(
    texts: list[str], y: np.ndarray, known: list[int], given: list[int] | None
) -> tuple[float, int]:
    """Let ASReview's ranker read up to the last relevant record, or rank after each given label."""
    start = time.process_time()
    cycle = ActiveLearningCycle.from_meta(get_ai_config("elas_u4")["value"])
    X = cycle.transform(pd.DataFrame({"title": texts, "abstract": ""}))
    read = list(known)
    while y[read].sum() < y.sum():
        unread = np.setdiff1d(np.arange(len(y)), read)
        cycle.fit(X[read], y[read])
        ranked = unread[cycle.rank(X[unread])]
        read.append(int(ranked[0]) if given is None else given[len(read) - len(known)])
    return time.process_time() - start, len(read) - len(known)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--abstracts", type=int, default=10_000)
    parser.add_argument("--labels", type=int, default=300)
    parser.add_argument("--review", default="Cohen_ACEInhibitors")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {count_workers(-1)} cores")
    texts, truth = abstracts(options.abstracts)
    theirs(texts, truth, ours(texts, truth, options.labels))
    if options.review:
        review(options.review)


if __name__ == "__main__":
    main()

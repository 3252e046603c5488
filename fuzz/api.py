"""Random rankers with random parameters on random data: what `fit` and `predict` promise must hold.

``python -m fuzz.api --fits 20000`` runs that many, each made of its own seed; a broken promise prints the
seed, and ``python -m fuzz.api --seed 123`` runs it alone.
"""

import argparse
import faulthandler
import gc
import resource
import sys
import time
import warnings
from collections import Counter
from typing import Any, NamedTuple

import numba
import numpy as np
from scipy.sparse import csr_array, issparse

from semirank import EstimatorRanker, limits
from semirank.checks import reads_only_texts
from semirank.registry import ranker_class, ranker_names

SLOW = ("auto-ranker",)  # fits a dozen others
LEAST_FITTED = 0.3
LONGEST = 300  # seconds for one case
STRANGE = (  # words of libraries about what they were given by us
    "broadcast",
    "truth value",
    "zero-size",
    "must not contain infs",
    "object is not",
    "attribute",
    "index out of",
    "out of bounds",
    "unexpected keyword",
    "cannot reshape",
    "leading minor",
    "concatenate",
    "convert",
)


class Case(NamedTuple):
    """A ranker and what it is given."""

    ranker: Any
    X: Any
    y: Any
    qid: Any
    new: Any


def make_case(seed: int) -> Case:
    """Draw everything from one seed."""
    rng = np.random.default_rng(seed)
    name = rng.choice([each for each in ranker_names() if each not in SLOW])
    ranker = ranker_class(name)(**_params(name, rng))
    qid, n_features = _lists(rng), int(rng.choice([1, 2, 3, 6, 30]))
    X = _features(rng, len(qid), n_features)
    new = _features(rng, int(rng.integers(1, 9)), n_features)
    if ranker.get_params().get("kernel") == "precomputed" and not issparse(X):
        X, new = X @ X.T, new @ X.T
    if reads_only_texts(ranker):
        X, new = (_texts(rng, each.shape[0]) for each in (X, new))
    return Case(ranker, X, _labels(rng, len(qid)), qid if rng.random() < 0.8 else None, new)


def _params(name: str, rng: np.random.Generator) -> dict[str, Any]:
    table, drawn = ranker_class(name).limits, {}
    for param, limit in table.items():
        if param == "random_state":
            drawn[param] = int(rng.integers(100))
        elif rng.random() < 0.4:
            value = _draw(limit, rng, param)
            if value is not None and value in limit:
                drawn[param] = value
    if name == "labelled-only":
        drawn["ranker"] = ranker_class("manifold-ranking")()
    for costly, usual in (("n_rounds", 10), ("n_trees", 5), ("n_restarts", 1)):
        if costly in table:
            drawn.setdefault(costly, usual)
    return drawn


def _draw(limit: Any, rng: np.random.Generator, param: str) -> Any:
    """Draw a value inside a limit, sometimes from its very ends; None where there is no way to."""
    if isinstance(limit, limits.Either):
        return _draw(limit.limits[rng.integers(len(limit.limits))], rng, param)
    if isinstance(limit, limits.OneOf):
        return limit.choices[rng.integers(len(limit.choices))]
    if isinstance(limit, limits.Several):
        return tuple(_draw(limit.limit, rng, param) for _ in range(rng.integers(1, 3)))
    if isinstance(limit, limits.Between):
        return _number(limit, rng)
    if param == "metric":
        return str(rng.choice(["nDCG@10", "AP", "AUC", "P@5", "RR", "nDCG"]))
    if param == "ranker":
        return ranker_class(str(rng.choice(["rankboost", "rankrls", "logistic-ranker"])))()
    return None


def _number(limit: Any, rng: np.random.Generator) -> Any:
    if limit.kind is not limits.Real:
        low = max(int(limit.low), 1) if np.isfinite(limit.low) else 1
        return int(min(low + rng.geometric(0.15) - 1, limit.high, 40))
    if rng.random() < 0.1:  # the ends
        return float(
            rng.choice([1e-300, 1e-30, 1e30, 1e300, np.nextafter(limit.high, 0), limit.low, limit.high])
        )
    if np.isfinite(limit.low) and np.isfinite(limit.high):
        return float(rng.uniform(limit.low, limit.high))
    return float(10.0 ** rng.uniform(-4, 4))


def _lists(rng: np.random.Generator) -> Any:
    sizes = rng.choice([1, 1, 2, 5, 12], size=rng.integers(1, 6))
    qid = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return qid if rng.random() < 0.5 else np.array([f"list {each}" for each in qid])


def _features(rng: np.random.Generator, n_items: int, n_features: int) -> Any:
    X = rng.normal(size=(n_items, n_features))
    match rng.integers(12):
        case 0:
            X[:] = X[0]
        case 1:
            X[:] = 0.0
        case 2:
            X[:, 0] = 7.0
        case 3:
            X *= 10.0 ** rng.integers(-150, 150)
        case 4:
            X = np.round(X)
        case 5:
            X += 1e8
    if rng.random() < 0.15:
        X = np.clip(X, -1e30, 1e30).astype(np.float32)
    if rng.random() < 0.3:
        return csr_array(np.where(rng.random(X.shape) < 0.6, 0.0, X))
    return X


def _labels(rng: np.random.Generator, n_items: int) -> Any:
    y = rng.choice(
        [[0.0, 1.0], [0.0, 1.0, 2.0], [-1.0, 1.0], [0.0, 0.5, 7.25], [1.0, 1.0], [0.0, 0.0]][rng.integers(6)]
        if rng.random() < 0.5
        else [0.0, 1.0],
        size=n_items,
    )
    if rng.random() < 0.1:
        y = rng.normal(size=n_items) * 10.0 ** rng.integers(-9, 9)
    return np.where(
        rng.random(n_items) < rng.choice([0.0, 0.3, 0.6, 0.95, 1.0], p=[0.3, 0.3, 0.3, 0.08, 0.02]), np.nan, y
    )


def _texts(rng: np.random.Generator, n_items: int) -> Any:
    words = np.array(["apple", "pear", "plum", "wheel", "brake", "motor", "the", "", "ß", "42"])
    return np.array([" ".join(rng.choice(words, rng.integers(0, 6))) for _ in range(n_items)], dtype=object)


def run_case(case: Case) -> str:
    """Fit and predict; return "fitted" or why that was refused; raise AssertionError for a broken promise."""
    before = [_copy(part) for part in case[1:]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        first = _answers(case)
        second = _answers(case)
        numba.set_num_threads(1)
        try:
            third = _answers(case)
        finally:
            numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    for part, copy in zip(case[1:], before, strict=True):
        assert _same(part, copy), "what was given has been changed"
    for other in (second, third):
        assert _same(first, other), f"not the same again: {first!r:.200} and {other!r:.200}"
    return first if isinstance(first, str) else "fitted"


def _answers(case: Case) -> Any:
    """Return the scores of the fitted items and of new ones, or the message of a refusal."""
    ranker = type(case.ranker)(**case.ranker.get_params(deep=False))
    try:
        scores = ranker.fit(case.X, case.y, case.qid).scores_
    except (ValueError, TypeError) as error:
        return _checked(error, case)
    assert (scores.shape, scores.dtype) == ((len(case.y),), np.float64), "scores_ are not one float64 an item"
    assert np.isfinite(scores).all(), f"scores_ are not finite: {scores!r:.200}"
    try:
        predicted = ranker.predict(case.new, None)
    except (ValueError, TypeError) as error:
        _checked(error, case)
        return scores
    assert np.isfinite(predicted).all(), f"predict is not finite: {predicted!r:.200}"
    return np.concatenate([scores, predicted])


def _checked(error: Exception, case: Case) -> str:
    message = str(error)
    assert len(message) > 20, f"a message that says nothing: {error!r}"
    strange = [words for words in STRANGE if words in message]
    foreign = isinstance(case.ranker, EstimatorRanker)  # whose estimator speaks for itself
    assert foreign or not strange, f"a message of another library: {error!r:.300}"
    return message


def _copy(part: Any) -> Any:
    return None if part is None else part.copy()


def _same(left: Any, right: Any) -> bool:
    if issparse(left):
        pairs = zip(
            (left.data, left.indices, left.indptr), (right.data, right.indices, right.indptr), strict=True
        )
        return all(np.array_equal(a, b) for a, b in pairs)
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        return np.array_equal(left, right, equal_nan=left.dtype.kind == "f")
    return bool(left is right or (isinstance(left, str) and left == right))


def main() -> int:
    """Run the cases that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=20_000)
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, help="run this one alone")
    options = parser.parse_args()
    if options.seed is not None:
        case = make_case(options.seed)
        print(case)
        print(run_case(case))
        return 0
    counts, kinds, broken, memory, began = Counter(), Counter(), 0, {}, time.perf_counter()
    for number in range(options.fits):
        case = make_case(options.start + number)
        faulthandler.dump_traceback_later(LONGEST, exit=True)  # in compiled code, nothing else ends it
        try:
            outcome = run_case(case)
            counts["fitted" if outcome == "fitted" else "refused"] += 1
            kinds[type(case.ranker).__name__, outcome == "fitted"] += 1
        except Exception as error:
            broken += 1
            print(
                f"seed {options.start + number}: {case.ranker!r:.200}: {type(error).__name__}: {error}",
                flush=True,
            )
        if number in (options.fits // 2, options.fits - 1):
            gc.collect()
            memory[number] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{options.fits} cases, each fitted three times: {dict(counts)}, {broken} broken promises")
    print(
        "peak memory in MB: "
        + ", ".join(f"after {number + 1} cases {peak:.0f}" for number, peak in memory.items())
    )
    print(f"{time.perf_counter() - began:.0f} s")
    for name in sorted({name for name, _ in kinds}):
        print(f"{name:24} {kinds[name, True]:6} fitted {kinds[name, False]:6} refused")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())

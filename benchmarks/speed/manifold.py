"""Manifold ranking beside faiss, SciPy, scikit-network and scikit-learn's LabelSpreading.

    python benchmarks/speed/manifold.py [items] [features]

Graph, one query, many queries, local queries, one more label. Peers run in turn with us on the same data;
answers are compared. Printed are the median time, the median processor time (of all threads), which other
work on the machine changes less, and the ratios of both to ours. The default is 70,000 x 64; scikit-network
is left out where it is not installed, and, like faiss, on more than 200,000 items.
"""

import resource
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any

import faiss
import numpy as np
from scipy.sparse import csr_matrix, eye_array
from scipy.sparse.linalg import cg
from sklearn.semi_supervised import LabelSpreading
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from semirank import ManifoldRanking
from semirank.graphs import Diffusion, knn_graph, normalised

K, ALPHA, TOL = 10, 0.99, 1e-6
MOST_FOR_SLOW_PEERS = 200_000

Timed = tuple[float, float, Any]
"""Seconds, processor seconds, answer."""


def overlapping_points(n_items: int, n_features: int) -> np.ndarray:
    """Points of a hundred wide clouds in a low-dimensional sheet, so that the graph hangs together."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(100, 10))
    sheet = centres[rng.integers(0, 100, n_items)] + 0.7 * rng.normal(size=(n_items, 10))
    noise = 0.1 * rng.normal(size=(n_items, n_features))
    return np.tanh(sheet @ rng.normal(size=(10, n_features)) / 3) + noise


def alternate(cases: dict[str, Callable[[], Any]], repeats: int) -> dict[str, Timed]:
    """Run the cases in turn; return the median times and the last answer of each."""
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    answers: dict[str, Any] = {}
    for _ in range(repeats):
        for name, run in cases.items():
            start = time.perf_counter(), time.process_time()
            answers[name] = run()
            times[name].append((time.perf_counter() - start[0], time.process_time() - start[1]))
    medians = {name: map(statistics.median, zip(*times[name], strict=True)) for name in cases}
    return {name: (*medians[name], answers[name]) for name in cases}


def show(
    title: str, found: dict[str, Timed], note: Callable[[Any], str], per: Mapping[str, int] = {}
) -> None:
    print(f"\n{title}\n{'':28s}{'time, ms':>12s}{'ratio':>9s}{'processor, ms':>16s}{'ratio':>9s}")
    each = {name: [1000 * value / per.get(name, 1) for value in times[:2]] for name, times in found.items()}
    for name, (wall, processor) in each.items():
        ratios = wall / each["semirank"][0], processor / each["semirank"][1]
        times = f"{wall:12.2f}{ratios[0]:9.2f}{processor:16.2f}{ratios[1]:9.2f}"
        print(f"  {name:26s}{times}   {note(found[name][2])}", flush=True)


def graph_builds(X: np.ndarray) -> None:
    data = X.astype(np.float32)
    exact = faiss.IndexFlatL2(data.shape[1])
    exact.add(data)
    sample = np.random.default_rng(1).choice(len(data), 500, replace=False)
    truth = exact.search(data[sample], K + 1)[1]

    def ivf() -> np.ndarray:
        n_cells = int(2 * np.sqrt(len(data)))
        index = faiss.index_factory(data.shape[1], f"IVF{n_cells},Flat")
        index.train(data)
        index.add(data)
        index.nprobe = max(1, n_cells // 24)
        return index.search(data, K + 1)[1]

    def hnsw() -> np.ndarray:
        index = faiss.IndexHNSWFlat(data.shape[1], 16)
        index.add(data)
        return index.search(data, K + 1)[1]

    def recall(answer: Any) -> str:
        if isinstance(answer, np.ndarray):
            hits = [len(set(row) & set(right)) for row, right in zip(answer[sample], truth, strict=True)]
        else:
            rows = (answer.indices[answer.indptr[i] : answer.indptr[i + 1]] for i in sample)
            hits = [
                len(({i} | set(row)) & set(right)) for i, row, right in zip(sample, rows, truth, strict=True)
            ]
        return f"recall {sum(hits) / truth.size:.4f}"

    cases = {"semirank": lambda: knn_graph(X, K), "faiss IVF": ivf, "faiss HNSW": hnsw}
    show("Graph of 10 neighbours (ours with symmetric weights)", alternate(cases, 3), recall)


def one_query(graph: Any) -> None:
    diffusion, S = Diffusion(graph), normalised(graph)
    system = eye_array(S.shape[0], format="csr") - ALPHA * S
    y = np.zeros(S.shape[0])
    y[7] = 1.0
    truth = scipy_cg(system, y, 1e-12)
    cases: dict[str, Callable[[], Any]] = {
        "semirank": lambda: diffusion.solve(y, ALPHA, tol=TOL).scores,
        "scipy cg": lambda: scipy_cg(system, y, TOL),
    }
    if len(y) <= MOST_FOR_SLOW_PEERS:
        cases |= pagerank_cases(graph, y)
    show("One query", alternate(cases, 5), lambda f: f"error {abs(f - truth).max() / truth.max():.1e}")


def many_queries(graph: Any, n_queries: int) -> None:
    """Solve for many queries at once, and for four of them one by one with SciPy."""
    diffusion, S = Diffusion(graph), normalised(graph)
    system = eye_array(S.shape[0], format="csr") - ALPHA * S
    many = np.zeros((S.shape[0], n_queries))
    many[np.arange(n_queries) * (S.shape[0] // n_queries), np.arange(n_queries)] = 1.0
    truth = scipy_cg(system, many[:, 3], 1e-12)
    cases = {
        "semirank": lambda: diffusion.solve(many, ALPHA, tol=TOL).scores[:, 3],
        "scipy cg, one by one": lambda: [scipy_cg(system, column, TOL) for column in many.T[:4]][3],
    }
    show(
        f"{n_queries} queries at once, per query",
        alternate(cases, 3),
        lambda f: f"error {abs(f - truth).max() / truth.max():.1e}",
        per={"semirank": n_queries, "scipy cg, one by one": 4},
    )


def scipy_cg(system: Any, y: np.ndarray, tol: float) -> np.ndarray:
    """Solve with one thread of BLAS: more only wait for each other on vectors of this length."""
    with threadpool_limits(1, "blas"):
        return cg(system, y, rtol=tol, maxiter=10_000)[0]


def pagerank_cases(graph: Any, y: np.ndarray) -> dict[str, Callable[[], Any]]:
    """PageRank from D^1/2 y is D^1/2 f up to a factor: bring it to the scale of f."""
    try:
        from sknetwork.ranking import PageRank
    except ImportError:
        return {}
    root = np.sqrt(graph.sum(axis=1))
    total = float((root * Diffusion(graph).solve(y, ALPHA, tol=1e-12).scores).sum())

    def case(solver: str, n_iter: int) -> Callable[[], Any]:
        def run() -> Any:
            ranker = PageRank(damping_factor=ALPHA, solver=solver, n_iter=n_iter, tol=1e-9)
            return ranker.fit_predict(csr_matrix(graph), weights=root * y) * total / root

        return run

    return {
        f"scikit-network {solver}": case(solver, n)
        for solver, n in (("piteration", 1500), ("lanczos", 50), ("bicgstab", 100))
    }


def local_queries(X: np.ndarray, graph: Any) -> None:
    ready = ManifoldRanking(graph=graph, solver="push").fit_graph(X)
    exact = copy(ready).set_params(solver="cg")
    queries = np.random.default_rng(5).choice(len(X), 8, replace=False).tolist()
    cases = {
        "semirank": lambda: [ready.rank_queries([query], top=100)[0][0] for query in queries],
        "exact (our cg)": lambda: [exact.rank_queries([query], top=100)[0][0] for query in queries],
    }
    truth = copy(exact).set_params(tol=1e-9).rank_queries(queries, top=100)[0]

    def agreement(items: Any) -> str:
        shared = [len(set(a) & set(b)) / 100 for a, b in zip(items, truth, strict=True)]
        return f"agreement {np.mean(shared):.4f}, least {min(shared):.2f}"

    show("Top 100, per query: push", alternate(cases, 3), agreement, dict.fromkeys(cases, len(queries)))


def one_more_label(X: np.ndarray, graph: Any, combine: str) -> None:
    """Call the best item that has no label relevant, as someone does who looks through the results."""
    blank = ManifoldRanking(graph=graph, combine=combine).fit_graph(X)
    rng = np.random.default_rng(6)
    few = np.full(len(X), np.nan)
    few[rng.choice(len(X), 10, replace=False)] = np.repeat([1.0, 0.0], 5)
    ranked = copy(blank).rerank(few)
    more = few.copy()
    more[np.where(np.isnan(few), ranked.scores_, -np.inf).argmax()] = 1.0
    truth = copy(blank).set_params(tol=1e-10).rerank(more).diffused_
    cases = {
        "semirank": lambda: copy(ranked).rerank(more),
        "the same from nothing": lambda: copy(blank).rerank(more),
        "fit on the ready graph": lambda: ManifoldRanking(graph=graph, combine=combine).fit(X, more),
    }
    show(
        f"One more label, combine={combine!r}: rerank",
        alternate(cases, 3),
        lambda ranker: (
            f"{ranker.n_iter_[0]} sweeps at most, error "
            f"{abs(ranker.diffused_ - truth).max() / abs(truth).max():.1e}"
        ),
    )


def label_spreading(n_items: int = 5000) -> None:
    """Our P / (P + N), of one solve for each side, is what LabelSpreading calls the label distribution."""
    X = overlapping_points(n_items, 64)
    graph = knn_graph(X, K)
    dense = graph.toarray()
    y = np.full(n_items, np.nan)
    y[:20] = np.repeat([1.0, 0.0], 10)
    sides = np.column_stack([y == 1, y == 0]).astype(np.float64)
    exact = np.linalg.solve(np.eye(n_items) - ALPHA * normalised(graph).toarray(), sides)

    def ours() -> np.ndarray:
        sides = ManifoldRanking(graph=graph, alpha=ALPHA, combine="ratio").fit(X, y).diffused_
        return sides[:, 0] / sides.sum(axis=1)

    def theirs(affinity: Any) -> np.ndarray:
        spreading = LabelSpreading(kernel=lambda a, b: affinity, alpha=ALPHA, max_iter=10_000, tol=TOL)
        return spreading.fit(X, np.where(np.isnan(y), -1, y)).label_distributions_[:, 1]

    cases = {
        "semirank": ours,
        "LabelSpreading": lambda: theirs(dense),
        "LabelSpreading, sparse": lambda: theirs(graph),
    }
    truth = exact[:, 0] / exact.sum(axis=1)
    show(
        f"{n_items} items, two classes, the graph being ready",
        alternate(cases, 3),
        lambda share: f"error {abs(share - truth).max():.1e}",
    )


def build(X: np.ndarray) -> Any:
    """Build the graph, and say how much memory the process has taken so far."""
    start = time.perf_counter(), time.process_time()
    graph = knn_graph(X, K)
    times = time.perf_counter() - start[0], time.process_time() - start[1]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"graph: {times[0]:.1f} s, processor {times[1]:.1f} s, peak memory {peak:.2f} GiB", flush=True)
    return graph


def main() -> None:
    n_items, n_features = (int(value) for value in (*sys.argv[1:], *("70000", "64")[len(sys.argv) - 1 :]))
    X = overlapping_points(n_items, n_features)
    print(f"{n_items} x {n_features}, {K} neighbours, alpha = {ALPHA}")
    knn_graph(X[:2000], K)  # compile
    Diffusion(knn_graph(X[:2000], K)).solve(np.eye(2000)[:, :8], ALPHA)
    graph = build(X)
    if n_items <= MOST_FOR_SLOW_PEERS:
        graph_builds(X)
    one_query(graph)
    many_queries(graph, 100 if n_items <= MOST_FOR_SLOW_PEERS else 16)
    local_queries(X, graph)
    for combine in ("difference", "ratio"):
        one_more_label(X, graph, combine)
    label_spreading()


if __name__ == "__main__":
    main()

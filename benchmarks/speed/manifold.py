"""Manifold ranking beside faiss, SciPy and scikit-network: graph, one query, many queries, local queries.

    python benchmarks/speed/manifold.py [items] [features]

Peers run in turn with us on the same data; answers are compared; medians and ratios are printed. The default
is 70,000 x 64; scikit-network is left out where it is not installed.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import faiss
import numpy as np
from scipy.sparse import csr_matrix, eye_array
from scipy.sparse.linalg import cg

from semirank import ManifoldRanking
from semirank.graphs import Diffusion, knn_graph, normalised

K, ALPHA, TOL = 10, 0.99, 1e-6


def overlapping_points(n_items: int, n_features: int) -> np.ndarray:
    """Points of a hundred wide clouds in a low-dimensional sheet, so that the graph hangs together."""
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(100, 10))
    sheet = centres[rng.integers(0, 100, n_items)] + 0.7 * rng.normal(size=(n_items, 10))
    noise = 0.1 * rng.normal(size=(n_items, n_features))
    return np.tanh(sheet @ rng.normal(size=(10, n_features)) / 3) + noise


def alternate(cases: dict[str, Callable[[], Any]], repeats: int) -> dict[str, tuple[float, Any]]:
    """Run the cases in turn; return the median time and the last answer of each."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    answers: dict[str, Any] = {}
    for _ in range(repeats):
        for name, run in cases.items():
            start = time.perf_counter()
            answers[name] = run()
            times[name].append(time.perf_counter() - start)
    return {name: (statistics.median(times[name]), answers[name]) for name in cases}


def show(title: str, found: dict[str, tuple[float, Any]], note: Callable[[Any], str], per: int = 1) -> None:
    print(f"\n{title}")
    ours = found["semirank"][0]
    for name, (seconds, answer) in found.items():
        print(f"  {name:28s} {1000 * seconds / per:10.2f} ms   {seconds / ours:6.2f} x   {note(answer)}")


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
    truth = cg(system, y, rtol=1e-12, maxiter=10_000)[0]
    cases: dict[str, Callable[[], Any]] = {
        "semirank": lambda: diffusion.solve(y, ALPHA, tol=TOL).scores,
        "scipy cg": lambda: cg(system, y, rtol=TOL, maxiter=10_000)[0],
    }
    cases |= pagerank_cases(graph, y)
    show("One query", alternate(cases, 7), lambda f: f"error {abs(f - truth).max() / truth.max():.1e}")
    many = np.zeros((S.shape[0], 100))
    many[np.arange(100) * (S.shape[0] // 100), np.arange(100)] = 1.0
    batch = {
        "semirank": lambda: diffusion.solve(many, ALPHA, tol=TOL).scores[:, 3],
        "scipy cg, one by one": lambda: [
            cg(system, column, rtol=TOL, maxiter=10_000)[0] for column in many.T
        ][3],
    }
    reference = cg(system, many[:, 3], rtol=1e-12, maxiter=10_000)[0]
    show(
        "A hundred queries, per query",
        alternate(batch, 2),
        lambda f: f"error {abs(f - reference).max() / reference.max():.1e}",
        per=100,
    )


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


def local_queries(X: np.ndarray) -> None:
    exact = ManifoldRanking(n_neighbors=K, solver="cg", tol=1e-8).fit_graph(X)
    local = ManifoldRanking(n_neighbors=K, solver="push").fit_graph(X)
    queries = [5, len(X) // 2, len(X) - 9]
    cases = {
        "semirank": lambda: local.rank_queries(queries, top=100)[0],
        "exact (our cg)": lambda: exact.rank_queries(queries, top=100)[0],
    }
    found = alternate(cases, 3)
    best = found["exact (our cg)"][1]
    show(
        "Top 100, per query: push",
        found,
        lambda items: (
            f"agreement {np.mean([len(set(a) & set(b)) / 100 for a, b in zip(items, best, strict=True)]):.3f}"
        ),
        per=len(queries),
    )


def main() -> None:
    n_items, n_features = (int(value) for value in (*sys.argv[1:], *("70000", "64")[len(sys.argv) - 1 :]))
    X = overlapping_points(n_items, n_features)
    print(f"{n_items} x {n_features}, {K} neighbours, alpha = {ALPHA}")
    knn_graph(X[:2000], K)  # compile
    Diffusion(knn_graph(X[:2000], K)).solve(np.eye(2000)[:, :8], ALPHA)
    graph_builds(X)
    one_query(knn_graph(X, K))
    local_queries(X)


if __name__ == "__main__":
    main()

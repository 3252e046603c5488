"""Work shared among threads, always cut into the same parts, so that no result depends on their number."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numba import get_num_threads
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]


def in_parallel(work: Callable[[Any], Any], tasks: Iterable[Any], n_threads: int | None = None) -> list[Any]:
    """Run a task after the other on as many threads as numba is allowed, and return what they give.

    The compiled loops release the interpreter's lock. BLAS gets one thread for each task.
    """
    n_threads = get_num_threads() if n_threads is None else n_threads
    with threadpool_limits(1, "blas"):
        if n_threads == 1:
            return [work(task) for task in tasks]
        with ThreadPoolExecutor(n_threads) as pool:
            return list(pool.map(work, tasks))

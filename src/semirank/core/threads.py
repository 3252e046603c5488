"""Work shared among threads, always cut into the same parts, so that no result depends on their number."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from numba import get_num_threads


def in_parallel(work: Callable[[Any], Any], tasks: Iterable[Any], n_threads: int | None = None) -> list[Any]:
    """Run one task after the other, on as many threads as numba may use; return what they give.

    Compiled loops that release the interpreter's lock run side by side.
    """
    n_threads = get_num_threads() if n_threads is None else n_threads
    if n_threads == 1:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, tasks))

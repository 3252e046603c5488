"""Work shared among threads, always cut into the same parts, so that no result depends on their number."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any

import scipy.linalg  # noqa: F401 (brings its own library of matrix operations, which must be known below)
from numba import get_num_threads, set_num_threads
from threadpoolctl import ThreadpoolController

STEPS = 2**17  # of a compiled loop, about a tenth of a millisecond: less is not worth another thread


def in_parallel(work: Callable[[Any], Any], tasks: Iterable[Any], n_threads: int | None = None) -> list[Any]:
    """Run one task after the other, on as many threads as numba may use; return what they give.

    Compiled loops that release the interpreter's lock run side by side.
    """
    n_threads = get_num_threads() if n_threads is None else n_threads
    if n_threads == 1:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, tasks))


def one_blas_thread() -> AbstractContextManager[Any]:
    """Let products and factorisations of matrices use one thread: the same bits on any machine.

    The libraries are looked up once; each time would take longer than a small fit.
    """
    return _libraries().limit(limits=1, user_api="blas")


@cache
def _libraries() -> ThreadpoolController:
    return ThreadpoolController()


@contextmanager
def threads_for(steps: int) -> Iterator[None]:
    """Let compiled loops use one thread, and one more for each `STEPS` steps, but no more than set."""
    most = get_num_threads()
    set_num_threads(min(most, 1 + steps // STEPS))
    try:
        yield
    finally:
        set_num_threads(most)

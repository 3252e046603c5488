"""Work shared among threads, always cut into the same parts, so that no result depends on their number."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

import scipy.linalg  # noqa: F401 (brings its own library of matrix operations, which must be known below)
from joblib import cpu_count
from numba import get_num_threads, set_num_threads
from threadpoolctl import OpenBLASController, ThreadpoolController

STEPS = 2**17  # of a compiled loop, about a tenth of a millisecond: less is not worth another thread


def count_workers(n_jobs: int | None) -> int:
    """Return how many processes or threads `n_jobs` asks for, as joblib understands it.

    None is 1, -1 is one for each core that this process may use (not all that the machine has), -2 one
    less, and so on, but always at least 1.
    """
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise ValueError(
            "n_jobs must be a number of processes or threads, -1 for one for each core, or None; got 0."
        )
    return n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)


def in_parallel(work: Callable[[Any], Any], tasks: Iterable[Any], n_threads: int | None = None) -> list[Any]:
    """Run one task after the other, on as many threads as numba may use; return what they give.

    Compiled loops that release the interpreter's lock run side by side.
    """
    n_threads = get_num_threads() if n_threads is None else n_threads
    if n_threads == 1:
        return [work(task) for task in tasks]
    with ThreadPoolExecutor(n_threads) as pool:
        return list(pool.map(work, tasks))


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let products and factorisations of matrices use one thread: the same bits on any machine.

    Most libraries have one number of threads for the whole process. So blocks of several threads may overlap:
    the first one in remembers the number, and the last one out restores it.
    """
    blas = _blas()
    with blas.of_each_thread.limit(limits=1):
        blas.enter()
        try:
            yield
        finally:
            blas.leave()


class _Blas:
    """The libraries of matrix operations, looked up once: each time would take longer than a small fit."""

    def __init__(self) -> None:
        libraries = ThreadpoolController().select(user_api="blas")
        self.of_each_thread = libraries.select(threading_layer="openmp")
        self._of_the_process = [
            library for library in libraries.lib_controllers if library.threading_layer != "openmp"
        ]
        self._lock = Lock()
        self._inside = 0
        self._before: list[int] = []

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = [library.num_threads for library in self._of_the_process]
                self._set([1] * len(self._before))
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._set(self._before)

    def _set(self, numbers: list[int]) -> None:
        """Set the threads of each library; threadpoolctl from 3.8 on lets one thread alone do that."""
        disown = getattr(OpenBLASController, "clear_controlling_thread", lambda force=False: None)
        disown(force=True)
        for library, number in zip(self._of_the_process, numbers, strict=True):
            library.set_num_threads(number)
        disown()


@cache
def _blas() -> _Blas:
    return _Blas()


@contextmanager
def threads_for(steps: int) -> Iterator[None]:
    """Let compiled loops use one thread, and one more for each `STEPS` steps, but no more than set."""
    most = get_num_threads()
    set_num_threads(min(most, 1 + steps // STEPS))
    try:
        yield
    finally:
        set_num_threads(most)

"""Work shared among threads, always cut into the same parts, so that no result depends on their number."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from functools import cache
from itertools import pairwise
from threading import Lock, local
from typing import Any

import numba
import scipy.linalg  # noqa: F401 (brings its own library of matrix operations, which must be known below)
from joblib import cpu_count
from threadpoolctl import OpenBLASController, ThreadpoolController

_numba: Any = numba  # which carries no types

_alone = local()

STEPS = 2**18  # of a compiled loop, a few tenths of a millisecond: less is not worth another thread


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


def count_threads() -> int:
    """Return how many threads may share work: NUMBA_NUM_THREADS, by default one for each core.

    `numba.set_num_threads` can lower it. Threads of numba's own are never started here: those of OpenMP do
    not survive a fork, and those of its work queue end the process when two threads use them. Inside of
    `one_thread` there is one.
    """
    if getattr(_alone, "depth", 0):
        return 1
    try:
        _numba.threading_layer()
    except ValueError:  # numba's threads have not been started, so that nobody has set their number either
        return int(_numba.config.NUMBA_NUM_THREADS)
    return int(numba.get_num_threads())


@contextmanager
def one_thread() -> Iterator[None]:
    """Share no work of this thread: others like it keep all cores busy."""
    _alone.depth = getattr(_alone, "depth", 0) + 1
    try:
        yield
    finally:
        _alone.depth -= 1


def in_parallel(work: Callable[[Any], Any], tasks: Iterable[Any], n_threads: int | None = None) -> list[Any]:
    """Run one task after the other, on several threads; return what they give.

    Compiled loops that release the interpreter's lock run side by side.
    """
    n_threads = count_threads() if n_threads is None else n_threads
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


def in_shares(loop: Callable[..., None], n_places: int, steps: int, *arrays: Any) -> None:
    """Run a compiled ``loop(first, last, *arrays)`` over all places, a share of them in each thread.

    The loop must fill what belongs to its places and nothing else: then any shares give the same bits. There
    is one thread, and one more for each `STEPS` steps that all places take together.
    """
    n_shares = min(count_threads(), 1 + steps // STEPS, n_places)
    if n_shares <= 1:
        loop(0, n_places, *arrays)
        return
    own, *others = pairwise(n_places * share // n_shares for share in range(n_shares + 1))
    running = [_helpers().submit(loop, *share, *arrays) for share in others]
    try:
        loop(*own, *arrays)
    finally:
        wait(running)  # they write into the arrays of the caller
    for share in running:
        share.result()


@cache
def _helpers() -> ThreadPoolExecutor:
    """Return threads that stay for the next loop. A loop never waits for another one, so they never lock."""
    return ThreadPoolExecutor(int(_numba.config.NUMBA_NUM_THREADS), "semirank")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_helpers.cache_clear)  # threads stay behind in the parent

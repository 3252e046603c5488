"""Fits in processes of their own, which can be stopped when they take too long."""

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock, Timer, local
from typing import Any, NamedTuple

from joblib import wrap_non_picklable_objects

from semirank.selection.candidates import Candidate
from semirank.selection.comparing.cells import Bench, Cell
from semirank.selection.comparing.worker import answer
from semirank.selection.splits import Split

THREAD_SETTINGS = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_START = "from semirank.selection.comparing.worker import main; main()"
TIMED_OUT = "timeout"
DIED = "the process that fitted it died (out of memory?)"

_BROKEN = (EOFError, OSError, ValueError, pickle.UnpicklingError)  # what a pipe to a dead process gives

Found = Cell | str
"""A cell, or the reason why there is none."""


class Task(NamedTuple):
    """One cell to compute: of which series, at which place in it, by which candidate on which split."""

    series: str
    place: int
    candidate: Candidate
    split: Split

    def run(self, bench: Bench) -> Found:
        """Compute the cell; the first of a series also takes the time of `predict`."""
        return answer(bench, (self.candidate, self.split, self.place == 0))


Limit = Callable[[Task], float | None]
"""Seconds that a task may take when it starts; None: any time; 0 or less: it is not even started."""


def run_here(bench: Bench, tasks: Sequence[Task], limit: Limit) -> Iterator[tuple[Task, Found]]:
    """Run tasks in this process, one after the other; no time limit stops one that has begun."""
    for task in tasks:
        yield task, TIMED_OUT if _is_over(limit(task)) else task.run(bench)


class Crew:
    """Processes that run tasks, each in one thread: several fits at a time use cores better than one fit.

    Parameters
    ----------
    bench : Bench
        What every process gets once, at its start.
    n_workers : int
        How many processes.
    """

    def __init__(self, bench: Bench, n_workers: int) -> None:
        self._environment = os.environ | dict.fromkeys(THREAD_SETTINGS, "1")
        self._environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self._bench = bench
        self._threads = ThreadPoolExecutor(n_workers)
        self._mine = local()
        self._processes: list[Any] = []
        self._lock, self._ended = Lock(), False

    def run_all(self, tasks: Sequence[Task], limit: Limit) -> Iterator[tuple[Task, Found]]:
        """Run tasks; yield each with its cell, or a text that says why there is none."""
        futures: dict[Future[Found], Task] = {
            self._threads.submit(self._run, task, limit): task for task in tasks
        }
        try:
            while futures:
                for done in wait(futures, return_when=FIRST_COMPLETED).done:
                    yield futures.pop(done), done.result()
        finally:
            for future in futures:
                future.cancel()

    def end(self) -> None:
        """End all processes; what they were doing is lost."""
        with self._lock:
            self._ended = True
            for process in self._processes:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._processes:
            process.wait()
            process.stdin.close()
            process.stdout.close()

    def _run(self, task: Task, limit: Limit) -> Found:
        """Let the process of this thread run a task; end the process when the time is over."""
        seconds = limit(task)
        if _is_over(seconds):
            return TIMED_OUT
        process = self._process()
        with _Clock(process, seconds) as clock:
            try:
                return _ask(process, (task.candidate, task.split, task.place == 0))
            except _BROKEN:
                process.kill()
                process.wait()
                return TIMED_OUT if clock.over else DIED

    def _process(self) -> Any:
        process = getattr(self._mine, "process", None)
        if process is None or process.poll() is not None:
            process = self._mine.process = self._start()
            _ask(process, self._bench)  # a clock starts when the process is ready
        return process

    def _start(self) -> Any:
        with self._lock:
            if self._ended:
                raise RuntimeError("The comparison has ended.")
            process = subprocess.Popen(
                [sys.executable, "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=self._environment,
                start_new_session=True,  # Ctrl-C is the business of this process
            )
            self._processes.append(process)
        return process


class _Clock:
    """Ends a process when its time is over."""

    def __init__(self, process: Any, seconds: float | None) -> None:
        self.over = False
        self._process = process
        self._timer = None if seconds is None else Timer(seconds, self._ring)

    def _ring(self) -> None:
        self.over = True
        self._process.kill()

    def __enter__(self) -> "_Clock":
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()
        return self

    def __exit__(self, *problem: Any) -> None:
        if self._timer is not None:
            self._timer.cancel()


def _ask(process: Any, value: Any) -> Any:
    """Send a value, also a ranker whose class was defined in a notebook or script; return the answer."""
    pickle.dump(wrap_non_picklable_objects(value, keep_wrapper=False), process.stdin)
    process.stdin.flush()
    return pickle.load(process.stdout)


def _is_over(seconds: float | None) -> bool:
    return seconds is not None and seconds <= 0

"""Fits in processes of their own, which can be stopped when they take too long.

A process is started as ``python -c``, not by `multiprocessing`: a script needs no guard of ``__main__``, a
notebook's own classes go along, and no lock or thread of this process is copied into it. It reads pickles
from standard input, a benchmark first and then tasks, and writes one answer for each. Only this module starts
it, on the same machine and as the same user; nothing is read from a file or a network.
"""

import os
import pickle
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from threading import Lock, Timer, local
from typing import Any, NamedTuple

from joblib import wrap_non_picklable_objects

from semirank.rankers._base import Ranker
from semirank.selection.benchmark import Benchmark, Fit
from semirank.selection.splits import Split

THREAD_SETTINGS = (
    "NUMBA_NUM_THREADS",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
TIMED_OUT = "timeout"
DIED = "the process that fitted it died (out of memory?)"
DIED_AT_START = "the process that was to fit it died while it started (out of memory?)"
READY = "ready"

_START = "from semirank.selection.processes import serve; serve()"
_BROKEN = (EOFError, OSError, ValueError, pickle.UnpicklingError)  # what a pipe to a dead process gives

Found = Fit | str
"""A fit, or the reason why there is none."""


class Task(NamedTuple):
    """A ranker on some splits, in one go: of which series, and at which places in it."""

    series: str
    places: tuple[int, ...]
    ranker: Ranker
    splits: tuple[Split, ...]

    def run(self, benchmark: Benchmark) -> Iterator[Found]:
        """Fit split after split; a ranker that fails once is not fitted again."""
        try:
            yield from benchmark.fits(self.ranker, self.splits)
        except MemoryError:
            yield "out of memory"
        except Exception as error:
            yield f"{type(error).__name__}: {error}" if str(error) else traceback.format_exc(limit=-1)


Limit = Callable[[Task], float | None]
"""Seconds that a task may take when it starts; None: any time; 0 or less: it is not even started."""


def run_here(benchmark: Benchmark, tasks: Sequence[Task], limit: Limit) -> Iterator[tuple[Task, int, Found]]:
    """Run tasks in this process, one after the other; no time limit stops a fit that has begun."""
    for task in tasks:
        fits = task.run(benchmark)
        for place in task.places:
            if _is_over(limit(task)):
                yield task, place, TIMED_OUT
                break
            found = next(fits)
            yield task, place, found
            if isinstance(found, str):
                break


class Processes:
    """Processes that run tasks, each in one thread: several fits at a time use cores better than one fit.

    Parameters
    ----------
    benchmark : Benchmark
        What every process gets once, at its start.
    n_processes : int
        How many.
    """

    def __init__(self, benchmark: Benchmark, n_processes: int) -> None:
        self._environment = os.environ | dict.fromkeys(THREAD_SETTINGS, "1")
        self._environment["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
        self._benchmark = benchmark
        self._threads = ThreadPoolExecutor(n_processes)
        self._mine = local()
        self._started: list[Any] = []
        self._lock, self._ended = Lock(), False

    def run_all(self, tasks: Sequence[Task], limit: Limit) -> Iterator[tuple[Task, int, Found]]:
        """Run tasks; yield each place with its fit, or a text that says why there is none."""
        futures: dict[Future[list[Found]], Task] = {
            self._threads.submit(self._run, task, limit): task for task in tasks
        }
        try:
            while futures:
                for done in wait(futures, return_when=FIRST_COMPLETED).done:
                    task = futures.pop(done)
                    yield from ((task, *pair) for pair in zip(task.places, done.result(), strict=False))
        finally:
            for future in futures:
                future.cancel()

    def end(self) -> None:
        """End all processes; what they were doing is lost."""
        with self._lock:
            self._ended = True
            for process in self._started:
                process.kill()
        self._threads.shutdown(cancel_futures=True)
        for process in self._started:
            process.wait()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):  # a process that died before it had read everything
                    pipe.close()

    def _run(self, task: Task, limit: Limit) -> list[Found]:
        """Let the process of this thread run a task; end the process when the time is over."""
        seconds = limit(task)
        if _is_over(seconds):
            return [TIMED_OUT]
        over: list[bool] = []
        try:
            process = self._process()
        except _BROKEN:
            return [DIED_AT_START]
        timer = None if seconds is None else Timer(seconds, _end, (process, over))
        try:
            if timer is not None:
                timer.daemon = True
                timer.start()
            answer: list[Found] = _ask(process, task)
            return answer
        except _BROKEN:
            process.kill()
            process.wait()
            return [TIMED_OUT if over else DIED]
        finally:
            if timer is not None:
                timer.cancel()

    def _process(self) -> Any:
        process = getattr(self._mine, "process", None)
        if process is None or process.poll() is not None:
            process = self._start()
            _ask(process, self._benchmark)  # a clock starts when the process is ready
            self._mine.process = process
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
            self._started.append(process)
        return process


def serve() -> None:
    """Answer tasks until there are no more: what such a process does."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a ranker prints must not get between answers
    tasks = sys.stdin.buffer
    try:
        benchmark: Benchmark = pickle.load(tasks)
        benchmark.warm_up()
        found: Any = READY
        while True:
            pickle.dump(found, answers)
            answers.flush()
            found = list(pickle.load(tasks).run(benchmark))
    except (EOFError, BrokenPipeError):
        return


def _end(process: Any, over: list[bool]) -> None:
    over.append(True)
    process.kill()


def _ask(process: Any, value: Any) -> Any:
    """Send a value, also a ranker whose class was defined in a notebook or script; return the answer."""
    pickle.dump(wrap_non_picklable_objects(value, keep_wrapper=False), process.stdin)
    process.stdin.flush()
    return pickle.load(process.stdout)


def _is_over(seconds: float | None) -> bool:
    return seconds is not None and seconds <= 0

"""Slow work in a process of its own, which is ended when it is cancelled or takes too long.

A process is started as ``python -c``, as those of `selection.processes` are, and for the same reasons. It
reads one pickle from standard input and writes one to standard output, both files without a name; only this
module starts it.
"""

import os
import pickle
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from typing import Any

from semirank.selection.processes import THREAD_SETTINGS
from semirank.web.jobs import CancelledError, Job

_START = "from semirank.web.worker import answer; answer()"
PATIENCE = 0.1  # seconds between two looks whether it was cancelled


class WorkerError(RuntimeError):
    """The work failed, or its process died; the message says why."""


def run(job: Job, work: Callable[..., Any], *arguments: Any, seconds: float = 3600.0) -> Any:
    """Call a function of a module in a process with one core, and wait for what it returns."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as found:
        pickle.dump((work, arguments), given, protocol=5)
        given.seek(0)
        process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=given,
            stdout=found,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **dict.fromkeys(THREAD_SETTINGS, "1")},
        )
        try:
            _wait(process, job, seconds)
        finally:
            process.kill()
            process.wait()
        found.seek(0)
        return _result(found.read())


def _wait(process: "subprocess.Popen[bytes]", job: Job, seconds: float) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            process.wait(PATIENCE)
            return
        except subprocess.TimeoutExpired:
            if job.cancelled.is_set():
                raise CancelledError from None
            if time.monotonic() > end:
                raise WorkerError("It took too long, and was stopped.") from None


def _result(found: bytes) -> Any:
    try:
        good, value = pickle.loads(found)
    except Exception as error:
        raise WorkerError("Its process died (out of memory?).") from error
    if not good:
        raise WorkerError(value)
    return value


def answer() -> None:
    """Do what standard input asks for."""
    if hasattr(os, "nice"):
        os.nice(10)
    out, sys.stdout = sys.stdout.buffer, sys.stderr
    try:
        work, arguments = pickle.load(sys.stdin.buffer)
        found: tuple[bool, Any] = (True, work(*arguments))
    except Exception as error:
        found = (False, str(error) or type(error).__name__)
    out.write(pickle.dumps(found, protocol=5))
    out.flush()

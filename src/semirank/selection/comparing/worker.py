"""A process that fits rankers for another one.

It reads pickles from standard input, a bench first and then tasks, and writes one answer for each. It ends
when its input does. Only `workers` of this room starts it, on the same machine and as the same user; nothing
is read from a file or a network.
"""

import os
import pickle
import sys
import traceback
from typing import Any

from semirank.selection.comparing.cells import Bench, Cell

READY = "ready"


def answer(bench: Bench, task: Any) -> Cell | str:
    """Run one task; what goes wrong comes back as text."""
    try:
        return bench.run(*task)
    except MemoryError:
        return "out of memory"
    except Exception as error:
        return f"{type(error).__name__}: {error}" if str(error) else traceback.format_exc(limit=-1)


def main() -> None:
    """Answer tasks until there are no more."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a ranker prints must not get between answers
    tasks = sys.stdin.buffer
    try:
        bench = pickle.load(tasks)
        bench.warm_up()
        found: Cell | str = READY
        while True:
            pickle.dump(found, answers)
            answers.flush()
            found = answer(bench, pickle.load(tasks))
    except (EOFError, BrokenPipeError):
        return

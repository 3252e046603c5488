"""Finished rounds of boosting in a file, so that a fit that was stopped goes on with the same bits."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from semirank.checkpoints import Checkpoint
from semirank.files import code_digest

FIRST = "code"  # the key of the first line


@contextmanager
def open_rounds(path: str | os.PathLike[str] | None) -> Iterator[Checkpoint]:
    """Open a file of rounds, or make one; a file of something else stays as it is. None: keep nothing."""
    if path is not None and os.path.exists(path) and os.path.getsize(path):
        with Path(path).open("rb") as stream:
            if not stream.readline().startswith(f'["{FIRST}", '.encode()):
                raise ValueError(f"{path}: is no file of rounds. Give another file.")
    with Checkpoint(path) as kept:
        belong(kept, FIRST, code_digest())
        yield kept


def belong(kept: Checkpoint, what: str, value: Any) -> None:
    """Write down what rounds depend on; refuse those of a file that depend on something else."""
    if what not in kept:
        kept.add(what, value)
    elif kept[what] != value:
        raise ValueError(f"{kept.path}: holds rounds of other {what}. Give another file, or remove this one.")


def finished(kept: Checkpoint) -> list[Any]:
    """Return what was kept of each round, in their order."""
    rounds: list[Any] = []
    while (key := str(len(rounds))) in kept:
        rounds.append(kept[key])
    return rounds

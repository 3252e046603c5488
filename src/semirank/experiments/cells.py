"""Many small measurements, shared out among processes; what is finished survives an interruption."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from joblib import Parallel, delayed, parallel_config

from semirank.checkpoints import Checkpoint
from semirank.files import code_digest
from semirank.readers.datasets import cache_folder

Progress = Callable[[int, int | None], None]


def checkpoint_of(name: str, **settings: Any) -> Checkpoint:
    """Find the checkpoint of an experiment in the user's cache; other settings or code have another one."""
    told = json.dumps([code_digest(), settings], sort_keys=True, default=repr)
    folder = cache_folder() / "experiments"
    folder.mkdir(parents=True, exist_ok=True)
    return Checkpoint(folder / f"{name}-{sha256(told.encode()).hexdigest()[:16]}.jsonl")


def name_of(cell: Any) -> str:
    """Name a cell, a data class of plain values, by these values."""
    return json.dumps(asdict(cell))


def measure_cells(
    cells: Sequence[Any],
    measure: Callable[[Any], Any],
    checkpoint: Checkpoint,
    progress: Progress | None = None,
    n_jobs: int = -1,
) -> Mapping[str, Any]:
    """Measure all cells that the checkpoint does not hold; return all by their names.

    `measure` runs in processes of one thread each, as many as there are cores for ``n_jobs=-1``.
    """
    with checkpoint as found:
        missing = [cell for cell in cells if name_of(cell) not in found]
        done = len(cells) - len(missing)
        for name, values in _in_processes(measure, missing, n_jobs):
            found.add(name, values)
            done += 1
            if progress is not None:
                progress(done, len(cells))
        return dict(found)


def _in_processes(
    measure: Callable[[Any], Any], cells: Sequence[Any], n_jobs: int
) -> Iterable[tuple[str, Any]]:
    if n_jobs == 1:
        return map(_named, [measure] * len(cells), cells)
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        return Parallel(return_as="generator_unordered")(delayed(_named)(measure, cell) for cell in cells)


def _named(measure: Callable[[Any], Any], cell: Any) -> tuple[str, Any]:
    return name_of(cell), measure(cell)

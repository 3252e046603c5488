"""Many small measurements, shared out among processes; what is finished survives an interruption."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

from joblib import Parallel, delayed, parallel_config

from semirank.files import code_digest
from semirank.readers.datasets import cache_folder

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Notebook:
    """A file with one line for each finished cell: its name and what was measured.

    A line that was cut off by an interruption is left out when the file is read again.
    """

    path: Path

    @classmethod
    def of(cls, name: str, **settings: Any) -> Self:
        """Find the notebook of an experiment in the user's cache; other settings or code have another one."""
        told = json.dumps([code_digest(), settings], sort_keys=True, default=repr)
        digest = sha256(told.encode()).hexdigest()[:16]
        return cls(cache_folder() / "experiments" / f"{name}-{digest}.jsonl")

    def read(self) -> dict[str, Any]:
        """Return what was measured so far by the name of the cell."""
        if not self.path.exists():
            return {}
        found = {}
        for line in self.path.read_text().splitlines():
            try:
                name, values = json.loads(line)
            except ValueError:
                continue
            found[name] = values
        return found

    def add(self, name: str, values: Any) -> None:
        """Write one cell down."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as stream:
            stream.write("\n" + json.dumps([name, values]))  # the line break ends a line that was cut off

    def discard(self) -> None:
        """Throw the notebook away, once the experiment is through."""
        self.path.unlink(missing_ok=True)


def name_of(cell: Any) -> str:
    """Name a cell, a data class of plain values, by these values."""
    return json.dumps(asdict(cell))


def measure_cells(
    cells: Sequence[Any],
    measure: Callable[[Any], Any],
    notebook: Notebook,
    progress: Progress | None = None,
    n_jobs: int = -1,
) -> Mapping[str, Any]:
    """Measure all cells that are not in the notebook; return all by their names.

    `measure` runs in processes of one thread each, as many as there are cores for ``n_jobs=-1``.
    """
    found = notebook.read()
    missing = [cell for cell in cells if name_of(cell) not in found]
    done = len(cells) - len(missing)
    for name, values in _in_processes(measure, missing, n_jobs):
        notebook.add(name, values)
        found[name] = values
        done += 1
        if progress is not None:
            progress(done, len(cells))
    return found


def _in_processes(
    measure: Callable[[Any], Any], cells: Sequence[Any], n_jobs: int
) -> Iterable[tuple[str, Any]]:
    if n_jobs == 1:
        return map(_named, [measure] * len(cells), cells)
    with parallel_config("loky", n_jobs=n_jobs, inner_max_num_threads=1):
        return Parallel(return_as="generator_unordered")(delayed(_named)(measure, cell) for cell in cells)


def _named(measure: Callable[[Any], Any], cell: Any) -> tuple[str, Any]:
    return name_of(cell), measure(cell)

"""All cells of a comparison, with what failed, took too long or was interrupted."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

from semirank.selection.candidates import Candidate
from semirank.selection.comparing.cells import Bench, Cell
from semirank.selection.comparing.store import CellStore
from semirank.selection.comparing.workers import TIMED_OUT, Crew, Found, Task, run_here
from semirank.selection.findings.comparison import Status
from semirank.selection.splits import Split

Progress = Callable[[int, int | None], None]


class Outcome(NamedTuple):
    """What became of a series of fits: all cells, split by split, or the reason why not."""

    status: Status
    reason: str | None
    cells: tuple[Cell, ...]


class Series(NamedTuple):
    """One candidate on some splits, under a name."""

    name: str
    candidate: Candidate
    splits: Sequence[Split]


@dataclass
class _Ledger:
    """What is known so far of each series."""

    timeout: float | None
    sizes: dict[str, int]
    cells: dict[str, dict[int, Cell]] = field(default_factory=dict)
    problems: dict[str, tuple[Status, str]] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)

    def note(self, task: Task, found: Found) -> None:
        """Enter a cell, or the reason why there is none."""
        name = task.series
        if isinstance(found, Cell):
            self.cells.setdefault(name, {})[task.place] = found
            self.spent[name] = self.spent.get(name, 0.0) + found.fit_seconds
        elif name not in self.problems and found == TIMED_OUT:
            limit = f"took longer than {self.timeout:g} seconds for {self.sizes[name]} fits"
            self.problems[name] = ("timeout", limit)
        else:
            self.problems.setdefault(name, ("failed", found))

    def left(self, task: Task) -> float | None:
        """Return the seconds that a series has left; none once it has failed."""
        if task.series in self.problems:
            return 0.0
        return None if self.timeout is None else self.timeout - self.spent.get(task.series, 0.0)

    def outcome(self, name: str) -> Outcome:
        """Sum up: a series is finished when all its cells are there."""
        cells, size = self.cells.get(name, {}), self.sizes[name]
        if name in self.problems:
            return Outcome(*self.problems[name], ())
        if len(cells) < size:
            return Outcome("interrupted", f"interrupted after {len(cells)} of {size} fits", ())
        return Outcome("finished", None, tuple(cells[place] for place in range(size)))


class Runner:
    """Fits rankers, in this process or in others, and keeps what is finished.

    Parameters
    ----------
    bench : Bench
        The data and what is measured.
    store : CellStore
        Where finished cells are kept and found.
    n_jobs : int, optional
        Processes, as in joblib: -1 is one for each core. None: this process, or one other where there is a
        timeout.
    timeout : float, optional
        Seconds that a series may take, all its fits together.
    progress : callable, optional
        Called with (done, total).

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C has ended the work.
    """

    def __init__(
        self,
        bench: Bench,
        store: CellStore,
        n_jobs: int | None = None,
        timeout: float | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.store, self.timeout, self.progress = store, timeout, progress
        self.bench, self.interrupted = bench, False
        self.done = self.total = 0
        workers = _count_workers(n_jobs, timeout)
        self.crew = Crew(bench, workers) if workers else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: Any) -> None:
        if self.crew is not None:
            self.crew.end()

    def run(self, series: Sequence[Series]) -> dict[str, Outcome]:
        """Run all fits; return what became of each series.

        A series that fails once is not tried again. Ctrl-C ends the work; what is finished counts.
        """
        ledger = _Ledger(self.timeout, {each.name: len(each.splits) for each in series})
        tasks = [
            Task(each.name, at, each.candidate, split)
            for each in series
            for at, split in enumerate(each.splits)
        ]
        self.total += len(tasks)
        try:
            for task, found in () if self.interrupted else self._found(tasks, ledger):
                ledger.note(task, found)
                self._tell()
        except KeyboardInterrupt:
            self.interrupted = True
        return {each.name: ledger.outcome(each.name) for each in series}

    def _found(self, tasks: Sequence[Task], ledger: _Ledger) -> Iterator[tuple[Task, Found]]:
        """Yield each task with its cell, those that are known already first."""
        known = [(task, self.store.find(task)) for task in tasks]
        yield from ((task, cell) for task, cell in known if cell is not None)
        todo = [task for task, cell in known if cell is None]
        if self.crew is None:
            runs = run_here(self.bench, todo, ledger.left)
        else:
            runs = self.crew.run_all(todo, ledger.left)
        for task, found in runs:
            if isinstance(found, Cell):
                self.store.add(task, found)
            yield task, found

    def _tell(self) -> None:
        self.done += 1
        if self.progress is not None:
            self.progress(self.done, self.total)


def _count_workers(n_jobs: int | None, timeout: float | None) -> int:
    """Return the number of processes; 0: this one."""
    if n_jobs is None:
        return 0 if timeout is None else 1
    if n_jobs == 0:
        raise ValueError("n_jobs must be a number of processes, -1 for one for each core, or None; got 0.")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)

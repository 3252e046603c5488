"""All fits of a comparison, with what failed, took too long or was interrupted."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import joblib

from semirank.checkpoints import Checkpoint
from semirank.core.threads import count_workers
from semirank.files import code_digest
from semirank.rankers._base import Ranker
from semirank.results.result import Status
from semirank.selection.benchmark import Benchmark, Fit
from semirank.selection.cluster import Cluster
from semirank.selection.processes import TIMED_OUT, Found, Processes, Task, run_here
from semirank.selection.splits import Split

Progress = Callable[[int, int | None], None]


class Outcome(NamedTuple):
    """What became of a series of fits: all of them, split by split, or the reason why not."""

    status: Status
    reason: str | None
    fits: tuple[Fit, ...]


class Series(NamedTuple):
    """One ranker on some splits, under a name; `optional` ones only get what is left of the time budget."""

    name: str
    ranker: Ranker
    splits: Sequence[Split]
    optional: bool = False


@dataclass
class _Ledger:
    """What is known so far of each series."""

    series: dict[str, Series]
    timeout: float | None
    end: float | None
    fits: dict[str, dict[int, Fit]] = field(default_factory=dict)
    problems: dict[str, tuple[Status, str]] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)

    def note(self, name: str, place: int, found: Found) -> None:
        """Enter a fit, or the reason why there is none."""
        if isinstance(found, Fit):
            self.fits.setdefault(name, {})[place] = found
            self.spent[name] = self.spent.get(name, 0.0) + found.fit_seconds
        elif found == TIMED_OUT:
            self.problems.setdefault(name, ("timeout", self._too_long(name)))
        else:
            self.problems.setdefault(name, ("failed", found))

    def _too_long(self, name: str) -> str:
        if self.timeout is None:
            return "out of time"
        return f"took longer than {self.timeout:g} seconds for {len(self.series[name].splits)} fits"

    def left(self, task: Task) -> float | None:
        """Return the seconds that a series has left; none once it has failed."""
        if task.series in self.problems:
            return 0.0
        left = None if self.timeout is None else self.timeout - self.spent.get(task.series, 0.0)
        if self.end is not None and self.series[task.series].optional:
            until_end = self.end - time.perf_counter()
            return until_end if left is None else min(left, until_end)
        return left

    def outcome(self, name: str) -> Outcome:
        """Sum up: a series is finished when all its fits are there."""
        fits, size = self.fits.get(name, {}), len(self.series[name].splits)
        if name in self.problems:
            return Outcome(*self.problems[name], ())
        if len(fits) < size:
            return Outcome("interrupted", f"interrupted after {len(fits)} of {size} fits", ())
        return Outcome("finished", None, tuple(fits[place] for place in range(size)))


class Runner:
    """Fits rankers, in this process or in others, and keeps what is finished.

    Parameters
    ----------
    benchmark : Benchmark
        The data and what is measured.
    n_jobs : int, optional
        Processes, as in joblib: -1 is one for each core that this process may use. None: this process, or one
        other where there is a timeout.
    timeout : float, optional
        Seconds that a series may take, all its fits together.
    time_budget : float, optional
        Seconds for all series together; optional ones that do not fit in are left out.
    progress : callable, optional
        Called with (done, total).
    checkpoint : Checkpoint
        Where finished fits are kept and found, by data, ranker, labels shown and held out, metric and code.
    on : distributed.Client or str, optional
        A Dask cluster, or its address, that fits instead.

    Attributes
    ----------
    interrupted : bool
        Whether Ctrl-C has ended the work.
    """

    def __init__(
        self,
        benchmark: Benchmark,
        n_jobs: int | None = None,
        *,
        timeout: float | None = None,
        time_budget: float | None = None,
        progress: Progress | None = None,
        checkpoint: Checkpoint | None = None,
        on: Any = None,
    ) -> None:
        self.benchmark, self.timeout, self.progress = benchmark, timeout, progress
        self.end = None if time_budget is None else time.perf_counter() + time_budget
        kept = checkpoint is not None and checkpoint.path is not None
        self.checkpoint = checkpoint if kept else None
        self.interrupted, self.done, self.total = False, 0, 0
        apart = n_jobs is not None or timeout is not None
        self.processes: Processes | Cluster | None = None
        if on is not None:
            self.processes = Cluster(benchmark, on)
        elif apart:
            self.processes = Processes(benchmark, count_workers(n_jobs))
        self._made_by = _digest(benchmark) if kept else ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: Any) -> None:
        if self.processes is not None:
            self.processes.end()

    def run(self, series: Sequence[Series]) -> dict[str, Outcome]:
        """Run all fits; return what became of each series.

        A series that fails once is not tried again. Ctrl-C ends the work; what is finished counts.
        """
        ledger = _Ledger({each.name: each for each in series}, self.timeout, self.end)
        self.total += sum(len(each.splits) for each in series)
        try:
            for name, place, found in () if self.interrupted else self._found(series, ledger):
                ledger.note(name, place, found)
                self._tell(1)
        except KeyboardInterrupt:
            self.interrupted = True
        outcomes = {each.name: ledger.outcome(each.name) for each in series}
        self._tell(sum(len(each.splits) - len(ledger.fits.get(each.name, ())) for each in series), last=True)
        return outcomes

    def _found(self, series: Sequence[Series], ledger: _Ledger) -> Iterator[tuple[str, int, Found]]:
        """Yield each fit with its place, those that are known already first."""
        tasks = []
        for each in series:
            known = {place: self._known(each, place) for place in range(len(each.splits))}
            yield from ((each.name, place, fit) for place, fit in known.items() if fit is not None)
            tasks += self._tasks(each, [place for place, fit in known.items() if fit is None])
        if self.processes is None:
            runs = run_here(self.benchmark, tasks, ledger.left)
        else:
            runs = self.processes.run_all(tasks, ledger.left)
        for task, place, found in runs:
            if isinstance(found, Fit) and self.checkpoint is not None:
                self.checkpoint.add(self._key(ledger.series[task.series], place), found.to_dict())
            yield task.series, place, found

    def _tasks(self, series: Series, places: Sequence[int]) -> list[Task]:
        """Cut a series into tasks: one for all in this process, otherwise one for each repeat."""
        groups: dict[int, list[int]] = {}
        for place in places:
            groups.setdefault(0 if self.processes is None else series.splits[place].repeat, []).append(place)
        return [
            Task(series.name, tuple(group), series.ranker, tuple(series.splits[place] for place in group))
            for group in groups.values()
        ]

    def _known(self, series: Series, place: int) -> Fit | None:
        if not self.checkpoint:
            return None
        found = self.checkpoint.get(self._key(series, place))
        try:
            return None if found is None else Fit.from_dict(found)
        except ValueError:  # a line that something else has written
            return None

    def _key(self, series: Series, place: int) -> str:
        split = series.splits[place]
        return str(joblib.hash((self._made_by, series.ranker, split.shown, split.measured)))

    def _tell(self, n_fits: int, last: bool = False) -> None:
        self.done += n_fits
        if self.progress is not None and n_fits and not (last and self.interrupted):
            self.progress(self.done, self.total)


def _digest(benchmark: Benchmark) -> str:
    data = benchmark.data
    what = (benchmark.metric, benchmark.unlabelled, benchmark.depth, benchmark.lists, code_digest())
    return str(joblib.hash((data.X, data.texts, data.y, data.indptr, what)))

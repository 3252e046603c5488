"""Fits on the workers of a Dask cluster."""

from collections.abc import Iterator, Sequence
from typing import Any

from semirank.engines.on_dask import OnDask
from semirank.selection.benchmark import Benchmark
from semirank.selection.processes import DIED, TIMED_OUT, Found, Limit, Task


class Cluster:
    """Workers that run tasks, each in one thread; the benchmark is sent once.

    Parameters
    ----------
    benchmark : Benchmark
        What every worker needs.
    on : distributed.Client or str
        The cluster, or its address.
    """

    def __init__(self, benchmark: Benchmark, on: Any) -> None:
        self._engine, self._benchmark = OnDask(on), benchmark

    def run_all(self, tasks: Sequence[Task], limit: Limit) -> Iterator[tuple[Task, int, Found]]:
        """Run tasks; yield each place with its fit, or a text that says why there is none.

        A task whose time is over is not started; one that has begun is not stopped.
        """
        timely = []
        for task in tasks:
            seconds = limit(task)
            if seconds is None or seconds > 0:
                timely.append(task)
            else:
                yield task, task.places[0], TIMED_OUT
        for task, found in self._engine.completed(run_fits, timely, self._benchmark):
            fits = [DIED] if found is None else found
            yield from ((task, *pair) for pair in zip(task.places, fits, strict=False))

    def end(self) -> None:
        """Leave the cluster."""
        self._engine.__exit__()


def run_fits(task: Task, benchmark: Benchmark) -> list[Found]:
    """Fit split after split."""
    return list(task.run(benchmark))

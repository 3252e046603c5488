"""The same tasks on the workers of a Dask cluster."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Self

from semirank.core.threads import one_thread
from semirank.dataset.parts import Hand, Part, deal
from semirank.engines._base import TIMEOUT, aligned, run_task
from semirank.spelling import option

AHEAD = 2  # parts in flight for each thread of the cluster


class OnDask:
    """Sends parts, which say where data are, to workers, and takes back small results.

    Futures alone are used: what a task needs is an argument or the result of another task, so that the
    scheduler can make it again when a worker is lost. (Data that were scattered are gone then.)

    Parameters
    ----------
    on : distributed.Client or str
        A client, or the address of a scheduler ("tcp://host:8786"). Files must be readable by every worker
        under the same path.
    timeout : float
        Seconds to wait for a task before the cluster is given up.
    """

    def __init__(self, on: Any, timeout: float = TIMEOUT) -> None:
        try:
            from distributed import Client
        except ImportError as error:
            raise ValueError("A cluster needs Dask. Install it: pip install 'semirank[dask]'") from error
        self._owned = not isinstance(on, Client)
        self._client = self._connect(Client, on) if self._owned else on
        self._timeout = timeout
        self._worker_of: dict[int, str] = {}

    @staticmethod
    def _connect(client: Any, address: Any) -> Any:
        if not isinstance(address, str):
            raise TypeError(f"on must be a distributed.Client or an address; got {type(address).__name__}.")
        try:
            return client(address, timeout="10s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise ValueError(f"{address}: no scheduler answers there ({error}).") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        if self._owned:
            self._client.close()

    def map(self, task: Callable[..., Any], parts: Sequence[Part | Hand], *small: Any) -> Iterator[Any]:
        """Yield ``task(part, *small)`` for each part, in the order of the parts."""
        shared = self._client.submit(pass_on, small, pure=False)
        waiting: deque[tuple[Part | Hand, Any]] = deque()
        left, at_once = iter(parts), AHEAD * max(1, sum(self._client.nthreads().values()))
        try:
            while True:
                while len(waiting) < at_once and (part := next(left, None)) is not None:
                    waiting.append((part, self._client.submit(run_alone, task, part, shared, pure=False)))
                if not waiting:
                    return
                yield self._result(*waiting.popleft())
        finally:
            self._client.cancel([shared, *(future for _, future in waiting)])

    def completed(
        self, task: Callable[..., Any], jobs: Sequence[Any], *small: Any
    ) -> Iterator[tuple[Any, Any]]:
        """Yield each job with ``task(job, *small)``, as they are done; None where it ended its workers."""
        from distributed import KilledWorker, as_completed

        shared = self._client.submit(pass_on, small, pure=False)
        jobs_of = {self._client.submit(run_alone, task, job, shared, pure=False): job for job in jobs}
        try:
            for future in as_completed(list(jobs_of)):  # type: ignore[no-untyped-call]
                try:
                    yield jobs_of[future], future.result()
                except KilledWorker:
                    yield jobs_of[future], None
        finally:
            self._client.cancel([shared, *jobs_of])

    def deal(self, parts: Sequence[Part]) -> list[Hand]:
        """Deal parts out to the threads of the cluster."""
        return deal(parts, max(1, sum(self._client.nthreads().values())))

    def rounds(self, task: Callable[..., Any], hands: Sequence[Hand], *small: Any) -> list[Any]:
        """Return ``task(hand, *small)`` for each hand, on the worker that had it before."""
        shared = self._client.submit(pass_on, small, pure=False)
        futures = self._send(task, hands, shared)
        try:
            return [self._result(hand, future) for hand, future in zip(hands, futures, strict=True)]
        finally:
            self._client.cancel([shared, *futures])

    def tell(self, task: Callable[..., Any], hands: Sequence[Hand], *small: Any) -> None:
        """Run ``task(hand, *small)`` for each hand where it was last, and wait for nothing."""
        from distributed import fire_and_forget

        fire_and_forget(self._send(task, hands, small))  # type: ignore[no-untyped-call]

    def _send(self, task: Callable[..., Any], hands: Sequence[Hand], small: Any) -> list[Any]:
        self._assign(hands)
        return [
            self._client.submit(
                run_alone,
                task,
                hand,
                small,
                pure=False,
                workers=self._worker_of.get(hand.number),
                allow_other_workers=True,
            )
            for hand in hands
        ]

    def _assign(self, hands: Sequence[Hand]) -> None:
        """Give hands whose worker is gone to others, in turn."""
        alive = sorted(self._client.nthreads())
        for hand in hands:
            if alive and self._worker_of.get(hand.number) not in alive:
                self._worker_of[hand.number] = alive[hand.number % len(alive)]

    def _result(self, place: Part | Hand, future: Any) -> Any:
        from distributed import CancelledError, KilledWorker, TimeoutError

        try:
            return aligned(future.result(timeout=self._timeout))
        except KilledWorker as error:
            raise ValueError(
                f"Part {place.number} ({place.name}), or one that was at the same worker, ended "
                f"{error.allowed_failures + 1} workers, usually for want of memory. Give "
                f"smaller parts ({option('part_bytes', ...)}) or workers more memory."
            ) from error
        except TimeoutError as error:
            n_workers = len(self._client.nthreads())
            raise ValueError(
                f"Part {place.number} ({place.name}) was not done within {self._timeout:g} seconds; the "
                f"cluster has {n_workers} workers. Start workers, or give more time "
                f"({option('timeout', ...)})."
            ) from error
        except (CancelledError, OSError) as error:
            if isinstance(error, OSError) and future.status == "error":
                raise  # of the task itself
            raise ValueError(f"The cluster was lost ({error}). The same call goes on elsewhere.") from error


def pass_on(small: tuple[Any, ...]) -> tuple[Any, ...]:
    """Be the task whose result the arguments of other tasks are."""
    return small


def run_alone(task: Callable[..., Any], place: Any, small: tuple[Any, ...]) -> Any:
    """Run a task on a worker, whose threads are all at work: in one thread."""
    from distributed import get_worker

    from semirank.engines import scratch

    scratch.use(get_worker().local_directory)
    with one_thread():
        return run_task(task, place, *small)

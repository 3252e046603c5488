"""What an engine promises, and which one is meant."""

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import is_dataclass
from typing import Any, Protocol, Self

import numpy as np
from scipy.sparse import issparse

from semirank.core.threads import one_blas_thread
from semirank.dataset.parts import Hand, Part
from semirank.storage import Storable

Progress = Callable[[int, int], None]
TIMEOUT = 600.0


class Engine(Protocol):
    """Runs a task on every part.

    A task is a function of a module, of a part and small arguments, which changes nothing but files of its
    own: it may run anywhere, and again where a worker was lost. Results come in the order of the parts, so
    that sums have the same bits wherever they were made.
    """

    def map(self, task: Callable[..., Any], parts: Sequence[Part | Hand], *small: Any) -> Iterator[Any]:
        """Yield ``task(part, *small)`` for each part, in the order of the parts."""
        ...

    def deal(self, parts: Sequence[Part]) -> list[Hand]:
        """Deal parts out, one hand for each that can work at the same time."""
        ...

    def rounds(self, task: Callable[..., Any], hands: Sequence[Hand], *small: Any) -> list[Any]:
        """Return ``task(hand, *small)`` for each hand.

        Called again, a hand comes to where it was before, as long as that lives: what a task keeps there
        (`engines.scratch`) serves the next round, and is made again elsewhere.
        """
        ...

    def tell(self, task: Callable[..., Any], hands: Sequence[Hand], *small: Any) -> None:
        """Run ``task(hand, *small)`` for each hand where it was last, and wait for nothing."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *problem: object) -> None: ...


def engine_for(on: Any = None, timeout: float = TIMEOUT) -> Engine:
    """Return the engine that a user means: this machine (None), a `distributed.Client` or its address.

    timeout : seconds after which a cluster that finishes no task is given up.
    """
    if on is None:
        from semirank.engines.here import Here

        return Here()
    from semirank.engines.on_dask import OnDask

    return OnDask(on, timeout)


def run_task(task: Callable[..., Any], place: Any, *small: Any) -> Any:
    """Run a task with one thread of matrix operations, and arguments that lie in memory as everywhere."""
    with one_blas_thread():
        return task(place, *(aligned(each) for each in small))


def aligned(value: Any) -> Any:
    """Return arrays, also those inside other values, as they lie anywhere: aligned, row after row, writable.

    What comes over a network is often unaligned, and sums over it have other bits.
    """
    if isinstance(value, np.ndarray):
        return value if value.dtype == object else np.require(value, requirements=["A", "C", "W"])
    if isinstance(value, (list, tuple)):
        entries = [aligned(each) for each in value]
        return type(value)(*entries) if hasattr(value, "_fields") else type(value)(entries)
    if isinstance(value, dict):
        return {key: aligned(each) for key, each in value.items()}
    if issparse(value) or is_dataclass(value) or isinstance(value, Storable):
        moved = copy.copy(value)
        for name, each in vars(value).items():
            object.__setattr__(moved, name, aligned(each))
        return moved
    return value

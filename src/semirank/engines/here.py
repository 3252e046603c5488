"""Tasks on this machine, two at a time: one at work while the other reads."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Self

from semirank.dataset.parts import Hand, Part, deal
from semirank.engines._base import run_task

AT_ONCE = 2  # parts in memory


class Here:
    """Streams: no more than two parts are in memory at a time."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *problem: object) -> None:
        pass

    def map(self, task: Callable[..., Any], parts: Sequence[Part | Hand], *small: Any) -> Iterator[Any]:
        """Yield ``task(part, *small)`` for each part, in the order of the parts."""
        waiting: deque[Future[Any]] = deque()
        left = iter(parts)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            try:
                while True:
                    while len(waiting) < AT_ONCE and (part := next(left, None)) is not None:
                        waiting.append(pool.submit(run_task, task, part, *small))
                    if not waiting:
                        return
                    yield waiting.popleft().result()
            finally:
                for future in waiting:
                    future.cancel()

    def deal(self, parts: Sequence[Part]) -> list[Hand]:
        """Deal parts out to two threads."""
        return deal(parts, AT_ONCE)

    def rounds(self, task: Callable[..., Any], hands: Sequence[Hand], *small: Any) -> list[Any]:
        """Return ``task(hand, *small)`` for each hand."""
        return list(self.map(task, hands, *small))

    def tell(self, task: Callable[..., Any], hands: Sequence[Hand], *small: Any) -> None:
        """Run ``task(hand, *small)`` for each hand."""
        self.rounds(task, hands, *small)

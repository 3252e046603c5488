"""Browsers that listen: what happens is told to each, from whichever thread it happens in."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from semirank.feedback import Event

MOST_WAITING = 1000  # messages; a browser that is slower is told to ask anew


class Message(NamedTuple):
    """Something to tell: a name, data, and the reviewer whom it is about (None: everybody)."""

    name: str
    data: Any
    reviewer: str | None = None


class Listener:
    """One browser: a queue in its event loop."""

    def __init__(self) -> None:
        self.queue: asyncio.Queue[Message] = asyncio.Queue(MOST_WAITING)
        self._loop = asyncio.get_running_loop()

    def put(self, message: Message) -> None:
        """Add a message from any thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, message)

    def _put(self, message: Message) -> None:
        if not self.queue.full():
            self.queue.put_nowait(message)


class Listeners:
    """All browsers that listen to a project."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._all: set[Listener] = set()

    @contextmanager
    def listening(self) -> Iterator[Listener]:
        """Listen for as long as the block runs."""
        listener = Listener()
        with self._lock:
            self._all.add(listener)
        try:
            yield listener
        finally:
            with self._lock:
                self._all.discard(listener)

    def tell(self, name: str, data: Any, reviewer: str | None = None) -> None:
        """Tell everybody."""
        with self._lock:
            for listener in self._all:
                listener.put(Message(name, data, reviewer))

    def tell_order(self, reviewer: str | None) -> None:
        """Tell that a new order is there, of everybody or of one reviewer."""
        self.tell("order", None, reviewer)

    def tell_event(self, event: Event, seq: int, row: int | None) -> None:
        """Tell that something happened; not what was said."""
        data = {"seq": seq, "kind": event.kind, "item": event.item, "row": row, "reviewer": event.reviewer}
        self.tell("event", data, event.reviewer)

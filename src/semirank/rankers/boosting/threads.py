"""As many threads as the work is worth."""

from collections.abc import Iterator
from contextlib import contextmanager

from numba import get_num_threads, set_num_threads

STEPS = 2**17  # of a compiled loop, about a tenth of a millisecond: less is not worth another thread


@contextmanager
def threads_for(steps: int) -> Iterator[None]:
    """Let compiled loops use one thread, and one more for each `STEPS` steps, but no more than set."""
    most = get_num_threads()
    set_num_threads(min(most, 1 + steps // STEPS))
    try:
        yield
    finally:
        set_num_threads(most)

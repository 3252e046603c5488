"""How far a long piece of work is, in a notebook or on a terminal."""

import sys
import time
from collections.abc import Callable
from html import escape
from typing import Any, Self

OFTEN = 0.1  # seconds between two pictures of a bar


class ProgressBar:
    """A bar for whatever takes ``progress``: `compare`, `load`, `simulate`, ``fit`` of some rankers.

    In a notebook it is a line of HTML that needs no widgets, on a terminal a bar on standard error, and
    elsewhere nothing. It is done when all is done, or at the end of its ``with`` block.

    Parameters
    ----------
    what : str
        What stands before the bar.
    visible : bool, default=True
        False: show nothing.

    See Also
    --------
    compare : takes it as `progress`.

    Examples
    --------
    >>> from semirank import ProgressBar, compare, load
    >>> moons, bar = load("moons"), ProgressBar("comparing")
    >>> found = compare(moons, ["rankboost"], keep=4, n_repeats=2, budget=False, progress=bar)
    """

    def __init__(self, what: str = "", visible: bool = True) -> None:
        self._what = what
        self._screen = _find_screen(what) if visible else None
        self._shown_at = float("-inf")

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show that so much of a total is done; None: nobody knows how much there is."""
        now, finished = time.monotonic(), total is not None and done >= total
        if self._screen is not None and (finished or now - self._shown_at >= OFTEN):
            self._shown_at = now
            self._screen.show(done, total)
            if finished:
                self._screen.close()

    def __enter__(self) -> Self:
        """Begin; nothing is shown before the first call."""
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar of a terminal away."""
        if self._screen is not None:
            self._screen.close()


class _Notebook:
    """A line of a notebook that is written anew."""

    def __init__(self, what: str, display: Callable[..., Any]) -> None:
        self._what, self._display, self._line = what, display, None
        self._start = time.monotonic()

    def show(self, done: int, total: int | None) -> None:
        told = f"{done:,} of {total:,}" if total else f"{done:,}"
        told = " ".join(filter(None, (self._what, f"{told}, {time.monotonic() - self._start:.0f} s")))
        share = f"value={done} max={total}" if total else ""
        shown = {
            "text/plain": told,
            "text/html": f"<progress {share} style='vertical-align:middle'></progress> {escape(told)}",
        }
        if self._line is None:
            self._line = self._display(shown, raw=True, display_id=True)
        else:
            self._line.update(shown, raw=True)

    def close(self) -> None:
        """Leave the last line as it is."""


class _Terminal:
    """A bar that goes when it is done."""

    def __init__(self, what: str) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._bar.add_task(what, total=None)

    def show(self, done: int, total: int | None) -> None:
        self._bar.start()
        self._bar.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._bar.stop()


def _find_screen(what: str) -> _Notebook | _Terminal | None:
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is not None and hasattr(shell, "kernel"):
        from IPython.display import display

        return _Notebook(what, display)
    return _Terminal(what) if sys.stderr.isatty() else None

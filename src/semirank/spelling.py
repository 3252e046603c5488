"""How options are written where the user is: as arguments in Python, otherwise as on the command line.

A message of the library says which option would help, and writes it with `option`. Whoever speaks to people
in other words than Python's says for a while how, with `spelled`.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Spelling = Callable[..., str | None]
"""Called with the name of an option, and its value if there is one; None: as in Python."""

_spellings: list[Spelling] = []


def option(name: str, *value: Any, python: str | None = None) -> str:
    """Write an option, with its value if one is given; a value of ``...`` stands for any.

    `python` is how Python says it where that is no argument of this name.

    Examples
    --------
    >>> option("unlabelled"), option("unlabelled", -1), option("encoding", ...)
    ('unlabelled', 'unlabelled=-1', 'encoding=...')
    """
    spelt = _spellings[-1](name, *value) if _spellings else None
    if spelt is not None:
        return spelt
    return python or "=".join((name, *("..." if each is ... else repr(each) for each in value)))


@contextmanager
def spelled(spelling: Spelling) -> Iterator[None]:
    """Write options in another way inside the block.

    Examples
    --------
    >>> with spelled(lambda name, *value: " ".join((f"--{name}", *map(str, value)))):
    ...     option("unlabelled", -1)
    '--unlabelled -1'
    """
    _spellings.append(spelling)
    try:
        yield
    finally:
        _spellings.remove(spelling)

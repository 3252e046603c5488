"""Loops that numba compiles, and where their code is kept, also when almost nothing may be written."""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numba

_settings: Any = numba.config


class CompilingWarning(UserWarning):
    """Compiled loops cannot be kept, so that every process compiles them anew."""


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile a loop that releases the interpreter's lock, and keep the code for the next process.

    It is kept beside the source, in the user's cache or in NUMBA_CACHE_DIR; where none of these can be
    written, in a folder of the temporary directory that belongs to the user; else it is not kept.
    """

    def compile_loop(loop: Callable[..., Any]) -> Any:
        try:
            return numba.njit(cache=True, nogil=True, **options)(loop)
        except RuntimeError:  # numba has no place for it
            folder = temporary_folder()
        if folder is None:
            return numba.njit(nogil=True, **options)(loop)
        with _kept_in(folder):
            return numba.njit(cache=True, nogil=True, **options)(loop)

    return compile_loop


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Let numba keep code in a folder; other packages' code is kept where it was."""
    before, _settings.CACHE_DIR = _settings.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        _settings.CACHE_DIR = before


@cache
def temporary_folder() -> Path | None:
    """Return a folder that nobody else can write to, for what is kept there is run; None, with a warning."""
    try:
        folder = Path(tempfile.gettempdir()) / f"semirank-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if folder.is_symlink() or found.st_uid != os.getuid() or found.st_mode & 0o022:
            raise PermissionError(f"{folder} belongs to somebody else, or others can write to it")
        tempfile.TemporaryFile(dir=folder).close()
    except (OSError, AttributeError) as error:  # on Windows users have no numbers
        warnings.warn(
            "Compiled loops are compiled anew in each process, which takes seconds: no folder can be written "
            f"to keep them ({error}). Set NUMBA_CACHE_DIR to one that can.",
            CompilingWarning,
            stacklevel=2,
        )
        return None
    return folder

"""Files that a process keeps from one task to the next; any process can make them again."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

import joblib

_folders: dict[str, TemporaryDirectory[str]] = {}
_lock = Lock()
_base: list[str] = []


def use(base: str) -> None:
    """Make folders below this one, not where the system keeps temporary files (TMPDIR)."""
    _base[:] = [base]


def folder_of(token: str) -> Path:
    """Return the folder of this process for what goes under a token; it goes away with the process."""
    with _lock:
        if token not in _folders:
            base = _base[0] if _base else None
            _folders[token] = TemporaryDirectory(prefix="semirank-", dir=base, ignore_cleanup_errors=True)
        return Path(_folders[token].name)


def keep(token: str, name: str, make: Callable[[], Any]) -> Any:
    """Return what was made under a name before, its arrays mapped into memory; make it where it is not there.

    A file is whole or absent.
    """
    path = folder_of(token) / name
    if not path.exists():
        unfinished = path.with_suffix(".part")
        joblib.dump(make(), unfinished)
        os.replace(unfinished, path)
    return joblib.load(path, mmap_mode="c")


def forget(token: str) -> None:
    """Remove what goes under a token."""
    with _lock:
        folder = _folders.pop(token, None)
    if folder is not None:
        folder.cleanup()

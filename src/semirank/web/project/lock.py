"""One server at a time works on a project; others would not see its events."""

import os
from contextlib import suppress
from pathlib import Path

from semirank.web.project.file import ProjectError

if os.name != "nt":
    import fcntl


class Lock:
    """A lock beside a project file, which ends with the process that holds it, however that ends.

    The project itself is not locked: SQLite would lose its own locks when the file is closed once.

    Parameters
    ----------
    path : Path
        The project file.

    Raises
    ------
    ProjectError
        Another process holds it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.with_name(f".{path.name}.lock")
        self._handle: int | None = None
        with suppress(PermissionError):  # nobody can write in a folder that can only be read
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        if self._handle is not None and os.name != "nt":
            try:
                fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                os.close(self._handle)
                raise ProjectError(
                    f"{path}: is open in another semirank. Work there, or stop that one first."
                ) from error

    def release(self) -> None:
        """Let others work on the project."""
        if self._handle is not None:
            with suppress(OSError):
                self._path.unlink()
            os.close(self._handle)
            self._handle = None

"""Finished work in a file, so that what was stopped can go on."""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Self

if os.name == "nt":
    import msvcrt
else:
    import fcntl


class CheckpointInUseError(RuntimeError):
    """Another run holds the file."""


class Checkpoint(Mapping[str, Any]):
    r"""What has been finished, by key; a file keeps it, one line of JSON ``[key, value]`` each.

    Inside its ``with`` block the file belongs to this run alone. A result that is added is in the file at
    once; a line that was cut off when a run was stopped is ignored. Without a path nothing is kept.

    Parameters
    ----------
    path : path, optional
        The file; it is made when there is none, and its folder must exist.

    Raises
    ------
    CheckpointInUseError
        On entering the block, when another run, of this or another process, is in its own.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from semirank.checkpoints import Checkpoint
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "finished.jsonl"
    ...     with Checkpoint(path) as finished:
    ...         finished.add("two", 4)
    ...     with Checkpoint(path) as finished:
    ...         dict(finished), path.read_text()
    ({'two': 4}, '["two", 4]\n')
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        self.path = None if path is None else Path(path)
        self._found: dict[str, Any] = {}
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        if self.path is not None:
            self._file = _open_alone(self.path)
            self._file.seek(0)
            text = self._file.read()
            self._found = dict(_entries(text))
            if text and not text.endswith(b"\n"):
                self._file.write(b"\n")  # ends a line that was cut off
        return self

    def __exit__(self, *problem: Any) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def __getitem__(self, key: str) -> Any:
        return self._found[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def add(self, key: str, value: Any) -> None:
        """Keep a result, which JSON must be able to spell."""
        line = json.dumps([key, value])
        if self._file is not None:
            self._file.write(f"{line}\n".encode())
        self._found[key] = value

    def clear(self) -> None:
        """Forget everything, in the file as well, and begin anew."""
        self._found.clear()
        if self._file is not None:
            self._file.truncate(0)

    def discard(self) -> None:
        """Remove the file once nothing is left to do, unless another run has taken it up."""
        if self.path is None or not self.path.exists():
            return
        try:
            with self:
                self.clear()
                if os.name != "nt":  # while it is locked, so that no other run writes to a removed file
                    self.path.unlink()
        except CheckpointInUseError:
            return
        self.path.unlink(missing_ok=True)


def _open_alone(path: Path) -> IO[bytes]:
    """Open a file to read and append, and lock it; the system lets go of the lock when the process ends."""
    while True:
        file = path.open("a+b", buffering=0)
        try:
            if os.name == "nt":
                file.seek(2**62)  # a byte that no one reads
                msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
            else:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError) as error:
            file.close()
            raise CheckpointInUseError(
                f"{path}: another run is writing to this file. Wait until it ends, or choose another file."
            ) from error
        if os.name == "nt" or os.fstat(file.fileno()).st_nlink:
            return file
        file.close()  # it was removed between opening and locking


def _entries(text: bytes) -> Iterator[tuple[str, Any]]:
    for line in text.splitlines():
        try:
            key, value = json.loads(line)
        except (ValueError, TypeError, RecursionError):
            continue
        if isinstance(key, str):
            yield key, value

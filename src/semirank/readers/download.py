"""A download over HTTP that can be interrupted, continued and trusted."""

import os
import secrets
import shutil
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256 as new_sha256
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are here and the bytes there will be, or None where the server does not say."""

_CHUNK = 1 << 16
_UNSATISFIABLE = 416


def download(
    url: str,
    target: str | os.PathLike[str],
    *,
    sha256: str | None = None,
    progress: Progress | None = None,
    timeout: float = 30.0,
    max_bytes: int = 1 << 30,
) -> str:
    """Fetch an http or https address into a file and return the SHA-256 of what came.

    The content gathers in ``<target>.part`` and takes its name only when it is whole and has the
    right hash. What a broken connection or Ctrl-C leaves is continued by the next call, provided the
    server still has the same file; content with a wrong hash is thrown away. Several processes may
    fetch the same target at once: each works on a copy of its own.

    Parameters
    ----------
    url : str
        Address; redirections are followed, but only to http and https.
    target : path
        Where the file goes. Missing folders are made.
    sha256 : str, optional
        What the content must hash to, in hexadecimal digits.
    progress : callable, optional
        Called as ``progress(done, total)`` with numbers of bytes; total is None when unknown.
    timeout : float
        Seconds of silence after which the connection counts as broken.
    max_bytes : int
        Refuse a longer file.

    Raises
    ------
    OSError
        The address cannot be reached or the connection broke; a further call continues.
    ValueError
        The address is not http or https, the file is too long, or its hash is wrong.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        raise ValueError(f"{url}: only http and https addresses can be downloaded.")
    target = Path(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = _Partial(target)
    try:
        digest = _transfer(url, partial, timeout, max_bytes, progress)
        if sha256 is not None and digest != sha256.lower():
            raise ValueError(f"{url}: its SHA-256 is {digest}, expected {sha256.lower()}. Nothing was saved.")
        os.replace(partial.content, target)
    except (OSError, KeyboardInterrupt):
        partial.keep()
        raise
    finally:
        partial.discard()
    return digest


class _Partial:
    """The beginning of a file, in a folder that belongs to one process at a time.

    At rest the folder is called ``<target>.part``. Renaming a folder is atomic, so of two processes
    that want to continue it one gets it and the other begins anew.
    """

    def __init__(self, target: Path) -> None:
        self.at_rest = target.with_name(f"{target.name}.part")
        self.folder = target.with_name(f".{target.name}.{secrets.token_hex(8)}.part")
        try:
            os.rename(self.at_rest, self.folder)
        except OSError:
            self.folder.mkdir()
        self.content = self.folder / "content"
        self.validator = self.folder / "validator"

    def keep(self) -> None:
        """Leave what there is for the next call, unless another process has left its own."""
        if self.content.is_file() and self.content.stat().st_size > 0:
            with suppress(OSError):
                os.rename(self.folder, self.at_rest)

    def discard(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def state(self) -> tuple[int, str]:
        """Return the number of bytes that can be continued and what identifies the file they are from."""
        if not (self.content.is_file() and self.validator.is_file()):
            return 0, ""
        return self.content.stat().st_size, self.validator.read_text("latin-1")


def _transfer(url: str, partial: _Partial, timeout: float, max_bytes: int, progress: Progress | None) -> str:
    """Bring the rest of the content, check its length and return the hash of the whole."""
    response, done = _connect(url, partial, timeout)
    with response:
        length = response.headers.get("Content-Length")
        total = done + int(length) if length is not None and length.isdigit() else None
        if not done:
            partial.validator.write_text(_validator(response), "latin-1")
        digest = new_sha256()
        with partial.content.open("r+b" if done else "w+b") as file:
            while prefix := file.read(_CHUNK):
                digest.update(prefix)
            while chunk := _receive(url, response):
                done += len(chunk)
                if max(done, total or 0) > max_bytes:
                    raise ValueError(f"{url}: is longer than {max_bytes} bytes. Nothing was saved.")
                digest.update(chunk)
                file.write(chunk)
                if progress is not None:
                    progress(done, total)
    if total is not None and done < total:
        raise OSError(f"{url}: the connection ended after {done} of {total} bytes.")
    return digest.hexdigest()


def _connect(url: str, partial: _Partial, timeout: float) -> tuple[Any, int]:
    """Ask for what is missing, or for everything when the server cannot or must not continue."""
    start, validator = partial.state()
    if start and validator:
        response = _open(url, timeout, {"Range": f"bytes={start}-", "If-Range": validator})
        if response.status == 206 and _continues(response, start, validator):
            return response, start
        if response.status == 200:
            return response, 0
        response.close()
    return _open(url, timeout, {}), 0


def _continues(response: Any, start: int, validator: str) -> bool:
    same_place = response.headers.get("Content-Range", "").startswith(f"bytes {start}-")
    return same_place and _validator(response) == validator


def _validator(response: Any) -> str:
    """Return what tells this version of the file from another: a strong ETag or the time of change."""
    tag = response.headers.get("ETag", "")
    return tag if tag and not tag.startswith("W/") else response.headers.get("Last-Modified", "")


def _open(url: str, timeout: float, headers: dict[str, str]) -> Any:
    try:
        return _opener().open(Request(url, headers=headers), timeout=timeout)
    except HTTPError as error:
        if error.code == _UNSATISFIABLE and headers:
            return error
        error.close()
        raise OSError(f"{url}: the server answered {error.code} {error.reason}.") from None
    except (OSError, HTTPException) as error:
        raise OSError(f"{url}: no connection ({getattr(error, 'reason', error)}).") from error


def _receive(url: str, response: Any) -> bytes:
    try:
        return bytes(response.read(_CHUNK))
    except (OSError, HTTPException) as error:
        raise OSError(f"{url}: the connection broke ({error}).") from error


def _opener() -> OpenerDirector:
    """Make an opener that knows http and https alone, so that no redirection leads to a file or to ftp."""
    opener = OpenerDirector()
    opener.addheaders = [("User-Agent", "semirank")]
    for handler in (
        ProxyHandler(),
        UnknownHandler(),
        HTTPHandler(),
        HTTPSHandler(),
        HTTPDefaultErrorHandler(),
        HTTPRedirectHandler(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener

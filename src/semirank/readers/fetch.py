"""Public files on this machine: found in a folder, or downloaded once and checked by their SHA-256."""

import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import file_digest, sha256
from pathlib import Path
from typing import BinaryIO

from semirank.files import COMPRESSED, open_output

Progress = Callable[[int, int | None], None]
"""Called with the bytes that are here and the bytes there will be, or None where the server does not say."""

_ENDINGS = ("", *COMPRESSED)
_RECORD = "checksums.json"
_CHUNK = 1 << 16
_LONGEST = 1 << 30
_HEADERS = {"User-Agent": "semirank", "Accept-Encoding": "identity"}  # the file as it is, for its hash


@dataclass(frozen=True)
class RemoteFile:
    """A public file: where it lies below the data folder, where it comes from, what it must hash to.

    Parameters
    ----------
    path : str
        Place below the data folder or the cache, such as ``"usps/usps.bz2"``.
    url : str, optional
        Public address; None when the file has to be fetched by hand.
    sha256 : str, optional
        The published file's hash. None: the first download that reads as it should is trusted,
        and a later download must equal it.
    part : str, optional
        The part of a dataset that the file holds; None when it holds all of them.
    mirrors : tuple of str
        Other addresses of the same file, tried in order when the first does not answer.
    """

    path: str
    url: str | None = None
    sha256: str | None = None
    part: str | None = None
    mirrors: tuple[str, ...] = ()


def cache_folder() -> Path:
    """Return the folder for downloads: ``$SEMIRANK_CACHE``, else ``semirank`` in the user's cache folder."""
    if chosen := os.environ.get("SEMIRANK_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "semirank"


def data_folder() -> Path | None:
    """Return the folder of files already at hand, ``$SEMIRANK_DATA``, or None when that is not set."""
    chosen = os.environ.get("SEMIRANK_DATA")
    if not chosen:
        return None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        raise NotADirectoryError(f"SEMIRANK_DATA names {folder}, which is no folder.")
    return folder


def find(file: RemoteFile) -> Path | None:
    """Look for a file in the data folder and then in the cache, whatever its compression; None if absent."""
    for folder in (data_folder(), cache_folder()):
        if folder is None:
            continue
        place = folder / file.path
        stem = place.with_suffix("") if place.suffix in _ENDINGS else place
        for candidate in (place, *(stem.with_name(stem.name + ending) for ending in _ENDINGS)):
            if candidate.is_file():
                return candidate
    return None


def locate(file: RemoteFile, progress: Progress | None = None) -> Path:
    """Return the path of a file on this machine, downloading it into the cache if it is not here yet.

    A file that was downloaded earlier is compared with its known hash again, so that a damaged
    cache is noticed. Files in the data folder are the user's own and are taken as they are.
    """
    known = file.sha256 or _recorded().get(file.path)
    target = cache_folder() / file.path
    path = find(file)
    if path == target and known is not None:
        _check_cached(path, known)
    if path is not None:
        return path
    if file.url is None:
        raise FileNotFoundError(f"{file.path} has to be fetched by hand and saved as {target}.")
    failures = []
    for url in (file.url, *file.mirrors):
        try:
            download(url, target, sha256=known, progress=progress)
            return target
        except OSError as error:
            failures.append(str(error))
    raise OSError(f"{' '.join(failures)} Try again, or fetch the file by hand and save it as {target}.")


def download(
    url: str,
    target: Path,
    sha256: str | None = None,
    progress: Progress | None = None,
    *,
    timeout: float = 30.0,
    max_bytes: int = _LONGEST,
) -> None:
    """Fetch an http or https address into a file, whole and with the right hash or not at all.

    Raises
    ------
    OSError
        The address cannot be reached, or the connection broke.
    ValueError
        The hash is wrong, or the file is too long.
    """
    import pooch
    from requests import RequestException

    pooch.get_logger().setLevel("WARNING")
    target.parent.mkdir(parents=True, exist_ok=True)
    meter = _Meter(progress, max_bytes)
    downloader = pooch.HTTPDownloader(meter, _CHUNK, timeout=timeout, headers=_HEADERS)
    try:
        with open_output(target, compress=False) as stream:
            arriving = _Arriving(stream)
            downloader(url, arriving, None)
            arriving.check(sha256)
    except RequestException as error:
        answer = error.response
        fault = f"the connection failed ({error})"
        if answer is not None:
            fault = f"the server answered {answer.status_code} {answer.reason}"
        raise OSError(f"{url}: {fault}.") from error
    except ValueError as error:
        raise ValueError(f"{url}: {error}") from error


class _Arriving:
    """A file that is written to, and what its hash comes to."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._digest = stream, sha256()

    def write(self, block: bytes) -> int:
        self._digest.update(block)
        return self._stream.write(block)

    def flush(self) -> None:
        self._stream.flush()

    def check(self, expected: str | None) -> None:
        found = self._digest.hexdigest()
        if expected is not None and found != expected.lower().removeprefix("sha256:"):
            raise ValueError(f"its SHA-256 is wrong: expected {expected} but got {found}. Nothing was saved.")


class _Meter:
    """What pooch takes for a progress bar."""

    def __init__(self, progress: Progress | None, max_bytes: int) -> None:
        self.total = 0  # set by pooch; 0 where the server does not say
        self._progress, self._max_bytes, self._done = progress, max_bytes, 0

    def update(self, n_bytes: int) -> None:
        self._done += n_bytes
        if max(self.total, self._done - _CHUNK) > self._max_bytes:  # pooch counts a last chunk as a whole one
            raise ValueError(f"the file is longer than {self._max_bytes} bytes. Nothing was saved.")
        if self._progress is not None and n_bytes:
            self._progress(min(self._done, self.total or self._done), self.total or None)

    def reset(self) -> None:
        self._done = 0

    def close(self) -> None:
        pass


def trust(files: Iterable[RemoteFile]) -> None:
    """Remember the hashes of downloads whose published hash is not known, once their content was checked."""
    recorded = _recorded()
    fresh = {
        file.path: _sha256(cache_folder() / file.path)
        for file in files
        if file.sha256 is None and file.path not in recorded and find(file) == cache_folder() / file.path
    }
    if fresh:
        with open_output(cache_folder() / _RECORD) as stream:
            stream.write(json.dumps(recorded | fresh, indent=1, sort_keys=True).encode())


def _recorded() -> dict[str, str]:
    path = cache_folder() / _RECORD
    if not path.exists():
        return {}
    try:
        return {str(name): str(value) for name, value in dict(json.loads(path.read_bytes())).items()}
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path}: is damaged ({error}). Remove it to start afresh.") from error


def _check_cached(path: Path, expected: str) -> None:
    found = _sha256(path)
    if found != expected:
        raise ValueError(
            f"{path}: its SHA-256 is {found}, but the file that was downloaded and checked had {expected}. "
            "Remove it to download it again."
        )


def _sha256(path: Path) -> str:
    with path.open("rb") as stream:
        return file_digest(stream, "sha256").hexdigest()

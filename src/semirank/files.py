"""Files as streams of bytes: compressed or not, bounded, standard input and output, written whole or not."""

import bz2
import gzip
import io
import lzma
import os
import stat
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from glob import escape
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, BinaryIO

if os.name != "nt":
    import fcntl

Source = str | os.PathLike[str] | BinaryIO
"""What can be read: a path, "-" for standard input, or an open binary file."""

STDIO = "-"
COMPRESSED = (".gz", ".xz", ".bz2", ".zip")
LONGEST_LINE = 2**24
"""Bytes, or characters, that a line of text may have."""

MOST_BYTES = "SEMIRANK_MAX_BYTES"
_SMALL, _USUAL_RATIO = 2**28, 100  # what a packed file may always hold; how much smaller packing makes data
_BUFFER = 2**18
_DAMAGED = (EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile, NotImplementedError)


def name_of(source: Source) -> str:
    """Name a source as it should stand in a message."""
    if source == STDIO:
        return "<stdin>"
    return str(source) if isinstance(source, (str, os.PathLike)) else str(getattr(source, "name", "<stream>"))


def ending_of(name: str) -> str:
    """Return the ending of a file's name in lower case, without that of a compression.

    Examples
    --------
    >>> ending_of("results/S1.TXT.xz")
    '.txt'
    """
    path = Path(name)
    return (Path(path.stem) if path.suffix.lower() in COMPRESSED else path).suffix.lower()


@contextmanager
def open_input(source: Source) -> Iterator[BinaryIO]:
    """Open a path, standard input ("-") or a binary stream, decompressing by the ending of the name.

    Known endings are .gz, .xz, .bz2 and .zip (with one file inside). A file that cannot be opened, is
    damaged or holds more than `most_bytes` says raises a ValueError or OSError that names it.
    """
    name = name_of(source)
    try:
        with _open_for_reading(source) as stream:
            yield stream
    except (*_DAMAGED, OSError) as error:
        # bz2 reports a damaged stream as a bare OSError without an error number
        if isinstance(error, _DAMAGED) or (type(error) is OSError and error.errno is None):
            raise ValueError(f"{name}: the compressed file is damaged or cut off ({error}).") from error
        raise


def most_bytes(packed: int) -> int:
    """Return how many bytes a packed file of this length may hold: SEMIRANK_MAX_BYTES, where that is set.

    Otherwise a hundred times its length, and at least 256 MiB. A file of two megabytes that unpacks to two
    gigabytes was made to do harm.
    """
    setting = os.environ.get(MOST_BYTES)
    if setting is None:
        return max(_SMALL, _USUAL_RATIO * packed)
    if not setting.isdecimal():
        raise ValueError(f"{MOST_BYTES} must be a whole number of bytes; got {setting!r}.")
    return int(setting)


@contextmanager
def open_output(target: str | os.PathLike[str], *, compress: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when it is complete.

    "-" is standard output. The ending .gz, .xz, .bz2 or .zip compresses (unless `compress` is False); the
    same content always gives the same bytes. When the block raises, no file is left behind and an older one
    stays. A link is followed, a pipe or device is written straight into, and a file that was there keeps its
    mode. What killed processes have left of the same file is removed.
    """
    if target == STDIO:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    given, old = Path(target), _status(target)
    wrapped = _compressing if compress else _plain
    if (old is not None and not stat.S_ISREG(old.st_mode)) or given.parent in _OF_PROCESSES:
        with open(given, "ab") as raw, wrapped(raw, given) as stream:
            yield stream
        return
    path = Path(os.path.realpath(given))
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{given}: the folder {path.parent} does not exist.")
    if old is not None and not os.access(path, os.W_OK):
        raise PermissionError(f"{given}: the file is there and must not be written.")
    _remove_remains(path)
    lock, temporary = _new_part(path)
    try:
        with os.fdopen(os.dup(lock), "wb") as raw, wrapped(raw, given) as stream:
            yield stream
        _take_over(temporary, old)
        if os.name == "nt":
            os.close(lock)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    finally:
        if os.name != "nt":
            os.close(lock)  # not before it has its name, or another process could take it for remains


_OF_PROCESSES = (Path("/dev"), Path("/dev/fd"), Path("/proc/self/fd"))
_PART = ".part"


def _status(target: str | os.PathLike[str]) -> os.stat_result | None:
    try:
        found = os.stat(target)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(f"{target}: is a folder, not a file.")
    return found


def _new_part(path: Path) -> tuple[int, str]:
    """Make a file beside another one; return its handle, which locks it where that can be done, and name."""
    while True:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=_part_prefix(path), suffix=_PART)
        if os.name != "nt":
            with suppress(OSError):  # a file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        if os.fstat(handle).st_nlink:
            return handle, temporary
        os.close(handle)  # another process took it for remains, between these lines


def _remove_remains(path: Path) -> None:
    """Remove what a killed process has left of a file: parts that nobody has locked any more."""
    for part in path.parent.glob(f"{escape(_part_prefix(path))}*{_PART}"):
        with suppress(OSError):
            if os.name == "nt":
                part.unlink()  # which fails while it is open
                continue
            with part.open("rb") as remains:
                fcntl.flock(remains, fcntl.LOCK_EX | fcntl.LOCK_NB)
                part.unlink()


def _part_prefix(path: Path) -> str:
    return f".{path.name[:100]}."


def _take_over(temporary: str, old: os.stat_result | None) -> None:
    """Give a new file the mode and, where that is allowed, the owner of the one that it replaces."""
    if old is not None and os.name != "nt":
        with suppress(PermissionError):
            os.chown(temporary, old.st_uid, old.st_gid)
    os.chmod(temporary, usual_mode() if old is None else stat.S_IMODE(old.st_mode))


@contextmanager
def _open_for_reading(source: Source) -> Iterator[BinaryIO]:
    if source == STDIO:
        yield sys.stdin.buffer
        return
    if not isinstance(source, (str, os.PathLike)):
        yield source
        return
    path = Path(source)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder, not a file.")
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file.")
    openers: dict[str, Any] = {".gz": gzip.open, ".xz": lzma.open, ".bz2": bz2.open, ".zip": _open_zip}
    opener = openers.get(path.suffix.lower())
    if opener is None:
        with path.open("rb") as stream:
            yield stream
        return
    with opener(path, "rb") as unpacked:
        yield io.BufferedReader(_Bounded(unpacked, most_bytes(path.stat().st_size), str(path)), _BUFFER)


def open_archive(stream: BinaryIO, name: str, what: str) -> zipfile.ZipFile:
    """Open a zip archive that is a format of its own; refuse what is none, or far too much when unpacked.

    No member is read beyond the length that it claims, so that the claims are enough to look at.
    """
    try:
        archive = zipfile.ZipFile(stream)
    except (*_DAMAGED, UnicodeDecodeError) as error:
        raise ValueError(f"{name}: is no {what}, or damaged ({error}).") from error
    most = most_bytes(sum(member.compress_size for member in archive.infolist()))
    if sum(member.file_size for member in archive.infolist()) > most:
        raise ValueError(_too_long(name, most))
    return archive


class _Bounded(io.RawIOBase):
    """An unpacked stream that ends with an error when it is longer than it may be."""

    def __init__(self, unpacked: Any, most: int, name: str) -> None:
        self._unpacked, self._most, self._name = unpacked, most, name
        self._read = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._unpacked.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return int(self._unpacked.seek(offset, whence))

    def tell(self) -> int:
        return int(self._unpacked.tell())

    def readinto(self, buffer: Any, /) -> int:
        block = self._unpacked.read(len(buffer))
        buffer[: len(block)] = block
        self._read += len(block)
        if self._read > self._most:
            raise ValueError(_too_long(self._name, self._most))
        return len(block)


def _too_long(name: str, most: int) -> str:
    return (
        f"{name}: unpacks to more than {most} bytes, far more than is usual for its length. If that is "
        f"right, set {MOST_BYTES} to a larger number, or unpack it first."
    )


@contextmanager
def _open_zip(path: Path, mode: str) -> Iterator[IO[bytes]]:
    with zipfile.ZipFile(path) as archive:
        members = [info for info in archive.infolist() if not info.is_dir()]
        if len(members) != 1:
            raise ValueError(
                f"{path}: holds {len(members)} files; an archive must hold exactly one. Unpack it first."
            )
        if members[0].flag_bits & 0x1:
            raise ValueError(f"{path}: is encrypted. Unpack it first.")
        with archive.open(members[0]) as stream:
            yield stream


@contextmanager
def _plain(raw: IO[bytes], path: Path) -> Iterator[Any]:
    with io.BufferedWriter(raw) as stream:
        yield stream


@contextmanager
def _compressing(raw: IO[bytes], path: Path) -> Iterator[Any]:
    """Wrap a raw file in the compression that the path asks for, without time stamps."""
    match path.suffix.lower():
        case ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0) as stream:
                yield stream
        case ".xz":
            with lzma.open(raw, "wb") as stream:
                yield stream
        case ".bz2":
            with bz2.open(raw, "wb") as stream:
                yield stream
        case ".zip":
            with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
                member = zipfile.ZipInfo(path.stem)
                member.compress_type = zipfile.ZIP_DEFLATED
                with archive.open(member, "w", force_zip64=True) as stream:
                    yield stream
        case _:
            with _plain(raw, path) as stream:
                yield stream


def usual_mode() -> int:
    """Return who may read and write a new file, as the user has set it; temporary files are private."""
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@cache
def code_digest() -> str:
    """Return a fingerprint of this package's source: results of other code are not taken for its own."""
    digest = sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()

"""Files as streams of bytes: compressed or not, standard input and output, written whole or not at all."""

import bz2
import gzip
import io
import lzma
import os
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, BinaryIO

Source = str | os.PathLike[str] | BinaryIO
"""What can be read: a path, "-" for standard input, or an open binary file."""

STDIO = "-"
COMPRESSED = (".gz", ".xz", ".bz2", ".zip")
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

    Known endings are .gz, .xz, .bz2 and .zip (with one file inside). A file that cannot be opened or
    is damaged raises a ValueError or OSError that names it.
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


@contextmanager
def open_output(target: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when it is complete.

    "-" is standard output. The ending .gz, .xz, .bz2 or .zip compresses; the same content always
    gives the same bytes. When the block raises, no file is left behind and an older one stays.
    """
    if target == STDIO:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    path = Path(target)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path}: the folder {path.parent} does not exist.")
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as raw, _compressing(raw, path) as stream:
            yield stream
        os.chmod(temporary, usual_mode())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


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
    with openers.get(path.suffix.lower(), open)(path, "rb") as stream:
        yield stream


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
            with io.BufferedWriter(raw) as stream:
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

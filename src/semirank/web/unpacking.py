"""Zips of images: each is drawn anew from its pixels, under a name of ours, and within bounds."""

import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from semirank.readers.images import ENDINGS
from semirank.web.pictures import draw

MOST_BYTES, MOST_RATIO = 8 << 30, 200  # of all that is packed, and beside the size of the zip
LARGEST = 256 << 20  # bytes of one image
KEPT = 1600  # pixels of the longer side
TOLD = 5


class Unpacked(NamedTuple):
    """Images of a zip: how it names them, what they are called now, and what was left out."""

    names: list[str]
    files: list[str]
    left_out: list[str]


def holds_images(path: Path) -> bool:
    """Tell whether a file is a zip with an image in it."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as packed:
        return any(_is_image(name) for name in packed.namelist())


def unpack_images(path: Path, folder: Path) -> Unpacked:
    """Draw the images of a zip into a folder; what is no image is left out, and named.

    Raises
    ------
    ValueError
        A name that leads out of the zip, a password, more bytes than are allowed, or no image at all.
    """
    found = Unpacked([], [], [])
    try:
        with zipfile.ZipFile(path) as packed:
            for member in _members(packed, path):
                _unpack(packed, member, folder, found)
    except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
        raise ValueError(f"{path}: is damaged, or packed in a way that is not known ({error}).") from error
    if not found.names:
        raise ValueError(f"{path}: holds no image that can be read ({', '.join(ENDINGS)}).")
    return found


def _members(packed: zipfile.ZipFile, path: Path) -> Iterator[zipfile.ZipInfo]:
    """Return the files of a zip, if together they keep to the bounds; no more than is said is unpacked."""
    members = [each for each in packed.infolist() if not each.is_dir()]
    total = sum(each.file_size for each in members)
    if total > min(MOST_BYTES, MOST_RATIO * path.stat().st_size):
        raise ValueError(
            f"{path}: unpacks to {total:,} bytes; {MOST_BYTES:,} are allowed, and {MOST_RATIO} times the "
            "size of the zip."
        )
    for each in members:
        if each.filename.startswith("/") or ".." in PurePosixPath(each.filename).parts:
            raise ValueError(f"{path}: the name {each.filename!r} leads out of the zip.")
        if each.flag_bits & 1:
            raise ValueError(f"{path}: {each.filename!r} has a password. Pack it without one.")
    return iter(sorted(members, key=lambda each: each.filename))


def _unpack(packed: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, found: Unpacked) -> None:
    if not _is_image(member.filename) or member.file_size > LARGEST:
        found.left_out.append(member.filename)
        return
    try:
        with packed.open(member) as stream:
            picture = draw(stream, KEPT)
    except ValueError:
        found.left_out.append(member.filename)
        return
    name = f"{len(found.files) + 1:06}.jpg"
    picture.save(folder / name, "JPEG", quality=90)
    found.names.append(member.filename)
    found.files.append(name)


def _is_image(name: str) -> bool:
    """Tell by its name whether a file is an image; not those that macOS puts beside each."""
    path = PurePosixPath(name)
    return path.suffix.lower() in ENDINGS and "__MACOSX" not in path.parts


def told(left_out: list[str]) -> str:
    """Say what was left out."""
    named = ", ".join(left_out[:TOLD]) + (", …" if len(left_out) > TOLD else "")
    return f"{len(left_out)} files of the zip are no images that can be read, and were left out: {named}."

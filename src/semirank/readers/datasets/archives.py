"""The files in a tar archive, read in memory: nothing is ever unpacked to a disk."""

import tarfile
from collections.abc import Iterator
from pathlib import Path

from semirank.files import open_input

MAX_MEMBER = 64 << 20
MAX_TOTAL = 1 << 30


def read_archive(
    path: Path, ending: str = "", *, max_member: int = MAX_MEMBER, max_total: int = MAX_TOTAL
) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each plain file whose name has an ending.

    The archive may be compressed in any way that `open_input` knows. Links, devices and folders
    are passed over; a file of more than `max_member` bytes, or an archive of more than `max_total`,
    raises a ValueError.
    """
    total = 0
    try:
        with open_input(path) as stream, tarfile.open(fileobj=stream, mode="r|") as archive:
            for member in archive:
                total += member.size
                if member.size > max_member or total > max_total:
                    raise ValueError(f"{path}: {member.name} makes the archive larger than it should be.")
                content = archive.extractfile(member) if member.isreg() else None
                if content is not None and member.name.endswith(ending):
                    yield member.name, content.read()
    except tarfile.TarError as error:
        raise ValueError(f"{path}: is no tar archive, or is damaged ({error}).") from error

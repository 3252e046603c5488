"""Which encoding a text file has: as the user says, or told by its bytes."""

import codecs
import os
import warnings
from typing import BinaryIO

from semirank.dataset import DataWarning
from semirank.files import STDIO, Source, name_of, open_input
from semirank.spelling import option

AUTO = "auto"
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_BLOCK = 1 << 20


def choose_encoding(source: Source, encoding: str = AUTO) -> str:
    """Return the encoding that the user said, or "auto": the one that the bytes of the file tell.

    A byte order mark tells UTF-8 and UTF-16; UTF-16 without one is told by every other byte of the start
    being mostly 0; what decodes as UTF-8 is that; anything else is taken for Windows-1252, with a warning. A
    stream that can be read only once, such as standard input, is UTF-8.
    """
    if encoding.lower() != AUTO:
        return encoding
    if source == STDIO or not (isinstance(source, (str, os.PathLike)) or source.seekable()):
        return "utf-8"
    start = None if isinstance(source, (str, os.PathLike)) else source.tell()
    with open_input(source) as stream:
        found = _guess(stream)
    if start is not None and not isinstance(source, (str, os.PathLike)):
        source.seek(start)
    if found not in ("utf-8", "utf-8-sig"):
        warnings.warn(
            f"{name_of(source)}: is no UTF-8 text and was read as {_SPOKEN[found]} (if that is wrong, say "
            f"{option('encoding', ...)}).",
            DataWarning,
            stacklevel=2,
        )
    return found


_SPOKEN = {"cp1252": "Windows-1252", "utf-16": "UTF-16", "utf-16-le": "UTF-16", "utf-16-be": "UTF-16"}


def _guess(stream: BinaryIO) -> str:
    block = stream.read(_BLOCK)
    for mark, encoding in _MARKS.items():
        if block.startswith(mark):
            return encoding
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        high, low = block[first:200:2], block[1 - first : 200 : 2]
        if high.count(0) > len(high) / 2 and 0 not in low:
            return encoding
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while block:
            decoder.decode(block)
            block = stream.read(_BLOCK)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"

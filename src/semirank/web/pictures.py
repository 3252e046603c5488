"""Pictures of items: drawn anew from pixels, so that nothing of a strange file reaches a browser as it is."""

import io
import os
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

from semirank.features.thumbnails import MOST_PIXELS
from semirank.web.session import Session

if TYPE_CHECKING:
    from PIL import Image

FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")


def draw(source: Path | IO[bytes], side: int) -> "Image.Image":
    """Return the pixels of an image and nothing else of it, upright, no side longer than this.

    Raises
    ------
    ValueError
        It is no image of a known format, damaged, or has more than 50 million pixels.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(source, formats=FORMATS) as found:
            if found.width * found.height > MOST_PIXELS:
                raise ValueError(f"has {found.width} x {found.height} pixels; {MOST_PIXELS:,} are allowed")
            found.draft("RGB", (side, side))
            small = ImageOps.exif_transpose(found).convert("RGB")
    except Exception as error:  # readers of damaged images fail in many ways
        raise ValueError(f"cannot be read as an image ({error})") from error
    small.thumbnail((side, side))
    small.info = {}  # comments and profiles, which would be saved again
    return small


def picture(session: Session, row: int, width: int) -> bytes | None:
    """Return a picture as PNG; None where the item has none, or its file is no image."""
    from PIL import Image

    pixels = session.settings.get("pixels")
    try:
        if pixels is not None:
            height, side, top = pixels
            grey = 255 - 255 * np.clip(session.vectors[row].reshape(height, side) / top, 0, 1)
            small = Image.fromarray(grey.astype(np.uint8))
            return _png(small.resize((width, width * height // side), Image.Resampling.NEAREST))
        path = _path(session, row)
        if path is None:
            return None
        return _png(draw(path, width))
    except ValueError:
        return None


def _path(session: Session, row: int) -> Path | None:
    """Return the file of a picture, if it lies inside the folder of the project's images."""
    folder = session.settings.get("images")
    with session.project.reading() as stored:
        name = stored.page([row])[0].meta.get("image")
    if not folder or not name:
        return None
    folder = os.path.realpath(session.project.path.parent / folder)
    path = Path(os.path.realpath(Path(folder) / str(name)))
    return path if path.is_relative_to(folder) else None


def _png(picture: "Image.Image") -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG")
    return stream.getvalue()

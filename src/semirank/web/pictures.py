"""Pictures of items: drawn anew from pixels, so that nothing of a strange file reaches a browser as it is."""

import io
import os
from pathlib import Path

import numpy as np

from semirank.features.thumbnails import MOST_PIXELS
from semirank.web.session import Session


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
        with Image.open(path, formats=("PNG", "JPEG", "GIF", "BMP", "WEBP", "TIFF")) as found:
            if found.width * found.height > MOST_PIXELS:
                return None
            found.draft("RGB", (width, width))
            small = found.convert("RGB")
            small.thumbnail((width, width))
            return _png(small)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return None


def _path(session: Session, row: int) -> Path | None:
    """Return the file of a picture, if it lies inside the folder that was given on the command line."""
    folder = session.settings.get("images")
    with session.project.reading() as stored:
        name = stored.page([row])[0].meta.get("image")
    if not folder or not name:
        return None
    path = Path(os.path.realpath(Path(folder) / str(name)))
    return path if path.is_relative_to(os.path.realpath(folder)) else None


def _png(picture: "object") -> bytes:
    stream = io.BytesIO()
    picture.save(stream, "PNG")  # type: ignore[attr-defined]
    return stream.getvalue()

"""Images as small grey pictures and the directions of their edges: crude, and no network needed."""

import os
from collections.abc import Iterable
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from semirank.core.arrays import AnyArray, Floats
from semirank.limits import Between, Limit, check_limits
from semirank.storage import Storable

MOST_PIXELS = 50_000_000
N_DIRECTIONS = 8
N_CELLS = 4  # histograms of directions are made in so many parts of each side


class Thumbnails(Storable, TransformerMixin, BaseEstimator):
    """Turn images into pixels of a small grey picture, and histograms of the directions of its edges.

    Both halves have length 1, so that neither outshouts the other. It finds what looks alike in outline and
    brightness, not what shows the same thing; vectors of a network do better.

    Parameters
    ----------
    size : int
        Width and height of the small picture.

    See Also
    --------
    semirank.readers.read_images : a folder of images.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.features import Thumbnails
    >>> picture = np.zeros((40, 60), dtype=np.uint8)
    >>> picture[:, 30:] = 255
    >>> Thumbnails(8).fit_transform([picture, picture.T]).shape
    (2, 192)
    """

    limits: ClassVar[dict[str, Limit]] = {"size": Between(N_CELLS, 256, int)}

    def __init__(self, size: int = 16) -> None:
        self.size = size

    def fit(self, images: Any, y: Any = None) -> Self:
        """Learn nothing: every image speaks for itself."""
        check_limits(self.limits, self.get_params(deep=False))
        return self

    def transform(self, images: Iterable[Any]) -> Floats:
        """Return one row for each image: a path, or an array of grey values."""
        check_limits(self.limits, self.get_params(deep=False))
        return np.array([self._features(_grey(image, 2 * self.size)) for image in images])

    def _features(self, picture: Floats) -> Floats:
        small = picture.reshape(self.size, 2, self.size, 2).mean(axis=(1, 3))
        return np.concatenate([_unit((small - small.mean()).ravel()), _unit(_directions(picture))])

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _grey(image: Any, size: int) -> Floats:
    """Return an image as so many grey values a side, whole numbers: what is of one colour is so exactly."""
    from PIL import Image

    try:
        opened = Image.fromarray(np.asarray(image)) if isinstance(image, np.ndarray) else Image.open(image)
        with opened as picture:
            if picture.width * picture.height > MOST_PIXELS:
                raise ValueError(
                    f"has {picture.width} x {picture.height} pixels; {MOST_PIXELS:,} are allowed"
                )
            grey = picture.convert("L").resize((size, size), Image.Resampling.BOX)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        name = str(image) if isinstance(image, (str, os.PathLike)) else "an array"
        raise ValueError(f"{name}: cannot be read as an image ({error}).") from error
    return np.asarray(grey, dtype=np.float64)


def _directions(picture: Floats) -> AnyArray:
    """Return how much change there is in each direction, in each of sixteen parts of a picture."""
    rows, columns = np.gradient(picture)
    strength = np.hypot(rows, columns)
    turn = np.mod(np.arctan2(rows, columns), np.pi) / np.pi * N_DIRECTIONS
    direction = np.minimum(turn.astype(int), N_DIRECTIONS - 1)
    part = np.arange(len(picture)) * N_CELLS // len(picture)
    cell = (part[:, None] * N_CELLS + part[None, :]) * N_DIRECTIONS + direction
    return np.bincount(cell.ravel(), strength.ravel(), N_CELLS * N_CELLS * N_DIRECTIONS)


def _unit(vector: Floats) -> Floats:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector

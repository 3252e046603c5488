"""Inner products in float32, and what can be said for certain about distances from them."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.neighbours import scan_products
from semirank.core.threads import in_parallel, one_blas_thread
from semirank.graphs.points import squared_lengths

BLOCK_COLUMNS = 4096


@dataclass(frozen=True)
class Frame:
    """The coordinates in which float32 is accurate enough: centred on the data and of their size.

    In these coordinates half the squared distance of x and y is ``|x|^2 / 2 + |y|^2 / 2 - x'y``, and
    float32 errs by at most ``slack (|x|^2 + |y|^2)`` in it.
    """

    centre: Floats
    size: float
    slack: float

    @classmethod
    def around(cls, data: AnyArray) -> "Frame":
        """Choose the coordinates for these data."""
        centre = data.mean(axis=0, dtype=np.float64)
        size = max((data.max(axis=0) - centre).max(), (centre - data.min(axis=0)).max())
        return cls(centre, float(size) or 1.0, 2.0**-24 * (data.shape[1] + 8))

    def place(self, points: AnyArray) -> AnyArray:
        """Return points in these coordinates."""
        return ((points - self.centre) / self.size).astype(np.float32)

    def halves(self, placed: AnyArray) -> AnyArray:
        """Return half the squared length of each placed point, lowered by its share of the error."""
        return ((0.5 - self.slack) * squared_lengths(placed)).astype(np.float32)

    def may_miss(self, placed: AnyArray, squared: Floats, bounds: AnyArray) -> Booleans:
        """Tell which rows may have a nearer neighbour among those that were not kept.

        squared: squared distances of what was found; bounds: what `keep_smallest` kept.
        """
        lowest = 2.0 * bounds[:, -1] + (1.0 - 2.0 * self.slack) * squared_lengths(placed)
        return np.isfinite(bounds[:, -1]) & (squared[:, -1] / self.size**2 > lowest)


@dataclass(frozen=True)
class Candidates:
    """Placed points among which rows may find, their halves, item numbers and the groups of all items."""

    points: AnyArray
    halves: AnyArray
    numbers: Integers
    groups: Integers


@dataclass(frozen=True)
class Kept:
    """The best candidates of each row so far: item numbers and values, the smallest first."""

    indices: Integers
    bounds: AnyArray

    @classmethod
    def nothing(cls, n_rows: int, keep: int) -> "Kept":
        """Begin with no candidates, and room for `keep`."""
        return cls(np.full((n_rows, keep), -1), np.full((n_rows, keep), np.inf, dtype=np.float32))


def scan(
    rows: AnyArray, which: Integers, groups: Integers, candidates: Candidates, part: slice, kept: Kept
) -> None:
    """Look through a part of the candidates for smaller values of ``halves - rows @ points.T``.

    which: where in `groups` and `kept` each row stands.
    """
    for at in range(part.start, part.stop, BLOCK_COLUMNS):
        block = slice(at, min(at + BLOCK_COLUMNS, part.stop))
        scan_products(
            rows @ candidates.points[block].T,
            candidates.halves[block],
            candidates.numbers[block],
            which,
            groups,
            candidates.groups,
            kept.indices,
            kept.bounds,
        )


def keep_smallest(rows: AnyArray, groups: Integers, candidates: Candidates, keep: int) -> Kept:
    """Return the candidates with the smallest ``halves - rows @ points.T``."""
    kept = Kept.nothing(len(rows), keep)
    scan(rows, np.arange(len(rows)), groups, candidates, slice(0, len(candidates.points)), kept)
    return kept


def multiply_in_parallel(work: Callable[[Any], None], tasks: Iterable[Any]) -> None:
    """Run tasks that multiply matrices: one thread of BLAS for each, so that their number changes no bit."""
    with one_blas_thread():
        in_parallel(work, tasks)

"""Screening in float32: inner products taken quickly, and what they say for certain about distances."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.core.neighbours import Allowed, order_exactly, scan_products
from semirank.core.threads import in_parallel, one_blas_thread

BLOCK_ROWS = 256
BLOCK_COLUMNS = 4096
SPARE = 6


@dataclass(frozen=True)
class Coordinates:
    """The coordinates in which float32 is accurate enough: centred on the data and of their size.

    In these coordinates half the squared distance of x and y is ``|x|^2 / 2 + |y|^2 / 2 - x'y``, and
    float32 errs by at most ``slack (|x|^2 + |y|^2)`` in it.
    """

    centre: Floats
    size: float
    slack: float

    @classmethod
    def around(cls, data: AnyArray) -> "Coordinates":
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
class Placed:
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


def fill_by_products(
    points: AnyArray, data: AnyArray, rows: Integers, allowed: Allowed, indices: Integers, squared: Floats
) -> Integers:
    """Fill in the nearest of rows that all look in the same part of the data; return the unsettled ones.

    A row is unsettled when float32 leaves open whether it has a nearer neighbour.
    """
    start, stop = allowed.first[rows[0]], allowed.last[rows[0]]
    coordinates = Coordinates.around(data[start:stop])
    placed_data = coordinates.place(data[start:stop])
    halves = coordinates.halves(placed_data)
    candidates = Placed(placed_data, halves, np.arange(start, stop), allowed.item_groups)
    unsettled = np.zeros(len(rows), dtype=bool)

    def search_block(at: int) -> None:
        block = rows[at : at + BLOCK_ROWS]
        placed = coordinates.place(points[block])
        kept = keep_smallest(placed, allowed.row_groups[block], candidates, indices.shape[1] + SPARE)
        order_candidates(points, data, block, kept.indices, indices, squared)
        unsettled[at : at + BLOCK_ROWS] = coordinates.may_miss(placed, squared[block], kept.bounds)

    multiply_in_parallel(search_block, range(0, len(rows), BLOCK_ROWS))
    return rows[unsettled]


def order_candidates(
    points: AnyArray,
    data: AnyArray,
    block: Integers,
    candidates: Integers,
    indices: Integers,
    squared: Floats,
) -> None:
    """Fill in the nearest of the candidates of some rows, by their exact distances."""
    best = np.full((len(block), indices.shape[1]), -1), np.full((len(block), indices.shape[1]), np.inf)
    order_exactly(points[block], data, candidates, *best)
    indices[block], squared[block] = best


def keep_smallest(rows: AnyArray, groups: Integers, candidates: Placed, keep: int) -> Kept:
    """Return the candidates with the smallest ``halves - rows @ points.T``."""
    kept = Kept.nothing(len(rows), keep)
    scan(rows, np.arange(len(rows)), groups, candidates, slice(0, len(candidates.points)), kept)
    return kept


def scan(
    rows: AnyArray, which: Integers, groups: Integers, candidates: Placed, part: slice, kept: Kept
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


def squared_lengths(points: AnyArray) -> Floats:
    """Return the squared length of each row in float64."""
    return np.einsum("ij,ij->i", points, points, dtype=np.float64)


def multiply_in_parallel(work: Callable[[Any], None], tasks: Iterable[Any]) -> None:
    """Run tasks that multiply matrices: one thread of BLAS for each, so that their number changes no bit."""
    with one_blas_thread():
        in_parallel(work, tasks)

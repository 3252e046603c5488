"""A graph of nearest neighbours on disk, over which labels spread: one list of ten million items and more.

Points, edges and weights are files that are mapped into memory, so that the system keeps what fits of them;
vectors with one number for each item are in memory. Rows stand in the order of the cells of an inverted file:
neighbours are near each other, in the files too.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import gen_batches

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.diffusion import RECURRENCES, Components, Equation, Sparse, solve
from semirank.core.neighbours import count_union, fill_union, find_components, order_exactly
from semirank.core.threads import count_threads
from semirank.graphs.diffusion import Diffused
from semirank.graphs.ivf import SPARE, Partition, find_centres, nearest_centres
from semirank.graphs.screening import Coordinates, Placed, multiply_in_parallel, squared_lengths

BLOCK_ROWS = 2**13
BLOCK_EDGES = 2**22
TRAINING_POINTS = 32


@dataclass(frozen=True, eq=False)
class MappedDiffusion:
    """The system ``(I - alpha S) f = y`` on a graph in files, as `Diffusion` is on one in memory.

    Attributes
    ----------
    degrees : float64 array of shape (n_items,)
        The degrees of the rows.
    order : int64 array of shape (n_items,)
        The item that each row is.
    recall : float
        Share of the true neighbours that were found, measured on a sample.
    sigma : float
        The width of the weights.
    """

    degrees: Floats
    order: Integers
    recall: float
    sigma: float
    _rows: Sparse
    _light: AnyArray
    _known: Components

    @classmethod
    def build(
        cls,
        blocks: Iterable[AnyArray],
        n_items: int,
        folder: Path,
        n_neighbors: int = 10,
        *,
        sigma: float | str = "median",
        recall: float = 0.99,
    ) -> "MappedDiffusion":
        """Join each item to its nearest neighbours, with gaussian weights.

        Parameters
        ----------
        blocks : iterable of arrays
            The items, block after block.
        n_items : int
            How many they are.
        folder : Path
            Where the files go; they must stay there as long as this lives.
        n_neighbors, sigma, recall
            As in `knn_graph`.
        """
        points = _Points.of(blocks, n_items, folder)
        order, indices, squared, found = points.neighbours(n_neighbors, recall)
        one_sided, indptr = count_union(indices)
        columns = _new(folder / "columns.npy", indptr[-1], np.uint32)
        lengths = _new(folder / "light.npy", indptr[-1], np.float32)
        fill_union(indices, squared, one_sided, indptr, columns, lengths)
        del indices, squared, one_sided
        width = _median_length(lengths) if sigma == "median" else float(sigma) / points.size
        weights = _new(folder / "weights.npy", indptr[-1], np.float64)
        degrees = _weigh(indptr, columns, lengths, weights, width)
        parts = find_components(indptr, columns)
        volumes = np.bincount(parts, weights=degrees).astype(np.float64)
        rows = Sparse(indptr.astype(np.uint64), columns, weights)
        known = Components(np.sqrt(degrees), parts, volumes)
        return cls(degrees, order, found, width * points.size, rows, lengths, known)

    @property
    def n_edges(self) -> int:
        """How many edges there are, each counted in both directions."""
        return len(self._light)

    def solve(
        self,
        y: Floats,
        alpha: float = 0.99,
        *,
        solver: str = "cg",
        tol: float = 1e-6,
        max_iter: int = 10_000,
    ) -> Diffused:
        """Solve for one vector of labels, in the order of the items; see `Diffusion.solve`."""
        lists = np.array([0, len(y)])
        known = None if solver == "iterate" or alpha == 0.0 else self._known
        equation = Equation(self._rows, lists, alpha, tol, max_iter, count_threads(), known, self._light)
        f, sweeps, residual = solve(RECURRENCES[solver], equation, y[self.order][:, None])
        return Diffused(self.in_items(f[:, 0]), sweeps[:, 0], residual[:, 0])

    def in_items(self, values: Floats) -> Floats:
        """Bring one value for each row into the order of the items."""
        restored = np.empty_like(values)
        restored[self.order] = values
        return restored


@dataclass(frozen=True, eq=False)
class _Points:
    """The items in a file, in coordinates in which float32 is accurate."""

    points: AnyArray
    size: float
    folder: Path

    @classmethod
    def of(cls, blocks: Iterable[AnyArray], n_items: int, folder: Path) -> "_Points":
        given = None
        first = 0
        for block in blocks:
            if given is None:
                given = _new(folder / "given.npy", (n_items, block.shape[1]), np.float32)
            given[first : first + len(block)] = block
            first += len(block)
        if given is None or first != n_items:
            raise ValueError(f"{n_items} items were announced, and {first} came.")
        coordinates = Coordinates.around(given)
        for rows in gen_batches(n_items, BLOCK_ROWS):
            given[rows] = coordinates.place(given[rows])
        return cls(given, coordinates.size, folder)

    def neighbours(self, k: int, recall: float) -> tuple[Integers, AnyArray, AnyArray, float]:
        """Return the item of each row, its nearest rows, their squared distances, and the share found."""
        n_items = len(self.points)
        k = min(k, n_items - 1)
        partition, order = self._divide()
        points, groups = partition.candidates.points, partition.candidates.groups
        n_probes, found = partition.probes_needed(points, groups, k, recall + (1.0 - recall) / 5.0)
        indices = np.empty((n_items, k), dtype=np.int32)
        squared = np.empty((n_items, k), dtype=np.float32)

        def search(rows: slice) -> None:
            block = np.array(points[rows])
            near = nearest_centres(block, partition.centres, n_probes)
            candidates = partition.search(block, groups[rows], near, k + SPARE)
            best = np.full((len(block), k), -1), np.full((len(block), k), np.inf)
            order_exactly(block, points, candidates, *best)
            indices[rows], squared[rows] = best

        multiply_in_parallel(search, gen_batches(n_items, BLOCK_ROWS))
        return order, indices, squared, found

    def _divide(self) -> tuple[Partition, Integers]:
        """Put the points into the order of the cells of k-means."""
        n_items = len(self.points)
        n_centres = max(1, int(np.sqrt(n_items)))
        n_training = min(n_items, TRAINING_POINTS * n_centres)
        spaced = np.linspace(0, n_items - 1, n_training).astype(np.int64)
        centres = find_centres(np.array(self.points[spaced]), n_centres)
        cells = np.empty(n_items, dtype=np.int32)

        def assign(rows: slice) -> None:
            cells[rows] = nearest_centres(np.array(self.points[rows]), centres, 1)[:, 0]

        multiply_in_parallel(assign, gen_batches(n_items, BLOCK_ROWS))
        order = np.argsort(cells, kind="stable")
        starts = np.searchsorted(cells[order], np.arange(n_centres + 1))
        points = _new(self.folder / "points.npy", self.points.shape, np.float32)
        halves = np.empty(n_items, dtype=np.float32)
        for rows in gen_batches(n_items, BLOCK_ROWS):
            points[rows] = self.points[order[rows]]
            halves[rows] = squared_lengths(points[rows]) / 2.0
        numbers = np.arange(n_items)
        return Partition(centres, Placed(points, halves, numbers, numbers), starts), order


def _new(path: Path, shape: Any, dtype: Any) -> AnyArray:
    """Make a file for an array, and map it."""
    return np.asarray(
        np.lib.format.open_memmap(path, "w+", dtype, shape if isinstance(shape, tuple) else (int(shape),))
    )


def _weigh(indptr: Integers, columns: AnyArray, lengths: AnyArray, weights: Floats, width: float) -> Floats:
    """Turn squared lengths of edges into the normalised weights ``D^-1/2 W D^-1/2``; return D.

    As in `gaussian_weights`, the weight of the shortest edge is 1.
    """
    n_items = len(indptr) - 1
    shortest = min((float(lengths[edges].min()) for _, edges in _blocks(indptr)), default=0.0)
    degrees = np.zeros(n_items)
    for rows, edges in _blocks(indptr):
        weights[edges] = np.exp((shortest - lengths[edges].astype(np.float64)) / (2.0 * width**2))
        owner = np.repeat(np.arange(rows.stop - rows.start), np.diff(indptr[rows.start : rows.stop + 1]))
        degrees[rows] = np.bincount(owner, weights[edges], rows.stop - rows.start)
    scale = np.divide(1.0, np.sqrt(degrees), out=np.zeros(n_items), where=degrees > 0.0)
    for rows, edges in _blocks(indptr):
        of_rows = np.repeat(scale[rows], np.diff(indptr[rows.start : rows.stop + 1]))
        weights[edges] *= of_rows * scale[columns[edges]]
        lengths[edges] = weights[edges]
    return degrees


def _blocks(indptr: Integers) -> Iterator[tuple[slice, slice]]:
    """Cut rows into blocks of some million edges; yield (rows, edges)."""
    start, n_rows = 0, len(indptr) - 1
    while start < n_rows:
        stop = int(np.searchsorted(indptr, indptr[start] + BLOCK_EDGES, side="right")) - 1
        stop = min(max(stop, start + 1), n_rows)
        yield slice(start, stop), slice(int(indptr[start]), int(indptr[stop]))
        start = stop


def _median_length(squared: AnyArray) -> float:
    """Return the median length of edges, of those longer than 0 if most are 0, and 1 if all are."""
    median = _median(squared)
    if median > 0.0:
        return float(np.sqrt(median))
    n_zero = int((squared == 0.0).sum())
    if n_zero == len(squared):
        return 1.0
    return float(np.sqrt(_median(squared, n_zero)))


def _median(values: AnyArray, leave: int = 0) -> float:
    """Return the median of float32 numbers that are not negative, without their `leave` smallest.

    The bits of such numbers are in the order of the numbers: the upper half of the bits is counted, then the
    lower half of those that matter. No copy is made.
    """
    n = len(values) - leave
    middle = {leave + (n - 1) // 2, leave + n // 2}
    bits = values.view(np.uint32)
    upper = _count(lambda block: block >> 16, bits)
    found = []
    for place in sorted(middle):
        high = int(np.searchsorted(np.cumsum(upper), place, side="right"))
        before = int(upper[:high].sum())
        lower = _count(lambda block, high=high: block[block >> 16 == high] & 0xFFFF, bits)  # type: ignore[misc]
        low = int(np.searchsorted(np.cumsum(lower), place - before, side="right"))
        found.append(np.array(high << 16 | low, dtype=np.uint32).view(np.float32))
    return float(np.mean(np.sqrt(np.array(found, dtype=np.float64))) ** 2)


def _count(part: Callable[[AnyArray], AnyArray], bits: AnyArray) -> Integers:
    counts = np.zeros(2**16, dtype=np.int64)
    for rows in gen_batches(len(bits), BLOCK_EDGES):
        counts += np.bincount(part(bits[rows]), minlength=2**16)
    return counts

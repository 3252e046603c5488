"""The lists most like a list, found without comparing it with all of them."""

from collections.abc import Callable, Iterable
from typing import Any, Literal, NamedTuple

import numpy as np
from sklearn.utils import gen_batches

from semirank.core.arrays import Floats, Integers
from semirank.core.assignment import best_assignments
from semirank.core.threads import in_parallel, one_blas_thread
from semirank.graphs.list_axes import covariances, variances

Kind = Literal["matching", "psd"]
Progress = Callable[[int, int], None]

TOGETHER = 64  # lists that one list is compared with in one product of matrices
BLOCK = 256  # lists between two reports of progress
WIDE = 500  # features from which on covariances take more memory than they save time
ROUNDING = 1e-12


class NearestLists(NamedTuple):
    """The lists most like each of some lists, the most similar first.

    indices, similarities: (n_lists, k); -1 and 0 where no more lists have a similarity above 0.
    """

    indices: Integers
    similarities: Floats


def nearest_lists(
    asking: Floats,
    axes: Floats,
    k: int,
    kind: Kind,
    *,
    others: bool = False,
    progress: Progress | None = None,
) -> NearestLists:
    """Find the k lists most like each asking list; of equally similar ones, those with the lowest numbers.

    Parameters
    ----------
    asking, axes : float64 arrays of shape (n_asking, n_axes, n_features) and (n_lists, n_axes, n_features)
        From `list_axes`; the numbers of axes may differ.
    k : int
        How many lists to find.
    kind : {"matching", "psd"}
        What is similar; see `list_kernel`.
    others : bool
        Both are the same lists, and none is to find itself.
    progress : callable, optional
        Called with the number of asking lists that are done and the number of all.
    """
    asking, axes = _of_one_size(asking, axes)
    found = NearestLists(np.full((len(asking), k), -1), np.zeros((len(asking), k)))
    bounds = _Bounds(asking, axes, kind)

    def search(task: tuple[int, Floats]) -> None:
        i, row = task
        lists, similarities = _largest(row, k) if kind == "psd" else _best_matches(asking[i], axes, row, k)
        found.indices[i, : len(lists)], found.similarities[i, : len(lists)] = lists, similarities

    for block in blocks(len(asking), progress):
        rows = bounds.rows(block)
        if others:
            np.fill_diagonal(rows[:, block], 0.0)
        in_threads(search, enumerate(rows, block.start))
    return found


def match(own: Floats, others: Floats, enough: float = -1.0) -> Floats:
    """Return the "matching" similarity of a list to others; where it is below `enough`, a bound that is too.

    own : (n_axes, n_features); others : (n_lists, n_axes, n_features), from `list_axes`.
    """
    gains = np.abs(others.reshape(-1, others.shape[2]) @ own.T)
    return np.minimum(best_assignments(gains.reshape(-1, len(own), len(own)), enough), 1.0)


def blocks(n_lists: int, progress: Progress | None) -> Iterable[slice]:
    """Cut the lists into blocks, and report when each is done."""
    for block in gen_batches(n_lists, BLOCK):
        yield block
        if progress is not None:
            progress(block.stop, n_lists)


def in_threads(work: Callable[[Any], None], tasks: Iterable[Any]) -> None:
    """Do small products of matrices side by side, each in one thread."""
    with one_blas_thread():
        in_parallel(work, tasks)


class _Bounds:
    """How similar two lists can be at most, by products of matrices; exact for "psd".

    With c the cosines of matched axes, ``sum lam lam' |c| <= sqrt(sum lam lam') sqrt(sum lam lam' c^2)``: the
    first sum is largest for sorted variances, the second is a part of the product of the covariances.
    """

    def __init__(self, asking: Floats, axes: Floats, kind: Kind) -> None:
        self.exact, self.wide = kind == "psd", kind == "matching" and axes.shape[2] > WIDE
        self.variances = variances(asking), variances(axes)
        if not self.wide:
            flat = covariances(axes)
            self.covariances = flat if asking is axes else covariances(asking), flat

    def rows(self, block: slice) -> Floats:
        """Return the bounds between some of the asking lists (rows) and all lists."""
        if self.exact:
            return _product(self.covariances, block)
        spread = _product(self.variances, block)
        return spread if self.wide else np.sqrt(spread * _product(self.covariances, block))


def _product(factors: tuple[Floats, Floats], block: slice) -> Floats:
    return np.clip(factors[0][block] @ factors[1].T, 0.0, 1.0)


def _best_matches(own: Floats, axes: Floats, bounds: Floats, k: int) -> tuple[Integers, Floats]:
    """Compare with other lists, the most promising first, until none is left that can be among the k best."""
    lists, _ = _largest(bounds, k)
    similarities = match(own, axes[lists])
    least = similarities.min(initial=1.0) - ROUNDING
    bounds[lists] = 0.0
    rest = np.flatnonzero((bounds > 0.0) & (bounds >= least))
    rest = rest[np.argsort(-bounds[rest])]
    for start in range(0, len(rest), TOGETHER):
        chunk = rest[start : start + TOGETHER]
        chunk = chunk[bounds[chunk] >= least]
        found = match(own, axes[chunk], least)
        near = found >= least
        lists, similarities = np.append(lists, chunk[near]), np.append(similarities, found[near])
        best = np.lexsort((lists, -similarities))[:k]
        lists, similarities = lists[best], similarities[best]
        least = similarities[-1] - ROUNDING
        if len(chunk) < TOGETHER:
            break
    return lists[similarities > 0.0], similarities[similarities > 0.0]


def _largest(values: Floats, k: int) -> tuple[Integers, Floats]:
    """Return the places of the k largest positive values, of equal ones the first, and the values."""
    places = np.flatnonzero(values > 0.0)
    if len(places) > k:
        places = np.flatnonzero(values >= np.partition(values, -k)[-k])
    places = places[np.argsort(-values[places], kind="stable")][:k]
    return places, values[places]


def _of_one_size(asking: Floats, axes: Floats) -> tuple[Floats, Floats]:
    """Give both the same number of axes, with zeros for those that are missing."""
    if asking is axes or asking.shape[1] == axes.shape[1]:
        return asking, axes
    n_axes = max(asking.shape[1], axes.shape[1])
    asking, axes = (np.pad(each, ((0, 0), (0, n_axes - each.shape[1]), (0, 0))) for each in (asking, axes))
    return asking, axes

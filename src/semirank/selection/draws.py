"""Which labels of a list to show and which to hold out, so that both sides can tell better from worse."""

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset


def most_folds(y: Floats) -> int:
    """Return into how many parts the labels of a list can be cut so that each has two levels.

    That is the largest k for which the k best labels are all above the k worst: the smaller class of
    binary labels, half of the labels where all differ.

    Examples
    --------
    >>> most_folds(np.array([1, 0, 0, 1, 1, 0, 0, 0.0])), most_folds(np.arange(7.0)), most_folds(np.ones(5))
    (3, 3, 0)
    """
    half = len(y) // 2
    worst = np.sort(y)[:half]
    best = -np.sort(-y)[:half]
    return int(np.count_nonzero(worst < best))


def draw_folds(y: Floats, n_folds: int, rng: np.random.Generator) -> Integers:
    """Cut the labels of a list into folds; up to `most_folds` of them, each fold has two levels.

    The best labels are dealt one to each fold, then the worst, then the others in rounds of equal ones.

    Examples
    --------
    >>> y = np.array([1.0, 1, 0, 0, 0, 0])
    >>> folds = draw_folds(y, 2, np.random.default_rng(0))
    >>> [np.sort(y[folds == fold]).tolist() for fold in (0, 1)]
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    """
    order = np.lexsort((rng.random(len(y)), -y))
    best, others = order[:n_folds], order[n_folds:]
    dealt = np.concatenate([best, others[-n_folds:], others[:-n_folds]])
    rounds = [rng.permutation(n_folds) for _ in range(-(-len(y) // n_folds))]
    folds = np.empty(len(y), dtype=np.int64)
    folds[dealt] = np.concatenate(rounds)[: len(y)]
    return folds


def draw_order(y: Floats, rng: np.random.Generator) -> Integers:
    """Put the labels of a list into a random order that has a better and a worse one among its first two.

    The first n of them are what a user with n labels may have; a longer beginning holds every shorter one.
    """
    order = rng.permutation(len(y))
    better = _better_half(y)[order]
    first = np.unique([int(np.argmax(better)), int(np.argmin(better))])
    return np.concatenate([order[first], np.delete(order, first)])


def draw_labels(data: RankingDataset, pool: Booleans, size: int, rng: np.random.Generator) -> Booleans:
    """Mark up to `size` items of each list out of a pool of labelled ones, in the order of `draw_order`.

    The same generator and a larger size mark the same items and more.
    """
    marked = np.zeros(data.n_items, dtype=bool)
    for first, last in zip(data.indptr[:-1], data.indptr[1:], strict=True):
        items = first + np.flatnonzero(pool[first:last])
        if len(items):
            marked[items[draw_order(data.y[items], rng)[:size]]] = True
    return marked


def _better_half(y: Floats) -> Booleans:
    """Mark the labels above the median, or the best ones where none is above it."""
    above = y > np.median(y)
    return above if above.any() else y == y.max()

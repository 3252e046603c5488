"""The mean of a list metric as a function of scores, and its highest value along a line of scores."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.core.lines import PLAIN, first_order, follow_lists, sums_of_orders
from semirank.dataset import RankingDataset
from semirank.metrics import Metric
from semirank.rankers.losses.additive_metric import AdditiveMetric, additive_metric

_MOST_CROSSINGS = 1 << 22  # kept in memory at once
_NARROW = 1e-9  # crossings of several items at one place differ by rounding
_LITTLE = 1e-12


class Changes(NamedTuple):
    """When the mean of a metric changes along a line, and by how much."""

    times: Floats
    amounts: Floats


class ListObjective:
    """The mean of a metric over the lists where it is defined, negated where lower is better.

    Parameters
    ----------
    training_set : RankingDataset
        Labelled items.
    metric : Metric
        What is to be high.

    Attributes
    ----------
    training_set : RankingDataset
        The lists where the metric is defined.
    """

    def __init__(self, training_set: RankingDataset, metric: Metric) -> None:
        values = metric(training_set.y, training_set.y, training_set.qid)
        if np.isnan(values).all():
            raise ValueError(
                f"{metric.name} is not defined for any list with labels: no order is better than another."
            )
        self.training_set = training_set = training_set.select(~np.isnan(values))
        self.metric = metric
        self._sign = 1.0 if metric.greater_is_better else -1.0
        self._additive = additive_metric(metric, training_set.y, int(np.diff(training_set.indptr).max()))
        if self._additive is not None:
            self._scales, self._room = self._find_scales(self._additive), self._find_room(self._additive)

    def value(self, scores: Floats) -> float:
        """Return the mean over lists; ties count as the mean over their orders."""
        return self._sign * float(self._measure(scores).mean())

    def best_step(self, scores: Floats, moves: Floats) -> float:
        """Return the t for which the order of ``scores + t moves`` is best: the middle of the best interval.

        0 if nothing is better than the interval around it, else the widest of the best.
        """
        times, amounts = self.changes(scores, moves)
        if len(times) == 0:
            return 0.0
        edges = _with_ends(times)
        levels = np.concatenate([[0.0], np.cumsum(amounts)])
        widths = np.diff(edges)
        best = levels[widths > _NARROW * _reach(edges[1:])].max()
        first, last = np.searchsorted(times, 0.0, "left"), np.searchsorted(times, 0.0, "right")
        if first == last and levels[first] >= best - _LITTLE:
            return 0.0
        chosen = int(np.argmax(np.where(levels >= best - _LITTLE, widths, -1.0)))
        return float(edges[chosen : chosen + 2].mean())

    def changes(self, scores: Floats, moves: Floats) -> Changes:
        """Return where along ``scores + t moves`` the mean changes, in order."""
        parts = list(self._parts(scores, moves))
        times, amounts = (np.concatenate(each) for each in zip(*parts, strict=True))
        order = np.argsort(times, kind="stable")
        return Changes(times[order], self._sign * amounts[order] / self.training_set.n_lists)

    def _parts(self, scores: Floats, moves: Floats) -> Iterator[tuple[Floats, Floats]]:
        """Yield the changes of a few lists after the other."""
        if self._additive is None:
            for k in range(self.training_set.n_lists):
                yield self._by_trial(k, scores, moves)
            return
        order = first_order(scores, moves, self._additive.gains, self.training_set.list_of_item)
        for lists in _blocks(self._room):
            yield self._followed(self._additive, lists, scores, moves, order)

    def _followed(
        self, additive: AdditiveMetric, lists: slice, scores: Floats, moves: Floats, order: Integers
    ) -> tuple[Floats, Floats]:
        """Follow the order of some lists from crossing to crossing."""
        kind, gains, discounts = additive
        starts = self.training_set.indptr[lists.start : lists.stop + 1]
        items = slice(starts[0], starts[-1])
        room = np.concatenate([[0], np.cumsum(self._room[lists])])
        times, amounts, found = np.empty(room[-1]), np.empty(room[-1]), np.empty(len(room) - 1, np.int64)
        lines = scores[items], moves[items], gains[items], order[items] - starts[0], starts - starts[0]
        follow_lists(kind, *lines, discounts, room, times, amounts, found)
        kept = np.arange(room[-1]) < np.repeat(room[:-1] + found, self._room[lists])
        return times[kept], amounts[kept] * np.repeat(self._scales[lists], found)

    def _by_trial(self, k: int, scores: Floats, moves: Floats) -> tuple[Floats, Floats]:
        """Measure one list in every interval between crossings of items with different labels."""
        items = slice(self.training_set.indptr[k], self.training_set.indptr[k + 1])
        a, b, y = scores[items], moves[items], self.training_set.y[items]
        i, j = np.nonzero((y[:, None] > y) & (b[:, None] != b))
        times = np.unique((a[j] - a[i]) / (b[i] - b[j]))
        if len(times) == 0:
            return times, times
        edges = _with_ends(times)
        middles = 0.5 * (edges[1:] + edges[:-1])
        rows = max(1, _MOST_CROSSINGS // len(y))
        found = [self._trials(middles[at : at + rows], a, b, y) for at in range(0, len(middles), rows)]
        return times, np.diff(np.concatenate(found))

    def _trials(self, steps: Floats, a: Floats, b: Floats, y: Floats) -> Floats:
        scores = (a + steps[:, None] * b).ravel()
        return self.metric(np.tile(y, len(steps)), scores, np.repeat(np.arange(len(steps)), len(y)))

    def _measure(self, scores: Floats) -> Floats:
        return self.metric(self.training_set.y, scores, self.training_set.qid)

    def _find_room(self, additive: AdditiveMetric) -> Integers:
        """Return how often the metric of each list can change at most."""
        sizes = np.diff(self.training_set.indptr)
        top_only = additive.kind == PLAIN and len(additive.discounts) == 1
        return sizes if top_only else sizes * (sizes - 1) // 2

    def _find_scales(self, additive: AdditiveMetric) -> Floats:
        """Return what a sum of 1 is in the metric, from the best and the worst order of each list."""
        lists = self.training_set.list_of_item
        best, worst = np.lexsort((-additive.gains, lists)), np.lexsort((additive.gains, lists))
        ranks = np.empty((2, len(lists)))
        ranks[0, best] = ranks[1, worst] = -np.arange(len(lists), dtype=np.float64)
        spread = self._measure(ranks[0]) - self._measure(ranks[1])
        sums = [
            sums_of_orders(additive.kind, additive.gains[order], self.training_set.indptr, additive.discounts)
            for order in (best, worst)
        ]
        difference = sums[0] - sums[1]
        return np.divide(spread, difference, out=np.zeros(len(spread)), where=difference != 0)


def _blocks(room: Integers) -> Iterator[slice]:
    """Cut lists into blocks that need about as much room as there is."""
    block = np.cumsum(room) // _MOST_CROSSINGS
    starts = np.flatnonzero(np.diff(block, prepend=-1))
    for start, stop in zip(starts, np.append(starts[1:], len(room)), strict=True):
        yield slice(int(start), int(stop))


def _with_ends(times: Floats) -> Floats:
    """Put an end to the first and the last interval, so that their middle is well beyond all crossings."""
    first, last = times[:1], times[-1:]
    return np.concatenate([first - 2.0 * _reach(first), times, last + 2.0 * _reach(last)])


def _reach(times: Floats) -> Floats:
    return np.maximum(1.0, np.abs(times))

"""Splits of partly labelled data: labels that a ranker is shown, and labels that it is measured on."""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from semirank.core.arrays import Booleans, Floats, Integers
from semirank.dataset import RankingDataset
from semirank.metrics.metric import Metric
from semirank.metrics.ranking import Unlabelled
from semirank.selection.draws import draw_folds, draw_labels, most_folds

ProtocolName = Literal["lists", "items"]

ENOUGH_LISTS = 6
"""From so many lists on, a list is one observation of a test: two to the sixth are 64 sign flips."""

N_FOLDS = 5
LEAVE_ONE_OUT_UP_TO = 10  # lists


class TooFewLabelsError(ValueError):
    """The labels do not suffice to learn from some and measure on others."""


@dataclass(frozen=True, eq=False)
class Split:
    """One fit: labels that the ranker is shown, and held-out labels that it is measured on.

    All items stay in the data that `fit` sees, so held-out and unlabelled items are there to learn from
    without their labels, exactly as they would be in use.

    Attributes
    ----------
    repeat, fold : int
        Which repetition, and which part of it.
    shown, measured : bool arrays of shape (n_items,)
        Items of the data, in the order of its lists; none is both.
    """

    repeat: int
    fold: int
    shown: Booleans
    measured: Booleans

    def visible(self, data: RankingDataset) -> Floats:
        """Return the labels that the ranker sees, NaN for all others."""
        return np.where(self.shown, data.y, np.nan)

    def held_out(self, data: RankingDataset) -> Floats:
        """Return the labels that the ranker is measured on, NaN for all others."""
        return np.where(self.measured, data.y, np.nan)

    def thin(self, data: RankingDataset, protocol: ProtocolName, size: int) -> Self:
        """Show at most `size` labels of each list, or labelled lists; a larger size shows them and more."""
        rng = np.random.default_rng((self.repeat, self.fold))
        if protocol == "items":
            return replace(self, shown=draw_labels(data, self.shown, size, rng))
        lists = rng.permutation(np.unique(data.list_of_item[self.shown]))[:size]
        return replace(self, shown=self.shown & np.isin(data.list_of_item, lists))


class Splits(NamedTuple):
    """Splits, how they were made, and how many labelled lists are measured in none of them."""

    n_repeats: int
    n_folds: int
    splits: list[Split]
    n_skipped: int


@dataclass(frozen=True, eq=False)
class Drawing:
    """What splits are drawn from, and how; see `plan_splits` for the meaning of each."""

    data: RankingDataset
    metric: Metric
    keep: int | None
    n_repeats: int | None
    n_folds: int | None
    unlabelled: Unlabelled
    seed: int

    def defined(self, split: Split) -> Booleans:
        """Tell in which lists the metric is defined on the held-out labels; no score can change that."""
        data, rest = self.data, ~split.shown
        values = np.full(data.n_lists, np.nan)
        values[np.unique(data.list_of_item[rest])] = self.metric(
            split.held_out(data)[rest], np.zeros(rest.sum()), data.qid[rest], unlabelled=self.unlabelled
        )
        return np.logical_or.reduceat(split.measured, data.indptr[:-1]) & ~np.isnan(values)

    def rng(self, *place: int) -> np.random.Generator:
        """Return the generator of a place, the same whatever else is drawn."""
        return np.random.default_rng((self.seed, *place))


def hold_out_lists(draw: Drawing) -> Splits:
    """Hold out all labels of some lists at a time; with `keep`, show those of so many others only."""
    labelled = np.flatnonzero(draw.data.labelled_per_list > 0)
    nothing = np.zeros(draw.data.n_items, dtype=bool)
    measurable = np.flatnonzero(draw.defined(Split(0, 0, nothing, draw.data.labelled)))
    if len(labelled) < 2 or len(measurable) < 2:
        raise TooFewLabelsError(
            f"Holding out lists takes two labelled lists where {draw.metric} is defined: it is in "
            f"{len(measurable)} of {len(labelled)} labelled lists."
        )
    n_repeats, n_folds = _sizes_for_lists(draw, len(measurable))
    splits = [
        _without_lists(draw, (repeat, fold), labelled, held)
        for repeat in range(n_repeats)
        for fold, held in enumerate(np.array_split(draw.rng(repeat).permutation(measurable), n_folds))
    ]
    return Splits(n_repeats, n_folds, splits, len(labelled) - len(measurable))


def _sizes_for_lists(draw: Drawing, n_lists: int) -> tuple[int, int]:
    each = n_lists <= LEAVE_ONE_OUT_UP_TO and draw.keep is None
    n_folds = min(draw.n_folds or (n_lists if each else N_FOLDS), n_lists)
    usual = 3 if n_lists <= 50 else 2 if n_lists <= 200 else 1
    if n_folds == n_lists and draw.keep is None:
        return 1, n_folds  # each list alone: a repetition would be the same again
    return draw.n_repeats or usual, n_folds


def _without_lists(draw: Drawing, place: tuple[int, int], labelled: Integers, held: Integers) -> Split:
    shown = draw.rng(*place).permutation(np.setdiff1d(labelled, held))[: draw.keep]
    labels, lists = draw.data.labelled, draw.data.list_of_item
    return Split(*place, shown=labels & np.isin(lists, shown), measured=labels & np.isin(lists, held))


def hold_out_items(draw: Drawing) -> Splits:
    """Hold out some labels of each list at a time; with `keep`, all but so many of them."""
    data = draw.data
    folds = np.array([_most_folds(draw, at) for at in range(data.n_lists)])
    measurable = int((folds >= 2).sum())
    if measurable == 0:
        raise TooFewLabelsError(
            "Holding out labels within a list takes two better and two worse labels in it; no list has them "
            f"(labels of a list: {data.labelled_per_list.max()} at most). Label more items."
        )
    several = measurable >= ENOUGH_LISTS
    usual = (5 if several else 20) if draw.keep else 3
    n_repeats = draw.n_repeats or usual
    n_folds = 1 if draw.keep else min(draw.n_folds or N_FOLDS, int(folds.max()))
    make = _draw_items if draw.keep else _fold_items
    splits = [split for repeat in range(n_repeats) for split in make(draw, repeat, folds.clip(max=n_folds))]
    return Splits(n_repeats, n_folds, splits, int((data.labelled_per_list > 0).sum()) - measurable)


def _most_folds(draw: Drawing, at: int) -> int:
    _, y = _labels(draw.data, at)
    return int((y > 0).sum()) if draw.unlabelled == "irrelevant" else most_folds(y)


def _labels(data: RankingDataset, at: int) -> tuple[Integers, Floats]:
    items = data.indptr[at] + np.flatnonzero(data.labelled[data.indptr[at] : data.indptr[at + 1]])
    return items, data.y[items]


def _fold_items(draw: Drawing, repeat: int, folds: Integers) -> list[Split]:
    """Cut the labels of each list into as many parts as it can bear, and hold out one part at a time."""
    data, rng = draw.data, draw.rng(repeat)
    n_folds = int(folds.max())
    part = np.full(data.n_items, -1)
    for at in np.flatnonzero(folds >= 2).tolist():
        items, y = _labels(data, at)
        names = rng.permutation(n_folds)[: folds[at]]
        part[items] = names[draw_folds(y, int(folds[at]), rng)]
    return [Split(repeat, fold, data.labelled & (part != fold), part == fold) for fold in range(n_folds)]


def _draw_items(draw: Drawing, repeat: int, folds: Integers) -> list[Split]:
    """Show a few labels of each list, and measure on all others of the lists that can be measured."""
    data = draw.data
    shown = draw_labels(data, data.labelled, int(draw.keep or 0), draw.rng(repeat))
    return [Split(repeat, 0, shown, data.labelled & ~shown & (folds[data.list_of_item] >= 1))]

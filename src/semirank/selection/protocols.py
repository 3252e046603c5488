"""Honest protocols for few labels: what is held out, why, and what a test may count."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from semirank.core.arrays import Integers
from semirank.dataset import RankingDataset
from semirank.metrics import parse
from semirank.metrics.metric import Metric
from semirank.metrics.ranking import Unlabelled
from semirank.results.comparison import ProtocolReason
from semirank.results.result import Unit
from semirank.selection.splits import (
    ENOUGH_LISTS,
    Drawing,
    ProtocolName,
    Split,
    TooFewLabelsError,
    hold_out_items,
    hold_out_lists,
)
from semirank.spelling import option

_MAKERS = {"lists": hold_out_lists, "items": hold_out_items}


@dataclass(frozen=True, eq=False)
class Plan:
    """All splits of a comparison, and why they are as they are.

    Attributes
    ----------
    chosen : Chosen
        Whether whole labelled lists are held out, or labelled items within their lists, and why.
    keep : int or None
        Labels of each list, or labelled lists, that are shown at most.
    n_repeats, n_folds : int
        Repetitions, and parts of each.
    lists : int array
        The lists, by number, that are measured in some split.
    splits : tuple of Split
        Repeat by repeat.
    unit : {"list", "draw", "fold"}
        What a test takes as one observation: lists where there are `ENOUGH_LISTS`; otherwise draws of
        labels (independent of each other, given the data) or folds (not independent).
    n_skipped : int
        Labelled lists that are measured in no split.
    """

    chosen: "Chosen"
    keep: int | None
    n_repeats: int
    n_folds: int
    lists: Integers
    splits: tuple[Split, ...]
    unit: Unit
    n_skipped: int = 0

    @property
    def protocol(self) -> ProtocolName:
        """What is held out: "lists" or "items"."""
        return self.chosen.name

    @property
    def test_ratio(self) -> float:
        """Number of held-out labels for each label shown, mean over splits."""
        return float(np.mean([split.measured.sum() / split.shown.sum() for split in self.splits]))


def plan_splits(
    data: RankingDataset,
    protocol: ProtocolName | Literal["auto"] = "auto",
    *,
    metric: str | Metric = "nDCG@10",
    keep: int | None = None,
    n_repeats: int | None = None,
    n_folds: int | None = None,
    unlabelled: Unlabelled = "ignore",
    random_state: int = 0,
) -> Plan:
    """Decide how rankers can be measured on partly labelled data, and draw the splits.

    Parameters
    ----------
    data : RankingDataset
        Partly labelled, as the user has it.
    protocol : {"auto", "lists", "items"}
        "lists" holds out all labels of some labelled lists: for use on new lists. "items" holds out some
        labels of each list: for use on the rest of the same lists. "auto" looks where the unlabelled items
        are (`choose_protocol`), and takes the other way where the labels do not suffice.
    metric : str or Metric
        Lists where it is undefined on the held-out labels are not measured.
    keep : int, optional
        Show so many labels of each list ("items"), or so many labelled lists ("lists"), and measure on
        others: for data that have more labels than a user will have.
    n_repeats, n_folds : int, optional
        How often, and in how many parts. By default "lists" leaves out each of up to ten lists, otherwise
        a fifth of them, three times (more than 50 lists: twice; more than 200: once); "items" cuts the
        labels of each list into up to five parts, three times. With `keep`, labels are drawn 20 times (six
        lists or more: five times).
    unlabelled : {"ignore", "irrelevant"}
        How a metric takes items without a label; "irrelevant" makes it possible to measure where only
        relevant items are labelled.
    random_state : int
        Same seed, same splits.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import RankingDataset
    >>> y = np.array([1, 1, 0, 0, 0, np.nan, np.nan, np.nan])
    >>> plan = plan_splits(RankingDataset(np.arange(8.0)[:, None], y), metric="AUC")
    >>> plan.protocol, plan.n_folds, len(plan.splits)
    ('items', 2, 6)
    >>> split = plan.splits[0]
    >>> int(split.shown.sum() + split.measured.sum()), bool((split.shown & split.measured).any())
    (5, False)
    """
    _check_counts(keep=keep, n_repeats=n_repeats, n_folds=n_folds)
    _check_labels(data, unlabelled)
    draw = Drawing(data, parse(metric), keep, n_repeats, n_folds, unlabelled, random_state)
    if protocol == "auto":
        return _plan_either(draw)
    if protocol not in _MAKERS:
        raise ValueError(f"protocol must be 'auto', 'lists' or 'items'; got {protocol!r}.")
    return _plan(draw, Chosen(protocol, "asked for"))


class Chosen(NamedTuple):
    """A protocol, why, and how many items remain to be ranked in lists with labels and in others."""

    name: ProtocolName
    reason: ProtocolReason
    inside: int = 0
    outside: int = 0
    instead_of: str | None = None


def choose_protocol(data: RankingDataset) -> Chosen:
    """Choose what to hold out by where the items are that remain to be ranked."""
    counts, sizes = data.labelled_per_list, np.diff(data.indptr)
    inside = int((sizes - counts)[counts > 0].sum())
    outside = int(sizes[counts == 0].sum())
    if (counts > 0).sum() == 1:
        return Chosen("items", "one list", inside, outside)
    if data.share_items:
        return Chosen("items", "same items", inside, outside)
    if inside == outside == 0:
        return Chosen("lists", "all labelled")
    if inside > outside:
        return Chosen("items", "inside", inside, outside)
    return Chosen("lists", "outside", inside, outside)


def usual_metric(protocol: ProtocolName) -> str:
    """Return nDCG where lists are held out, AUC where items are: few labels say most about pairs of them."""
    return "nDCG" if protocol == "lists" else "AUC"


def _plan_either(draw: Drawing) -> Plan:
    """Follow `choose_protocol`, or where the labels do not suffice for that, the other way."""
    first = choose_protocol(draw.data)
    try:
        return _plan(draw, first)
    except TooFewLabelsError as problem:
        other: ProtocolName = "items" if first.name == "lists" else "lists"
        try:
            return _plan(draw, first._replace(name=other, instead_of=str(problem)))
        except TooFewLabelsError as second:
            raise TooFewLabelsError(f"{problem} {second}") from None


def _plan(draw: Drawing, chosen: Chosen) -> Plan:
    made = _MAKERS[chosen.name](draw)
    defined = np.array([draw.defined(split) for split in made.splits])
    lists = np.flatnonzero(defined.any(axis=0))
    if len(lists) == 0:
        raise TooFewLabelsError(
            f"{draw.metric} is undefined on the held-out labels of every list: it needs a relevant item "
            "(a label above 0) and another one there. Label more items, or choose another metric."
        )
    drawn = draw.keep is not None and chosen.name == "items"
    unit: Unit = "list" if len(lists) >= ENOUGH_LISTS else "draw" if drawn else "fold"
    splits = tuple(split for split, some in zip(made.splits, defined, strict=True) if some.any())
    return Plan(chosen, draw.keep, made.n_repeats, made.n_folds, lists, splits, unit, made.n_skipped)


def _check_counts(**counts: int | None) -> None:
    for name, value in counts.items():
        least = 2 if name == "n_folds" else 1
        if value is not None and (value != int(value) or value < least):
            raise ValueError(f"{name} must be a whole number of at least {least}; got {value!r}.")


def _check_labels(data: RankingDataset, unlabelled: Unlabelled) -> None:
    y = data.y[data.labelled]
    if len(y) < 2:
        found = "No item has a label" if len(y) == 0 else "Only one item has a label"
        raise TooFewLabelsError(
            f"{found}: to learn from some and measure on others takes at least four labels."
        )
    if y.min() == y.max() and unlabelled == "ignore":
        raise TooFewLabelsError(
            f"Every label is {y[0]:g}: nothing tells better from worse. Label items of another level, or "
            f"count items without a label as irrelevant ({option('unlabelled', 'irrelevant')})."
        )

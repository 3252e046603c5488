"""How far reviewers agree on what both have read."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from sklearn.metrics import cohen_kappa_score, confusion_matrix

from semirank.core.arrays import Floats, Integers
from semirank.feedback.state import State

DRAWS = 500


@dataclass(frozen=True)
class Estimate:
    """A number and the interval that holds 95 % of its values over draws of items; NaN where undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class PairAgreement:
    """Two reviewers.

    Attributes
    ----------
    reviewers : (str, str)
        Who.
    n_items : int
        Items that both have labelled.
    percent : float
        Share of these with the same label.
    kappa : Estimate
        Cohen's kappa: 1 for the same labels, 0 for what chance would give.
    labels : tuple of float
        The labels that occur, in order: rows and columns of `table`.
    table : tuple of tuples of int
        How often the first reviewer gave the label of the row, and the second that of the column.
    """

    reviewers: tuple[str, str]
    n_items: int
    percent: float
    kappa: Estimate
    labels: tuple[float, ...]
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Agreement:
    """All reviewers.

    Attributes
    ----------
    alpha : Estimate
        Krippendorff's alpha over all reviewers, whoever read what.
    pairs : tuple of PairAgreement
        Each two reviewers who have labelled the same items.
    conflicts : array of int
        Rows on which reviewers disagree and nobody has decided.
    """

    alpha: Estimate
    pairs: tuple[PairAgreement, ...]
    conflicts: Integers


def agreement(state: State, *, ordinal: bool | None = None, seed: int = 0) -> Agreement:
    """Measure how far reviewers agree on labels; the unsure have given none.

    Parameters
    ----------
    state : State
        What has happened.
    ordinal : bool, optional
        Whether labels are grades, of which neighbours disagree less. None: where there are more than two.
    seed : int
        Of the draws of items behind the intervals.

    Notes
    -----
    Krippendorff's alpha needs the package `krippendorff`, which comes with ``semirank[web]``.
    """
    table = _table(state)
    levels = np.unique(table[~np.isnan(table)])
    ordinal = len(levels) > 2 if ordinal is None else ordinal
    reviewers = _reviewers(state)
    pairs = [
        _pair((reviewers[i], reviewers[j]), table[[i, j]], ordinal, seed)
        for i, j in combinations(range(len(reviewers)), 2)
        if (~np.isnan(table[[i, j]])).all(axis=0).any()
    ]
    conflicts = [
        row for row in range(state.n_items) if state.taught(row).source in ("majority", "any relevant")
    ]
    alpha = _with_interval(table, lambda part: _alpha(part, ordinal), seed)
    return Agreement(alpha, tuple(pairs), np.array(conflicts, dtype=np.int64))


def _reviewers(state: State) -> list[str]:
    return sorted({event.reviewer for event in state.events if event.kind == "label"})


def _table(state: State) -> Floats:
    """Return one row a reviewer, one column an item that somebody has labelled."""
    columns = [state.labels_of(reviewer) for reviewer in _reviewers(state)]
    table = np.vstack(columns) if columns else np.zeros((0, state.n_items))
    return table[:, (~np.isnan(table)).any(axis=0)]


def _pair(names: tuple[str, str], table: Floats, ordinal: bool, seed: int) -> PairAgreement:
    both = table[:, (~np.isnan(table)).all(axis=0)]
    levels = np.unique(both)
    spelled = np.searchsorted(levels, both).astype(np.float64)
    counts = confusion_matrix(spelled[0], spelled[1], labels=np.arange(len(levels)))
    return PairAgreement(
        reviewers=names,
        n_items=both.shape[1],
        percent=float((both[0] == both[1]).mean()),
        kappa=_with_interval(spelled, lambda part: _kappa(part, len(levels), ordinal), seed),
        labels=tuple(levels.tolist()),
        table=tuple(tuple(row) for row in counts.tolist()),
    )


def _kappa(spelled: Floats, n_levels: int, ordinal: bool) -> float:
    if n_levels < 2:
        return float("nan")
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = "quadratic" if ordinal else None
        return float(cohen_kappa_score(*spelled, labels=np.arange(n_levels), weights=weights))


def _alpha(table: Floats, ordinal: bool) -> float:
    try:
        from krippendorff import alpha
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "Krippendorff's alpha needs the package krippendorff: pip install 'semirank[web]'."
        ) from None
    pairable = table[:, (~np.isnan(table)).sum(axis=0) > 1]
    if pairable.shape[1] == 0 or len(np.unique(pairable[~np.isnan(pairable)])) < 2:
        return float("nan")
    return float(alpha(pairable, level_of_measurement="ordinal" if ordinal else "nominal"))


def _with_interval(table: Floats, measure: Callable[[Floats], float], seed: int) -> Estimate:
    """Measure, and again on items drawn with replacement."""
    value = measure(table)
    if np.isnan(value):
        return Estimate(value, value, value)
    rng = np.random.default_rng(seed)
    draws = [measure(table[:, rng.integers(table.shape[1], size=table.shape[1])]) for _ in range(DRAWS)]
    low, high = np.nanquantile(draws, [0.025, 0.975]) if not np.isnan(draws).all() else (np.nan, np.nan)
    return Estimate(value, float(low), float(high))

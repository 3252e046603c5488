"""Label-budget curves: how a metric grows with labels, and how many labels unlabelled data was worth."""

from dataclasses import dataclass, replace

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.metrics.ranking import Unlabelled
from semirank.results.budget import Budget, BudgetCurve, BudgetPoint, LabelWorth
from semirank.selection.candidates import Candidate
from semirank.selection.judge import Judge
from semirank.selection.protocols import Plan, plan_splits
from semirank.selection.runner import Outcome, Runner, Series
from semirank.selection.splits import ENOUGH_LISTS, Split
from semirank.selection.summary import observations, values_of

STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
MOST_SIZES = 6
MORE_LABELS = 10  # with `keep`, the curve goes up to so many times as many labels
UNITS = {"items": "labels in each list", "lists": "labelled lists"}


@dataclass(frozen=True)
class Sizes:
    """Numbers of labels, and the splits that the curve is measured on."""

    sizes: tuple[int, ...]
    plan: Plan


def plan_budget(
    data: RankingDataset, plan: Plan, *, metric: str, unlabelled: Unlabelled, random_state: int
) -> Sizes | None:
    """Choose sizes up to what the labels allow; None where there is only one.

    With `keep`, the data have more labels than were shown, so the curve goes beyond.
    """
    if plan.keep is None:
        base = replace(plan, splits=_some(plan))
        top = _shown(data, base)
    else:
        room = _shown(data, replace(plan, splits=(_all_labels(data),))) // 2
        top = min(MORE_LABELS * plan.keep, room)
        options = {"keep": top, "n_repeats": 2 if len(plan.lists) >= ENOUGH_LISTS else 10}
        base = plan_splits(
            data, plan.protocol, metric=metric, unlabelled=unlabelled, random_state=random_state, **options
        )
    base = replace(base, unit=plan.unit)
    sizes = _ladder(top, 2 if plan.protocol == "items" else 1, plan.keep)
    return Sizes(sizes, base) if len(sizes) > 1 else None


def _some(plan: Plan) -> tuple[Split, ...]:
    """Take the first repeats: every list once, or ten folds where there are few lists."""
    if plan.unit == "list":
        return tuple(split for split in plan.splits if split.repeat == 0)
    return plan.splits[:10]


def _all_labels(data: RankingDataset) -> Split:
    return Split(0, 0, data.labelled, np.zeros(data.n_items, dtype=bool))


def _shown(data: RankingDataset, plan: Plan) -> int:
    """Count what a ranker is shown: labels of a list at the median, or labelled lists."""
    counts = []
    for split in plan.splits:
        per_list = np.add.reduceat(split.shown, data.indptr[:-1], dtype=np.int64)
        counts.append((per_list > 0).sum() if plan.protocol == "lists" else np.median(per_list[per_list > 0]))
    return int(np.median(counts))


def _ladder(top: int, least: int, keep: int | None) -> tuple[int, ...]:
    """Return round numbers up to the top, the top itself and `keep`."""
    steps = {step for step in STEPS if least <= step < top} | {top} | ({keep} if keep else set())
    sizes = sorted(step for step in steps if least <= step <= top)
    while len(sizes) > MOST_SIZES:
        sizes.remove(next(size for size in sizes[1:] if size not in (keep, top)))
    return tuple(sizes)


def measure_budget(
    runner: Runner, chosen: Sizes, baseline: Candidate, ranker: Candidate, judge: Judge
) -> Budget | None:
    """Fit both rankers with every number of labels; None where that was interrupted."""
    data, plan = runner.benchmark.data, chosen.plan
    series = [
        Series(
            f"{candidate.name} @ {size}",
            candidate.ranker,
            [split.thin(data, plan.protocol, size) for split in plan.splits],
        )
        for size in chosen.sizes
        for candidate in (baseline, ranker)
    ]
    outcomes = runner.run(series)
    if runner.interrupted:
        return None
    curves = [
        BudgetCurve(
            candidate.name,
            tuple(_point(size, outcomes[f"{candidate.name} @ {size}"], plan, judge) for size in chosen.sizes),
        )
        for candidate in (baseline, ranker)
    ]
    unit = UNITS[plan.protocol]
    return Budget(unit, curves[0], curves[1], _worths(curves[0], curves[1], judge))


def _point(size: int, outcome: Outcome, plan: Plan, judge: Judge) -> BudgetPoint:
    if outcome.status != "finished":
        return BudgetPoint(size, None, None, outcome.reason)
    units = observations(values_of(outcome.fits), plan)
    units = units[~np.isnan(units)]
    return BudgetPoint(size, float(units.mean()), judge.mean_interval(units))


def _worths(baseline: BudgetCurve, ranker: BudgetCurve, judge: Judge) -> tuple[LabelWorth, ...]:
    known = [point for point in baseline.points if point.mean is not None]
    if not known:
        return ()
    sizes = np.array([point.size for point in known], dtype=np.float64)
    means = judge.sign * np.array([point.mean for point in known], dtype=np.float64)
    return tuple(
        _worth(point.size, judge.sign * point.mean, sizes, means)
        for point in ranker.points
        if point.mean is not None
    )


def _worth(size: int, value: float, sizes: Floats, means: Floats) -> LabelWorth:
    """Find where the baseline's curve first reaches a value."""
    reached = np.flatnonzero(means >= value)
    if len(reached) == 0:
        return LabelWorth(size, float(sizes[-1]), "at least")
    at = int(reached[0])
    if at == 0:
        return LabelWorth(size, float(sizes[0]), "at most")
    share = (value - means[at - 1]) / (means[at] - means[at - 1])
    return LabelWorth(size, float(sizes[at - 1] + share * (sizes[at] - sizes[at - 1])), "about")

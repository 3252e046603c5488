"""From fits to results: means, intervals, contrasts, places, and the lists that changed most."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.rankers._base import Ranker
from semirank.results.comparison import ListChange, ShownItem
from semirank.results.records import plain
from semirank.results.result import Contrast, Result
from semirank.selection.benchmark import Fit
from semirank.selection.candidates import Candidate
from semirank.selection.judge import Judge, best_of
from semirank.selection.protocols import Plan
from semirank.selection.runner import Outcome
from semirank.selection.splits import Split

MOST_CHANGES = 5
TEXT_LENGTH = 160


def values_of(fits: Sequence[Fit]) -> Floats:
    """Return the metric, one row for each list and one column for each split, NaN where undefined."""
    return np.array([fit.values for fit in fits], dtype=np.float64).T


def observations(values: Floats, plan: Plan) -> Floats:
    """Return one number for each unit of the plan: lists, or draws or folds.

    Repetitions on the same list are averaged first, so that a list counts once however often it was
    measured.
    """
    if plan.unit == "list":
        return mean_of_known(per_repeat(values, plan), axis=1)
    return mean_of_known(values, axis=0)


def per_repeat(values: Floats, plan: Plan) -> Floats:
    """Return the mean over the folds of each repeat: one row for each list, one column for each repeat."""
    repeat = np.array([split.repeat for split in plan.splits])
    return np.column_stack([mean_of_known(values[:, repeat == at], axis=1) for at in range(plan.n_repeats)])


def summarise(
    candidates: Sequence[Candidate], outcomes: Mapping[str, Outcome], plan: Plan, judge: Judge
) -> tuple[Result, ...]:
    """Give every candidate its result: finished ones first, the best at the top."""
    values = {name: values_of(each.fits) for name, each in outcomes.items() if each.status == "finished"}
    results = [_result(each, outcomes[each.name], plan, judge) for each in candidates]
    best = best_of([each for each in results if each.supervised], judge.sign)
    own = {each.name: each.baseline for each in candidates if each.baseline}
    overall = {each.name: best.name for each in candidates if each.assumption and best}
    contrasts = _contrasts(own, values, plan, judge)
    against_best = _contrasts(overall, values, plan, judge)
    results = [
        replace(each, contrast=contrasts.get(each.name), contrast_best=against_best.get(each.name))
        for each in results
    ]
    return _in_order(results, judge.sign)


def _result(candidate: Candidate, outcome: Outcome, plan: Plan, judge: Judge) -> Result:
    result = Result(
        name=candidate.name,
        ranker=spell(candidate.ranker),
        words=candidate.ranker.in_words(),
        settings=_settings(candidate.ranker),
        assumption=candidate.assumption,
        baseline=candidate.baseline,
        status=outcome.status,
        reason=outcome.reason,
    )
    if outcome.status != "finished":
        return result
    fits, values = outcome.fits, values_of(outcome.fits)
    units = observations(values, plan)
    precision = np.array([fit.precision for fit in fits], dtype=np.float64)
    return replace(
        result,
        values=tuple(map(plain, per_repeat(values, plan))),
        mean=float(units.mean()),
        interval=judge.mean_interval(units),
        judged=_mean([value for fit in fits for value in fit.judged]),
        stability=_stability(fits, plan),
        precision=plain(mean_of_known(precision, axis=0)),
        fit_seconds=fits[0].fit_seconds,
        rank_seconds=next((fit.rank_seconds for fit in fits if fit.rank_seconds is not None), None),
        peak_memory=max((fit.peak_memory for fit in fits if fit.peak_memory), default=None),
        notes=distinct(note for fit in fits for note in fit.notes)[:3],
    )


def _contrasts(
    baselines: Mapping[str, str], values: Mapping[str, Floats], plan: Plan, judge: Judge
) -> dict[str, Contrast]:
    """Compare rankers with their baselines where both are finished, as one family."""
    names = [name for name, baseline in baselines.items() if name in values and baseline in values]
    pairs = []
    for name in names:
        difference = values[name] - values[baselines[name]]
        deltas = plain(judge.sign * mean_of_known(per_repeat(difference, plan), axis=1))
        pairs.append(judge.contrast(baselines[name], observations(difference, plan), deltas))
    return dict(zip(names, judge.judge_all(pairs), strict=True))


def distinct(notes: Iterable[str]) -> tuple[str, ...]:
    """Return one of the notes that differ only in their numbers."""
    first: dict[str, str] = {}
    for note in notes:
        first.setdefault(re.sub(r"\d+", "", note), note)
    return tuple(first.values())


def _stability(fits: Sequence[Fit], plan: Plan) -> float | None:
    if not any(fit.tops for fit in fits):
        return None
    return _mean([top_overlap([fit.tops[at] for fit in fits]) for at in range(len(plan.lists))])


def top_overlap(tops: Sequence[Sequence[int]]) -> float | None:
    """Return the share of first items that two rankings of a list have in common, mean over all pairs.

    `tops` are the first k items as ranked after different draws of labels; empty ones are left out. None
    where there are fewer than two.

    Examples
    --------
    >>> top_overlap([[1, 2, 3, 4], [2, 1, 5, 6]])
    0.5
    """
    given = [set(top) for top in tops if len(top)]
    return _mean([len(a & b) / max(len(a), len(b)) for a, b in combinations(given, 2)])


def _in_order(results: Sequence[Result], sign: int) -> tuple[Result, ...]:
    finished = [each for each in results if each.mean is not None]
    finished.sort(key=lambda each: -sign * (each.mean or 0.0))
    placed = [replace(each, place=place) for place, each in enumerate(finished, start=1)]
    return (*placed, *(each for each in results if each.mean is None))


def spell(ranker: Ranker) -> str:
    """Write a ranker as Python does, on one line."""
    return " ".join(repr(ranker).split())


def _settings(ranker: Ranker) -> dict[str, Any]:
    return {name: _json(value) for name, value in ranker.get_params(deep=False).items()}


def _json(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_json(entry) for entry in value]
    return " ".join(repr(value).split())[:500]


def mean_of_known(values: Floats, axis: int) -> Floats:
    """Return the mean of what is defined, NaN where nothing is."""
    known = ~np.isnan(values)
    count = known.sum(axis=axis)
    total = np.where(known, values, 0.0).sum(axis=axis)
    return np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def list_changes(
    data: RankingDataset,
    plan: Plan,
    before: tuple[Result, Sequence[Fit]],
    after: tuple[Result, Sequence[Fit]],
) -> tuple[ListChange, ...]:
    """Return up to five lists that improved most and five that degraded most, by falling improvement."""
    contrast = after[0].contrast
    if contrast is None or not any(fit.tops for fit in after[1]):
        return ()
    known = [(delta, at) for at, delta in enumerate(contrast.deltas) if delta is not None]
    known.sort(key=lambda pair: -pair[0])
    chosen = [(delta, at) for delta, at in known[:MOST_CHANGES] if delta > 0]
    chosen += [(delta, at) for delta, at in known[-MOST_CHANGES:] if delta < 0]
    return tuple(_change(data, plan, before, after, *each) for each in chosen)


def _change(
    data: RankingDataset,
    plan: Plan,
    before: tuple[Result, Sequence[Fit]],
    after: tuple[Result, Sequence[Fit]],
    delta: float,
    at: int,
) -> ListChange:
    split = next(i for i, fit in enumerate(after[1]) if fit.tops[at])
    old, new = (_mean(result.values[at]) or 0.0 for result, _ in (before, after))
    tops = [_shown(data, plan.splits[split], fits[split].tops[at]) for _, fits in (before, after)]
    return ListChange(str(data.list_ids[plan.lists[at]]), old, new, delta, tops[0], tops[1])


def _shown(data: RankingDataset, split: Split, items: Sequence[int]) -> tuple[ShownItem, ...]:
    held = split.held_out(data)
    return tuple(
        ShownItem(
            item=str(data.order[item] if data.item_ids is None else data.item_ids[item]),
            label=None if np.isnan(held[item]) else float(held[item]),
            text=None if data.texts is None else " ".join(str(data.texts[item]).split())[:TEXT_LENGTH],
        )
        for item in items
    )

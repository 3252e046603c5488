"""From cells to standings: means, intervals, contrasts and places."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.dataset import RankingDataset
from semirank.rankers import Ranker
from semirank.selection.candidates import Candidate
from semirank.selection.comparing.cells import Cell
from semirank.selection.comparing.running import Outcome
from semirank.selection.comparing.stability import top_overlap
from semirank.selection.findings.comparison import Contrast, Standing
from semirank.selection.findings.records import plain
from semirank.selection.protocols import Plan
from semirank.selection.verdicts import Judge, best_of


def values_of(cells: Sequence[Cell]) -> Floats:
    """Return the metric, one row for each list and one column for each split, NaN where undefined."""
    return np.array([cell.values for cell in cells], dtype=np.float64).T


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


def stand(
    data: RankingDataset,
    candidates: Sequence[Candidate],
    outcomes: Mapping[str, Outcome],
    plan: Plan,
    judge: Judge,
) -> tuple[Standing, ...]:
    """Give every candidate its standing: finished ones first, the best at the top."""
    values = {name: values_of(each.cells) for name, each in outcomes.items() if each.status == "finished"}
    standings = [_standing(each, spell(each, data), outcomes[each.name], plan, judge) for each in candidates]
    best = best_of([each for each in standings if each.supervised], judge.sign)
    own = {each.name: each.baseline for each in candidates if each.baseline}
    overall = {each.name: best.name for each in candidates if each.assumption and best}
    contrasts = _contrasts(own, values, plan, judge)
    against_best = _contrasts(overall, values, plan, judge)
    standings = [
        replace(each, contrast=contrasts.get(each.name), contrast_best=against_best.get(each.name))
        for each in standings
    ]
    return _in_order(standings, judge.sign)


def _standing(candidate: Candidate, spelt: str, outcome: Outcome, plan: Plan, judge: Judge) -> Standing:
    standing = Standing(
        name=candidate.name,
        ranker=spelt,
        settings=_settings(candidate.ranker),
        assumption=candidate.assumption,
        baseline=candidate.baseline,
        status=outcome.status,
        reason=outcome.reason,
    )
    if outcome.status != "finished":
        return standing
    cells, values = outcome.cells, values_of(outcome.cells)
    units = observations(values, plan)
    return replace(
        standing,
        values=tuple(map(plain, per_repeat(values, plan))),
        mean=float(units.mean()),
        interval=judge.mean_interval(units),
        judged=_mean_of([cell.judged for cell in cells]),
        stability=_stability(cells, plan),
        precision=plain(
            mean_of_known(np.array([cell.precision for cell in cells], dtype=np.float64), axis=0)
        ),
        fit_seconds=float(np.median([cell.fit_seconds for cell in cells])),
        rank_seconds=next((cell.rank_seconds for cell in cells if cell.rank_seconds is not None), None),
        peak_memory=max((cell.peak_memory for cell in cells if cell.peak_memory), default=None),
        notes=_distinct(note for cell in cells for note in cell.notes)[:3],
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


def _distinct(notes: Iterable[str]) -> tuple[str, ...]:
    """Return one of the notes that differ only in their numbers."""
    first: dict[str, str] = {}
    for note in notes:
        first.setdefault(re.sub(r"\d+", "", note), note)
    return tuple(first.values())


def _stability(cells: Sequence[Cell], plan: Plan) -> float | None:
    lists = [top_overlap([cell.tops[at] for cell in cells]) for at in range(len(plan.lists))]
    known = [share for share in lists if share is not None]
    return float(np.mean(known)) if known else None


def _in_order(standings: Sequence[Standing], sign: int) -> tuple[Standing, ...]:
    finished = [each for each in standings if each.mean is not None]
    finished.sort(key=lambda each: -sign * (each.mean or 0.0))
    placed = [replace(each, place=place) for place, each in enumerate(finished, start=1)]
    return (*placed, *(each for each in standings if each.mean is None))


def spell(candidate: Candidate, data: RankingDataset) -> str:
    """Write a candidate as Python does, as a user would fit it on these data."""
    text = " ".join(repr(candidate.model(data)).split())
    return f"{text}, fitted on each list by itself" if candidate.each_list else text


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


def _mean_of(rows: Sequence[Sequence[float | None]]) -> float | None:
    mean = float(mean_of_known(np.array(rows, dtype=np.float64).ravel(), axis=0))
    return None if np.isnan(mean) else mean

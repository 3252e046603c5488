"""Compare rankers on partly labelled data: which assumption about unlabelled items helps, which harms."""

import os
import platform
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse

from semirank.dataset import RankingDataset, describe
from semirank.metrics import parse
from semirank.metrics.metric import Metric
from semirank.metrics.ranking import Unlabelled
from semirank.selection.candidates import Candidate, Given, as_candidates, features_for
from semirank.selection.comparing.budget import measure_budget, plan_budget
from semirank.selection.comparing.cells import Bench
from semirank.selection.comparing.changes import list_changes
from semirank.selection.comparing.running import Outcome, Progress, Runner, Series
from semirank.selection.comparing.standings import stand
from semirank.selection.comparing.store import CellStore
from semirank.selection.comparing.summary import summarise, summarise_protocol, warnings_of
from semirank.selection.defaults import default_candidates
from semirank.selection.findings.comparison import Budget, Comparison
from semirank.selection.protocols import Plan, plan_splits
from semirank.selection.splits import ProtocolName, TooFewLabelsError
from semirank.selection.verdicts import Judge

PACKAGES = ("semirank", "numpy", "scipy", "scikit-learn", "numba")
USUAL_DEPTH = 10


class CannotCompareError(ValueError):
    """Nothing could be compared; `comparison` holds what is known all the same, for a partial report."""

    def __init__(self, message: str, comparison: Comparison) -> None:
        super().__init__(message)
        self.comparison = comparison


def compare(
    data: RankingDataset,
    rankers: Iterable[Given] | None = None,
    metric: str | Metric = "nDCG@10",
    *,
    protocol: ProtocolName | Literal["auto"] = "auto",
    keep: int | None = None,
    n_repeats: int | None = None,
    n_folds: int | None = None,
    unlabelled: Unlabelled = "ignore",
    confidence: float = 0.95,
    budget: bool = True,
    thorough: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    timeout: float | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    name: str = "data",
) -> Comparison:
    """Find the best ranker for partly labelled data, and whether unlabelled items helped or harmed.

    Every ranker is fitted on the same labels, with all items there to learn from, and measured on labels that
    were held out. Each one that uses unlabelled data is tested against itself without them, and against the
    best ranker that learns from labels alone.

    Parameters
    ----------
    data : RankingDataset
        Partly labelled, as it is.
    rankers : iterable of str, Ranker, (str, Ranker) or Candidate, optional
        What to compare; supervised baselines are added. None: a choice that fits the data.
    metric : str or Metric
        What to measure, in the notation of `semirank.metrics`.
    protocol : {"auto", "lists", "items"}
        Hold out whole lists, or items within lists; see `plan_splits`.
    keep : int, optional
        Show only so many labels of each list ("items"), or labelled lists ("lists"): for data with more
        labels than there will be in use.
    n_repeats, n_folds : int, optional
        How often labels are held out, and in how many parts; see `plan_splits`.
    unlabelled : {"ignore", "irrelevant"}
        How the metric takes items that have no label at all.
    confidence : float
        Of intervals; a verdict needs an adjusted p-value below 1 - confidence.
    budget : bool
        Also measure how the metric grows with the number of labels.
    thorough : bool
        Without `rankers`: also try those that take long.
    random_state : int
        Same seed, same result.
    n_jobs : int, optional
        Number of processes, each in one thread; -1: one for each core. None: all in this process.
    timeout : float, optional
        Seconds for all fits of one ranker together. One that takes longer is stopped, and never ranked.
    progress : callable, optional
        Called with (done, total).
    checkpoint : path, optional
        A file that keeps every finished fit.
    resume : bool
        Take fits from the checkpoint where data, ranker and labels are the same.
    name : str
        What the data are called in reports.

    Returns
    -------
    comparison : Comparison
        Leaderboard, tests, verdicts, curves. After Ctrl-C, what was finished (`complete` is False).

    Raises
    ------
    CannotCompareError
        When labels are too few to hold any out, or every ranker fails. Its `comparison` is a partial one.

    Notes
    -----
    The cost is that of ``n_repeats * n_folds`` fits of each ranker. Memory is that of one fit, and of a copy
    of the data, in each process.

    Examples
    --------
    >>> from semirank import compare, load
    >>> found = compare(load("moons"), ["manifold-ranking"], metric="AUC", keep=4, budget=False)
    >>> [standing.name for standing in found.standings]
    ['manifold-ranking', 'distance-ranking']
    >>> found.verdict, found.recommended
    ('helps', 'manifold-ranking')
    """
    started = time.perf_counter()
    metric = parse(metric)
    _check(data, confidence)
    options: dict[str, Any] = {
        "protocol": protocol,
        "keep": keep,
        "n_repeats": n_repeats,
        "n_folds": n_folds,
        "unlabelled": unlabelled,
    }
    blank = _blank(data, metric, name, confidence, random_state, n_jobs, options | {"timeout": timeout})
    try:
        plan = plan_splits(data, metric=metric, random_state=random_state, **options)
        candidates = _choose(data, rankers, plan, thorough, random_state)
    except TooFewLabelsError as problem:
        raise CannotCompareError(str(problem), replace(blank, warnings=(str(problem),))) from None
    ratio, sign = plan.test_ratio, 1 if metric.greater_is_better else -1
    judge = Judge(plan.unit, ratio, confidence, metric.name, sign, random_state, int(data.labelled.sum()))
    bench = Bench(data, features_for(data, candidates), plan.lists, metric.name, unlabelled, blank.judged_at)
    with (
        CellStore(bench, checkpoint, resume) as store,
        Runner(bench, store, n_jobs, timeout, progress) as runner,
    ):
        outcomes = runner.run([Series(each.name, each, plan.splits) for each in candidates])
        found = _put_together(blank, data, plan, judge, candidates, outcomes)
        curves = _budget(runner, plan, judge, candidates, found) if budget else None
    found = replace(
        found, budget=curves, complete=not runner.interrupted, seconds=time.perf_counter() - started
    )
    if not found.finished and found.complete:
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in found.standings)
        raise CannotCompareError(f"No ranker could be fitted and measured. {reasons}", found)
    return found


def _choose(
    data: RankingDataset, rankers: Iterable[Given] | None, plan: Plan, thorough: bool, random_state: int
) -> list[Candidate]:
    if rankers is None:
        return default_candidates(
            data, plan.protocol, keep=plan.keep, thorough=thorough, random_state=random_state
        )
    candidates = as_candidates(rankers, random_state)
    if not candidates:
        raise ValueError("There is no ranker to compare: give at least one.")
    return candidates


def _put_together(
    blank: Comparison,
    data: RankingDataset,
    plan: Plan,
    judge: Judge,
    candidates: Sequence[Candidate],
    outcomes: Mapping[str, Outcome],
) -> Comparison:
    standings = stand(data, candidates, outcomes, plan, judge)
    summary = summarise(standings, judge)
    by_name = {each.name: (each, outcomes[each.name].cells) for each in standings}
    semi = by_name.get(summary.best_semi_supervised or "")
    before = by_name.get(semi[0].baseline or "") if semi else None
    n_units = len(plan.lists) if plan.unit == "list" else len(plan.splits)
    return replace(
        blank,
        protocol=summarise_protocol(plan, n_units),
        lists=tuple(str(data.list_ids[at]) for at in plan.lists),
        standings=standings,
        changes=list_changes(data, plan, before, semi) if semi and before and before[1] else (),
        warnings=(*blank.warnings, *plan.notes, *warnings_of(data, standings, blank.judged_at)),
        **summary._asdict(),
    )


def _budget(
    runner: Runner, plan: Plan, judge: Judge, candidates: Sequence[Candidate], found: Comparison
) -> Budget | None:
    by_name = {each.name: each for each in candidates}
    if runner.interrupted or not found.best_supervised or not found.best_semi_supervised:
        return None
    bench = runner.bench
    sizes = plan_budget(
        bench.data, plan, metric=bench.metric, unlabelled=bench.unlabelled, random_state=judge.seed
    )
    if sizes is None:
        return None
    return measure_budget(
        runner, sizes, by_name[found.best_supervised], by_name[found.best_semi_supervised], judge
    )


def _blank(
    data: RankingDataset,
    metric: Metric,
    name: str,
    confidence: float,
    seed: int,
    n_jobs: int | None,
    options: dict[str, Any],
) -> Comparison:
    """Return a comparison that has found nothing yet."""
    summary = describe(data)
    return Comparison(
        name=name,
        data=summary,
        metric=metric.name,
        greater_is_better=metric.greater_is_better,
        protocol=None,
        lists=(),
        standings=(),
        best=None,
        best_supervised=None,
        best_semi_supervised=None,
        recommended=None,
        verdict=None,
        words=(),
        changes=(),
        budget=None,
        judged_at=int(metric.options.get("cutoff") or USUAL_DEPTH),
        confidence=confidence,
        complete=False,
        warnings=summary.warnings,
        seed=seed,
        n_jobs=n_jobs,
        options=options,
        versions={"python": platform.python_version()} | {each: version(each) for each in PACKAGES},
        date=date.today().isoformat(),
    )


def _check(data: RankingDataset, confidence: float) -> None:
    if not isinstance(data, RankingDataset):
        raise ValueError(f"compare takes a RankingDataset(X, y, qid); got {type(data).__name__}.")
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be a number in (0, 1); got {confidence!r}.")
    values = data.X.data if issparse(data.X) else data.X
    if data.texts is None and data.n_features == 0:
        raise ValueError("The data have neither features nor texts to rank by.")
    if data.texts is None and np.isnan(values).any():
        raise ValueError("Some features are missing (NaN). Fill them first: data.fill_missing(0), say.")

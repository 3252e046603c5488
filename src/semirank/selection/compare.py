"""Compare rankers on partly labelled data: which assumption about unlabelled items helps, which harms."""

import os
import platform
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from importlib.metadata import version
from typing import Any, Literal

import numpy as np
from scipy.sparse import issparse

from semirank.checkpoints import Checkpoint
from semirank.dataset import RankingDataset, describe
from semirank.features.scaling import Scaling
from semirank.features.table import encode
from semirank.features.text_features import TextFeatures
from semirank.features.tfidf import TfIdf
from semirank.metrics import parse
from semirank.metrics.metric import Metric
from semirank.metrics.ranking import Unlabelled
from semirank.results.budget import Budget
from semirank.results.comparison import Comparison, ListChange, Protocol
from semirank.selection.benchmark import Benchmark
from semirank.selection.budget import measure_budget, plan_budget
from semirank.selection.candidates import Given
from semirank.selection.catalogue import Catalogue, catalogue
from semirank.selection.gate import Gate, by_experience
from semirank.selection.judge import Judge, best_of
from semirank.selection.label_source import too_few, unlabelled_as
from semirank.selection.mixture import with_mixtures
from semirank.selection.protocols import Plan, choose_protocol, plan_splits, usual_metric
from semirank.selection.runner import Outcome, Progress, Runner, Series
from semirank.selection.splits import ProtocolName, TooFewLabelsError
from semirank.selection.summary import list_changes, observations, summarise, values_of
from semirank.spelling import option

PACKAGES = ("semirank", "numpy", "scipy", "scikit-learn", "numba")
USUAL_DEPTH = 10
USUAL_KEEP = 10  # labels of each list that are shown where every item has one
REPEATS_TO_WEIGH = 2  # of labels that are too few to choose by: they only move the weights of a mixture
AUTO: Literal["auto"] = "auto"


class CannotCompareError(ValueError):
    """Nothing could be compared; `comparison` holds what is known all the same, for a partial report.

    See Also
    --------
    compare : raises it.
    """

    def __init__(self, message: str, comparison: Comparison) -> None:
        super().__init__(message)
        self.comparison = comparison


def compare(
    data: RankingDataset,
    rankers: Iterable[Given] | None = None,
    metric: str | Metric = AUTO,
    *,
    protocol: ProtocolName | Literal["auto"] = AUTO,
    keep: int | Literal["auto"] | None = AUTO,
    n_repeats: int | None = None,
    n_folds: int | None = None,
    unlabelled: Unlabelled | Literal["auto"] = "auto",
    confidence: float = 0.95,
    budget: bool = True,
    detailed: bool = True,
    thorough: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    on: Any = None,
    timeout: float | None = None,
    time_budget: float | None = None,
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
        What to measure, in the notation of `semirank.metrics`. "auto": nDCG where whole lists are held out,
        AUC where items are.
    protocol : {"auto", "lists", "items"}
        Hold out whole lists, or items within lists; see `plan_splits`.
    keep : int, "auto" or None
        Show only so many labels of each list ("items"), or labelled lists ("lists"): for data with more
        labels than there will be in use. None: all that are not held out. "auto": 10 labels of each list
        where every item has one and items are held out, otherwise None.
    n_repeats, n_folds : int, optional
        How often labels are held out, and in how many parts; see `plan_splits`. Without `rankers`, labels
        that are too few to choose by are held out twice, not three times.
    unlabelled : {"auto", "ignore", "irrelevant"}
        How the metric takes items that have no label at all. "auto": they are left out, unless no two labels
        say what is irrelevant.
    confidence : float
        Of intervals; a verdict needs an adjusted p-value below 1 - confidence.
    budget : bool
        Also measure how the metric grows with the number of labels.
    detailed : bool
        Also measure what only a report shows: first items, precision by recall, memory, warnings.
    thorough : bool
        Without `rankers`: also try those that take long.
    random_state : int
        Same seed, same result.
    n_jobs : int, optional
        Number of processes, each in one thread; -1: one for each core that this process may use. None: all in
        this process.
    on : distributed.Client or str, optional
        A Dask cluster, or its address, on which all fits run instead, with the same result. There, a fit that
        has begun is not stopped.
    timeout : float, optional
        Seconds for all fits of one ranker together. One that takes longer is stopped, and never ranked.
    time_budget : float, optional
        Seconds for all rankers together. The usual ones are tried in any case, others while there is time.
    progress : callable, optional
        Called with (done, total).
    checkpoint : path, optional
        A file that keeps every finished fit until the comparison is complete, and is then removed.
    resume : bool
        Take fits from the checkpoint where data, ranker and labels are the same. Otherwise a checkpoint that
        is there already is an error: it belongs to a comparison that was stopped.
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

    See Also
    --------
    AutoRanker : the same experiment, and then a fitted ranker.
    semirank.report.write_report : the comparison as a page.
    evaluate : metrics of scores that are there already.

    Notes
    -----
    The cost is that of ``n_repeats * n_folds`` fits of each ranker. Memory is that of one fit, and of a copy
    of the data, in each process.

    Examples
    --------
    >>> from semirank import compare, load
    >>> found = compare(load("moons"), ["manifold-ranking"], keep=4, budget=False)
    >>> [result.name for result in found.results]
    ['manifold-ranking', 'manifold-ranking, labels alone']
    >>> found.verdict, found.recommended
    ('helps', 'manifold-ranking')
    """
    _check(data, confidence)
    data = encode(data)[0]
    _check_features(data)
    data, features = prepare(data, rankers)
    choices = catalogue(
        data, rankers, alike=are_alike(features), thorough=thorough, random_state=random_state
    )
    found, _ = experiment(
        data,
        choices,
        metric,
        protocol=protocol,
        keep=keep,
        n_repeats=n_repeats,
        n_folds=n_folds,
        unlabelled=unlabelled,
        confidence=confidence,
        budget=budget,
        detailed=detailed,
        random_state=random_state,
        n_jobs=n_jobs,
        on=on,
        timeout=timeout,
        time_budget=time_budget,
        progress=progress,
        checkpoint=checkpoint,
        resume=resume,
        name=name,
    )
    if found.problem is not None:
        raise CannotCompareError(found.problem, found)
    return found


def prepare(
    data: RankingDataset, rankers: Any = None
) -> tuple[RankingDataset, TextFeatures | TfIdf | Scaling | None]:
    """Return data whose features rankers can use, and what made them; labels have no part in that.

    Texts become words in several views, and features are brought to a common scale, unless the user said
    which rankers are to see them: these see texts as `TextRanker` shows them, and features as they are.
    """
    if data.texts is not None:
        words = TextFeatures() if rankers is None else TfIdf()
        return data.replace(X=words.fit_transform(data.texts)), words
    if rankers is not None:
        return data, None
    scaling = Scaling().fit(data.X)
    return data.replace(X=scaling.transform(data.X)), scaling


def are_alike(features: TextFeatures | TfIdf | Scaling | None) -> bool:
    """Tell whether features turned out to be of one kind, such as pixels or embeddings."""
    return isinstance(features, Scaling) and features.kind_ != "columns"


def experiment(
    data: RankingDataset,
    choices: Catalogue,
    metric: str | Metric = AUTO,
    *,
    protocol: ProtocolName | Literal["auto"] = AUTO,
    keep: int | Literal["auto"] | None = AUTO,
    unlabelled: Unlabelled | Literal["auto"] = AUTO,
    confidence: float = 0.95,
    budget: bool = False,
    detailed: bool = False,
    random_state: int = 0,
    n_jobs: int | None = None,
    on: Any = None,
    timeout: float | None = None,
    time_budget: float | None = None,
    progress: Progress | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    name: str = "data",
    **splitting: int | None,
) -> tuple[Comparison, Catalogue]:
    """Compare the candidates of a catalogue; return what was found, and the catalogue with mixtures of them.

    The arguments are those of `compare`. Where nothing can be compared, `problem` of the comparison says why.
    """
    started = time.perf_counter()
    way = choose_protocol(data).name if protocol == AUTO else protocol
    metric = parse(usual_metric(way) if metric == AUTO else metric)
    keep = (USUAL_KEEP if way == "items" and data.labelled.all() else None) if keep == AUTO else keep
    reading = unlabelled_as(data, way) if unlabelled == AUTO else unlabelled
    if choices.mix and way == "items" and keep is None and too_few(data, way, reading):
        splitting["n_repeats"] = splitting.get("n_repeats") or REPEATS_TO_WEIGH
    options: dict[str, Any] = {"protocol": protocol, "keep": keep, "unlabelled": reading, **splitting}
    blank = _blank(data, metric, name, confidence, random_state, n_jobs, options | {"timeout": timeout})
    try:
        plan = plan_splits(data, metric=metric, random_state=random_state, **options)
    except TooFewLabelsError as problem:
        choices, _ = with_mixtures(choices, {}, None, None, data)
        choice = by_experience(choices, str(problem))
        return replace(blank, choice=choice, problem=str(problem)), choices
    sign = 1 if metric.greater_is_better else -1
    judge = Judge(plan.unit, plan.test_ratio, confidence, metric.name, sign, random_state)
    benchmark = Benchmark(
        data, plan.lists, metric.name, reading, blank.judged_at, detailed, keeps_scores=bool(choices.mix)
    )
    limits: dict[str, Any] = {"timeout": timeout, "time_budget": time_budget, "progress": progress}
    with (
        _open(checkpoint, resume) as finished,
        Runner(benchmark, n_jobs, checkpoint=finished, on=on, **limits) as runner,
    ):
        series = [
            Series(each.name, each.ranker, plan.splits, each.name not in choices.first)
            for each in choices.candidates
        ]
        choices, outcomes = with_mixtures(choices, runner.run(series), plan, benchmark, data)
        found = _put_together(blank, benchmark, plan, judge, choices, outcomes)
        curves = _budget(runner, plan, judge, choices, found) if budget else None
    found = replace(
        found, budget=curves, complete=not runner.interrupted, seconds=time.perf_counter() - started
    )
    if found.complete:
        finished.discard()
    if not found.finished and found.complete:
        reasons = "; ".join(f"{each.name}: {each.reason}" for each in found.results)
        found = replace(found, problem=f"No ranker could be fitted and measured. {reasons}")
    return found, choices


def _open(path: str | os.PathLike[str] | None, resume: bool) -> Checkpoint:
    if path is not None and not resume and os.path.exists(path) and os.path.getsize(path):
        raise ValueError(
            f"{path}: holds the fits of a comparison that was stopped. Go on with it "
            f"({option('resume', True)}), or remove the file."
        )
    return Checkpoint(path)


def _put_together(
    blank: Comparison,
    benchmark: Benchmark,
    plan: Plan,
    judge: Judge,
    choices: Catalogue,
    outcomes: Mapping[str, Outcome],
) -> Comparison:
    data = benchmark.data
    measured = [each for each in choices.candidates if each.name in outcomes]
    results = summarise(measured, outcomes, plan, judge)
    by_name = {each.name: each for each in results}
    best = best_of(results, judge.sign)
    plain = best_of([each for each in results if each.supervised], judge.sign)
    semi = best_of([each for each in results if not each.supervised], judge.sign)
    contrasts = {each.name: each.contrast_best for each in results if each.contrast_best is not None}
    units = {
        name: observations(values_of(each.fits), plan)
        for name, each in outcomes.items()
        if each.status == "finished"
    }
    few = None if plan.keep else too_few(data, plan.protocol, benchmark.unlabelled)
    choice = by_experience(choices, few) if few else Gate(choices, judge, units, contrasts).choose()
    changes: tuple[ListChange, ...] = ()
    if semi is not None and semi.baseline in units:
        before, after = by_name[semi.baseline or ""], semi
        changes = list_changes(
            data, plan, (before, outcomes[before.name].fits), (after, outcomes[after.name].fits)
        )
    return replace(
        blank,
        protocol=_protocol(plan, benchmark),
        lists=tuple(str(data.list_ids[at]) for at in plan.lists),
        results=results,
        best=best.name if best else None,
        best_supervised=plain.name if plain else None,
        best_semi_supervised=semi.name if semi else None,
        verdict=semi.contrast_best.verdict if semi and semi.contrast_best else None,
        choice=choice,
        changes=changes,
    )


def _protocol(plan: Plan, benchmark: Benchmark) -> Protocol:
    return Protocol(
        *plan.chosen,
        unit=plan.unit,
        n_units=len(plan.lists) if plan.unit == "list" else len(plan.splits),
        n_repeats=plan.n_repeats,
        n_folds=plan.n_folds,
        n_splits=len(plan.splits),
        keep=plan.keep,
        n_measured=len(plan.lists),
        n_skipped=plan.n_skipped,
        unlabelled=benchmark.unlabelled,
        n_labels=int(benchmark.data.labelled.sum()),
    )


def _budget(runner: Runner, plan: Plan, judge: Judge, choices: Catalogue, found: Comparison) -> Budget | None:
    if runner.interrupted or not found.best_supervised or not found.best_semi_supervised:
        return None
    benchmark = runner.benchmark
    sizes = plan_budget(
        benchmark.data,
        plan,
        metric=benchmark.metric,
        unlabelled=benchmark.unlabelled,
        random_state=judge.seed,
    )
    if sizes is None:
        return None
    pair = (choices.named(found.best_supervised), choices.named(found.best_semi_supervised))
    return measure_budget(runner, sizes, *pair, judge)


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
        results=(),
        best=None,
        best_supervised=None,
        best_semi_supervised=None,
        choice=None,
        verdict=None,
        changes=(),
        budget=None,
        judged_at=int(metric.options.get("cutoff") or USUAL_DEPTH),
        confidence=confidence,
        complete=False,
        problem=None,
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


def _check_features(data: RankingDataset) -> None:
    values = data.X.data if issparse(data.X) else data.X
    if data.texts is None and data.n_features == 0:
        raise ValueError("The data have neither features nor texts to rank by.")
    if data.texts is None and np.isnan(values).any():
        said = option("fill", "mean", python="data.fill_missing('mean')")
        raise ValueError(f"Some features are missing (NaN). Fill them first: {said}, for example.")

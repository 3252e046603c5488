"""AutoRanker on every dataset, beside single supervised rankers, LightGBM and logistic regression."""

import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.experiments.auto_tasks import TASKS, AutoTask, Problem
from semirank.experiments.cells import Progress, checkpoint_of, measure_cells, name_of
from semirank.experiments.result import ExperimentPage, Rows
from semirank.rankers._base import Ranker
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.estimator import EstimatorRanker
from semirank.rankers.linear_svm import LinearSVMRanker
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.rankboost import RankBoost
from semirank.rankers.rankrls_cv import RankRLSCV
from semirank.selection.auto_ranker import AutoRanker

AUTO, LOGISTIC, LIGHTGBM = "AutoRanker", "logistic regression", "LightGBM lambdarank"
SLACK = 0.5  # points below the best single supervised ranker that are allowed
BATCH = 5
_LINES: dict[str, Callable[[], Ranker]] = {
    LOGISTIC: LogisticRanker,
    "linear least squares": RankRLSCV,
    "kernel least squares": lambda: RankRLSCV("rbf"),
    "RankBoost": lambda: RankBoost(30),
    "nearest item": DistanceRanking,
    LIGHTGBM: lambda: lambdarank(),
}
RIVALS: dict[str, dict[str, Callable[[], Ranker]]] = {
    "texts": {
        LOGISTIC: LogisticRanker,
        "linear SVM": LinearSVMRanker,
        "nearest item": lambda: DistanceRanking("cosine"),
        LIGHTGBM: lambda: lambdarank(),
    },
    "features": _LINES,
    "grades": {name: make for name, make in _LINES.items() if name not in (LOGISTIC, "nearest item")},
    "lists": {name: make for name, make in _LINES.items() if "kernel" not in name and "nearest" not in name}
    | {LOGISTIC: lambda: LogisticRanker(1.0)},
}


@dataclass(frozen=True)
class AutoRun:
    """One problem of a task."""

    task: str
    draw: int
    seed: int


def auto(
    seed: int = 0, progress: Progress | None = None, trials: int = 10, n_jobs: int = -1
) -> ExperimentPage:
    """AutoRanker on every dataset, beside the best single supervised ranker, LightGBM and logistic."""
    checkpoint = checkpoint_of("auto", seed=seed)
    cells = [
        AutoRun(name, draw, seed) for name, task in TASKS.items() for draw in range(task.n_draws(trials))
    ]
    found = measure_cells(cells, measure, checkpoint, progress, n_jobs)
    by_task = {name: [found[name_of(cell)] for cell in cells if cell.task == name] for name in TASKS}
    result = ExperimentPage("auto", "AutoRanker on every dataset", {"seed": seed, "trials": trials})
    rows = [row for name, values in by_task.items() for row in task_rows(TASKS[name], values)]
    result.text(summary(rows))
    result.text(PROTOCOL)
    result.table("Means over all problems, in %", rows)
    result.table("What it chose, and how long it took", choice_rows(by_task))
    checkpoint.discard()
    return result


PROTOCOL = (
    "Every ranker gets the same labels and all items, those to be ranked without labels; AutoRanker has its "
    "defaults and no other setting. *Best single* is the supervised ranker with the best mean over the "
    "problems of a task, chosen with hindsight; the goal is to be at most 0.5 points below it, and above "
    "LightGBM and logistic regression. LETOR: the usual five folds, AP with 0 for a list without a relevant "
    "item, labelled lists drawn from the training parts. Reviews: share of the relevant records found, those "
    "with a label among them, when the labelled ones and a tenth of the set have been read, all eight "
    "reviews; then the same after each ranker has asked four times for the labels of its five best records. "
    "The usual choices of AutoRanker, such as what a mix is made of, were made with other draws of labels of "
    "these same datasets in view, on newsgroups and Ohsumed with other groups and classes; MNIST had no part "
    "in them. Earlier versions of this page showed where to look, and decisions were made on other draws "
    "than these. LightGBM has 100 trees of 7 leaves with 5 items or more; real-valued labels are cut into "
    "five grades for it."
)


def measure(cell: AutoRun) -> dict[str, Any]:
    """Return the metrics of AutoRanker and its rivals on one problem."""
    task = TASKS[cell.task]
    problem = task.make(cell.draw, cell.seed)
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, make in {AUTO: _auto_ranker(cell.draw), **RIVALS[task.kind]}.items():
            ranker, start = make(), time.process_time()
            found[name] = _measured(ranker, task, problem)
            if name == AUTO:
                found["chosen"] = str(ranker.verdict_).partition(":")[0]
                found["seconds"] = time.process_time() - start
    return found


def _auto_ranker(seed: int) -> Callable[[], Any]:
    return lambda: AutoRanker(random_state=seed)


def lambdarank() -> EstimatorRanker:
    """Return LightGBM's ranker, sized for few labels."""
    from lightgbm import LGBMRanker

    return EstimatorRanker(
        LGBMRanker(n_estimators=100, num_leaves=7, min_child_samples=5, verbose=-1, n_jobs=1, random_state=0)
    )


def _measured(ranker: Ranker, task: AutoTask, problem: Problem) -> list[float] | None:
    """Return the metrics of a ranker, None where it cannot learn from these labels."""
    try:
        if task.batches:
            return _screen(ranker, task, problem)
        scores = _scores(ranker, problem)
    except ValueError:
        return None
    ranked = ~np.isnan(problem.truth)
    qid = None if problem.qid is None else problem.qid[ranked]
    values = metrics.measure(task.metrics, problem.truth[ranked], scores[ranked], qid)
    return [float(np.nan_to_num(values[name]).mean()) for name in task.metrics]


def _scores(ranker: Ranker, problem: Problem) -> Floats:
    y = grades(problem.y) if isinstance(ranker, EstimatorRanker) else problem.y
    return ranker.fit(problem.X, y, problem.qid).scores_


def grades(y: Floats) -> Floats:
    """Return whole labels as they are, others cut into five grades of the same size."""
    known = y[~np.isnan(y)]
    if (known == np.round(known)).all() and known.min() >= 0:
        return y
    cuts = np.quantile(known, [0.2, 0.4, 0.6, 0.8])
    return np.where(np.isnan(y), np.nan, np.searchsorted(cuts, y).astype(float))


def _screen(ranker: Ranker, task: AutoTask, problem: Problem) -> list[float]:
    """Return recall before and after asking for labels from the top of the ranker's own ranking."""
    truth = np.where(np.isnan(problem.truth), problem.y, problem.truth)
    y = problem.y.copy()
    scores = _scores(ranker, problem)
    first = _recall(scores, y, truth)
    for _ in range(task.batches):
        rest = np.flatnonzero(np.isnan(y))
        asked = rest[np.argsort(-scores[rest], kind="stable")[:BATCH]]
        y[asked] = truth[asked]
        scores = _scores(ranker, problem._replace(y=y))
    return [first, _recall(scores, y, truth)]


def _recall(scores: Floats, y: Floats, truth: Floats) -> float:
    """Return the share of relevant items among the labelled ones and the best tenth of the others."""
    rest = np.flatnonzero(np.isnan(y))
    top = rest[np.argsort(-scores[rest], kind="stable")[: round(0.1 * len(y))]]
    return float((truth[top].sum() + truth[~np.isnan(y)].sum()) / truth.sum())


def task_rows(task: AutoTask, found: Sequence[Mapping[str, Any]]) -> Rows:
    """Return one row for each metric of a task."""
    return [_row(task, at, found) for at in range(len(task.metrics))]


def _row(task: AutoTask, at: int, found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    means = {
        name: 100 * float(np.mean([each[name][at] for each in found]))
        for name in (AUTO, *RIVALS[task.kind])
        if all(each[name] is not None for each in found)
    }
    metric, ours = task.metrics[at], means.pop(AUTO)
    best = max(means, key=lambda name: means[name])
    mark = task.marks.get(metric)
    row = {
        "task": task.title,
        "metric": metric,
        "goal": None if mark is None else f"{mark:.1f}",
        AUTO: f"{ours:.1f} ± {_error(found, at):.1f}",
        "best single": f"{means[best]:.1f} ({best})",
        LIGHTGBM: f"{means[LIGHTGBM]:.1f}" if LIGHTGBM in means else None,
        LOGISTIC: f"{means[LOGISTIC]:.1f}" if LOGISTIC in means else None,
    }
    rivals = [means[name] for name in (LIGHTGBM, LOGISTIC) if name in means]
    goals = [means[best] - SLACK, *rivals, *([] if mark is None else [mark])]
    return row | {"reached": "yes" if ours >= max(goals) else f"no, {max(goals) - ours:.1f} below"}


def _error(found: Sequence[Mapping[str, Any]], at: int) -> float:
    """Return the standard error of the mean over problems."""
    values = 100 * np.array([each[AUTO][at] for each in found])
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else 0.0


def choice_rows(by_task: Mapping[str, Sequence[Mapping[str, Any]]]) -> Rows:
    """Return how often each ranker was chosen for the problems of a task."""
    rows = []
    for name, found in by_task.items():
        chosen = Counter(each["chosen"] for each in found).most_common()
        words = ", ".join(f"{ranker} ({count})" for ranker, count in chosen)
        seconds = float(np.median([each["seconds"] for each in found]))
        rows.append({"task": TASKS[name].title, "chosen": words, "processor seconds": f"{seconds:.1f}"})
    return rows


def summary(rows: Rows) -> str:
    """Say which goals were reached and which were not."""
    missed = [f"{row['task']} ({row['metric']}: {row['reached']})" for row in rows if row["reached"] != "yes"]
    reached = f"{len(rows) - len(missed)} of {len(rows)} goals are reached."
    return f"{reached} Not reached: {'; '.join(missed)}." if missed else reached

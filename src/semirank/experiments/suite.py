"""AutoRanker on data that nobody prepared, beside peers as a careful user would set them up."""

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import Floats
from semirank.experiments.cells import Progress, checkpoint_of, measure_cells, name_of
from semirank.experiments.result import ExperimentPage
from semirank.experiments.suite_page import AUTO, write_page
from semirank.experiments.suite_peers import cross_validated_seconds, peer_scores
from semirank.experiments.suite_rounds import SETS_OF_ROUNDS, Session, follow
from semirank.experiments.suite_sets import LISTS, MOST_ITEMS, SAMPLE_SEED, SETS, Case, draw_case
from semirank.selection.auto_ranker import AutoRanker


@dataclass(frozen=True)
class SuiteRun:
    """One draw of labels from a set."""

    name: str
    budget: str
    draw: int
    seed: int
    most: int = MOST_ITEMS


LARGE = tuple(
    SuiteRun(name, "50+50", 0, 0, 5_000) for name in ("page-blocks", "nursery", "mnist 0-4", "sci.med")
)
"""Large sets, for the time that they take."""


def suite(
    seed: int = 0,
    progress: Progress | None = None,
    trials: int = 5,
    n_jobs: int = -1,
    sets: Sequence[str] = tuple(SETS),
    sessions: Sequence[str] = SETS_OF_ROUNDS,
    large: Sequence[SuiteRun] = LARGE,
) -> ExperimentPage:
    """AutoRanker on everyday tables, texts and lists, beside peers, from very few labels on."""
    checkpoint = checkpoint_of("suite", seed=seed, sets=list(sets), sessions=list(sessions))
    cells = [
        SuiteRun(name, budget, draw, seed)
        for name in sets
        for budget in SETS[name].budgets
        for draw in range(trials)
    ]
    rounds = [Session(name, draw, seed) for name in sessions for draw in range(trials)]
    found = measure_cells([*cells, *rounds, *large], measure, checkpoint, progress, n_jobs)
    settings: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for cell in cells:
        if found[name_of(cell)] is not None:
            settings.setdefault((cell.name, cell.budget), []).append(found[name_of(cell)])
    curves = {name: [found[name_of(each)] for each in rounds if each.name == name] for name in sessions}
    result = ExperimentPage("suite", "AutoRanker on data that nobody prepared", settings_of(seed, trials))
    write_page(result, settings, curves, {(each.name, each.budget): [found[name_of(each)]] for each in large})
    checkpoint.discard()
    return result


def settings_of(seed: int, trials: int) -> dict[str, Any]:
    """Return what the page says about how it was made."""
    lightgbm = version("lightgbm") if find_spec("lightgbm") else "not installed"
    return {"seed": seed, "draws": trials, "seed of samples": SAMPLE_SEED, "LightGBM": lightgbm}


def measure(cell: SuiteRun | Session) -> dict[str, Any] | None:
    """Return what AutoRanker and its peers show on one draw; None where too few items are left to rank."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if isinstance(cell, Session):
            return follow(cell)
        case = draw_case(cell.name, cell.budget, (cell.seed, cell.draw), cell.most)
        return None if case is None else measure_case(SETS[cell.name].kind, case, cell.draw)


def measure_case(kind: str, case: Case, seed: int = 0) -> dict[str, Any]:
    """Return the quality of all methods by name, what AutoRanker chose, and processor times.

    Where AutoRanker refuses, its quality is 0, and `chosen` is the reason.
    """
    auto, start = AutoRanker(random_state=seed), time.process_time()
    try:
        scores = auto.fit(case.items, case.y, case.qid).scores_
        value, chosen = quality(kind, case, scores), auto.choice_["name"]
    except ValueError as problem:
        value, chosen = 0.0, f"refused: {problem}"
    seconds = time.process_time() - start
    values = {
        name: None if scores is None else quality(kind, case, scores)
        for name, scores in peer_scores(kind, case).items()
    }
    return {
        "quality": {AUTO: value, **values},
        "chosen": chosen,
        "seconds": seconds,
        "cross-validated seconds": cross_validated_seconds(kind, case),
        "items": len(case.y),
    }


def quality(kind: str, case: Case, scores: Floats) -> float:
    """Return the AUC of all pairs of unlabelled items, for lists the mean nDCG@10 of those without labels."""
    ranked = ~np.isnan(case.truth)
    if kind != LISTS or case.qid is None:
        return float(metrics.auc(case.truth[ranked], scores[ranked])[0])
    return float(np.nanmean(metrics.ndcg(case.truth[ranked], scores[ranked], case.qid[ranked], cutoff=10)))

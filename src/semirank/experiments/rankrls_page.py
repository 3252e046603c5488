"""The page of the RankRLS experiments (Pahikkala et al., 2007) on LETOR."""

from collections.abc import Callable
from functools import partial
from typing import Any

from semirank.core.threads import one_blas_thread
from semirank.experiments.rankrls import (
    DIFFERENCES,
    REGRESSION,
    Progress,
    Rows,
    against_regression,
    transductive_against_supervised,
)
from semirank.experiments.rankrls_hold_out import hold_out_shortcut
from semirank.experiments.rankrls_shared import shared_directions
from semirank.experiments.result import ExperimentPage

COLLECTIONS = {"OHSUMED": "ohsumed-letor", "MQ2008": "mq2008"}
STEPS = 100

ABOUT_CURVES = (
    "Test lists of five folds; the labelled lists are drawn from those of the three training parts that "
    "have different labels. AP, nDCG@10 and disagreement in per cent; ties count as the mean over their "
    "orders, so that the order of the file, which gives relevance away in OHSUMED, is worth nothing. The "
    "spread is over draws; the gain is the difference in AP to the first row, with its standard error over "
    "test lists. Both methods choose the ridge by leaving out lists they are taught by, with the rule of "
    "one standard error; no label of a test list is used. The fixed ridges, in units of the mean squared "
    "distance of two items of a list, show what hindsight could reach: the choice stays within 0.2 points "
    "of the best of them. The aims set before were an AP of 43.2, 43.8, 44.3 and 44.6 (OHSUMED) and 43.2, "
    "44.3, 45.5 and 47.1 (MQ2008) with 5, 10, 20 and all lists, figures of an earlier program on fewer "
    "draws. Those with 20 lists, and with 10 on MQ2008, are missed by 0.1; on MQ2008 with 20 lists no fixed"
    " ridge reaches the aim either."
)
ABOUT_HOLD_OUT = (
    "MQ2008, rbf kernel, fifteen ridges, every list left out once. Seconds of processor time on one thread "
    "of the matrix library; training again was timed on three lists with one ridge, and multiplied. The "
    "largest difference is that of held-out scores to those of training again, relative to the largest "
    "score."
)
ABOUT_TRANSDUCTION = (
    "A quarter of the draws. Both forms have the ridge of `RankRLSCV`; the pull is in units of its scale-"
    "free measure, ten being the default. With the default pull transduction does neither harm nor good; a "
    "smaller pull loses on MQ2008, and on OHSUMED what it gains or loses is within two standard errors but "
    "for 5 lists and the smallest pull, where it loses."
)
ABOUT_SHARED = (
    "Disagreement in per cent on forty unlabelled lists, of artificial data: sixty features, two strong "
    "directions that all items share, one of which is the label. Each form has the best of nine ridges in "
    "hindsight, the transductive one a small pull (0.001 of its unit). Here the unlabelled lists show which"
    " directions matter, which three labelled lists of six items cannot; the gain fades as labelled lists "
    "become as many as the features need. On the real collections, which have 45 or 46 features made to say"
    " something about relevance, no such gain was found."
)


def rankrls(seed: int = 0, progress: Progress | None = None, trials: int = 20) -> ExperimentPage:
    """Few labelled lists of LETOR OHSUMED and MQ2008, the hold-out shortcut, and transduction."""
    result = ExperimentPage(
        "rankrls", "RankRLS: lists, held-out lists and transduction", {"seed": seed, "trials": trials}
    )
    with one_blas_thread():  # small matrices wait for threads longer than they compute
        found = _measure(seed, progress, trials)
    for name in COLLECTIONS:
        result.table(f"{name}: label differences against the labels themselves", found[name])
    result.figure("Learning curves", partial(_draw_curves, found=found), (8, 3))
    result.text(ABOUT_CURVES)
    result.table("Lists left out: the shortcut against training again", found["hold-out"])
    result.figure("Time of leaving every list out", partial(_draw_times, rows=found["hold-out"]), (5, 3.2))
    result.text(ABOUT_HOLD_OUT)
    for name in COLLECTIONS:
        result.table(f"{name}: transductive against supervised", found[f"{name}, transductive"])
    result.text(ABOUT_TRANSDUCTION)
    result.table("Where transduction helps: directions that all items share", found["shared"])
    result.figure("Directions that all items share", partial(_draw_shared, rows=found["shared"]), (5, 3.2))
    result.text(ABOUT_SHARED)
    return result


def _measure(seed: int, progress: Progress | None, trials: int) -> dict[str, Rows]:
    few = max(1, trials // 4)
    steps: dict[str, Callable[..., Rows]] = {}
    for name, data in COLLECTIONS.items():
        steps[name] = partial(against_regression, data, draws=trials)
        steps[f"{name}, transductive"] = partial(transductive_against_supervised, data, draws=few)
    steps["hold-out"] = hold_out_shortcut
    steps["shared"] = partial(shared_directions, trials=max(2, trials))
    return {
        name: step(seed=seed, progress=_part(progress, at, len(steps)))
        for at, (name, step) in enumerate(steps.items())
    }


def _part(progress: Progress | None, at: int, n_steps: int) -> Progress | None:
    """Report the progress of one step as part of all."""
    if progress is None:
        return None
    return lambda done, total: progress(STEPS * at + STEPS * done // (total or 1), STEPS * n_steps)


def _draw_curves(figure: Any, found: dict[str, Rows]) -> None:
    for axis, name in zip(figure.subplots(1, len(COLLECTIONS)), COLLECTIONS, strict=True):
        for method in (DIFFERENCES, REGRESSION):
            rows = [row for row in found[name] if row["method"] == method]
            axis.errorbar(
                range(len(rows)),
                [row["AP"] for row in rows],
                [row["spread"] or 0.0 for row in rows],
                marker=".",
                capsize=2,
                label=method,
            )
            axis.set_xticks(range(len(rows)), [str(row["labelled lists"]) for row in rows])
        axis.set_title(name)
        axis.set_xlabel("labelled lists")
    figure.axes[0].set_ylabel("mean AP in %, spread over draws")
    figure.axes[0].legend(fontsize=7)


def _draw_times(figure: Any, rows: Rows) -> None:
    axis = figure.subplots()
    for method in ("training again (s)", "leave_list_out (s)"):
        axis.plot(
            [row["items"] for row in rows], [row[method] for row in rows], marker=".", label=method[:-4]
        )
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlabel("labelled items m")
    axis.set_ylabel("processor time in s, 15 ridges")
    axis.legend(fontsize=7)


def _draw_shared(figure: Any, rows: Rows) -> None:
    axis = figure.subplots()
    for method in ("RankRLS", "transductive"):
        axis.plot(
            [row["labelled lists"] for row in rows], [row[method] for row in rows], marker=".", label=method
        )
    axis.set_xscale("log")
    axis.set_xticks([row["labelled lists"] for row in rows], [str(row["labelled lists"]) for row in rows])
    axis.minorticks_off()
    axis.set_xlabel("labelled lists")
    axis.set_ylabel("disagreement in %")
    axis.legend(fontsize=7)

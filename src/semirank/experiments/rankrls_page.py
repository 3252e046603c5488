"""The page of the RankRLS experiments (Pahikkala et al., 2007) on LETOR."""

from collections.abc import Callable
from typing import Any

from semirank.experiments.rankrls import (
    against_regression,
    hold_out_shortcut,
    learning_curve,
    shared_directions,
    transductive_against_supervised,
)
from semirank.experiments.result import Result, Rows


def rankrls(
    seed: int = 0, progress: Callable[[int, int | None], None] | None = None, trials: int = 3
) -> Result:
    """Few labelled lists of LETOR OHSUMED and MQ2008, the hold-out shortcut, and transduction."""
    result = Result(
        "rankrls", "RankRLS: lists, held-out lists and transduction", {"seed": seed, "draws": trials}
    )
    draws: dict[str, Any] = {"draws": trials, "seed": seed}
    steps: dict[str, Callable[[], Rows]] = {
        "OHSUMED: ridge chosen by leaving lists out": lambda: learning_curve("ohsumed-letor", **draws),
        "MQ2008: ridge chosen by leaving lists out": lambda: learning_curve("mq2008", **draws),
        "OHSUMED: differences against the labels themselves": lambda: against_regression(**draws),
        "OHSUMED: transductive against supervised": lambda: transductive_against_supervised(**draws),
        "Leaving lists out: shortcut against training again": hold_out_shortcut,
        "Where transduction helps: directions that all items share": shared_directions,
    }
    for done, (caption, make) in enumerate(steps.items(), start=1):
        result.table(caption, make())
        if progress is not None:
            progress(done, len(steps))
    result.text(
        "Five folds; labelled lists drawn from the three training parts. Ties count as the mean over their "
        "orders, so the order of the file, which gives relevance away in OHSUMED, is worth nothing."
    )
    return result

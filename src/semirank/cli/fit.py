"""``semirank fit``: learn once, rank later."""

from pathlib import Path
from typing import Annotated

import typer

from semirank.cli.options import Reading, Seed, Speaking
from semirank.cli.ranking import AUTO, RankerName, Settings, fit_on, for_items, make_ranker
from semirank.cli.streaming import Budget, Resume, Streaming, fit_streamed


def fit(
    reading: Reading,
    speaking: Speaking,
    streaming: Streaming,
    model: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    ranker: RankerName = AUTO,
    setting: Settings = None,
    seed: Seed = 0,
    budget: Budget = None,
    resume: Resume = None,
) -> None:
    """Fit a ranker on the data and save it; `semirank rank NEW --model FILE` ranks other items with it.

    With --stream the data may be larger than memory: a folder or a pattern ('DIR/*.parquet') of Parquet or
    LETOR files, of which labelled items are kept, or sums over parts. The error for other rankers names those
    that can. Boosting writes its rounds to the file of --resume, and goes on with them after a stop.
    """
    chosen = make_ranker(ranker, setting, seed)
    if streaming.wanted:
        fit_streamed(chosen, reading, speaking, streaming, budget, resume).save(model)
        speaking.say(f"fitted {chosen!r} -> {model}")
        return
    if budget is not None or resume is not None:
        raise typer.BadParameter("--budget and --resume are for data in parts: they need --stream.")
    data = reading.open()
    speaking.say(repr(data))
    chosen = for_items(chosen, data)
    fit_on(chosen, data, speaking).save(model)
    speaking.say(f"fitted {chosen!r} -> {model}")

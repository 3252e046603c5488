"""``semirank fit``: learn once, rank later."""

from pathlib import Path
from typing import Annotated

import typer

from semirank.cli.options import Reading, Seed, Speaking
from semirank.cli.ranking import AUTO, RankerName, Settings, fit_on, for_items, make_ranker


def fit(
    reading: Reading,
    speaking: Speaking,
    model: Annotated[Path, typer.Option("--output", "-o", help="The model file to write.")],
    ranker: RankerName = AUTO,
    setting: Settings = None,
    seed: Seed = 0,
) -> None:
    """Fit a ranker on the data and save it; `semirank rank NEW --model FILE` ranks other items with it."""
    chosen = make_ranker(ranker, setting, seed)
    data = reading.open()
    speaking.say(repr(data))
    chosen = for_items(chosen, data)
    fit_on(chosen, data, speaking).save(model)
    speaking.say(f"fitted {chosen!r} -> {model}")

"""From a name and settings on the command line to a ranker, and from data to what it is given."""

from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any

import typer

import semirank
from semirank.limits import parse_setting

if TYPE_CHECKING:
    from semirank.cli.options import Reading, Speaking
    from semirank.dataset import RankingDataset

RankerName = Annotated[
    str,
    typer.Option(
        "--ranker",
        "-r",
        help="Name of the ranker, from `semirank rankers` or a leaderboard of `semirank compare`.",
    ),
]
AUTO = "auto-ranker"
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="NAME=VALUE", help="Set a parameter of the ranker; repeat for several."
    ),
]


def make_ranker(name: str, settings: list[str] | None, seed: int) -> Any:
    """Build the ranker, before any data are read; a name of a leaderboard is left to AutoRanker."""
    try:
        registered = _is_registered(name)
        kind = semirank.registry.ranker_class(name if registered else AUTO)
        params = dict(_setting(kind, setting) for setting in settings or [])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if "random_state" in kind.limits:
        params = {"random_state": seed} | params
    return kind(**params if registered else params | {"choice": name})


def _is_registered(name: str) -> bool:
    """Tell whether a ranker has this name; one that is nearly such a name is a mistake."""
    known = semirank.registry.ranker_names()
    return name in known or bool(get_close_matches(name, known, n=1, cutoff=0.85))


def _setting(kind: Any, setting: str) -> tuple[str, Any]:
    """Read one setting; the ranker inside another is given by its name."""
    name, _, text = setting.partition("=")
    if name == "ranker" and name in kind.limits and text.lower() != "none":
        return name, semirank.registry.ranker_class(text)()
    return parse_setting(kind.limits, setting)


def fit_on(ranker: Any, data: "RankingDataset", speaking: "Speaking") -> Any:
    """Fit the ranker, show how far it is where it can tell, and say what AutoRanker has made and chosen."""
    if ranker.shows_progress:
        with speaking.progress("lists") as progress:
            return ranker.fit(items_of(data, ranker), data.y, data.qid, progress=progress)
    ranker.fit(items_of(data, ranker), data.y, data.qid)
    if isinstance(ranker, semirank.AutoRanker):
        if ranker.table_ is not None:
            speaking.say(f"columns: {ranker.table_.summary}")
        if ranker.candidates is None:
            speaking.say(ranker.verdict_)
    return ranker


def for_items(ranker: Any, data: "RankingDataset") -> Any:
    """Let the ranker learn the features of a table or of texts too, where the data are that."""
    if isinstance(ranker, semirank.AutoRanker):
        return ranker
    if data.table is not None:
        name = semirank.registry.name_of_class(type(ranker))
        return semirank.AutoRanker(candidates=[(name, ranker)], choice=name)
    return ranker if data.texts is None else semirank.TextRanker(ranker)


def items_of(data: "RankingDataset", ranker: Any) -> Any:
    """Give a ranker of texts the texts, one of tables the table, any other the features."""
    if isinstance(ranker, semirank.AutoRanker):
        tables, learned = semirank.features.table, getattr(ranker, "table_", None)
        if data.table is not None or learned is not None or tables.has_gaps(data):
            return tables.table_of(data)
        if data.texts is not None:
            return data.texts
    if not isinstance(ranker, semirank.TextRanker):
        return data.X
    if data.texts is None:
        raise ValueError("The model ranks texts, but the data have no text: name its column with --text.")
    return data.texts


def titles_of(reading: "Reading", data: "RankingDataset") -> list[str]:
    """Return what each item is called, in the order of the lists: its title, its text, or its name."""
    records = reading.records()
    titles = [] if records is None else records.columns.get("title", [])
    given = [titles[row] for row in data.order] if titles else [""] * data.n_items
    texts = [""] * data.n_items if data.texts is None else data.texts.tolist()
    names = semirank.readers.item_names(data)[1].tolist()
    return [str(title or text or name) for title, text, name in zip(given, texts, names, strict=True)]

"""From a name and settings on the command line to a ranker, and from data to what it is given."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

import semirank
from semirank.limits import parse_setting

if TYPE_CHECKING:
    from semirank.cli.options import Speaking
    from semirank.dataset import RankingDataset

RankerName = Annotated[
    str, typer.Option("--ranker", "-r", help="Name of the ranker; `semirank rankers` lists them.")
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", "-s", metavar="NAME=VALUE", help="Set a parameter of the ranker; repeat for several."
    ),
]


def make_ranker(name: str, settings: list[str] | None, seed: int) -> Any:
    """Build the ranker, before any data are read."""
    try:
        kind = semirank.registry.ranker_class(name)
        params = dict(_setting(kind, setting) for setting in settings or [])
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if "random_state" in kind.limits:
        params = {"random_state": seed} | params
    return kind(**params)


def _setting(kind: Any, setting: str) -> tuple[str, Any]:
    """Read one setting; the ranker inside another is given by its name."""
    name, _, text = setting.partition("=")
    if name == "ranker" and name in kind.limits and text.lower() != "none":
        return name, semirank.registry.ranker_class(text)()
    return parse_setting(kind.limits, setting)


def fit_on(ranker: Any, data: "RankingDataset", speaking: "Speaking") -> Any:
    """Fit the ranker, and show how far it is where it can tell."""
    if not ranker.shows_progress:
        return ranker.fit(items_of(data, ranker), data.y, data.qid)
    with speaking.progress("lists") as progress:
        return ranker.fit(items_of(data, ranker), data.y, data.qid, progress=progress)


def for_items(ranker: Any, data: "RankingDataset") -> Any:
    """Let the ranker learn the features of texts too, where the data are texts."""
    return ranker if data.texts is None else semirank.TextRanker(ranker)


def items_of(data: "RankingDataset", ranker: Any) -> Any:
    """Give a ranker of texts the texts, any other the features."""
    if not isinstance(ranker, semirank.TextRanker):
        return data.X
    if data.texts is None:
        raise ValueError("The model ranks texts, but the data have no text: name its column with --text.")
    return data.texts

"""``semirank simulate``: how a reader who follows a ranker would have fared on fully labelled data."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import semirank
from semirank.cli.options import Reading, Seed, Speaking

if TYPE_CHECKING:
    from semirank.core.arrays import Floats
    from semirank.dataset import RankingDataset
    from semirank.feedback import Items, Simulation
    from semirank.rankers._base import Ranker

ENDINGS = (".html", ".htm", ".md", ".json", ".csv")


def simulate(
    reading: Reading,
    speaking: Speaking,
    ranker: Annotated[
        list[str] | None,
        typer.Option("--ranker", "-r", help="A ranker to follow; repeat for several. None: by the data."),
    ] = None,
    runs: Annotated[int, typer.Option(min=1, help="Runs for each ranker and list.")] = 10,
    start: Annotated[
        str,
        typer.Option(
            help="What is known at the beginning: N+M relevant and irrelevant labels, or a question."
        ),
    ] = "1+1",
    batch: Annotated[int, typer.Option(min=1, help="Items that are read from one order.")] = 1,
    stop: Annotated[
        list[str] | None, typer.Option(help="A rule to stop by; repeat for several. None: all of them.")
    ] = None,
    target: Annotated[float, typer.Option(help="The recall that rules are to reach.")] = 0.95,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1: one for each core.")] = -1,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="The report: .html, .md, .json or .csv. None: NAME-simulation.html."
        ),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Read fully labelled data as a ranker suggests, from a few labels to the last relevant item.

    Of a project of `semirank serve` (.semirank), the items that were labelled are read once more.

    A random order and the ranker on labels alone are always there to compare with. The table goes to standard
    output, verdicts in words to standard error, and all of it into a report.
    """
    name = Path(reading.data).name.split(".")[0] or "data"
    report = out or Path(f"{name}-simulation.html")
    rules = _check(stop, report)
    items, labels = _read_project(reading) if _is_project(reading) else _read_data(reading, speaking)
    with speaking.progress("reading") as progress:
        found = semirank.feedback.simulate(
            items,
            labels,
            semirank.feedback.with_baselines(_rankers(ranker, items)),
            n_runs=runs,
            start=semirank.feedback.Start.parse(start),
            batch=batch,
            rules=rules,
            target=target,
            seed=seed,
            n_jobs=jobs,
            progress=progress,
            name=name,
        )
    _show(found, speaking)
    from semirank.report.writing import write_simulation

    write_simulation(found, report)
    speaking.say(f"-> {report}")


def _check(stop: list[str] | None, report: Path) -> tuple[str, ...]:
    """Refuse before any work what would fail after it."""
    if report.suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{report}: a report ends in .html, .md, .json or .csv.")
    if not report.parent.is_dir():
        raise FileNotFoundError(f"{report}: the folder {report.parent} does not exist.")
    known = tuple(semirank.feedback.RULES)
    for rule in stop or ():
        if rule not in known:
            raise typer.BadParameter(f"There is no rule {rule!r}. Known: {', '.join(known)}.")
    return tuple(stop) if stop else known


def _is_project(reading: Reading) -> bool:
    return reading.data.endswith(".semirank")


def _read_project(reading: Reading) -> "tuple[Items, Floats]":
    """Take the items of a project that somebody has labelled: what is unread has no label to simulate by."""
    import numpy as np

    from semirank.web.project import Project

    with Project.open(reading.data) as project:
        items, n_items = project.items.as_items(), project.settings.get("n_items")
        labels = semirank.feedback.State(items, project.events(), n_items).y
    rows = np.flatnonzero(~np.isnan(labels)).tolist()
    if not rows:
        raise typer.BadParameter(f"{reading.data}: nothing is labelled yet, so there is nothing to simulate.")
    ids, features = [items.ids[row] for row in rows], items.features[rows]
    qid = None if items.qid is None else [items.qid[row] for row in rows]
    qid = None if qid is not None and len(set(qid)) == 1 else qid
    return semirank.feedback.Items(ids, features, qid), labels[rows]


def _read_data(reading: Reading, speaking: Speaking) -> "tuple[Items, Floats]":
    data = reading.open()
    speaking.say(repr(data))
    return _items(data), data.restore(data.y)


def _items(data: "RankingDataset") -> "Items":
    if data.table is not None:
        raise typer.BadParameter(
            "A simulation reads texts or numbers; of this table name the column with --text, or the numbers "
            "with --feature."
        )
    features = data.restore(data.texts) if data.texts is not None else data.restore(data.X)
    ids = [str(item) for item in data.restore(data.item_ids)] if data.item_ids is not None else None
    qid = None if data.n_lists == 1 else [str(name) for name in data.restore(data.qid)]
    return semirank.feedback.Items(ids or [str(row) for row in range(data.n_items)], features, qid)


def _rankers(names: list[str] | None, items: "Items") -> dict[str, "Ranker"]:
    if not names:
        ranker = semirank.feedback.default_ranker(items)
        return {type(ranker).__name__: ranker}
    try:
        return {name: semirank.registry.ranker_class(name)() for name in names}
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _show(found: "Simulation", speaking: Speaking) -> None:
    if speaking.json:
        print(found.to_json(indent=None))
    else:
        speaking.show([_rounded(row) for row in found.summary()])
    first = found.rankers[0]
    for contrast in found.contrasts().values():
        speaking.say(semirank.results.sentences.about_loss(first, contrast))


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in row.items()}

"""``semirank compare``: which ranker is best here, and did unlabelled data help or harm."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import semirank
from semirank.cli.options import Reading, Seed, Speaking

if TYPE_CHECKING:
    from semirank.dataset import RankingDataset
    from semirank.selection import Comparison, Standing

KEEP = 10
DIGITS = 4
ENDINGS = (".html", ".htm", ".md", ".json")


def compare(
    reading: Reading,
    speaking: Speaking,
    ranker: Annotated[
        list[str] | None,
        typer.Option("--ranker", "-r", help="A ranker to compare; repeat for several. None: by the data."),
    ] = None,
    metric: Annotated[
        str | None, typer.Option(help="What to measure: nDCG@10 (usual), AP, P@50, AUC ...")
    ] = None,
    keep: Annotated[
        int | None,
        typer.Option(
            min=1, help="Show rankers only N labels of each list, or N labelled lists, and measure on others."
        ),
    ] = None,
    protocol: Annotated[
        Literal["auto", "lists", "items"],
        typer.Option(help="Hold out whole labelled lists, or labelled items within lists."),
    ] = "auto",
    repeats: Annotated[int | None, typer.Option(min=1, help="How often labels are held out.")] = None,
    unjudged: Annotated[
        Literal["ignore", "irrelevant"],
        typer.Option(help="Items without any label: left out of the metric, or counted as irrelevant."),
    ] = "ignore",
    thorough: Annotated[bool, typer.Option("--thorough", help="Also rankers that take long.")] = False,
    budget: Annotated[
        bool, typer.Option(help="Also measure how the metric grows with the number of labels.")
    ] = True,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Stop a ranker whose fits take longer than these seconds.")
    ] = None,
    jobs: Annotated[int, typer.Option(help="Number of processes; -1: one for each core.")] = -1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on where an earlier comparison of these data was stopped.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The report: .html, .md or .json. None: NAME-comparison.html."),
    ] = None,
    seed: Seed = 0,
) -> None:
    """Find the best ranker for partly labelled data, and say whether unlabelled items helped or harmed.

    Every ranker learns from the same labels and is measured on labels that were held out. The leaderboard
    goes to standard output, verdicts in words to standard error, and all of it into a report.
    """
    name = Path(reading.data).name.split(".")[0] or "data"
    report = out or Path(f"{name}-comparison.html")
    _check(ranker, metric, report)
    data = reading.open()
    speaking.say(repr(data))
    options: dict[str, Any] = {
        "metric": metric or semirank.selection.usual_metric(data),
        "keep": keep or _usual_keep(data, speaking),
        "protocol": protocol,
        "n_repeats": repeats,
        "unlabelled": unjudged,
        "thorough": thorough,
        "budget": budget,
        "timeout": timeout,
        "n_jobs": jobs,
        "random_state": seed,
        "checkpoint": report.with_name(f"{report.name}.fits.jsonl"),
        "resume": resume,
        "name": name,
    }
    try:
        with speaking.progress("comparing") as progress:
            found = semirank.compare(data, ranker or None, progress=progress, **options)
    except semirank.selection.CannotCompareError as problem:
        _write(problem.comparison, report, speaking)
        raise
    _show(found, speaking)
    _write(found, report, speaking)
    if not found.complete:
        speaking.say("interrupted: the same command with --resume goes on")
        raise typer.Exit(130)


def _check(rankers: list[str] | None, metric: str | None, report: Path) -> None:
    """Refuse before any work what would fail after it."""
    if report.suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{report}: a report ends in .html, .md or .json.")
    if not report.parent.is_dir():
        raise FileNotFoundError(f"{report}: the folder {report.parent} does not exist.")
    try:
        for name in rankers or ():
            semirank.registry.ranker_class(name)
        if metric is not None:
            semirank.metrics.parse(metric)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _usual_keep(data: "RankingDataset", speaking: Speaking) -> int | None:
    """Show few labels of data that have them all, where each list is learned from its own labels."""
    if not data.labelled.all() or semirank.selection.choose_protocol(data).name == "lists":
        return None
    speaking.say(
        f"Every item has a label: rankers are shown {KEEP} of each list (--keep for another number)."
    )
    return KEEP


def _show(found: "Comparison", speaking: Speaking) -> None:
    if speaking.json:
        print(found.to_json(indent=None))
    else:
        speaking.show([_row(each, found.metric) for each in found.standings])
    if found.protocol is not None:
        speaking.say(f"\n{found.protocol.why} {found.protocol.how}\n")
    for standing in found.finished:
        if standing.contrast is not None:
            speaking.say(f"{standing.name}: {standing.contrast.words}")
    speaking.say("")
    for words in (*found.words, *found.warnings):
        speaking.say(words)
    if found.verdict == "helps" and found.budget is not None and found.budget.worth:
        speaking.say(_worth(found))


def _worth(found: "Comparison") -> str:
    """Say what unlabelled data was worth with the labels that rankers were shown."""
    worth = found.budget.worth if found.budget else ()
    keep = found.protocol.keep if found.protocol else None
    return next((each.words for each in worth if each.size == keep), worth[-1].words)


def _row(standing: "Standing", metric: str) -> dict[str, Any]:
    contrast, interval = standing.contrast, standing.interval
    return {
        "place": standing.place,
        "ranker": standing.name,
        metric: _round(standing.mean),
        "low": _round(interval.low if interval else None),
        "high": _round(interval.high if interval else None),
        "baseline": standing.baseline,
        "difference": _round(contrast.difference if contrast else None),
        "p": _round(contrast.p_adjusted if contrast else None),
        "verdict": _verdict(standing),
        "fit_s": _round(standing.fit_seconds),
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _verdict(standing: "Standing") -> str | None:
    if standing.status != "finished":
        return standing.status
    return None if standing.contrast is None else standing.contrast.verdict


def _write(found: "Comparison", path: Path, speaking: Speaking) -> None:
    from semirank.report import write_report

    write_report(found, path)
    speaking.say(f"-> {path}")

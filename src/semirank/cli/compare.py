"""``semirank compare``: which ranker is best here, and did unlabelled data help or harm."""

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

import semirank
from semirank.cli.options import Reading, Seed, Speaking
from semirank.cli.ranking import AUTO, fit_on, make_ranker

if TYPE_CHECKING:
    from semirank.results.comparison import Comparison
    from semirank.results.result import Result

DIGITS = 4
ENDINGS = (".html", ".htm", ".md", ".json", ".csv", ".tex")
LEAST = ("baseline", "fit_s", "p", "low", "high", "difference")  # columns that a narrow terminal leaves out


def compare(
    reading: Reading,
    speaking: Speaking,
    ranker: Annotated[
        list[str] | None,
        typer.Option("--ranker", "-r", help="A ranker to compare; repeat for several. None: by the data."),
    ] = None,
    metric: Annotated[
        str,
        typer.Option(help="What to measure: nDCG@10, AP, AUC ...; auto: nDCG of lists, AUC of items."),
    ] = "auto",
    keep: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Show rankers only N labels of each list, or N labelled lists, and measure on others. None: "
            "10 where every item has a label and items are held out, otherwise all.",
        ),
    ] = None,
    protocol: Annotated[
        Literal["auto", "lists", "items"],
        typer.Option(help="Hold out whole labelled lists, or labelled items within lists."),
    ] = "auto",
    repeats: Annotated[int | None, typer.Option(min=1, help="How often labels are held out.")] = None,
    unjudged: Annotated[
        Literal["auto", "ignore", "irrelevant"],
        typer.Option(help="Items without any label: left out of the metric, or counted as irrelevant."),
    ] = "auto",
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
        typer.Option(
            "--output", "-o", help="The report: .html, .md, .json, .csv or .tex. None: NAME-comparison.html."
        ),
    ] = None,
    save: Annotated[
        Path | None, typer.Option(help="Fit the recommended ranker on all labels, and save it as this model.")
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
    if data.table is not None:
        speaking.say(f"columns: {semirank.features.TableFeatures().fit(data.table).summary}")
    options: dict[str, Any] = {
        "metric": metric,
        "keep": keep or "auto",
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
    except semirank.CannotCompareError as problem:
        _write(problem.comparison, report, speaking)
        raise
    found = replace(found, command=_command(found, reading, ranker))
    _show(found, speaking)
    _write(found, report, speaking)
    if save is not None and found.choice is not None:
        settings = [f"candidates={','.join(ranker)}"] if ranker else None
        chosen = make_ranker(AUTO, [*(settings or ()), f"choice={found.choice.name}"], seed)
        fit_on(chosen, data, Speaking(quiet=True)).save(save)
        speaking.say(f"fitted {found.choice.name} -> {save}")
    if not found.complete:
        speaking.say("interrupted: the same command with --resume goes on")
        raise typer.Exit(130)


def _command(found: "Comparison", reading: Reading, rankers: list[str] | None) -> str | None:
    """Return what to type to rank with the recommended ranker."""
    if found.choice is None:
        return None
    words = ["semirank", "rank", *reading.words, "--ranker", found.choice.name]
    if rankers and found.choice.name not in rankers:  # a baseline of what was compared
        words += ["--set", f"candidates={','.join(rankers)}"]
    return shlex.join(words)


def _check(rankers: list[str] | None, metric: str, report: Path) -> None:
    """Refuse before any work what would fail after it."""
    if report.suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{report}: a report ends in .html, .md, .json, .csv or .tex.")
    if not report.parent.is_dir():
        raise FileNotFoundError(f"{report}: the folder {report.parent} does not exist.")
    try:
        for name in rankers or ():
            semirank.registry.ranker_class(name)
        if metric != "auto":
            semirank.metrics.parse(metric)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _show(found: "Comparison", speaking: Speaking) -> None:
    speaking.say(semirank.results.sentences.headline(found))
    if found.command is not None:
        speaking.say("To rank with what is recommended:", found.command)
    if speaking.json:
        print(found.to_json(indent=None))
    else:
        speaking.show([_row(each, found.metric) for each in found.results], least=LEAST)
    words = semirank.results.sentences
    if found.protocol is not None:
        speaking.say(f"\n{' '.join(words.about_protocol(found.protocol))}\n")
    for result in found.finished:
        if result.contrast is not None:
            said = words.about_contrast(result.contrast, found.metric, found.data.labelled)
            speaking.say(f"{result.name}: {said}")
    speaking.say("")
    for sentence in (*words.about_comparison(found), *words.warnings_of(found)):
        speaking.say(sentence)
    if found.verdict == "helps" and found.budget is not None and found.budget.worth:
        speaking.say(_worth(found))


def _worth(found: "Comparison") -> str:
    """Say what unlabelled data was worth with the labels that rankers were shown."""
    assert found.budget is not None
    keep = found.protocol.keep if found.protocol else None
    worth = next((each for each in found.budget.worth if each.size == keep), found.budget.worth[-1])
    return semirank.results.sentences.about_worth(worth, found.budget, found.metric)


def _row(result: "Result", metric: str) -> dict[str, Any]:
    contrast, interval = result.contrast, result.interval
    return {
        "place": result.place,
        "ranker": result.name,
        metric: _round(result.mean),
        "low": _round(interval.low if interval else None),
        "high": _round(interval.high if interval else None),
        "baseline": result.baseline,
        "difference": _round(contrast.difference if contrast else None),
        "p": _round(contrast.p_adjusted if contrast else None),
        "verdict": _verdict(result),
        "fit_s": _round(result.fit_seconds),
    }


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def _verdict(result: "Result") -> str | None:
    if result.status != "finished":
        return result.status
    return None if result.contrast is None else result.contrast.verdict


def _write(found: "Comparison", path: Path, speaking: Speaking) -> None:
    from semirank.report import write_report

    write_report(found, path)
    speaking.say(f"-> {path}")

"""``semirank reproduce``: the papers' experiments on real data."""

from inspect import signature
from pathlib import Path
from typing import Annotated

import typer

import semirank
from semirank.cli.options import Seed, Speaking


def reproduce(
    speaking: Speaking,
    name: Annotated[str, typer.Argument(metavar="NAME", help="An experiment; --list shows them.")] = "",
    show: Annotated[bool, typer.Option("--list", help="List the experiments.")] = False,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write the page and its pictures into this folder.")
    ] = None,
    trials: Annotated[int | None, typer.Option(min=1, help="Fewer repetitions than the paper's.")] = None,
    jobs: Annotated[
        int | None, typer.Option(help="Number of processes, where there are several; -1: one for each core.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Run a paper's experiment on its data and print our figures beside the paper's."""
    experiments = semirank.experiments.EXPERIMENTS
    if show:
        speaking.show(
            [
                {"name": key, "about": (run.__doc__ or "").partition("\n")[0]}
                for key, run in experiments.items()
            ]
        )
        return
    if name not in experiments:
        raise typer.BadParameter(f"There is no experiment {name!r}. Known: {', '.join(experiments)}.")
    options = _options(name, {"--trials": ("trials", trials), "--jobs": ("n_jobs", jobs)})
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)  # before the work: it must not be lost
    with speaking.progress(name) as progress:
        result = experiments[name](seed=seed, progress=progress, **options)
    if folder is None:
        print(result.page())
        return
    for path in result.write(folder):
        speaking.say(str(path))


def _options(name: str, given: dict[str, tuple[str, int | None]]) -> dict[str, int]:
    """Return what the user chose, as arguments of an experiment; refuse what it does not have."""
    known = signature(semirank.experiments.EXPERIMENTS[name]).parameters
    chosen = {option: pair for option, pair in given.items() if pair[1] is not None}
    for option, (argument, _) in chosen.items():
        if argument not in known:
            raise typer.BadParameter(f"The experiment {name} has no option {option}.")
    return {argument: value for argument, value in chosen.values() if value is not None}

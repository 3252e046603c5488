"""``--stream``: data beyond memory, on this machine or on a cluster."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import semirank

if TYPE_CHECKING:
    from semirank.cli.options import Reading, Speaking
    from semirank.dataset.parts import Parts

Stream = Annotated[
    bool, typer.Option("--stream", help="Read the data part by part: they may be larger than memory.")
]
On = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Read and score parts on this Dask cluster (tcp://host:8786)."),
]


def fit_streamed(ranker: Any, reading: "Reading", speaking: "Speaking", on: str | None) -> Any:
    """Fit on the labelled items of all parts."""
    if not hasattr(ranker, "fit_parts"):
        can = [name for name in semirank.registry.ranker_names() if _can_stream(name)]
        raise typer.BadParameter(
            f"{type(ranker).__name__} learns from all items at once, so that they must fit into memory. "
            f"With --stream, say --ranker with one of: {', '.join(can)}."
        )
    parts = _open(reading, speaking)
    with _watched("reading", parts, speaking) as progress:
        return ranker.fit_parts(parts, on=on, progress=progress)


def rank_streamed(
    model: Path | None, reading: "Reading", speaking: "Speaking", out: Path | None, on: str | None
) -> None:
    """Score all parts with a model."""
    if model is None or out is None:
        raise typer.BadParameter(
            "--stream needs --model FILE and -o FOLDER. `semirank fit --stream` makes a model."
        )
    ranker = semirank.load_model(model)
    parts = _open(reading, speaking)
    with _watched("ranking", parts, speaking) as progress:
        ranker.rank_parts(parts, out, on=on, progress=progress)
    speaking.say(f"{len(parts)} files of scores -> {out}")


def _can_stream(name: str) -> bool:
    try:
        return hasattr(semirank.registry.ranker_class(name)(), "fit_parts")
    except TypeError:  # needs a ranker inside
        return False


def _open(reading: "Reading", speaking: "Speaking") -> "Parts":
    parts = reading.parts()
    speaking.say(repr(parts))
    return parts


@contextmanager
def _watched(what: str, parts: "Parts", speaking: "Speaking") -> Iterator[Callable[[int, int], None]]:
    """Show parts as they are done; say rows a second and memory at the end."""
    start = time.perf_counter()
    with speaking.progress(what) as show:
        yield show
    rate = parts.n_items / max(time.perf_counter() - start, 1e-9)
    speaking.say(f"{len(parts)} parts, {rate:,.0f} items a second{_peak()}")


def _peak() -> str:
    """Tell how much memory this process has taken at most, where the system can tell."""
    try:
        import resource
    except ImportError:  # Windows
        return ""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    return f", at most {peak / 2**20:,.0f} MB of memory"

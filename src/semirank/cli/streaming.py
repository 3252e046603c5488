"""``--stream``: data beyond memory, on this machine or on a cluster."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import semirank

if TYPE_CHECKING:
    from semirank.cli.options import Reading, Speaking
    from semirank.dataset.parts import Parts


@dataclass(frozen=True)
class Streaming:
    """Whether data are read part by part, where, and what to do about parts that are bad."""

    stream: Annotated[
        bool, typer.Option("--stream", help="Read the data part by part: they may be larger than memory.")
    ] = False
    on: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Read and score parts on this Dask cluster (tcp://host:8786)."),
    ] = None
    skip_bad_parts: Annotated[
        bool,
        typer.Option("--skip-bad-parts", help="With --stream: leave out parts that cannot be read."),
    ] = False
    part_bytes: Annotated[
        int | None, typer.Option(min=1, help="With --stream: bytes of features in a part. None: 64 MB.")
    ] = None
    timeout: Annotated[
        float | None,
        typer.Option(min=0.001, help="With --on: give up after these seconds without a part. None: 600."),
    ] = None

    @property
    def wanted(self) -> bool:
        """Whether data are in parts; other options are no use without that."""
        if self.stream or self.on is not None:
            return True
        if self.skip_bad_parts or self.part_bytes is not None or self.timeout is not None:
            raise typer.BadParameter("--skip-bad-parts, --part-bytes and --timeout need --stream or --on.")
        return False

    @property
    def options(self) -> dict[str, Any]:
        """What `fit_parts` and `rank_parts` are told."""
        told = {"on": self.on, "on_bad_part": "skip" if self.skip_bad_parts else "raise"}
        return told | ({} if self.timeout is None else {"timeout": self.timeout})


Budget = Annotated[
    int | None,
    typer.Option(
        min=0, help="With --stream: bytes that labelled items may take in memory. None: 1 GB; 0: sums."
    ),
]
Resume = Annotated[
    Path | None,
    typer.Option(help="With --stream: a file that keeps the rounds of boosting; go on with those in it."),
]


def fit_streamed(
    ranker: Any,
    reading: "Reading",
    speaking: "Speaking",
    streaming: Streaming,
    budget: int | None,
    resume: Path | None,
) -> Any:
    """Fit on the labelled items of all parts."""
    if not hasattr(ranker, "fit_parts"):
        raise typer.BadParameter(
            f"{type(ranker).__name__} learns from all items at once, so that they must fit into memory. "
            f"With --stream, say --ranker with one of: {_names(lambda each: hasattr(each, 'fit_parts'))}."
        )
    parts = _open(reading, speaking, streaming)
    options = streaming.options | ({} if budget is None else {"budget": budget})
    with _watched("reading", parts, speaking) as progress:
        return ranker.fit_parts(parts, resume=resume, progress=progress, **options)


def rank_streamed(
    ranker: Any, reading: "Reading", speaking: "Speaking", streaming: Streaming, out: Path | None
) -> None:
    """Score all parts with a model, or each list by its own labels."""
    if out is None:
        raise typer.BadParameter("--stream writes one file of scores for each part: it needs -o FOLDER.")
    if not (hasattr(ranker, "scores_") or ranker.ranks_lists_apart):
        raise typer.BadParameter(
            f"{type(ranker).__name__} needs a model: `semirank fit --stream` makes one for --model. Without "
            f"one, say --ranker with one of: {_names(lambda each: each.ranks_lists_apart)}."
        )
    parts = _open(reading, speaking, streaming)
    with _watched("ranking", parts, speaking) as progress:
        ranker.rank_parts(parts, out, progress=progress, **streaming.options)
    speaking.say(f"{len(list(out.glob('part-*.tsv')))} files of scores -> {out}")


def _names(can: Callable[[Any], bool]) -> str:
    """Name the rankers that can do something as they are; not those that need a ranker inside."""
    names = []
    for name in semirank.registry.ranker_names():
        with suppress(TypeError):
            if can(semirank.registry.ranker_class(name)()):
                names.append(name)
    return ", ".join(names)


def _open(reading: "Reading", speaking: "Speaking", streaming: Streaming) -> "Parts":
    parts = reading.parts(**({} if streaming.part_bytes is None else {"part_bytes": streaming.part_bytes}))
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

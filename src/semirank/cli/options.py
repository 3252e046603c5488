"""Options that commands share: what to read, how to speak."""

import functools
import inspect
import io
import json
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

import semirank
from semirank.files import STDIO, ending_of, open_output

if TYPE_CHECKING:
    from semirank.dataset import RankingDataset
    from semirank.readers.records import Records
    from semirank.selection.evaluation import Evaluation


@dataclass(frozen=True)
class Reading:
    """Where the data are and how they are to be read."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A file (CSV, TSV, XLSX, Parquet, RIS, BibTeX, .asreview, .npy, .npz, LETOR, qrels; .gz .xz "
            ".bz2 .zip), a folder of images, a named dataset, or - .",
        ),
    ]
    format: Annotated[
        str | None,
        typer.Option(
            help="csv, tsv, xlsx, parquet, ris, bibtex, asreview, arrays, images, letor or qrels; by the "
            "file's ending if not given."
        ),
    ] = None
    encoding: Annotated[
        str, typer.Option(help="Of text files: utf-8, cp1252, utf-16, ...; auto tells these apart.")
    ] = "auto"
    label: Annotated[str | None, typer.Option(help="Column of a table that holds the labels.")] = None
    qid: Annotated[str | None, typer.Option(help="Column of a table that names the list.")] = None
    item: Annotated[str | None, typer.Option(help="Column of a table that names the item.")] = None
    text: Annotated[
        list[str] | None, typer.Option(help="Column of a table with text; repeat for several.")
    ] = None
    feature: Annotated[
        list[str] | None,
        typer.Option(help="Column of a table to rank by; repeat. None: all others, unless there is text."),
    ] = None
    drop: Annotated[
        list[str] | None, typer.Option(help="Column of a table to leave out; repeat for several.")
    ] = None
    category: Annotated[
        list[str] | None,
        typer.Option(help="Column of a table whose cells are names, even if numbers; repeat."),
    ] = None
    number: Annotated[
        list[str] | None, typer.Option(help="Column of a table that holds numbers, not row ids; repeat.")
    ] = None
    unlabelled: Annotated[
        str,
        typer.Option(
            help="The label that means 'unlabelled': a number, none, or auto (-1 if no other is below 0)."
        ),
    ] = "auto"
    fill: Annotated[
        str | None, typer.Option(help="Fill missing features: a number, mean, min or list-min.")
    ] = None
    relevant: Annotated[
        str | None,
        typer.Option(
            help="Labels are words: the one that means relevant. Of a named dataset: the class, or 'each'."
        ),
    ] = None
    part: Annotated[str | None, typer.Option(help="Of a named dataset: the part to read.")] = None

    def open(self, **columns: Any) -> "RankingDataset":
        """Read the data; texts stay texts. Options of `read_table` may be given where the user gave none."""
        data = semirank.read(
            self._source(),
            format=self.format,
            columns={"text_features": False} | columns | self._columns(),
            named={"relevant": self.relevant, "part": self.part},
            unlabelled=_unlabelled(self.unlabelled),
        )
        if self.fill is not None and data.table is not None:
            raise typer.BadParameter(
                "--fill is for tables of numbers; this one has words, or text beside them."
            )
        return data if self.fill is None else data.fill_missing(_number_or_word(self.fill))

    def records(self) -> "Records | None":
        """Read the items once more, with all their columns; None where they have no others."""
        if self.is_named:
            return None
        kind = self.format or semirank.readers.format_of(self.data)
        if kind == "arrays":
            return semirank.readers.records_of_arrays(self.data)
        if kind not in semirank.readers.RECORDS:
            return None
        return semirank.readers.read_records(self._source(), format=kind, encoding=self.encoding)

    @property
    def is_named(self) -> bool:
        """Whether this is a named dataset, and no file."""
        return (
            self.format is None and self.data in semirank.readers.available() and not Path(self.data).exists()
        )

    def _source(self) -> Any:
        return io.BytesIO(_stdin()) if self.data == STDIO and self.format is not None else self.data

    @property
    def words(self) -> list[str]:
        """What the user typed to have these data read, to be typed again."""
        typed = [self.data]
        for option in fields(self)[1:]:
            value = getattr(self, option.name)
            if value != option.default:
                for each in value if isinstance(value, list) else [value]:
                    typed += [f"--{option.name}", str(each)]
        return typed

    def _columns(self) -> dict[str, Any]:
        kinds = dict.fromkeys(self.category or (), "category") | dict.fromkeys(self.number or (), "number")
        named = {
            "label": self.label,
            "qid": self.qid,
            "item": self.item,
            "text": self.text,
            "features": self.feature,
            "drop": self.drop,
            "kinds": kinds,
            "relevant": self.relevant,
            "encoding": self.encoding,
        }
        return {role: column for role, column in named.items() if column}


@dataclass(frozen=True)
class Speaking:
    """How results and messages are given: results to standard output, messages to standard error."""

    json: Annotated[bool, typer.Option("--json", help="Print results as JSON.")] = False
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No messages and no progress.")] = False

    def say(self, message: str) -> None:
        """Tell the user something that is not a result."""
        if not self.quiet:
            print(message, file=sys.stderr)

    def show(self, rows: Sequence[dict[str, Any]], out: Path | None = None) -> None:
        """Print rows of the same columns: JSON, a table on a terminal, commas for a .csv, otherwise tabs."""
        if out is None and not self.json and sys.stdout.isatty():
            _print_table(rows)
            return
        commas = out is not None and ending_of(str(out)) == ".csv"
        lines = _json_lines(rows) if self.json else _lines(rows, "," if commas else "\t")
        with open_output(out or STDIO) as stream:
            stream.writelines(f"{line}\n".encode() for line in lines)

    def progress(self, what: str) -> AbstractContextManager[Callable[[int, int | None], None]]:
        """Show how far a long piece of work is, on standard error."""
        from semirank.cli.progress import bar

        return bar(what, visible=not self.quiet and sys.stderr.isatty())


Seed = Annotated[int, typer.Option(min=0, help="Seed of everything that is drawn at random.")]
Out = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file instead of standard output.")
]


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of its parameters that are dataclasses."""
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind) and isinstance(kind, type)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _field_parameters(groups[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY))

    @functools.wraps(command)
    def with_options(**options: Any) -> None:
        for name, kind in groups.items():
            options[name] = kind(**{field.name: options.pop(field.name) for field in fields(kind)})
        command(**options)

    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return with_options


def _field_parameters(kind: type) -> Iterable[inspect.Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    for field in fields(kind):
        default = inspect.Parameter.empty if field.default is MISSING else field.default
        yield inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[field.name]
        )


@functools.cache
def _stdin() -> bytes:
    """Return what stands in standard input, which can be read only once."""
    return sys.stdin.buffer.read()


def _unlabelled(text: str) -> Any:
    if text.lower() in ("auto", "none"):
        return "auto" if text.lower() == "auto" else None
    try:
        return float(text)
    except ValueError:
        raise typer.BadParameter(f"--unlabelled must be a number, none or auto; got {text!r}.") from None


def _number_or_word(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text


def _json_lines(rows: Sequence[dict[str, Any]]) -> Iterable[str]:
    return (json.dumps({name: _json_value(value) for name, value in row.items()}) for row in rows)


def _json_value(value: Any) -> Any:
    return None if isinstance(value, float) and value != value else value


def _lines(rows: Sequence[dict[str, Any]], delimiter: str) -> Iterable[str]:
    for cells in (rows[0] if rows else (), *(map(_cell, row.values()) for row in rows)):
        yield delimiter.join(semirank.readers.delimited.quoted(cells, ",") if delimiter == "," else cells)


def _cell(value: Any) -> str:
    return "" if value is None else f"{value:.6g}" if isinstance(value, float) else str(value)


LONG = ("title", "text")  # columns that are cut to what the others leave of a line
NARROWEST = 20


def _print_table(rows: Sequence[dict[str, Any]]) -> None:
    from rich.console import Console
    from rich.table import Table

    console, names = Console(), list(rows[0]) if rows else []
    cells = [[_cell(value) for value in row.values()] for row in rows]
    widths = {name: max(map(len, (name, *column))) for name, *column in zip(names, *cells, strict=True)}
    left = console.width - sum(width + 2 for name, width in widths.items() if name not in LONG)
    table = Table(header_style="bold", box=None, pad_edge=False)
    for name in names:
        cut = max(NARROWEST, left) if name in LONG else None
        table.add_column(name, no_wrap=name in LONG, overflow="ellipsis", max_width=cut)
    for row in cells:
        table.add_row(*row)
    console.print(table)


def metric_rows(result: "Evaluation") -> list[dict[str, Any]]:
    """One row a metric: its mean over the lists where it is defined, and how many those are."""
    return [
        {
            "metric": name,
            "mean": result.mean(name),
            "lists": result.n_defined(name),
            "of": len(result.list_ids),
        }
        for name in result.values
    ]


def list_rows(result: "Evaluation") -> list[dict[str, Any]]:
    """One row a list, one column a metric."""
    return [
        {"qid": str(name), **{metric: float(values[i]) for metric, values in result.values.items()}}
        for i, name in enumerate(result.list_ids)
    ]

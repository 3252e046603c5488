"""Options that commands share: what to read, how to speak."""

import functools
import inspect
import io
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import MISSING, dataclass, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer

import semirank
from semirank.cli.spelling import as_typed
from semirank.cli.tables import table, width_of_terminal, wrapped
from semirank.files import STDIO, ending_of, open_output
from semirank.progress import ProgressBar
from semirank.spelling import spelled

if TYPE_CHECKING:
    from semirank.dataset import RankingDataset
    from semirank.dataset.parts import Parts
    from semirank.readers.records import Records
    from semirank.selection.evaluation import Evaluation


NO_COLUMN = "none"


@dataclass(frozen=True)
class Reading:
    """Where the data are and how they are to be read."""

    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA",
            help="A file (CSV, TSV, XLSX, Parquet, RIS, BibTeX, .asreview, .npy, .npz, "
            ".safetensors, LETOR, qrels; .gz .xz .bz2 .zip), a folder of images, a named dataset, or - .",
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
    label: Annotated[str | None, typer.Option(help="Column of a table that holds the labels, or none.")] = (
        None
    )
    qid: Annotated[str | None, typer.Option(help="Column of a table that names the list, or none.")] = None
    item: Annotated[str | None, typer.Option(help="Column of a table that names the item, or none.")] = None
    text: Annotated[
        list[str] | None, typer.Option(help="Column of a table with text; repeat for several. Or none.")
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

    def parts(self, **options: Any) -> "Parts":
        """Open the data in parts, for --stream; options of `open_parts` may be given."""
        return semirank.open_parts(
            self.data,
            label=_column(self.label),
            qid=_column(self.qid),
            item=_column(self.item),
            features=self.feature or None,
            drop=self.drop or (),
            unlabelled=_unlabelled(self.unlabelled),
            **options,
        )

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

    def parts_of_columns(self) -> dict[str, str]:
        """Say which part each column of a table plays; nothing of what is no table."""
        kind = None if self.is_named else self.format or semirank.readers.format_of(self.data)
        if kind not in semirank.readers.RECORDS:
            return {}
        chosen = {name: value for name, value in self._columns().items() if name not in ("kinds", "relevant")}
        columns, roles = semirank.readers.loading.load_roles(self._source(), format=kind, **chosen)
        single = {roles.label: "label", roles.qid: "list", roles.item: "name of the item"}
        parts = dict.fromkeys(roles.text, "text") | dict.fromkeys(roles.features, "feature") | single
        return {name: parts.get(name, "left out") for name in columns}

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
            "label": _column(self.label),
            "qid": _column(self.qid),
            "item": _column(self.item),
            "text": False if self.text == [NO_COLUMN] else self.text,
            "features": self.feature,
            "drop": self.drop,
            "kinds": kinds,
            "relevant": self.relevant,
            "encoding": self.encoding,
        }
        return {role: column for role, column in named.items() if column or column is False}


@dataclass(frozen=True)
class Speaking:
    """How results and messages are given: results to standard output, messages to standard error."""

    json: Annotated[bool, typer.Option("--json", help="Print results as JSON.")] = False
    wide: Annotated[
        bool, typer.Option("--wide", help="On a terminal: all columns of tables, however wide.")
    ] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="No messages, no warnings and no progress.")
    ] = False

    def say(self, message: str, command: str | None = None) -> None:
        """Tell the user something that is not a result; a command to be typed stays on one line."""
        if not self.quiet:
            tell(message, command)

    def show(
        self, rows: Sequence[dict[str, Any]], out: Path | None = None, least: Sequence[str] = ()
    ) -> None:
        """Print rows of the same columns: JSON, a table on a terminal, commas for a .csv, otherwise tabs.

        A terminal that is too narrow for all columns shows those of `least` last.
        """
        if out is None and not self.json and sys.stdout.isatty():
            self._print_table(rows, least)
            return
        commas = out is not None and ending_of(str(out)) == ".csv"
        lines = _json_lines(rows) if self.json else _lines(rows, "," if commas else "\t")
        with open_output(out or STDIO) as stream:
            stream.writelines(f"{line}\n".encode() for line in lines)

    def _print_table(self, rows: Sequence[dict[str, Any]], least: Sequence[str]) -> None:
        from rich.console import Console

        names, cells = list(rows[0]) if rows else [], [[*map(_cell, row.values())] for row in rows]
        lines, gone = table(names, cells, None if self.wide else width_of_terminal(), least)
        console = Console(highlight=False, markup=False, emoji=False)
        for number, line in enumerate(lines):
            style = "bold" if number == 0 else None
            console.print(line, style=style, no_wrap=True, overflow="ignore", crop=False)
        if gone:
            self.say(f"No room for {', '.join(gone)}: --wide shows all.")

    def progress(self, what: str) -> ProgressBar:
        """Show how far a long piece of work is, on standard error."""
        return ProgressBar(what, visible=not self.quiet)


def tell(message: str, command: str | None = None) -> None:
    """Print a message on standard error; on a terminal, lines end between words, and a command is alone."""
    terminal = sys.stderr.isatty()
    said = wrapped(message, width_of_terminal()) if terminal else message
    print(said, *([] if command is None else [command]), sep="\n  " if terminal else " ", file=sys.stderr)


Seed = Annotated[int, typer.Option(min=0, help="Seed of everything that is drawn at random.")]
Out = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file instead of standard output.")
]


def expand(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command one option for each field of its parameters that are dataclasses.

    While it runs, messages of the library write options as this command has them.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind) and isinstance(kind, type)}
    parameters: list[inspect.Parameter] = []
    for name, parameter in inspect.signature(command).parameters.items():
        if name in groups:
            parameters += _field_parameters(groups[name])
        else:
            parameters.append(parameter.replace(annotation=hints[name], kind=parameter.KEYWORD_ONLY))
    words = {word for parameter in parameters for word in _words(parameter)}

    @functools.wraps(command)
    def with_options(**options: Any) -> None:
        with ExitStack() as stack:
            stack.enter_context(spelled(functools.partial(as_typed, words=words)))
            if options.get("quiet"):
                stack.enter_context(warnings.catch_warnings(action="ignore"))
            for name, kind in groups.items():
                options[name] = kind(**{field.name: options.pop(field.name) for field in fields(kind)})
            command(**options)

    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {entry.name: entry.annotation for entry in parameters}
    return with_options


def _words(parameter: inspect.Parameter) -> Sequence[str]:
    """Return how an option is written; an argument has no words."""
    [declared] = parameter.annotation.__metadata__
    if not isinstance(declared, typer.models.OptionInfo):
        return ()
    given = (declared.default, *(declared.param_decls or ()))  # typer keeps the first word there
    words = [word for each in given if isinstance(each, str) for word in each.split("/")]
    return words or [f"--{parameter.name.replace('_', '-')}"]


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


def _column(name: str | None) -> str | Literal[False] | None:
    return False if name == NO_COLUMN else name


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

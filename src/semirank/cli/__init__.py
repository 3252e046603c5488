"""The command line: data to standard output, messages to standard error, exit code 0, 1 or 2.

A command file parses, makes one call into the library, and prints. Heavy rooms are reached through
``semirank.<name>``, which imports them on first use, so that ``--help`` stays quick.
"""

import os
import sys
import warnings
from typing import Any

import typer

from semirank.checkpoints import CheckpointInUseError
from semirank.cli.compare import compare
from semirank.cli.convert import convert
from semirank.cli.datasets import datasets
from semirank.cli.describe import describe
from semirank.cli.evaluate import evaluate
from semirank.cli.explain import explain
from semirank.cli.export import export
from semirank.cli.fit import fit
from semirank.cli.label import label
from semirank.cli.options import expand, tell
from semirank.cli.rank import rank
from semirank.cli.rankers import rankers
from semirank.cli.replay import replay
from semirank.cli.reproduce import reproduce
from semirank.cli.serve import serve
from semirank.cli.simulate import simulate
from semirank.cli.tables import width_of_terminal

_WRONG_COMMAND: Any = typer.BadParameter.mro()[2]  # click's ClickException, wherever typer keeps it

ROOM_FOR_BOXES = 110  # columns: below, the boxes of help texts squeeze words until they break

app = typer.Typer(
    name="semirank",
    help="Rank many things from few labels.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich" if width_of_terminal() >= ROOM_FOR_BOXES else None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in (
    serve,
    describe,
    compare,
    rank,
    label,
    explain,
    fit,
    export,
    evaluate,
    convert,
    simulate,
    replay,
    rankers,
    reproduce,
):
    app.command()(expand(command))
app.add_typer(datasets, name="datasets")


@app.callback(invoke_without_command=True)
def version(
    show: bool = typer.Option(False, "--version", help="Print the version and exit.", is_eager=True),
) -> None:
    """Rank many things from few labels."""
    if show:
        import semirank

        print(semirank.__version__)
        raise typer.Exit


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    tell(f"semirank: {message}")


def main() -> None:
    """Run the command line; what is wrong with data or files is one line, without a traceback."""
    warnings.showwarning = _show_warning
    try:
        sys.exit(app(standalone_mode=False))
    except _WRONG_COMMAND as error:
        tell(f"semirank: {error.format_message()}")
        sys.exit(2)
    except BrokenPipeError:  # whoever reads our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except (ValueError, OSError, ImportError, CheckpointInUseError) as error:
        tell(f"semirank: {error}")
        sys.exit(1)
    except KeyboardInterrupt:
        tell("semirank: interrupted")
        sys.exit(130)

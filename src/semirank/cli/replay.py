"""``semirank replay``: every order of a project, computed again."""

from pathlib import Path
from typing import Annotated

import typer

from semirank.cli.options import Speaking

ROUNDING = 0.99  # a correlation from which on orders are the same but for rounding


def replay(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="A project of `semirank serve`.")],
    speaking: Speaking,
) -> None:
    """Compute every order of a project again, and name the first that differs.

    An order depends on the items, the settings and the events before it, and on nothing else. On another
    machine rounding can differ; then the rank correlation says how much. Exit code 1 where orders differ by
    more than rounding.
    """
    from semirank.web.project import Project
    from semirank.web.replaying import replays

    rows, worst = [], 1.0
    with Project.open(project) as opened:
        for reviewer, found in replays(opened):
            first = found.differences[0] if found.differences else None
            worst = min([worst, *(each.correlation for each in found.differences)])
            rows.append(
                {
                    "reviewer": reviewer or "all",
                    "orders": found.n_orders,
                    "same": found.n_orders - len(found.differences),
                    "first difference": None if first is None else first.number,
                    "at place": None if first is None else first.first_place + 1,
                    "correlation": None if first is None else round(first.correlation, 6),
                }
            )
    if not rows:
        speaking.say(f"{project}: no order has been kept yet.")
        return
    speaking.show(rows)
    if worst < ROUNDING:
        raise typer.Exit(1)

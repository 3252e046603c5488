"""``semirank rankers``: the rankers and their parameters."""

import inspect
from typing import Annotated, Any

import typer

import semirank
from semirank.cli.options import Speaking


def rankers(
    speaking: Speaking,
    name: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME...]", help="Rankers whose parameters to list.")
    ] = None,
) -> None:
    """List the rankers and what they do; of those that are named, what their parameters may be."""
    known = semirank.registry
    if not name:
        speaking.show([_about(each, known.ranker_class(each)) for each in known.ranker_names()])
        speaking.say("`semirank rankers NAME` lists parameters.")
        return
    try:
        kinds = {each: known.ranker_class(each) for each in name}
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    rows = [row for each, kind in kinds.items() for row in _parameters(each, kind)]
    speaking.show(rows, least=("default",))


def _about(name: str, kind: Any) -> dict[str, Any]:
    about = (inspect.getdoc(kind) or "").partition("\n")[0]
    return {"ranker": name, "about": about}


def _parameters(name: str, kind: Any) -> list[dict[str, Any]]:
    signature = inspect.signature(kind).parameters
    return [
        {
            "ranker": name,
            "parameter": parameter,
            "default": _default(signature[parameter]),
            "may be": str(limit),
        }
        for parameter, limit in kind.limits.items()
    ]


def _default(parameter: inspect.Parameter) -> str | None:
    return None if parameter.default is parameter.empty else repr(parameter.default)

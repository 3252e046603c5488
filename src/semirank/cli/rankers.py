"""``semirank rankers``: the rankers and their parameters."""

import inspect
from typing import Any

import semirank
from semirank.cli.options import Speaking


def rankers(speaking: Speaking) -> None:
    """List the rankers, what they do, and what their parameters may be."""
    names = semirank.registry.ranker_names()
    speaking.show([row for name in names for row in _rows(name, semirank.registry.ranker_class(name))])


def _rows(name: str, kind: Any) -> list[dict[str, Any]]:
    about = (inspect.getdoc(kind) or "").partition("\n")[0]
    signature = inspect.signature(kind).parameters
    rows = [
        {
            "ranker": name,
            "parameter": parameter,
            "default": _default(signature[parameter]),
            "limits": str(limit),
            "about": about,
        }
        for parameter, limit in kind.limits.items()
    ]
    return rows or [{"ranker": name, "parameter": None, "default": None, "limits": None, "about": about}]


def _default(parameter: inspect.Parameter) -> str | None:
    return None if parameter.default is parameter.empty else repr(parameter.default)

"""``semirank rankers``: the rankers and their parameters."""

import inspect
from typing import Any

import semirank
from semirank.cli.options import Speaking


def rankers(speaking: Speaking) -> None:
    """List the rankers, what they do, and what their parameters may be."""
    speaking.show([row for name, kind in semirank.registry.RANKERS.items() for row in _rows(name, kind)])


def _rows(name: str, kind: Any) -> list[dict[str, Any]]:
    about = (inspect.getdoc(kind) or "").partition("\n")[0]
    defaults = kind().get_params(deep=False)
    rows = [
        {
            "ranker": name,
            "parameter": parameter,
            "default": repr(defaults[parameter]),
            "limits": str(limit),
            "about": about,
        }
        for parameter, limit in kind.limits.items()
    ]
    return rows or [{"ranker": name, "parameter": None, "default": None, "limits": None, "about": about}]

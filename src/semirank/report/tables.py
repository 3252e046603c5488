"""Tables in Markdown, and the lines that say how they came about."""

import platform
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import version
from typing import Any

PACKAGES = ("semirank", "numpy", "scipy", "scikit-learn", "numba")


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """Write rows of the same columns as a Markdown table.

    Examples
    --------
    >>> print(markdown([{"method": "ours", "AUC": 0.987}, {"method": "theirs", "AUC": None}]))
    | method | AUC |
    |---|---|
    | ours | 0.987 |
    | theirs | - |
    """
    columns = list(rows[0]) if rows else []
    lines = [columns, *([_cell(row[column]) for column in columns] for row in rows)]
    lines.insert(1, [])
    return "\n".join(f"| {' | '.join(line)} |" if line else "|" + "---|" * len(columns) for line in lines)


def mean_and_spread(values: Any, scale: float = 100.0) -> str:
    """Write the mean and the standard deviation, in per cent by default.

    Examples
    --------
    >>> mean_and_spread([0.9, 1.0])
    '95.0 ± 7.1'
    """
    mean = sum(values) / len(values)
    spread = (sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1)) ** 0.5
    return f"{mean * scale:.1f} ± {spread * scale:.1f}"


def provenance(**settings: Any) -> str:
    """Say when and with what a result was made, so that it can be made again."""
    versions = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    chosen = ", ".join(f"{name} = {value}" for name, value in settings.items())
    made = f"Made on {date.today().isoformat()} with Python {platform.python_version()}, {versions}."
    return f"{made} Settings: {chosen}." if chosen else made


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)

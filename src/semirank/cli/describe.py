"""``semirank describe``: what is in the data."""

from typing import Any

import semirank
from semirank.cli.options import Out, Reading, Speaking


def describe(reading: Reading, speaking: Speaking, out: Out = None) -> None:
    """Count lists, items, labels and features, say what columns are, and warn about what is unusual."""
    data = reading.open()
    columns = None
    if data.table is not None:
        data, features = semirank.features.table.encode(data)
        columns = features and features.summary
    summary = {**vars(semirank.dataset.describe(data)), "columns": columns}
    speaking.show([summary] if speaking.json else _lines(summary), out)


def _lines(summary: dict[str, Any]) -> list[dict[str, Any]]:
    counts = {name.replace("_", " "): value for name, value in summary.items()}
    histogram, warnings, columns = (counts.pop(name) for name in ("label histogram", "warnings", "columns"))
    rows = [*counts.items()] + ([("columns", columns)] if columns else [])
    rows += [(f"label {level}", count) for level, count in histogram.items()]
    rows += [("warning", text) for text in warnings]
    return [{"what": what, "value": value} for what, value in rows]

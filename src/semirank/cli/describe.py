"""``semirank describe``: what is in the data."""

from typing import Any

import semirank
from semirank.cli.options import Out, Reading, Speaking

MOST_COLUMNS = 60  # that are named one by one


def describe(reading: Reading, speaking: Speaking, out: Out = None) -> None:
    """Count lists, items, labels and features, say what columns became, and warn about what is unusual."""
    data = reading.open()
    parts, features = reading.parts_of_columns(), None
    if data.table is not None:
        data, features = semirank.features.table.encode(data)
    made = {} if features is None else features.became
    became = {name: part if part != "feature" else made.get(name, "number") for name, part in parts.items()}
    columns = features and features.summary
    summary = {**vars(semirank.dataset.describe(data)), "columns": columns, "became": became}
    speaking.show([summary] if speaking.json else _lines(summary), out)


def _lines(summary: dict[str, Any]) -> list[dict[str, Any]]:
    counts = {name.replace("_", " "): value for name, value in summary.items()}
    histogram, warnings = counts.pop("label histogram"), counts.pop("warnings")
    columns, became = counts.pop("columns"), counts.pop("became")
    rows = [*counts.items()] + ([("columns", columns)] if columns else [])
    rows += [(f"column {name}", part) for name, part in list(became.items())[:MOST_COLUMNS]]
    if len(became) > MOST_COLUMNS:
        rows.append(("further columns", len(became) - MOST_COLUMNS))
    rows += [(f"label {level}", count) for level, count in histogram.items()]
    rows += [("warning", text) for text in warnings]
    return [{"what": what, "value": value} for what, value in rows]

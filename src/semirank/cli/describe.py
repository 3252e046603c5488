"""``semirank describe``: what is in the data."""

from typing import Any

import semirank
from semirank.cli.options import Out, Reading, Speaking


def describe(reading: Reading, speaking: Speaking, out: Out = None) -> None:
    """Count lists, items, labels and features, and warn about what a ranker could stumble over."""
    summary = vars(semirank.dataset.describe(reading.open()))
    speaking.show([summary] if speaking.json else _lines(summary), out)


def _lines(summary: dict[str, Any]) -> list[dict[str, Any]]:
    counts = {name.replace("_", " "): value for name, value in summary.items()}
    histogram, warnings = counts.pop("label histogram"), counts.pop("warnings")
    rows = [*counts.items()]
    rows += [(f"label {level}", count) for level, count in histogram.items()]
    rows += [("warning", text) for text in warnings]
    return [{"what": what, "value": value} for what, value in rows]

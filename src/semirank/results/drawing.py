"""Pictures of a comparison, drawn on axes that are given: for reports, and for notebooks."""

from collections.abc import Callable, Sequence
from textwrap import wrap
from typing import Any

from semirank.results.budget import BudgetCurve
from semirank.results.comparison import Comparison
from semirank.results.result import RECALL_LEVELS, Contrast, Interval, Result

MOST_CURVES = 5
ROW_WIDTH = 28  # letters of a line before a row
FEW_LISTS = 2  # up to so many lists, intervals say more than bars


def draw_rankers(comparison: Comparison, axes: Any, names: Sequence[str] = ()) -> None:
    """Show the mean of each ranker, or of those that are named, with its interval."""
    results = [each for each in comparison.finished if not names or each.name in names]
    for place, each in enumerate(reversed(results)):
        _draw_interval(axes, place, each.mean, each.interval, "C0" if each.supervised else "C1")
    _name_rows(axes, [comparison.titles[each.name] for each in results])
    axes.set_xlabel(f"{comparison.metric}, with {comparison.confidence:.0%} interval")
    for colour, label in (("C0", "labels only"), ("C1", "with unlabelled data")):
        axes.plot([], [], "o-", color=colour, label=label)


def draw_gains(comparison: Comparison, axes: Any) -> None:
    """Show what unlabelled data did for each ranker that uses them: the difference with its interval."""
    contrasts = gains(comparison)
    colours = {"helps": "C2", "harms": "C1", "no evidence": "C5"}
    for place, (_, contrast) in enumerate(reversed(contrasts)):
        _draw_interval(axes, place, contrast.difference, contrast.interval, colours[contrast.verdict])
    axes.axvline(0, color="C5", linewidth=0.8)
    _name_rows(axes, [comparison.titles[name] for name, _ in contrasts])
    axes.set_xlabel(f"difference in {comparison.metric}, with {comparison.confidence:.0%} interval")


def gains(comparison: Comparison) -> list[tuple[str, Contrast]]:
    """Return the rankers that were compared with themselves on labels alone."""
    return [(each.name, each.contrast) for each in comparison.finished if each.contrast is not None]


def draw_lists(comparison: Comparison, axes: Any) -> None:
    """Show the improvement of the best ranker with unlabelled data on each list, sorted."""
    values = [delta for _, delta in list_deltas(comparison)]
    axes.bar(range(len(values)), values, color=["C2" if value > 0 else "C1" for value in values], width=0.9)
    axes.axhline(0, color="C5", linewidth=0.8)
    axes.set_xlabel("lists, from the most improved to the most degraded")
    axes.set_ylabel(f"difference in {comparison.metric}")


def list_deltas(comparison: Comparison) -> list[tuple[str, float]]:
    """Return the improvement of the best ranker with unlabelled data on each list, the largest first."""
    name = comparison.best_semi_supervised
    contrast = None if name is None else comparison.result(name).contrast
    if contrast is None:
        return []
    known = zip(comparison.lists, contrast.deltas, strict=True)
    return sorted(((name, delta) for name, delta in known if delta is not None), key=lambda pair: -pair[1])


def draw_budget(comparison: Comparison, axes: Any) -> None:
    """Show how the metric grows with labels, with and without unlabelled data."""
    assert comparison.budget is not None
    curves = (comparison.budget.baseline, comparison.budget.ranker)
    for curve in curves:
        _draw_curve(axes, curve, comparison.titles.get(curve.name, curve.name))
    axes.set_xscale("log")
    sizes = [point.size for point in curves[0].points]
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel(comparison.budget.unit)
    axes.set_ylabel(comparison.metric)


def draw_precision(comparison: Comparison, axes: Any) -> None:
    """Show precision at eleven levels of recall for the best rankers; broken lines use unlabelled data."""
    for each in with_precision(comparison):
        known = [
            (at, value) for at, value in zip(RECALL_LEVELS, each.precision, strict=True) if value is not None
        ]
        style = "-" if each.supervised else "--"
        axes.plot(*zip(*known, strict=True), style, marker=".", label=comparison.titles[each.name])
    axes.set_xlabel("recall")
    axes.set_ylabel("interpolated precision")
    axes.set_ylim(0, 1.02)


def with_precision(comparison: Comparison) -> list[Result]:
    """Return the best rankers that have precisions, and the best that uses labels alone."""
    known = [each for each in comparison.finished if any(value is not None for value in each.precision)]
    alone = [each for each in known[MOST_CURVES:] if each.name == comparison.best_supervised]
    return known[:MOST_CURVES] + alone


PICTURES: dict[str, Callable[[Comparison, Any], None]] = {
    "rankers": draw_rankers,
    "gains": draw_gains,
    "lists": draw_lists,
    "budget": draw_budget,
    "precision": draw_precision,
}
"""What `Comparison.plot` can draw."""


def size(comparison: Comparison, what: str) -> tuple[float, float]:
    """Return the size of a picture in inches: one with a row for each ranker grows with them."""
    rows = {"rankers": comparison.finished, "gains": gains(comparison)}.get(what)
    return (8, 4) if rows is None else (8, 1.4 + 0.34 * len(rows))


def nothing_to_draw(comparison: Comparison, what: str) -> str | None:
    """Say why there is no such picture of a comparison; None where there is."""
    missing = {
        "rankers": not comparison.finished and "no ranker has finished",
        "gains": not gains(comparison)
        and "no ranker that uses unlabelled data was compared with itself without",
        "lists": not list_deltas(comparison) and "no ranker that uses unlabelled data was measured on a list",
        "budget": comparison.budget is None and "label budgets were not measured",
        "precision": not with_precision(comparison) and "no ranker has precisions",
    }
    return missing[what] or None


def _name_rows(axes: Any, titles: Sequence[str]) -> None:
    """Write what the rows of a picture are, the first on top."""
    axes.set_yticks(range(len(titles)), ["\n".join(wrap(title, ROW_WIDTH)) for title in reversed(titles)])
    axes.set_ylim(-0.6, len(titles) - 0.4)


def _draw_interval(axes: Any, place: int, value: Any, interval: Interval | None, colour: str) -> None:
    if interval is not None:
        axes.plot([interval.low, interval.high], [place, place], color=colour, linewidth=2)
    axes.plot(value, place, "o", color=colour)


def _draw_curve(axes: Any, curve: BudgetCurve, label: str) -> None:
    known = [point for point in curve.points if point.mean is not None]
    [line] = axes.plot([point.size for point in known], [point.mean for point in known], "o-", label=label)
    spans = [(point.size, point.interval) for point in known if point.interval is not None]
    axes.fill_between(
        [size for size, _ in spans],
        [interval.low for _, interval in spans],
        [interval.high for _, interval in spans],
        color=line.get_color(),
        alpha=0.15,
        linewidth=0,
    )

"""The pictures of a comparison, each with its numbers."""

from collections.abc import Callable
from functools import partial
from typing import Any

from semirank.report.page import Picture
from semirank.results.budget import Budget
from semirank.results.comparison import Comparison
from semirank.results.drawing import (
    draw_budget,
    draw_gains,
    draw_lists,
    draw_precision,
    draw_rankers,
    gains,
    list_deltas,
    size,
    with_precision,
)
from semirank.results.result import RECALL_LEVELS, Result

WIDE = 5  # inches from which a legend has two columns


def answer_picture(comparison: Comparison) -> Picture:
    """Show what is recommended beside what it has to be compared with."""
    names = _beside_choice(comparison)
    rows = [_mean_row(each) for each in comparison.finished if each.name in names]
    draw = partial(draw_rankers, names=names)
    caption = f"Mean {comparison.metric} with {comparison.confidence:.0%} interval."
    return Picture(caption, _on_axes(draw, comparison), rows, (5, 1.2 + 0.4 * len(rows)))


def _beside_choice(comparison: Comparison) -> tuple[str, ...]:
    """Return the recommended ranker, the best of either kind, and itself on labels alone."""
    chosen = comparison.recommended
    wanted = [chosen, comparison.best, comparison.best_supervised, comparison.best_semi_supervised]
    wanted += [each.baseline for each in comparison.finished if each.name == chosen]
    return tuple(name for name in dict.fromkeys(wanted) if name is not None)


def means(comparison: Comparison) -> Picture:
    """Show the mean of each ranker with its interval."""
    rows = [_mean_row(each) for each in comparison.finished]
    caption = f"Mean {comparison.metric} of each ranker; the best stands on top."
    return Picture(caption, _on_axes(draw_rankers, comparison), rows, size(comparison, "rankers"))


def gain_intervals(comparison: Comparison) -> Picture:
    """Show what unlabelled data did for each ranker that uses them."""
    found = gains(comparison)
    rows = [
        {"ranker": name, "difference": each.difference, **_ends(each.interval), "verdict": each.verdict}
        for name, each in found
    ]
    caption = "Each ranker with unlabelled data against itself on labels alone; right of 0 is better."
    return Picture(caption, _on_axes(draw_gains, comparison), rows, size(comparison, "gains"))


def bars_of_lists(comparison: Comparison) -> Picture:
    """Show the improvement on each list, sorted."""
    name = comparison.best_semi_supervised or ""
    contrast = comparison.result(name).contrast
    assert contrast is not None
    titles = comparison.titles
    against = f"{titles[name]} against {titles.get(contrast.baseline, contrast.baseline)}"
    rows = [{"list": list_id, "difference": delta} for list_id, delta in list_deltas(comparison)]
    caption = f"{against}: the difference on each list; above 0 is better."
    return Picture(caption, _on_axes(draw_lists, comparison), rows)


def budget_curves(comparison: Comparison, budget: Budget) -> Picture:
    """Show how the metric grows with labels, with and without unlabelled data."""
    rows = [
        {
            "ranker": curve.name,
            budget.unit: point.size,
            comparison.metric: point.mean,
            **_ends(point.interval),
        }
        for curve in (budget.baseline, budget.ranker)
        for point in curve.points
    ]
    caption = f"{comparison.metric} by number of {budget.unit}, with and without unlabelled data."
    return Picture(caption, _on_axes(draw_budget, comparison), rows)


def precision_recall(comparison: Comparison) -> Picture:
    """Show precision at eleven levels of recall for the best rankers."""
    rows = [
        {"ranker": each.name, "recall": recall, "precision": value}
        for each in with_precision(comparison)
        for recall, value in zip(RECALL_LEVELS, each.precision, strict=True)
    ]
    caption = "Precision by recall, mean over lists; broken lines use unlabelled data."
    return Picture(caption, _on_axes(draw_precision, comparison), rows)


def _on_axes(draw: Callable[[Comparison, Any], None], comparison: Comparison) -> Callable[[Any], None]:
    """Return what fills a figure: one picture, and its legend below."""

    def fill(figure: Any) -> None:
        axes = figure.subplots()
        draw(comparison, axes)
        if axes.get_legend_handles_labels()[0]:
            columns = 2 if figure.get_figwidth() >= WIDE else 1
            figure.legend(loc="outside lower center", ncols=columns, frameon=False)

    return fill


def _mean_row(result: Result) -> dict[str, Any]:
    return {
        "ranker": result.name,
        "supervised": result.supervised,
        "mean": result.mean,
        **_ends(result.interval),
    }


def _ends(interval: Any) -> dict[str, float | None]:
    return {"low": interval.low if interval else None, "high": interval.high if interval else None}

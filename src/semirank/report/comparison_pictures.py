"""The pictures of a comparison, each with its numbers."""

from typing import Any

from semirank.report.page import Picture
from semirank.results.budget import Budget, BudgetCurve
from semirank.results.comparison import Comparison
from semirank.results.result import RECALL_LEVELS, Result

MOST_CURVES = 5


def means(comparison: Comparison) -> Picture:
    """Show the mean of each ranker with its interval."""
    results = comparison.finished
    rows = [_mean_row(each) for each in results]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for place, each in enumerate(reversed(results)):
            colour = "C0" if each.supervised else "C1"
            if each.interval:
                axes.plot([each.interval.low, each.interval.high], [place, place], color=colour, linewidth=2)
            axes.plot(each.mean, place, "o", color=colour)
        axes.set_yticks(range(len(results)), [each.name for each in reversed(results)])
        axes.set_xlabel(f"{comparison.metric}, with {comparison.confidence:.0%} interval")
        for colour, label in (("C0", "labels only"), ("C1", "with unlabelled data")):
            axes.plot([], [], "o-", color=colour, label=label)
        _legend_below(axes)

    caption = f"Mean {comparison.metric} of each ranker; the best stands on top."
    return Picture(caption, draw, rows, (8, 1.4 + 0.28 * len(results)))


def list_deltas(comparison: Comparison, name: str) -> Picture:
    """Show the improvement on each list, sorted."""
    contrast = comparison.result(name).contrast
    assert contrast is not None
    deltas = [
        (list_id, delta)
        for list_id, delta in zip(comparison.lists, contrast.deltas, strict=True)
        if delta is not None
    ]
    deltas.sort(key=lambda pair: -pair[1])
    values = [delta for _, delta in deltas]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        colours = ["C2" if value > 0 else "C1" for value in values]
        axes.bar(range(len(values)), values, color=colours, width=0.9)
        axes.axhline(0, color="C5", linewidth=0.8)
        axes.set_xlabel("lists, from the most improved to the most degraded")
        axes.set_ylabel(f"difference in {comparison.metric}")

    caption = f"{name} against {contrast.baseline}: the difference on each list; above 0 is better."
    rows = [{"list": list_id, "difference": delta} for list_id, delta in deltas]
    return Picture(caption, draw, rows or [{"list": None, "difference": None}])


def budget_curves(comparison: Comparison, budget: Budget) -> Picture:
    """Show how the metric grows with labels, with and without unlabelled data."""
    curves = (budget.baseline, budget.ranker)
    rows = [
        {
            "ranker": curve.name,
            budget.unit: point.size,
            comparison.metric: point.mean,
            "low": point.interval.low if point.interval else None,
            "high": point.interval.high if point.interval else None,
        }
        for curve in curves
        for point in curve.points
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for curve in curves:
            _draw_curve(axes, curve)
        axes.set_xscale("log")
        sizes = [point.size for point in curves[0].points]
        axes.set_xticks(sizes, [str(size) for size in sizes])
        axes.minorticks_off()
        axes.set_xlabel(budget.unit)
        axes.set_ylabel(comparison.metric)
        _legend_below(axes)

    caption = f"{comparison.metric} by number of {budget.unit}, with and without unlabelled data."
    return Picture(caption, draw, rows)


def precision_recall(comparison: Comparison) -> Picture:
    """Show precision at eleven levels of recall for the best rankers."""
    results = [each for each in comparison.finished if each.precision][:MOST_CURVES]
    names = {each.name for each in results}
    results += [
        each
        for each in comparison.finished
        if each.name == comparison.best_supervised and each.name not in names and each.precision
    ]
    rows = [
        {"ranker": each.name, "recall": recall, "precision": value}
        for each in results
        for recall, value in zip(RECALL_LEVELS, each.precision, strict=True)
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for each in results:
            known = [
                (recall, value)
                for recall, value in zip(RECALL_LEVELS, each.precision, strict=True)
                if value is not None
            ]
            axes.plot(
                *zip(*known, strict=True), "-" if each.supervised else "--", marker=".", label=each.name
            )
        axes.set_xlabel("recall")
        axes.set_ylabel("interpolated precision")
        axes.set_ylim(0, 1.02)
        _legend_below(axes)

    return Picture("Precision by recall, mean over lists; broken lines use unlabelled data.", draw, rows)


def _mean_row(result: Result) -> dict[str, Any]:
    interval = result.interval
    return {
        "ranker": result.name,
        "supervised": result.supervised,
        "mean": result.mean,
        "low": interval.low if interval else None,
        "high": interval.high if interval else None,
    }


def _draw_curve(axes: Any, curve: BudgetCurve) -> None:
    known = [point for point in curve.points if point.mean is not None]
    [line] = axes.plot(
        [point.size for point in known], [point.mean for point in known], "o-", label=curve.name
    )
    spans = [point for point in known if point.interval is not None]
    axes.fill_between(
        [point.size for point in spans],
        [point.interval.low for point in spans if point.interval],
        [point.interval.high for point in spans if point.interval],
        color=line.get_color(),
        alpha=0.15,
        linewidth=0,
    )


def _legend_below(axes: Any) -> None:
    axes.figure.legend(loc="outside lower center", ncols=2, frameon=False)

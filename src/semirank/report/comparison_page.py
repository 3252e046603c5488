"""A comparison of rankers as a page: what was found, in words, tables and pictures."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from semirank.report.comparison_pictures import budget_curves, list_deltas, means, precision_recall
from semirank.report.page import Code, Page, Picture, Section, Table, Text
from semirank.results.comparison import Comparison, ListChange, ShownItem
from semirank.results.result import Contrast, Interval, Result
from semirank.results.sentences import (
    about_budget,
    about_comparison,
    about_contrast,
    about_protocol,
    warnings_of,
)

SHOWN_CHANGES = 5


def comparison_page(comparison: Comparison) -> Page:
    """Lay out a comparison: the answer first, then the proof, then how to run it again."""
    found = "interrupted" if not comparison.complete else f"{comparison.seconds:.0f} s"
    sections = [
        Section("What was found", list(_findings(comparison))),
        Section("Leaderboard", list(_leaderboard(comparison))),
        Section("What unlabelled data did, list by list", list(_lists(comparison))),
        Section("How much labels are worth", list(_budget(comparison))),
        Section("Precision and recall", list(_precision(comparison))),
        Section("The data", list(_data(comparison))),
        Section("How it was measured", list(_protocol(comparison))),
        Section("Run it again", list(_settings(comparison))),
    ]
    return Page(
        f"semirank compare: {comparison.name}",
        f"{comparison.metric}, {comparison.date}, {found}",
        [section for section in sections if section.blocks],
    )


def leaderboard(comparison: Comparison) -> list[dict[str, Any]]:
    """Return one row for each ranker, the best first; those that did not finish have no figures."""
    return [_leaderboard_row(comparison, result) for result in comparison.results]


def _leaderboard_row(comparison: Comparison, result: Result) -> dict[str, Any]:
    contrast, overall = result.contrast or result.contrast_best, result.contrast_best
    return {
        "place": result.place,
        "ranker": result.name,
        comparison.metric: _number(result.mean),
        f"{comparison.confidence:.0%} interval": _interval(result.interval),
        "baseline": contrast.baseline if contrast else None,
        "difference": _signed(contrast.difference) if contrast else None,
        "p (Holm)": f"{contrast.p_adjusted:.2g}" if contrast else None,
        "verdict": _verdict(result, contrast),
        "to the best": _signed(overall.difference) if overall else None,
        "assumes of unlabelled data": result.assumption,
    }


def _verdict(result: Result, contrast: Contrast | None) -> str:
    if result.status != "finished":
        return result.reason or result.status
    return contrast.verdict if contrast else "supervised"


def _findings(comparison: Comparison) -> Iterator[Text | Code]:
    if comparison.command is not None:
        yield Code("To rank with what is recommended", comparison.command, shown=True)
    for words in about_comparison(comparison):
        yield Text(words, "answer")
    if not comparison.complete:
        yield Text("The comparison was interrupted: this is what was finished.", "warning")
    for words in warnings_of(comparison):
        yield Text(words, "warning")


def _leaderboard(comparison: Comparison) -> Iterator[Table | Picture]:
    if not comparison.results:
        return
    yield Table("Rankers, the best first", leaderboard(comparison))
    if comparison.finished:
        yield means(comparison)
        yield Table(
            "What each fit cost, and how it did",
            [_cost_row(each, comparison) for each in comparison.finished],
        )
    missing = [each for each in comparison.results if each.status != "finished"]
    if missing:
        rows = [{"ranker": each.name, "status": each.status, "reason": each.reason} for each in missing]
        yield Table("Rankers that did not finish; they have no place", rows)


def _cost_row(result: Result, comparison: Comparison) -> dict[str, Any]:
    memory = None if result.peak_memory is None else f"{result.peak_memory / 2**20:.0f} MB"
    return {
        "ranker": result.name,
        f"Judged@{comparison.judged_at}": _number(result.judged),
        f"first {comparison.judged_at} that stay": _share(result.stability),
        "fit": _seconds(result.fit_seconds),
        "rank": _seconds(result.rank_seconds),
        "memory": memory,
        "warned of": "; ".join(result.notes) or None,
    }


def _lists(comparison: Comparison) -> Iterator[Table | Picture | Text]:
    contrasts = [(each.name, each.contrast) for each in comparison.finished if each.contrast]
    if not contrasts:
        return
    yield Table("Each ranker against itself on labels alone", [_contrast_row(*each) for each in contrasts])
    n_labels = comparison.data.labelled
    for name, contrast in contrasts:
        yield Text(f"{name}: {about_contrast(contrast, comparison.metric, n_labels)}")
    pictured = comparison.best_semi_supervised
    if pictured and comparison.result(pictured).contrast:
        yield list_deltas(comparison, pictured)
    improved = [change for change in comparison.changes if change.delta > 0][:SHOWN_CHANGES]
    degraded = [change for change in comparison.changes if change.delta < 0][::-1][:SHOWN_CHANGES]
    for heading, changes in (("improved", improved), ("degraded", degraded)):
        for change in changes:
            yield Table(_change_caption(change, heading, comparison.metric), _change_rows(change))


def _contrast_row(name: str, contrast: Contrast) -> dict[str, Any]:
    return {
        "ranker": name,
        "on labels alone": contrast.baseline,
        "difference": _signed(contrast.difference),
        "interval": _interval(contrast.interval),
        "p": f"{contrast.p_value:.2g}",
        "p (Holm)": f"{contrast.p_adjusted:.2g}",
        f"{contrast.unit}s": contrast.n_units,
        "changed": _share(contrast.changed),
        "improved": _share(contrast.improved),
        "degraded": _share(contrast.degraded),
        "verdict": contrast.verdict,
    }


def _change_caption(change: ListChange, heading: str, metric: str) -> str:
    moved = f"{change.before:.3f} to {change.after:.3f}"
    return f"List {change.list_id}, {heading}: {metric} from {moved}"


def _change_rows(change: ListChange) -> list[dict[str, Any]]:
    places = max(len(change.items_before), len(change.items_after))
    before, after = (
        (*items, *[None] * places)[:places] for items in (change.items_before, change.items_after)
    )
    return [
        {"place": place, "without unlabelled data": _item(old), "with unlabelled data": _item(new)}
        for place, (old, new) in enumerate(zip(before, after, strict=True), 1)
    ]


def _item(item: ShownItem | None) -> str | None:
    if item is None:
        return None
    label = "no label" if item.label is None else f"label {item.label:g}"
    return f"{item.item} ({label})" + (f": {item.text}" if item.text else "")


def _budget(comparison: Comparison) -> Iterator[Text | Picture]:
    if comparison.budget is None:
        return
    yield budget_curves(comparison, comparison.budget)
    yield from map(Text, about_budget(comparison.budget, comparison.metric))


def _precision(comparison: Comparison) -> Iterator[Picture]:
    if any(value is not None for each in comparison.finished for value in each.precision):
        yield precision_recall(comparison)


def _data(comparison: Comparison) -> Iterator[Table | Text]:
    data = comparison.data
    rows = {
        "lists": data.lists,
        "items": data.items,
        "labelled": data.labelled,
        "unlabelled": data.unlabelled,
        "features": f"{data.features}{', sparse' if data.sparse else ''}",
        "items per list": data.items_per_list,
        "labels per list": data.labels_per_list,
    }
    yield Table("What is in the data", [{"": name, "count": value} for name, value in rows.items()])
    labels = [{"label": label, "items": count} for label, count in data.label_histogram.items()]
    if labels:
        yield Table("Labels", labels)


def _protocol(comparison: Comparison) -> Iterator[Text]:
    if comparison.protocol is not None:
        yield from map(Text, about_protocol(comparison.protocol))


def _settings(comparison: Comparison) -> Iterator[Code | Table]:
    used = {"seed": comparison.seed, "n_jobs": comparison.n_jobs, **comparison.options}
    yield Code("Settings", json.dumps(used, indent=2, ensure_ascii=False, default=str))
    yield Table(
        "Versions", [{"package": name, "version": value} for name, value in comparison.versions.items()]
    )
    rankers: Mapping[str, Any] = {
        each.name: {"ranker": each.ranker, **each.settings} for each in comparison.results
    }
    yield Code("Rankers", json.dumps(rankers, indent=2, ensure_ascii=False, default=str))


def _number(value: float | None) -> str | None:
    return None if value is None else f"{value:.3f}"


def _signed(value: float) -> str:
    return f"{value:+.3f}"


def _share(value: float | None) -> str | None:
    return None if value is None else f"{value:.0%}"


def _seconds(value: float | None) -> str | None:
    return None if value is None else f"{value:.3g} s"


def _interval(interval: Interval | None) -> str | None:
    return None if interval is None else f"{interval.low:.3f} to {interval.high:.3f}"

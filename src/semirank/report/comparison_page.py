"""A comparison of rankers as a page: what was found, in words, tables and pictures."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from semirank.report.comparison_pictures import (
    answer_picture,
    bars_of_lists,
    budget_curves,
    gain_intervals,
    means,
    precision_recall,
)
from semirank.report.page import Answer, Code, Name, Page, Picture, Section, Table, Text
from semirank.results.comparison import Comparison, ListChange, ShownItem
from semirank.results.drawing import FEW_LISTS, gains, list_deltas, with_precision
from semirank.results.result import Contrast, Interval, Result
from semirank.results.sentences import (
    about_budget,
    about_comparison,
    about_contrast,
    about_protocol,
    about_value,
    headline,
    warnings_of,
)

SHOWN_CHANGES = 5


def comparison_page(comparison: Comparison) -> Page:
    """Lay out a comparison: what to do on the first screen, then the proof, then how to run it again."""
    found = "interrupted" if not comparison.complete else f"{comparison.seconds:.0f} s"
    sections = [
        Section("What was found", list(map(Text, about_comparison(comparison)))),
        Section("Leaderboard", list(_leaderboard(comparison))),
        Section("What unlabelled data did", list(_gains(comparison))),
        Section("How much labels are worth", list(_budget(comparison))),
        Section("Precision and recall", list(_precision(comparison))),
        Section("The data", list(_data(comparison))),
        Section("How it was measured", list(_protocol(comparison))),
        Section("Run it again", list(_settings(comparison))),
    ]
    return Page(
        f"Which ranker for {comparison.name}?",
        f"semirank compare, {comparison.metric}, {comparison.date}, {found}",
        [section for section in sections if section.blocks],
        _answer(comparison),
    )


def _answer(comparison: Comparison) -> Answer:
    stopped = [] if comparison.complete else ["The comparison was interrupted: this is what was finished."]
    chosen = [each for each in comparison.finished if each.name == comparison.recommended]
    about = [text for each in chosen for text in _about_mean(each, comparison)]
    return Answer(
        headline(comparison),
        [*stopped, *warnings_of(comparison)],
        f"{comparison.metric} {chosen[0].mean:.3f}" if chosen else "",
        about,
        comparison.command,
        answer_picture(comparison) if chosen else None,
    )


def _about_mean(result: Result, comparison: Comparison) -> Iterator[str]:
    assert result.mean is not None
    if result.interval is not None:
        percent = f"{100 * comparison.confidence:g} %"
        yield f"{result.interval.low:.3f} to {result.interval.high:.3f} with {percent} confidence"
    if meaning := about_value(comparison.metric, result.mean):
        yield meaning


def _leaderboard(comparison: Comparison) -> Iterator[Table | Picture]:
    if not comparison.results:
        return
    yield Table("Rankers, the best first", [_place_row(each, comparison) for each in comparison.results])
    if comparison.finished:
        yield means(comparison)
        yield Table(
            "What each fit cost, and how it did",
            [_cost_row(each, comparison) for each in comparison.finished],
        )


def _place_row(result: Result, comparison: Comparison) -> dict[str, Any]:
    contrast = result.contrast or result.contrast_best
    return {
        "#": result.place,
        "ranker": _name(result, comparison),
        comparison.metric: _number(result.mean),
        f"{comparison.confidence:.0%} interval": _interval(result.interval),
        "gain": _signed(contrast.difference) if contrast else None,
        "p": f"{contrast.p_adjusted:.2g}" if contrast else None,
        "unlabelled data": _verdict(result, contrast),
    }


def _name(result: Result, comparison: Comparison) -> Name:
    return Name(comparison.titles[result.name], result.name, result.ranker)


def _verdict(result: Result, contrast: Contrast | None) -> str:
    if result.status != "finished":
        return result.reason or result.status
    return contrast.verdict if contrast else "not used"


def _cost_row(result: Result, comparison: Comparison) -> dict[str, Any]:
    memory = None if result.peak_memory is None else f"{result.peak_memory / 2**20:.0f} MB"
    return {
        "ranker": _name(result, comparison),
        f"Judged@{comparison.judged_at}": _number(result.judged),
        f"first {comparison.judged_at} that stay": _share(result.stability),
        "fit": _seconds(result.fit_seconds),
        "rank": _seconds(result.rank_seconds),
        "memory": memory,
        "warned of": "; ".join(result.notes) or None,
    }


def _gains(comparison: Comparison) -> Iterator[Table | Picture | Text]:
    found = gains(comparison)
    if not found:
        return
    yield gain_intervals(comparison)
    yield Table(
        "Each ranker against itself on labels alone", [_contrast_row(comparison, *each) for each in found]
    )
    for name, contrast in found:
        said = about_contrast(contrast, comparison.metric, comparison.data.labelled)
        yield Text(f"{comparison.titles[name]}: {said}")
    if len(list_deltas(comparison)) > FEW_LISTS:
        yield bars_of_lists(comparison)
    yield from _changes(comparison)


def _changes(comparison: Comparison) -> Iterator[Table]:
    improved = [change for change in comparison.changes if change.delta > 0][:SHOWN_CHANGES]
    degraded = [change for change in comparison.changes if change.delta < 0][::-1][:SHOWN_CHANGES]
    for heading, changes in (("improved", improved), ("degraded", degraded)):
        for change in changes:
            caption = _change_caption(change, heading, comparison.metric)
            yield Table(caption, _change_rows(change), folded=True)


def _contrast_row(comparison: Comparison, name: str, contrast: Contrast) -> dict[str, Any]:
    result = comparison.result(name)
    return {
        "ranker": _name(result, comparison),
        "assumes": result.assumption,
        "difference": _signed(contrast.difference),
        "interval": _interval(contrast.interval),
        "p (Holm)": f"{contrast.p_adjusted:.2g}",
        f"{contrast.unit}s": contrast.n_units,
        "better": _share(contrast.improved),
        "worse": _share(contrast.degraded),
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
    if with_precision(comparison):
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
    yield Table("What is in the data", [{"what": name, "count": value} for name, value in rows.items()])
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

"""Tables, sentences and curves about what was measured on documents by topic."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import mannwhitneyu

from semirank.core.arrays import Floats
from semirank.experiments.topic_trials import CURVE, Findings
from semirank.report.tables import mean_and_spread

LEVEL = 0.01  # of the rank-sum test, as in the paper
WORSE = "↓"


class Gain(NamedTuple):
    """How much more one method has than another, in points, and whether chance explains it."""

    points: float
    p: float

    @property
    def clear(self) -> bool:
        """Whether the rank-sum test tells the two apart."""
        return self.p < LEVEL

    def __str__(self) -> str:
        return f"{self.points:+.1f}{'*' if self.clear else ''}"


def gain(ours: Floats, theirs: Floats) -> Gain:
    """Compare one value for each split by Wilcoxon's rank-sum test.

    Examples
    --------
    >>> import numpy as np
    >>> str(gain(np.arange(20.0, 30.0) / 100, np.arange(10.0) / 100))
    '+20.0*'
    """
    p = 1.0 if np.array_equal(ours, theirs) else float(mannwhitneyu(ours, theirs).pvalue)
    return Gain(100.0 * float(ours.mean() - theirs.mean()), p)


def marked(columns: Mapping[str, Floats]) -> dict[str, str]:
    """Write mean and spread of each column in %; the best in bold, ↓ where one is clearly worse."""
    best = max(columns, key=lambda name: float(columns[name].mean()))
    return {
        name: f"**{mean_and_spread(values)}**"
        if name == best
        else mean_and_spread(values) + (WORSE if gain(values, columns[best]).clear else "")
        for name, values in columns.items()
    }


Paper = Mapping[str, Mapping[str, float]]


def main_rows(findings: Findings, metrics: Sequence[str], paper: Paper, bound: str) -> list[dict[str, Any]]:
    """Return one row for each method, with the paper's figures; the bound is no rival to the others."""
    rivals = [name for name in findings.values if name != bound]
    cells = {metric: marked({name: findings.splits(name, metric) for name in rivals}) for metric in metrics}
    rows = []
    for name in findings.values:
        row: dict[str, Any] = {"method": name}
        for metric in metrics:
            row[f"{metric} in %"] = cells[metric].get(name) or mean_and_spread(findings.splits(name, metric))
        row |= {f"{metric}, paper": _figure(paper, name, metric) for metric in metrics}
        rows.append(row | {"seconds": f"{np.median(findings.values[name]['seconds']):.2f}"})
    return rows


def topic_rows(
    findings: Findings, topics: Sequence[str], metric: str, methods: Sequence[str], paper: Paper
) -> list[dict[str, str]]:
    """Return one row for each topic, the paper's figure behind ours."""
    rows = []
    for number, topic in enumerate(topics):
        cells = marked({name: findings.values[name][metric][number] for name in methods})
        row = {"topic": topic}
        for name in methods:
            known = _figure(paper, name, topic)
            row[name] = f"{cells[name]} ({known})" if known else cells[name]
        rows.append(row)
    return rows


def _figure(paper: Paper, name: str, column: str) -> str | None:
    figure = paper.get(name, {}).get(column)
    return None if figure is None else f"{figure:.1f}"


Settings = Mapping[str, Findings]


def gains_over(
    ours: str, rivals: Sequence[str], settings: Settings, metric: str
) -> dict[str, dict[str, Gain]]:
    """Return what one method has more than each rival, by setting."""
    return {
        rival: {
            label: gain(found.splits(ours, metric), found.splits(rival, metric))
            for label, found in settings.items()
        }
        for rival in rivals
    }


def gain_rows(gains: Mapping[str, Mapping[str, Gain]]) -> list[dict[str, str]]:
    """Return one row for each rival, one column for each setting."""
    return [
        {"against": rival} | {label: str(each) for label, each in row.items()} for rival, row in gains.items()
    ]


def verdicts(ours: str, gains: Mapping[str, Mapping[str, Gain]]) -> str:
    """Say in words where one method is above its rivals, and where below."""
    rivals: dict[str, list[str]] = {}
    for rival, row in gains.items():
        rivals.setdefault(_where(row), []).append(f"*{rival}*")
    return " ".join(where.format(f"*{ours}*", _list(names)) + "." for where, names in rivals.items())


def _where(row: Mapping[str, Gain]) -> str:
    """Say, with {0} for one method and {1} for the other, in which settings a gain is clear."""
    found = {
        "above": [label for label, each in row.items() if each.clear and each.points > 0],
        "below": [label for label, each in row.items() if each.clear and each.points < 0],
    }
    for side, labels in found.items():
        if len(labels) == len(row):
            return f"{{0}} is clearly {side} {{1}} in every setting"
    parts = [f"clearly {side} at {_list(labels)}" for side, labels in found.items() if labels]
    if not parts:
        return "{0} is not to be told apart from {1} in any setting"
    return f"Against {{1}}, {{0}} is {_list(parts)}, and not to be told apart elsewhere"


def _list(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def curve_rows(
    settings: Settings, metric: str, methods: Sequence[str], topic: int | None = None
) -> list[dict[str, str]]:
    """Return one row for each method: mean and spread over splits in each setting."""

    def cell(found: Findings, name: str) -> str:
        return mean_and_spread(
            found.splits(name, metric) if topic is None else found.values[name][metric][topic]
        )

    return [
        {"method": name} | {label: cell(found, name) for label, found in settings.items()} for name in methods
    ]


def marked_curve_rows(settings: Settings, metric: str, methods: Sequence[str]) -> list[dict[str, str]]:
    """Return the same rows with the best of each setting in bold, and ↓ at those that are clearly worse."""
    columns = {
        label: marked({name: found.splits(name, metric) for name in methods})
        for label, found in settings.items()
    }
    return [{"method": name} | {label: columns[label][name] for label in settings} for name in methods]


def draw_settings(
    axis: Any, settings: Settings, metric: str, methods: Sequence[str], topic: int | None = None
) -> None:
    """Draw a line for each method over the settings."""
    for name, style in zip(methods, _styles(), strict=False):
        values = [
            100 * (found.mean(name, metric) if topic is None else found.values[name][metric][topic].mean())
            for found in settings.values()
        ]
        axis.plot(range(len(values)), values, label=name, **style)
    axis.set_xticks(range(len(settings)), list(settings))
    axis.set_ylabel(f"{metric} in %")


def draw_precision(axis: Any, findings: Findings, methods: Sequence[str]) -> None:
    """Draw the mean precision over topics and splits at eleven recalls."""
    for name, style in zip(methods, _styles(), strict=False):
        mean = findings.values[name][CURVE].mean(axis=(0, 1))
        axis.plot(np.linspace(0, 100, len(mean)), 100 * mean, label=name, **style)
    axis.set_xlabel("recall in %")
    axis.set_ylabel("precision in %")


def _styles() -> list[dict[str, Any]]:
    dashes = ["-"] * 6 + ["--"] * 6
    return [{"linestyle": dash, "marker": ".", "linewidth": 1.2} for dash in dashes]

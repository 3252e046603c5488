"""The page of Duh's four assumptions on LETOR."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.experiments import letor as runs
from semirank.experiments.cells import Progress, checkpoint_of, measure_cells, name_of
from semirank.experiments.result import ExperimentPage
from semirank.selection.significance import holm, sign_flip_test

Values = Mapping[tuple[str, str, int | None], Floats]
"""By collection, method and size: draws x test lists x metrics."""

THESIS = [
    {"method": "Ranker propagation", "retrieval": "=", "translation": "improve", "protein": "best"},
    {"method": "Feature generation", "retrieval": "improve", "translation": "degrade", "protein": "="},
    {"method": "Importance weighting", "retrieval": "best", "translation": "=", "protein": "="},
    {"method": "Pseudo margin", "retrieval": "=", "translation": "best", "protein": "="},
]


def letor(
    seed: int = 0, progress: Progress | None = None, trials: int = 3, n_jobs: int = -1
) -> ExperimentPage:
    """Duh's thesis on LETOR OHSUMED and MQ2008: four assumptions about lists without labels."""
    methods = _available()
    cells = runs.cells(trials, seed, methods=methods)
    found = measure_cells(cells, runs.measure, checkpoint_of("letor", methods=methods), progress, n_jobs)
    values = _gather(cells, found)
    result = ExperimentPage(
        "letor", "LETOR: four assumptions about lists without labels", {"seed": seed, "draws": trials}
    )
    judged = _judge(values)
    result.text(_in_short(judged))
    for collection in runs.COLLECTIONS:
        for at, metric in enumerate(runs.METRICS):
            result.table(f"{collection}: {metric} in %", _means(values, collection, at))
    result.table("Against the control: AP points, and what a test over lists says", _verdict_rows(judged))
    result.table("Stability: shares of the test lists whose AP changed, in %", _stability_rows(values))
    result.table("The thesis's summary, for comparison (read from its slides)", THESIS)
    for paragraph in _conclusions(judged):
        result.text(paragraph)
    result.text(PROTOCOL)
    return result


PROTOCOL = (
    "Five folds: three training parts, one unused, one ranked. The labelled lists are drawn from the "
    "training lists that have different labels; the test lists of a fold are given without labels, all at "
    "once (of MQ2008, thirty in each fold). AP takes labels of 1 and more as relevant; a list without a "
    "relevant item counts 0, as is the custom for these collections; equal scores take the mean over "
    "their orders. Each method is compared with its control on the same labelled lists: the difference is "
    "averaged over draws for each test list, tested by sign flips over lists, and p is corrected (Holm) "
    "for all methods with one collection and size. RankRLS has the ridge 10 everywhere so that its "
    "variants differ in one thing; 'chosen' means that settings, or the control itself, were chosen by AP "
    "on labelled lists left out in turn."
)


def _available() -> tuple[str, ...]:
    """Leave LightGBM out where it is not installed."""
    try:
        import lightgbm  # noqa: F401
    except ImportError:
        return tuple(name for name in runs.METHODS if "LightGBM" not in name)
    return tuple(runs.METHODS)


def _gather(cells: Sequence[runs.LetorRun], found: Mapping[str, Any]) -> Values:
    """Put folds side by side and draws below each other."""
    draws: dict[tuple[str, str, int | None], dict[int, list[Floats]]] = {}
    for cell in cells:
        key = cell.collection, cell.method, cell.size
        draws.setdefault(key, {}).setdefault(cell.draw, []).append(np.array(found[name_of(cell)]).T)
    return {
        key: np.array([np.concatenate(folds) for folds in by_draw.values()]) for key, by_draw in draws.items()
    }


def _means(values: Values, collection: str, metric: int) -> list[dict[str, Any]]:
    methods = list(dict.fromkeys(method for _, method, _ in values))
    return [
        {"method": method}
        | {_size_name(size): _percent(values[collection, method, size][:, :, metric]) for size in runs.SIZES}
        for method in methods
    ]


def _percent(values: Floats) -> str:
    means = 100.0 * values.mean(axis=1)
    return f"{means.mean():.1f} ± {means.std(ddof=1):.1f}" if len(means) > 1 else f"{means.mean():.1f}"


def _size_name(size: int | None) -> str:
    return "all lists" if size is None else f"{size} lists"


def _judge(values: Values) -> dict[tuple[str, str, int | None], tuple[float, float]]:
    """Return the mean gain in AP, in points, and the corrected p-value of each method with a control."""
    judged = {}
    for collection in runs.COLLECTIONS:
        for size in runs.SIZES:
            keys = [key for key in values if key[0] == collection and key[2] == size and _control(key[1])]
            gains = [_gains(values, key) for key in keys]
            adjusted = holm([sign_flip_test(each).p_value if each.any() else 1.0 for each in gains])
            for key, gain, p in zip(keys, gains, adjusted, strict=True):
                judged[key] = 100.0 * float(gain.mean()), float(p)
    return judged


def _control(method: str) -> str | None:
    return runs.METHODS[method].control


def _gains(values: Values, key: tuple[str, str, int | None]) -> Floats:
    collection, method, size = key
    control = values[collection, _control(method) or method, size]
    return (values[key][:, :, 0] - control[:, :, 0]).mean(axis=0)


def _word(gain: float, p: float) -> str:
    return "=" if p >= 0.05 else "improve" if gain > 0 else "degrade"


def _said(judgement: tuple[float, float]) -> str:
    return f"{judgement[0]:+.1f} {_word(*judgement)}"


def _verdict_rows(judged: Mapping[tuple[str, str, int | None], tuple[float, float]]) -> list[dict[str, Any]]:
    methods = list(dict.fromkeys(method for _, method, _ in judged))
    return [
        {"method": method, "assumes": runs.METHODS[method].assumption}
        | {
            f"{collection}, {_size_name(size)}": _said(judged[collection, method, size])
            for collection in runs.COLLECTIONS
            for size in runs.SIZES
        }
        for method in methods
    ]


def _stability_rows(values: Values) -> list[dict[str, Any]]:
    rows = []
    for method in dict.fromkeys(method for _, method, _ in values if _control(method)):
        row: dict[str, Any] = {"method": method}
        for collection in runs.COLLECTIONS:
            for size in (runs.SIZES[0], runs.SIZES[-1]):
                row[f"{collection}, {_size_name(size)}: changed / better / worse"] = _shares(
                    values[collection, method, size], values[collection, _control(method) or method, size]
                )
        rows.append(row)
    return rows


def _shares(values: Floats, control: Floats) -> str:
    gains = (values - control)[:, :, 0]
    shares = (np.abs(gains) > 1e-6, gains > 1e-6, gains < -1e-6)
    return " / ".join(f"{100 * share.mean():.0f}" for share in shares)


def _in_short(judged: Mapping[tuple[str, str, int | None], tuple[float, float]]) -> str:
    """Answer whether to use any of the methods on such data."""
    words = [_word(*value) for value in judged.values()]
    said = (
        f"Of {len(words)} comparisons, {words.count('improve')} improve and {words.count('degrade')} degrade."
    )
    if words.count("improve") > words.count("degrade"):
        return f"**In short.** {said} Try the methods that improve below on lists like these."
    return (
        f"**In short.** {said} On features made for ranking, as here, take the ranker as it is. Each method "
        "pays where its assumption truly holds: see [where each assumption holds](assumptions.md)."
    )


def _conclusions(judged: Mapping[tuple[str, str, int | None], tuple[float, float]]) -> list[str]:
    """Say in words what the table says, assumption by assumption."""
    lines = []
    for assumption in dict.fromkeys(runs.METHODS[method].assumption for _, method, _ in judged):
        found = {key: value for key, value in judged.items() if runs.METHODS[key[1]].assumption == assumption}
        words = [_word(*value) for value in found.values()]
        best = max(found, key=lambda key: found[key][0])
        gain, p = found[best]
        where = f"{best[1]} on {best[0]}, {_size_name(best[2])}"
        lines.append(
            f"**{assumption}**: of {len(words)} comparisons with the control, {words.count('improve')} "
            f"improve, {words.count('degrade')} degrade, {words.count('=')} cannot be told from it. The "
            f"largest gain is {gain:+.1f} points of AP ({where}; corrected p = {p:.2g})."
        )
    return lines

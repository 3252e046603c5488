"""A simulated loop as a page: curves, tables, and where rules would have stopped."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from semirank.core.arrays import Floats
from semirank.feedback.curves import recall_curve
from semirank.feedback.simulation import RANDOM, Run, Simulation
from semirank.report.page import Page, Picture, Section, Table, Text
from semirank.report.tables import provenance
from semirank.results.sentences import about_loss

POINTS = 101
HARDEST = 10
LEVELS = np.linspace(0.05, 1.0, 20)


def simulation_page(simulation: Simulation) -> Page:
    """Put a simulation on a page."""
    sections = [
        Section("What came of it", [*_verdicts(simulation), Table("Means over runs", _summary(simulation))]),
        Section("Recall", [recall_picture(simulation), work_picture(simulation)]),
        Section("Hard items", [found_picture(simulation), Table(_HARD, hardest(simulation))]),
        Section(
            "When to stop", [Text(_stops_said(simulation)), Table("Rules", _rounded(simulation.stops()))]
        ),
        Section("How the order settled", [change_picture(simulation)]),
    ]
    return Page(f"Simulation: {simulation.name}", _subtitle(simulation), sections)


_HARD = "The relevant items that the first ranker finds last, on average over runs"


def _subtitle(simulation: Simulation) -> str:
    start = simulation.start
    begin = (
        f"{start.relevant} + {start.irrelevant} labels" if start.question is None else repr(start.question)
    )
    runs = len(simulation.of(simulation.rankers[0]))
    padded = (
        "A run ends with the last relevant item; what comes after it is filled up and changes no measure."
    )
    batch = f"{simulation.batch} read from one order"
    return f"{runs} runs a ranker from {begin}, {batch}. {padded} {provenance(seed=simulation.seed)}"


def _verdicts(simulation: Simulation) -> list[Text]:
    first = simulation.rankers[0]
    return [Text(about_loss(first, each), "answer") for each in simulation.contrasts().values()]


def _summary(simulation: Simulation) -> list[dict[str, Any]]:
    return _rounded(simulation.summary())


def _rounded(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: _spelled(value) for name, value in row.items()} for row in rows]


def _spelled(value: Any) -> Any:
    return f"{value:.4g}" if isinstance(value, float) else value


def _stops_said(simulation: Simulation) -> str:
    return (
        f"Each rule wants a recall of {simulation.target:.0%}; bounds are to hold with "
        f"{simulation.confidence:.0%} confidence at all looks of a run together. The hypergeometric bound "
        "(Callaghan and Müller-Hansen 2020) assumes that reading in order finds no less than reading at "
        "random. The audit (Waudby-Smith and Ramdas 2020; Lewis, Gray and Noel 2023) assumes nothing about "
        "the order; it begins here after 50 items without a relevant one. To stop after so many in a row is "
        "a habit: nothing bounds what is missed."
    )


def _curves(runs: Sequence[Run], shares: Floats) -> Floats:
    """Return the recall of each run after shares of the items."""
    found = []
    for run in runs:
        curve = np.append(0.0, recall_curve(run.relevant))
        found.append(curve[np.floor(shares * run.n_items + 1e-9).astype(int)])
    return np.array(found)


def recall_picture(simulation: Simulation) -> Picture:
    """Show recall over what was read: the median of runs, with the band that holds 90 % of them."""
    shares = np.linspace(0, 1, POINTS)
    bands = {name: _curves(simulation.of(name), shares) for name in simulation.rankers}
    rows = [
        {"ranker": name, "read": float(share), "recall": float(np.median(values[:, k]))}
        for name, values in bands.items()
        for k, share in enumerate(shares)
    ]
    first = simulation.of(simulation.rankers[0])
    perfect = float(np.mean([len(run.found) / run.n_items for run in first]))

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for colour, (name, values) in enumerate(bands.items()):
            low, middle, high = np.quantile(values, [0.05, 0.5, 0.95], axis=0)
            axes.plot(shares, middle, color=f"C{colour}", label=name)
            axes.fill_between(shares, low, high, color=f"C{colour}", alpha=0.15, linewidth=0)
        axes.plot([0, perfect, 1], [0, 1, 1], ":", color="C5", label="perfect")
        axes.plot([0, 1], [0, 1], "--", color="C5", linewidth=0.8, label="random, on average")
        axes.set_xlabel("share of the items read")
        axes.set_ylabel("share of the relevant items found")
        axes.legend(frameon=False, fontsize=8)

    return Picture("Recall by reading: median of the runs, and the band of 90 % of them.", draw, rows)


def work_picture(simulation: Simulation) -> Picture:
    """Show the work saved over sampling at each recall."""
    saved = {
        name: [np.mean([_saved(run, level) for run in simulation.of(name)]) for level in LEVELS]
        for name in simulation.rankers
    }
    rows = [
        {"ranker": name, "recall": float(level), "WSS": float(value)}
        for name, values in saved.items()
        for level, value in zip(LEVELS, values, strict=True)
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, values in saved.items():
            axes.plot(LEVELS, values, label=name)
        axes.set_xlabel("recall")
        axes.set_ylabel("work saved over sampling")
        axes.legend(frameon=False, fontsize=8)

    return Picture("Work saved over sampling at each recall, mean of the runs.", draw, rows)


def _saved(run: Run, level: float) -> float:
    wanted = max(int(np.ceil(level * len(run.found) - 1e-9)), 1)
    return float(level) - run.found[wanted - 1] / run.n_items


def _places(runs: Sequence[Run]) -> dict[str, float]:
    """Return the mean share of the items that were read when each relevant item was found."""
    places: dict[str, list[float]] = {}
    for run in runs:
        for item, place in zip(run.ids, run.found, strict=True):
            name = f"{run.qid} {item}".strip()
            places.setdefault(name, []).append(place / run.n_items)
    means = {item: float(np.mean(values)) for item, values in places.items()}
    return dict(sorted(means.items(), key=lambda pair: pair[1]))


def found_picture(simulation: Simulation) -> Picture:
    """Show where each relevant item stood, those found first at the left."""
    means = {name: _places(simulation.of(name)) for name in simulation.rankers if name != RANDOM}
    rows = [
        {"ranker": name, "item": item, "read": value}
        for name, places in means.items()
        for item, value in places.items()
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for name, places in means.items():
            axes.plot(range(1, len(places) + 1), list(places.values()), ".", label=name)
        axes.set_xlabel("relevant items, as each ranker finds them")
        axes.set_ylabel("share of the items read before")
        axes.legend(frameon=False, fontsize=8)

    return Picture("How much had been read when each relevant item was found, mean of the runs.", draw, rows)


def hardest(simulation: Simulation) -> list[dict[str, Any]]:
    """Return the relevant items that the first ranker finds last."""
    places = list(_places(simulation.of(simulation.rankers[0])).items())
    return [{"item": item, "read before": f"{value:.0%}"} for item, value in places[: -HARDEST - 1 : -1]]


def change_picture(simulation: Simulation) -> Picture:
    """Show how alike the order of the unread is to that of fifty labels ago."""
    runs = simulation.of(simulation.rankers[0])
    rows = [
        {"run": run.number, "list": run.qid, "read": read, "correlation": change}
        for run in runs
        for read, change in run.changes
    ]

    def draw(figure: Any) -> None:
        axes = figure.subplots()
        for run in runs:
            if run.changes:
                axes.plot(*zip(*run.changes, strict=True), color="C0", alpha=0.4, linewidth=0.8)
        axes.set_xlabel("items read")
        axes.set_ylabel("weighted tau with 50 labels ago")

    caption = (
        "How alike the order of what is unread is to that of 50 labels ago, run by run: no rule to stop."
    )
    return Picture(caption, draw, rows or [{"run": None, "list": None, "read": None, "correlation": None}])

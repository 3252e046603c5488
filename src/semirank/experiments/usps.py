"""Images of manifold ranking (Zhou et al., 2003): USPS digits 1 to 6."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from semirank.core.arrays import Floats, Integers
from semirank.experiments.by_example import (
    PAPER,
    Asked,
    Method,
    Progress,
    by_distance,
    by_graph,
    measure_methods,
)
from semirank.experiments.result import ExperimentPage
from semirank.readers.datasets import load_items
from semirank.report.tables import mean_and_spread

FULL: dict[str, Any] = {"graph": "full", "sigma": 1.25, "solver": "closed"}
PAPER_GRAPH, DEFAULT = "full graph, sigma 1.25 (paper)", "10 neighbours, median sigma (default)"


def usps(seed: int = 0, progress: Progress | None = None, trials: int = 30) -> ExperimentPage:
    """Figures 3 and 4: USPS digits 1 to 6, query sets of 1 to 10 images, ROC against the distance."""
    X, digits = usps_digits()
    rng = np.random.default_rng(seed)
    queries = {
        size: [
            (d, rng.choice(np.flatnonzero(digits == d), size, replace=False))
            for d in range(1, 7)
            for _ in range(trials)
        ]
        for size in (1, 2, 5, 10)
    }
    methods: dict[str, Method] = {
        "distance": lambda asked: by_distance(X, asked),
        PAPER_GRAPH: by_graph(X, **FULL, **PAPER),
        "full graph, c = 1/2": by_graph(X, **FULL),
        DEFAULT: by_graph(X),
        "5 neighbours, local sigma": by_graph(X, n_neighbors=5, sigma="local"),
        "5 neighbours, local sigma, c = 0": by_graph(X, n_neighbors=5, sigma="local", degree_correction=0.0),
    }
    measured = measure_methods(methods, queries, digits, progress)
    result = ExperimentPage(
        "usps", "USPS digits 1 to 6: ranking images by example", {"seed": seed, "trials": trials}
    )
    result.table("ROC score in % (precision at 100), mean over digits and trials", _size_rows(measured))
    result.table("One query: ROC score in % by digit", _digit_rows(measured[1], queries[1]))
    result.text(
        "The counts of the digits are those of the paper (1269, 929, 824, 852, 716, 834). The paper prints "
        "its figures as pictures only; its claims hold: manifold ranking is level with the distance on digit "
        "1 and far better on the others. A neighbour graph is better than the paper's full graph."
    )
    result.figure(
        "ROC score by digit and size of the query",
        lambda figure: _draw_curves(figure, measured, queries),
        (10, 5),
    )
    query = int(rng.choice(np.flatnonzero(digits == 2)))
    panels = {name: _best(methods[name], query) for name in (PAPER_GRAPH, DEFAULT, "distance")}
    result.figure(
        "The 99 best images for a 2 (first image)", lambda figure: _draw_images(figure, X, panels), (13, 5)
    )
    right = {name: int((digits[shown[1:]] == 2).sum()) for name, shown in panels.items()}
    result.text(
        "The paper's Figure 4. On the left its own graph of all pairs (sigma = 1.25, alpha = 0.99, c = 0), "
        "in the middle what `ManifoldRanking()` does by default, on the right the Euclidean distance. Of the "
        "99 images " + ", ".join(f"{count} are a 2 by {name}" for name, count in right.items()) + "."
    )
    return result


def usps_digits() -> tuple[Floats, Integers]:
    """Return the images of the digits 1 to 6, and which digit each is."""
    items = load_items("usps")
    digits = np.array([int(names[0]) for names in items.classes or ()])
    chosen = (digits >= 1) & (digits <= 6)
    return np.asarray(items.X)[chosen], digits[chosen]


def _size_rows(measured: Any) -> list[dict[str, str]]:
    return [
        {"method": name}
        | {f"query of {size}": _roc_and_precision(values[name]) for size, values in measured.items()}
        for name in measured[1]
    ]


def _roc_and_precision(values: Mapping[str, Floats]) -> str:
    return f"{100 * values['roc'].mean():.1f} ({100 * values['precision'].mean():.1f})"


def _digit_rows(measured: Any, asked: Asked) -> list[dict[str, str]]:
    wanted = np.array([digit for digit, _ in asked])
    return [
        {"method": name}
        | {str(digit): mean_and_spread(values["roc"][wanted == digit]) for digit in range(1, 7)}
        for name, values in measured.items()
    ]


def _draw_curves(figure: Any, measured: Any, queries: Mapping[int, Asked]) -> None:
    axes = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    for digit, axis in enumerate(axes, start=1):
        for name in measured[1]:
            means = [
                values[name]["roc"][np.array([wanted == digit for wanted, _ in queries[size]])].mean()
                for size, values in measured.items()
            ]
            axis.plot(list(measured), means, marker=".", label=name)
        axis.set_title(f"digit {digit}")
        axis.set_xscale("log", base=2)
        axis.set_xticks(list(measured), [str(size) for size in measured])
    axes[0].set_ylabel("ROC score")
    axes[4].set_xlabel("images in the query")
    axes[0].legend(fontsize=6)


def _best(method: Method, query: int) -> Integers:
    """Return the query and the 99 best images for it."""
    best = np.argsort(-method([(2, np.array([query]))])[0], kind="stable")
    return np.concatenate([[query], best[best != query][:99]])


def _draw_images(figure: Any, X: Floats, panels: Mapping[str, Integers]) -> None:
    for axis, (name, shown) in zip(figure.subplots(1, len(panels)), panels.items(), strict=True):
        axis.imshow(X[shown].reshape(10, 10, 16, 16).transpose(0, 2, 1, 3).reshape(160, 160), cmap="gray_r")
        axis.set_title(name)
        axis.set_axis_off()

"""Relevance feedback, the future work of Zhou et al. (2003): answers extend the query, round by round."""

from collections.abc import Callable
from time import process_time
from typing import Any

import numpy as np

from semirank import metrics
from semirank.core.arrays import AnyArray, Booleans, Floats
from semirank.experiments.by_example import Progress
from semirank.experiments.newsgroups import texts_and_groups
from semirank.experiments.result import ExperimentPage
from semirank.experiments.usps import usps_digits
from semirank.features import TfIdf
from semirank.rankers.distance import DistanceRanking
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.manifold import ManifoldRanking

Scorer = Callable[[Floats], Floats]
Found = dict[tuple[str, int], list[tuple[float, float, float]]]

ROUND = 5
ROUNDS = 8
SHOWN = (0, 5, 10, 20, 40)
GRAPHS: dict[str, dict[str, Any]] = {
    "manifold ranking, relevant answers": {"combine": "positive"},
    "manifold ranking, all answers (difference)": {"combine": "difference"},
    "manifold ranking, all answers (ratio)": {"combine": "ratio"},
    "manifold ranking, all answers (+1 and -1)": {"combine": "labels"},
}
METHODS = (*GRAPHS, "nearest item", "linear model")


def feedback(seed: int = 0, progress: Progress | None = None, trials: int = 5) -> ExperimentPage:
    """Future work of the paper: ROC and precision at 100 against the number of answers, on USPS and texts."""
    images, digits = usps_digits()
    texts, groups = texts_and_groups(TfIdf(min_df=6))
    collections = {
        "USPS digits 1 to 6": (images, digits, "euclidean"),
        "newsgroups rec.*": (texts, groups, "cosine"),
    }
    result = ExperimentPage(
        "feedback", "Relevance feedback, round by round", {"seed": seed, "trials": trials, "round": ROUND}
    )
    done, total = 0, trials * sum(len(np.unique(classes)) for _, classes, _ in collections.values())
    for title, (X, classes, distance) in collections.items():
        found: Found = {}
        graphs = {
            name: ManifoldRanking(distance=distance, join=True, **options).fit_graph(X)
            for name, options in GRAPHS.items()
        }
        for wanted in np.unique(classes):
            for trial in range(trials):
                rng = np.random.default_rng((seed, trial, int(np.flatnonzero(classes == wanted)[0])))
                _search(_scorers(X, distance, graphs, trial), (classes == wanted).astype(float), rng, found)
                done += 1
                if progress is not None:
                    progress(done, total)
        n_tasks = trials * len(np.unique(classes))
        result.table(f"{title}: ROC score in % (precision at 100), mean of {n_tasks} searches", _rows(found))
        result.table(
            f"{title}: milliseconds of the processor to rank {X.shape[0]:,} items again", _times(found)
        )
        result.figure(f"{title}: curves", _curves(found), (9, 3.2))
    result.text(
        "A search starts from one random item of a class. In each round the five best of the items that may "
        "be shown, and were not yet, are answered truly: relevant or not. Each method is asked about the "
        "items that it itself ranks first. Half of the items are never shown: ROC score and precision are "
        "measured on these, so that what was found does not change what is measured."
    )
    result.text(
        "*Manifold ranking* is on one graph (ten neighbours, cosines for texts, components joined) that is "
        "built once, with `rerank` after each round. *Relevant answers* extend the "
        'query, as the paper suggests, and irrelevant ones are not used (`combine="positive"`); the others '
        "use both. *Nearest item* is `DistanceRanking`, which uses the relevant answers; *linear model* is "
        "`LogisticRanker` with 100 random items presumed irrelevant. Times leave out the graph."
    )
    result.text(
        "Irrelevant answers come from the top of a ranking: they are near misses. With `difference` and "
        "`ratio` each side has a total of 1, so that the first near miss weighs as much as all that is "
        "relevant, and the ROC score falls. With labels taken as they are, each answer weighs the same, and "
        "they help."
    )
    return result


def _scorers(X: Any, distance: str, graphs: dict[str, ManifoldRanking], seed: int) -> dict[str, Scorer]:
    linear = LogisticRanker(presumed_negatives=100, random_state=seed)

    def by(graph: ManifoldRanking) -> Scorer:
        return lambda y: graph.rerank(_answers(y, graph.combine)).scores_

    return {name: by(graph) for name, graph in graphs.items()} | {
        "nearest item": lambda y: DistanceRanking(distance).fit(X, y).scores_,
        "linear model": lambda y: linear.fit(X, y).scores_,
    }


def _answers(y: Floats, combine: str) -> Floats:
    """Return 1 for a relevant and 0 for an irrelevant item, or -1 where labels are taken as they are."""
    return 2.0 * y - 1.0 if combine == "labels" else y


def _search(scorers: dict[str, Scorer], truth: Floats, rng: np.random.Generator, found: Found) -> None:
    """Search with each method from the same start; add ROC, precision and seconds after each round."""
    query = int(rng.choice(np.flatnonzero(truth)))
    shown = rng.random(len(truth)) < 0.5
    for name, score in scorers.items():
        y = np.full(len(truth), np.nan)
        y[query] = 1.0
        for number in range(ROUNDS + 1):
            began = process_time()
            scores = score(y)
            seconds = process_time() - began
            judged = np.where(shown, np.nan, truth)
            judged[query] = np.nan
            measured = metrics.measure(["AUC", "P@100"], judged, scores)
            values = float(measured["AUC"][0]), float(measured["P@100"][0]), seconds
            found.setdefault((name, number * ROUND), []).append(values)
            asked = _best(scores, shown & np.isnan(y))
            y[asked] = truth[asked]


def _best(scores: Floats, allowed: Booleans) -> AnyArray:
    rows = np.flatnonzero(allowed)
    return rows[np.argsort(-scores[rows], kind="stable")[:ROUND]]


def _rows(found: Found) -> list[dict[str, str]]:
    return [
        {"method": name}
        | {
            f"{answers} answers": f"{100 * roc:.1f} ({100 * precision:.1f})"
            for answers in SHOWN
            for roc, precision, _ in [np.mean(found[name, answers], axis=0)]
        }
        for name in METHODS
    ]


def _times(found: Found) -> list[dict[str, str]]:
    return [
        {
            "method": name,
            "median": f"{1000 * np.median(seconds):.0f}",
            "slowest of 20": f"{1000 * np.quantile(seconds, 0.95):.0f}",
        }
        for name in METHODS
        for seconds in [[each[2] for key, values in found.items() if key[0] == name for each in values]]
    ]


def _curves(found: Found) -> Callable[[Any], None]:
    def draw(figure: Any) -> None:
        axes = figure.subplots(1, 2)
        answers = [ROUND * number for number in range(ROUNDS + 1)]
        for name in METHODS:
            means = np.array([np.mean(found[name, each], axis=0) for each in answers])
            for axis, values in zip(axes, means.T[:2], strict=True):
                axis.plot(answers, 100 * values, marker=".", label=name)
        for axis, label in zip(axes, ("ROC score in %", "precision at 100 in %"), strict=True):
            axis.set_xlabel("answers")
            axis.set_ylabel(label)
        axes[0].legend(fontsize=7)

    return draw

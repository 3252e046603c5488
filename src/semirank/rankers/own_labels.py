"""Lists ranked by their own labels: those of a part, or one list of all parts over a graph on disk."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import RankingDataset
from semirank.dataset.parts import Part, Parts
from semirank.engines.score_files import write_file
from semirank.graphs.mapped import MappedDiffusion
from semirank.limits import check_limits
from semirank.rankers.sums.passes import Passes, check_features
from semirank.spelling import option

if TYPE_CHECKING:
    from semirank.rankers.diffusion import DiffusionRanker
    from semirank.rankers.manifold import ManifoldRanking


def write_own_scores(part: Part, folder: str, ranker: "DiffusionRanker") -> None:
    """Rank the lists of a part by their own labels; where no label counts, all items score 0."""
    data = part.read()
    check_features(part, data)
    planted = np.nan_to_num(data.y).any() if ranker.combine == "labels" else (data.y > 0).any()
    scores = clone(ranker).fit(data.X, data.y, data.qid).scores_ if planted else np.zeros(data.n_items)
    write_file(part, folder, data, scores)


def rank_one_list(ranker: "ManifoldRanking", parts: Parts, left: Passes, folder: str) -> None:
    """Rank the one list that all parts are, over a graph in files beside the scores.

    left : the parts that have no scores yet.
    """
    from semirank.rankers.diffusion import check_seeds, power, seeds_of_labels

    check_limits(ranker.limits, ranker.get_params(deep=False))
    y = np.full(parts.n_items, np.nan)
    with TemporaryDirectory(prefix=".graph-", dir=folder) as place:
        blocks = _read(replace(left, parts=parts), y)
        system = MappedDiffusion.build(
            blocks, parts.n_items, Path(place), ranker.n_neighbors, sigma=ranker.sigma
        )
        check_seeds(y, ranker.combine)
        seeds = seeds_of_labels(y, np.array([0, len(y)]), ranker.combine)[:, 0]
        found = system.solve(seeds, ranker.alpha, **ranker._stopping)
        degrees = system.in_items(system.degrees)
    scores = power(degrees, -ranker.degree_correction) * found.scores
    firsts = np.cumsum([0, *(part.n_items for part in parts)])
    for part in left.parts:
        first = firsts[part.number]
        _write(part, folder, scores[first : first + part.n_items])


def _read(passes: Passes, y: Floats) -> Iterator[AnyArray]:
    """Yield the items of each part, and fill in their labels."""
    first = 0
    passes.n_passes = 2
    for X, labels in passes.each(read_items):
        y[first : first + len(labels)] = labels
        first += len(labels)
        yield X


def read_items(part: Part) -> tuple[AnyArray, Floats]:
    """Return features and labels."""
    data = part.read()
    return check_features(part, data), data.y


def _write(part: Part, folder: str, scores: Floats) -> None:
    data: RankingDataset = part.read()
    write_file(part, folder, data, scores)


def refuse_other_graphs(ranker: "ManifoldRanking", parts: Parts, on: Any, skip: bool) -> None:
    """Refuse what a graph on disk cannot be, a cluster, and parts left out."""
    if skip:
        raise ValueError(
            "One list in parts is ranked over one graph of all of them, so that no part can be left out: "
            f"leave {option('on_bad_part')} out."
        )
    if on is not None:
        raise ValueError(
            f"One list in parts is ranked over a graph on this machine: leave {option('on')} out."
        )
    plain = (
        isinstance(ranker.graph, str)
        and (ranker.graph, ranker.distance, ranker.join) == ("knn", "euclidean", False)
        and ranker.sigma != "local"
        and ranker.combine in ("difference", "positive", "labels")
        and ranker.solver != "closed"
    )
    if parts.sparse or not plain:
        raise ValueError(
            "One list in parts is ranked over the graph of nearest neighbours of dense items: with "
            "graph 'knn', distance 'euclidean', no join, a sigma that is a number or 'median', a combine "
            "that is no logarithm, and no closed solver."
        )

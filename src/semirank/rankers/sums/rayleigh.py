"""RayleighRanker over parts: moments of each label level, and the roughness of the graph inside lists."""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_solve

from semirank.core.arrays import Floats
from semirank.dataset.parts import Part
from semirank.features.gram_schmidt import GramSchmidt
from semirank.kernels import resolve
from semirank.rankers.label_levels import relative_to_list
from semirank.rankers.rayleigh import WIDTH, RayleighRanker, factorise, roughness
from semirank.rankers.sums.moments import Moments
from semirank.rankers.sums.passes import Passes, check_features, offsets, sample_of, stacked
from semirank.spelling import option

SAMPLE = 200_000  # items from which the basis is chosen
SAMPLE_BYTES = 1 << 28  # that their coordinates may take
MOST_BYTES = 1 << 30  # of the moments of all levels


class Sums(NamedTuple):
    """What a part adds.

    Attributes
    ----------
    levels : dict of float to Moments
        Of the labelled items with each label, in coordinates relative to the mean of their list.
    roughness : float64 array of shape (n_components, n_components)
        X'LX; zeros where there is no graph.
    n_lists : int
    """

    levels: dict[float, Moments]
    roughness: Floats
    n_lists: int


def fit(ranker: RayleighRanker, passes: Passes) -> None:
    """Fit a RayleighRanker by two passes: one for the basis, one for the sums."""
    parts = passes.parts
    if parts.one_list and len(parts) > 1 and ranker.smoothness > 0:
        raise ValueError(
            f"RayleighRanker joins items of a list, and this list is cut into {len(parts)} parts. Open it "
            f"with larger parts ({option('part_bytes', ...)}), or say {option('smoothness', 0)}."
        )
    passes.n_passes = 2
    basis = choose_basis(ranker, passes)
    n_bytes = 24 * basis.n_components_**2
    found = passes.total(sums, join, n_bytes, basis, graph_settings(ranker), not parts.one_list)
    finish(ranker, basis, found, parts.n_items)


def choose_basis(ranker: RayleighRanker, passes: Passes) -> GramSchmidt:
    """Choose the items that span the coordinates from a sample, which is all where these are few."""
    before = offsets([part.n_items for part in passes.parts])
    wanted = min(SAMPLE, max(ranker.n_components, SAMPLE_BYTES // (8 * ranker.n_components)))
    step = -(-passes.parts.n_items // wanted)
    X = stacked(list(passes.each(sample, before, step))).astype(np.float64)
    gamma = resolve(ranker.kernel, ranker.gamma, X, width=WIDTH).gamma
    return GramSchmidt(ranker.kernel, gamma, ranker.n_components, degree=ranker.degree).fit(X)


def sample(part: Part, before: list[int], step: int) -> Any:
    """Return the features of every step-th item, counted over all parts."""
    data = part.read()
    return check_features(part, data, sample_of(np.arange(data.n_items), before[part.number], step))


class Graph(NamedTuple):
    """How the items of a list are joined; without smoothness they are not."""

    smoothness: float
    n_neighbors: int
    kernel: str
    laplacian: str


def graph_settings(ranker: RayleighRanker) -> Graph:
    """Take the parameters that a graph depends on."""
    return Graph(ranker.smoothness, ranker.n_neighbors, ranker.kernel, ranker.laplacian)


def sums(part: Part, basis: GramSchmidt, graph: Graph, whole: bool) -> Sums:
    """Return the moments of each level, and the roughness, of a part.

    whole : whether lists are; items of one that is cut need not be relative to its mean, common to all.
    """
    data = part.read()
    X = basis.transform(check_features(part, data).astype(np.float64))
    rough = np.zeros((X.shape[1], X.shape[1]))
    if graph.smoothness > 0:
        rough = roughness(X, RayleighRanker(**graph._asdict())._laplacian(data, X)) * data.n_items
    labelled = np.flatnonzero(data.labelled)
    rows, y = relative_to_list(X, data, labelled) if whole else X[labelled], data.y[labelled]
    levels = {float(level): Moments.of(rows[y == level]) for level in np.unique(y)}
    if len(levels) * rough.nbytes > MOST_BYTES:
        raise ValueError(
            f"{part.name}: has {len(levels)} different labels, each of which has a matrix of {X.shape[1]}^2 "
            "sums. Lower n_components, or make the labels coarser."
        )
    return Sums(levels, rough, data.n_lists)


def join(one: Sums, other: Sums) -> Sums:
    """Add the sums of two parts."""
    levels = dict(one.levels)
    for level, found in other.levels.items():
        levels[level] = levels[level].join(found) if level in levels else found
    return Sums(levels, one.roughness + other.roughness, one.n_lists + other.n_lists)


def finish(ranker: RayleighRanker, basis: GramSchmidt, found: Sums, n_items: int) -> None:
    """Solve ``(ridge I + S+ + S- + smoothness X'LX / N) w = mu+ - mu-``."""
    if len(found.levels) < 2:
        raise ValueError(
            f"The labels are of one class: every label is {min(found.levels):g} (n_samples = {n_items}). To "
            "tell better from worse takes labels of two levels or more."
        )
    levels = [found.levels[level] for level in sorted(found.levels)]
    counts = np.array([each.number for each in levels], dtype=np.float64)
    below = np.cumsum(counts) - counts
    above = counts.sum() - below - counts
    n_pairs = counts @ below
    pull = sum(counts[k] * (below - above)[k] / n_pairs * each.mean for k, each in enumerate(levels))
    matrix = sum((below + above)[k] / n_pairs * each.scatter for k, each in enumerate(levels))
    matrix[np.diag_indices_from(matrix)] += ranker.ridge
    matrix += ranker.smoothness / n_items * found.roughness
    ranker.projection_, ranker.factor_ = basis, factorise(matrix)
    ranker.weights_ = cho_solve((ranker.factor_, True), pull)
    ranker.n_lists_ = found.n_lists
    ranker.labelled_items_ = ranker.lists_ = np.empty(0, dtype=np.int64)
    ranker.pulls_, ranker.items_ = np.empty(0), np.empty((0, ranker.n_features_in_))

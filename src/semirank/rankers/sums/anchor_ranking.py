"""AnchorRanking over the parts of one list: masses of the anchors, then a matrix of their sums."""

from typing import NamedTuple

import numpy as np

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset.parts import Part
from semirank.rankers.anchor_ranking import (
    TRAINING,
    AnchorRanking,
    anchor_sums,
    anchor_weights,
    place_anchors,
    solve_anchors,
)
from semirank.rankers.diffusion import check_seeds, seeds_of_labels, sides_of_labels
from semirank.rankers.sums.passes import Passes, check_features, offsets, sample_of


def fit(ranker: AnchorRanking, passes: Passes) -> None:
    """Fit an AnchorRanking by three passes: anchors from a sample, their masses, and the matrix."""
    if not passes.parts.one_list:
        raise ValueError(
            "AnchorRanking learns by parts from one list, and here are several: open the data without a "
            "column of lists (qid=False)."
        )
    passes.n_passes = 3
    wanted = TRAINING * ranker.n_anchors
    before = offsets([part.n_items for part in passes.parts])
    blocks = passes.each(sample, before, -(-passes.parts.n_items // wanted))
    anchors = place_anchors(np.concatenate(list(blocks)), ranker.n_anchors)
    mass, totals, largest = passes.total(masses, join_masses, 8 * len(anchors), anchors, ranker.n_neighbors)
    check_seeds(largest, ranker.combine)
    small = anchors, ranker.n_neighbors, mass, totals, ranker.combine
    inverse, pulled = passes.total(sums, join, 8 * len(anchors) ** 2, *small)
    reach = solve_anchors(inverse, pulled, ranker.alpha)
    ranker.n_lists_ = 1
    ranker._keep(list_name(passes), [anchors], [mass], [reach])


def list_name(passes: Passes) -> AnyArray:
    """Return what items without lists have as their list."""
    return passes.parts.parts[0].read().list_ids


def sample(part: Part, before: list[int], step: int) -> AnyArray:
    """Return every step-th item, counted over all parts."""
    data = part.read()
    rows = sample_of(np.arange(data.n_items), before[part.number], step)
    return np.asarray(check_features(part, data, rows), dtype=np.float64)


class Masses(NamedTuple):
    """What a part adds: weights of the anchors, seeds of either side, and the labels of largest size."""

    mass: Floats
    totals: Floats
    largest: Floats


def masses(part: Part, anchors: AnyArray, n_neighbors: int) -> Masses:
    """Return the sum of the weights of each anchor, and of the seeds."""
    data = part.read()
    Z = anchor_weights(check_features(part, data), anchors, n_neighbors)
    return Masses(Z.sum(axis=0), sides_of_labels(data.y).sum(axis=1), extremes(data.y))


def join_masses(one: Masses, other: Masses) -> Masses:
    """Add the masses of two parts."""
    both = np.append(one.largest, other.largest)
    return Masses(one.mass + other.mass, one.totals + other.totals, extremes(both))


def extremes(y: Floats) -> Floats:
    """Return the smallest and the largest label, if any: enough to see whether seeds are planted."""
    known = y[~np.isnan(y)]
    return np.array([known.min(), known.max()]) if len(known) else known


def seeds_of(y: Floats, totals: Floats, combine: str) -> Floats:
    """Return the seeds of a part of a list, of which the totals of either side are known."""
    if combine != "difference":
        return seeds_of_labels(y, np.array([0, len(y)]), combine)[:, 0]
    positive, negative = sides_of_labels(y) / np.where(totals > 0, totals, 1.0)[:, None]
    return positive - negative


def sums(
    part: Part, anchors: AnyArray, n_neighbors: int, mass: Floats, totals: Floats, combine: str
) -> tuple[Floats, Floats]:
    """Return ``Z' D^-1 Z`` and ``Z' D^-1/2 s`` of a part."""
    data = part.read()
    Z = anchor_weights(data.X, anchors, n_neighbors)
    return anchor_sums(Z, mass, seeds_of(data.y, totals, combine))


def join(one: tuple[Floats, Floats], other: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """Add the sums of two parts."""
    return one[0] + other[0], one[1] + other[1]

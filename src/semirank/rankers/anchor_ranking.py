"""Anchor ranking: labels spread over a few anchors, and from these to all items."""

import warnings
from collections.abc import Mapping
from itertools import pairwise
from math import inf
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.sparse import csr_array, diags_array

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.core.threads import one_blas_thread
from semirank.dataset import DataWarning
from semirank.graphs import NeighbourIndex
from semirank.graphs.ivf import find_centres
from semirank.graphs.screening import Coordinates
from semirank.kernels import fixed_projection
from semirank.learned import Array, Names, Table
from semirank.limits import Between, Limit, OneOf
from semirank.rankers._base import Ranker
from semirank.rankers.assumptions import MANIFOLD
from semirank.rankers.diffusion import check_seeds, seeds_of_labels
from semirank.rankers.sums.passes import Passes

TRAINING = 64  # items for each anchor by which the anchors are placed
BEYOND = 1.5  # how far weights reach, in distances to the farthest anchor, where all are near


class AnchorRanking(Ranker):
    """Rank each list by the labels that reach its items over a few anchors.

    Items are joined by the anchors that they share: with Z the weights of each item's nearest anchors, which
    add up to 1, the graph is ``W = Z Z'``, D its degrees and ``S = D^-1/2 W D^-1/2``. The scores
    ``D^-c (I - alpha S)^-1 s``, with seeds s made of the labels, need no more than a system as large as
    there are anchors [1]_::

        (I - alpha S)^-1 s = s + alpha D^-1/2 Z (I - alpha Z' D^-1 Z)^-1 Z' D^-1/2 s.

    It approximates `ManifoldRanking` in time and memory that grow with the items alone, for one long list of
    millions. `fit_parts` needs nothing but sums over parts.

    Parameters
    ----------
    n_anchors : int
        Anchors of each list: centres of k-means; in a list with no more items, these themselves.
    n_neighbors : int
        How many anchors each item is a mean of. The weight of one at distance d is ``1 - (d / r)^2``, with r
        the distance to the next one beyond them.
    alpha : float in [0, 1)
        How far labels spread.
    degree_correction : float
        The power c of the degree, as in `ManifoldRanking`.
    combine : {"difference", "positive", "labels"}
        What known irrelevant items (label 0 or less) do, as in `ManifoldRanking`.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order; empty after `fit_parts`.
    anchors_ : array of shape (n_anchors, n_features)
        The anchors, list after list.
    indptr_ : int64 array of shape (n_lists + 1,)
        Where the anchors of each list start.
    masses_ : float64 array of shape (n_anchors,)
        The sum of the weights of all items of the list.
    reach_ : float64 array of shape (n_anchors,)
        What has spread to each anchor.

    See Also
    --------
    ManifoldRanking : over a graph of all items.
    open_parts : more than fits into memory.

    Notes
    -----
    O(n a d) time for n items, a anchors and d features, O(a^3) for the system. Anchors are placed without
    random numbers, by the items in the order of a fixed projection. `predict` scores a labelled item as if it
    were new, without the seed of its own.

    References
    ----------
    .. [1] B. Xu, J. Bu, C. Chen, D. Cai, X. He, W. Liu, J. Luo. Efficient manifold ranking for image
       retrieval. SIGIR 2011, section 4.

    Examples
    --------
    >>> import semirank
    >>> moons = semirank.load("moons", noise=0.05, random_state=0)
    >>> few = moons.hide_labels(keep=2, keep_levels=True, random_state=0)
    >>> ranker = semirank.AnchorRanking(n_anchors=50).fit(few.X, few.y)
    >>> semirank.metrics.auc(moons.y, ranker.scores_).round(2)
    array([1.])
    """

    assumption = MANIFOLD
    one_function = False
    takes_sparse = False
    called = "anchor ranking, {n_anchors} anchors"
    limits: ClassVar[Mapping[str, Limit]] = {
        "n_anchors": Between(1, inf, Integral),
        "n_neighbors": Between(1, inf, Integral),
        "alpha": Between(0, 1, closed="left"),
        "degree_correction": Between(0, 1),
        "combine": OneOf("difference", "positive", "labels"),
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "list_ids_": Names("n_lists"),
        "indptr_": Array("n_lists + 1", dtype="int64", low=0),
        "anchors_": Array("n_anchors", "n_features", dtype="float"),
        "masses_": Array("n_anchors", low=0),
        "reach_": Array("n_anchors"),
    }

    list_ids_: AnyArray
    indptr_: Integers
    anchors_: AnyArray
    masses_: Floats
    reach_: Floats

    def __init__(
        self,
        n_anchors: int = 500,
        n_neighbors: int = 5,
        alpha: float = 0.99,
        degree_correction: float = 0.5,
        *,
        combine: str = "difference",
    ) -> None:
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.alpha = alpha
        self.degree_correction = degree_correction
        self.combine = combine

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Place anchors in each list, and spread the labels over them."""
        data = self._check(X, y, qid)
        check_seeds(data.y, self.combine)
        seeds = seeds_of_labels(data.y, data.indptr, self.combine)[:, 0]
        scores = np.empty(data.n_items)
        anchors, masses, reach = [], [], []
        for start, stop in pairwise(data.indptr):
            rows = slice(start, stop)
            anchors.append(place_anchors(data.X[rows], self.n_anchors))
            Z = anchor_weights(data.X[rows], anchors[-1], self.n_neighbors)
            masses.append(Z.sum(axis=0))
            inverse, pulled = anchor_sums(Z, masses[-1], seeds[rows])
            reach.append(solve_anchors(inverse, pulled, self.alpha))
            scores[rows] = self._scores(Z, masses[-1], reach[-1], seeds[rows])
        self._keep(data.list_ids, anchors, masses, reach)
        return self._store(data, scores)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by the anchors of their list, or of all lists where it was never seen."""
        data = self._check_new(X, qid)
        number = {name: i for i, name in enumerate(self.list_ids_.tolist())}
        lists = np.array([number.get(name, -1) for name in data.list_ids.tolist()])
        if (lists < 0).any() and len(self.list_ids_) > 1:
            warnings.warn(
                f"{(lists < 0).sum()} of {data.n_lists} lists were not there when the ranker was fitted; "
                "their items are scored by the anchors of all lists.",
                DataWarning,
                stacklevel=2,
            )
        scores = np.empty(data.n_items)
        for of_list, start, stop in zip(lists, data.indptr[:-1], data.indptr[1:], strict=True):
            own = slice(None) if of_list < 0 else slice(self.indptr_[of_list], self.indptr_[of_list + 1])
            Z = anchor_weights(data.X[start:stop], self.anchors_[own], self.n_neighbors)
            scores[start:stop] = self._scores(Z, self.masses_[own], self.reach_[own], 0.0)
        return data.restore(scores)

    @property
    def learns_by_sums(self) -> bool:
        """Yes, from one list in parts."""
        return True

    def _fit_sums(self, passes: Passes) -> None:
        from semirank.rankers.sums import anchor_ranking

        anchor_ranking.fit(self, passes)

    def _scores(self, Z: csr_array, masses: Floats, reach: Floats, seeds: Any) -> Floats:
        degrees = Z @ masses
        spread = self.alpha * (Z @ reach) / np.sqrt(degrees)
        return np.asarray(degrees**-self.degree_correction * (seeds + spread))

    def _keep(
        self, list_ids: AnyArray, anchors: list[AnyArray], masses: list[Floats], reach: list[Floats]
    ) -> None:
        self.list_ids_ = list_ids
        self.indptr_ = np.cumsum([0, *map(len, anchors)])
        self.anchors_ = np.concatenate(anchors)
        self.masses_, self.reach_ = np.concatenate(masses), np.concatenate(reach)

    def _check_state(self) -> None:
        super()._check_state()
        bounds = self.indptr_
        if bounds[0] != 0 or bounds[-1] != len(self.anchors_) or (np.diff(bounds) < 1).any():
            raise ValueError("indptr_ must give every list anchors")


def place_anchors(X: AnyArray, n_anchors: int) -> AnyArray:
    """Return centres of k-means, or the items where they are no more."""
    order = np.argsort(fixed_projection(X), kind="stable")
    if len(X) <= n_anchors:
        return X[order].astype(np.float64)
    spaced = np.linspace(0, len(X) - 1, min(len(X), TRAINING * n_anchors)).astype(np.int64)
    coordinates = Coordinates.around(X)
    centres = find_centres(coordinates.place(X[order[spaced]]), n_anchors)
    return np.asarray(centres * coordinates.size + coordinates.centre)


def anchor_weights(X: AnyArray, anchors: AnyArray, n_neighbors: int) -> csr_array:
    """Return the weights of the nearest anchors of each item, which add up to 1: (n_items, n_anchors)."""
    k = min(n_neighbors, len(anchors))
    found = NeighbourIndex(anchors, recall=1.0).query(X, k + 1)
    indices, distances = found.indices[:, :k], found.distances[:, :k]
    radii = found.distances[:, k] if len(anchors) > k else BEYOND * distances[:, -1]
    ratios = np.divide(distances, radii[:, None], out=np.zeros_like(distances), where=radii[:, None] > 0)
    weights = np.maximum(1.0 - ratios**2, 0.0)
    weights[weights.sum(axis=1) == 0.0] = 1.0  # all of them, and the next, are equally far
    weights /= weights.sum(axis=1)[:, None]
    starts = np.arange(len(X) + 1) * k
    return csr_array((weights.ravel(), indices.ravel(), starts), shape=(len(X), len(anchors)))


def anchor_sums(Z: csr_array, masses: Floats, seeds: Floats) -> tuple[Floats, Floats]:
    """Return ``Z' D^-1 Z`` and ``Z' D^-1/2 s``: sums over items."""
    degrees = Z @ masses
    scaled = csr_array(diags_array(1.0 / degrees) @ Z)
    return (Z.T @ scaled).toarray(), np.asarray(Z.T @ (seeds / np.sqrt(degrees)))


def solve_anchors(inverse: Floats, pulled: Floats, alpha: float) -> Floats:
    """Return ``(I - alpha Z' D^-1 Z)^-1 Z' D^-1/2 s``."""
    with one_blas_thread():
        return cho_solve(cho_factor(np.eye(len(inverse)) - alpha * inverse, overwrite_a=True), pulled)

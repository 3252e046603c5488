"""Manifold ranking whose graph, reach and degree correction are chosen by leaving out labelled items."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from semirank import metrics
from semirank.core.arrays import Floats, Integers
from semirank.dataset import RankingDataset
from semirank.graphs import Diffusion, NeighbourIndex, knn_graph
from semirank.learned import Part, Table
from semirank.limits import SEED, Between, Limit, OneOf, Several
from semirank.metrics.notation import MetricName
from semirank.rankers._base import Contributions, Ranker
from semirank.rankers.assumptions import MANIFOLD
from semirank.rankers.cross_validation import CrossValidated
from semirank.rankers.diffusion import (
    COMBINE,
    backgrounds,
    check_seeds,
    combine_signs,
    power,
    seeds_of_labels,
)
from semirank.rankers.manifold import ManifoldRanking


class ManifoldRankingCV(CrossValidated, Ranker):
    """Manifold ranking with parameters chosen by how well left-out relevant items are found again.

    Each relevant item (at most `max_left_out` in a list) loses its label in turn, and a metric tells how well
    it is found again among the list's unlabelled items: its AUC is the share of these that score below it.
    The setting with the best mean is taken if it beats the default by more than the standard error of
    their difference, otherwise the default stays: with a handful of labels, chance differences are large.

    Parameters
    ----------
    n_neighbors, sigmas, alphas, degree_corrections : tuples or lists
        The values to try, see `ManifoldRanking`; every combination is tried.
    distance, combine, tol
        As in `ManifoldRanking`.
    metric : str
        The name of the metric by which settings are judged, such as "AUC" or "RR".
    max_left_out : int
        Most relevant items of a list to leave out, drawn at random.
    random_state : int, Generator or None
        Seed of that draw.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    best_params_, best_score_, best_index_, cv_results_
        The chosen values, and what came of every combination. A part that is held out is an item.
    ranker_ : ManifoldRanking
        The ranker fitted with the chosen values.

    See Also
    --------
    ManifoldRanking : the same with settings of yours.
    AutoRanker : chooses among rankers of several kinds.

    Notes
    -----
    One graph for each pair of n_neighbors and sigma, one solve with as many columns as items are left out
    for each alpha; degree corrections are free.

    Examples
    --------
    >>> import semirank
    >>> moons = semirank.load("moons", random_state=0)
    >>> few = moons.hide_labels(keep=8, keep_levels=True, random_state=0)
    >>> ranker = semirank.ManifoldRankingCV(random_state=0).fit(few.X, few.y)
    >>> sorted(ranker.best_params_)
    ['alpha', 'degree_correction', 'n_neighbors', 'sigma']
    """

    assumption = MANIFOLD
    one_function = False
    called = "manifold ranking, tuned"
    limits: ClassVar[Mapping[str, Limit]] = {
        "n_neighbors": Several(ManifoldRanking.limits["n_neighbors"]),
        "sigmas": Several(ManifoldRanking.limits["sigma"]),
        "alphas": Several(ManifoldRanking.limits["alpha"]),
        "degree_corrections": Several(ManifoldRanking.limits["degree_correction"]),
        "distance": OneOf("euclidean", "cosine"),
        "combine": COMBINE,
        "tol": Between(0, 1, closed="neither"),
        "metric": MetricName(),
        "max_left_out": Between(1, kind=Integral),
        "random_state": SEED,
    }

    learned: ClassVar[Table] = Ranker.learned | CrossValidated.learned | {"ranker_": Part("ManifoldRanking")}

    ranker_: ManifoldRanking

    def __init__(
        self,
        n_neighbors: Any = (5, 10, 20),
        sigmas: Any = ("median", "local"),
        alphas: Any = (0.9, 0.99),
        degree_corrections: Any = (0.0, 0.5),
        *,
        distance: str = "euclidean",
        combine: str = "difference",
        tol: float = 1e-6,
        metric: str = "AUC",
        max_left_out: int = 30,
        random_state: Any = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.sigmas = sigmas
        self.alphas = alphas
        self.degree_corrections = degree_corrections
        self.distance = distance
        self.combine = combine
        self.tol = tol
        self.metric = metric
        self.max_left_out = max_left_out
        self.random_state = random_state

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Choose the parameters by leaving out labelled items, then fit with them on all labels."""
        data = self._check(X, y, qid)
        check_seeds(data.y, "positive")
        params, scores = zip(*self._try_all(data, self._left_out(data)), strict=True)
        self._keep_results(params, np.array(scores), _choose(params, np.array(scores)))
        self.ranker_ = self._ranker(self.best_params_).fit(X, y, qid)
        self.scores_ = self.ranker_.scores_
        return self

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items with the chosen ranker."""
        check_is_fitted(self, "ranker_")
        return self.ranker_.predict(X, qid)

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item, given by its row, into the contributions of labelled items."""
        check_is_fitted(self, "ranker_")
        return self.ranker_.explain(item)

    def _check_state(self) -> None:
        super()._check_state()
        self._check_results()

    def _ranker(self, params: Mapping[str, Any]) -> ManifoldRanking:
        return ManifoldRanking(distance=self.distance, combine=self.combine, tol=self.tol, **params)

    def _left_out(self, data: RankingDataset) -> Integers:
        """Choose the items to leave out: a row of each list in each turn, -1 where a list has no more."""
        rng = np.random.default_rng(self.random_state)
        turns = np.full((self.max_left_out, data.n_lists), -1)
        for i in range(data.n_lists):
            rows = np.arange(*data.indptr[i : i + 2])
            relevant = rng.permutation(rows[data.y[rows] > 0])[: self.max_left_out]
            if (data.y[rows] > 0).sum() > 1:
                turns[: len(relevant), i] = relevant
        return turns[(turns >= 0).any(axis=1)]

    def _try_all(self, data: RankingDataset, turns: Integers) -> Iterator[tuple[dict[str, Any], Floats]]:
        """Yield every combination, and the score of each left-out item."""
        distance: Any = self.distance
        index = NeighbourIndex(data.X, distance=distance, indptr=data.indptr)
        for k, sigma in product(self.n_neighbors, self.sigmas):
            diffusion = Diffusion(knn_graph(index, k, sigma=sigma), data.indptr)
            for alpha in self.alphas:
                columns = self._diffuse(data, diffusion, alpha, turns)
                for c in self.degree_corrections:
                    params = {"n_neighbors": k, "sigma": sigma, "alpha": alpha, "degree_correction": c}
                    yield params, self._find_again(data, columns, power(diffusion.degrees, -c), turns)

    def _find_again(self, data: RankingDataset, columns: Floats, weight: Floats, turns: Integers) -> Floats:
        """Return for each left-out item how well it is found among its list's unlabelled items."""
        metric, lists = metrics.parse(self.metric), data.list_of_item
        partly = data.labelled_per_list < np.diff(data.indptr)
        found = [np.empty(0)]
        for f, left_out in zip(columns, turns, strict=True):
            f = f * weight[:, None]
            scores = combine_signs(f, self.combine, backgrounds(f, data.indptr)[lists])
            relevant = np.zeros(data.n_items)
            relevant[left_out[left_out >= 0]] = 1.0
            judged = (~data.labelled | (relevant > 0)) & ((left_out >= 0) & partly)[lists]
            if judged.any():
                found.append(metric(relevant[judged], scores[judged], lists[judged]))
        values = np.concatenate(found)
        return values if metric.greater_is_better else -values

    def _diffuse(self, data: RankingDataset, diffusion: Diffusion, alpha: float, turns: Integers) -> Floats:
        """Solve once for every turn; return an array of shape (n_turns, n_items, n_signs)."""
        seeds = []
        for left_out in turns:
            y = data.y.copy()
            y[left_out[left_out >= 0]] = np.nan
            seeds.append(seeds_of_labels(y, data.indptr, self.combine))
        if not seeds:
            return np.empty((0, data.n_items, 1))
        solved = diffusion.solve(np.hstack(seeds), alpha, tol=self.tol).scores
        return solved.reshape(data.n_items, len(seeds), -1).transpose(1, 0, 2)


def _choose(params: Sequence[Mapping[str, Any]], scores: Floats) -> int:
    """Take the best combination if it beats the default beyond chance, otherwise the default."""
    usual = ManifoldRanking().get_params()
    places = [at for at, each in enumerate(params) if all(usual[name] == each[name] for name in each)]
    default = places[0] if places else 0
    if scores.shape[1] < 2:
        return default
    best = int(scores.mean(axis=1).argmax())
    gain = scores[best] - scores[default]
    return best if gain.mean() > gain.std(ddof=1) / np.sqrt(len(gain)) else default

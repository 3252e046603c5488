"""Importance weighting: pairs that look like those of the list to be ranked teach more."""

import warnings
from collections.abc import Mapping
from inspect import signature
from math import inf
from numbers import Integral
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import gen_batches

from semirank.core.arrays import AnyArray, Booleans, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset
from semirank.density_ratio import KLIEP, effective_size
from semirank.limits import Between, Either, Limit, OneOf
from semirank.meta.adaptation import JOBS, RANKER, Adapted, AdaptingRanker, Progress, Teaching
from semirank.meta.list_pairs import ListPairs, all_pairs, ordered_pairs
from semirank.rankers import Ranker
from semirank.rankers.pair_weights import PairWeights
from semirank.rankers.peer import PeerRanker

BLOCK_ROWS = 2**15
FEW_PAIRS = 30


class Lessons(NamedTuple):
    """What all lists share.

    Attributes
    ----------
    pairs : the pairs that teach
    given : the weights of pairs given to `fit`
    counts : how many times each pair counts: its given weight, times those of its two items
    sample : the numbers of the pairs that stand for all of them
    differences : their differences
    """

    pairs: ListPairs
    given: Floats
    counts: Floats
    sample: Integers
    differences: Features


class ImportanceWeighting(AdaptingRanker):
    r"""Rank each list without labels by a ranker that learned most from pairs like those of that list.

    A pair is the difference of two items. The ratio w of the densities of pairs in the list and of pairs that
    teach is estimated by `KLIEP`, and a copy of the ranker is fitted with these weights of pairs [1]_. With
    `RankBoost`, it lowers

    .. math:: \sum_{p, q} w(x_p - x_q)\, e^{H(q) - H(p)}

    over the pairs (p, q) of one list with a higher label for p, which is the loss to be expected of the
    list's own pairs if labels follow features there as they do in the lists that teach. Which item of a pair
    of the list is better is not known, so the weight of a pair is that of the pair turned round.

    Parameters
    ----------
    ranker : ranker, optional
        What is fitted for each list. Its `fit` takes ``pairs`` (`RankBoost`, `RankRLS`, `RankSVM` and the
        rankers of `semirank.meta` made of these); of one that takes ``sample_weight`` only, each item weighs
        the mean of its pairs. None: `RankBoost()`.
    width : float, optional
        Width of the bells of `KLIEP`. None: chosen for each list by the likelihood of pairs held out.
    n_centres : int
        How many pairs of the list are centres of bells.
    max_pairs : int
        From how many of the pairs that teach the density is estimated. All of them are weighted.
    max_list_pairs : int
        How many pairs of the list are looked at.
    tol : float
        How far from the greatest likelihood `KLIEP` may stop.
    n_jobs : int, optional
        How many lists to adapt to at the same time, as in joblib.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    ranker_ : Ranker
        The ranker fitted on the lists that have labels, with equal weights; it ranks those lists.
    effective_sizes_ : dict
        For each list adapted to, ``sum(w)^2 / sum(w^2)`` over the pairs that teach: so many equally weighted
        pairs would teach as steadily.
    figures_ : dict
        For each list adapted to: ``n_pairs`` that teach, ``effective_size``, ``width``, ``n_centres`` that
        were not left out, ``likelihood``, the mean log-weight of the list's pairs, and the ``certificate`` of
        `KLIEP`.
    failures_ : dict
        Why, for each list that could not be adapted to.

    Warns
    -----
    DataWarning
        When the pairs for a list weigh as few, or when no pair is near its pairs, so that all weigh the same.

    Notes
    -----
    Each list costs one fit of `KLIEP`, ``O(n_pairs n_centres)`` for the weights and one fit of the ranker.
    Weights have a mean of 1 and are multiplied by those given to `fit`, which also say how often `KLIEP` sees
    a pair. A list with one item, or whose
    items are all alike, is ranked by `ranker_`. Bells are round: features should be scaled alike.

    References
    ----------
    .. [1] K. Duh, K. Kirchhoff. Semi-supervised ranking for document retrieval. Computer Speech and Language
       25, 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import ImportanceWeighting
    >>> X, y = np.array([[0.0], [1.0], [2.0], [5.0], [6.0], [9.0]]), [0, 1, 2, np.nan, np.nan, np.nan]
    >>> ranker = ImportanceWeighting().fit(X, y, qid=[1, 1, 1, 2, 2, 2])
    >>> ranker.effective_sizes_.keys()
    dict_keys([2])
    """

    limits: ClassVar[Mapping[str, Limit]] = {
        "ranker": RANKER,
        "width": Either(Between(0, inf, closed="neither"), OneOf(None)),
        "n_centres": Between(1, kind=Integral),
        "max_pairs": Between(1, kind=Integral),
        "max_list_pairs": Between(1, kind=Integral),
        "tol": Between(0, inf, closed="neither"),
        "n_jobs": JOBS,
    }

    def __init__(
        self,
        ranker: Any = None,
        width: float | None = None,
        n_centres: int = 100,
        *,
        max_pairs: int = 20_000,
        max_list_pairs: int = 2_000,
        tol: float = 1e-4,
        n_jobs: int | None = None,
    ) -> None:
        self.ranker = ranker
        self.width = width
        self.n_centres = n_centres
        self.max_pairs = max_pairs
        self.max_list_pairs = max_list_pairs
        self.tol = tol
        self.n_jobs = n_jobs

    @property
    def effective_sizes_(self) -> dict[Any, float]:
        """The effective number of pairs for each list adapted to."""
        return {name: each["effective_size"] for name, each in self.figures_.items()}

    def _learn(self, data: RankingDataset, teaches: Booleans, weights: dict[str, AnyArray]) -> None:
        _weights_taken(self._base())
        super()._learn(data, teaches, weights)

    def _prepare(self, teaching: Teaching) -> Lessons:
        if "pairs" in teaching.weights:
            better, worse, given = teaching.weights["pairs"]
            pairs = ListPairs(better, worse)
        else:
            pairs = ordered_pairs(teaching.y, teaching.lists)
            given = np.ones(len(pairs.first))
        of_items = teaching.weights.get("sample_weight", np.ones(len(teaching.y)))
        counts = given * of_items[pairs.first] * of_items[pairs.second]
        pairs, given, counts = pairs.take(counts > 0), given[counts > 0], counts[counts > 0]
        sample = pairs.evenly(teaching.X, self.max_pairs)
        return Lessons(pairs, given, counts, sample, pairs.take(sample).differences(teaching.X))

    def _adapt(self, teaching: Teaching, prepared: Lessons, items: Features) -> Adapted:
        differences = all_pairs(items, self.max_list_pairs).differences(items)
        n_pairs = float(len(prepared.given))
        if n_pairs == 0 or _count_nonzero(differences) == 0:
            return Adapted(self.ranker_.predict(items), {"n_pairs": n_pairs, "effective_size": n_pairs})
        ratio = KLIEP(self.width, self.n_centres, even=True, tol=self.tol)
        ratio.estimate(prepared.differences, differences, prepared.counts[prepared.sample])
        weights = _weigh(ratio, prepared, teaching.X)
        figures = {
            "n_pairs": n_pairs,
            "effective_size": effective_size(weights, prepared.counts),
            "width": ratio.width_,
            "n_centres": float(len(ratio.coefficients_)),
            "likelihood": float(ratio.likelihoods_[-1]),
            "certificate": ratio.certificate_,
        }
        return Adapted(self._fit_for(items, self._weighted(teaching, prepared, weights)), figures)

    def _weighted(self, teaching: Teaching, prepared: Lessons, weights: Floats) -> Teaching:
        """Return what teaches, with weights of pairs, or of items where the ranker takes no others."""
        pairs, given = prepared.pairs, teaching.weights
        if _weights_taken(self._base()) == "pairs":
            weighted = PairWeights(pairs.first, pairs.second, weights * prepared.given)
            return teaching._replace(weights=given | {"pairs": weighted})
        of_items = _mean_by_item(prepared, weights, len(teaching.y)) * given.get("sample_weight", 1.0)
        return teaching._replace(weights={"sample_weight": of_items})

    def _rank_lists(
        self, data: RankingDataset, progress: Progress | None
    ) -> tuple[Floats, dict[Any, str], dict[Any, dict[str, float]]]:
        scores, failures, figures = super()._rank_lists(data, progress)
        far = [name for name, each in figures.items() if each.get("n_centres") == 0]
        _warn(far, len(figures), "no pair that teaches is near their pairs", "all pairs weigh the same")
        short = [name for name, each in figures.items() if each.get("certificate", 0.0) > self.tol]
        _warn(short, len(figures), "KLIEP did not come as near to its optimum as tol", "weights are rough")
        few = [name for name, each in figures.items() if _is_tiny(**each)]
        _warn(few, len(figures), f"the pairs weigh as less than {FEW_PAIRS}", "their scores are unsteady")
        return scores, failures, figures


def _weights_taken(ranker: Ranker) -> str:
    """Return the name of the weights that a ranker, or the one it is made of, can be fitted with."""
    while isinstance(ranker, AdaptingRanker):
        ranker = ranker._base()
    fits = ranker.estimator.fit if isinstance(ranker, PeerRanker) else ranker.fit
    for name in ("pairs", "sample_weight"):
        if name in signature(fits).parameters:
            return name
    raise ValueError(
        f"ImportanceWeighting needs a ranker whose fit takes pairs or sample_weight; that of {ranker!r} "
        "takes neither. Use RankBoost, RankRLS or RankSVM."
    )


def _weigh(ratio: KLIEP, lessons: Lessons, X: Features) -> Floats:
    """Return the weights of all pairs, with mean 1; the differences of a block of them exist at a time."""
    blocks = gen_batches(len(lessons.given), BLOCK_ROWS)
    weights = np.concatenate([ratio.predict(lessons.pairs.take(rows).differences(X)) for rows in blocks])
    return weights / np.average(weights, weights=lessons.counts)


def _mean_by_item(lessons: Lessons, weights: Floats, n_items: int) -> Floats:
    """Return the mean weight of the pairs of each item, 1 where it is in none."""
    items = np.concatenate(lessons.pairs)
    sums = np.bincount(items, np.tile(lessons.counts * weights, 2), n_items)
    counts = np.bincount(items, np.tile(lessons.counts, 2), n_items)
    return np.divide(sums, counts, out=np.ones(n_items), where=counts > 0)


def _is_tiny(n_pairs: float, effective_size: float, **others: float) -> bool:
    """Tell whether many pairs have become few."""
    return effective_size < min(FEW_PAIRS, n_pairs / 2)


def _count_nonzero(X: Features) -> int:
    return int(X.count_nonzero() if issparse(X) else np.count_nonzero(X))


def _warn(names: list[Any], n_lists: int, what: str, so: str) -> None:
    if names:
        warnings.warn(
            f"For {len(names)} of {n_lists} lists, {what}: {so}. The first is {names[0]!r}.",
            DataWarning,
            stacklevel=4,
        )

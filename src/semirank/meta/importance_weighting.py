"""Importance weighting: pairs that look like those of the list to be ranked teach more."""

import warnings
from collections.abc import Mapping
from math import inf
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from semirank.core.arrays import AnyArray, Booleans, Floats
from semirank.dataset import DataWarning, Features, RankingDataset
from semirank.density_ratio import KLIEP
from semirank.limits import Between, Either, Limit, OneOf
from semirank.meta.adaptation import JOBS, RANKER, Adapted, AdaptingRanker, Known, LabelledLists, Progress
from semirank.meta.training_pairs import TrainingPairs, taking_pairs_as_they_are, weights_taken
from semirank.rankers.assumptions import LIST_SHIFT
from semirank.rankers.pairs.sampled import all_pairs

FEW_PAIRS = 30


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
        Width of `KLIEP`. None: chosen for each list by the likelihood of pairs held out.
    n_centres : int
        How many pairs of the list are centres of basis functions.
    max_taught : int
        How many pairs at most are weighted and taught. Of more, a sample is: one out of each equal part of
        them, always the same.
    max_pairs : int
        From how many of these the density of pairs that teach is estimated.
    max_list_pairs : int
        From how many pairs of the list that of its pairs is.
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

    See Also
    --------
    KLIEP : the weights.
    FeatureGeneration : other features for each list.

    Notes
    -----
    Each list costs one fit of `KLIEP`, ``O(n_pairs n_centres)`` for the weights and one fit of the ranker.
    Weights have a mean of 1 and are multiplied by those given to `fit`, which also say how often `KLIEP` sees
    a pair. Where every list counts the same for the ranker (``balance="lists"``, and `RankRLS`), it does so
    before, not after pairs are weighted: a list of another kind then counts less. A list with one item, or
    whose items are all alike, is ranked by `ranker_`. Widths are one for all features: scale them alike.

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

    assumption = LIST_SHIFT
    called = "{ranker}, weighted for each list"
    limits: ClassVar[Mapping[str, Limit]] = {
        "ranker": RANKER,
        "width": Either(Between(0, inf, closed="neither"), OneOf(None)),
        "n_centres": Between(1, kind=Integral),
        "max_taught": Between(1, kind=Integral),
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
        max_taught: int = 1_000_000,
        max_pairs: int = 20_000,
        max_list_pairs: int = 2_000,
        tol: float = 1e-4,
        n_jobs: int | None = None,
    ) -> None:
        self.ranker = ranker
        self.width = width
        self.n_centres = n_centres
        self.max_taught = max_taught
        self.max_pairs = max_pairs
        self.max_list_pairs = max_list_pairs
        self.tol = tol
        self.n_jobs = n_jobs

    @property
    def effective_sizes_(self) -> dict[Any, float]:
        """The effective number of pairs for each list adapted to."""
        return {name: each["effective_size"] for name, each in self.figures_.items()}

    def _learn(self, data: RankingDataset, teaches: Booleans, weights: dict[str, AnyArray]) -> None:
        weights_taken(self._base())  # a ranker that takes none is refused before anything is learned
        super()._learn(data, teaches, weights)

    def _prepare(self, labelled: LabelledLists) -> TrainingPairs:
        return TrainingPairs.of(labelled, self._base(), self.max_taught, self.max_pairs)

    def _adapt(self, labelled: LabelledLists, prepared: TrainingPairs, items: Features) -> Adapted:
        differences = all_pairs(items, self.max_list_pairs).differences(items)
        n_pairs = float(len(prepared.given))
        if n_pairs == 0 or _count_nonzero(differences) == 0:
            return Adapted(self.ranker_.predict(items), {"n_pairs": n_pairs, "effective_size": n_pairs})
        ratio = KLIEP(self.width, self.n_centres, even=True, tol=self.tol)
        ratio.estimate(prepared.differences, differences, prepared.frequencies())
        weights = prepared.weigh(ratio, labelled.X)
        figures = {
            "n_pairs": n_pairs,
            "effective_size": prepared.effective_size(weights),
            "width": ratio.width_,
            "n_centres": float(len(ratio.coefficients_)),
            "likelihood": float(ratio.likelihoods_[-1]),
            "certificate": ratio.certificate_,
        }
        return Adapted(self._fit_weighted(items, labelled, prepared, weights), figures)

    def _fit_weighted(
        self, items: Features, labelled: LabelledLists, pairs: TrainingPairs, weights: Floats
    ) -> Floats:
        """Return the list's scores by a ranker fitted with weights of pairs, or of items if it must be."""
        if weights_taken(self._base()) == "pairs":
            given = labelled.weights | {"pairs": pairs.weighted(weights)}
            ranker = taking_pairs_as_they_are(self._base())
            return self._fit_for(items, labelled._replace(weights=given), ranker)
        of_items = pairs.mean_by_item(weights, len(labelled.y)) * labelled.weights.get("sample_weight", 1.0)
        return self._fit_for(items, labelled._replace(weights={"sample_weight": of_items}))

    def _rank_lists(
        self, data: RankingDataset, progress: Progress | None, known: Known = None
    ) -> tuple[Floats, dict[Any, str], dict[Any, dict[str, float]]]:
        scores, failures, figures = super()._rank_lists(data, progress, known)
        far = [name for name, each in figures.items() if each.get("n_centres") == 0]
        _warn(far, len(figures), "no pair that teaches is near their pairs", "all pairs weigh the same")
        short = [name for name, each in figures.items() if each.get("certificate", 0.0) > self.tol]
        _warn(short, len(figures), "KLIEP did not come as near to its optimum as tol", "weights are rough")
        few = [name for name, each in figures.items() if _is_tiny(**each)]
        _warn(few, len(figures), f"the pairs weigh as less than {FEW_PAIRS}", "their scores are unsteady")
        return scores, failures, figures


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

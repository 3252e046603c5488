"""Distance ranking: the nearer to a relevant item, the better."""

import warnings
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import normalize
from sklearn.utils import gen_batches

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset
from semirank.limits import Limit, OneOf
from semirank.rankers._base import Ranker

BLOCK_CELLS = 2**22


class DistanceRanking(Ranker):
    """Rank each list by the distance of its items to the nearest relevant one.

    The relevant items of a list are those with a label above 0. The score of an item x is
    ``-min_s |x - s|`` or ``max_s cos(x, s)`` over the relevant items s of its list: the baselines that
    manifold ranking is measured against [1]_. Irrelevant items are not used.

    A list without a relevant item of its own is ranked by the relevant items of all lists.

    Parameters
    ----------
    metric : {"euclidean", "cosine"}
        Distance, or similarity of direction (an all-zero item has similarity 0).

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    examples_ : array or CSR matrix of shape (n_relevant, n_features)
        The relevant items, list after list.
    example_lists_ : array of shape (n_relevant,)
        The list (`qid`) of each of them.

    Notes
    -----
    O(n_items * n_relevant * n_features) time within each list, done in blocks: no n x n matrix.

    References
    ----------
    .. [1] D. Zhou, J. Weston, A. Gretton, O. Bousquet, B. Schoelkopf. Ranking on data manifolds. NIPS 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import DistanceRanking
    >>> X = np.array([[0.0], [1.0], [3.0], [7.0]])
    >>> y = np.array([1, np.nan, np.nan, np.nan])
    >>> ranker = DistanceRanking().fit(X, y)
    >>> ranker.scores_
    array([ 0., -1., -3., -7.])
    >>> ranker.predict([[2.0]])
    array([-2.])
    """

    one_function = False
    limits: ClassVar[Mapping[str, Limit]] = {"metric": OneOf("euclidean", "cosine")}

    examples_: Features
    example_lists_: AnyArray

    def __init__(self, metric: str = "euclidean") -> None:
        self.metric = metric

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Keep the relevant items (label above 0) of each list, and score all items by them."""
        data = self._check(X, y, qid)
        relevant = np.flatnonzero(data.y > 0)
        if len(relevant) == 0:
            raise ValueError(
                "DistanceRanking needs at least one relevant item (a label above 0); "
                f"the largest label is {np.nanmax(data.y):g}."
            )
        self.examples_ = data.X[relevant]
        self.example_lists_ = data.qid[relevant]
        return self._store(data, self._score(data))

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by the relevant items of their list, or of all lists where it has none."""
        data = self._check_new(X, qid)
        return data.restore(self._score(data))

    def _score(self, data: RankingDataset) -> Floats:
        closeness = _negative_distance if self.metric == "euclidean" else _cosine
        scores = np.empty(data.n_items)
        without = []
        for i, name in enumerate(data.list_ids):
            examples = self.examples_[np.asarray(self.example_lists_ == name, dtype=bool)]
            if examples.shape[0] == 0:
                without.append(name)
                examples = self.examples_
            items = slice(data.indptr[i], data.indptr[i + 1])
            scores[items] = closeness(data.X[items], examples)
        if without:
            warnings.warn(
                f"{len(without)} of {data.n_lists} lists have no relevant item of their own (first: "
                f"{without[0]!r}); they are ranked by the relevant items of all lists.",
                DataWarning,
                stacklevel=3,
            )
        return scores

    def _check_state(self) -> None:
        super()._check_state()
        if self.examples_.shape != (len(self.example_lists_), self.n_features_in_):
            raise ValueError("examples_ and example_lists_ must have one row for each relevant item")


def _negative_distance(X: Features, examples: Features) -> Floats:
    """Return minus the distance of each row to its nearest example, exactly 0 for an example itself."""
    nearest: Integers = pairwise_distances_argmin(X, examples)
    scores = np.empty(X.shape[0])
    for rows in _blocks(X.shape[0], X.shape[1]):
        difference = X[rows] - examples[nearest[rows]]
        squares = difference.multiply(difference) if issparse(difference) else difference**2
        scores[rows] = 0.0 - np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel())
    return scores


def _cosine(X: Features, examples: Features) -> Floats:
    directions = normalize(examples)
    scores = np.empty(X.shape[0])
    for rows in _blocks(X.shape[0], directions.shape[0]):
        similarity = normalize(X[rows]) @ directions.T
        best = similarity.max(axis=1)
        scores[rows] = best.toarray().ravel() if issparse(best) else best
    return np.clip(scores, -1.0, 1.0)


def _blocks(n_rows: int, row_cells: int) -> Any:
    """Cut the rows so that a block of `row_cells` columns stays small."""
    return gen_batches(n_rows, max(1, BLOCK_CELLS // max(row_cells, 1)))

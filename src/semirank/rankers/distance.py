"""Distance ranking: the nearer to a relevant item, the better."""

import warnings
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.metrics import pairwise_distances
from sklearn.preprocessing import normalize
from sklearn.utils import gen_batches

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.dataset import DataWarning, Features, RankingDataset, check_labels
from semirank.graphs import NeighbourIndex
from semirank.graphs.neighbours import is_zero
from semirank.learned import Array, Names, Table
from semirank.limits import Limit, OneOf
from semirank.rankers._base import Contributions, Ranker

BATCH_CELLS = 2**22


class DistanceRanking(Ranker):
    """Rank each list by the distance of its items to the nearest relevant one.

    The relevant items of a list are those with a label above 0. The score of an item x is
    ``-min_s |x - s|`` or ``max_s cos(x, s)`` over the relevant items s of its list: the baselines that
    manifold ranking is measured against [1]_. Irrelevant items are not used.

    A list without a relevant item of its own is ranked by the relevant items of all lists.

    Parameters
    ----------
    distance : {"euclidean", "cosine"}
        Distance, or similarity of direction (an all-zero item has similarity 0).

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    examples_ : array or CSR matrix of shape (n_relevant, n_features)
        The relevant items, list after list.
    example_lists_ : array of shape (n_relevant,)
        The list (`qid`) of each of them.

    See Also
    --------
    ManifoldRanking : follows the data from label to item.
    semirank.graphs.NeighbourIndex : the nearest items themselves.

    Notes
    -----
    O(n_items * n_relevant * n_features) time within each list, one pass over all lists: no n x n matrix.

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
    called = "nearest labelled items, {distance} distance"
    limits: ClassVar[Mapping[str, Limit]] = {"distance": OneOf("euclidean", "cosine")}

    learned: ClassVar[Table] = Ranker.learned | {
        "examples_": Array("n_examples", "n_features", dtype="float", sparse=True),
        "example_lists_": Names("n_examples"),
    }

    examples_: Features
    example_lists_: AnyArray
    _given: RankingDataset
    _relevant: Integers

    def __init__(self, distance: str = "euclidean") -> None:
        self.distance = distance

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Keep the relevant items (label above 0) of each list, and score all items by them."""
        self._given = self._check(X, y, qid)
        return self._rank(self._given)

    def rerank(self, y: Any) -> Self:
        """Rank the fitted items anew from other labels: the scores of a new `fit`.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the items were given to `fit`.
        """
        self._check_fitted_here()
        labels = self._given.arrange(check_labels(y, self._given.n_items))
        if np.array_equal(np.flatnonzero(labels > 0), self._relevant):
            return self  # only relevant items teach
        return self._rank(self._given.replace(y=labels))

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def _rank(self, data: RankingDataset) -> Self:
        relevant = np.flatnonzero(data.y > 0)
        if len(relevant) == 0:
            raise ValueError(
                "DistanceRanking needs at least one relevant item (a label above 0); "
                f"the largest label is {np.nanmax(data.y):g}."
            )
        self._relevant = relevant
        self.examples_ = data.X[relevant]
        self.example_lists_ = data.qid[relevant]
        return self._store(self._given, self._score(data))

    def explain(self, item: int) -> Contributions:
        """Name the nearest relevant item, to which a fitted item owes its whole score.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        self._check_fitted_here()
        data = self._given
        place = int(np.flatnonzero(data.order == item)[0])
        own = np.flatnonzero(self.example_lists_ == data.qid[place])
        own = own if len(own) else np.arange(len(self.example_lists_))
        metric = "euclidean" if self.distance == "euclidean" else "cosine"
        distances = pairwise_distances(data.X[[place]], self.examples_[own], metric=metric)[0]
        nearest = self._relevant[own[int(np.argmin(distances))]]
        return Contributions(data.order[[nearest]], self.scores_[[item]])

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by the relevant items of their list, or of all lists where it has none."""
        data = self._check_new(X, qid)
        return data.restore(self._score(data))

    def _score(self, data: RankingDataset) -> Floats:
        """Compare each item with its nearest example: that of its list, or of all where the list has none."""
        starts = np.flatnonzero(np.append(True, self.example_lists_[1:] != self.example_lists_[:-1]))
        number = {name: i for i, name in enumerate(self.example_lists_[starts].tolist())}
        lists = np.array([number.get(name, -1) for name in data.list_ids.tolist()])
        if (lists < 0).any():
            without = data.list_ids[lists < 0]
            warnings.warn(
                f"{len(without)} of {data.n_lists} lists have no relevant item of their own (first: "
                f"{without[0]!r}); they are ranked by the relevant items of all lists.",
                DataWarning,
                stacklevel=3,
            )
        indptr = np.append(starts, len(self.example_lists_))
        score = _negative_distances if self.distance == "euclidean" else _cosines
        return score(data.X, self.examples_, indptr, lists[data.list_of_item])


def _negative_distances(X: Features, examples: Features, indptr: Integers, lists: Integers) -> Floats:
    """Return ``-min_s |x - s|`` over the examples s of the list of x, exactly 0 for an example itself."""
    nearest = NeighbourIndex(examples, indptr=indptr, recall=1.0).query(X, 1, lists).indices[:, 0]
    scores = np.empty(X.shape[0])
    for rows in _batches(X):
        difference = X[rows].astype(np.float64) - examples[nearest[rows]]
        squares = difference.multiply(difference) if issparse(difference) else difference**2
        scores[rows] = 0.0 - np.sqrt(np.asarray(squares.sum(axis=1), dtype=np.float64).ravel())
    return scores


def _cosines(X: Features, examples: Features, indptr: Integers, lists: Integers) -> Floats:
    """Return ``max_s cos(x, s)`` over the examples s of the list of each x; with a row of zeros it is 0."""
    X, examples = normalize(X), normalize(examples)
    index = NeighbourIndex(examples, distance="cosine", indptr=indptr, recall=1.0)
    nearest = index.query(X, 1, lists).indices[:, 0]
    scores = np.empty(X.shape[0])
    for rows in _batches(X):
        products = X[rows] * examples[nearest[rows]]
        scores[rows] = np.asarray(products.sum(axis=1)).ravel()
    empty = is_zero(examples)
    has_empty = np.append(np.logical_or.reduceat(empty, indptr[:-1]), empty.any())  # -1: among all
    return np.clip(scores, np.where(has_empty[lists], 0.0, -1.0), 1.0)


def _batches(X: Features) -> Iterator[slice]:
    """Cut the rows so that a batch stays small."""
    return gen_batches(X.shape[0], max(1, BATCH_CELLS // max(X.shape[1], 1)))

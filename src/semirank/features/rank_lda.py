"""Directions that tell levels of relevance apart, and keep them in order."""

import warnings
from itertools import chain, combinations
from math import inf
from numbers import Integral
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from scipy.linalg import cholesky, null_space, solve_triangular
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.dataset import DataWarning, RankingDataset
from semirank.features.matrix import check_matrix
from semirank.learned import Array, Names, Optional, Table, count
from semirank.limits import Between, Either, Limit, OneOf, check_limits
from semirank.storage import Storable

MOST_LEVELS = 10
ROUNDING = 1e-10


class Levels(NamedTuple):
    """The levels of labels: the share of items in each, their means, and the covariance around these."""

    shares: Floats
    means: Floats
    covariance: Floats


class RankLDA(Storable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Project items on directions along which their mean rises from each level of labels to the next.

    Linear discriminant analysis with the levels' order as a constraint [1]_: direction a maximises

    .. math:: \frac{a' B a}{a' W a} \quad\text{with}\quad a'\mu_1 \le a'\mu_2 \le \ldots \le a'\mu_L

    where :math:`\mu_l` is the mean of the :math:`n_l` items of level l, W the covariance around these means,
    and :math:`B = \sum_{i<j} \omega_{ij} n_i n_j (\mu_i - \mu_j)(\mu_i - \mu_j)' / N^2`. Items are taken
    relative to the mean of their list's labelled items. Further directions are orthogonal to the first ones
    with respect to W. For three levels the constraint is that of [1]_.

    Parameters
    ----------
    n_components : int or None
        How many directions; None: as many as there are, which is at most one less than there are levels, and
        less if no further direction keeps the order. With more levels than features there may be none at all,
        which is a warning.
    weights : {"equal", "gap"}
        Whether every two levels count the same (:math:`\omega = 1`), or by the difference of their labels.
    ridge : float
        Part of the mean variance that is added to the diagonal of W.

    Attributes
    ----------
    components_ : float64 array of shape (`n_components_`, n_features)
        The directions, one a row, of length 1 with respect to W.
    values_ : float64 array of shape (`n_components_`,)
        The quotient that each reaches.
    n_components_ : int
        How many directions there are.

    See Also
    --------
    semirank.FeatureGeneration : directions learned without labels.

    Notes
    -----
    Everything but W lies in the space that the means span, so after one Cholesky factorisation of W,
    O(n d^2 + d^3), a problem of L - 1 dimensions is left. A Rayleigh quotient has no local maxima but its
    global ones, so its maximum under the constraint is the best among the maxima on the faces of the cone
    :math:`a'(\mu_{l+1} - \mu_l) \ge 0` that satisfy it: at most :math:`2^{L-1}`, which is exact. With more
    than ten different labels, levels are ten ranges of labels with about as many items each. Sparse items are
    made dense.

    References
    ----------
    .. [1] K. Duh. Learning to rank with partially-labeled data. PhD thesis, University of Washington, 2009.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.features import RankLDA
    >>> X = np.array([[0.0, 1.0], [2.0, -1.0], [1.0, 0.0], [3.0, 0.0], [2.0, 1.0], [4.0, -1.0]])
    >>> lda = RankLDA(n_components=1).fit(X, [0, 0, 1, 1, 2, 2])
    >>> lda.transform([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]]).round(1).ravel()
    array([0. , 1.7, 3.5])
    """

    limits: ClassVar[dict[str, Limit]] = {
        "n_components": Either(Between(1, inf, Integral), OneOf(None)),
        "weights": OneOf("equal", "gap"),
        "ridge": Between(0, inf, closed="neither"),
    }

    learned: ClassVar[Table] = {
        "n_features_in_": count("n_features", low=1),
        "feature_names_in_": Optional(Names("n_features")),
        "components_": Array("n_components", "n_features"),
        "values_": Array("n_components"),
    }

    components_: Floats
    values_: Floats
    n_features_in_: int

    def __init__(
        self, n_components: int | None = None, *, weights: str = "equal", ridge: float = 1e-3
    ) -> None:
        self.n_components = n_components
        self.weights = weights
        self.ridge = ridge

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Find the directions from the labelled items (y is not NaN) of lists."""
        check_limits(self.limits, self.get_params(deep=False))
        X = check_matrix(self, X)
        data = RankingDataset(X, y, qid)
        data = data.take(data.labelled) if data.labelled.any() else _refuse("no item has a label")
        labels, level_of_item = _cut(data.y)
        if len(labels) < 2:
            _refuse(f"all labels are {labels[0]:g} (one class)")
        levels = _measure(_centred(data), level_of_item, self.ridge)
        self.values_, self.components_ = _directions(
            levels, self._weigh_gaps(labels, levels.shares), self.n_components or len(labels) - 1
        )
        if not self.n_components_:
            message = (
                f"No direction keeps the {len(labels)} levels of labels in order: there are no features."
            )
            warnings.warn(message, DataWarning, stacklevel=2)
        return self

    def transform(self, X: Any) -> AnyArray:
        """Return the coordinates of items, old or new, along the directions."""
        check_is_fitted(self, "components_")
        X = check_matrix(self, X, reset=False)
        return X @ self.components_.T

    @property
    def n_components_(self) -> int:
        """How many directions there are."""
        return len(self.components_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _weigh_gaps(self, labels: Floats, shares: Floats) -> Floats:
        """Return C with ``B = U'C U``, where row l of U is the gap from the mean of level l to the next."""
        C = np.zeros((len(labels) - 1, len(labels) - 1))
        for low, high in combinations(range(len(labels)), 2):
            omega = 1.0 if self.weights == "equal" else labels[high] - labels[low]
            C[low:high, low:high] += omega * shares[low] * shares[high]
        return C

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _refuse(reason: str) -> Any:
    raise ValueError(f"RankLDA needs items with different labels; {reason}.")


def _cut(y: Floats) -> tuple[Floats, Integers]:
    """Return the label of each level, ascending, and the level of each item."""
    labels, level_of_item = np.unique(y, return_inverse=True)
    if len(labels) <= MOST_LEVELS:
        return labels, level_of_item
    edges = np.unique(np.quantile(y, np.arange(1, MOST_LEVELS) / MOST_LEVELS))
    level_of_item = np.unique(np.searchsorted(edges, y), return_inverse=True)[1]
    sums = np.bincount(level_of_item, y)
    return sums / np.bincount(level_of_item), level_of_item


def _centred(data: RankingDataset) -> Floats:
    X = np.asarray(data.X.toarray() if issparse(data.X) else data.X, dtype=np.float64)
    return data.centred(X)


def _measure(X: Floats, level_of_item: Integers, ridge: float) -> Levels:
    shares = np.bincount(level_of_item) / len(X)
    means = np.stack([X[level_of_item == level].mean(axis=0) for level in range(len(shares))])
    around = X - means[level_of_item]
    covariance = around.T @ around / len(X)
    pull = ridge * np.trace(covariance) / len(covariance)
    covariance[np.diag_indices_from(covariance)] += pull if pull > 0.0 else 1.0
    return Levels(shares, means, covariance)


def _directions(levels: Levels, C: Floats, most: int) -> tuple[Floats, Floats]:
    """Return the values and directions, best first."""
    root = cholesky(levels.covariance, lower=True)
    gaps = solve_triangular(root, np.diff(levels.means, axis=0).T, lower=True)
    basis, sizes, _ = np.linalg.svd(gaps, full_matrices=False)
    basis = basis[:, sizes > ROUNDING * max(sizes[0], np.finfo(float).tiny)]
    gaps = gaps.T @ basis
    free = np.eye(basis.shape[1])
    found: list[tuple[float, Floats]] = []
    while len(found) < most and free.shape[1] > 0:
        best = _best_in_order(gaps @ free, C)
        if best is None:
            break
        found.append((best[0], free @ best[1]))
        free = null_space(np.array([direction for _, direction in found]))
    values = np.array([value for value, _ in found])
    directions = np.array([direction for _, direction in found]).reshape(len(found), basis.shape[1])
    return values, solve_triangular(root, basis @ directions.T, lower=True, trans="T").T


def _best_in_order(gaps: Floats, C: Floats) -> tuple[float, Floats] | None:
    """Maximise ``b'gaps' C gaps b`` over unit vectors b with ``gaps b >= 0``; None if there is none but 0."""
    best: tuple[float, Floats] | None = None
    slack = ROUNDING * np.abs(gaps).max()
    for closed in chain.from_iterable(combinations(range(len(gaps)), n) for n in range(len(gaps))):
        face = null_space(gaps[list(closed)]) if closed else np.eye(gaps.shape[1])
        if face.shape[1] == 0:
            continue
        values, vectors = np.linalg.eigh(face.T @ gaps.T @ C @ gaps @ face)
        b = face @ vectors[:, -1]
        rises = gaps @ b
        rises, b = (rises, b) if rises.sum() >= 0 else (-rises, -b)
        if (rises >= -slack).all() and (best is None or values[-1] > best[0] * (1 + ROUNDING)):
            best = float(values[-1]), b
    return best

"""Features of any scale brought to a common one, so that distances, kernels and ridges see them all."""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy.sparse import csr_array, issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import Booleans, Floats
from semirank.dataset.checks import Features, check_features
from semirank.learned import Array, Table, Value, count
from semirank.limits import Between, Limit
from semirank.storage import Storable

TAIL = 0.01  # share of a column on either side that has no say in its centre and spread
SAME = 0.02  # ends of columns that differ by less are the same
SAME_LENGTH = 1e-3
FEWEST_ALIKE = 8  # columns, below which common ends are chance


class Scaling(OneToOneFeatureMixin, Storable, TransformerMixin, BaseEstimator):
    """Standardise columns, unless they are alike already.

    A column becomes ``(x - centre) / spread``, cut off at `limit` on either side. Centre and spread are the
    mean and standard deviation of the column with its outer hundredths drawn in, so that a few wild values
    neither move the others together nor stand out by more than `limit`. A constant column becomes 0.

    Rows that all have the same length are directions (embeddings, normalised texts): they stay as they are.
    Columns with common ends are one measurement taken many times (pixels, spectra, answers from 1 to 5):
    they stay in proportion, divided by one number. A sparse matrix stays sparse: columns are divided and not
    shifted.

    Parameters
    ----------
    limit : float
        How far a value may lie from the centre, in spreads.

    Attributes
    ----------
    kind_ : {"columns", "common", "directions"}
        What the columns turned out to be.
    centres_, factors_ : float64 arrays of shape (n_features,)
        What is subtracted from each column, and what it is then multiplied by.
    n_features_in_ : int
        Number of columns.

    See Also
    --------
    TableFeatures : columns of all kinds.

    Notes
    -----
    One pass over a dense matrix to sort each column, one over the entries of a sparse one.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank.features import Scaling
    >>> X = np.array([[1e8, 0.0, 3.0], [3e8, 0.0, 5.0], [2e8, 0.0, 4.0]])
    >>> Scaling().fit_transform(X).round(2)
    array([[-1.25,  0.  , -1.25],
           [ 1.25,  0.  ,  1.25],
           [ 0.  ,  0.  ,  0.  ]])
    """

    limits: ClassVar[Mapping[str, Limit]] = {"limit": Between(0, closed="neither")}

    learned: ClassVar[Table] = {
        "n_features_in_": count("n_features"),
        "kind_": Value(str, choices=("columns", "common", "directions")),
        "centres_": Array("n_features"),
        "factors_": Array("n_features"),
    }

    kind_: Literal["columns", "common", "directions"]
    centres_: Floats
    factors_: Floats
    n_features_in_: int

    def __init__(self, limit: float = 5.0) -> None:
        self.limit = limit

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the scale of each column from all items, labelled or not."""
        X = check_features(X)[0]
        self.n_features_in_ = X.shape[1]
        centres, spreads, low, high = _sparse_columns(X) if issparse(X) else _dense_columns(X)
        self.kind_ = _kind(X, low, high)
        if self.kind_ == "columns":
            self.centres_, self.factors_ = centres, _inverse(spreads)
        else:
            whole = float(np.sqrt(np.mean(spreads**2))) if self.kind_ == "common" else 1.0
            self.centres_ = np.zeros(X.shape[1])
            self.factors_ = np.full(X.shape[1], 1.0 / whole if whole > 0 else 1.0)
        return self

    def transform(self, X: Any) -> Features:
        """Return the columns on the scale that `fit` has learned."""
        check_is_fitted(self, "factors_")
        X = check_features(X)[0]
        if X.shape[1] != self.n_features_in_:
            raise ValueError(f"X has {X.shape[1]} features, but Scaling has learned {self.n_features_in_}.")
        if issparse(X):
            data = X.data * self.factors_[X.indices]
            return csr_array((self._cut(data), X.indices, X.indptr), shape=X.shape)
        return self._cut((X - self.centres_) * self.factors_)

    def _cut(self, values: Floats) -> Floats:
        return np.clip(values, -self.limit, self.limit) if self.kind_ == "columns" else values

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _dense_columns(X: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return centre, spread, lowest and highest value of each column."""
    low, high = X.min(axis=0), X.max(axis=0)
    inner_low, inner_high = np.quantile(X, [TAIL, 1 - TAIL], axis=0)
    rare = inner_low == inner_high  # nearly all values are the same: the others are what there is
    drawn_in = np.clip(X, np.where(rare, low, inner_low), np.where(rare, high, inner_high))
    first = drawn_in[0]
    moved = drawn_in - first  # a column far from 0 keeps its digits
    scale = np.abs(moved).max(axis=0, initial=0.0)
    unit = moved / np.where(scale > 0, scale, 1.0)  # squares of 1e300 are infinite
    return first + unit.mean(axis=0) * scale, unit.std(axis=0) * scale, low, high


def _sparse_columns(X: Features) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the same without writing the zeros out; spreads are root mean squares."""
    n_items, n_features = X.shape
    scale = np.zeros(n_features)
    np.maximum.at(scale, X.indices, np.abs(X.data))
    scale[scale == 0] = 1.0
    squares = np.bincount(X.indices, (X.data / scale[X.indices]) ** 2, n_features)
    low, high = np.zeros(n_features), np.zeros(n_features)
    np.minimum.at(low, X.indices, X.data)
    np.maximum.at(high, X.indices, X.data)
    return np.zeros(n_features), np.sqrt(squares / max(n_items, 1)) * scale, low, high


def _kind(X: Features, low: Floats, high: Floats) -> Literal["columns", "common", "directions"]:
    """Tell whether rows are directions, or columns one measurement taken many times."""
    squares = X.multiply(X).sum(axis=1) if issparse(X) else np.einsum("ij,ij->i", X, X)
    lengths = np.sqrt(np.asarray(squares).ravel())
    known = lengths[lengths > 0]
    varied = high > low
    values = X.data if issparse(X) else X[: min(len(X), 200), varied]
    if varied.sum() < 2 or len(np.unique(values[values != 0])) < 2:
        return "columns"  # indicators of categories: equally many in each row, and still no directions
    if known.max() <= (1 + SAME_LENGTH) * known.min() and not _one_column_rules(X, known):
        return "directions"
    if varied.sum() < FEWEST_ALIKE or issparse(X):
        return "columns"
    alike = _at(low[varied], float(np.median(low[varied]))) & _at(high[varied], float(high.max()))
    return "common" if alike.mean() > 0.5 else "columns"


def _one_column_rules(X: Features, lengths: Floats) -> bool:
    """Tell whether a column of large values makes all rows as long as it is."""
    squares = X.multiply(X).sum(axis=0) if issparse(X) else np.einsum("ij,ij->j", X, X)
    return bool(np.max(squares) > 0.9 * np.sum(lengths**2))


def _at(values: Floats, end: float) -> Booleans:
    return np.abs(values - end) <= SAME * max(abs(end), float(np.ptp(values)), 1e-300)


def _inverse(spreads: Floats) -> Floats:
    return np.divide(1.0, spreads, out=np.zeros_like(spreads), where=spreads > 0)

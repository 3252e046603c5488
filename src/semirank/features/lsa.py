"""Latent semantic features: the directions in which items vary together, learned without a label."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from math import inf
from numbers import Integral
from typing import Any, ClassVar, Self

import joblib
import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.decomposition import TruncatedSVD
from sklearn.preprocessing import normalize
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray
from semirank.core.threads import one_blas_thread
from semirank.dataset import Features
from semirank.features.matrix import check_matrix
from semirank.learned import Array, Names, Optional, Table, count
from semirank.limits import SEED, Between, Limit, OneOf, check_limits
from semirank.storage import Storable

NEGLIGIBLE = 1e-7
_SHARED: ContextVar[dict[str, "LSA"] | None] = ContextVar("shared", default=None)


class LSA(Storable, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Turn sparse items, such as tf-idf vectors, into a few dense features.

    With the singular value decomposition ``X = U S V'`` of all items, labelled or not, the features of an
    item x are its coordinates ``x'V_k`` along the directions of the k largest singular values [1]_. Words
    that occur in the same texts fall together, so an item may resemble a relevant one without sharing a
    word with it. Nothing is subtracted first, and sparse items stay sparse.

    Parameters
    ----------
    n_components : int
        k; fewer when the items span no more. For texts, 50 to 100 with tens of labels and 100 to 200 with
        hundreds.
    norm : {"l2"} or None
        Divide the features of each item by their length, so that long and short, common and rare texts
        count the same; an item that is 0 along all directions stays 0.
    solver : {"randomized", "arpack"}
        "randomized" is quick and finds the last directions only roughly, which texts hardly notice; "arpack"
        finds the true ones in three times the time.
    random_state : int, Generator or None
        Where the solver starts. Same seed, same bits; with "arpack", up to rounding and as far as the
        singular values differ.

    Attributes
    ----------
    components_ : array of shape (`n_components_`, n_features)
        The directions, one a row, each with the entry of largest size made positive.
    singular_values_ : array of shape (`n_components_`,)
        Their singular values, the largest first; those below 1e-7 of the largest are left out.
    n_components_ : int
        How many directions there are.

    See Also
    --------
    TfIdf : what it usually starts from.
    semirank.LatentRanker : a ranker on such features.

    Notes
    -----
    A dozen products of X with k vectors ("randomized") and O((n + d) k^2) time besides for n items and d
    features; O((n + d) k) memory. The number of threads makes no difference.

    References
    ----------
    .. [1] S. Deerwester, S. T. Dumais, G. W. Furnas, T. K. Landauer, R. Harshman. Indexing by latent semantic
       analysis. Journal of the American Society for Information Science 41, 1990.

    Examples
    --------
    >>> from semirank.features import LSA, TfIdf
    >>> texts = ["car engine", "engine motor", "motor wheel", "wine grape", "grape juice"]
    >>> features = LSA(n_components=2).fit_transform(TfIdf(min_df=1).fit_transform(texts))
    >>> abs(features.round(2))
    array([[1., 0.],
           [1., 0.],
           [1., 0.],
           [0., 1.],
           [0., 1.]])
    """

    limits: ClassVar[dict[str, Limit]] = {
        "n_components": Between(1, inf, Integral),
        "norm": OneOf("l2", None),
        "solver": OneOf("randomized", "arpack"),
        "random_state": SEED,
    }

    learned: ClassVar[Table] = {
        "n_features_in_": count("n_features", low=1),
        "feature_names_in_": Optional(Names("n_features")),
        "components_": Array("n_components", "n_features", dtype="float"),
        "singular_values_": Array("n_components", dtype="float", low=0),
    }

    components_: AnyArray
    singular_values_: AnyArray
    n_features_in_: int

    def __init__(
        self,
        n_components: int = 100,
        *,
        norm: str | None = "l2",
        solver: str = "randomized",
        random_state: Any = 0,
    ) -> None:
        self.n_components = n_components
        self.norm = norm
        self.solver = solver
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the directions of the items X."""
        check_limits(self.limits, self.get_params(deep=False))
        X = check_matrix(self, X)
        if abs(X).max() == 0:
            raise ValueError("All items are 0: there is no direction to tell them apart.")
        if X.shape[1] == 1:  # which scikit-learn refuses
            self.components_, self.singular_values_ = np.ones((1, 1)), np.sqrt(np.array([(X * X).sum()]))
            return self
        with one_blas_thread():
            model = self._decomposition(X.shape).fit(X.astype(np.float64, copy=False))
        kept = model.singular_values_ > NEGLIGIBLE * model.singular_values_[0]
        self.components_, self.singular_values_ = model.components_[kept], model.singular_values_[kept]
        return self

    def transform(self, X: Any) -> AnyArray:
        """Return the features of items, old or new, in float32 when X is, else in float64."""
        check_is_fitted(self, "components_")
        X = check_matrix(self, X, reset=False)
        with one_blas_thread():
            features = X @ self.components_.T
        return (features if self.norm is None else normalize(features)).astype(X.dtype, copy=False)

    @property
    def n_components_(self) -> int:
        """How many directions there are."""
        return len(self.components_)

    @property
    def _n_features_out(self) -> int:
        return self.n_components_

    def _decomposition(self, shape: tuple[int, int]) -> TruncatedSVD:
        most = min(shape)
        return TruncatedSVD(
            min(self.n_components, most),
            # arpack cannot find all directions; random ones, as many as there are, span them exactly
            algorithm=self.solver if self.n_components < most else "randomized",
            random_state=int(np.random.default_rng(self.random_state).integers(2**31)),
        )

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


@contextmanager
def sharing_lsa() -> Iterator[None]:
    """Analyse the same items once in this block, however many rankers ask for it."""
    token = _SHARED.set({})
    try:
        yield
    finally:
        _SHARED.reset(token)


def fit_lsa(X: Features, n_components: int) -> LSA:
    """Return the analysis of some items, which in a block of `sharing_lsa` may have been made before."""
    shared, lsa = _SHARED.get(), LSA(n_components)
    if shared is None:
        return lsa.fit(X)
    key = str(joblib.hash((X, n_components)))
    if key not in shared:
        shared[key] = lsa.fit(X)
    return shared[key]

"""A ranker that sees latent semantic features of the items instead of their own."""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats
from semirank.dataset import Features
from semirank.features.lsa import LSA, fit_lsa
from semirank.learned import Part, Table
from semirank.limits import Between, Limit
from semirank.meta.adaptation import RANKER
from semirank.rankers._base import CONSTANT, Contributions, FeatureContributions, Ranker
from semirank.rankers.assumptions import SHARED_WORDS
from semirank.rankers.estimator import as_ranker
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.sums import lsa
from semirank.rankers.sums.passes import Passes


class LatentRanker(Ranker):
    """Rank by the directions in which all items vary together, labelled or not.

    Latent semantic analysis (`LSA`) turns many sparse features, such as words, into a few: words that occur
    in the same texts fall together. A ranker learns from these. It is often the cheapest gain that there is
    from unlabelled texts, and mixes well (`Blend`) with a ranker of the words themselves.

    Parameters
    ----------
    ranker : Ranker or other estimator, optional
        What ranks the latent features; a copy is fitted. None: `LogisticRanker()`.
    n_components : int
        How many latent features; 50 to 200 are usual for texts.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the items given to `fit`, in the caller's order.
    ranker_ : Ranker
        The fitted ranker.
    lsa_ : LSA
        The fitted analysis.

    See Also
    --------
    TextRanker : takes texts.
    semirank.features.LSA : the latent features.

    Notes
    -----
    The cost is that of the analysis and of the ranker. `rerank` keeps the features, and the graph of a ranker
    that has one.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import LatentRanker
    >>> from semirank.features import TfIdf
    >>> texts = ["car engine", "engine motor", "motor wheel", "wine grape", "grape juice"]
    >>> X = TfIdf(min_df=1).fit_transform(texts)
    >>> ranker = LatentRanker(n_components=2).fit(X, [1, np.nan, np.nan, 0, np.nan])
    >>> ranker.scores_.round(1)
    array([ 1.6,  1.6,  1.6, -1.6, -1.6])
    """

    called = "{ranker} on {n_components} topics"
    limits: ClassVar[Mapping[str, Limit]] = {
        "ranker": RANKER,
        "n_components": Between(1, kind=Integral),
    }

    learned: ClassVar[Table] = Ranker.learned | {"lsa_": Part("LSA"), "ranker_": Part("Ranker")}

    ranker_: Ranker
    lsa_: LSA
    _given: tuple[AnyArray, Any]
    _own: Features

    def __init__(self, ranker: Any = None, n_components: int = 100) -> None:
        self.ranker = ranker
        self.n_components = n_components

    @property
    def assumption(self) -> str | None:
        """What the ranker assumes; where that is nothing, what the latent features do."""
        return self._base().assumption or SHARED_WORDS

    @property
    def one_function(self) -> bool:
        """Whether the ranker has one function for all lists."""
        return self._base().one_function

    def supervised(self) -> Ranker | None:
        """Return the ranker on labels alone, and on the items' own features."""
        return self._base().supervised()

    def _base(self) -> Ranker:
        return LogisticRanker() if self.ranker is None else as_ranker(clone(self.ranker))

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Learn latent features from all items, then fit the ranker on them."""
        data = self._check(X, y, qid)
        self.lsa_ = fit_lsa(data.X, self.n_components)
        rows = np.argsort(data.order)  # the ranker gets the caller's order, so that `explain` speaks of it
        self._given, self._own = (self.lsa_.transform(data.X)[rows], data.qid[rows]), data.X[rows]
        self.ranker_ = self._base().fit(self._given[0], data.y[rows], self._given[1])
        self.scores_ = self.ranker_.scores_
        return self

    @property
    def learns_by_sums(self) -> bool:
        """Whether the ranker learns from parts; the analysis always does."""
        return hasattr(self._base(), "fit_parts")

    def _fit_sums(self, passes: Passes) -> None:
        self.lsa_ = LSA(self.n_components)
        lsa.fit(self.lsa_, passes)
        latent = passes.through(self.lsa_, self.lsa_.n_components_, sparse=False)
        self.ranker_ = self._base()._fit_passes(latent)
        self.scores_, self.n_lists_ = self.ranker_.scores_, self.ranker_.n_lists_

    def rerank(self, y: Any) -> Self:
        """Rank the fitted items anew from other labels, with the same latent features.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the items were given to `fit`.
        """
        self._check_fitted_here()
        features, qid = self._given
        self.scores_ = self.ranker_._refit(features, y, qid).scores_
        return self

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new items by the same latent features."""
        data = self._check_new(X, qid)
        return data.restore(self.ranker_.predict(self.lsa_.transform(data.X), data.qid))

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted item into contributions of labelled items, where the ranker can."""
        check_is_fitted(self, "ranker_")
        return self.ranker_.explain(item)

    def explain_features(self, item: int) -> FeatureContributions:
        """Split the score of a fitted item into contributions of its own features, where the ranker can.

        A latent feature is a sum over features, divided by the length of all: so is what it adds.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        check_is_fitted(self, "ranker_")
        parts = self.ranker_.explain_features(item)
        x = self._features_of(item)
        latent = parts.features != CONSTANT
        shares = np.zeros(self.lsa_.n_components_)
        coordinates = self._given[0][item][parts.features[latent]]
        shares[parts.features[latent]] = parts.amounts[latent] / coordinates
        weights = self.lsa_.components_.T @ shares  # of a feature, but for the length of all
        length = float(np.linalg.norm(self.lsa_.components_ @ x)) or 1.0
        used = np.flatnonzero(x)
        constant = parts.amounts[~latent].sum()
        amounts = np.append(x[used] * weights[used] / length, constant)
        return FeatureContributions(np.append(used, CONSTANT), amounts)

    def _features_of(self, item: int) -> Floats:
        self._check_fitted_here("_own")
        x = self._own[[item]]
        return np.asarray(x.toarray() if issparse(x) else x, dtype=np.float64).ravel()

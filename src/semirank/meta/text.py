"""A ranker of texts: tf-idf features and any ranker in one model."""

from collections.abc import Mapping
from numbers import Integral
from types import NoneType
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank import display
from semirank.core.arrays import AnyArray, Booleans, Floats
from semirank.dataset import RankingDataset
from semirank.features import TextFeatures, TfIdf
from semirank.learned import Number, Part, Table
from semirank.limits import Between, Either, Kind, Limit, OneOf, check_limits
from semirank.meta.empty_texts import find_empty, lowest
from semirank.meta.latent import LatentRanker
from semirank.rankers._base import CONSTANT, Contributions, FeatureContributions, Ranker
from semirank.rankers.logistic import LogisticRanker
from semirank.rankers.sums import tfidf
from semirank.rankers.sums.passes import Passes


class Words(NamedTuple):
    """How each word of a text has moved its score; the amounts add up to that score.

    Attributes
    ----------
    words : list of str
        Terms of the text; "" for what no word accounts for.
    amounts : float64 array of shape (n_words,)
        How much each of them has added.
    """

    words: list[str]
    amounts: Floats

    def _repr_html_(self) -> str:
        names = [word or "the rest" for word in self.words]
        return display.contributions("Contributions of words", names, self.amounts)


class TextRanker(Ranker):
    """Rank texts: features are learned from all texts, labelled or not, then given to a ranker.

    Empty texts are ranked last, and a warning counts them.

    Parameters
    ----------
    ranker : Ranker, optional
        What ranks the features; a copy is fitted. None: `LogisticRanker()`.
    features : TfIdf or TextFeatures, optional
        How a text becomes features; a copy is fitted. None: `TfIdf()`, topical words. `TextFeatures()`: with
        function words and, for short texts, letters.
    n_components : int, optional
        Rank so many latent features of them (`LatentRanker`). None: the features as they are.

    Attributes
    ----------
    scores_ : float64 array of shape (n_items,)
        Scores of the texts given to `fit`, in the caller's order.
    ranker_ : Ranker
        The fitted ranker; a `LatentRanker` around it where `n_components` is given.
    features_ : TfIdf or TextFeatures
        The fitted features.
    lowest_ : float
        The score of an empty text.

    See Also
    --------
    ScreeningRanker : for a reader who starts at the top.
    LatentRanker : latent features of any items.
    semirank.features.TfIdf : the words.
    semirank.features.TextFeatures : words and letters in several views.

    Examples
    --------
    >>> import numpy as np
    >>> from semirank import DistanceRanking, TextRanker
    >>> texts = ["red apple", "green apple", "fast red car", "slow car"]
    >>> ranker = TextRanker(DistanceRanking("cosine")).fit(texts, [1, np.nan, np.nan, np.nan])
    >>> ranker.scores_.round(2)
    array([1.  , 0.71, 0.5 , 0.  ])
    >>> ranker.predict(["apple", "car"]).round(2)
    array([0.71, 0.  ])
    """

    called = "{ranker} on words"
    limits: ClassVar[Mapping[str, Limit]] = {
        "ranker": Either(Kind("a ranker", (Ranker,)), OneOf(None)),
        "features": Either(Kind("a TfIdf or TextFeatures", (TfIdf, TextFeatures)), OneOf(None)),
        "n_components": Either(Between(1, kind=Integral), OneOf(None)),
    }

    learned: ClassVar[Table] = Ranker.learned | {
        "features_": Part("TfIdf", "TextFeatures"),
        "ranker_": Part("Ranker"),
        "lowest_": Number(),
    }

    ranker_: Ranker
    features_: TfIdf | TextFeatures
    lowest_: float
    _given: tuple[Any, Booleans, Any]  # vectors, which texts are empty, lists

    def __init__(
        self,
        ranker: Ranker | None = None,
        features: TfIdf | TextFeatures | None = None,
        n_components: int | None = None,
    ) -> None:
        self.ranker = ranker
        self.features = features
        self.n_components = n_components

    takes_texts = True
    takes_sparse = False

    @property
    def assumption(self) -> str | None:
        """What the ranker assumes about unlabelled texts, or the latent features do; None: neither."""
        return self._base().assumption

    @property
    def one_function(self) -> bool:
        """Whether the ranker has one function for all lists."""
        return self._base().one_function

    def supervised(self) -> Ranker | None:
        """Return the ranker of texts on labels alone, and on words as they are."""
        if self.assumption is None:
            return self
        return clone(self).set_params(ranker=self._base().supervised(), n_components=None)

    def _base(self) -> Ranker:
        ranker = LogisticRanker() if self.ranker is None else self.ranker
        return ranker if self.n_components is None else LatentRanker(ranker, self.n_components)

    def fit(self, X: Any, y: Any, qid: Any = None) -> Self:
        """Learn features from all texts X, then fit the ranker on them."""
        check_limits(self.limits, self.get_params(deep=False))
        texts = texts_of(X)
        self.features_ = TfIdf() if self.features is None else clone(self.features)
        vectors = self.features_.fit_transform(texts)
        self.ranker_ = clone(self._base()).fit(vectors, y, qid)
        self.n_features_in_, self.n_lists_ = 1, self.ranker_.n_lists_
        self._given = vectors, find_empty(texts), qid
        return self._place_empty()

    @property
    def learns_by_sums(self) -> bool:
        """Whether the terms are counted part by part, and the ranker learns from parts."""
        return isinstance(self.features, (TfIdf, NoneType)) and hasattr(self._base(), "fit_parts")

    def _fit_sums(self, passes: Passes) -> None:
        self.features_ = TfIdf() if self.features is None else clone(self.features)
        tfidf.fit(self.features_, passes)
        vectors = passes.through(self.features_, len(self.features_.get_feature_names_out()), sparse=True)
        self.ranker_ = clone(self._base())._fit_passes(vectors)
        self.n_features_in_, self.n_lists_ = 1, self.ranker_.n_lists_
        self.lowest_ = float(np.finfo(np.float32).min)  # below all scores, which are not known

    def rerank(self, y: Any) -> Self:
        """Rank the fitted texts anew from other labels, with the same features; the ranker keeps what it can.

        Parameters
        ----------
        y : array of shape (n_items,)
            All labels, old and new, in the order in which the texts were given to `fit`.
        """
        self._check_fitted_here()
        vectors, _, qid = self._given
        self.ranker_._refit(vectors, y, qid)
        return self._place_empty()

    def _refit(self, X: Any, y: Any, qid: Any) -> Self:
        return self.rerank(y)

    def _place_empty(self) -> Self:
        """Take over the scores of the ranker, and rank empty texts last."""
        self.lowest_ = lowest(self.ranker_.scores_)
        self.scores_ = np.where(self._given[1], self.lowest_, self.ranker_.scores_)
        return self

    def predict(self, X: Any, qid: Any = None) -> Floats:
        """Score new texts with the features and the ranker that `fit` has learned."""
        check_is_fitted(self, "ranker_")
        texts = texts_of(X)
        scores = self.ranker_.predict(self.features_.transform(texts), qid)
        return np.where(find_empty(texts), self.lowest_, scores)

    def explain(self, item: int) -> Contributions:
        """Split the score of a fitted text into contributions of labelled texts, where the ranker can.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        check_is_fitted(self, "ranker_")
        return self.ranker_.explain(item)

    def explain_words(self, item: int) -> Words:
        """Split the score of a fitted text into contributions of its words, where the ranker weighs them.

        Parameters
        ----------
        item : int
            Row number, as given to `fit`.
        """
        check_is_fitted(self, "ranker_")
        return name_words(self.ranker_.explain_features(item), self.features_.get_feature_names_out())

    def _new_items(self, X: Any, y: Any, qid: Any) -> RankingDataset:
        return RankingDataset(np.zeros((len(texts_of(X)), 0)), y, qid)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        return tags


def name_words(parts: FeatureContributions, names: AnyArray) -> Words:
    """Call features by their names."""
    words = [names[column] if column != CONSTANT else "" for column in parts.features.tolist()]
    return Words(words, parts.amounts)


def texts_of(X: Any) -> AnyArray:
    """Return texts as an array of one dimension; refuse others."""
    texts = np.asarray(X, dtype=object)
    if texts.ndim != 1:
        raise ValueError(f"X must be a sequence of texts, one for each item; got shape {texts.shape}.")
    return texts

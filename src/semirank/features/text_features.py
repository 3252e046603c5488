"""Several views of a text side by side: its topical words, all its words, and its letters."""

from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array, hstack
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray
from semirank.features.tfidf import TfIdf, check_texts
from semirank.learned import Each, Part, Table
from semirank.limits import FLAG, Either, Limit, OneOf, check_limits
from semirank.storage import Storable

SHORT = 200  # characters; half of the texts have no more


class TextFeatures(Storable, TransformerMixin, BaseEstimator):
    """Turn texts into tf-idf vectors of words with and without a stop list, and of letters if they are short.

    What a text is about stands in its rare words; whether it is a question, a complaint or praise, in "who",
    "not" and "I", which a stop list deletes; and a name or a code, which hardly any other text repeats, is
    like others by its letters. Each of these is a `TfIdf` with vectors of length 1. Side by side, divided by
    the root of their number, they have length 1 again, and the inner product of two texts is the mean of
    those of the views.

    Parameters
    ----------
    letters : bool or "short"
        Whether runs of 2 to 4 characters are a view. "short": where half of the texts have at most 200
        characters. Long texts gain little from them, and they take ten times the time of words.

    Attributes
    ----------
    views_ : dict of str to TfIdf
        The fitted views by name: "topical", "words", "letters". One without a term in two texts is left out.

    See Also
    --------
    TfIdf : one view.

    Notes
    -----
    A text that has no known term in a view has length 1 by the others; one that has none in any stays zero.
    Twice the time of one `TfIdf`, with letters ten times that of short texts.

    Examples
    --------
    >>> from semirank.features import TextFeatures
    >>> texts = ["Who made it?", "Who was she?", "It was made in 1999", "Made of wood"]
    >>> features = TextFeatures(letters=False).fit(texts)
    >>> features.get_feature_names_out().tolist()
    ['words: it', 'words: made', 'words: was', 'words: who']
    """

    limits: ClassVar[dict[str, Limit]] = {"letters": Either(FLAG, OneOf("short"))}

    learned: ClassVar[Table] = {"views_": Each(Part("TfIdf"), of=dict)}

    views_: dict[str, TfIdf]

    def __init__(self, letters: bool | str = "short") -> None:
        self.letters = letters

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Learn the terms of each view and their weights."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Any, y: Any = None) -> csr_array:
        """Learn the terms of each view and their weights, and return the vectors of these texts."""
        check_limits(self.limits, self.get_params(deep=False))
        texts = check_texts(texts)
        views = {"topical": TfIdf(), "words": TfIdf(stop_words=None)}
        if self.letters is True or (self.letters == "short" and are_short(texts)):
            views["letters"] = TfIdf(analyzer="char_wb")
        self.views_, vectors = {}, []
        for name, view in views.items():
            try:
                vectors.append(view.fit_transform(texts))
            except ValueError:  # no term is left
                continue
            self.views_[name] = view
        if not vectors:
            raise ValueError(
                f"The {len(texts)} texts have nothing in common: no word occurs in two of them. Check that "
                "these are the right texts."
            )
        return _side_by_side(vectors)

    def transform(self, texts: Any) -> csr_array:
        """Return the vectors of texts, old or new, as a sparse matrix with one column for each term."""
        check_is_fitted(self, "views_")
        texts = check_texts(texts)
        return _side_by_side([view.transform(texts) for view in self.views_.values()])

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return view and term of each column."""
        check_is_fitted(self, "views_")
        names = [f"{name}: {term}" for name, view in self.views_.items() for term in view.vocabulary_]
        return np.asarray(names, dtype=object)

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))
        if not self.views_:
            raise ValueError("views_ must hold a TfIdf or several")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = True
        return tags


def are_short(texts: list[str]) -> bool:
    """Tell whether half of the texts that say something have at most 200 characters."""
    lengths = [len(text) for text in texts if text.strip()]
    return not lengths or float(np.median(lengths)) <= SHORT


def _side_by_side(vectors: list[csr_array]) -> csr_array:
    return csr_array(normalize(hstack(vectors, format="csr"), copy=False))

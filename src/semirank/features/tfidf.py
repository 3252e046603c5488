"""Tf-idf: a text as the unit vector of its words, rare words weighing more."""

import re
from collections.abc import Callable, Iterable
from datetime import date
from functools import cache
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import narwhals as nw
import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS, TfidfVectorizer
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats
from semirank.learned import Array, Each, Table, Value
from semirank.limits import FLAG, Between, Either, Kind, Limit, OneOf, check_limits
from semirank.spelling import option
from semirank.storage import Storable

NUMBER = "0"  # the one token that stands for every run of digits
LETTERS = (2, 4)  # how many characters a run has
_DIGITS = re.compile(r"\d+")


class TfIdf(Storable, TransformerMixin, BaseEstimator):
    """Turn texts into tf-idf vectors of unit length.

    A text is put into lower case, every run of digits becomes the one token ``0``,
    and words of at least two letters that are not in the stop list are counted; without
    a stop list, words of one letter too. The weight of term t in text d is ::

        tf(t, d) * (1 + ln((1 + n) / (1 + df(t)))),

    with tf the count (or 1 + ln count), n the number of texts and df the number of texts
    that contain t, all divided by the norm of the text's vector [1]_.

    Parameters
    ----------
    min_df : int
        Keep terms that occur in at least so many texts.
    max_features : int, optional
        Keep only so many terms, those with the highest total count.
    sublinear : bool
        Count a term that occurs k times as 1 + ln k, so that a text full of one word (or of numbers) is not
        all about it. False: as k.
    stop_words : "english", list of str or None
        Words to leave out: scikit-learn's English list, your own (in lower case), or none.
    norm : {"l2", "l1"} or None
        The norm that every text's vector gets; a text without known terms stays zero.
    stemmer : {"porter"} or None
        Count words by their stem, as Porter's rules find it, after stop words are left out. Needs the package
        snowballstemmer (``pip install "semirank[text]"``).
    analyzer : {"word", "char_wb"}
        What terms are: words, or runs of 2 to 4 characters, digits as they are, that do not reach over the
        edge of a word except by one blank. The stop list and the stemmer are for words.
    ngrams : int
        Words: take also runs of up to so many words as terms. 2 adds pairs of neighbours.
    prefix : int, optional
        Words: cut them to so many letters, so that "opioid" and "opioids", "randomised" and "randomization"
        are one term. Some six letters do for European languages what a stemmer does for one.

    Attributes
    ----------
    vocabulary_ : list of str
        The terms in the order of the columns.
    idf_ : array of shape (n_terms,)
        The weight of each term: 1 + ln((1 + n) / (1 + df)).

    See Also
    --------
    TextFeatures : several views of a text.
    WordPairs : pairs of words too.
    LSA : latent features of them.

    Notes
    -----
    Linear in the length of the texts. The parameters and the two attributes say all there is
    to know about a fitted transformer. Missing texts (None, NaN) are read as empty.

    References
    ----------
    .. [1] K. Spärck Jones, "A statistical interpretation of term specificity and its application
       in retrieval", Journal of Documentation 28(1), 1972.

    Examples
    --------
    >>> from semirank.features import TfIdf
    >>> texts = ["A trial of 40 patients", "40 years of trials", "One trial, 7 patients"]
    >>> tfidf = TfIdf().fit(texts)
    >>> tfidf.vocabulary_
    ['0', 'patients', 'trial']
    >>> tfidf.transform(["trial 1999"]).toarray().round(2)
    array([[0.61, 0.  , 0.79]])
    """

    limits: ClassVar[dict[str, Limit]] = {
        "min_df": Between(1, inf, Integral),
        "max_features": Either(Between(1, inf, Integral), OneOf(None)),
        "sublinear": FLAG,
        "stop_words": Either(OneOf("english", None), Kind("a list of words", (list, tuple, frozenset))),
        "norm": OneOf("l2", "l1", None),
        "stemmer": OneOf("porter", None),
        "analyzer": OneOf("word", "char_wb"),
        "ngrams": Between(1, inf, Integral),
        "prefix": Either(Between(1, inf, Integral), OneOf(None)),
    }

    learned: ClassVar[Table] = {"vocabulary_": Each(Value(str), size="n_terms"), "idf_": Array("n_terms")}

    def __init__(
        self,
        min_df: int = 2,
        *,
        max_features: int | None = None,
        sublinear: bool = True,
        stop_words: str | Iterable[str] | None = "english",
        norm: str | None = "l2",
        stemmer: str | None = None,
        analyzer: str = "word",
        ngrams: int = 1,
        prefix: int | None = None,
    ) -> None:
        self.min_df = min_df
        self.max_features = max_features
        self.sublinear = sublinear
        self.stop_words = stop_words
        self.norm = norm
        self.stemmer = stemmer
        self.analyzer = analyzer
        self.ngrams = ngrams
        self.prefix = prefix

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Learn the terms and their weights."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Any, y: Any = None) -> csr_array:
        """Learn the terms and their weights, and return the vectors of these texts."""
        check_limits(self.limits, self.get_params(deep=False))
        texts = check_texts(texts)
        vectorizer = self._vectorizer(min_df=self.min_df, max_features=self.max_features)
        try:
            vectors = vectorizer.fit_transform(texts)
        except ValueError as error:  # scikit-learn's word for an empty vocabulary, in three spellings
            raise ValueError(
                f"No term is left: apart from stop words, none occurs in at least {self.min_df} (min_df) of "
                f"the {len(texts)} texts. Lower min_df, or check that these are the right texts."
            ) from error
        self.vocabulary_: list[str] = vectorizer.get_feature_names_out().tolist()
        self.idf_: Floats = vectorizer.idf_
        return self._normalised(vectors)

    def transform(self, texts: Any) -> csr_array:
        """Return the vectors of texts, old or new, as a sparse matrix with one column for each term."""
        check_is_fitted(self, "idf_")
        vectorizer = self._vectorizer(vocabulary=self.vocabulary_)
        vectorizer.idf_ = self.idf_
        return self._normalised(vectorizer.transform(check_texts(texts)))

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the terms in the order of the columns."""
        check_is_fitted(self, "vocabulary_")
        return np.asarray(self.vocabulary_, dtype=object)

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))

    def _vectorizer(self, **options: Any) -> TfidfVectorizer:
        options |= {"sublinear_tf": self.sublinear, "norm": None}
        if self.analyzer == "char_wb":
            return TfidfVectorizer(analyzer="char_wb", ngram_range=LETTERS, **options)
        words: dict[str, Any] = {
            "preprocessor": _fold,
            "token_pattern": self._token(),
            "stop_words": self._stop_list(),
        }
        options["ngram_range"] = (1, self.ngrams)
        if self.stemmer is None:
            return TfidfVectorizer(**words, **options)
        split, stem = TfidfVectorizer(**words).build_analyzer(), _porter()
        return TfidfVectorizer(
            preprocessor=str,
            tokenizer=lambda text: [stem(word) for word in split(text)],
            token_pattern=None,
            **options,
        )

    def _token(self) -> str:
        """Return the pattern of a word, or of its first letters."""
        fewest = 1 if self.stop_words is None else 2
        if self.prefix is None:
            return r"\w+" if fewest == 1 else rf"\w\w+|{NUMBER}"
        return rf"\b(\w{{{min(fewest, self.prefix)},{self.prefix}}}|{NUMBER})\w*"

    def _stop_list(self) -> str | list[str] | None:
        """Return the stop words, cut as words are."""
        if self.stop_words is None or (self.stop_words == "english" and self.prefix is None):
            return self.stop_words
        words = ENGLISH_STOP_WORDS if self.stop_words == "english" else self.stop_words
        return sorted({word[: self.prefix] for word in words})

    def _normalised(self, vectors: Any) -> csr_array:
        vectors = csr_array(vectors)
        vectors.sort_indices()  # so that old and new texts are summed in the same order, to the last bit
        return vectors if self.norm is None else csr_array(normalize(vectors, self.norm, copy=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = True
        return tags


def check_texts(texts: Any) -> list[str]:
    """Return a column of texts as a list of str, empty where there is none (None, NaN)."""
    series = nw.from_native(texts, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        known = (~series.is_null()).to_list()
        texts = [text if there else None for text, there in zip(series.to_list(), known, strict=True)]
    elif isinstance(texts, (str, bytes)) or getattr(texts, "ndim", 1) != 1:
        raise ValueError("Texts must come as a list or one column, one text for each item.")
    return [text if isinstance(text, str) else _spelled(row, text) for row, text in enumerate(texts)]


def apply_transformer(transformer: Any, texts: Any) -> AnyArray:
    """Turn texts into features: a fitted transformer is used as it is, any other is fitted on the texts."""
    try:
        check_is_fitted(transformer)
    except NotFittedError:
        return transformer.fit_transform(texts)
    return transformer.transform(texts)


def _spelled(row: int, text: Any) -> str:
    if text is None or text != text:
        return ""
    if isinstance(text, (Real, date)):
        return str(text)
    raise ValueError(f"Text {row} must be a str, or None where there is none; got {type(text).__name__}.")


def _porter() -> Callable[[str], str]:
    try:
        from snowballstemmer import stemmer
    except ImportError as error:
        raise ImportError(
            f"{option('stemmer', 'porter')} needs snowballstemmer. Install it: pip install 'semirank[text]'"
        ) from error
    stem: Callable[[str], str] = stemmer("porter").stemWord
    return cache(stem)


def _fold(text: str) -> str:
    return _DIGITS.sub(f" {NUMBER} ", text.lower())

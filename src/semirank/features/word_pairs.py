"""Words and pairs of neighbouring words."""

import re
from math import inf
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from semirank.core.arrays import AnyArray, Floats, Integers
from semirank.features.tfidf import check_texts
from semirank.learned import Array, Each, Table, Value, count
from semirank.limits import Between, Either, Limit, OneOf, check_limits
from semirank.storage import Storable

_TOKEN = re.compile(r"\w\w+")
COMMON = 0.95  # share of the texts beyond which a word says nothing


class WordPairs(Storable, TransformerMixin, BaseEstimator):
    """Turn texts into tf-idf vectors of words and pairs of words, for a ranker that learns from few of them.

    A text is put into lower case, and its words are runs of at least two letters or digits. Terms are words
    and pairs of neighbours. One that occurs k times in a text weighs
    ``(1 + ln k) (1 + ln((1 + n) / (1 + df)))``, with n texts of which df have it, and the weights of a text
    have length 1. Words of more than 95 % of the texts are left out.

    A term of one text alone counts, each time that it occurs, for the length of that text and has no column,
    for no other text shares it: that is most of the pairs.

    Parameters
    ----------
    prefix : int, optional
        Cut words to so many letters, so that "opioid" and "opioids", "randomised" and "randomization" are
        one. None: leave them as they are.

    Attributes
    ----------
    words_ : list of str
        All words, as they are cut.
    columns_ : int64 array of shape (n_words,)
        The column of each word, -1 for one of a single text, -2 for one of nearly all.
    pairs_ : int64 array of shape (n_pairs,)
        The pairs that have a column, in order: ``first * n_words + second``. Their columns come after words.
    idf_ : float64 array of shape (n_columns,)
        The weight of each column.
    n_texts_ : int
        The number of texts.

    See Also
    --------
    TfIdf : single words.
    semirank.ScreeningRanker : ranks by them.

    Notes
    -----
    Linear in the length of the texts, in less than half of the time that scikit-learn takes for pairs.

    Examples
    --------
    >>> from semirank.features import WordPairs
    >>> texts = ["Opioids in 40 patients", "opioid use in patients", "use in 12 patients"]
    >>> WordPairs().fit(texts).get_feature_names_out().tolist()
    ['use', 'use in']
    >>> WordPairs(prefix=6).fit(texts).get_feature_names_out().tolist()
    ['opioid', 'use', 'use in']
    """

    limits: ClassVar[dict[str, Limit]] = {"prefix": Either(Between(1, inf, Integral), OneOf(None))}

    learned: ClassVar[Table] = {
        "words_": Each(Value(str), size="n_words"),
        "columns_": Array("n_words", dtype="int64", low=-2),
        "pairs_": Array("n_pairs", dtype="int64", low=0),
        "idf_": Array("n_columns"),
        "n_texts_": count(),
    }

    words_: list[str]
    columns_: Integers
    pairs_: Integers
    idf_: Floats
    n_texts_: int

    def __init__(self, prefix: int | None = None) -> None:
        self.prefix = prefix

    def fit(self, texts: Any, y: Any = None) -> Self:
        """Learn the terms and their weights."""
        self.fit_transform(texts)
        return self

    def fit_transform(self, texts: Any, y: Any = None) -> csr_array:
        """Learn the terms and their weights, and return the vectors of these texts."""
        check_limits(self.limits, self.get_params(deep=False))
        vocabulary = _Growing(self.prefix)
        ids, starts = _read(check_texts(texts), vocabulary)
        self.words_, self.n_texts_ = vocabulary.words, len(starts) - 1
        keys, places = _pairs(ids, starts, len(self.words_))
        return self._vectors(ids, starts, self._learn(ids, starts, keys, places), places)

    def transform(self, texts: Any) -> csr_array:
        """Return the vectors of texts, old or new; unknown terms count for the length alone."""
        check_is_fitted(self, "idf_")
        ids, starts = _read(check_texts(texts), _Known(self.words_, self.prefix))
        keys, places = _pairs(ids, starts, len(self.words_))
        return self._vectors(ids, starts, _find(keys, self.pairs_), places)

    def get_feature_names_out(self, input_features: Any = None) -> AnyArray:
        """Return the term of each column."""
        check_is_fitted(self, "idf_")
        words = np.array(self.words_, dtype=object)
        first, second = np.divmod(self.pairs_, max(len(words), 1))
        return np.append(words[self.columns_ >= 0], words[first] + " " + words[second])

    def _learn(self, ids: Integers, starts: Integers, keys: Integers, places: Integers) -> Integers:
        """Give a column to each word and each pair that two texts have; return the place of each key."""
        words = _in_how_many(ids, starts, len(self.words_))
        pairs, numbers = _distinct(keys)
        shared = _in_how_many(numbers, places, len(pairs))
        common = COMMON * self.n_texts_
        kept = (words > 1) & (words <= common)
        self.columns_ = np.where(kept, np.cumsum(kept) - 1, np.where(words > common, -2, -1))
        paired = (shared > 1) & (shared <= common)
        self.pairs_ = pairs[paired]
        if not kept.any():
            raise ValueError(
                f"The {self.n_texts_} texts have nothing in common: no word occurs in two of them. Check "
                "that these are the right texts."
            )
        self.idf_ = self._idf(np.append(words[kept], shared[paired]))
        return np.where(paired, np.cumsum(paired) - 1, -1)[numbers]

    def _idf(self, counts: AnyArray) -> Floats:
        return np.asarray(1.0 + np.log((1.0 + self.n_texts_) / (1.0 + counts)), dtype=np.float64)

    def _vectors(self, ids: Integers, starts: Integers, pairs: Integers, places: Integers) -> csr_array:
        """Return vectors of length 1 with the terms that have no column; pairs are places in `pairs_`."""
        words = np.append(self.columns_, -1)[ids]
        pairs = np.where(pairs >= 0, pairs + int((self.columns_ >= 0).sum()), -1)
        vectors = csr_array(_counted(words, starts, len(self.idf_)) + _counted(pairs, places, len(self.idf_)))
        vectors.sort_indices()
        vectors.data = (1.0 + np.log(vectors.data)) * self.idf_[vectors.indices]
        alone = float(self._idf(np.array(1))) ** 2 * (_sums(words == -1, starts) + _sums(pairs < 0, places))
        lengths = np.sqrt(_sums(vectors.data**2, vectors.indptr) + alone)
        vectors.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(vectors.indptr))
        return vectors

    def _check_state(self) -> None:
        check_limits(self.limits, self.get_params(deep=False))
        used = self.columns_[self.columns_ >= 0]
        if not np.array_equal(used, np.arange(len(used))):
            raise ValueError("columns_ must count the words that have one")
        if (np.diff(self.pairs_) <= 0).any() or (self.pairs_ >= len(self.words_) ** 2).any():
            raise ValueError("pairs_ must rise, and name pairs of words_")
        if len(self.idf_) != len(used) + len(self.pairs_):
            raise ValueError("idf_ must have one weight for each word and pair that has a column")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.input_tags.allow_nan = True
        return tags


class _Growing(dict[str, int]):
    """Numbers of words by their tokens; a new word gets the next number."""

    def __init__(self, prefix: int | None) -> None:
        super().__init__()
        self.words: list[str] = []
        self._numbers: dict[str, int] = {}
        self._prefix = prefix

    def __missing__(self, token: str) -> int:
        word = token[: self._prefix]
        if word not in self._numbers:
            self._numbers[word] = len(self.words)
            self.words.append(word)
        self[token] = self._numbers[word]
        return self[token]


class _Known(dict[str, int]):
    """Numbers of known words by their tokens; -1 for others."""

    def __init__(self, words: list[str], prefix: int | None) -> None:
        super().__init__()
        self._numbers = {word: number for number, word in enumerate(words)}
        self._prefix = prefix

    def __missing__(self, token: str) -> int:
        return self._numbers.get(token[: self._prefix], -1)


def _read(texts: list[str], vocabulary: dict[str, int]) -> tuple[Integers, Integers]:
    """Return the words of all texts as numbers, and where each text starts."""
    number = vocabulary.__getitem__
    parts = [np.array(list(map(number, _TOKEN.findall(text.lower()))), dtype=np.int64) for text in texts]
    starts = np.cumsum([0, *map(len, parts)])
    return np.concatenate([np.zeros(0, dtype=np.int64), *parts]), starts


def _pairs(ids: Integers, starts: Integers, n_words: int) -> tuple[Integers, Integers]:
    """Return the pairs of neighbours of all texts as numbers (-1: one is unknown), and where texts start."""
    keys = np.where((ids[:-1] >= 0) & (ids[1:] >= 0), ids[:-1] * n_words + ids[1:], -1)
    inside = np.ones(len(keys), dtype=bool)
    edges = starts[(starts > 0) & (starts < len(ids))]
    inside[edges - 1] = False
    return keys[inside], np.append(0, np.cumsum(np.maximum(np.diff(starts) - 1, 0)))


def _distinct(keys: Integers) -> tuple[Integers, Integers]:
    """Return what `np.unique` does with the place of each key; a stable sort is twice as fast here."""
    order = np.argsort(keys, kind="stable")
    ordered = keys[order]
    is_new = np.append(np.ones(min(len(keys), 1), dtype=bool), ordered[1:] != ordered[:-1])
    numbers = np.empty(len(keys), dtype=np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return ordered[is_new], numbers


def _find(keys: Integers, among: Integers) -> Integers:
    """Return where each key stands among sorted ones; -1: nowhere."""
    found = np.minimum(np.searchsorted(among, keys), max(len(among) - 1, 0))
    return np.where(among[found] == keys, found, -1) if len(among) else np.full(len(keys), -1)


def _counted(terms: Integers, starts: Integers, n_terms: int) -> csr_array:
    """Count the terms of each text; -1 is left out."""
    known = terms >= 0
    places = np.append(0, np.cumsum(known))[starts]
    size = np.int32 if max(n_terms, len(terms)) < 2**31 else np.int64
    indices, places = terms[known].astype(size), places.astype(size)
    counts = csr_array((np.ones(len(indices)), indices, places), shape=(len(starts) - 1, n_terms))
    counts.sum_duplicates()
    return counts


def _in_how_many(terms: Integers, starts: Integers, n_terms: int) -> Integers:
    return np.bincount(_counted(terms, starts, n_terms).indices, minlength=n_terms)


def _sums(values: AnyArray, starts: Integers) -> Floats:
    """Add up the values of each text."""
    return np.diff(np.append(0.0, np.cumsum(values, dtype=np.float64))[starts])

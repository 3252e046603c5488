"""Words and pairs of words, against scikit-learn's vectors and against counts by hand."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from semirank.features import TfIdf, WordPairs

WORDS = ["opioid", "opioids", "trial", "of", "a", "12", "b12"]
texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join), min_size=2, max_size=7)


def cut(text: str) -> list[str]:
    return [word[:6] for word in text.lower().split() if len(word) > 1]


@given(texts)
def test_inner_products_are_those_of_all_terms(some):
    """The products of different texts equal those of vectors that have a column for every term."""
    counted = [cut(text) for text in some]
    terms = [set(words) | {f"{a} {b}" for a, b in pairwise(words)} for words in counted]
    if not any(" " not in term for term in _shared(terms)):
        with pytest.raises(ValueError, match="nothing in common"):
            WordPairs(6).fit(some)
        return
    occurrences = [_occurrences(words) for words in counted]
    counts, shared = _counts(terms), _shared(terms)
    common = {term for term, count in counts.items() if count > 0.95 * len(some) and " " not in term}
    vectorizer = TfidfVectorizer(analyzer=lambda words: _occurrences(words), sublinear_tf=True, norm=None)
    theirs = vectorizer.fit_transform(counted).toarray()
    names = vectorizer.get_feature_names_out().tolist()
    kept = [k for k, name in enumerate(names) if name in shared]
    rare = 1 + np.log((1 + len(some)) / 2)
    alone = [rare**2 * sum(term not in shared | common for term in each) for each in occurrences]
    lengths = np.sqrt((theirs[:, kept] ** 2).sum(axis=1) + alone)
    expected = theirs[:, kept] / np.where(lengths > 0, lengths, 1)[:, None]
    ours = WordPairs(6).fit(some)
    assert set(ours.get_feature_names_out()) == shared
    vectors = ours.transform(some).toarray()
    np.testing.assert_allclose(vectors @ vectors.T, expected @ expected.T, atol=1e-12)
    np.testing.assert_array_equal(WordPairs(6).fit_transform(some).toarray(), vectors)


def _counts(terms: list[set[str]]) -> dict[str, int]:
    return {term: sum(term in other for other in terms) for each in terms for term in each}


def _shared(terms: list[set[str]]) -> set[str]:
    return {term for term, count in _counts(terms).items() if 1 < count <= 0.95 * len(terms)}


def _occurrences(words: list[str]) -> list[str]:
    return words + [f"{a} {b}" for a, b in pairwise(words)]


def test_new_texts_and_unknown_words():
    pairs = WordPairs().fit(["heart failure trial", "heart failure", "kidney trial", "stone"])
    known, unknown = pairs.transform(["heart failure", "heart failure qwerty"])
    assert (known.multiply(known)).sum() == pytest.approx(1.0)
    assert (unknown.multiply(unknown)).sum() < 1.0
    assert pairs.transform(["", "zzz"]).nnz == 0


def test_pairs_do_not_reach_over_the_edge_of_a_text():
    names = WordPairs().fit(["aa bb", "", "cc aa", "aa bb cc"]).get_feature_names_out().tolist()
    assert "bb cc" not in names
    assert "aa bb" in names


def test_tfidf_takes_runs_of_words_and_prefixes():
    some = ["Opioid use in 12 patients", "Opioids: use in 7 patient groups", "use of drugs"]
    vocabulary = TfIdf(1, stop_words=None, ngrams=2, prefix=6).fit(some).vocabulary_
    assert {"opioid", "patien", "opioid use", "in 0", "0 patien"} <= set(vocabulary)
    assert "opioids" not in vocabulary
    theirs = TfidfVectorizer(ngram_range=(1, 2), token_pattern=r"\w+", sublinear_tf=True)
    plain = ["one two three", "two three", "three one two"]
    np.testing.assert_allclose(
        TfIdf(1, stop_words=None, ngrams=2).fit_transform(plain).toarray(),
        theirs.fit_transform(plain).toarray(),
    )
    assert TfIdf(1, prefix=5).fit(["because of gravity", "gravitation"]).vocabulary_ == ["gravi"]

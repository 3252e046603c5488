"""Tf-idf against a count by hand, and what happens to texts that say nothing."""

import json
import sys
from collections import Counter
from itertools import groupby
from math import log, sqrt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.pipeline import make_pipeline

from semirank.features import TfIdf

TEXTS = [
    "The cat sat on 12 mats; the cat slept.",
    "CAT and dog, 1999!",
    "dog eats 3.14 bones",
    "bones of 7cats",
]


def tokens(text: str) -> list[str]:
    """Cut a text where letters, digits and the rest meet; the digits between two cuts are the token 0."""
    runs = groupby(text.lower(), lambda character: (character.isalpha(), character.isdigit()))
    kinds = ["0" if is_digit else "".join(run) for (is_alpha, is_digit), run in runs if is_alpha or is_digit]
    return [word for word in kinds if word == "0" or (len(word) > 1 and word not in ENGLISH_STOP_WORDS)]


def by_hand(texts: list[str], min_df: int) -> tuple[list[str], np.ndarray]:
    counts = [Counter(tokens(text)) for text in texts]
    df = Counter(term for count in counts for term in count)
    terms = sorted(term for term in df if df[term] >= min_df)
    rows = []
    for count in counts:
        row = [
            (1 + log(count[term]) if count[term] else 0) * (1 + log((1 + len(texts)) / (1 + df[term])))
            for term in terms
        ]
        norm = sqrt(sum(value**2 for value in row)) or 1.0
        rows.append([value / norm for value in row])
    return terms, np.array(rows).reshape(len(texts), len(terms))


def test_agrees_with_a_count_by_hand() -> None:
    terms, expected = by_hand(TEXTS, min_df=2)
    tfidf = TfIdf()
    vectors = tfidf.fit_transform(TEXTS)
    assert tfidf.vocabulary_ == terms == ["0", "bones", "cat", "dog"]
    np.testing.assert_allclose(vectors.toarray(), expected, rtol=1e-13)


words = st.lists(st.sampled_from(["cat", "Dog", "the", "x", "7", "bones,", "été", "--", ""]), max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(words.map(" ".join), min_size=1, max_size=8), st.integers(1, 3))
def test_any_texts_agree_with_a_count_by_hand_or_say_that_no_term_is_left(
    texts: list[str], min_df: int
) -> None:
    terms, expected = by_hand(texts, min_df)
    if not terms:
        with pytest.raises(
            ValueError, match=rf"No term is left.*{min_df} \(min_df\) of the {len(texts)} texts"
        ):
            TfIdf(min_df=min_df).fit(texts)
        return
    tfidf = TfIdf(min_df=min_df).fit(texts)
    assert tfidf.vocabulary_ == terms
    np.testing.assert_allclose(tfidf.transform(texts).toarray(), expected, rtol=1e-12)


@pytest.mark.parametrize("number", ["1", "007", "1234567890", "٣٤"])
def test_every_run_of_digits_is_one_and_the_same_token(number: str) -> None:
    tfidf = TfIdf(min_df=1).fit([f"covid-{number} dose{number}mg"])
    assert tfidf.vocabulary_ == ["0", "covid", "dose", "mg"]


def test_fit_transform_is_fit_then_transform_bit_for_bit() -> None:
    tfidf = TfIdf(min_df=1, sublinear=True)
    together = tfidf.fit_transform(TEXTS)
    apart = TfIdf(min_df=1, sublinear=True).fit(TEXTS).transform(TEXTS)
    assert together.dtype == np.float64
    assert together.format == "csr"
    np.testing.assert_array_equal(together.toarray(), apart.toarray())


def test_two_plain_attributes_are_the_whole_fitted_state() -> None:
    fitted = TfIdf(min_df=1).fit(TEXTS)
    state = {name: value for name, value in vars(fitted).items() if name.endswith("_")}
    assert set(state) == {"vocabulary_", "idf_"}
    restored = clone(fitted)
    restored.vocabulary_ = json.loads(json.dumps(state["vocabulary_"]))
    restored.idf_ = np.frombuffer(state["idf_"].tobytes(), dtype=np.float64)
    new = ["cat on 5 mats", "unknown words"]
    np.testing.assert_array_equal(restored.transform(new).toarray(), fitted.transform(new).toarray())


def test_options() -> None:
    text = ["cat cat cat dog", "cat the dog bird"]
    assert TfIdf(min_df=1, max_features=2).fit(text).vocabulary_ == ["cat", "dog"]
    assert TfIdf(min_df=1, stop_words=None).fit(text).vocabulary_ == ["bird", "cat", "dog", "the"]
    assert TfIdf(min_df=1, stop_words=None).fit(["I see a cat"]).vocabulary_ == ["a", "cat", "i", "see"]
    assert TfIdf(min_df=1, stop_words=["cat", "the"]).fit(text).vocabulary_ == ["bird", "dog"]
    plain = TfIdf(norm=None, sublinear=False).fit_transform(text).toarray()
    np.testing.assert_array_equal(plain, [[3, 1], [1, 1]])
    damped = TfIdf(norm=None).fit_transform(text).toarray()
    np.testing.assert_allclose(damped, [[1 + log(3), 1], [1, 1]])
    assert TfIdf(norm="l1").fit_transform(text).sum(axis=1) == pytest.approx([1, 1])


def test_letters_are_runs_within_words_with_digits_as_they_are() -> None:
    runs = {
        f" {word} "[at : at + n]
        for word in ("c7", "dog")
        for n in (2, 3, 4)
        for at in range(len(word) + 3 - n)
    }
    assert TfIdf(min_df=1, analyzer="char_wb").fit(["C7 Dog"]).vocabulary_ == sorted(runs)


@pytest.mark.parametrize(
    "column",
    [
        ["cat dog", None, float("nan"), "cat"],
        np.array(["cat dog", None, np.nan, "cat"], dtype=object),
        pd.Series(["cat dog", None, np.nan, "cat"]),
        pd.Series(["cat dog", pd.NA, None, "cat"], dtype="string"),
        pl.Series(["cat dog", None, "", "cat"]),
    ],
)
def test_missing_texts_are_empty_and_empty_texts_are_zero_rows(column: Any) -> None:
    vectors = TfIdf().fit_transform(column)
    np.testing.assert_array_equal(vectors.toarray(), [[1], [0], [0], [1]])


def test_new_texts_may_all_be_empty() -> None:
    vectors = TfIdf().fit(TEXTS).transform(["", None])
    assert vectors.shape == (2, 4)
    assert vectors.nnz == 0


def test_numbers_are_spelled_and_other_things_refused() -> None:
    assert TfIdf(min_df=1).fit([1984, "animal farm"]).vocabulary_ == ["0", "animal", "farm"]
    with pytest.raises(ValueError, match=r"Text 1 must be a str.*got bytes"):
        TfIdf().fit(["a", b"a"])
    with pytest.raises(ValueError, match="list or one column"):
        TfIdf().fit("one text")
    with pytest.raises(ValueError, match="list or one column"):
        TfIdf().fit(pd.DataFrame({"title": ["a"], "abstract": ["b"]}))


@pytest.mark.parametrize("texts", [[], ["", ""], ["the", "and the"], ["unique words", "other things"]])
def test_no_term_left_says_what_to_do(texts: list[str]) -> None:
    with pytest.raises(ValueError, match="Lower min_df, or check that these are the right texts"):
        TfIdf().fit(texts)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"min_df": 0}, r"min_df must be a whole number in \[1, inf\); got 0"),
        ({"min_df": 0.5}, r"min_df must be .*; got 0\.5"),
        ({"max_features": 0}, r"max_features must be a whole number in \[1, inf\) or None; got 0"),
        ({"sublinear": 1}, "sublinear must be True or False; got 1"),
        ({"stop_words": "german"}, "stop_words must be 'english' or None or a list of words; got 'german'"),
        ({"analyzer": "char"}, "analyzer must be 'word' or 'char_wb'; got 'char'"),
        ({"norm": "max"}, "norm must be 'l2' or 'l1' or None; got 'max'"),
    ],
)
def test_limits_are_checked_in_fit(params: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TfIdf(**params).fit(TEXTS)


def test_speaks_the_grammar_of_scikit_learn() -> None:
    tfidf = TfIdf(3, max_features=7)
    assert clone(tfidf).get_params() == tfidf.get_params()
    with pytest.raises(NotFittedError):
        tfidf.transform(TEXTS)
    with pytest.raises(NotFittedError):
        tfidf.get_feature_names_out()
    pipeline = make_pipeline(TfIdf()).fit(TEXTS)
    assert pipeline.get_feature_names_out().tolist() == ["0", "bones", "cat", "dog"]
    framed = TfIdf().set_output(transform="pandas")
    with pytest.raises(ValueError, match="sparse"):
        framed.fit_transform(TEXTS)
    assert framed.set_output(transform="default").fit_transform(TEXTS).shape == (4, 4)


def test_words_are_counted_by_their_stem_after_stop_words_are_left_out():
    """The stems are those of Porter's own examples (1980)."""
    stemmer = pytest.importorskip("snowballstemmer")
    texts = ["caresses ponies relational", "caress pony hopping", "hop relate being"]
    found = TfIdf(1, stop_words=["being"], stemmer="porter").fit(texts)
    assert found.vocabulary_ == ["caress", "hop", "poni", "relat"]
    plain = TfIdf(1, stop_words=["being"]).fit(texts)
    assert {stemmer.stemmer("porter").stemWord(word) for word in plain.vocabulary_} == set(found.vocabulary_)
    vectors = found.transform(texts).toarray()
    assert vectors[0] @ vectors[1] > 0.5


def test_a_stemmer_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "snowballstemmer", None)
    with pytest.raises(ImportError, match=r"snowballstemmer. Install it: pip install 'semirank\[text\]'"):
        TfIdf(1, stemmer="porter").fit(["a text of words"])

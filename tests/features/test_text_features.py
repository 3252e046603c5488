"""Views of texts side by side, against scikit-learn's tf-idf of each."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import TfidfVectorizer

from semirank import LogisticRanker, TextRanker, load_model
from semirank.features import TextFeatures

TEXTS = [
    "Who made this wheel?",
    "I did not like the wheel",
    "The engine, who knows, was not made here",
    "I like engine and wheel",
]
VIEWS = {
    "topical": {"stop_words": "english"},
    "words": {"token_pattern": r"\w+"},
    "letters": {"analyzer": "char_wb", "ngram_range": (2, 4)},
}


def kernel(view: str) -> np.ndarray:
    X = TfidfVectorizer(min_df=2, sublinear_tf=True, **VIEWS[view]).fit_transform(TEXTS).toarray()
    return X @ X.T


@pytest.mark.parametrize("letters", [True, False])
def test_likeness_is_the_mean_of_the_views(letters: bool) -> None:
    X = TextFeatures(letters=letters).fit_transform(TEXTS).toarray()
    views = list(VIEWS) if letters else ["topical", "words"]
    np.testing.assert_allclose(X @ X.T, np.mean([kernel(view) for view in views], axis=0), atol=1e-12)


def test_function_words_and_one_letter_words_are_kept() -> None:
    names = TextFeatures().fit(TEXTS).get_feature_names_out().tolist()
    assert {"words: i", "words: not", "words: who", "topical: wheel", "words: wheel", "letters: wh"} <= set(
        names
    )
    assert "topical: not" not in names
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(("length", "expected"), [(200, True), (201, False)])
def test_short_texts_are_seen_by_their_letters(length: int, expected: bool) -> None:
    texts = ["cat dog " * 500, "cat dog".ljust(length, "."), "cat dog", ""]
    assert ("letters" in TextFeatures().fit(texts).views_) == expected


def test_names_that_no_other_text_repeats_have_letters() -> None:
    features = TextFeatures().fit(["Anna", "Hanna", "Karl", "Carl"])
    assert list(features.views_) == ["letters"]
    like = features.transform(["Joanna"]) @ features.transform(["Anna", "Karl"]).T
    assert like.toarray()[0, 0] > like.toarray()[0, 1]


def test_codes_keep_their_digits() -> None:
    X = TextFeatures().fit_transform(["E11", "E11a", "E27", "E27a"])
    like = (X @ X.T).toarray()
    assert like[0, 1] > like[0, 2]


def test_rows_have_length_1_or_0() -> None:
    texts = [*TEXTS, "the not who", "", None, "unheard"]
    X = TextFeatures(letters=False).fit_transform(texts)
    np.testing.assert_allclose(np.sqrt((X * X).sum(axis=1)), [1, 1, 1, 1, 1, 0, 0, 0])
    assert X.format == "csr"


def test_nothing_in_common_is_said_without_an_option_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="The 2 texts have nothing in common"):
        TextFeatures().fit(["ab", "xy"])
    with pytest.raises(ValueError, match="letters must be True or False or 'short'; got 'long'"):
        TextFeatures("long").fit(TEXTS)


def test_model_file(tmp_path) -> None:
    ranker = TextRanker(LogisticRanker(), TextFeatures()).fit(TEXTS, [1, 0, np.nan, np.nan])
    ranker.save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    new = ["who made the engine", "wheels", ""]
    with pytest.warns(UserWarning, match="1 of 3 texts are empty"):
        np.testing.assert_array_equal(again.predict(new), ranker.predict(new))


def test_speaks_the_grammar_of_scikit_learn() -> None:
    features = TextFeatures(letters=True)
    assert clone(features).get_params() == {"letters": True}
    with pytest.raises(NotFittedError):
        features.transform(TEXTS)
    together, apart = features.fit_transform(TEXTS), clone(features).fit(TEXTS).transform(TEXTS)
    np.testing.assert_array_equal(together.toarray(), apart.toarray())

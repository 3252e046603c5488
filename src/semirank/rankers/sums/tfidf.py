"""Tf-idf over parts: in how many texts a term occurs is a sum of whole numbers."""

from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from semirank.dataset.parts import Part
from semirank.features.tfidf import TfIdf, check_texts
from semirank.limits import check_limits
from semirank.rankers.sums.passes import Passes


class Sums(NamedTuple):
    """What a part adds: in how many texts each term occurs, how often in all, and how many texts."""

    texts_with: Counter[str]
    times: Counter[str]
    n_texts: int


def fit(tfidf: TfIdf, passes: Passes) -> None:
    """Learn terms and weights: those of `TfIdf.fit` on all texts."""
    check_limits(tfidf.limits, tfidf.get_params(deep=False))
    finish(tfidf, passes.total(sums, join, 0, tfidf))


def sums(part: Part, tfidf: TfIdf) -> Sums:
    """Count the terms of the texts of a part."""
    texts = check_texts(part.read().texts)
    vectorizer: Any = tfidf._vectorizer()
    try:
        counts = super(TfidfVectorizer, vectorizer).fit_transform(texts).tocsc()
    except ValueError:  # scikit-learn's word for texts without a term
        return Sums(Counter(), Counter(), len(texts))
    terms = vectorizer.get_feature_names_out().tolist()
    times = np.asarray(counts.sum(axis=0)).ravel().astype(np.int64)
    return Sums(
        Counter(dict(zip(terms, np.diff(counts.indptr).tolist(), strict=True))),
        Counter(dict(zip(terms, times.tolist(), strict=True))),
        len(texts),
    )


def join(one: Sums, other: Sums) -> Sums:
    """Add the counts of two parts; the first grows."""
    one.texts_with.update(other.texts_with)
    one.times.update(other.times)
    return one._replace(n_texts=one.n_texts + other.n_texts)


def finish(tfidf: TfIdf, found: Sums) -> None:
    """Choose the terms as scikit-learn does, to the last tie, and weigh them."""
    terms = sorted(found.texts_with)
    texts_with = np.array([found.texts_with[term] for term in terms], dtype=np.float64)
    kept = np.flatnonzero(texts_with >= tfidf.min_df)
    if tfidf.max_features is not None and len(kept) > tfidf.max_features:
        times = np.array([found.times[terms[place]] for place in kept], dtype=np.float64)
        kept = np.sort(kept[(-times).argsort()[: tfidf.max_features]])
    if not len(kept):
        raise ValueError(
            f"No term is left: apart from stop words, none occurs in at least {tfidf.min_df} (min_df) of the "
            f"{found.n_texts} texts. Lower min_df, or check that these are the right texts."
        )
    tfidf.vocabulary_ = [terms[place] for place in kept]
    tfidf.idf_ = np.log((1.0 + found.n_texts) / (1.0 + texts_with[kept])) + 1.0

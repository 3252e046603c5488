"""Texts in parts: the same terms as in memory, and latent directions that are near."""

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from scipy.linalg import subspace_angles
from tests.rankers.test_sums import cut_at, in_memory

import semirank
from semirank import (
    LatentRanker,
    LogisticRanker,
    ManifoldRanking,
    RankingDataset,
    RankRLS,
    TextRanker,
    open_parts,
)
from semirank.dataset.parts import Part, Parts
from semirank.engines import engine_for
from semirank.features import LSA, TfIdf, WordPairs
from semirank.rankers.sums import lsa, tfidf
from semirank.rankers.sums.passes import Passes

WORDS = ["heart", "engine", "river", "bread", "glass", "violin", "stone", "letter", "window", "of", "40"]


def make_texts(n_texts, seed=0):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(0, 8))) for _ in range(n_texts)]


def of_texts(texts, y, starts):
    bounds = [*starts, len(texts)]
    parts = tuple(
        Part(number, f"row {a}", b - a, int((~np.isnan(y[a:b])).sum()), read_texts, (texts[a:b], y[a:b]))
        for number, (a, b) in enumerate(pairwise(bounds))
    )
    return Parts(parts, True, None, 0, texts=True)


def read_texts(texts, y):
    return RankingDataset(np.zeros((len(texts), 0)), y, texts=texts)


def passes_over(parts):
    return Passes(parts, engine_for(None))


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 99),
    cuts=st.sets(st.integers(1, 29), max_size=5),
    min_df=st.integers(1, 3),
    max_features=st.sampled_from([None, 3, 5]),
    options=st.sampled_from([{}, {"ngrams": 2}, {"stop_words": None, "prefix": 3}, {"analyzer": "char_wb"}]),
)
def test_terms_and_weights_are_those_of_fit_to_the_bit(seed, cuts, min_df, max_features, options):
    texts = make_texts(30, seed)
    whole = TfIdf(min_df, max_features=max_features, **options).fit(texts)
    summed = TfIdf(min_df, max_features=max_features, **options)
    tfidf.fit(summed, passes_over(of_texts(texts, np.full(30, np.nan), [0, *sorted(cuts)])))
    assert summed.vocabulary_ == whole.vocabulary_
    np.testing.assert_array_equal(summed.idf_, whole.idf_)


@pytest.mark.parametrize("min_df", [1, 2, 3])
def test_terms_of_just_enough_texts_are_kept(min_df):
    texts = ["kidney liver stone", "kidney liver", "kidney"]
    summed = TfIdf(min_df)
    tfidf.fit(summed, passes_over(of_texts(texts, np.array([1.0, 0.0, 0.0]), [0, 2])))
    assert sorted(summed.vocabulary_) == ["kidney", "liver", "stone"][: 4 - min_df]
    assert summed.vocabulary_ == TfIdf(min_df).fit(texts).vocabulary_


def test_terms_are_counted_in_parts_where_features_and_ranker_can():
    assert TextRanker(RankRLS()).learns_by_sums
    assert TextRanker(RankRLS(), features=TfIdf(3)).learns_by_sums
    assert not TextRanker(RankRLS(), features=WordPairs()).learns_by_sums
    assert not TextRanker(ManifoldRanking()).learns_by_sums


def test_texts_without_terms_are_refused():
    parts = of_texts(["", "of"], np.array([1.0, 0.0]), [0, 1])
    with pytest.raises(ValueError, match=r"No term is left.*2 .min_df. of the 2 texts"):
        tfidf.fit(TfIdf(), passes_over(parts))


def test_directions_are_those_of_all_items():
    rng = np.random.default_rng(0)
    U, V = np.linalg.qr(rng.normal(size=(200, 12)))[0], np.linalg.qr(rng.normal(size=(40, 12)))[0]
    X = (U * np.array([90, 80, 70, 60, 50, 9, 8, 7, 6, 5, 4, 3.0])) @ V.T
    parts = in_memory(X, np.zeros(200), None, [0, 50, 51, 120], one_list=True)
    summed = LSA(5)
    lsa.fit(summed, passes_over(parts))
    _, values, directions = np.linalg.svd(X)
    np.testing.assert_allclose(summed.singular_values_, values[:5], rtol=1e-9)
    assert np.sin(subspace_angles(summed.components_.T, directions[:5].T)).max() < 1e-6
    np.testing.assert_allclose(summed.components_, LSA(5, solver="arpack").fit(X).components_, atol=1e-6)
    few = LSA(50)
    lsa.fit(few, passes_over(parts))
    assert few.n_components_ == 12  # they span no more


@pytest.mark.filterwarnings("ignore::semirank.dataset.checks.DataWarning")
def test_a_ranker_of_texts_learns_from_parts(tmp_path):
    texts, more = np.array(make_texts(60, 1)), np.array(make_texts(60, 2))
    y = np.where(np.arange(60) % 3 == 0, np.nan, ["heart" in text for text in texts]).astype(float)
    qid = np.repeat(np.arange(10), 6)
    columns = {"label": pa.array(y, from_pandas=True), "qid": qid, "title": texts, "abstract": more}
    parquet.write_table(pa.table(columns), tmp_path / "a.parquet", row_group_size=7)
    parts = open_parts(tmp_path / "a.parquet", text=["title", "abstract"], part_bytes=600)
    assert (parts.texts, len(parts) > 3) == (True, True)
    joined = [
        f"{one}\n\n{other}" if one and other else one or other for one, other in zip(texts, more, strict=True)
    ]
    some = np.array([len(text) > 0 for text in joined])
    for ranker in (TextRanker(), TextRanker(RankRLS())):
        whole = TextRanker(ranker.ranker).fit(joined, y, qid).predict(joined, qid)
        found = ranker.fit_parts(parts).predict(joined, qid)
        np.testing.assert_allclose(found[some], whole[some], atol=1e-10)
        assert found[~some].max() < found[some].min()  # empty texts come last
    latent = TextRanker(LogisticRanker(), n_components=9).fit_parts(parts)
    whole = TextRanker(LogisticRanker(), n_components=9).fit(joined, y, qid)
    np.testing.assert_allclose(latent.predict(joined, qid)[some], whole.predict(joined, qid)[some], atol=0.05)
    latent.save(tmp_path / "model.safetensors")
    latent.rank_parts(parts, tmp_path / "scores")
    again = semirank.load_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict(joined, qid), latent.predict(joined, qid))
    with pytest.raises(ValueError, match="these items are texts: put it into a TextRanker"):
        RankRLS().fit_parts(parts)


def test_a_latent_ranker_of_numbers_learns_from_parts():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 6)) * np.array([30, 20, 10, 1, 0.5, 0.1])
    y, qid = np.where(rng.random(80) < 0.5, np.nan, X[:, 0] > 0), np.repeat(np.arange(16), 5)
    whole = LatentRanker(RankRLS(), 3).fit(X, y, qid)
    parts = in_memory(X, y, qid, cut_at(qid, [3, 9, 12]))
    for budget in (0, 1 << 30):  # sums of sums, and labelled items gathered
        summed = LatentRanker(RankRLS(), 3).fit_parts(parts, budget=budget)
        np.testing.assert_allclose(summed.predict(X, qid), whole.scores_, atol=1e-6)
    with pytest.raises(ValueError, match="say text="):
        TextRanker().fit_parts(parts)

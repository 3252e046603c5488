"""Scores of linear rankers as sums over labelled items and over features."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from semirank import Blend, LatentRanker, LinearSVMRanker, LogisticRanker, ManifoldRanking, TextRanker
from semirank.rankers.self_training import SelfTrainingLogistic

pytestmark = pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")  # lists with few labels


def data(seed: int = 0, n_lists: int = 1):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 6)) * (rng.random((40, 6)) < 0.6)
    y = np.where(rng.random(40) < 0.6, (X[:, 0] > 0).astype(float), np.nan)
    return csr_array(X), y, np.arange(40) % n_lists


@pytest.mark.parametrize("n_lists", [1, 3])
@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("ranker", [LogisticRanker(), LinearSVMRanker(), LinearSVMRanker(0.1, balance=9.8)])
def test_contributions_of_items_and_of_features_add_up(ranker, shared, n_lists):
    X, y, qid = data(n_lists=n_lists)
    ranker = ranker.set_params(shared=shared).fit(X, y, qid)
    for item in range(0, 40, 5):
        items, amounts = ranker.explain(item)
        assert amounts.sum() == pytest.approx(ranker.scores_[item], abs=1e-6)
        assert not np.isnan(y[items]).any()
        features, parts = ranker.explain_features(item)
        assert parts.sum() == pytest.approx(ranker.scores_[item], abs=1e-12)
        for feature, part in zip(features, parts, strict=True):
            expected = ranker.intercept_ if feature < 0 else X[item, feature] * ranker.coef_[feature]
            if shared or n_lists == 1:
                assert part == pytest.approx(expected)


def test_a_label_adds_what_its_absence_takes_away_in_sign():
    X, y, _ = data()
    ranker = LogisticRanker().fit(X, y)
    x = X.toarray()
    items, amounts = ranker.explain(0)
    for item, amount in zip(items, amounts, strict=True):
        side = 1 if y[item] > 0 else -1
        assert np.sign(amount) == np.sign(side * (x[item] @ x[0] + 1))


def test_mixes_and_latent_features_explain_what_their_parts_do():
    X, y, _ = data()
    blend = Blend([LogisticRanker(), ManifoldRanking(distance="cosine", combine="ratio")], [1, "early"])
    blend.fit(X, y)
    for item in (0, 7, 21):
        items, amounts = blend.explain(item)
        assert amounts.sum() == pytest.approx(blend.scores_[item], abs=1e-5)
        assert -1 in items
        assert blend.explain_features(item).amounts.sum() == pytest.approx(blend.scores_[item])
    latent = LatentRanker(n_components=3).fit(X, y)
    features, amounts = latent.explain_features(4)
    assert amounts.sum() == pytest.approx(latent.scores_[4])
    assert set(features.tolist()) <= {-1, *np.flatnonzero(X.toarray()[4]).tolist()}


def test_words_of_a_text():
    texts = ["red apple pie", "green apple", "fast red car", "slow car", "apple car"]
    ranker = TextRanker(features=None).fit(texts, [1, np.nan, 0, np.nan, np.nan])
    words, amounts = ranker.explain_words(1)
    assert amounts.sum() == pytest.approx(ranker.scores_[1])
    assert amounts[words.index("apple")] > 0


def test_what_cannot_be_split_says_so():
    X, y, _ = data()
    with pytest.raises(ValueError, match="SelfTrainingLogistic cannot split"):
        SelfTrainingLogistic().fit(X, y).explain(0)
    with pytest.raises(ValueError, match="row number from 0 to 39"):
        LogisticRanker().fit(X, y).explain(40)


def test_balance_is_the_weight_of_relevant_items_for_each_part_of_the_others():
    X, y, _ = data()
    known = ~np.isnan(y)
    weights = np.where(y > 0, 3.0 / (y[known] > 0).sum(), 1.0 / (y[known] <= 0).sum())
    weights *= known.sum() / weights[known].sum()
    given = LinearSVMRanker(class_weight=None).fit(X, y, sample_weight=np.where(known, weights, 1.0))
    np.testing.assert_allclose(LinearSVMRanker(balance=3.0).fit(X, y).scores_, given.scores_, atol=1e-7)


def test_a_label_more_exchanges_at_most_one_presumed_negative():
    X, y, _ = data()
    ranker = LogisticRanker(presumed_negatives=5, random_state=0)
    before = set(ranker.fit(X, y).explain(0).items) - set(np.flatnonzero(~np.isnan(y)))
    more = y.copy()
    more[min(before)] = 0
    after = set(ranker.rerank(more).explain(0).items) - set(np.flatnonzero(~np.isnan(more)))
    assert len(before & after) >= 4

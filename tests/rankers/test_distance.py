"""Distance ranking against the definition, item by item."""

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array

from semirank import DistanceRanking
from semirank.dataset import DataWarning
from semirank.rankers import distance as room

nan = np.nan


def by_definition(X, y, distance):
    """Score every item against every relevant one, without any trick."""
    scores = []
    for x in X:
        if distance == "euclidean":
            scores.append(max(-np.linalg.norm(x - s) for s, label in zip(X, y, strict=True) if label > 0))
        else:
            lengths = [
                (s, np.linalg.norm(x) * np.linalg.norm(s)) for s, label in zip(X, y, strict=True) if label > 0
            ]
            scores.append(max(x @ s / length if length > 0 else 0.0 for s, length in lengths))
    return scores


@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@given(
    X=arrays(float, (9, 3), elements=st.sampled_from([0.0, 0.0, 1.0, -2.0, 0.5, 100.0])),
    seed=st.integers(0, 99),
)
def test_equals_the_definition(make, distance, X, seed):
    y = np.array([1, 2, 0, -1, nan, nan, nan, nan, nan])[np.random.default_rng(seed).permutation(9)]
    ranker = DistanceRanking(distance).fit(make(X), y)
    expected = by_definition(X, y, distance)
    np.testing.assert_allclose(ranker.scores_, expected, atol=1e-9)
    np.testing.assert_allclose(ranker.predict(make(X)), expected, atol=1e-9)


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
def test_blocks_change_nothing(distance, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), np.where(np.arange(50) < 5, 1.0, nan)
    whole = DistanceRanking(distance).fit(X, y).scores_
    monkeypatch.setattr(room, "BATCH_CELLS", 20)
    np.testing.assert_allclose(DistanceRanking(distance).fit(X, y).scores_, whole, rtol=1e-12)


def test_a_relevant_item_is_at_distance_zero():
    X = np.random.default_rng(0).normal(size=(20, 5)) * 1e6
    y = np.where(np.arange(20) % 4 == 0, 1.0, nan)
    assert (DistanceRanking().fit(X, y).scores_[::4] == 0).all()


def test_each_list_is_ranked_by_its_own_relevant_items():
    X = np.array([[0.0], [10.0], [0.0], [10.0]])
    y = [1, nan, nan, 1]
    ranker = DistanceRanking().fit(X, y, qid=["a", "a", "b", "b"])
    assert ranker.scores_.tolist() == [0, -10, -10, 0]
    assert ranker.predict([[1.0], [1.0]], qid=["a", "b"]).tolist() == [-1, -9]


def test_a_list_without_a_relevant_item_is_ranked_by_all_and_named():
    X = np.array([[0.0], [10.0], [1.0], [4.0]])
    with pytest.warns(DataWarning, match="1 of 2 lists have no relevant item.*'b'"):
        ranker = DistanceRanking().fit(X, [1, 2, 0, nan], qid=["a", "a", "b", "b"])
    assert ranker.scores_.tolist() == [0, 0, -1, -4]


def test_no_relevant_item_at_all_is_an_error():
    with pytest.raises(ValueError, match=r"at least one relevant item.*largest label is 0"):
        DistanceRanking().fit([[1.0], [2.0]], [0, nan])


@pytest.mark.parametrize("distance", ["euclidean", "cosine"])
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_lists_together_are_lists_apart(distance, make):
    rng = np.random.default_rng(0)
    X, qid = rng.normal(size=(60, 3)), rng.integers(0, 5, 60)
    y = np.where(np.isin(np.arange(60), np.unique(qid, return_index=True)[1]), 1.0, nan)
    scores = DistanceRanking(distance).fit(make(X), y, qid).scores_
    for name in range(5):
        rows = qid == name
        alone = DistanceRanking(distance).fit(make(X[rows]), y[rows]).scores_
        np.testing.assert_allclose(scores[rows], alone, rtol=1e-12, atol=1e-12)


def test_the_time_grows_with_the_lists_and_not_with_their_square():
    """200,000 lists took more than a minute when each one scanned the examples of all."""
    n_lists = 20_000
    X = np.random.default_rng(0).normal(size=(5 * n_lists, 2))
    y = np.tile([1.0, nan, nan, nan, 0.0], n_lists)
    qid = np.repeat(np.arange(n_lists), 5)
    DistanceRanking().fit(X[:10], y[:10], qid[:10])
    start = time.process_time()
    DistanceRanking().fit(X, y, qid)
    assert time.process_time() - start < 1.0

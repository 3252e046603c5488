"""How pairs that teach are counted and weighed, by writing every occurrence of every pair down."""

import numpy as np
import pytest

from semirank import RankBoost, RankRLS
from semirank.density_ratio import KLIEP, effective_size
from semirank.meta.adaptation import LabelledLists
from semirank.meta.training_pairs import TrainingPairs

MANY = 10**6


def labelled(weights=True, seed=0):
    """Three lists of different lengths, whose items count from one to three times."""
    rng = np.random.default_rng(seed)
    lists = np.repeat([0, 1, 2], [4, 9, 6])
    X, y = rng.normal(size=(19, 2)), rng.integers(0, 3, 19).astype(float)
    given = {"sample_weight": rng.integers(1, 4, 19).astype(float)} if weights else {}
    return LabelledLists(X, y, lists, given)


def repeated(data):
    """Give each item as often as it counts, and number the pairs of the copies by their originals."""
    times = data.weights["sample_weight"].astype(int)
    rows = np.repeat(np.arange(len(times)), times)
    pairs = [(i, j) for i in rows for j in rows if data.lists[i] == data.lists[j] and data.y[i] > data.y[j]]
    return np.array(pairs)


def ratio(data, pairs):
    test = np.random.default_rng(1).normal(size=(15, 2)) + 0.5
    return KLIEP(1.0, 10, even=True).estimate(pairs.differences, test, pairs.frequencies())


@pytest.mark.parametrize("ranker", [RankBoost(), RankBoost(balance="lists"), RankRLS()])
def test_weights_have_the_mean_1_over_all_times_that_a_pair_counts(ranker):
    data = labelled()
    pairs = TrainingPairs.of(data, ranker, MANY, MANY)
    kliep = ratio(data, pairs)
    weights = pairs.weigh(kliep, data.X)
    each = repeated(data)
    values = kliep.predict(data.X[each[:, 0]] - data.X[each[:, 1]])
    shares = np.ones(len(each))
    if ranker.get_params().get("balance", "lists") == "lists":
        counts = np.bincount(data.lists[each[:, 0]])
        shares = 1.0 / counts[data.lists[each[:, 0]]]
    values /= np.average(values, weights=shares)
    found = dict(zip(zip(*pairs.pairs, strict=True), weights, strict=True))
    np.testing.assert_allclose([found[i, j] for i, j in each], values, rtol=1e-9)
    assert np.average(values, weights=shares) == pytest.approx(1)
    size = (shares @ values) ** 2 / ((shares * values) @ (shares * values))
    assert pairs.effective_size(weights) == pytest.approx(size)


def test_weights_have_the_mean_1_over_all_pairs_where_few_stand_for_them():
    data = labelled()
    pairs = TrainingPairs.of(data, RankBoost(), MANY, 12)
    weights = pairs.weigh(ratio(data, pairs), data.X)
    assert len(pairs.differences) == 12 < len(weights)
    assert np.average(weights, weights=pairs.counts) == pytest.approx(1)


def test_pairs_of_lists_that_count_the_same_share_the_weight_of_their_list():
    data = labelled()
    pairs = TrainingPairs.of(data, RankRLS(), MANY, MANY)
    ones = np.ones(len(pairs.given))
    totals = np.zeros(3)
    np.add.at(totals, data.lists[pairs.pairs.first], pairs.counts * pairs.weighted(ones).weights)
    np.testing.assert_allclose(totals, 1.0)
    occur = pairs.counts * pairs.shares
    np.testing.assert_allclose(pairs.frequencies() / pairs.counts.sum(), occur / occur.sum())


def test_an_item_weighs_as_its_pairs_do_on_average():
    data = labelled()
    pairs = TrainingPairs.of(data, RankBoost(), MANY, MANY)
    weights = np.random.default_rng(3).random(len(pairs.given))
    of_pair = dict(zip(zip(*pairs.pairs, strict=True), weights, strict=True))
    each = repeated(data)
    values = np.array([of_pair[i, j] for i, j in each])
    found = pairs.mean_by_item(weights, 19)
    for item in range(19):
        mine = (each == item).any(axis=1)
        assert found[item] == pytest.approx(values[mine].mean() if mine.any() else 1.0)


def test_equally_weighted_pairs_are_as_many_as_there_are():
    pairs = TrainingPairs.of(labelled(), RankBoost(), MANY, MANY)
    assert pairs.effective_size(np.full(len(pairs.given), 3.0)) == pytest.approx(pairs.counts.sum())
    assert effective_size(np.array([1.0, 0.0]), np.array([2.0, 5.0])) == pytest.approx(2.0)

"""Weights of items against the sum over all pairs, written down one by one in logarithms."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from semirank.core.potentials import pair_losses, shift_scores, signed_weights

NOTHING = -np.inf


def by_pairs(scores, weights, levels, lists):
    """Return the log loss of each list, and each item's part of it as (log better, log worse)."""
    level_of = np.repeat(np.arange(len(levels) - 1), np.diff(levels))
    list_of = np.searchsorted(lists, level_of, side="right") - 1
    losses, better, worse = [], np.full(len(scores), NOTHING), np.full(len(scores), NOTHING)
    for i in range(len(lists) - 1):
        items = np.flatnonzero(list_of == i)
        pairs = [(p, q) for p in items for q in items if level_of[p] > level_of[q]]
        logs = np.array([np.log(weights[p] * weights[q]) + scores[q] - scores[p] for p, q in pairs])
        losses.append(logsumexp(logs))
        for (p, q), value in zip(pairs, logs, strict=True):
            better[p] = np.logaddexp(better[p], value - losses[-1])
            worse[q] = np.logaddexp(worse[q], value - losses[-1])
    return np.array(losses), better, worse, list_of


def compute(scores, weights, levels, lists):
    spread, scales = np.empty((2, len(scores))), np.empty((2, len(levels) - 1))
    shift_scores(scores, levels, lists, spread, scales)
    spread = weights * np.exp(spread)
    losses = pair_losses(spread, levels, lists, scales)
    signed = np.empty(len(scores))
    signed_weights(spread, scales, levels, lists, -losses, signed)
    return losses, signed


def random_lists(rng, sizes=((3, 4), (1, 1), (2, 1, 5, 1), (1, 1, 1, 1, 1))):
    levels = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
    lists = np.concatenate([[0], np.cumsum([len(each) for each in sizes])])
    return levels, lists, rng.uniform(0.2, 3, levels[-1])


@pytest.mark.parametrize("size", [0.0, 1.0, 30.0, 800.0, 1e5])
@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**20))
def test_equals_the_sum_over_pairs_for_scores_of_any_size(size, seed):
    rng = np.random.default_rng(seed)
    levels, lists, weights = random_lists(rng)
    scores = size * rng.normal(size=levels[-1])
    losses, signed = compute(scores, weights, levels, lists)
    expected, better, worse, _ = by_pairs(scores, weights, levels, lists)
    np.testing.assert_allclose(losses, expected, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(signed, np.exp(better) - np.exp(worse), rtol=1e-6, atol=1e-9)


def test_signed_weights_sum_to_zero_in_each_list():
    rng = np.random.default_rng(0)
    levels, lists, weights = random_lists(rng)
    scores = 5 * rng.normal(size=levels[-1])
    signed = compute(scores, weights, levels, lists)[1]
    assert np.add.reduceat(signed, levels[lists[:-1]]) == pytest.approx(np.zeros(4), abs=1e-14)


def test_signed_weights_are_the_slope_of_the_loss():
    rng = np.random.default_rng(1)
    levels, lists, weights = random_lists(rng, sizes=((3, 4, 2, 2),))
    scores, eps = rng.normal(size=levels[-1]), 1e-6
    signed = compute(scores, weights, levels, lists)[1]
    for i in range(len(scores)):
        up, down = (
            compute(scores + step * (np.arange(len(scores)) == i), weights, levels, lists)[0][0]
            for step in (eps, -eps)
        )
        assert signed[i] == pytest.approx((down - up) / (2 * eps), abs=1e-8)


def test_one_thread_or_many():
    rng = np.random.default_rng(2)
    levels, lists, weights = random_lists(rng, sizes=[(5, 3, 2)] * 200)
    scores = 10 * rng.normal(size=levels[-1])
    many = compute(scores, weights, levels, lists)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        one = compute(scores, weights, levels, lists)
    finally:
        numba.set_num_threads(threads)
    for first, second in zip(many, one, strict=True):
        np.testing.assert_array_equal(first, second)

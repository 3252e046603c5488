"""Sums over partners, against loops over all pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semirank.core.hinge import sum_partners
from semirank.core.ranks import sort_lists


def by_visiting(scores, levels, values, indptr):
    lower, higher = np.zeros_like(values), np.zeros_like(values)
    lists = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    for p in range(len(scores)):
        for q in range(len(scores)):
            if lists[p] == lists[q] and levels[p] > levels[q] and scores[p] - scores[q] < 1.0:
                lower[p] += values[q]
                higher[q] += values[p]
    return lower, higher


def some_lists(seed, sizes, n_levels, spread):
    rng = np.random.default_rng(seed)
    n_items = sum(sizes)
    scores = np.round(rng.normal(scale=spread, size=n_items), 1)  # ties, and gaps of exactly 1
    levels = rng.integers(0, n_levels, n_items)
    return scores, levels, rng.normal(size=(n_items, 2)), np.concatenate([[0], np.cumsum(sizes)])


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(1, 12), min_size=1, max_size=4),
    st.integers(1, 15),
    st.sampled_from([0.0, 0.5, 2.0]),
)
def test_sums_over_partners(seed, sizes, n_levels, spread):
    scores, levels, values, indptr = some_lists(seed, sizes, n_levels, spread)
    order, _ = sort_lists(scores, indptr)
    for found, expected in zip(
        sum_partners(scores, order, levels, values, indptr),
        by_visiting(scores, levels, values, indptr),
        strict=True,
    ):
        np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n_lists", [40])
def test_threads_change_no_bit(n_lists):
    scores, levels, values, indptr = some_lists(1, [500] * n_lists, 50, 1.0)
    order, _ = sort_lists(scores, indptr)
    together = sum_partners(scores, order, levels, values, indptr)
    for i in range(n_lists):
        part = slice(indptr[i], indptr[i + 1])
        alone = sum_partners(
            scores[part], order[part] - indptr[i], levels[part], values[part], np.array([0, 500])
        )
        np.testing.assert_array_equal(alone[0], together[0][part])
        np.testing.assert_array_equal(alone[1], together[1][part])

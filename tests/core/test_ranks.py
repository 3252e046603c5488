"""Sorting within lists, against numpy's own stable sort."""

from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank.core.ranks import number_levels, sort_lists

SIZES = (0, 1, 2, 63, 64, 65, 300)


def by_numpy(scores, indptr):
    lists = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((-scores, lists))
    same = (np.diff(scores[order]) == 0) & (np.diff(lists) == 0)
    return order, np.concatenate([[False], same])


def lists_of(sizes, seed=0):
    indptr = np.concatenate([[0], np.cumsum(sizes)])
    return np.random.default_rng(seed).normal(size=indptr[-1]), indptr


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s,
        np.round,
        lambda s: np.round(s, 1) * 1e300,
        lambda s: s * 5e-324 / 1e-3,
        lambda s: 1.0 + s * 1e-15,
        lambda s: s.astype(np.float32).astype(np.float64),
        np.zeros_like,
        np.abs,
        lambda s: -np.abs(s),
    ],
    ids=["plain", "tied", "huge", "tiny", "close", "single", "constant", "positive", "negative"],
)
def test_equals_numpys_stable_sort(change):
    scores, indptr = lists_of(SIZES)
    scores = change(scores)
    order, tied = sort_lists(scores, indptr)
    expected_order, expected_tied = by_numpy(scores, indptr)
    np.testing.assert_array_equal(order, expected_order)
    np.testing.assert_array_equal(tied, expected_tied)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=130))
def test_any_finite_numbers(values):
    scores, indptr = np.array(values), np.array([0, len(values)])
    order, tied = sort_lists(scores, indptr)
    expected_order, expected_tied = by_numpy(scores, indptr)
    np.testing.assert_array_equal(order, expected_order)
    np.testing.assert_array_equal(tied, expected_tied)


@pytest.mark.parametrize("size", [2, 100])
def test_both_zeros_are_one_value(size):
    scores = np.where(np.arange(size) % 2, -0.0, 0.0)
    order, tied = sort_lists(scores, np.array([0, size]))
    np.testing.assert_array_equal(order, np.arange(size))
    assert tied[1:].all()


def test_scores_are_left_alone():
    scores, indptr = lists_of((100, 20))
    before = scores.copy()
    sort_lists(scores, indptr)
    np.testing.assert_array_equal(scores, before)


def test_one_thread_or_many():
    scores, indptr = lists_of(range(400))
    many = sort_lists(scores, indptr)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        one = sort_lists(scores, indptr)
    finally:
        numba.set_num_threads(threads)
    np.testing.assert_array_equal(many, one)


def test_levels_number_the_distinct_values_from_the_best():
    scores, indptr = lists_of((5, 0, 80))
    scores = np.round(scores)
    levels = number_levels(*sort_lists(scores, indptr), indptr)
    for start, stop in pairwise(indptr):
        expected = np.unique(-scores[start:stop], return_inverse=True)[1]
        np.testing.assert_array_equal(levels[start:stop], expected)

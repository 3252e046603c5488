"""The best assignment against SciPy and against trying all."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from semirank.core.assignment import best_assignments


def by_scipy(gains):
    return np.array([matrix[linear_sum_assignment(matrix, maximize=True)].sum() for matrix in gains])


def matrices(kind, n, rng):
    return {
        "uniform": lambda: rng.random((40, n, n)),
        "products": lambda: rng.exponential(size=(40, n, 1)) ** 4 * rng.exponential(size=(40, 1, n)) ** 4,
        "mostly zero": lambda: rng.random((40, n, n)) * (rng.random((40, n, n)) < 0.2),
        "many ties": lambda: rng.integers(0, 3, (40, n, n)).astype(float),
        "negative": lambda: rng.normal(size=(40, n, n)),
    }[kind]()


@pytest.mark.parametrize("kind", ["uniform", "products", "mostly zero", "many ties", "negative"])
@pytest.mark.parametrize("n", [1, 2, 5, 12, 25, 50])
def test_the_value_is_scipys(kind, n):
    gains = matrices(kind, n, np.random.default_rng(n))
    np.testing.assert_allclose(best_assignments(gains, -np.inf), by_scipy(gains), rtol=1e-12, atol=1e-12)


def test_the_value_is_the_best_of_all_permutations():
    gains = np.random.default_rng(0).random((30, 5, 5))
    best = [max(sum(g[i, a[i]] for i in range(5)) for a in permutations(range(5))) for g in gains]
    np.testing.assert_allclose(best_assignments(gains, -np.inf), best, rtol=1e-13)


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.floats(0, 9))
def test_what_is_not_enough_is_bounded_from_above(n, seed, enough):
    gains = np.random.default_rng(seed).random((10, n, n))
    values, truth = best_assignments(gains, enough), by_scipy(gains)
    assert (values >= truth - 1e-12).all()
    np.testing.assert_allclose(values[values >= enough], truth[values >= enough], rtol=1e-12)


def test_gains_are_not_modified():
    gains = np.random.default_rng(0).random((3, 6, 6))
    before = gains.copy()
    best_assignments(gains, 0.0)
    np.testing.assert_array_equal(gains, before)

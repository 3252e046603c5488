"""Centring within lists against the dense projection."""

import numpy as np
import pytest

from semirank.core.lists import centre_in_turn, centre_lists, centre_within_rows

INDPTR = np.array([0, 1, 4, 9])
SCALES = np.array([2.0, 0.5, 1.0])


def projection():
    R = np.zeros((9, 9))
    for start, stop, scale in zip(INDPTR, INDPTR[1:], SCALES, strict=False):
        size = stop - start
        R[start:stop, start:stop] = scale * (np.eye(size) - 1.0 / size)
    return R


@pytest.mark.parametrize("centre", [centre_lists, centre_in_turn])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_items_relative_to_the_mean_of_their_list(dtype, centre):
    values = np.random.default_rng(0).normal(size=(9, 4)).astype(dtype)
    out = np.empty((9, 4))
    centre(values, INDPTR, SCALES, out)
    np.testing.assert_allclose(out, projection() @ values, atol=1e-6 if dtype == np.float32 else 1e-14)


def test_in_place_and_along_rows():
    values = np.random.default_rng(0).normal(size=(9, 9))
    expected = projection() @ values @ projection()
    centre_lists(values, INDPTR, SCALES, values)
    centre_within_rows(values, INDPTR, SCALES)
    np.testing.assert_allclose(values, expected, atol=1e-14)


def test_equal_items_become_exactly_nothing():
    values = np.full((9, 9), 0.1)
    centre_within_rows(values, INDPTR, SCALES)
    assert (values == 0.0).all()
    out = np.ones((9, 2))
    centre_lists(np.full((9, 2), 0.1), INDPTR, SCALES, out)
    assert (out == 0.0).all()

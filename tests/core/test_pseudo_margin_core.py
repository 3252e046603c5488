"""Sums over all pairs of a list against writing the pairs down."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from semirank.core.pseudo_margin import margin_weights, smallest_kept


def all_pairs(scores):
    """Both items of every pair, and how far apart they are."""
    i, j = np.triu_indices(len(scores), 1)
    return i, j, np.abs(scores[i] - scores[j])


def shares(margins, left_out):
    """How much each pair counts when those with the smallest margins are left out; equal ones share alike."""
    margins = np.round(margins, 9)
    kept = np.sort(margins)[left_out:]
    same = margins == kept.min(initial=np.inf)
    return np.where(
        same,
        (kept == kept.min(initial=np.inf)).sum() / max(same.sum(), 1),
        margins > kept.min(initial=np.inf),
    )


def by_pairs(scores, left_out):
    """Signed weights of the items, the sum of the weights that move and the number of pairs that rest."""
    i, j, margins = all_pairs(scores)
    counts = shares(margins, left_out)
    weights = np.where(margins > 0, counts * np.exp(-margins), 0.0)
    sides = np.sign(scores[i] - scores[j]) * weights
    signed = np.bincount(i, sides, len(scores)) - np.bincount(j, sides, len(scores))
    return signed, weights.sum(), counts[margins == 0].sum()


def lists_of_scores(seed, n_lists, levels):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 12, n_lists)
    grid = 3 * rng.normal(size=levels)
    return [np.sort(grid[rng.integers(0, levels, size)]) for size in sizes]


@pytest.mark.parametrize("ties", [0.0, 0.3, 0.7, 0.99])
@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 5), st.integers(1, 30))
def test_the_sums_are_those_over_all_pairs(ties, seed, n_lists, levels):
    lists = lists_of_scores(seed, n_lists, levels)
    indptr = np.append(0, np.cumsum([len(each) for each in lists]))
    left_out = np.array([int(ties * len(each) * (len(each) - 1) // 2) for each in lists])
    signed = np.empty(indptr[-1])
    found = margin_weights(np.concatenate(lists), indptr, left_out, signed)
    for k, scores in enumerate(lists):
        shift, moving, resting = found[k]
        expected = by_pairs(scores, left_out[k])
        np.testing.assert_allclose(
            signed[indptr[k] : indptr[k + 1]] * np.exp(-shift), expected[0], atol=1e-12
        )
        np.testing.assert_allclose(moving * np.exp(-shift), expected[1], atol=1e-12)
        np.testing.assert_allclose(resting, expected[2], atol=1e-12)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 0.99))
def test_the_smallest_margin_kept_is_found_by_sorting(seed, ties):
    scores = np.sort(np.random.default_rng(seed).normal(size=40))
    left_out = int(ties * 780)
    least, _ = smallest_kept(scores, left_out, 1e-12)
    assert least == np.sort(all_pairs(scores)[2])[left_out]


def test_no_distance_is_too_large():
    signed = np.empty(3)
    [[shift, moving, resting]] = margin_weights(
        np.array([-5000.0, 0.0, 4000.0]), np.array([0, 3]), np.array([0]), signed
    )
    assert (shift, moving, resting) == (4000.0, 1.0, 0.0)
    np.testing.assert_array_equal(signed, [0.0, -1.0, 1.0])

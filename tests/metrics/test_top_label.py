"""The mean label of the first items, against every order of tied items."""

from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank import metrics

nan = np.nan


@given(
    st.lists(st.tuples(st.sampled_from([-2.0, 0.0, 0.5, 3.0]), st.integers(0, 2)), min_size=1, max_size=5),
    st.integers(1, 6),
)
def test_it_is_the_mean_over_all_orders(rows, cutoff):
    y, scores = np.array(rows, dtype=float).T
    orders = [
        order
        for order in permutations(range(len(y)))
        if all(scores[i] >= scores[j] for i, j in pairwise(order))
    ]
    expected = np.mean([np.mean(y[list(order[:cutoff])]) for order in orders])
    assert metrics.mean_label_at(y, scores, cutoff=cutoff)[0] == pytest.approx(expected, abs=1e-12)


def test_lists_in_any_order_and_unlabelled_items():
    y, scores = [0.1, nan, 0.3, 0.4, nan], [1, 9, 2, 1, 2]
    qid = ["b", "b", "a", "b", "none"]
    found = metrics.measure("Label@1", y, scores, qid)["Label@1"]
    np.testing.assert_array_equal(found, [0.25, 0.3, nan])
    np.testing.assert_array_equal(metrics.mean_label_at(y, scores, qid, cutoff=2), [0.25, 0.3, nan])
    assert metrics.mean_label_at([nan, nan], [1, 2], cutoff=1).shape == (1,)
    with pytest.raises(ValueError, match=r"'Label' lacks its number: write for example Label@1"):
        metrics.parse("Label")

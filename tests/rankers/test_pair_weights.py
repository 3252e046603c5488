"""Pairs with weights: what is refused, and rows that follow the caller's order."""

import numpy as np
import pytest

from semirank import RankingDataset
from semirank.rankers.pairs import PairWeights, check_pairs

DATA = RankingDataset(np.zeros((5, 1)), [0, 2, 1, 3, np.nan], qid=["a", "b", "a", "b", "a"])


def test_rows_are_those_of_the_data():
    checked = check_pairs(PairWeights([2, 3], [0, 1], [1, 0.5]), DATA)
    np.testing.assert_array_equal(DATA.y[checked.better], [1, 3])
    np.testing.assert_array_equal(DATA.y[checked.worse], [0, 2])
    np.testing.assert_array_equal(checked.weights, [1.0, 0.5])


def test_a_plain_tuple_will_do():
    assert isinstance(check_pairs(([2], [0], [1]), DATA), PairWeights)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (([5], [0], [1.0]), r"row number in \[0, 4\]; pair 0 has 5"),
        (([2, 2], [0, -1], [1.0, 1.0]), r"worse must be a row number .* pair 1 has -1"),
        (([2.0], [0], [1.0]), "better must be whole row numbers"),
        (([2], [0, 0], [1.0]), "one entry of better, worse and weights"),
        (([2], [0], [[1.0]]), "one entry of better, worse and weights"),
        (([2], [0], [-1.0]), r"not negative; pair 0 has -1"),
        (([2], [0], [np.nan]), "must be finite"),
        (([2], [0], [0.0]), "nothing to learn"),
        (([], [], []), "nothing to learn"),
        (([3], [0], [1.0]), r"of one list; pair 0 has \[3 0\]"),
        (([0], [2], [1.0]), r"higher label of the two; pair 0 has \[0 2\]"),
        (([2], [2], [1.0]), "higher label"),
        (([4], [0], [1.0]), "higher label"),
    ],
)
def test_what_is_no_pair_is_refused(pairs, message):
    with pytest.raises(ValueError, match=message):
        check_pairs(pairs, DATA)

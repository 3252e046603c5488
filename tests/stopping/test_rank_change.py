import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank.stopping import rank_change


def weighted_tau(before: list[int], now: list[int]) -> float:
    """Vigna's index by its definition: over all pairs, hyperbolic weights, mean of both rankings."""
    places = [{item: place for place, item in enumerate(order)} for order in (before, now)]
    values = []
    for ranks in places:
        agree = total = 0.0
        for i in before:
            for j in before:
                if i != j:
                    weight = 1 / (1 + ranks[i]) + 1 / (1 + ranks[j])
                    same = (places[0][i] < places[0][j]) == (places[1][i] < places[1][j])
                    agree, total = agree + weight * (1 if same else -1), total + weight
        values.append(agree / total)
    return float(np.mean(values))


@given(st.permutations(list(range(7))))
def test_it_is_the_weighted_tau_of_both_orders(now):
    assert rank_change(list(range(7)), now).correlation == pytest.approx(weighted_tau(list(range(7)), now))


def test_only_items_in_both_orders_count():
    change = rank_change([9, 1, 2, 3], [3, 2, 1, 7])
    assert (change.n_items, change.correlation) == (3, pytest.approx(-1.0))
    assert np.isnan(rank_change([1, 2], [3, 4]).correlation)

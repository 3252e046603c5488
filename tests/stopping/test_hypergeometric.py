"""The bound of a reading order, against sums over binomial coefficients and over all tails."""

from math import comb, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank.stopping import hypergeometric


def chance_of_at_most(k: int, population: int, relevant: int, drawn: int) -> float:
    ways = sum(
        comb(relevant, x) * comb(population - relevant, drawn - x)
        for x in range(min(k, relevant, drawn) + 1)
        if drawn - x <= population - relevant
    )
    return ways / comb(population, drawn)


def p_over_all_tails(labels: list[int], n_items: int, missing: int) -> float:
    """Callaghan and Müller-Hansen: the smallest chance over every tail of the order."""
    unread = n_items - len(labels)
    if missing > unread:
        return 0.0
    tails = [labels[-n:] for n in range(1, len(labels) + 1)]
    return min(
        (chance_of_at_most(sum(t), len(t) + unread, sum(t) + missing, len(t)) for t in tails), default=1.0
    )


readings = st.lists(st.sampled_from([0, 0, 0, 1]), max_size=25)


@given(readings, st.integers(0, 30), st.sampled_from([0.5, 0.8, 0.9, 0.95]))
def test_p_is_the_smallest_over_all_tails(labels, unread, target):
    n_items = len(labels) + unread
    found = sum(labels)
    missing = floor(found / target + 1e-9) + 1 - found
    bound = hypergeometric(labels, n_items, target=target)
    assert bound.p_value == pytest.approx(p_over_all_tails(labels, n_items, missing), abs=1e-12)
    assert bound.reached == (bound.p_value < 0.05 - 1e-12)


@given(readings, st.integers(0, 30))
def test_most_missing_is_the_last_number_that_is_not_rejected(labels, unread):
    n_items = len(labels) + unread
    kept = [m for m in range(1, unread + 1) if p_over_all_tails(labels, n_items, m) >= 0.05 - 1e-12]
    assert hypergeometric(labels, n_items).most_missing == max(kept, default=0)


@given(st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=1, max_size=14), st.integers(0, 20))
def test_undecided_items_never_make_the_claim_better(labels, unread):
    n_items = len(labels) + unread
    bound = hypergeometric(labels, n_items)
    for decided in (0.0, 1.0):
        either = hypergeometric([decided if np.isnan(label) else label for label in labels], n_items)
        assert bound.recall <= either.recall
        assert bound.most_missing >= either.most_missing


def test_everything_read_is_everything_found():
    bound = hypergeometric([1, 0, 1], 3)
    assert (bound.recall, bound.most_missing, bound.reached) == (1.0, 0, True)


def test_nothing_read_says_nothing():
    bound = hypergeometric([], 100)
    assert (bound.recall, bound.most_missing, bound.p_value) == (0.0, 100, 1.0)


def test_the_result_says_how_on_what_assumption_and_by_whom():
    method = hypergeometric([1, 0], 5).method
    assert method.name == "hypergeometric"
    assert "random" in method.assumption
    assert "Callaghan" in method.citation


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="more than the 2 that there are"):
        hypergeometric([0, 1, 0], 2)
    with pytest.raises(ValueError, match=r"target must be .* got 1"):
        hypergeometric([0], 2, target=1.0)
    with pytest.raises(ValueError, match="one sequence"):
        hypergeometric([[0, 1]], 2)


@pytest.mark.slow
def test_a_reader_no_better_than_chance_is_stopped_too_early_at_most_so_often():
    """The worst case of the assumption: items come at random. Stop at the first look that allows it."""
    rng = np.random.default_rng(0)
    early = []
    for _ in range(300):
        labels = rng.permutation(np.repeat([1, 0], [20, 480]))
        stop = next(n for n in range(25, 501, 25) if hypergeometric(labels[:n], 500, target=0.8).reached)
        early.append(labels[:stop].sum() / 20 < 0.8)
    # many looks at random order: no promise of 5 %, but near it
    assert np.mean(early) <= 0.12

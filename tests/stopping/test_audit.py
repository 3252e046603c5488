"""The audit's bound, against all numbers of relevant items in turn, and its coverage by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom, binomtest, hypergeom

from semirank.stopping import audit, audit_price


def largest_kept(seen: int, drawn: int, unread: int, level: float = 0.05) -> int:
    floor = level * betabinom.pmf(seen, drawn, 0.5, 50)
    kept = [K for K in range(unread + 1) if hypergeom.pmf(seen, unread, K, drawn) >= floor * (1 - 1e-9)]
    return max(kept)


@given(st.lists(st.sampled_from([0, 0, 0, 1]), min_size=1, max_size=30), st.integers(0, 60))
def test_the_bound_is_the_running_minimum_of_the_largest_number_not_rejected(sample, left):
    unread = len(sample) + left
    seen = np.cumsum(sample)
    bounds = [largest_kept(int(x), n, unread) for n, x in enumerate(seen, start=1)]
    most = max(min([unread, *bounds]), seen[-1])
    result = audit(sample, unread, n_found_before=7)
    assert result.most_missing == most - seen[-1]
    assert result.recall == pytest.approx((7 + seen[-1]) / (7 + most))


@given(st.lists(st.sampled_from([0.0, 1.0, np.nan]), min_size=1, max_size=20), st.integers(0, 60))
def test_undecided_items_never_make_the_claim_better(sample, left):
    unread = len(sample) + left
    result = audit(sample, unread, 7)
    for decided in (0.0, 1.0):
        either = audit([decided if np.isnan(label) else label for label in sample], unread, 7)
        assert result.recall <= either.recall + 1e-12


def test_what_was_found_outside_the_sample_counts_as_found():
    outside = audit([0] * 300, 1000, 50, n_found=60)
    assert outside.n_found == 60
    assert outside.recall > audit([0] * 300, 1000, 50).recall


def test_the_price_is_the_first_draw_that_shows_the_target():
    price = audit_price(2000, 100, target=0.9)
    assert audit([0] * price, 2000, 100, target=0.9).reached
    assert not audit([0] * (price - 1), 2000, 100, target=0.9).reached
    assert audit_price(2000, 0) is None
    assert audit_price(0, 5) == 0


def test_prices_of_a_large_review():
    assert [audit_price(9000, 100, target=t) for t in (0.8, 0.9, 0.95)] == pytest.approx(
        [1490, 3100, 5300], rel=0.01
    )
    assert [audit_price(9000, 300, target=t) for t in (0.8, 0.9)] == pytest.approx([480, 1130], rel=0.01)


def test_nothing_drawn_says_nothing_and_everything_drawn_says_all():
    assert audit([], 100, 10).recall == pytest.approx(10 / 110)
    assert audit([0, 1, 0], 3, 10).recall == 1.0


def test_the_result_says_how_and_that_it_assumes_nothing():
    method = audit([0], 10, 1).method
    assert method.assumption is None
    assert "Waudby-Smith" in method.citation


def test_bad_input_is_refused():
    with pytest.raises(ValueError, match="more than the 1 that are unread"):
        audit([0, 0], 1, 1)


@pytest.mark.slow
@pytest.mark.parametrize(("unread", "relevant"), [(400, 4), (1000, 10), (1000, 60), (3000, 3)])
def test_the_bound_holds_at_all_looks_at_once(unread, relevant):
    """The share of audits of which any look is wrong stays below 5 %, looking after every draw."""
    rng = np.random.default_rng(unread + relevant)
    population = np.repeat([1.0, 0.0], [relevant, unread - relevant])
    wrong = 0
    for _ in range(1000):
        looks = audit(rng.permutation(population)[: unread // 2], unread, 0)  # the minimum of all looks
        wrong += looks.most_missing + looks.n_relevant < relevant
    assert binomtest(wrong, 1000, 0.05, alternative="greater").pvalue > 0.001

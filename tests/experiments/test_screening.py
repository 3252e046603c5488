"""The pages of screening loops, from runs that are made up; one loop on real data."""

import numpy as np
import pytest

from semirank.experiments import screening
from semirank.experiments.cells import name_of


def made_up(loop: screening.Loop) -> dict:
    """A run that is better by a tenth where it is ours."""
    if loop.start != "1+1":
        return {"first": 3, "chance": 12.0}
    loss = 0.1 + 0.01 * loop.run - 0.02 * (loop.reader == screening.OURS)
    stop = {"rule": "r", "n_read": 50, "recall": 0.9 + 0.02 * loop.run, "held": True}
    stops = {rule: stop for rule in screening.RULES}
    return {
        "loss": loss, "WSS@95": 0.5, "recall at 10 %": 0.6, "oracle": 0.7, "ms a rank": 9.0,
        "n_items": 100, "stops": stops,
    }  # fmt: skip


@pytest.fixture
def runs(monkeypatch):
    def measured(seed, progress, trials, n_jobs):
        wanted = [(screening.OURS, "1+1"), (screening.THEIRS, "1+1")]
        wanted += [(screening.OURS, "question"), (screening.OURS, "1+0")]
        loops = [
            screening.Loop(review, reader, start, run, seed)
            for review in screening.REVIEWS
            for reader, start in wanted
            for run in range(trials)
        ]
        return {name_of(loop): made_up(loop) for loop in loops}

    monkeypatch.setattr(screening, "_measured", measured)


def test_the_page_of_loops_says_who_was_better(runs):
    page = screening.screening(trials=6).page()
    assert "Beyond chance it is better on 8 reviews and worse on 0" in page
    assert "| Cohen_ADHD | 0.105 | 0.125 | -0.020 | 0.031 | better |" in page


def test_the_page_of_rules_counts_what_they_miss(runs):
    page = screening.stopping(trials=4).page()
    assert "| hypergeometric | 24 of 32 | 0.900 | 100% | 50% | 70% |" in page


def test_a_random_order_finds_the_first_relevant_item_by_half_of_the_draws():
    truth = np.array([1.0] * 3 + [0.0] * 17)
    rng = np.random.default_rng(0)
    drawn = [int(np.argmax(rng.permutation(truth))) + 1 for _ in range(4001)]
    assert screening._by_chance(truth, 0) == np.median(drawn)


@pytest.mark.slow
def test_both_read_the_same_review_from_the_same_labels(real_data):
    pytest.importorskip("asreview")
    for reader in (screening.OURS, screening.THEIRS):
        found = screening.measure(screening.Loop("Cohen_NSAIDS", reader, "1+1", 0, 0))
        assert found["n_items"] == 391
        assert found["loss"] < 0.2

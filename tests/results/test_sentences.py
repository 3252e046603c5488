"""Sentences say what the data say, and no more."""

import numpy as np
import pytest

import semirank
from semirank import RankingDataset, compare
from semirank.results.sentences import about_comparison, about_protocol, warnings_of


@pytest.fixture(scope="module")
def few():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = np.where(np.arange(200) < 40, X[:, 0] > 0.7, np.nan)
    return RankingDataset(X, y)


def test_a_metric_that_depends_on_the_share_of_relevant_items_says_so(few):
    share = np.nanmean(few.y)
    found = compare(few, ["logistic-ranker"], "AP", n_repeats=1, budget=False)
    [said] = [words for words in warnings_of(found) if "share of relevant items" in words]
    assert f"{share:.0%} of the labels" in said
    found = compare(few, ["logistic-ranker"], "AUC", n_repeats=1, budget=False)
    assert not any("share of relevant items" in words for words in warnings_of(found))


def test_rankers_that_could_not_be_measured_are_counted(few):
    found = compare(few, ["logistic-ranker", semirank.RankRLS("precomputed")], n_repeats=1, budget=False)
    assert "1 of 2 rankers were measured." in about_comparison(found)


def test_the_protocol_in_words(few):
    found = compare(few, ["logistic-ranker"], n_repeats=1, budget=False)
    why, how, proves = about_protocol(found.protocol)
    assert why == "One list has labels, so labels can only be held out within it."
    assert "cut into up to 5 parts, once" in how
    assert "Folds share most of their labels" in proves

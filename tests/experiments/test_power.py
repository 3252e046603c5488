"""Power and false alarms of compare: data with a known truth, and shares of verdicts."""

import numpy as np
import pytest

from semirank.experiments.power import (
    DATA,
    NO_SIGNAL,
    PowerRun,
    clusters,
    gain_rows,
    measure,
    power,
    strands,
    summary,
    wrong_sign,
)


def draw(gain, verdict):
    return {"gain": gain, "verdict": verdict, "alone": 50.0}


def test_strands_alternate():
    X, truth = strands(np.random.default_rng(0), 0.0)
    np.testing.assert_array_equal(truth, np.round(X[:, 1] / 0.5) % 2)


def test_half_of_the_clusters_are_relevant():
    X, truth = clusters(np.random.default_rng(0), 40, 0.0)
    for level in (0, 1):
        assert len(np.unique(X[truth == level], axis=0)) == 20


@pytest.mark.parametrize("name", DATA)
def test_there_are_labels_enough_of_both_sides(name):
    _, truth = DATA[name](np.random.default_rng(0))
    assert 100 <= truth.sum() <= len(truth) - 100


def test_shuffled_labels_do_not_follow_the_strands():
    X, truth = NO_SIGNAL["no signal, strands"](np.random.default_rng(0))
    strand = np.round(X[:, 1] / 0.5) % 2
    assert abs(np.mean(truth == strand) - 0.5) < 0.1


def test_wrong_signs():
    assert wrong_sign(draw(-1, "helps"))
    assert wrong_sign(draw(0, "helps"))
    assert wrong_sign(draw(2, "harms"))
    assert not wrong_sign(draw(2, "helps"))
    assert not wrong_sign(draw(-2, "no evidence"))


def test_shares_by_gain_are_counted():
    rows = gain_rows([draw(5, "helps"), draw(6, "no evidence"), draw(-1, "helps"), draw(20, "helps")])
    shares = {row["true gain"]: (row["draws"], row["helps"], row["wrong sign"]) for row in rows}
    assert shares == {
        "up to 0": (1, "100%", "100.0%"),
        "up to 8": (2, "50%", "0.0%"),
        "more than 15": (1, "100%", "0.0%"),
    }


def test_the_summary_counts_gains_and_false_alarms():
    signal = [draw(5, "helps"), draw(10, "no evidence"), draw(1, "harms")]
    said = summary(signal, [draw(0.3, "helps"), draw(0, "no evidence")])
    assert "finds 1 of 2 true gains" in said
    assert "a verdict in 1 of 2 cases" in said
    assert "In 1 of the 3 others" in said


def test_a_large_gain_is_found():
    found = measure(PowerRun("strands, spread 0.1", 0, 0))
    assert found["gain"] > 5
    assert found["verdict"] == "helps"


@pytest.mark.slow
def test_the_page_names_all_data(tmp_path, monkeypatch):
    monkeypatch.setenv("SEMIRANK_CACHE", str(tmp_path))
    page = power(trials=1, n_jobs=1).page()
    assert all(f"| {name} |" in page for name in DATA)

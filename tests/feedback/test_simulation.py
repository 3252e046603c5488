"""Simulated reading, against formulas on fixed sequences and against a reader who knows everything."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from semirank import DistanceRanking, LogisticRanker, metrics
from semirank.feedback import Items, Simulation, Start, curves, simulate, with_baselines
from semirank.feedback.stop_rules import RULES
from semirank.report.simulation_page import simulation_page
from semirank.report.writing import write_simulation

sequences = st.lists(st.booleans(), min_size=2, max_size=40).filter(lambda hits: any(hits) and not all(hits))


@given(sequences)
def test_measures_of_a_fixed_sequence(hits):
    labels = np.array(hits, dtype=float)
    n, r = len(labels), int(labels.sum())
    scores = -np.arange(n)
    assert curves.work_saved(hits) == pytest.approx(metrics.wss_at(labels, scores, recall=0.95)[0])
    recall = np.cumsum(labels) / r
    perfect = np.minimum(np.arange(1, n + 1), r) / r
    worst = np.maximum(np.arange(1, n + 1) - (n - r), 0) / r
    loss = (perfect - recall).sum() / (perfect - worst).sum()
    assert curves.normalised_loss(hits) == pytest.approx(loss)
    places = [k + 1 for k, hit in enumerate(hits) if hit]
    assert curves.time_to_discovery(hits) == pytest.approx(sum(places) / r)
    assert curves.items_for(hits, 1.0) == places[-1]
    assert curves.recall_after(hits, 0.5) == pytest.approx(labels[: n // 2].sum() / r)


def test_asreview_gives_the_same_loss():
    theirs = pytest.importorskip("asreview.metrics")
    hits = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0]
    assert curves.normalised_loss(hits) == pytest.approx(theirs.loss(hits))


def clusters(n_relevant: int = 12, n_others: int = 60) -> tuple[Items, np.ndarray]:
    rng = np.random.default_rng(0)
    centres = np.repeat([[3.0, 0.0], [0.0, 0.0]], [n_relevant, n_others], axis=0)
    truth = np.repeat([1.0, 0.0], [n_relevant, n_others])
    order = rng.permutation(len(truth))
    X = (centres + rng.normal(0, 0.5, centres.shape))[order]
    return Items([f"i{k}" for k in range(len(truth))], X), truth[order]


def test_a_ranker_that_sees_the_clusters_finds_them_first():
    items, truth = clusters()
    found = simulate(items, truth, with_baselines({"nearest": DistanceRanking()}), n_runs=4, seed=1)
    assert found.rankers == ("nearest", "random order")
    nearest, chance = found.summary()
    assert nearest["loss"] < 0.02
    assert 0.3 < chance["loss"] < 0.7
    for run in found.runs:
        assert len(run.start) == 2
        assert len(run.found) == 11
        assert run.n_items == 70
        assert not set(run.ids) & set(run.start)
    assert [run.start for run in found.of("nearest")] == [run.start for run in found.of("random order")]
    contrast = found.contrasts()["random order"]
    assert contrast.difference > 0.3


def test_runs_are_the_same_in_processes_and_survive_json():
    items, truth = clusters()
    rankers = {"logistic": LogisticRanker(presumed_negatives=10, random_state=0)}
    here, there = (simulate(items, truth, rankers, n_runs=3, n_jobs=n) for n in (1, 2))
    assert [run.found for run in here.runs] == [run.found for run in there.runs]
    again = Simulation.from_json(here.to_json())
    assert again == here


def test_several_lists_are_read_each_for_itself():
    items, truth = clusters()
    qid = ["a" if k % 2 else "b" for k in range(len(truth))]
    several = Items(items.ids, items.features, qid)
    found = simulate(several, truth, {"nearest": DistanceRanking()}, n_runs=2)
    assert [run.qid for run in found.runs] == ["b", "b", "a", "a"]
    assert sum(run.n_items + len(run.start) for run in found.runs) == 2 * len(truth)


def test_a_question_starts_without_labels():
    texts = ["heart drug trial", "heart failure", "drugs for hearts"] + [
        f"stone number {k}" for k in range(20)
    ]
    items = Items([str(k) for k in range(23)], texts)
    truth = np.array([1.0] * 3 + [0.0] * 20)
    from semirank import ScreeningRanker

    found = simulate(items, truth, {"ours": ScreeningRanker()}, n_runs=1, start=Start.parse("heart drugs"))
    assert found.runs[0].start == ()
    assert found.runs[0].found[0] <= 2


def test_what_cannot_be_simulated_is_refused():
    items, truth = clusters()
    with pytest.raises(ValueError, match="2 of 72 items have no label"):
        simulate(items, np.where(np.arange(72) < 2, np.nan, truth), {"r": None})
    with pytest.raises(ValueError, match="all labels are of one kind"):
        simulate(items, np.ones(72), {"r": None})
    with pytest.raises(ValueError, match="leaves none to be found: there are 12"):
        simulate(items, truth, {"r": None}, start=Start(12, 1))


def test_rules_stop_where_they_say():
    hits = np.zeros(1000, dtype=bool)
    hits[[0, 1, 2, 10, 30, 90]] = True
    stops = {name: rule(hits, 0.95, 0.95, 0) for name, rule in RULES.items()}
    assert stops["50 in a row"].n_read == 81
    assert stops["50 in a row"].recall == pytest.approx(5 / 6)
    assert stops["100 in a row"].n_read == 191
    assert stops["hypergeometric"].recall == 1.0
    assert stops["hypergeometric"].held
    assert stops["audit"].held


def test_the_report_is_written_in_all_formats(tmp_path):
    items, truth = clusters()
    found = simulate(items, truth, with_baselines({"nearest": DistanceRanking()}), n_runs=2)
    assert len(simulation_page(found).sections) == 5
    for ending in (".html", ".md", ".json", ".csv"):
        path = tmp_path / f"report{ending}"
        assert path in write_simulation(found, path)
        assert path.stat().st_size > 200
    rows = (tmp_path / "report.csv").read_text().splitlines()
    assert len(rows) == 1 + len(found.runs)
    with pytest.raises(ValueError, match=r"ends in \.html"):
        write_simulation(found, tmp_path / "report.pdf")

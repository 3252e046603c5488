"""Comparisons as a user meets them: honest figures, known verdicts, clear words where nothing can be said."""

import os
import time
from typing import ClassVar

import numpy as np
import pytest
from scipy.sparse import csr_array

import semirank
from semirank import (
    Candidate,
    CannotCompareError,
    Comparison,
    DistanceRanking,
    Ranker,
    RankingDataset,
    compare,
)
from semirank.results.sentences import about_contrast, warnings_of
from semirank.selection.summary import distinct

nan = np.nan


class Column(Ranker):
    """Rank by one feature; whatever it is shown."""

    def __init__(self, at=0):
        self.at = at

    def fit(self, X, y, qid=None):
        data = self._check(X, y, qid)
        return self._store(data, data.X[:, self.at])

    def predict(self, X, qid=None):
        return np.asarray(X)[:, self.at]


class Peeking(Column):
    """Remembers every label that it was shown."""

    seen: ClassVar[list] = []

    def fit(self, X, y, qid=None):
        Peeking.seen.append(np.array(y))
        return super().fit(X, y, qid)


class Broken(Column):
    def fit(self, X, y, qid=None):
        raise ValueError("This ranker cannot.")


class Slow(Column):
    def fit(self, X, y, qid=None):
        time.sleep(3600)


class Dying(Column):
    def fit(self, X, y, qid=None):
        os._exit(1)


class Interrupting(Column):
    def fit(self, X, y, qid=None):
        raise KeyboardInterrupt


def signal_and_noise(n_lists=8, size=30, seed=0):
    """Column 0 tells the labels, column 1 nothing, column 2 a little."""
    rng = np.random.default_rng(seed)
    n = n_lists * size
    quality = rng.normal(size=n)
    X = np.column_stack([quality, rng.normal(size=n), quality + 2 * rng.normal(size=n)])
    return RankingDataset(X, (quality > 0.3).astype(float), np.repeat(np.arange(n_lists), size))


def against(name, at, baseline, base_at):
    return [
        Candidate(baseline, Column(base_at)),
        Candidate(name, Column(at), assumption="a test", baseline=baseline),
    ]


@pytest.mark.parametrize("protocol", ["lists", "items"])
def test_a_better_ranker_helps_and_a_worse_one_harms(protocol):
    data = signal_and_noise()
    better = compare(data, against("good", 0, "poor", 1), "AUC", protocol=protocol, budget=False)
    assert [each.name for each in better.results] == ["good", "poor"]
    good = better.result("good")
    assert good.mean == 1.0
    assert good.contrast.verdict == "helps"
    assert (good.contrast.improved, good.contrast.degraded) == (1.0, 0.0)
    assert better.verdict == "helps"
    assert better.recommended == "good"
    worse = compare(data, against("poor", 1, "good", 0), "AUC", protocol=protocol, budget=False)
    assert worse.result("poor").contrast.verdict == "harms"
    assert worse.recommended == "good"
    assert worse.result("poor").contrast.difference == pytest.approx(-good.contrast.difference)


def test_figures_are_those_of_the_metric_by_hand():
    """A ranker that learns nothing has the same value on a list in every split that holds out all of it."""
    data = signal_and_noise(n_lists=7)
    found = compare(data, [("little", Column(2))], "AP", protocol="lists", budget=False)
    values = semirank.metrics.average_precision(data.y, data.X[:, 2], data.qid)
    little = found.result("little")
    assert np.array(little.values)[:, 0] == pytest.approx(values)
    assert little.mean == pytest.approx(values.mean())
    assert little.interval.low < values.mean() < little.interval.high
    curve = semirank.metrics.precision_recall_curve(data.y, data.X[:, 2], data.qid)
    assert np.array(little.precision) == pytest.approx(curve.mean(axis=0))
    assert little.judged == 1.0


def test_an_error_counts_the_other_way():
    data = signal_and_noise()
    found = compare(data, against("good", 0, "poor", 1), "disagreement", protocol="lists", budget=False)
    assert not found.greater_is_better
    assert found.results[0].name == "good"
    assert found.result("good").contrast.verdict == "helps"
    assert found.result("good").contrast.difference > 0


def test_the_truth_never_enters_fit():
    data = signal_and_noise(n_lists=6).hide_labels(keep=12, keep_levels=True, random_state=0)
    for protocol in ("lists", "items"):
        Peeking.seen = []
        found = compare(data, [("peeking", Peeking())], "AUC", protocol=protocol, budget=False)
        assert len(Peeking.seen) == found.protocol.n_splits
        for shown in Peeking.seen:
            assert len(shown) == data.n_items  # every item is there to learn from
            known = ~np.isnan(shown)
            assert known.sum() < data.labelled.sum()  # some labels are not
            assert np.array_equal(shown[known], data.y[known])
        held = sum(np.isnan(shown) & data.labelled for shown in Peeking.seen)
        assert (held[data.labelled] == held[data.labelled][0]).all()


def test_random_differences_are_no_evidence():
    data = signal_and_noise(n_lists=12)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(data.n_items, 9))
    noise = RankingDataset(X, data.y, data.qid)
    rankers = [Candidate("base", Column(0))]
    rankers += [
        Candidate(f"noise {at}", Column(at), assumption="a test", baseline="base") for at in range(1, 9)
    ]
    found = compare(noise, rankers, "AUC", protocol="lists", budget=False)
    assert {each.contrast.verdict for each in found.results if each.contrast} == {"no evidence"}
    assert found.recommended == "base"
    contrast = found.results[0].contrast or found.results[1].contrast
    said = about_contrast(contrast, found.metric, found.data.labelled)
    assert "12 lists are too few to see a difference below" in said


@pytest.mark.parametrize(("n_lists", "size", "unit"), [(1, 30, "fold"), (8, 10, "list")])
def test_equally_good_rankers_are_told_apart_as_rarely_as_promised(n_lists, size, unit):
    """Two features that say nothing, 100 draws of everything: a verdict in about five of them at most."""
    rng = np.random.default_rng(1)
    qid = np.repeat(np.arange(n_lists), size)
    verdicts = []
    for _ in range(100):
        data = RankingDataset(rng.normal(size=(len(qid), 2)), np.arange(len(qid)) % 2, qid)
        rankers = against("one", 0, "other", 1)
        found = compare(data, rankers, "AUC", protocol="items", keep=None, n_repeats=2, budget=False)
        assert found.protocol.unit == unit
        verdicts.append(found.result("one").contrast.verdict != "no evidence")
    assert np.mean(verdicts) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 100)


@pytest.mark.parametrize(
    ("n_lists", "more"), [(1, ["rayleigh-ranker", "transductive-rankrls", "transductive-svm"]), (10, [])]
)
def test_on_noise_unlabelled_data_never_helps(n_lists, more):
    """Features and labels drawn apart, most items unlabelled, rankers of all families."""
    rng = np.random.default_rng(5)
    n = 40 * n_lists
    data = RankingDataset(rng.normal(size=(n, 6)), rng.integers(0, 2, n), np.repeat(np.arange(n_lists), 40))
    few = data.hide_labels(keep=16, keep_levels=True, random_state=0)
    names = ["manifold-ranking", "self-training-logistic", "semi-rankboost", *more]
    found = compare(few, names, "AUC", n_repeats=2, budget=False)
    assert {each.status for each in found.results} == {"finished"}
    verdicts = [each.contrast.verdict for each in found.results if each.contrast]
    verdicts += [each.contrast_best.verdict for each in found.results if each.contrast_best]
    assert len(verdicts) == 2 * len(names)
    assert "helps" not in verdicts
    assert found.result(found.recommended).supervised


def test_moons_need_the_manifold():
    moons = semirank.load("moons")
    found = compare(moons, ["manifold-ranking"], "AUC", keep=4, n_repeats=8)
    assert found.protocol.unit == "draw"
    assert found.verdict == "helps"
    assert found.recommended == "manifold-ranking"
    assert [point.size for point in found.budget.ranker.points] == [2, 4, 5, 10, 20, 40]
    assert found.budget.ranker.points[0].mean > found.budget.baseline.points[0].mean
    worth = next(each for each in found.budget.worth if each.size == 4)
    assert worth.equivalent > 4
    assert Comparison.from_json(found.to_json()) == found


def test_the_same_seed_gives_the_same_comparison():
    data = signal_and_noise(n_lists=3)
    first, second = (compare(data, ["rankboost", "logistic-ranker"], "AUC", random_state=3) for _ in range(2))
    assert [each.values for each in first.results] == [each.values for each in second.results]
    assert first.choice == second.choice


def test_changes_show_the_items_before_and_after():
    data = signal_and_noise(n_lists=12)
    found = compare(data, against("good", 0, "little", 2), "AP", protocol="lists", budget=False)
    deltas = [change.delta for change in found.changes]
    assert deltas == sorted(deltas, reverse=True)
    assert len(deltas) == 5  # nothing got worse
    change = found.changes[0]
    assert change.after - change.before == pytest.approx(change.delta)
    assert [item.label for item in change.items_after[:5]] == [1.0] * 5
    at = int(change.items_after[0].item)
    assert data.y[at] == 1.0
    assert str(data.qid[at]) == change.list_id


def test_baselines_come_along_with_the_same_settings():
    data = signal_and_noise(n_lists=6)
    found = compare(data, [semirank.SemiRankBoost(n_rounds=7)], "AUC", budget=False)
    assert found.result("semi-rankboost(n_rounds=7)").baseline == "rankboost(n_rounds=7)"
    assert found.result("rankboost(n_rounds=7)").settings["n_rounds"] == 7


def test_a_failing_ranker_is_named_and_never_ranked():
    data = signal_and_noise(n_lists=6)
    found = compare(data, [("broken", Broken()), ("good", Column(0))], "AUC", budget=False)
    broken = found.result("broken")
    assert (broken.status, broken.reason, broken.place, broken.mean) == (
        "failed", "ValueError: This ranker cannot.", None, None,
    )  # fmt: skip
    assert found.results[-1].name == "broken"
    assert [each.name for each in found.finished] == ["good"]
    assert "broken is not ranked (failed): ValueError: This ranker cannot." in warnings_of(found)


def test_when_all_fail_the_reasons_are_said_and_a_partial_result_is_there():
    data = signal_and_noise(n_lists=6)
    with pytest.raises(
        CannotCompareError, match=r"No ranker could be .* broken: ValueError: This ranker cannot"
    ) as at:
        compare(data, [("broken", Broken())], "AUC")
    assert at.value.comparison.data.lists == 6
    assert at.value.comparison.results[0].status == "failed"
    assert at.value.comparison.best is None


def test_too_few_labels_are_an_error_with_a_partial_result():
    data = RankingDataset(np.arange(5.0)[:, None], [1, 0, nan, nan, nan])
    with pytest.raises(CannotCompareError, match="two better and two worse labels") as at:
        compare(data, ["distance-ranking"])
    partial = at.value.comparison
    assert partial.protocol is None
    assert not partial.complete
    assert "two better and two worse labels" in partial.problem
    assert Comparison.from_json(partial.to_json()) == partial


def test_ctrl_c_keeps_what_is_finished():
    data = signal_and_noise(n_lists=6)
    rankers = [("good", Column(0)), ("stop", Interrupting()), ("later", Column(2))]
    found = compare(data, rankers, "AUC")
    assert not found.complete
    assert [each.name for each in found.finished] == ["good"]
    assert {found.result(name).status for name in ("stop", "later")} == {"interrupted"}
    assert found.result("later").reason == "interrupted after 0 of 6 fits"
    assert found.budget is None


def test_progress_counts_to_the_end():
    calls = []
    data = signal_and_noise(n_lists=6)
    found = compare(data, [("good", Column(0))], "AUC", progress=lambda *at: calls.append(at), budget=False)
    assert calls == [(i, found.protocol.n_splits) for i in range(1, found.protocol.n_splits + 1)]


def test_a_stopped_comparison_goes_on(tmp_path):
    data = signal_and_noise(n_lists=6)
    path = tmp_path / "cells.jsonl"
    rankers = [("peeking", Peeking()), ("stop", Interrupting())]
    first = compare(data, rankers, "AUC", checkpoint=path, budget=False)
    assert not first.complete
    with path.open("a") as file:
        file.write('{"key": "cut o')
    Peeking.seen = []
    rankers = [("peeking", Peeking()), ("good", Column(2))]
    second = compare(data, rankers, "AUC", checkpoint=path, resume=True, budget=False)
    assert Peeking.seen == []
    assert second.result("peeking").values == first.result("peeking").values
    assert second.complete
    compare(data, [("peeking", Peeking()), ("stop", Interrupting())], "AUC", checkpoint=path, budget=False)
    Peeking.seen = []
    with pytest.raises(ValueError, match="of a comparison that was stopped"):
        compare(data, rankers, "AUC", checkpoint=path, budget=False)  # not asked to go on
    other = data.replace(y=1 - data.y)
    compare(other, rankers, "AUC", checkpoint=path, resume=True, budget=False)
    assert len(Peeking.seen) == 6  # other labels: nothing of the file fits
    assert not path.exists()  # complete: there is nothing to go on with


def test_workers_give_the_same_figures():
    data = signal_and_noise(n_lists=6)
    rankers = [DistanceRanking(), ("own", Column(2)), ("broken", Broken())]
    apart = compare(data, rankers, "AUC", n_jobs=2, budget=False)
    here = compare(data, rankers, "AUC", budget=False)
    for name in ("distance-ranking", "own"):
        assert apart.result(name).values == here.result(name).values
        assert apart.result(name).peak_memory > 10e6
    assert apart.result("broken").reason == "ValueError: This ranker cannot."
    assert apart.complete


def test_what_takes_too_long_is_stopped_and_never_ranked():
    data = signal_and_noise(n_lists=6)
    found = compare(data, [("slow", Slow()), ("good", Column(0))], "AUC", timeout=8, budget=False)
    slow = found.result("slow")
    assert (slow.status, slow.place, slow.mean) == ("timeout", None, None)
    assert slow.reason == "took longer than 8 seconds for 6 fits"
    assert found.result("good").place == 1
    assert found.complete


def test_a_process_that_dies_is_reported_and_the_others_go_on():
    data = signal_and_noise(n_lists=6)
    found = compare(data, [("dying", Dying()), ("good", Column(0))], "AUC", n_jobs=1, budget=False)
    assert found.result("dying").status == "failed"
    assert "died" in found.result("dying").reason
    assert found.result("good").place == 1


@pytest.mark.parametrize(
    "start",
    [
        "import os; os.kill(os.getpid(), 9)",
        "import os, sys; sys.stdin.buffer.read(10); os.kill(os.getpid(), 9)",
        "raise SystemExit(1)",
    ],
)
def test_a_process_that_dies_while_it_starts_is_named_and_a_partial_result_is_there(monkeypatch, start):
    monkeypatch.setattr("semirank.selection.processes._START", start)
    data = signal_and_noise(n_lists=6)
    with pytest.raises(CannotCompareError, match="died while it started") as told:
        compare(data, [("one", Column(0)), ("two", Column(1))], "AUC", n_jobs=2, budget=False)
    assert {each.status for each in told.value.comparison.results} == {"failed"}


def test_when_one_process_dies_while_it_starts_the_others_go_on(monkeypatch, tmp_path):
    start = (
        f"import os\ntry: open({str(tmp_path / 'first')!r}, 'x')\n"
        "except FileExistsError: from semirank.selection.processes import serve; serve()\n"
        "else: os.kill(os.getpid(), 9)"
    )
    monkeypatch.setattr("semirank.selection.processes._START", start)
    data = signal_and_noise(n_lists=6)
    found = compare(data, [("one", Column(0)), ("two", Column(1))], "AUC", n_jobs=1, budget=False)
    assert sorted(each.status for each in found.results) == ["failed", "finished"]
    [failed] = [each for each in found.results if each.status == "failed"]
    assert "died while it started" in failed.reason


def test_texts_are_compared_by_words_and_by_directions_of_all_texts():
    rng = np.random.default_rng(0)
    words = [["apple", "pear", "plum", "fig"], ["wheel", "brake", "motor", "gear"]]
    kinds = rng.integers(0, 2, 60)
    texts = [" ".join(rng.choice(words[kind], 3)) for kind in kinds]
    data = RankingDataset(np.zeros((60, 0)), kinds, texts=texts)
    few = data.hide_labels(keep=16, keep_levels=True, random_state=0)
    rankers = [semirank.TextRanker(semirank.LogisticRanker(), n_components=5), "distance-ranking"]
    found = compare(few, rankers, "AUC", n_repeats=2, budget=False)
    lsa = found.result("lsa-5 + logistic-ranker")
    assert lsa.baseline == "logistic-ranker"
    assert "LatentRanker" in lsa.ranker
    assert "words used together" in lsa.assumption
    assert found.changes == () or found.changes[0].items_after[0].text in texts


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rankers": ["rank-nothing"]}, "There is no ranker 'rank-nothing'"),
        ({"rankers": []}, "There is no ranker to compare"),
        ({"rankers": [3]}, "A ranker is a name"),
        ({"rankers": [("same", Column(0)), ("same", Column(1))]}, "Two rankers are called 'same'"),
        ({"rankers": [Candidate("a", Column(), "x", "b")]}, "its baseline 'b' does not take part"),
        ({"metric": "nDCX"}, "There is no metric 'nDCX'"),
        ({"confidence": 1.0}, r"confidence must be a number in \(0, 1\); got 1.0"),
        ({"n_jobs": 0}, "n_jobs must be a number of processes"),
    ],
)
def test_wrong_arguments_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        compare(signal_and_noise(), **({"rankers": ["distance-ranking"]} | options))


def test_data_without_anything_to_rank_by():
    with pytest.raises(ValueError, match="compare takes a RankingDataset"):
        compare(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="neither features nor texts"):
        compare(RankingDataset(np.zeros((4, 0)), [1, 0, 1, 0]))
    with pytest.raises(ValueError, match="Some features are missing"):
        compare(RankingDataset(csr_array([[nan], [1.0]]), [1, 0]))


def test_warnings_that_differ_in_numbers_only_are_told_once():
    notes = ["3 of 9 items are lost", "4 of 9 items are lost", "slow"]
    assert distinct(notes) == ("3 of 9 items are lost", "slow")

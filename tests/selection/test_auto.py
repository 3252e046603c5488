"""AutoRanker: what it chooses, what it says about it, and that its gate closes."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import semirank
from semirank import AutoRanker, DistanceRanking, ManifoldRanking, RankBoost, RankingDataset, RankRLS
from semirank.selection.candidates import Candidate
from semirank.selection.catalogue import Catalogue
from semirank.selection.gate import Gate
from semirank.selection.judge import Judge
from semirank.selection.label_source import asked_from_top, unlabelled_as

nan = np.nan


def moons(keep, **options):
    data = semirank.load("moons", noise=0.05, random_state=0)
    return data, data.hide_labels(keep=keep, random_state=0, **options)


def blobs(n, rng, apart=3.0, n_features=5):
    y = (np.arange(n) % 2).astype(float)
    X = rng.normal(size=(n, n_features))
    X[:, 0] += apart * (y - 0.5)
    return X, y


def lists(n_lists, n_items=12, unlabelled=0, seed=0):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_lists + unlabelled), n_items)
    X = rng.normal(size=(len(qid), 4))
    y = np.digitize(X[:, 0] - X[:, 1] + 0.5 * rng.normal(size=len(qid)), [0.0, 1.0]).astype(float)
    return X, np.where(qid < n_lists, y, nan), qid


def chosen(auto):
    return auto.choice_["name"]


@parametrize_with_checks([AutoRanker(candidates=["rankrls", "manifold-ranking"])])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_unlabelled_items_are_used_where_they_help():
    truth = semirank.load("digits", relevant=list("01234"))
    few = truth.hide_labels(keep=80, keep_levels=True, random_state=0)
    auto = AutoRanker(candidates=["rankrls-cv", ManifoldRanking(combine="ratio")]).fit(few.X, few.y)
    assert isinstance(auto.ranker_, ManifoldRanking)
    assert "it uses unlabelled items, which helps: AUC" in auto.verdict_
    assert semirank.metrics.auc(np.where(few.labelled, nan, truth.y), auto.scores_)[0] > 0.97


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_the_gate_closes_on_pure_noise(seed):
    rng = np.random.default_rng(seed)
    X, y = blobs(60, rng)
    noise = [rng.normal(size=(300, 5)) * X.std(axis=0), rng.uniform(-3, 3, size=(300, 5))][seed % 2]
    auto = AutoRanker(random_state=seed).fit(np.vstack([X, noise]), np.append(y, np.full(300, nan)))
    assert auto.choice_["assumption"] is None


def test_without_unlabelled_items_it_is_the_supervised_ranker():
    X, y, qid = lists(8)
    auto = AutoRanker(candidates=[RankRLS(), "transductive-rankrls"]).fit(X, y, qid)
    np.testing.assert_array_equal(auto.scores_, RankRLS().fit(X, y, qid).scores_)
    assert [row["assumption"] for row in auto.leaderboard_] == [None]
    X, y = blobs(60, np.random.default_rng(0))
    auto = AutoRanker().fit(X, y)
    assert all(row["assumption"] is None for row in auto.leaderboard_)
    scaled = auto.features_.transform(X)
    np.testing.assert_array_equal(auto.scores_, clone(auto.ranker_).fit(scaled, y).scores_)


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_few_labels_get_the_usual_choice_and_no_claim():
    _, few = moons(2, keep_levels=True)
    auto = AutoRanker().fit(few.X, few.y)
    assert chosen(auto) == "mix with unlabelled items"
    assert auto.ranker_.weights == pytest.approx([0.189, 0.283, 0.472, 0.057])  # the prior of tables
    assert "not evidence" in auto.verdict_
    assert auto.leaderboard_ == []
    one = np.where(few.y == 1, 1.0, nan)
    auto = AutoRanker().fit(few.X, one)
    assert auto.ranker_.combine == "positive"
    X, y, qid = lists(3, unlabelled=4)
    assert chosen(AutoRanker().fit(X, y, qid)) == "linear"


@pytest.mark.filterwarnings("default::semirank.dataset.checks.DataWarning")
def test_texts_and_sparse_features():
    texts = [f"{'apple pear' if i % 2 else 'wheel engine'} word{i % 7} word{i % 5}" for i in range(60)]
    y = np.where(np.arange(60) < 4, np.arange(60) % 2, nan).astype(float)
    auto = AutoRanker().fit(texts, y)
    assert chosen(auto) == "mix with unlabelled items"
    assert "screening" in dict(auto.ranker_.rankers)
    assert (auto.scores_[1::2].min() > auto.scores_[::2].max()).all()
    new = auto.predict(["pear", "engine"])
    assert new[0] > new[1]
    assert auto.score(texts, np.arange(60) % 2) == 1.0
    sparse = semirank.features.TextFeatures().fit_transform(texts)
    np.testing.assert_array_equal(AutoRanker().fit(sparse, y).scores_, auto.scores_)


def test_latent_features_are_kept_for_new_items(tmp_path):
    rng = np.random.default_rng(0)
    X = csr_array(rng.random((300, 80)) * (rng.random((300, 80)) < 0.2))
    y = np.where(np.arange(300) < 45, np.arange(300) % 9 == 0, nan)
    auto = AutoRanker().fit(X, y)
    assert chosen(auto) == "mix with unlabelled items"  # 45 labels, five of them relevant
    topics = [each for each in auto.ranker_.rankers_ if isinstance(each, semirank.LatentRanker)]
    assert topics[0].lsa_.n_components_ == 80
    auto.save(tmp_path / "model")
    again = semirank.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), auto.predict(X))
    assert again.verdict_ == auto.verdict_


def near_and_far(n_near, n_far, seed=0):
    """Make two clouds of sparse items; labels are relevant ones, near misses and others."""
    rng = np.random.default_rng(seed)
    X = rng.random((400, 60)) * (rng.random((400, 60)) < 0.2)
    X[:100, :20] *= 4
    X[100:, :20] *= 0.2
    y = np.full(400, nan)
    y[:8], y[20 : 20 + n_near], y[200 : 200 + n_far] = 1, 0, 0
    return csr_array(X), y


@pytest.mark.parametrize(
    ("labels", "asked", "choice"),
    [
        ((0, 30), False, "mix with unlabelled items"),
        ((30, 0), True, "screening"),
        ((4, 0), False, "mix with unlabelled items"),
        ((0, 4), False, "mix with unlabelled items"),
    ],
)
def test_labels_asked_for_from_the_top_are_known_by_their_place(labels, asked, choice):
    X, y = near_and_far(*labels)
    assert asked_from_top(RankingDataset(X, y)) == asked
    assert chosen(AutoRanker().fit(X, y)) == choice


def test_from_near_misses_nothing_is_concluded():
    X, y = near_and_far(20, 0)
    y[8:16] = 1
    auto = AutoRanker().fit(X, y)
    assert auto.choice_["reason"] == "few labels"
    assert "asked for from the top of a ranking" in auto.verdict_
    X, y = near_and_far(0, 20)
    y[8:16] = 1
    assert AutoRanker().fit(X, y).choice_["reason"] != "few labels"


def test_unlabelled_items_count_as_irrelevant_only_where_nothing_else_does():
    X, y = near_and_far(0, 0)
    assert unlabelled_as(RankingDataset(X, y), "items") == "irrelevant"
    assert unlabelled_as(RankingDataset(X, y), "lists") == "ignore"
    X, y = near_and_far(0, 2)
    assert unlabelled_as(RankingDataset(X, y), "items") == "ignore"
    few = np.full(400, nan)
    few[:60] = 1
    assert unlabelled_as(RankingDataset(X, few), "items") == "ignore"  # a sixth has a label


def test_all_labelled_or_lists_with_one_side_only():
    X, y = near_and_far(30, 30)
    assert not asked_from_top(RankingDataset(X[:20], np.arange(20) % 2))
    lists = np.where(y > 0, 0, 1)
    assert not asked_from_top(RankingDataset(X, y, lists))


def test_lists_are_chosen_by_lists_held_out():
    X, y, qid = lists(8, unlabelled=3)
    auto = AutoRanker(random_state=0).fit(X, y, qid)
    assert "lists" in auto.protocol_
    assert {"mix", "boosted neighbours"} <= {row["name"] for row in auto.leaderboard_}
    assert auto.predict(X, qid) == pytest.approx(auto.scores_)


def test_lists_of_the_same_items_are_ranked_each_by_its_own_labels():
    data = semirank.load("digits").select([0, 1, 2])
    few = data.hide_labels(keep=40, keep_levels=True, random_state=0)
    auto = AutoRanker().fit(few.X, few.y, few.qid)
    assert semirank.metrics.auc(data.y, auto.scores_, data.qid).mean() > 0.9


def test_frames_names_and_the_callers_order():
    X, y, qid = lists(8, unlabelled=2)
    order = np.random.default_rng(3).permutation(len(y))
    frame = pd.DataFrame(X[order], columns=list("abcd")).assign(qid=qid[order])
    auto = AutoRanker(candidates=["rankrls"]).fit(frame, y[order])
    np.testing.assert_allclose(auto.scores_, RankRLS().fit(X, y, qid).scores_[order])
    assert auto.explain(5)[1].sum() == pytest.approx(auto.scores_[5])
    with pytest.raises(ValueError, match="names should match"):
        auto.predict(frame.rename(columns={"a": "z"}))


def test_a_ranker_that_cannot_explain():
    _, few = moons(2, keep_levels=True)
    auto = AutoRanker(candidates=[RankBoost(3)]).fit(few.X, few.y)
    with pytest.raises(ValueError, match="RankBoost cannot split"):
        auto.explain(0)


def test_the_usual_rankers_are_tried_when_there_is_no_time():
    _, few = moons(40, keep_levels=True)
    auto = AutoRanker(time_budget=1e-9).fit(few.X, few.y)
    reasons = {row["name"]: row["reason"] for row in auto.leaderboard_}
    assert reasons["linear"] is None
    assert reasons["graph"] is None
    assert reasons["boosted"] == "out of time"


def test_processes_change_nothing():
    _, few = moons(40, keep_levels=True)
    names = ["rankrls-cv", "manifold-ranking", "rankboost"]
    one, two = (AutoRanker(candidates=names, n_jobs=jobs).fit(few.X, few.y) for jobs in (None, 2))
    np.testing.assert_array_equal(one.scores_, two.scores_)
    assert [row["mean"] for row in one.leaderboard_] == [row["mean"] for row in two.leaderboard_]


def test_the_metric_can_be_chosen_and_less_can_be_better():
    X, y, qid = lists(8)
    auto = AutoRanker(metric="Disagreement", candidates=["rankrls-cv", "rankboost"]).fit(X, y, qid)
    means = [row["mean"] for row in auto.leaderboard_]
    assert means == sorted(means)


def gate(units, alone=0.6, trusted=("graph",), usual="line"):
    """Judge made-up observations; what uses unlabelled items has the value `alone` without them."""
    assumed = {"graph", "boost", "mix"}
    candidates = tuple(
        Candidate(name, DistanceRanking(), "assumes", f"{name} alone")
        if name in assumed
        else Candidate(name, DistanceRanking())
        for name in units
    )
    judge = Judge("list", 0.25, 0.95, "AUC", 1, 0)
    best = max((name for name in units if name not in assumed), key=lambda name: units[name].mean())
    names = [name for name in units if name in assumed]
    pairs = [judge.contrast(best, units[name] - units[best], ()) for name in names]
    contrasts = dict(zip(names, judge.judge_all(pairs), strict=True))
    baselines = {f"{name} alone": np.full(12, alone) for name in names}
    return Gate(
        Catalogue("features", candidates, usual, trusted, usual), judge, units | baselines, contrasts
    ).choose()


def test_the_gate_by_made_up_observations():
    noise = np.random.default_rng(0).normal(0, 0.01, (5, 12))
    line = 0.7 + noise[0]
    assert gate({"line": line, "graph": line + 0.001 + noise[1] / 100}).name == "graph"  # trusted, better
    assert gate({"line": line, "graph": line - 0.001}).name == "line"  # trusted, worse
    assert gate({"line": line, "graph": line + 0.01}, alone=0.75).name == "line"  # better without them
    assert gate({"line": line, "boost": line + 0.05}, alone=0.75).name == "line"
    assert gate({"line": line, "boost": line + 0.002 + noise[2]}).name == "line"  # unproven
    assert gate({"line": line, "boost": line + 0.05}).name == "boost"  # proven
    assert gate({"line": line, "curve": line + 0.05, "graph": line + 0.02}).name == "curve"
    assert (
        gate({"line": line, "curve": line + 0.0001 + noise[3] - noise[3].mean()}).name == "line"
    )  # not clearly better
    found = gate({"line": line, "graph": line + 0.02, "boost": line + 0.05})
    assert (found.name, found.reason) == ("boost", "proven")


def test_nothing_can_be_fitted():
    X, y, qid = lists(8)
    with pytest.raises(ValueError, match=r"No ranker could be fitted and measured. .*square"):
        AutoRanker(candidates=[RankRLS("precomputed")]).fit(X, y, qid)


@pytest.mark.slow
def test_what_compare_recommends_is_what_it_takes():
    X, y, qid = lists(8, unlabelled=3)
    auto = AutoRanker().fit(X, y, qid)
    found = semirank.compare(RankingDataset(X, y, qid), budget=False)
    assert found.choice.to_dict() == auto.choice_
    _, few = moons(40, keep_levels=True)
    auto = AutoRanker().fit(few.X, few.y)
    assert semirank.compare(few, budget=False).choice.to_dict() == auto.choice_
    _, few = moons(8, keep_levels=True)
    auto = AutoRanker().fit(few.X, few.y)
    assert semirank.compare(few, budget=False).choice.to_dict() == auto.choice_


@pytest.mark.parametrize("parameter", list(AutoRanker.limits))
def test_parameters_outside_their_limits(parameter):
    X, y, qid = lists(3)
    with pytest.raises(ValueError, match=f"^{parameter} must be "):
        AutoRanker().set_params(**{parameter: object()}).fit(X, y, qid)


def test_the_best_of_many_equal_rivals_rarely_replaces_the_usual_one():
    rng = np.random.default_rng(1)
    replaced = 0
    for _ in range(200):
        units = {name: 0.7 + rng.normal(0, 0.05, 10) for name in ("line", *map(str, range(8)))}
        replaced += gate(units).name != "line"
    assert replaced < 0.05 * 200  # without the correction it is 15 %

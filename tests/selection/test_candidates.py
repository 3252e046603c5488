"""Candidates: names, baselines with the same settings, and a choice that fits the data."""

import numpy as np
import pytest
from scipy.sparse import csr_array

import semirank
from semirank import RankingDataset
from semirank.registry import ranker_class, ranker_names
from semirank.selection.candidates import as_candidates, name_of
from semirank.selection.catalogue import MIX, MIX_WITH_UNLABELLED, catalogue

SUPERVISED = {
    "distance-ranking", "rankrls", "rankrls-cv", "rank-svm", "rankboost", "line-search-ranker",
    "logistic-ranker", "linear-svm-ranker", "forest-ranker", "blend", "estimator-ranker", "text-ranker",
    "each-list",
}  # fmt: skip


@pytest.mark.parametrize(
    "name", [name for name in ranker_names() if name not in ("labelled-only", "auto-ranker")]
)
def test_every_ranker_is_supervised_or_has_a_supervised_baseline_with_its_settings(name):
    ranker = ranker_class(name)()
    assert (ranker.assumption is None) == (name in SUPERVISED)
    baseline = ranker.supervised()
    assert baseline.assumption is None
    shared = baseline.get_params(deep=False).keys() & ranker.get_params(deep=False).keys()
    changed = {key for key in shared if repr(getattr(baseline, key)) != repr(getattr(ranker, key))}
    if name != "ranker-propagation":  # its kernel is that of lists
        unlabelled = {"smoothness", "smoothnesses", "presumed_negatives", "ranker", "background", "graph"}
        assert changed <= unlabelled


def test_settings_go_over_to_the_baseline():
    baseline = semirank.TransductiveSVM(C=3.0, presumed_negatives=5).supervised()
    assert (baseline.C, baseline.presumed_negatives) == (3.0, 0)
    assert repr(semirank.ManifoldRanking(alpha=0.5).supervised().ranker) == "ManifoldRanking(alpha=0.5)"
    inner = semirank.RankRLS(ridge=7.0)
    assert repr(semirank.FeatureGeneration(inner).supervised()) == repr(inner)


def test_a_blend_is_measured_against_what_is_left_of_it():
    linear, boosted, graph = semirank.LogisticRanker(), semirank.RankBoost(), semirank.ManifoldRanking()
    assert semirank.Blend([linear, boosted]).assumption is None
    assert repr(semirank.Blend([linear, graph]).supervised()) == repr(linear)
    three = semirank.Blend([linear, graph, boosted], weights=[1, 2, 3]).supervised()
    assert [type(ranker).__name__ for _, ranker in three.rankers] == ["LogisticRanker", "RankBoost"]
    assert three.weights == [1, 3]
    assert isinstance(semirank.Blend([graph, graph]).supervised(), semirank.LabelledOnly)


class OwnRanker(semirank.DistanceRanking):
    assumption = "unlabelled items are alike"


def test_a_ranker_of_the_user_brings_its_assumption_and_gets_a_baseline_of_its_own():
    baseline, candidate = as_candidates([OwnRanker()])
    assert candidate.assumption == "unlabelled items are alike"
    assert candidate.baseline == baseline.name
    assert isinstance(baseline.ranker, semirank.LabelledOnly)
    assert baseline.assumption is None


def test_a_ranker_that_chooses_is_measured_against_the_best_only():
    class Chooser(semirank.DistanceRanking):
        assumption = "whichever held-out labels support"

        def supervised(self):
            return None

    chooser = Chooser()
    [candidate] = as_candidates([chooser])
    assert candidate.baseline is None
    rng = np.random.default_rng(0)
    data = RankingDataset(rng.normal(size=(20, 2)), rng.integers(0, 2, 20))
    found = semirank.compare(data, [chooser, "logistic-ranker"], "AUC", n_repeats=1, budget=False)
    assert found.result("Chooser").contrast is None
    assert found.result("Chooser").contrast_best.baseline == "logistic-ranker"
    assert found.best_supervised == "logistic-ranker"


def test_names_tell_what_is_unusual():
    assert name_of(semirank.RankBoost(n_rounds=30)) == "rankboost(n_rounds=30)"
    assert name_of(semirank.LogisticRanker(random_state=3)) == "logistic-ranker"
    text = semirank.TextRanker(semirank.LogisticRanker(), n_components=9)
    assert name_of(text) == "lsa-9 + logistic-ranker"
    assert name_of(semirank.LatentRanker(semirank.RankRLS(), 9)) == "lsa-9 + rankrls"
    assert name_of(semirank.Blend([semirank.RankBoost(), semirank.RankRLS()])) == "rankboost & rankrls"


def test_a_comparison_gives_its_seed_to_rankers_without_one():
    [first, second] = as_candidates(
        [semirank.RankBoost(), ("own", semirank.RankBoost(random_state=9))], random_state=4
    )
    assert (first.ranker.random_state, second.ranker.random_state) == (4, 9)


def dense(n_lists=2):
    rng = np.random.default_rng(0)
    n = 20 * n_lists
    return RankingDataset(rng.normal(size=(n, 3)), rng.integers(0, 2, n), np.repeat(np.arange(n_lists), 20))


KINDS = {
    "lists": lambda: dense(),
    "items": lambda: dense().hide_labels(keep=8, keep_levels=True, random_state=0),
    "sparse": lambda: dense(1).replace(X=csr_array(np.eye(20))),
    "grades": lambda: dense(1).replace(y=np.arange(20.0)),
    "digits": lambda: semirank.load("digits"),
}


@pytest.mark.parametrize("thorough", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_the_catalogue_has_both_sides_and_every_baseline(kind, thorough):
    data = KINDS[kind]()
    found = catalogue(data, thorough=thorough)
    names = [each.name for each in found.candidates]
    assert len(set(names)) == len(names)
    assert {found.usual, found.for_few, *found.trusted} <= {*names, MIX, MIX_WITH_UNLABELLED}
    assert set(found.mix) <= set(names)
    assert found.usual == MIX
    assert any(each.assumption is None for each in found.candidates if each.name in found.mix)
    assert kind == "grades" or any(each.assumption is not None for each in found.candidates)
    assert all(each.baseline in names for each in found.candidates if each.assumption is not None)
    assert {each.name for each in catalogue(data).candidates} <= set(names)


def test_rankers_of_one_function_are_fitted_on_each_list_where_lists_share_items():
    found = catalogue(semirank.load("digits"))
    assert isinstance(found.named("boosted").ranker, semirank.EachList)
    assert isinstance(found.named("graph").ranker, semirank.ManifoldRanking)
    assert not any(isinstance(each.ranker, semirank.EachList) for each in catalogue(dense()).candidates)

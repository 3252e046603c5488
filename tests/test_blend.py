"""Blend against scores standardised and mixed by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from sklearn.base import clone

import semirank
from semirank import Blend, DistanceRanking, LogisticRanker, ManifoldRanking, RankBoost, RankRLS
from semirank.dataset import DataWarning
from semirank.meta.mixing import Weights

nan = np.nan


def lists(n_lists=5, n_items=20, seed=0, labelled=0.6):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat([f"list {i}" for i in range(n_lists)], n_items))
    X = rng.normal(size=(len(qid), 4))
    y = (X[:, 0] + 0.5 * np.sign(X[:, 1]) + 0.3 * rng.normal(size=len(qid)) > 0.3).astype(float)
    y[rng.random(len(qid)) > labelled] = nan
    return X, y, qid


def z(scores, qid):
    out = np.zeros_like(scores)
    for each in np.unique(qid):
        rows = qid == each
        spread = scores[rows].std()
        out[rows] = (scores[rows] - scores[rows].mean()) / spread if spread > 1e-9 else 0.0
    return out


def test_scores_are_standardised_within_each_list_and_mixed():
    X, y, qid = lists()
    blend = Blend([RankRLS(), RankBoost(10)], weights=[0.7, 0.2]).fit(X, y, qid)
    members = [ranker.fit(X, y, qid).scores_ for ranker in (RankRLS(), RankBoost(10))]
    np.testing.assert_allclose(blend.scores_, 0.7 * z(members[0], qid) + 0.2 * z(members[1], qid), atol=1e-9)


def test_equal_weights_by_default():
    X, y, qid = lists()
    members = [RankRLS(), RankBoost(10)]
    np.testing.assert_array_equal(
        Blend(members).fit(X, y, qid).scores_, Blend(members, [1, 1]).fit(X, y, qid).scores_
    )


def test_a_ranker_that_tells_no_items_of_a_list_apart_adds_nothing_there():
    X, y, qid = lists()
    X[qid == "list 2"] = X[0]
    blend = Blend([RankRLS(), RankBoost(5)]).fit(X, y, qid)
    np.testing.assert_array_equal(blend.scores_[qid == "list 2"], 0.0)
    assert blend.scores_[qid == "list 1"].std() > 0.1


def test_a_fading_weight_falls_with_the_relevant_labels_of_the_list():
    X, y, qid = lists(2)
    pair = [DistanceRanking(), ManifoldRanking()]
    blend = Blend(pair, [1, "fading"]).fit(X, y, qid)
    near, graph = (z(ranker.fit(X, y, qid).scores_, qid) for ranker in pair)
    for each in ("list 0", "list 1"):
        rows = qid == each
        weight = 6 / (3 + (y[rows] > 0).sum())
        np.testing.assert_allclose(blend.scores_[rows], (near + weight * graph)[rows], atol=1e-5)


def test_new_items_are_scored_as_if_they_had_been_there():
    X, y, qid = lists()
    blend = Blend([RankRLS(), RankBoost(10)]).fit(X, y, qid)
    np.testing.assert_allclose(blend.predict(X, qid), blend.scores_, atol=1e-9)
    alone = blend.predict(X[:1], qid[:1])
    np.testing.assert_allclose(alone, blend.scores_[:1], atol=1e-9)


def test_a_list_never_seen_takes_the_mean_spread_of_the_others():
    X, y, qid = lists()
    blend = Blend([RankRLS(), RankBoost(10)]).fit(X, y, qid)
    members = [ranker.fit(X, y, qid) for ranker in (RankRLS(), RankBoost(10))]
    spreads = [np.mean([m.scores_[qid == each].std() for each in np.unique(qid)]) for m in members]
    new = np.full(len(X), "new")
    expected = sum(m.predict(X, new) / spread for m, spread in zip(members, spreads, strict=True))
    got = blend.predict(X, new)
    np.testing.assert_allclose(got - got.mean(), expected - expected.mean(), atol=1e-9)


@pytest.mark.filterwarnings("ignore::semirank.dataset.DataWarning")
def test_held_out_weights_minimise_the_error_of_left_out_lists():
    X, y, qid = lists(5, labelled=0.8)
    members = [RankRLS(), DistanceRanking(), RankBoost(3)]
    blend = Blend(members, "held-out", n_folds=5).fit(X, y, qid)
    equations, targets = [], []
    for each in np.unique(qid):  # five folds of five lists leave one list out each
        hidden = qid == each
        shown = np.where(hidden, nan, y)
        scores = np.column_stack([z(clone(m).fit(X, shown, qid).scores_, qid) for m in members])
        rows = hidden & ~np.isnan(y)
        equations.append((scores[rows] - scores[rows].mean(axis=0)) / np.sqrt(rows.sum()))
        targets.append((y[rows] - y[rows].mean()) / np.sqrt(rows.sum()))
    A, b = np.vstack(equations), np.concatenate(targets)
    best = minimize(lambda w: ((A @ w - b) ** 2).sum(), np.full(3, 0.1), bounds=[(0, None)] * 3, tol=1e-14)
    np.testing.assert_allclose(blend.weights_, best.x / best.x.sum(), atol=1e-4)
    assert (blend.weights_ >= 0).all()


class Guess(DistanceRanking):
    """A ranker that knows nothing."""

    def fit(self, X, y, qid=None):
        super().fit(X, y, qid)
        self.scores_ = np.random.default_rng(int(np.nansum(y))).normal(size=len(y))
        return self


def test_held_out_weights_leave_out_a_ranker_that_knows_nothing():
    X, y, qid = lists(8, labelled=1.0)
    blend = Blend([("line", RankRLS()), ("guess", Guess())], "held-out").fit(X, y, qid)
    assert blend.weights_[0] > 0.9


def test_too_few_labels_for_held_out_weights():
    X, y, _ = lists(1)
    y[:] = nan
    y[[0, 1]] = [1, 0]
    with pytest.warns(DataWarning, match="weigh the same"):
        blend = Blend([LogisticRanker(), DistanceRanking()], "held-out").fit(X, y)
    np.testing.assert_array_equal(blend.weights_, [1.0, 1.0])


def test_other_labels_without_building_the_graph_again():
    X, y, qid = lists()
    other = np.where(np.arange(len(y)) % 3 == 0, nan, (X[:, 0] > 0).astype(float))
    blend = Blend([LogisticRanker(), ManifoldRanking(tol=1e-12)], [1, "fading"])
    again = clone(blend).fit(X, y, qid).rerank(other)
    np.testing.assert_allclose(again.scores_, blend.fit(X, other, qid).scores_, atol=1e-7)


def test_names_and_parameters_of_the_rankers():
    blend = Blend([("line", LogisticRanker(C=3.0)), DistanceRanking()])
    assert blend.get_params()["line__C"] == 3.0
    assert blend.get_params()["distanceranking__distance"] == "euclidean"
    blend.set_params(line__C=5.0, distanceranking=DistanceRanking("cosine"), weights=[1, 2])
    assert blend.get_params()["line__C"] == 5.0
    assert dict(blend.rankers)["distanceranking"].distance == "cosine"
    copy = clone(blend)
    assert copy.get_params()["line__C"] == 5.0
    assert dict(copy.rankers)["line"] is not dict(blend.rankers)["line"]
    with pytest.raises(ValueError, match="Invalid parameter"):
        blend.set_params(curve__C=1.0)


def test_wrong_members_and_weights():
    X, y, qid = lists()
    with pytest.raises(ValueError, match="one entry for each of 2 rankers; got 3"):
        Blend(weights=[1, 1, 1]).fit(X, y, qid)
    for rankers in ([], [3], [("a", RankRLS()), ("a", RankRLS())], [("a__b", RankRLS())]):
        with pytest.raises(ValueError, match="rankers must be"):
            Blend(rankers).fit(X, y, qid)
    for weights in ([0, 0], [-1, 1], [nan, 1], ["growing", 1], "equal"):
        with pytest.raises(ValueError, match="weights must be"):
            Blend(weights=weights).fit(X, y, qid)


def test_weights_on_the_command_line():
    assert Weights().parse("1,fading") == [1.0, "fading"]
    assert Weights().parse("held-out") == "held-out"
    assert Weights().parse("none") is None


def test_a_saved_blend_of_named_rankers(tmp_path):
    X, y, qid = lists()
    blend = Blend([("line", LogisticRanker()), ("graph", ManifoldRanking())], [1, "fading"]).fit(X, y, qid)
    blend.save(tmp_path / "model")
    again = semirank.load_model(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X, qid), blend.predict(X, qid))
    with pytest.raises(ValueError, match="fit again"):
        again.rerank(y)


@settings(max_examples=10)
@given(st.floats(0.1, 10), st.floats(-5, 5))
def test_the_scale_of_labels_changes_no_weight(scale, shift):
    X, y, qid = lists(3, 10)
    members = [RankRLS(ridge=1e-3), RankBoost(5)]
    once = Blend(members, "held-out").fit(X, y, qid)
    np.testing.assert_allclose(
        Blend(members, "held-out").fit(X, scale * y + shift, qid).weights_, once.weights_, atol=1e-6
    )


def test_a_blend_on_labels_alone_keeps_the_rankers_that_use_no_unlabelled_items():
    two = Blend([ManifoldRanking(), RankRLS(), RankBoost(5)], weights=[1, 2, 3]).supervised()
    assert [type(ranker) for _, ranker in two._named()] == [RankRLS, RankBoost]
    assert two.weights == [2, 3]
    assert isinstance(Blend([ManifoldRanking(), RankRLS()]).supervised(), RankRLS)
    alone = Blend([ManifoldRanking(n_neighbors=3), ManifoldRanking()]).supervised()
    assert repr(alone) == repr(ManifoldRanking(n_neighbors=3).supervised())
    without = Blend([RankRLS(), RankBoost(5)])
    assert without.supervised() is without

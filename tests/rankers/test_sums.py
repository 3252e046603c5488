"""Rankers that learn from sums over parts: the same as `fit`, however the data are cut."""

import os
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.base import clone

import semirank
from semirank import (
    LogisticRanker,
    RankBoost,
    RankingDataset,
    RankRLS,
    RankRLSCV,
    RayleighRanker,
    SemiRankBoost,
)
from semirank.dataset.parts import Part, Parts, deal
from semirank.rankers.sums.moments import Moments


def make_lists(n_lists, seed=0, n_features=4, longest=9, dtype=np.float32):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(n_lists), rng.integers(1, longest, n_lists))
    X = (5 + rng.normal(size=(len(qid), n_features))).astype(dtype)
    y = np.digitize(X[:, 0] - 5 + 0.5 * rng.normal(size=len(qid)), [-0.5, 0.7]).astype(float)
    y[rng.random(len(qid)) < 0.4] = np.nan
    return X, y, qid


def in_memory(X, y, qid, starts, one_list=False):
    """Parts that begin at the given rows."""
    bounds = [*starts, len(y)]
    parts = []
    for number, (start, stop) in enumerate(pairwise(bounds)):
        rows = slice(start, stop)
        arguments = (X[rows], y[rows], None if one_list else qid[rows])
        n_labelled = int((~np.isnan(y[rows])).sum())
        parts.append(
            Part(number, f"memory, row {start}", stop - start, n_labelled, RankingDataset, arguments)
        )
    return Parts(tuple(parts), one_list, None, X.shape[1])


def cut_at(qid, cuts):
    """Where lists start, at some of these places."""
    begins = np.flatnonzero(np.append(True, qid[1:] != qid[:-1]))
    return sorted({0, *begins[[cut % len(begins) for cut in cuts]].tolist()})


RANKERS = {
    "rankrls": RankRLS(ridge=0.5),
    "rankrls tied": RankRLS(tied_lists=True),
    "rankrls components": RankRLS("rbf", gamma=0.1, n_components=6),
    "rankrls linear components": RankRLS("linear", n_components=3),
    "rankrls-cv": RankRLSCV(),
    "rankrls-cv metric": RankRLSCV(ridges=(0.1, 1.0, 10.0), metric="nDCG@3"),
    "rankboost": RankBoost(6),
    "rankboost exact": RankBoost(5, n_bins=4, step="exact", balance="lists"),
    "semi-rankboost": SemiRankBoost(6, n_neighbors=2, discount=0.5),
    "semi-rankboost similarity": SemiRankBoost(5, discount="similarity", conflict="both", balance="lists"),
    "rayleigh": RayleighRanker(n_components=12),
    "rayleigh linear": RayleighRanker("linear", n_components=4, smoothness=2.0, laplacian="unnormalised"),
    "rayleigh supervised": RayleighRanker(n_components=8, smoothness=0.0),
}


def same_ranker(one, other, X, qid, exact=False):
    compare = np.testing.assert_array_equal if exact else tight
    compare(one.predict(X, qid), other.predict(X, qid))
    if isinstance(one, RankBoost):
        np.testing.assert_array_equal(one.features_, other.features_)
        np.testing.assert_array_equal(one.thresholds_, other.thresholds_)
        compare(one.alphas_, other.alphas_)
        compare(one.log_losses_, other.log_losses_)
    if isinstance(one, RankRLSCV):
        assert one.best_index_ == other.best_index_
        compare(one.cv_results_["split_test_score"], other.cv_results_["split_test_score"])


def tight(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.filterwarnings("ignore::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize("name", RANKERS)
def test_sums_over_any_parts_learn_what_fit_does(name):
    @settings(max_examples=6, deadline=None)
    @given(seed=st.integers(0, 99), cuts=st.lists(st.integers(0, 99), max_size=6))
    def check(seed, cuts):
        X, y, qid = make_lists(24, seed, dtype=np.float64 if "components" in name else np.float32)
        whole = clone(RANKERS[name]).fit(X, y, qid)
        parts = in_memory(X, y, qid, cut_at(qid, cuts))
        summed = clone(RANKERS[name]).fit_parts(parts, budget=0)
        same_ranker(whole, summed, X, qid)
        assert (summed.n_lists_, summed.n_features_in_) == (whole.n_lists_, whole.n_features_in_)

    check()


@pytest.mark.filterwarnings("ignore::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize("name", ["rankboost", "rankboost exact", "semi-rankboost"])
def test_boosting_has_the_same_bits_for_any_number_of_parts(name):
    X, y, qid = make_lists(82, 3)
    lists = np.flatnonzero(np.append(True, qid[1:] != qid[:-1]))
    found = [
        clone(RANKERS[name]).fit_parts(in_memory(X, y, qid, lists[:: -(-82 // n)].tolist()), budget=0)
        for n in (1, 6, 41)
    ]
    same_ranker(found[0], found[1], X, qid, exact=True)
    same_ranker(found[0], found[2], X, qid, exact=True)


@pytest.mark.parametrize("n_bins", [3, 40])
def test_bins_are_those_of_fit_where_only_a_sample_of_items_is_looked_at(monkeypatch, n_bins):
    for place in ("solvers.columns", "sums.rankboost"):
        monkeypatch.setattr(f"semirank.rankers.{place}.SAMPLE", 30)
    X, y, qid = make_lists(60, 5)
    whole = RankBoost(8, n_bins).fit(X, y, qid)
    summed = RankBoost(8, n_bins).fit_parts(in_memory(X, y, qid, cut_at(qid, range(0, 60, 7))), budget=0)
    same_ranker(whole, summed, X, qid)


def test_a_loss_that_falls_at_once_to_nearly_nothing_is_counted_again():
    X, y, qid = make_lists(30, 0)
    X[:, 1] = np.nan_to_num(y)  # a stump without a fault
    y = np.where(y > 1, 1.0, np.where(np.isnan(y), np.nan, 0.0))
    whole = RankBoost(12).fit(X, y, qid)
    summed = RankBoost(12).fit_parts(in_memory(X, y, qid, cut_at(qid, range(0, 30, 5))), budget=0)
    assert whole.log_losses_[-1] < np.log(2.0**-20)
    np.testing.assert_array_equal(whole.features_, summed.features_)
    np.testing.assert_allclose(whole.log_losses_, summed.log_losses_, rtol=1e-8)


@pytest.mark.parametrize("n_parts", [1, 2, 8])
def test_one_list_that_is_cut_is_still_one_list(n_parts):
    X, y, _ = make_lists(40, 2, dtype=np.float64)
    parts = in_memory(X, y, None, [len(y) * k // n_parts for k in range(n_parts)], one_list=True)
    for ranker in (RankRLS(), RankRLS("rbf", 0.1, n_components=5), RayleighRanker("linear", smoothness=0.0)):
        whole, summed = clone(ranker).fit(X, y), clone(ranker).fit_parts(parts, budget=0)
        shift = whole.scores_ - summed.predict(X)
        np.testing.assert_allclose(shift, shift[0], atol=1e-9)
    if n_parts > 1:
        with pytest.raises(ValueError, match="one list is cut into parts"):
            RankBoost().fit_parts(parts, budget=0)
        with pytest.raises(ValueError, match=r"larger parts \(part_bytes=\.\.\.\), or say smoothness=0"):
            RayleighRanker().fit_parts(parts)
        with pytest.raises(ValueError, match="leaves lists out, and here is one"):
            RankRLSCV().fit_parts(parts, budget=0)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 99), cut=st.integers(0, 30), offset=st.sampled_from([0.0, 1e6]))
def test_moments_join_without_loss(seed, cut, offset):
    rows = offset + np.random.default_rng(seed).normal(size=(30, 3))
    joined = Moments.of(rows[:cut]).join(Moments.of(rows[cut:]))
    centred = rows - rows.mean(axis=0)
    assert joined.number == 30
    np.testing.assert_allclose(joined.mean, rows.mean(axis=0), rtol=0, atol=1e-15 * np.abs(rows).max())
    np.testing.assert_allclose(joined.scatter, centred.T @ centred, rtol=1e-8, atol=1e-8)


@pytest.mark.filterwarnings("ignore::semirank.dataset.checks.DataWarning")
@pytest.mark.parametrize("name", RANKERS)
def test_a_model_of_sums_is_an_ordinary_model_that_says_what_it_cannot(tmp_path, name):
    X, y, qid = make_lists(30, 6)
    summed = clone(RANKERS[name]).fit_parts(in_memory(X, y, qid, cut_at(qid, [9, 20])), budget=0)
    assert set(vars(summed)) <= set(vars(clone(RANKERS[name]).fit(X, y, qid))) | {"_problem"}
    summed.save(tmp_path / "model.safetensors")
    again = semirank.load_model(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict(X, qid), summed.predict(X, qid))
    with pytest.raises(ValueError, match=r"keeps no items, so that it cannot|cannot split its scores"):
        again.explain(0)


def test_labels_that_teach_nothing_are_refused():
    X, y, qid = make_lists(10, 0)
    same = np.where(np.isnan(y), np.nan, 1.0)
    parts = in_memory(X, same, qid, cut_at(qid, [3]))
    for ranker in (RankRLS(), RankBoost()):
        with pytest.raises(ValueError, match="items of one list with different labels"):
            ranker.fit_parts(parts, budget=0)
    with pytest.raises(ValueError, match="labels are of one class"):
        RayleighRanker().fit_parts(parts)
    with pytest.raises(ValueError, match="has a label"):
        RankRLS().fit_parts(in_memory(X, np.full(len(y), np.nan), qid, [0]))
    with pytest.raises(ValueError, match="ridge"):
        RankRLS(ridge=-1.0).fit_parts(parts)


def test_a_missing_feature_is_told_with_its_place():
    X, y, qid = make_lists(10, 0)
    row = int(np.flatnonzero(~np.isnan(y))[-3])
    X[row, 2] = np.nan
    parts = in_memory(X, y, qid, cut_at(qid, [4]))
    for ranker in (RankRLS(), RankBoost(), RayleighRanker(), SemiRankBoost()):
        with pytest.raises(
            ValueError, match=r"memory, row \d+: item \d+ of the part has no value of the feat"
        ):
            ranker.fit_parts(parts, budget=0)


def test_files_of_a_fit_are_gone_after_it(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    X, y, qid = make_lists(20, 0)
    parts = in_memory(X, y, qid, cut_at(qid, [5, 9]))
    RankBoost(3).fit_parts(parts, budget=0)
    assert os.listdir(tmp_path) == []
    X[:] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        RankBoost(3).fit_parts(parts, budget=0)
    assert os.listdir(tmp_path) == []


def test_sparse_labelled_items_are_gathered_as_far_as_their_cells_take_no_more_than_the_budget():
    X, y, qid = make_lists(40, 0, dtype=np.float64)
    X = csr_array(np.where(np.random.default_rng(0).random(X.shape) < 0.8, 0.0, X))
    parts = replace(in_memory(X, y, qid, cut_at(qid, [7, 19, 28])), sparse=True)
    taught = ~np.isnan(y)
    blocks = [X[taught & np.isin(qid, part.read().qid)] for part in parts]
    needed = sum(block.data.nbytes + block.indices.nbytes + block.indptr.nbytes for block in blocks)
    assert needed < 8 * taught.sum() * X.shape[1]
    gathered = RankRLS().fit_parts(parts, budget=needed)
    assert len(gathered.scores_) == taught.sum()
    seen = []
    summed = RankRLS().fit_parts(parts, budget=needed - 1, progress=lambda *at: seen.append(at))
    assert (len(summed.scores_), seen[-1]) == (0, (4, 4))
    tight(summed.predict(X, qid), gathered.predict(X, qid))
    with pytest.raises(ValueError, match=rf"features take more, and the budget is {needed - 1}\. Raise it"):
        LogisticRanker().fit_parts(parts, budget=needed - 1)
    assert len(LogisticRanker().fit_parts(parts, budget=needed).scores_) == taught.sum()


def test_progress_counts_parts_of_all_passes():
    X, y, qid = make_lists(20, 0)
    parts = in_memory(X, y, qid, cut_at(qid, [5, 9, 12]))
    for ranker, n_passes in (
        (RankRLS(), 1),
        (RankRLSCV(), 2),
        (RankBoost(4), 7),
        (RankBoost(4, step="exact"), 11),
    ):
        seen = []
        ranker.fit_parts(parts, budget=0, progress=lambda done, total: seen.append((done, total)))  # noqa: B023
        assert seen[-1] == (4 * n_passes, 4 * n_passes)
        assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@settings(max_examples=30, deadline=None)
@given(sizes=st.lists(st.integers(1, 50), min_size=1, max_size=20), n_hands=st.integers(1, 6))
def test_hands_hold_every_part_once_in_its_order(sizes, n_hands):
    parts = [Part(number, "", size, 0, RankingDataset, ()) for number, size in enumerate(sizes)]
    hands = deal(parts, n_hands)
    assert [part.number for hand in hands for part in hand.parts] == list(range(len(sizes)))
    assert [hand.number for hand in hands] == list(range(len(hands)))
    assert len(hands) <= n_hands
    share, longest = sum(sizes) / n_hands, max(sizes)
    assert all(sum(part.n_items for part in hand.parts) <= share + longest for hand in hands)

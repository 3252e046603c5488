"""Pseudo margins against boosting with every pair written down."""

from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from tests.rankers.oracle_boosting import all_stumps, dense_pairs, first_best

import semirank
from semirank import PseudoMargin, RankBoost
from semirank.rankers.losses.pseudo_margin import PseudoMarginLoss
from semirank.rankers.solvers.boosting import boost

nan = np.nan


def taught(seed=0, n_lists=3, n_items=8, n_features=3, digits=1):
    rng = np.random.default_rng(seed)
    lists = np.repeat(np.arange(n_lists), n_items)
    X = rng.normal(size=(len(lists), n_features)).round(digits)
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=len(lists)), [-0.3, 0.6]).astype(float)
    return X, y, lists


def another_list(seed=0, n_items=9, n_features=3, digits=1):
    return np.random.default_rng(seed + 1000).normal(size=(n_items, n_features)).round(digits)


def kept_shares(margins, ties):
    """How much each pair counts when those with the smallest margins are left out; equal ones share."""
    margins = margins.round(9)
    kept = np.sort(margins)[int(np.floor(ties * len(margins))) :]
    same = margins == kept[0]
    return np.where(same, (kept == kept[0]).sum() / same.sum(), margins > kept[0])


def dense_margins(X, y, lists, others, n_rounds, weight, ties=0.0, raw=False, given=None, cuts="labelled"):
    """Write every pair down and try every stump between values of labelled items; yield J and the scores."""
    pairs = dense_pairs(y, lists)
    i, j = np.triu_indices(len(others), 1) if given is None else np.transpose(given)
    n_kept = len(i) - int(np.floor(ties * len(i)))
    g = weight / (len(pairs.weights) if raw else n_kept)
    cut = X[np.unique(np.concatenate([pairs.better, pairs.worse]))]
    stumps = list(all_stumps(cut if cuts == "labelled" else np.vstack([cut, others])))
    on_X = np.array([X[:, f] > theta for f, theta in stumps], dtype=float)
    on_others = np.array([others[:, f] > theta for f, theta in stumps], dtype=float)
    limit = 0.5 * np.log(1 + 2 * len(pairs.weights))
    F, G = np.zeros(len(X)), np.zeros(len(others))
    for _ in range(n_rounds + 1):
        D = pairs.weights * np.exp(F[pairs.worse] - F[pairs.better])
        margins = np.abs(G[i] - G[j])
        counts = kept_shares(margins, ties)
        E = g * counts * np.exp(-margins)
        yield D.sum() + E.sum(), G.copy()
        E[margins == 0] = 0.0
        total, sides = D.sum() + E.sum(), np.sign(G[i] - G[j])
        r = (on_X[:, pairs.better] - on_X[:, pairs.worse]) @ D + (
            (on_others[:, i] - on_others[:, j]) * sides
        ) @ E
        best = first_best(r / total)
        if best is None:
            return
        alpha = np.clip(np.arctanh(np.clip(r[best] / total, -1, 1)), -limit, limit)
        F, G = F + alpha * on_X[best], G + alpha * on_others[best]


def losses(X, y, lists, others, n_rounds, weight, ties=0.0, raw=False, n_bins=255, make=np.asarray):
    prepared = RankBoost(n_bins=n_bins).prepare(make(X), y, lists)
    loss = PseudoMarginLoss.of(prepared.loss, np.array([0, len(others)]), weight, ties, raw)
    columns = prepared.columns.append_rows(make(X)[prepared.rows], make(others))
    start = loss.log_losses(np.zeros(len(loss.items)))
    rounds = (each.log_losses for each in islice(boost(loss, columns), n_rounds))
    return np.array([np.exp(logs).sum() for logs in (start, *rounds)])


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("ties", [0.0, 0.4])
@pytest.mark.parametrize(("n_bins", "make"), [(255, np.asarray), (None, np.asarray), (255, csr_array)])
@settings(max_examples=12, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 1.0, 5.0]))
def test_the_losses_are_those_of_writing_every_pair_down(n_bins, make, ties, raw, seed, weight):
    data, others = taught(seed, digits=3), another_list(seed, digits=3)
    dense = [loss for loss, _ in dense_margins(*data, others, 15, weight, ties, raw)]
    np.testing.assert_allclose(losses(*data, others, 15, weight, ties, raw, n_bins, make), dense, rtol=1e-8)


@pytest.mark.parametrize("ties", [0.0, 0.5, 0.9])
@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.01, 100))
def test_the_objective_never_rises(ties, seed, weight):
    found = losses(*taught(seed), another_list(seed), 40, weight, ties)
    assert (np.diff(found) <= 1e-12 * found[:-1]).all()
    assert found[-1] < found[0]


@pytest.mark.parametrize("n_bins", [255, 6, None])
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_scores_are_those_of_writing_every_pair_down(n_bins, make):
    X, y, lists = taught(4, digits=6)
    others = another_list(4, digits=6)
    if n_bins == 6:
        X, others = X.round(), others.round()
    *_, (_, expected) = dense_margins(X, y, lists, others, 10, 1.0)
    ranker = PseudoMargin(10, n_bins=n_bins).fit(make(X), y, lists)
    np.testing.assert_allclose(ranker.predict(make(others)), expected, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("raw", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_pairs_of_a_list_that_are_given_are_those_that_count(seed, raw):
    X, y, lists = taught(seed, digits=6)
    others = another_list(seed, digits=6)
    chosen = np.random.default_rng(seed).permutation(np.transpose(np.triu_indices(9, 1)))[:14]
    *_, (_, expected) = dense_margins(X, y, lists, others, 10, 1.0, raw=raw, given=chosen)
    order = np.random.default_rng(seed + 1).permutation(len(X) + 9)
    items = np.vstack([X, others])[order]
    labels, qid = np.append(y, [nan] * 9)[order], np.append(lists, [7] * 9)[order]
    rows = np.argsort(order)[chosen[:, ::-1] + len(X)]
    ranker = PseudoMargin(10, raw=raw).fit(items, labels, qid, unlabelled_pairs=rows)
    np.testing.assert_allclose(ranker.scores_[np.argsort(order)[len(X) :]], expected, rtol=1e-7, atol=1e-9)
    everything = np.transpose(np.triu_indices(9, 1))
    every = PseudoMargin(10, raw=raw).fit(
        items, labels, qid, unlabelled_pairs=np.argsort(order)[everything + len(X)]
    )
    usual = PseudoMargin(10, raw=raw).fit(items, labels, qid)
    np.testing.assert_allclose(every.scores_, usual.scores_, rtol=1e-9, atol=1e-12)
    assert every.figures_[7] == pytest.approx(usual.figures_[7])


def test_lists_without_a_given_pair_are_ranked_as_they_are():
    X, y, lists = taught()
    items = np.vstack([X, another_list(1), another_list(2)])
    labels, qid = np.append(y, [nan] * 18), np.append(lists, np.repeat([8, 9], 9))
    pairs = np.array([[24, 25], [26, 30]])
    apart = PseudoMargin(10).fit(items, labels, qid, unlabelled_pairs=pairs)
    np.testing.assert_array_equal(apart.scores_[33:], apart.ranker_.predict(items[33:]))
    assert (apart.scores_[24:33] != apart.ranker_.predict(items[24:33])).any()
    shared = PseudoMargin(10, shared=True).fit(items, labels, qid, unlabelled_pairs=pairs)
    np.testing.assert_allclose(shared.scores_[24:33], apart.scores_[24:33])


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([[0, 1]], "one list without labels, and differ; pair 0 has"),
        ([[24, 25], [24, 24]], "pair 1 has"),
        ([[24, 99]], "row numbers from 0 to 32"),
        ([24, 25], r"shape \(n_pairs, 2\)"),
        ([[0.5, 1.5]], r"shape \(n_pairs, 2\)"),
    ],
)
def test_pairs_that_cannot_be_pulled_apart(pairs, message):
    X, y, lists = taught()
    items, labels = np.vstack([X, another_list()]), np.append(y, [nan] * 9)
    with pytest.raises(ValueError, match=message):
        PseudoMargin().fit(items, labels, np.append(lists, [7] * 9), unlabelled_pairs=pairs)
    with pytest.raises(ValueError, match="both choose pairs"):
        PseudoMargin(ties=0.5).fit(items, labels, np.append(lists, [7] * 9), unlabelled_pairs=[[24, 25]])


@pytest.mark.parametrize("n_bins", [255, None])
@pytest.mark.parametrize("make", [np.asarray, csr_array])
def test_cuts_from_both_are_between_all_values(n_bins, make):
    X, y, lists = taught(4, digits=6)
    others = another_list(4, digits=6)
    *_, (_, expected) = dense_margins(X, y, lists, others, 10, 1.0, cuts="both")
    ranker = PseudoMargin(10, n_bins=n_bins, cuts="both").fit(make(X), y, lists)
    np.testing.assert_allclose(ranker.predict(make(others)), expected, rtol=1e-7, atol=1e-9)
    *_, (_, of_labelled) = dense_margins(X, y, lists, others, 10, 1.0)
    assert not np.allclose(expected, of_labelled)


@pytest.mark.parametrize("n_bins", [255, None])
def test_without_weight_it_is_rankboost(n_bins):
    X, y, lists = taught()
    X, y, lists = np.vstack([X, another_list()]), np.append(y, [nan] * 9), np.append(lists, [9] * 9)
    plain = RankBoost(n_bins=n_bins).fit(X, y, lists)
    np.testing.assert_array_equal(
        PseudoMargin(weight=0.0, n_bins=n_bins).fit(X, y, lists).scores_, plain.scores_
    )


@pytest.mark.parametrize("make", [np.asarray, csr_array])
@pytest.mark.parametrize("n_bins", [255, 6, None])
def test_a_tiny_weight_changes_nothing(n_bins, make):
    X, y, lists = taught(digits=9)
    others = np.where(np.abs(another_list(digits=9)) < 0.3, 0.0, another_list(digits=9))
    ranker = PseudoMargin(20, 1e-12, n_bins).fit(make(X), y, lists)
    np.testing.assert_allclose(ranker.predict(make(others)), ranker.ranker_.predict(others), atol=1e-6)


def test_each_list_has_its_own_run_and_shared_lists_one():
    X, y, lists = taught()
    first, second = another_list(1, 12), another_list(2, 7)
    both, names = np.vstack([first, second]), np.repeat(["a", "b"], [12, 7])
    ranker = PseudoMargin(20).fit(X, y, lists)
    apart = np.append(ranker.predict(first), ranker.predict(second))
    np.testing.assert_array_equal(ranker.predict(both, names), apart)
    shared = PseudoMargin(20, shared=True).fit(X, y, lists)
    assert not np.array_equal(shared.predict(both, names), apart)
    np.testing.assert_array_equal(shared.predict(first), ranker.predict(first))


def test_shared_lists_are_one_objective():
    X, y, lists = taught(3)
    prepared = RankBoost().prepare(X, y, lists)
    loss = PseudoMarginLoss.of(prepared.loss, np.array([0, 12, 19]), 1.0, 0.0, False)
    scores = np.random.default_rng(0).normal(size=len(loss.items)).round(1)
    F, G, H = np.split(scores, np.cumsum([len(prepared.loss.items), 12]))
    margins = np.concatenate([np.abs(each[:, None] - each)[np.triu_indices(len(each), 1)] for each in (G, H)])
    own = np.exp(prepared.loss.log_losses(F)).sum()
    np.testing.assert_allclose(np.exp(loss.log_losses(scores)), [own, np.exp(-margins).mean()])


def test_figures_are_the_means_of_both_losses():
    X, y, lists = taught()
    others = another_list()
    X, y, lists = np.vstack([X, others]), np.append(y, [nan] * 9), np.append(lists, [9] * 9)
    ranker = PseudoMargin(10).fit(X, y, lists)
    scores = ranker.scores_[-9:]
    margins = np.abs(scores[:, None] - scores)[np.triu_indices(9, 1)]
    assert ranker.figures_[9]["margin"] == pytest.approx(np.exp(-margins).mean())
    dense = [loss for loss, _ in dense_margins(*taught(), others, 10, 1.0)]
    labelled = dense[-1] - np.exp(-margins).mean()  # J without its second part, which weighs 1 in all
    assert ranker.figures_[9]["labelled"] == pytest.approx(labelled)
    assert ranker.figures_[9]["n_rounds"] == 10
    assert ranker.failures_ == {}


def labels_with_faults(seed):
    """Items well apart in one of 21 features; a fifth of the thirty labels are wrong."""
    rng = np.random.default_rng(seed)

    def items(n):
        good = np.arange(n) % 2
        X = rng.normal(size=(n, 21))
        X[:, 0] += 3.0 * good
        return X, good.astype(float)

    X, y = items(30)
    return X, np.where(rng.random(30) < 0.2, 1 - y, y), *items(60)


def test_wrong_labels_mislead_it_less_where_items_are_well_apart():
    areas = []
    for seed in range(10):
        X, y, others, good = labels_with_faults(seed)
        runs = (PseudoMargin(100, weight).fit(X, y).predict(others) for weight in (0.0, 1.0))
        areas.append([semirank.metrics.auc(good, scores)[0] for scores in runs])
    without, with_margin = np.mean(areas, axis=0)
    assert with_margin > without + 0.05


@pytest.mark.parametrize("shared", [False, True])
def test_odd_lists(shared):
    X, y, lists = taught()
    one, constant = np.zeros((1, 3)), np.ones((4, 3))
    names = ["one", *["constant"] * 4]
    ranker = PseudoMargin(5, shared=shared).fit(
        np.vstack([X, one, constant]), np.append(y, [nan] * 5), [*map(str, lists), *names]
    )
    assert ranker.failures_ == {}
    assert len(set(ranker.scores_[-4:])) == 1
    assert np.isfinite(ranker.predict(one)).all()


def test_pairs_and_weights_are_taken():
    X, y, lists = taught()
    pairs = semirank.rankers.pairs.PairWeights(*dense_pairs(y, lists))
    others = another_list()
    plain = PseudoMargin(10).fit(X, y, lists)
    np.testing.assert_allclose(
        PseudoMargin(10).fit(X, y, lists, pairs=pairs).predict(others), plain.predict(others), atol=1e-9
    )
    weights = np.where(lists == 0, 0.0, 1.0)
    weighted = PseudoMargin(10).fit(X, y, lists, sample_weight=weights)
    fewer = PseudoMargin(10).fit(X[lists > 0], y[lists > 0], lists[lists > 0])
    np.testing.assert_array_equal(weighted.predict(others), fewer.predict(others))


@pytest.mark.parametrize("cuts", ["labelled", "both"])
def test_new_items_may_be_sparse_after_dense_ones_and_the_other_way_round(cuts):
    X, y, lists = taught(4)
    dense = PseudoMargin(10, cuts=cuts).fit(X, y, lists)
    sparse = PseudoMargin(10, cuts=cuts, n_bins=None).fit(csr_array(X), y, lists)
    others = another_list(4)
    np.testing.assert_array_equal(dense.predict(csr_array(others)), dense.predict(others))
    np.testing.assert_array_equal(sparse.predict(others), sparse.predict(csr_array(others)))

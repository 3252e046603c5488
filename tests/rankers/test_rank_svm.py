"""RankSVM against a generic minimiser over all pairs, and against LIBLINEAR on differences of pairs."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import approx_fprime, minimize
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import LinearSVC

import semirank
from semirank import RankSVM
from semirank.rankers.losses.hinge import GivenHinge, OrderedHinge
from semirank.rankers.pairs import GivenPairs, OrderedPairs, PairWeights

nan = np.nan


def some_lists(seed=0, sizes=(9, 7, 12), n_features=4, levels=3):
    rng = np.random.default_rng(seed)
    qid = np.repeat(np.arange(len(sizes)), sizes)
    X = rng.normal(size=(len(qid), n_features)) + 3.0 * qid[:, None]
    y = X[:, 0] - 3.0 * qid + rng.normal(size=len(qid))
    if levels:
        y = np.digitize(y, np.linspace(-1, 1, levels - 1)).astype(float)
    y[rng.random(len(qid)) < 0.2] = nan
    order = rng.permutation(len(qid))
    return X[order], y[order], qid[order]


def all_pairs(y, qid):
    return np.array(
        [(p, q) for p in range(len(y)) for q in range(len(y)) if qid[p] == qid[q] and y[p] > y[q]]
    ).T


def pair_factors(y, qid, balance="lists", weights=None):
    """The pairs and the factor of each in the objective."""
    better, worse = all_pairs(y, qid)
    mass = np.ones(len(better)) if weights is None else weights[better] * weights[worse]
    lists = qid[better]
    if balance == "pairs":
        return better, worse, mass * len(np.unique(lists[mass > 0])) / mass.sum()
    return better, worse, mass / np.array([mass[lists == each].sum() for each in lists])


def objective(w, X, better, worse, factors, C):
    short = np.maximum(0.0, 1.0 - (X[better] - X[worse]) @ w)
    gradient = w - 2.0 * C * (X[better] - X[worse]).T @ (factors * short)
    return 0.5 * w @ w + C * factors @ short**2, gradient


def brute_force(X, pairs, C):
    found = minimize(
        objective,
        np.zeros(X.shape[1]),
        (X, *pairs, C),
        jac=True,
        method="L-BFGS-B",
        options={"gtol": 1e-10, "ftol": 1e-15},
    )
    return found.x


@pytest.mark.parametrize("levels", [2, 3, None])
@pytest.mark.parametrize("balance", ["lists", "pairs"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_it_is_the_minimum_over_all_pairs(levels, balance, C):
    X, y, qid = some_lists(levels=levels)
    ranker = RankSVM(C, balance=balance, tol=1e-10).fit(X, y, qid)
    pairs = pair_factors(y, qid, balance)
    value, gradient = objective(ranker.coef_, X, *pairs, C)
    assert np.linalg.norm(gradient) < 1e-8 * np.linalg.norm(objective(np.zeros(4), X, *pairs, C)[1])
    np.testing.assert_allclose(ranker.objectives_[-1], value, rtol=1e-9)
    np.testing.assert_allclose(ranker.coef_, brute_force(X, pairs, C), atol=1e-5)
    np.testing.assert_allclose(ranker.scores_, X @ ranker.coef_)


def test_it_agrees_with_liblinear_on_differences():
    X, y, qid = some_lists(seed=3, sizes=(15,))
    better, worse, factors = pair_factors(y, qid)
    signs = np.where(np.arange(len(better)) % 2, 1.0, -1.0)  # LIBLINEAR wants two classes
    peer = LinearSVC(loss="squared_hinge", fit_intercept=False, C=2.0, tol=1e-10, max_iter=100_000)
    peer.fit(signs[:, None] * (X[better] - X[worse]), signs, sample_weight=factors)
    np.testing.assert_allclose(RankSVM(2.0, tol=1e-10).fit(X, y, qid).coef_, peer.coef_[0], atol=1e-6)


def test_item_weights_are_replication():
    X, y, qid = some_lists(seed=4)
    counts = np.random.default_rng(0).integers(0, 4, len(y))
    for balance in ("lists", "pairs"):
        weighted = RankSVM(balance=balance, tol=1e-10).fit(X, y, qid, sample_weight=counts)
        rows = np.repeat(np.arange(len(y)), counts)
        again = RankSVM(balance=balance, tol=1e-10).fit(X[rows], y[rows], qid[rows])
        np.testing.assert_allclose(weighted.coef_, again.coef_, atol=1e-8)


@pytest.mark.parametrize("balance", ["lists", "pairs"])
def test_listed_pairs(balance):
    X, y, qid = some_lists(seed=5)
    better, worse = all_pairs(y, qid)
    plain = RankSVM(balance=balance, tol=1e-10).fit(X, y, qid)
    listed = PairWeights(better, worse, np.full(len(better), 7.0))
    again = RankSVM(balance=balance, tol=1e-10).fit(X, y, qid, pairs=listed)
    np.testing.assert_allclose(again.coef_, plain.coef_, atol=1e-9)
    weights = np.random.default_rng(1).random(len(better)) ** 2
    ranker = RankSVM(balance=balance, tol=1e-10).fit(X, y, qid, pairs=PairWeights(better, worse, weights))
    lists = qid[better]
    totals = np.array([weights[lists == each].sum() for each in lists])
    factors = weights / totals if balance == "lists" else weights * len(np.unique(lists)) / weights.sum()
    np.testing.assert_allclose(ranker.coef_, brute_force(X, (better, worse, factors), 1.0), atol=1e-5)


def test_listed_pairs_that_weigh_nothing():
    X, y = np.eye(3), [0, 1, 2]
    with pytest.raises(ValueError, match="nothing to learn from"):
        RankSVM().fit(X, y, sample_weight=[0, 1, 1], pairs=PairWeights([1], [0], [1.0]))
    with pytest.raises(ValueError, match="must have the higher label"):
        RankSVM().fit(X, y, pairs=PairWeights([0], [1], [1.0]))


def test_a_large_number_added_to_the_scores_of_a_list_changes_nothing():
    rng = np.random.default_rng(0)
    y, lists = rng.integers(0, 3, 40) * 1.0, np.repeat([0, 1], 20)
    loss = OrderedHinge(OrderedPairs.ordered_by(y, lists, np.ones(40)).share("lists", totals=np.array([2.0])))
    scores, offsets = rng.normal(size=40)[loss.items], np.where(lists[loss.items] == 0, 2.0**30, -(2.0**27))
    value, slopes = loss.at(scores)
    shifted, shifted_slopes = loss.at(scores + offsets)
    assert shifted == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(shifted_slopes, slopes, atol=1e-5)


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_slopes_and_curvature_are_derivatives(seed, levels):
    rng = np.random.default_rng(seed)
    y, lists, weights = rng.integers(0, levels, 12) * 1.0, np.repeat([0, 1], 6), rng.random(12) + 0.1
    y[[0, 6]], y[[1, 7]] = 0.0, levels
    pairs = OrderedPairs.ordered_by(y, lists, weights).share("lists", totals=np.array([2.0]))
    ordered = OrderedHinge(pairs)
    better, worse, factors = pair_factors(y, lists, weights=weights)
    given = GivenPairs(np.arange(len(y)), better, worse, np.log(factors), lists[better])
    listed = GivenHinge(given, factors)
    scores, move = rng.normal(size=12), rng.normal(size=12)
    losses = []
    for loss in (ordered, listed):
        value, slopes = loss.at(scores[loss.items])
        losses.append(value)
        numeric = approx_fprime(scores[loss.items], lambda s, loss=loss: loss.at(s)[0], 1e-7)
        np.testing.assert_allclose(slopes, numeric, atol=1e-5)
        loss.at(scores[loss.items])
        curved = loss.curve(move[loss.items])
        np.testing.assert_allclose(
            curved, numeric_curve(loss, scores[loss.items], move[loss.items]), atol=1e-4
        )
    np.testing.assert_allclose(losses[0], losses[1])


def numeric_curve(loss, scores, move, step=1e-7):
    return (loss.at(scores + step * move)[1] - loss.at(scores - step * move)[1]) / (2 * step)


def test_the_objective_never_rises():
    X, y, qid = some_lists(seed=6, sizes=(30, 30), n_features=20, levels=None)
    objectives = RankSVM(1e4, tol=1e-10).fit(X, y, qid).objectives_
    assert len(objectives) > 3
    assert (np.diff(objectives) <= 1e-11 * objectives[0]).all()


def test_sparse_features_stay_sparse():
    rng = np.random.default_rng(0)
    qid = np.repeat(np.arange(5), 20)
    X = np.where(rng.random((100, 3000)) < 0.01, rng.random((100, 3000)), 0.0)
    y = np.round(X[:, :600].sum(axis=1))
    dense = RankSVM(10.0, tol=1e-10).fit(X, y, qid)
    sparse = RankSVM(10.0, tol=1e-10).fit(csr_array(X), y, qid)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-9)


def test_large_offsets_do_no_harm():
    X, y, qid = some_lists(seed=7)
    far = X + 1e6 * (1.0 + qid[:, None])
    near, moved = RankSVM(tol=1e-8).fit(X, y, qid), RankSVM(tol=1e-8).fit(far, y, qid)
    np.testing.assert_allclose(moved.coef_, near.coef_, atol=1e-6)


def test_explained_scores_add_up():
    X, y, qid = some_lists(seed=8)
    for features in (X, csr_array(X)):
        ranker = RankSVM(5.0, tol=1e-10).fit(features, y, qid)
        np.testing.assert_allclose(X.T @ ranker.pulls_, ranker.coef_, atol=1e-8)
        for item in (0, 5):
            items, amounts = ranker.explain(item)
            assert set(items) <= set(np.flatnonzero(~np.isnan(y)))
            assert amounts.sum() == pytest.approx(ranker.scores_[item], abs=1e-7)
    with pytest.raises(ValueError, match=r"row number in \[0, 27\]; got 28"):
        ranker.explain(28)


def test_pulls_say_who_should_rise():
    ranker = RankSVM().fit([[0.0], [1.0], [0.5]], [0, 1, nan])
    assert ranker.pulls_[0] < 0 < ranker.pulls_[1]
    assert ranker.pulls_[2] == 0


def test_what_cannot_be_learned():
    with pytest.raises(ValueError, match="of one class"):
        RankSVM().fit(np.eye(4), [1, 1, 2, 2], qid=[0, 0, 1, 1])
    X, y, qid = some_lists(sizes=(40, 40), n_features=30, levels=None)
    with pytest.warns(ConvergenceWarning, match=r"not settled after 1 steps.*tol is 1e-06"):
        RankSVM(1e6, max_iter=1).fit(X, y, qid)


def test_a_model_file_explains_as_before(tmp_path):
    X, y, qid = some_lists()
    ranker = RankSVM().fit(X, y, qid)
    ranker.save(tmp_path / "model")
    again = semirank.load_model(tmp_path / "model")
    for item in (0, len(y) - 1):
        for found, expected in zip(again.explain(item), ranker.explain(item), strict=True):
            np.testing.assert_array_equal(found, expected)

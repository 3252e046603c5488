"""The Rayleigh rankers against their definition: pair by pair, and refitted for every setting."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.stats import multivariate_normal, norm
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.metrics import roc_auc_score
from tests.rankers import oracle_rayleigh as oracle

from semirank import EstimatorRanker, RankingDataset, storage
from semirank.features.gram_schmidt import GramSchmidt
from semirank.kernels import median_distance, resolve
from semirank.limits import Several
from semirank.rankers.cross_validation import deal_labels
from semirank.rankers.label_levels import compare_levels, relative_to_list
from semirank.rankers.rayleigh import RayleighRanker, factorise, roughness
from semirank.rankers.rayleigh_cv import RayleighRankerCV, nested_directions

nan = np.nan
KINDS = {"RayleighRanker": RayleighRanker, "RayleighRankerCV": RayleighRankerCV, "GramSchmidt": GramSchmidt}


def some_lists(sizes=(25, 18, 12), levels=2, labelled=0.6, seed=0):
    rng = np.random.default_rng(seed)
    qid = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    X = rng.normal(size=(len(qid), 3)) + qid[:, None]
    y = np.digitize(X[:, 0] - qid + rng.normal(size=len(qid)), np.linspace(-0.5, 0.5, levels - 1))
    return X, np.where(rng.random(len(qid)) < labelled, y, nan), qid


def coordinates(X, gamma, n_components=1000):
    return GramSchmidt(gamma=gamma, n_components=n_components).fit_transform(X)


@pytest.mark.parametrize("laplacian", ["normalised", "unnormalised"])
@pytest.mark.parametrize(("sizes", "levels"), [((40,), 2), ((25, 18, 12), 2), ((25, 18, 12), 4)])
@pytest.mark.parametrize(("ridge", "smoothness"), [(1e-3, 30.0), (0.1, 1.0)])
def test_scores_are_those_of_the_definition(sizes, levels, ridge, smoothness, laplacian):
    X, y, qid = some_lists(sizes, levels)
    gamma = 0.5 / (median_distance(X) / 3) ** 2
    L = oracle.dense_laplacian(oracle.nearest_neighbour_graph(X, qid, 4), laplacian == "normalised")
    expected = oracle.rayleigh_scores(coordinates(X, gamma, 20), y, qid, L, ridge, smoothness)
    ranker = RayleighRanker(
        n_components=20, n_neighbors=4, ridge=ridge, smoothness=smoothness, laplacian=laplacian
    )
    ranker.fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())
    np.testing.assert_allclose(ranker.predict(X, qid), ranker.scores_, atol=1e-8 * np.abs(expected).max())


def test_one_list_is_the_papers_equation_5():
    X, y, qid = some_lists((50,))
    L = oracle.dense_laplacian(oracle.nearest_neighbour_graph(X, qid, 2))
    expected = oracle.paper_equation_5(coordinates(X, 0.3, 10), y, L, 1e-3, gamma=7.0 * 50)
    ranker = RayleighRanker("rbf", 0.3, n_components=10, n_neighbors=2, smoothness=7.0).fit(X, y)
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


def test_gaussian_classes_get_the_best_linear_auc():
    """Of two Gaussians, w'x has the AUC Phi(w'd / sqrt(w'(S+ + S-)w)), largest for w = (S+ + S-)^-1 d."""
    rng = np.random.default_rng(0)
    mixes = rng.normal(size=(2, 3, 3))
    shift = np.array([1.0, -0.5, 0.3])
    total = sum(mix @ mix.T for mix in mixes)
    X = np.vstack([rng.normal(size=(4000, 3)) @ mixes[0].T + shift, rng.normal(size=(4000, 3)) @ mixes[1].T])
    y = np.repeat([1, 0], 4000)
    ranker = RayleighRanker("linear", ridge=1e-9, smoothness=0.0).fit(X, y)
    best = norm.cdf(np.sqrt(shift @ np.linalg.solve(total, shift)))
    assert roc_auc_score(y, ranker.scores_) == pytest.approx(best, abs=0.01)
    w = np.linalg.lstsq(X, ranker.scores_, rcond=None)[0]
    direction = np.linalg.solve(total, shift)
    assert w @ direction / np.linalg.norm(w) / np.linalg.norm(direction) == pytest.approx(1.0, abs=0.01)


def test_levels_are_compared_pair_by_pair():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 4)), rng.integers(0, 4, size=30).astype(float)
    difference, spread = oracle.pairs_of_levels(X, y)
    pulls, found = compare_levels(X, y, np.ones(len(y)))
    np.testing.assert_allclose(pulls @ X, difference, atol=1e-12)
    np.testing.assert_allclose(found, spread, atol=1e-12)
    assert pulls.sum() == pytest.approx(0.0, abs=1e-12)


def test_roughness_is_summed_in_blocks(monkeypatch):
    X, _, qid = some_lists()
    L = oracle.dense_laplacian(oracle.nearest_neighbour_graph(X, qid, 3))
    monkeypatch.setattr("semirank.rankers.rayleigh.BLOCK_ROWS", 7)
    np.testing.assert_allclose(roughness(X, csr_array(L)), X.T @ L @ X / len(X), atol=1e-12)


def test_one_item_of_each_class_is_enough():
    X, _, _ = some_lists((20,))
    y = np.full(20, nan)
    y[3], y[8] = 1, 0
    scores = RayleighRanker().fit(X, y).scores_
    assert np.isfinite(scores).all()
    assert scores[3] > scores[8]


def test_labels_of_one_class_are_refused():
    X, y, qid = some_lists()
    for ranker in (RayleighRanker(), RayleighRankerCV()):
        with pytest.raises(ValueError, match=r"of one class: every label is 3 .*takes labels of two levels"):
            ranker.fit(X, np.where(np.isnan(y), nan, 3.0), qid)


def test_a_matrix_that_rounding_made_singular_is_refused():
    with pytest.raises(ValueError, match=r"the largest entry is 2e\+20\. Raise ridge, or scale the features"):
        factorise(np.array([[1e20, 2e20], [2e20, 1e20]]))


def test_without_smoothness_no_graph_is_needed():
    X, y, qid = some_lists()
    expected = oracle.rayleigh_scores(coordinates(X, 0.3), y, qid, np.zeros((55, 55)), 0.01, 0.0)
    ranker = RayleighRanker("rbf", 0.3, ridge=0.01, smoothness=0).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("kernel", ["linear", "polynomial", "cosine"])
def test_other_kernels_take_part(kernel):
    X, y, qid = some_lists()
    ranker = RayleighRanker(kernel, n_neighbors=3).fit(X, y, qid)
    points = X / np.linalg.norm(X, axis=1, keepdims=True) if kernel == "cosine" else X
    L = oracle.dense_laplacian(oracle.nearest_neighbour_graph(points, qid, 3))
    F = GramSchmidt(kernel, n_components=1000).fit_transform(X)
    expected = oracle.rayleigh_scores(F, y, qid, L, 1e-3, 30.0)
    np.testing.assert_allclose(ranker.scores_, expected, rtol=1e-7, atol=1e-7 * np.abs(expected).max())


@pytest.mark.parametrize("ranker", [RayleighRanker, RayleighRankerCV])
def test_a_precomputed_kernel_is_the_kernel(ranker):
    X, y, qid = some_lists()
    kernel = resolve("linear", None, X)
    K = kernel.block(X, X)
    direct, given = ranker("linear").fit(X, y, qid), ranker("precomputed").fit(K, y, qid)
    np.testing.assert_allclose(given.scores_, direct.scores_, atol=1e-7 * np.abs(direct.scores_).max())
    new = np.random.default_rng(5).normal(size=(6, 3))
    np.testing.assert_allclose(
        given.predict(kernel.block(new, X)), direct.predict(new), atol=1e-7 * np.abs(direct.scores_).max()
    )
    with pytest.raises(ValueError, match="not symmetric"):
        ranker("precomputed").fit(K + np.triu(np.ones_like(K)), y, qid)


def test_lists_without_labels_are_ranked_too():
    X, y, qid = some_lists((40, 40, 40), seed=3)
    truth = X[:, 0] - qid
    scores = RayleighRanker("linear").fit(X, np.where(qid == 2, nan, y), qid).scores_
    assert np.corrcoef(scores[qid == 2], truth[qid == 2])[0, 1] > 0.8


def test_what_is_common_to_a_list_does_not_teach():
    X, y, qid = some_lists((30, 30))
    data = RankingDataset(X, y, qid)
    moved = RankingDataset(X + 100.0 * (qid == 1)[:, None], y, qid)
    items = np.flatnonzero(data.labelled)
    np.testing.assert_allclose(
        relative_to_list(moved.X, moved, items), relative_to_list(data.X, data, items), atol=1e-12
    )


@pytest.mark.parametrize("make", [RayleighRanker, RayleighRankerCV])
def test_contributions_add_up_to_the_score(make):
    X, y, qid = some_lists(levels=3)
    ranker = make().fit(X, y, qid)
    for item in (0, 17, 54):
        items, contributions = ranker.explain(item)
        np.testing.assert_array_equal(items, np.flatnonzero(~np.isnan(y)))
        assert contributions.sum() == pytest.approx(ranker.scores_[item], rel=1e-7)
    with pytest.raises(ValueError, match=r"item must be a row number in \[0, 54\]; got 55"):
        ranker.explain(55)


def test_contributions_are_those_of_the_definition():
    X, y, qid = some_lists()
    F = coordinates(X, 0.3)
    L = oracle.dense_laplacian(oracle.nearest_neighbour_graph(X, qid, 5))
    A, _ = oracle.rayleigh_matrix_and_target(F, y, qid, L, 0.01, 30.0)
    centred = F - np.array([F[qid == each].mean(axis=0) for each in qid])
    signs = np.where(y == 1, 1 / (y == 1).sum(), -1 / (y == 0).sum())
    items, contributions = RayleighRanker("rbf", 0.3, ridge=0.01).fit(X, y, qid).explain(7)
    expected = (signs[:, None] * centred @ np.linalg.solve(A, F[7])[:, None])[items, 0]
    np.testing.assert_allclose(contributions, expected, atol=1e-7 * np.abs(expected).max())


def optdigits(folder, part):
    table = np.loadtxt(folder / "optdigits" / f"optdigits.{part}", delimiter=",")
    return table[:, :64], table[:, 64]


@pytest.mark.parametrize(
    ("relevant", "share", "goal"),
    [(range(5), 0.01, 0.97), (range(5), 0.1, 0.998), (range(1), 0.05, 0.9998)],
)
def test_handwritten_digits(real_data, relevant, share, goal):
    """Mean over 2 samples of labels; 20 samples and all components give 98.3, 99.9 and 100.0 %."""
    (X, digits), (new, new_digits) = (optdigits(real_data, part) for part in ("tra", "tes"))
    found = []
    for seed in range(2):
        chosen = np.random.default_rng(seed).random(len(X)).argsort()[: round(share * len(X))]
        y = np.full(len(X), nan)
        y[chosen] = np.isin(digits[chosen], relevant)
        scores = RayleighRanker(n_components=600).fit(X, y).predict(new)
        found.append(roc_auc_score(np.isin(new_digits, relevant), scores))
    assert np.mean(found) > goal


GRID = {"widths": (0.5, 1.0), "sizes": (5, 12), "ridges": (1e-2, 1.0), "smoothnesses": (0.0, 0.5)}


def held_out_auc(X, y, qid, held):
    """Refit every setting of the grid without the labels of one list, and measure the AUC there."""
    values = np.empty((2, 2, 2, 2))
    for index in np.ndindex(values.shape):
        width, size, ridge, smoothness = (grid[i] for grid, i in zip(GRID.values(), index, strict=True))
        gamma = 0.5 / (width * median_distance(X)) ** 2
        ranker = RayleighRanker("rbf", gamma, size, ridge=ridge, smoothness=smoothness)
        scores = ranker.fit(X, np.where(qid == held, nan, y), qid).scores_
        values[index] = roc_auc_score(y[qid == held], scores[qid == held])
    return values


def test_held_out_scores_are_those_of_refitting():
    X, y, qid = some_lists((30, 30, 30), labelled=1.0, seed=2)
    expected = np.mean([held_out_auc(X, y, qid, held) for held in range(3)], axis=0)
    ranker = RayleighRankerCV(**GRID).fit(X, y, qid)
    np.testing.assert_allclose(ranker.cv_results_["mean_test_score"], expected.ravel(), atol=1e-9)
    refitted = RayleighRanker(**ranker.best_params_).fit(X, y, qid)
    np.testing.assert_allclose(ranker.scores_, refitted.scores_, rtol=1e-9)


def test_the_defaults_give_way_to_a_clearly_better_setting_only():
    X, y, qid = some_lists()
    ranker = RayleighRankerCV(**GRID)
    settings = ranker._settings(RankingDataset(X, y, qid))
    values = np.full((2, 2, 2, 2, 5), 0.6)
    values[1, 0, 1, 0] = [0.9, 0.92, 0.88, 0.91, 0.89]
    best = {"gamma": 0.5 / median_distance(X) ** 2, "n_components": 5, "ridge": 1.0, "smoothness": 0.0}
    assert settings[ranker._choose(values)] == pytest.approx(best)
    values[1, 1, 0, 0] = 0.887  # less than two standard errors, 0.0141, behind; fewer steps from the defaults
    assert settings[ranker._choose(values)]["n_components"] == 12
    values[1, 1, 0, 0] = 0.885
    assert settings[ranker._choose(values)]["n_components"] == 5


def test_equally_good_settings_give_way_to_the_defaults():
    X = np.repeat([[0.0], [10.0]], 20, axis=0) + np.linspace(0, 1, 40)[:, None]
    ranker = RayleighRankerCV().fit(X, np.repeat([0, 1], 20))
    assert (ranker.cv_results_["mean_test_score"] == 1.0).any()
    usual = RayleighRanker()
    assert {k: v for k, v in ranker.best_params_.items() if k != "gamma"} == {
        name: getattr(usual, name) for name in ("n_components", "ridge", "smoothness")
    }


def test_without_smoothness_the_choice_needs_no_graph(monkeypatch):
    X, y, qid = some_lists()
    with_graph = RayleighRankerCV(smoothnesses=(0.0, 1e-300)).fit(X, y, qid)
    monkeypatch.delattr("semirank.rankers.rayleigh.knn_graph")
    without = RayleighRankerCV(smoothnesses=(0.0,)).fit(X, y, qid)
    found, expected = (each.cv_results_["mean_test_score"] for each in (without, with_graph))
    np.testing.assert_allclose(found, expected[::2], atol=1e-12)


def test_one_factor_serves_every_size():
    rng = np.random.default_rng(0)
    half = rng.normal(size=(8, 8))
    A, b = half @ half.T + np.eye(8), rng.normal(size=8)
    directions = nested_directions(A, b, (1, 5, 8, 100))
    for column, size in enumerate((1, 5, 8, 8)):
        np.testing.assert_allclose(directions[:size, column], np.linalg.solve(A[:size, :size], b[:size]))
        assert (directions[size:, column] == 0).all()


def test_labels_are_dealt_out_evenly():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, nan], [12, 7, 10])
    folds = deal_labels(RankingDataset(rng.normal(size=(29, 2)), y), 5)
    assert sum(folds).tolist() == [1] * 19
    for held in folds:
        assert {int((~held[y[:19] == level]).sum()) for level in (0,)} <= {9, 10}
        assert int(held[12:].sum()) in (1, 2)


def test_lists_are_held_out_whole_where_two_can_be_judged():
    X, y, qid = some_lists((10, 10, 10, 10), labelled=1.0)
    y[qid == 3] = 1.0
    data = RankingDataset(X, y, qid)
    folds = deal_labels(data, 5)
    assert len(folds) == 3
    for held in folds:
        assert not set(data.qid[held]) & set(data.qid[~held])
        assert set(data.qid[held]) != {3}


@pytest.mark.parametrize(("labels", "n_folds"), [([0, 0, 1, 1], 2), ([0, 1, 2, 3, 4, 5], 3)])
def test_few_labels_make_fewer_folds(labels, n_folds):
    X = np.random.default_rng(0).normal(size=(len(labels), 2))
    assert len(deal_labels(RankingDataset(X, labels), 5)) == n_folds


@pytest.mark.parametrize("labels", [[0, 1], [0, 0, 0, 1]])
def test_too_few_labels_to_hold_out_are_refused(labels):
    X = np.random.default_rng(0).normal(size=(len(labels), 2))
    with pytest.raises(ValueError, match="at least two labelled items on each of two levels"):
        RayleighRankerCV().fit(X, labels)


def test_several_values_are_read_and_checked():
    sizes = RayleighRankerCV.limits["sizes"]
    assert isinstance(sizes, Several)
    assert sizes.parse("10,20") == (10, 20)
    assert (10, 20) in sizes
    for wrong in ((), (10, 0), 10, "10"):
        assert wrong not in sizes
    with pytest.raises(ValueError, match=r"sizes must be a tuple, each entry a whole number.*\(0,\)"):
        RayleighRankerCV(sizes=(0,)).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("make", [RayleighRanker, RayleighRankerCV])
@pytest.mark.parametrize("form", [np.asarray, csr_array])
def test_a_saved_ranker_predicts_and_explains_the_same(make, form, tmp_path):
    X, y, qid = some_lists()
    ranker = make("linear").fit(form(X), y, qid)
    ranker.save(tmp_path / "model")
    again = storage.load(tmp_path / "model", KINDS)
    np.testing.assert_array_equal(again.predict(form(X), qid), ranker.predict(form(X), qid))
    for one, other in zip(again.explain(3), ranker.explain(3), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("weights_", np.ones(2)),
        ("factor_", np.eye(2)),
        ("items_", np.ones((3, 3))),
        ("lists_", np.zeros(3, dtype=int)),
        ("pulls_", np.ones(3)),
        ("labelled_items_", np.full(30, 99)),
    ],
)
def test_a_state_that_does_not_fit_together_is_refused(attribute, value, tmp_path):
    X, y, qid = some_lists()
    ranker = RayleighRanker().fit(X, y, qid)
    assert len(ranker.pulls_) == 30
    setattr(ranker, attribute, value)
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match=r"model file cannot be used: \w+_ must "):
        storage.load(tmp_path / "model", KINDS)


def test_the_chosen_ranker_must_fit_the_scores(tmp_path):
    X, y, qid = some_lists()
    ranker = RayleighRankerCV().fit(X, y, qid)
    ranker.scores_ = ranker.scores_[:5]
    ranker.save(tmp_path / "model")
    with pytest.raises(ValueError, match="ranker_ must be a RayleighRanker"):
        storage.load(tmp_path / "model", KINDS)


def test_a_whole_weight_is_a_label_given_so_many_times():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 3, 40).astype(float)
    times = rng.integers(0, 4, 40)
    ranker = RayleighRanker("linear", smoothness=0.0)
    copies = np.repeat(np.arange(40), times)
    expected = ranker.fit(X[copies], y[copies]).predict(X)
    weighted = ranker.fit(X, y, sample_weight=times)
    np.testing.assert_allclose(weighted.scores_, expected, atol=1e-9)
    items, amounts = weighted.explain(7)
    assert amounts.sum() == pytest.approx(weighted.scores_[7])
    assert set(items) == set(np.flatnonzero(times))


def two_gaussians(n_relevant, n_irrelevant, seed=0):
    """Two classes with different means and covariances."""
    rng = np.random.default_rng(seed)
    relevant = rng.normal(size=(n_relevant, 3)) @ rng.normal(size=(3, 3)) + [1.0, 0.5, 0.0]
    irrelevant = rng.normal(size=(n_irrelevant, 3)) @ rng.normal(size=(3, 3))
    return np.vstack([relevant, irrelevant]), np.repeat([1.0, 0.0], [n_relevant, n_irrelevant])


def test_the_posterior_of_equation_2_is_scikit_learns_quadratic_discriminant():
    X, y = two_gaussians(60, 140)
    logs = []
    for level in (0.0, 1.0):
        part = X[y == level]
        gaussian = multivariate_normal(part.mean(axis=0), np.cov(part.T, bias=True))
        logs.append(np.log(len(part) / len(X)) + gaussian.logpdf(X))
    ranker = EstimatorRanker(QuadraticDiscriminantAnalysis()).fit(X, y)
    assert roc_auc_score(y, ranker.scores_) == roc_auc_score(y, logs[1] - logs[0])
    assert np.corrcoef(ranker.scores_, logs[1] - logs[0])[0, 1] > 1 - 1e-4  # some releases divide by n - 1


@pytest.mark.parametrize(("n_relevant", "same"), [(100, True), (20, False)])
def test_equation_4_is_fishers_discriminant_where_classes_are_balanced(n_relevant, same):
    X, y = two_gaussians(n_relevant, 100)
    S = sum(np.cov(X[y == level].T, bias=True) for level in (0.0, 1.0))
    w = np.linalg.solve(S, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    ours = RayleighRanker("linear", n_components=3, ridge=1e-12, smoothness=0.0).fit(X, y).scores_
    fisher = EstimatorRanker(LinearDiscriminantAnalysis()).fit(X, y).scores_
    assert np.corrcoef(ours, X @ w)[0, 1] == pytest.approx(1.0)
    assert (np.corrcoef(ours, fisher)[0, 1] > 1 - 1e-9) == same
